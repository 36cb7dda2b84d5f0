"""The duration of checkpoints, and their effect on steps."""
import shutil
from statistics import median

from harness.tables import table

EVERY = 20
STEPS = 3 * EVERY + 1  # the first step is slower
RESNET = ("--model", "tfbench", "--workers", 2, "--devices-per-worker", 2, "--optimizer", "adam", "--quiet")


def seconds_of(step):
    """Returns the seconds of one call of step(), including its work for a checkpoint."""
    return step["seconds"]["step"] + step["checkpoint"]["seconds"]


def resnet(bench, placement, *arguments):
    """Returns the seconds of all steps except the first, and of the steps that overlap with a checkpoint."""
    _, steps = bench.train(placement, *RESNET, "--steps", STEPS, *arguments)
    overlap = [seconds_of(step) for before, step in zip(steps, steps[1:])
               if before["checkpoint"]["writing"] or step["checkpoint"]["writing"]]
    return {"seconds": [seconds_of(step) for step in steps[1:]], "overlap": overlap,
            "skipped": steps[-1]["checkpoint"]["skipped"]}


def with_checkpoints(bench, placement):
    def run(_):
        folder = bench.folder / "run"
        result = resnet(bench, placement, "--checkpoint", folder, "--checkpoint-every", EVERY, "--keep", 1)
        shutil.rmtree(folder)
        return result
    return run


def checkpoint(bench):
    """ResNet-101 with Adam and a checkpoint every 20 steps, and a single checkpoint of the same size."""
    results = bench.alternate({"without": lambda _: resnet(bench, "processes"),
                               "with": with_checkpoints(bench, "processes"),
                               "alone": lambda _: bench.measure("checkpoint", "--rounds", 3, "--folder", bench.folder)})
    without = median(sum(result["seconds"]) for result in results["without"])
    rows = []
    for name in ("without", "with"):
        steps = [seconds for result in results[name] for seconds in result["seconds"]]
        slowest = median(max(result["overlap"] or result["seconds"]) / median(result["seconds"])
                         for result in results[name])
        total = median(sum(result["seconds"]) for result in results[name])
        skipped = sum(result["skipped"] for result in results[name])
        rows.append([f"{name} checkpoints", f"{median(steps):.3f}", f"{slowest:.2f}x", f"{without / total:.3f}x",
                     f"{skipped}"])
    table(f"ResNet-101 with Adam, 2 processes x 2 devices, a checkpoint every {EVERY} steps",
          ["", "median step, s", "slowest step during a checkpoint, against the median", "throughput", "skipped"], rows)
    alone = {key: median(result[key] for result in results["alone"]) for key in
             ("seconds", "dd_seconds", "ratio", "resume_seconds", "read_seconds", "start_seconds", "resume_ratio")}
    table("A checkpoint of 535 MB, 4 processes", ["work", "ours, s", "floor, s", "ratio"],
          [["write it, dd conv=fsync", f"{alone['seconds']:.3f}", f"{alone['dd_seconds']:.3f}",
            f"{alone['ratio']:.2f}x"],
           ["resume until the first step, read the bytes and start", f"{alone['resume_seconds']:.3f}",
            f"{alone['read_seconds']:.3f} + {alone['start_seconds']:.3f}", f"{alone['resume_ratio']:.2f}x"]])
