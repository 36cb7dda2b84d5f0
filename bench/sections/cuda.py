"""ResNet-50 on images of 224 x 224 in bfloat16 on one CUDA device, against PyTorch, channels last under autocast."""
import os
from statistics import median

from harness.bench import PEERS
from harness.memory import peak_device_memory
from harness.steps import steady
from harness.tables import percent, table

STEPS = 30  # of which the first is not in the medians
BATCHES = (64, 128, 256)


def cuda(bench):
    """Images a second, the time and bytes of copies, and memory; a build with -DTROUPE_CUDA=ON (--build build/cuda) and a
    PyTorch with CUDA (--python)."""
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as ours and nvidia-smi's are; PyTorch's begin with the fastest
    try:
        devices = bench.troupe("devices")
    except SystemExit as failure:
        bench.note(f"cuda is skipped: {failure}")
        return
    rows = []
    for batch in BATCHES:
        results = bench.alternate({"ours": lambda _, batch=batch: train(bench, batch),
                                   "theirs": lambda _, batch=batch: bench.peer(*peer(batch))["step_seconds"]})
        seconds, waiting, hidden, bytes_over_bus = (median(each) for each in zip(*results["ours"]))
        rate, their_rate = batch / seconds, batch / median(results["theirs"])
        memory = peak_device_memory([bench.built.troupe, "train", *ours(batch)])
        script, *arguments = peer(batch)
        their_memory = peak_device_memory([bench.options.python, PEERS / script, *arguments])
        rows.append([batch, f"{rate:.0f}", f"{their_rate:.0f}", f"{rate / their_rate:.2f}x", percent(waiting),
                     percent(hidden), f"{bytes_over_bus / 1e6:.0f} MB", f"{memory / 2**30:.1f} GiB",
                     f"{their_memory / 2**30:.1f} GiB"])
    print(f"\n```\n{devices}```")
    table("ResNet-50, 224 x 224, bf16, cuda:0",
          ["batch", "images/s", "PyTorch's", "ratio", "waits for copies", "of copies hidden", "over the bus a step",
           "memory", "PyTorch's"], rows)


def ours(batch):
    return ["--model", "resnet50", "--data", "mock-images:224,1001", "--device", "cuda:0", "--precision", "bf16",
            "--batch-size", batch, "--steps", STEPS, "--learning-rate", 1e-6, "--quiet"]


def peer(batch):
    return ["ddp_resnet.py", "--model", "resnet50", "--procs", 1, "--device", "cuda", "--precision", "bf16",
            "--batch-size", batch, "--steps", STEPS]


def train(bench, batch):
    """Seconds of a step, the share of a pass in which layers waited for copies, that of the copies' time in which they
    did not, and bytes."""
    _, steps = bench.train("in-process", *ours(batch), "--profile")
    layers = bench.layer_times()
    waiting, copying = (seconds_of(layers[kind]) for kind in ("waiting for copies", "copies, beside these"))
    return (steady(steps, lambda step: step["seconds"]["step"]), waiting / seconds_of(layers["all"]),
            1 - waiting / copying, steady(steps, lambda step: step["bytes_over_bus"]))


def seconds_of(layer):
    return layer["forward_seconds"] + layer["backward_seconds"]
