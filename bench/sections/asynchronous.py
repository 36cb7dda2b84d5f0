"""Asynchronous algorithms compared with synchronous SGD. We know no C++ peer with such algorithms."""
import re
from statistics import median

from harness.bench import PLACEMENTS
from harness.steps import step_seconds
from harness.tables import table

CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", 4, "--batch-size", 64)
STEPS = 120
# Stale gradients act like momentum (Mitliagkas et al. 2016), so the momentum is 0. This learning rate has the same
# effect as 0.05 with a momentum of 0.9.
ON_OWN_CLOCKS = ("--learning-rate", 0.5, "--momentum", 0)
SYNCHRONOUS = ON_OWN_CLOCKS
SSP = ("--algorithm", "ssp", "--staleness", 8, *ON_OWN_CLOCKS)
DOWNPOUR = ("--algorithm", "downpour", *ON_OWN_CLOCKS)
ALGORITHMS = {"synchronous": SYNCHRONOUS, "ssp": SSP, "downpour": DOWNPOUR}
LINEAR = ("--model", "linear", "--data", "synthetic-linear", "--batch-size", 0, "--workers", 4, "--learning-rate", 0.001,
          "--momentum", 0, "--steps", 5000)


def rate_of(steps):
    """Returns samples per second, without the first steps, which include the start."""
    return sum(step["samples"] for step in steps[10:]) / step_seconds(steps[10:])


def slowed(bench, algorithm, fault):
    def run(number):
        _, steps = bench.train("processes", *CNN, *algorithm, "--steps", STEPS, "--fault",
                               fault.format(seed=number + 1), "--quiet")
        return {"rate": rate_of(steps),
                "largest": max(step["asynchronous"]["staleness"]["largest"] for step in steps)}
    return run


def slow_workers(bench):
    """A fault plan stops the process of the slow worker four fifths of the time."""
    cases = {"another random worker in each step": f"random slow 5x of steps 1-{STEPS} seed {{seed}}",
             "always the same worker": "slow 5x worker 1 at step 1"}
    rows = []
    for case, fault in cases.items():
        runs = {name: slowed(bench, algorithm, fault) for name, algorithm in ALGORITHMS.items()}
        results = bench.alternate(runs)
        usual = median(result["rate"] for result in results["synchronous"])
        for name in ALGORITHMS:
            rate = median(result["rate"] for result in results[name])
            largest = max(result["largest"] for result in results[name])
            rows.append([case, name, f"{rate:.0f}", f"{rate / usual:.2f}x", largest])
    table(f"Reference CNN, 4 worker processes x batch 64, one 5 times slower, {STEPS} steps",
          ["slow worker", "algorithm", "images/s", "against synchronous", "largest staleness, pushes"], rows)


def learning(bench):
    """Test accuracy after three epochs, with the same rule for all algorithms and with a usual synchronous setting."""
    sides = {**ALGORITHMS, "synchronous, momentum 0.9": ("--learning-rate", 0.05, "--momentum", 0.9)}
    rows = []
    for seed in (1, 2, 3):
        found = []
        for algorithm in sides.values():
            text, _ = bench.train("in-process", *CNN, *algorithm, "--epochs", 3, "--seed", seed)
            found.append(float(re.findall(r"test accuracy:? ([0-9.]+)", text)[-1]))
        bench.note(f"seed {seed}: {found}")
        rows.append([seed, *(f"{each:.4f}" for each in found)])
    table("Test accuracy of the reference CNN, 4 workers, 3 epochs", ["seed", *sides], rows)


def small_steps(bench):
    """Gradients applied per second when a step is so short that communication dominates."""
    sides = {"synchronous": (), "downpour, each step": ("--algorithm", "downpour"),
             "downpour, every 10": ("--algorithm", "downpour", "--push-every", 10, "--fetch-every", 10)}

    def ours(placement, options):
        def run(_):
            _, steps = bench.train(placement, *LINEAR, *options, "--quiet")
            steps = steps[100:]
            return {"rate": 4 * len(steps) / step_seconds(steps),
                    "bytes": sum(step["asynchronous"][way] for step in steps for way in ("bytes_fetched", "bytes_pushed"))}
        return run

    rows = []
    for placement in PLACEMENTS:
        results = bench.alternate({name: ours(placement, options) for name, options in sides.items()})
        usual = median(result["rate"] for result in results["synchronous"])
        for name in sides:
            rate = median(result["rate"] for result in results[name])
            rows.append([placement, name, f"{rate:.0f}", f"{rate / usual:.2f}x",
                         f"{median(result['bytes'] for result in results[name]):.0f}"])
    table("Linear regression, 4 workers, 5000 steps", ["", "algorithm", "gradients/s", "against synchronous",
                                                       "bytes pushed and fetched"], rows)


def asynchronous(bench):
    slow_workers(bench)
    small_steps(bench)
    learning(bench)
