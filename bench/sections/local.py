"""Local SGD against synchronous SGD: over a slow network, and what it learns."""
import json
import re
from statistics import median

from harness.cluster import Cluster
from harness.steps import step_seconds
from harness.tables import table

CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", 4, "--batch-size", 64, "--learning-rate", 0.05,
       "--momentum", 0.9)
LOCAL = ("--algorithm", "local", "--local-steps", 8)
WANTED = 0.88
EPOCHS = 4


def slow_network(bench):
    """Seconds of steps until an epoch ends with the accuracy that is wanted, evaluations aside."""
    cluster = Cluster(bench, 4, "100mbit")

    def run(*options):
        def one(number):
            cluster.train(*CNN, *options, "--epochs", EPOCHS, "--seed", number + 1)
            seconds = sent = 0
            with (bench.folder / "cluster.jsonl").open() as lines:
                for line in map(json.loads, lines):
                    if "epoch" in line and line["test"]["accuracy"] >= WANTED:
                        return {"seconds": seconds, "bytes": sent, "epochs": line["epoch"]}
                    if next(iter(line)) == "step":
                        seconds += line["seconds"]["step"]
                        sent += line["bytes_sent"]
            return {"seconds": float("inf"), "bytes": sent, "epochs": EPOCHS}
        return one

    runs = {"synchronous, hierarchical": run(), "local, 8 steps": run(*LOCAL)}
    results = bench.alternate(runs)
    usual = median(result["seconds"] for result in results["synchronous, hierarchical"])
    rows = []
    for name in runs:
        seconds, sent, epochs = (median(result[what] for result in results[name])
                                 for what in ("seconds", "bytes", "epochs"))
        rows.append([name, f"{seconds:.1f}", f"{seconds / usual:.2f}x", f"{sent / 1e6:.0f} MB", f"{epochs:.0f}"])
    table(f"Reference CNN over {cluster}, 4 workers x batch 64, to a test accuracy of {WANTED}",
          ["", "seconds", "against synchronous", "sent between nodes", "epochs"], rows)


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
