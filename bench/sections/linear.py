"""Full-shard linear regression compared with PyTorch DDP."""
import json
import struct
import sys
from statistics import median

from harness.bench import PLACEMENTS
from harness.steps import phases_off, step_seconds
from harness.tables import percent, table

COEFFICIENTS = (5.0, 3.0, 2.0, 1.0)
STEPS = 2000
LINEAR = ("--model", "linear", "--data", "synthetic-linear", "--batch-size", 0, "--learning-rate", 0.01)


def read_weights(path):
    """Returns all floats of a safetensors file, in the order of the file."""
    content = path.read_bytes()
    length = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + length])
    tensors = [tensor for name, tensor in header.items() if name != "__metadata__"]
    if any(tensor["dtype"] != "F32" for tensor in tensors):
        sys.exit(f"{path}: expected tensors of type F32 only")
    return [number for (number,) in struct.iter_unpack("<f", content[8 + length:])]


def coefficient_error(coefficients):
    if len(coefficients) != len(COEFFICIENTS):
        sys.exit(f"expected {len(COEFFICIENTS)} coefficients, got {coefficients}")
    return max(abs(got - wanted) for got, wanted in zip(coefficients, COEFFICIENTS))


def ours(bench, placement):
    def run(_):
        saved = bench.folder / "linear.safetensors"
        _, steps = bench.train(placement, *LINEAR, "--workers", 4, "--steps", STEPS, "--quiet", "--save", saved)
        return {"rate": len(steps) / step_seconds(steps), "error": coefficient_error(read_weights(saved)),
                "off": phases_off(steps)}
    return run


def linear(bench):
    """Steps per second."""
    def ddp(_):
        result = bench.peer("ddp_linear.py", "--procs", 4, "--steps", STEPS, "--learning-rate", 0.01)
        return {"rate": result["steps_per_second"], "error": coefficient_error(result["coefficients"])}

    results = bench.alternate({**{placement: ours(bench, placement) for placement in PLACEMENTS}, "ddp": ddp})
    theirs = median(result["rate"] for result in results["ddp"])
    rows = []
    labels = {"ddp": "PyTorch DDP, gloo, 4 processes", **{name: f"Troupe, 4 workers, {name}" for name in PLACEMENTS}}
    for name, label in labels.items():
        rate = median(result["rate"] for result in results[name])
        off = percent(max(result["off"] for result in results[name])) if name != "ddp" else ""
        error = max(result["error"] for result in results[name])
        rows.append([label, f"{rate:.0f}", f"{rate / theirs:.1f}x", f"{error:.5f}", off])
    table(f"Linear regression, 1000 x 4, 250 rows a shard, {STEPS} steps",
          ["", "steps/s", "against DDP", "largest error of a coefficient", "step not in phases"], rows)
