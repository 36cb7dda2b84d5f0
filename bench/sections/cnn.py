"""The reference CNN on Fashion-MNIST compared with PyTorch DDP."""
import re
import sys
from statistics import median

from harness.bench import PLACEMENTS
from harness.steps import phases_off, step_seconds
from harness.tables import percent, table

CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", 2, "--batch-size", 64, "--learning-rate", 0.05,
       "--momentum", 0.9)
DDP_CNN = ("--procs", 2, "--batch-size", 64, "--learning-rate", 0.05, "--momentum", 0.9)


def ours(bench, placement):
    def run(number):
        _, steps = bench.train(placement, *CNN, "--epochs", 1, "--seed", number + 1, "--quiet")
        images = sum(step["samples"] for step in steps)
        return {"rate": images / step_seconds(steps), "off": phases_off(steps), "images": images,
                "copied": median(step["bytes_copied"] for step in steps)}
    return run


def cnn(bench):
    """Images per second over one epoch."""
    def ddp(number):
        return {"rate": bench.peer("ddp_cnn.py", *DDP_CNN, "--seed", number + 1)["images_per_second"][0]}

    results = bench.alternate({**{placement: ours(bench, placement) for placement in PLACEMENTS}, "ddp": ddp})
    theirs = median(result["rate"] for result in results["ddp"])
    rows = [["PyTorch DDP, gloo, 2 processes", f"{theirs:.0f}", "1.0x", "", ""]]
    for placement in PLACEMENTS:
        rate = median(result["rate"] for result in results[placement])
        off = max(result["off"] for result in results[placement])
        copied = results[placement][0]["copied"]
        rows.append([f"Troupe, 2 workers, {placement}", f"{rate:.0f}", f"{rate / theirs:.2f}x", percent(off),
                     f"{copied:.0f}"])
    table("Reference CNN, Fashion-MNIST, 2 x batch 64, one epoch",
          ["", "images/s", "against DDP", "step not in phases", "gradient bytes copied per step"], rows)


def accuracies(text, epochs):
    """Returns the accuracy after each epoch. The command prints one line per epoch and repeats the last at the end."""
    found = [float(number) for number in re.findall(r"test accuracy:? ([0-9.]+)", text)]
    if len(found) not in (epochs, epochs + 1):
        sys.exit(f"troupe train printed {len(found)} accuracies in {epochs} epochs:\n{text}")
    return found[:epochs]


def accuracy(bench):
    """Test accuracy after two epochs and the best of all epochs, for three seeds."""
    epochs = bench.options.accuracy_epochs
    rows = []
    for seed in (1, 2, 3):
        text, _ = bench.train("in-process", *CNN, "--epochs", epochs, "--seed", seed)
        ours = accuracies(text, epochs)
        theirs = bench.peer("ddp_cnn.py", *DDP_CNN, "--epochs", epochs, "--seed", seed)["accuracy"]
        bench.note(f"seed {seed}: ours {ours}, DDP {theirs}")
        rows.append([seed, f"{ours[min(1, epochs - 1)]:.4f}", f"{theirs[min(1, epochs - 1)]:.4f}",
                     f"{max(ours):.4f}", f"{max(theirs):.4f}", f"{max(ours) - max(theirs):+.4f}"])
    table("Test accuracy of the reference CNN",
          ["seed", "Troupe, 2 epochs", "DDP, 2 epochs", f"Troupe, best of {epochs}", f"DDP, best of {epochs}",
           "difference of the best"], rows)
