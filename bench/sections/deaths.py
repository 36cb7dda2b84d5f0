"""One of four workers is killed during a run of the reference CNN."""
import array
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from harness.bench import PEERS
from harness.programs import all_json, check, output_of
from harness.tables import table

WORKERS, STEPS, KILL_AT, SNAPSHOT_EVERY = 4, 200, 50, 20
CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", WORKERS, "--batch-size", 64, "--learning-rate", 0.05,
       "--momentum", 0.9, "--steps", STEPS)


def weights_of(path):
    """Returns all numbers of a safetensors file."""
    content = path.read_bytes()
    return array.array("f", content[8 + struct.unpack_from("<Q", content)[0]:])


def seconds_lost(times):
    """Returns the time from the step before the death until the next step is done, minus the time of a usual step.
    `times` has pairs (step, end time) and includes repeated steps."""
    usual = median(later - earlier for (_, earlier), (_, later) in zip(times, times[1:]))
    before = next(at for step, at in times if step == KILL_AT - 1)
    after = [at for step, at in times if step == KILL_AT][-1]
    return after - before - usual


def result_of(times, weights):
    return {"lost": seconds_lost(times), "again": len(times) - STEPS, "weights": weights}


def ours(bench, fault):
    """Times each step when its line is printed."""
    def run(_):
        weights = bench.folder / "ours.safetensors"
        command = [bench.built.troupe, "train", "--placement", "processes", *CNN, "--verbose", "--save", weights,
                   *(("--fault", f"kill worker 1 at step {KILL_AT} phase compute") if fault else ())]
        times = []
        with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as program:
            for line in program.stdout:
                if found := re.match(r"step (\d+), loss", line):
                    times.append((int(found.group(1)), time.time()))
        check(map(str, command), program.returncode, "")
        return result_of(times, weights_of(weights))
    return run


def theirs(bench, fault):
    """torchrun checks for deaths every 0.1 s instead of every 5 s. The options for output are set because the default
    of PyTorch 1.13 fails under Python 3.11."""
    def run(_):
        with tempfile.TemporaryDirectory() as folder:
            output_of([bench.options.python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node",
                              WORKERS, "--max_restarts", 3, "--monitor_interval", 0.1, "--redirects", 1, "--tee", 1,
                              "--log_dir", f"{folder}/log", PEERS / "ddp_cnn_restart.py",
                              "--folder", folder, "--steps", STEPS, "--snapshot-every", SNAPSHOT_EVERY,
                              *(("--kill-at", KILL_AT) if fault else ())])
            bench.note_torch(all_json((Path(folder) / "versions.json").read_text())[0])
            steps = all_json((Path(folder) / "steps.jsonl").read_text())
            return result_of([(step["step"], step["at"]) for step in steps],
                             weights_of(Path(folder) / "weights.safetensors"))
    return run


def short(run):
    """Moves the weights out of the results."""
    kept = []

    def shortened(number):
        result = run(number)
        kept.append(result.pop("weights"))
        return result
    return shortened, kept


def deaths(bench):
    """Seconds and steps lost, and the effect on the weights."""
    sides = {"Troupe, 4 worker processes": ours, "PyTorch DDP, torchrun --max-restarts, snapshot every 20": theirs}
    rows = []
    runs, weights = {}, {}
    for name, side in sides.items():
        for fault in (False, True):
            runs[name, fault], weights[name, fault] = short(side(bench, fault))
    results = bench.alternate(runs)
    for name in sides:
        killed = results[name, True]
        calm = weights[name, False][0]
        if any(other != calm for other in weights[name, False]):
            print(f"{name}: undisturbed runs differ from each other", file=sys.stderr)
        off = max(abs(a - b) for run in weights[name, True] for a, b in zip(run, calm))
        rows.append([name, f"{median(result['lost'] for result in killed):.3f}",
                     f"{median(result['again'] for result in killed):.0f}", f"{off:.2g}"])
    table(f"The reference CNN, {STEPS} steps, one of {WORKERS} workers killed in step {KILL_AT}",
          ["", "seconds lost", "repeated steps", "largest difference of a weight from the undisturbed run"], rows)
