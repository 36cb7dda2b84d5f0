"""The recipe of Fashion-MNIST (docs/recipes/fashion-mnist.md) compared with the same recipe in PyTorch DDP."""
import re
from statistics import median

from harness.programs import output_of
from harness.tables import table


def fashion(bench):
    """Test accuracy and seconds of whole programs, with one seed per round."""
    program = bench.built.program("example_fashion_mnist")

    def ours(number):
        said = re.search(r"test accuracy ([0-9.]+) after ([0-9.]+) s", output_of([program, "--seed", number + 1]))
        return {"accuracy": float(said[1]), "seconds": float(said[2])}

    def ddp(number):
        found = bench.peer("ddp_fashion.py", "--seed", number + 1)
        return {"accuracy": found["accuracy"], "seconds": found["seconds"]}

    results = bench.alternate({"ours": ours, "ddp": ddp})
    rows = []
    for number, (our, their) in enumerate(zip(results["ours"], results["ddp"])):
        rows.append([number + 1, f"{our['accuracy']:.4f}", f"{their['accuracy']:.4f}", f"{our['seconds']:.0f} s",
                     f"{their['seconds']:.0f} s", f"{our['seconds'] / their['seconds']:.2f}x"])
    ratio = median(our["seconds"] / their["seconds"] for our, their in zip(results["ours"], results["ddp"]))
    rows.append(["median", "", "", "", "", f"{ratio:.2f}x"])
    table("Recipe of Fashion-MNIST, 10 epochs, 2 x batch 32, the whole program",
          ["seed", "Troupe, test accuracy", "DDP", "Troupe, time", "DDP", "ours against theirs"], rows)
