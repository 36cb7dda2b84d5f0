"""The overhead of a user's training loop: collectives, reports, starts and steps within functions."""
import tempfile
from statistics import median

from harness.programs import has_module
from harness.tables import table
from sections.allreduce import by_size, milliseconds, rounds_of

RANKS = 4
FLOATS = (256, 262_144, 44_551_209)  # 1 KB, 1 MB, 178 MB


def trainer(bench):
    """Functions on worker processes compared with gloo, `troupe-bench allreduce`, DistributedSGD and Ray Train."""
    collectives(bench)
    runs(bench)
    steps(bench)


def private_sums(bench):
    return {floats: bench.measure("allreduce", "--parameters", floats, "--workers", RANKS, "--rounds",
                                  rounds_of(floats), "--placement", "processes",
                                  "--strategy", "sharded")["private_seconds"] for floats in FLOATS}


def collectives(bench):
    results = bench.alternate({
        "function": lambda _: by_size(bench.measure("trainer", "all-reduce", "--workers", RANKS)["sizes"]),
        "allreduce": lambda _: private_sums(bench),
        "gloo": lambda _: by_size(bench.peer_lines("gloo_allreduce.py", "--procs", RANKS, *FLOATS))})
    rows = []
    for floats in FLOATS:
        ours, step, gloo = (median(result[floats] for result in results[name]) for name in results)
        rows.append([f"{4 * floats:,}", *map(milliseconds, (ours, step, gloo)), f"{step / ours:.2f}",
                     f"{gloo / ours:.2f}"])
    table(f"all_reduce within a function, private vectors of {RANKS} processes; milliseconds, and times faster",
          ["bytes", "Troupe, function", "Troupe, a step with private copies", "gloo", "against the step",
           "against gloo"], rows)


def ray_start(bench):
    with tempfile.TemporaryDirectory() as folder:
        result = bench.peer_lines("ray_train_start.py", "--procs", RANKS, folder, torch=False)[-1]
    bench.versions["Ray"] = result["ray"]
    return result


def runs(bench):
    measured = {"start": lambda _: bench.measure("trainer", "start", "--workers", RANKS),
                "report": lambda _: bench.measure("trainer", "report", "--workers", RANKS)}
    if has_module(bench.options.python, "ray.train"):
        measured["Ray Train"] = lambda _: ray_start(bench)
    results = bench.alternate(measured)

    def of(name, figure):
        return f"{median(result[figure] for result in results[name]) * 1e3:.3g} ms" if name in results else "missing"

    table(f"Runs of functions on {RANKS} worker processes",
          ["", "Troupe", "Ray Train"],
          [["until the function runs on all", of("start", "start_seconds"), of("Ray Train", "start_seconds")],
           ["a second run", of("start", "again_seconds"), of("Ray Train", "again_seconds")],
           ["a report of 5 metrics by each, one of 10,000", of("report", "seconds"), "-"]])


def steps(bench):
    rows = []
    for model in ("cnn", "cnn-bn"):
        result = bench.measure("trainer", "step", "--workers", 2, "--model", model, "--rounds",
                               2 * bench.options.rounds + 1)
        rows.append([model, *map(milliseconds, (result["seconds"], result["driver_seconds"])),
                     f"{result['driver_seconds'] / result['seconds']:.2f}"])
    table("A step on 2 worker processes, 128 samples each; milliseconds",
          ["model", "Optimizer::step in a function", "DistributedSGD::step", "times faster"], rows)
