"""ResNet-50 on images of 224 x 224 in bfloat16 on one CUDA device, against PyTorch, channels last under autocast."""
import os
import re
from statistics import median

from harness.bench import PEERS
from harness.memory import peak_device_memory
from harness.steps import steady
from harness.tables import percent, table

STEPS = 30  # of which the first is not in the medians
BATCHES = (64, 128, 256)
MISSING = "-"


def cuda(bench):
    """Images a second, the time and bytes of copies, and memory; a build with -DTROUPE_CUDA=ON (--build build/cuda) and a
    PyTorch and torchvision with CUDA (--python). What fails, as a batch that has no room, is a dash and a note."""
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as ours are; PyTorch's begin with the fastest
    devices = attempt(bench, bench.troupe, "devices")
    if devices is None:
        bench.note("cuda is skipped")
        return
    pci = re.search(r"cuda:0 .*?([0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+\.\d)", devices).group(1)
    rows = [row(bench, batch, pci) for batch in BATCHES]
    print(f"\n```\n{devices}```")
    table("ResNet-50, 224 x 224, bf16, cuda:0",
          ["batch", "images/s", "PyTorch's", "ratio", "waits for copies", "of copies hidden", "over the bus a step",
           "memory", "PyTorch's"], rows)


def row(bench, batch, pci):
    results = bench.alternate({"ours": lambda _: attempt(bench, train, bench, batch),
                               "theirs": lambda _: attempt(bench, train_peer, bench, batch)})
    seconds, waiting, hidden, bytes_over_bus = medians(results["ours"], 4)
    their_seconds, = medians(results["theirs"], 1)
    script, *arguments = peer(batch)
    memory = attempt(bench, peak_device_memory, [bench.built.troupe, "train", *ours(batch)], pci)
    their_memory = attempt(bench, peak_device_memory, [bench.options.python, PEERS / script, *arguments], pci)
    both = seconds is not None and their_seconds is not None
    return [batch, cell(seconds, lambda it: f"{batch / it:.0f}"), cell(their_seconds, lambda it: f"{batch / it:.0f}"),
            f"{their_seconds / seconds:.2f}x" if both else MISSING, cell(waiting, percent), cell(hidden, percent),
            cell(bytes_over_bus, lambda it: f"{it / 1e6:.0f} MB"), cell(memory, gibibytes), cell(their_memory, gibibytes)]


def attempt(bench, run, *arguments):
    """What it gives; nothing, and a note, where a program of it fails or is missing."""
    try:
        return run(*arguments)
    except (SystemExit, OSError, ValueError) as failure:
        bench.note(f"{run.__name__} failed: {failure}")
        return None


def medians(results, count):
    """Of each of `count` figures, over the rounds that have them."""
    there = [result for result in results if result is not None]
    return [median(figure) for figure in zip(*there)] if there else [None] * count


def cell(figure, text):
    return MISSING if figure is None else text(figure)


def gibibytes(count):
    return f"{count / 2**30:.1f} GiB"


def ours(batch):
    # As many images as a batch has, which is the whole shard: so they stay where they are, as the peer's do.
    return ["--model", "resnet50", "--data", f"mock-images:224,1001,{batch}", "--batch-size", 0, "--device", "cuda:0",
            "--precision", "bf16", "--steps", STEPS, "--learning-rate", 1e-6, "--quiet"]


def peer(batch):
    return ["ddp_resnet.py", "--model", "resnet50", "--procs", 1, "--device", "cuda", "--precision", "bf16",
            "--batch-size", batch, "--steps", STEPS]


def train(bench, batch):
    """Seconds of a step, the share of a pass in which layers waited for copies, that of the copies' time in which they
    did not, and bytes."""
    _, steps = bench.train("in-process", *ours(batch), "--profile")
    samples = {step["samples"] for step in steps}
    if samples != {batch}:
        raise ValueError(f"steps are of {samples} images, not of {batch}")
    layers = bench.layer_times()
    waiting, copying = (seconds_of(layers[kind]) for kind in ("waiting for copies", "copies, beside these"))
    return (steady(steps, lambda step: step["seconds"]["step"]), waiting / seconds_of(layers["all"]),
            1 - waiting / copying, steady(steps, lambda step: step["bytes_over_bus"]))


def train_peer(bench, batch):
    return (bench.peer(*peer(batch))["step_seconds"],)


def seconds_of(layer):
    return layer["forward_seconds"] + layer["backward_seconds"]
