"""Local SGD compared with synchronous SGD: speed over a slow network, and accuracy."""
import re
import sys
from statistics import median

from harness.cluster import Cluster
from harness.programs import last_json
from harness.steps import step_seconds
from harness.tables import table

CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", 4, "--batch-size", 64, "--learning-rate", 0.05,
       "--momentum", 0.9)
LOCAL = ("--algorithm", "local", "--local-steps", 8)
WANTED = 0.88
EPOCHS = 3
LOOK = 40  # steps between two evaluations, a multiple of 8


def slow_network(bench):
    """Seconds of steps until the weights have the wanted accuracy. Checkpoints every LOOK steps are evaluated
    afterwards."""
    cluster = Cluster(bench, 4, "100mbit")

    def run(*options):
        def one(number):
            folder = bench.folder / f"looks-{number}-{len(options)}"
            steps = cluster.train(*CNN, *options, "--epochs", EPOCHS, "--seed", number + 1, "--checkpoint", folder,
                                  "--checkpoint-every", LOOK, "--keep", 1000)
            for checkpoint in sorted(folder.glob("step-*")):
                found = last_json(bench.troupe("evaluate", "--json", "--model", "cnn", "--data", "fashion-mnist",
                                               "--load", checkpoint / "weights.safetensors"))
                if found["accuracy"] >= WANTED:
                    last = int(checkpoint.name.removeprefix("step-"))
                    made = [step for step in steps if step["step"] <= last]
                    return {"seconds": step_seconds(made), "bytes": sum(step["bytes_sent"] for step in made),
                            "steps": last}
            sys.exit(f"no test accuracy of {WANTED} in {EPOCHS} epochs")
        return one

    runs = {"synchronous, hierarchical": run(), "local, 8 steps": run(*LOCAL)}
    results = bench.alternate(runs)
    usual = median(result["seconds"] for result in results["synchronous, hierarchical"])
    rows = []
    for name in runs:
        seconds, sent, steps = (median(result[what] for result in results[name])
                                for what in ("seconds", "bytes", "steps"))
        rows.append([name, f"{seconds:.1f}", f"{seconds / usual:.2f}x", f"{sent / 1e6:.0f} MB", f"{steps:.0f}"])
    table(f"Reference CNN over {cluster}, 4 workers x batch 64, to a test accuracy of {WANTED}, evaluated every {LOOK} "
          "steps", ["", "seconds", "against synchronous", "sent between nodes", "steps"], rows)


def learning(bench):
    """Test accuracy after three epochs."""
    sides = {"synchronous": (), "local, 8 steps": LOCAL}
    rows = []
    for seed in (1, 2, 3):
        found = []
        for options in sides.values():
            text, steps = bench.train("in-process", *CNN, *options, "--epochs", 3, "--seed", seed)
            found += [re.findall(r"test accuracy:? ([0-9.]+)", text)[-1], f"{step_seconds(steps):.0f}"]
        bench.note(f"seed {seed}: {found}")
        rows.append([seed, *found])
    table("Test accuracy of the reference CNN, 4 shards x batch 64, after 3 epochs",
          ["seed", *(cell for name in sides for cell in (name, "seconds"))], rows)


def local(bench):
    slow_network(bench)
    learning(bench)
