"""Training on one CUDA device compared with PyTorch: ResNet-50 on images of 224 x 224, and the reference CNN."""
import os
import re
from dataclasses import dataclass
from statistics import median

from harness.bench import PEERS, ROOT
from harness.machine import revision
from harness.memory import peak_device_memory
from harness.steps import steady, step_seconds
from harness.tables import percent, table

MISSING = "-"
MEMORY_STEPS = 3
MOST_SECONDS = 240  # per program; torch.compile takes a minute


@dataclass
class Sizes:
    model: str = "resnet50"
    image: int = 224
    batches: tuple = (64, 128, 256)
    tf32_batch: int = 128
    steps: int = 30  # the first is not in the medians
    epochs: int = 4  # of the reference CNN; the first is not in the medians


SMALL = Sizes("cnn-bn", 16, (2, 4), 2, 3, 2)  # to test the script


def cuda(bench):
    """Measures images per second, the time and bytes of copies, and memory. Needs a build with -DTROUPE_CUDA=ON
    (--build build/cuda), and PyTorch and torchvision with CUDA (--python). If a program fails, for example because a
    batch does not fit, its cell is a dash, and a note is printed."""
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # Troupe's order; PyTorch's default is fastest first
    bench.limit = MOST_SECONDS
    devices = attempt(bench, bench.troupe, "devices")
    if devices is None:
        bench.note("section cuda is skipped")
        return
    pci = re.search(r"cuda:0 .*?([0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+\.\d)", devices)
    print(f"\nTroupe {revision(ROOT)}\n\n```\n{devices}```")
    sizes = SMALL if bench.options.small else Sizes()
    ours = [cnn(bench, sizes), first_step(bench, sizes), resnet(bench, sizes, pci.group(1) if pci else "0")]
    bench.limit = None
    if not all(ours):
        bench.failed = True


def resnet(bench, sizes, pci):
    # The most important rows come first, and each row is printed immediately, because the time may run out.
    complete = True
    head = ["precision", "batch", "images/s", "PyTorch's", "ratio", "compiled", "its ratio", "waits for copies",
            "copy time hidden", "over the bus per step", "memory", "PyTorch's"]
    print_head(f"{sizes.model}, {sizes.image} x {sizes.image}, cuda:0", head)
    *smaller, largest = sizes.batches
    for precision, batch in [("bf16", largest), ("tf32", sizes.tf32_batch), *(("bf16", it) for it in reversed(smaller))]:
        row = resnet_row(bench, sizes, precision, batch, pci)
        complete = complete and row[2] != MISSING
        print("| " + " | ".join(row) + " |", flush=True)
    return complete


def print_head(title, head):
    print(f"\n### {title}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)


def resnet_row(bench, sizes, precision, batch, pci):
    ours, theirs = our_resnet(sizes, precision, batch), peer_resnet(sizes, precision, batch)
    compiled = precision == "bf16"
    runs = {"ours": lambda _: attempt(bench, train, bench, ours, batch),
            "theirs": lambda _: attempt(bench, train_peer, bench, theirs)}
    if compiled:
        runs["compiled"] = lambda _: attempt(bench, train_peer, bench, [*theirs, "--compile"])
    results = bench.alternate(runs)
    seconds, waiting, hidden, bytes_over_bus = medians(results["ours"], 4)
    their_seconds, = medians(results["theirs"], 1)
    compiled_seconds, = medians(results.get("compiled", []), 1)
    script, *arguments = [*theirs, "--steps", MEMORY_STEPS]
    memory = attempt(bench, peak_device_memory, [bench.built.troupe, "train", *ours, "--steps", MEMORY_STEPS], pci)
    their_memory = attempt(bench, peak_device_memory, [bench.options.python, PEERS / script, *arguments], pci)
    return [precision, str(batch), rate(batch, seconds), rate(batch, their_seconds), ratio(their_seconds, seconds),
            rate(batch, compiled_seconds), ratio(compiled_seconds, seconds), cell(waiting, percent),
            cell(hidden, percent), cell(bytes_over_bus, lambda it: f"{it / 1e6:.0f} MB"), cell(memory, gibibytes),
            cell(their_memory, gibibytes)]


def cnn(bench, sizes):
    """The reference CNN with batches of 64 and TensorFloat-32."""
    data = ROOT / "data" if (ROOT / "data").is_dir() else "/usr/share/datasets/fashion-mnist"
    results = bench.alternate({"ours": lambda _: attempt(bench, train_cnn, bench, data, sizes),
                               "theirs": lambda _: attempt(bench, train_peer_cnn, bench, data, sizes)})
    (mine,), (theirs,) = medians(results["ours"], 1), medians(results["theirs"], 1)
    table("Reference CNN, Fashion-MNIST, batch 64, tf32, cuda:0; the peer's images are on the device, ours are copied",
          ["images/s", "PyTorch's, eager", "ratio"], [[rate(1, mine), rate(1, theirs), ratio(theirs, mine)]])
    return mine is not None


def first_step(bench, sizes):
    """Compares the first step after warmup() with the next steps."""
    result = attempt(bench, bench.measure, "first-step", *network(sizes, "bf16", sizes.batches[0]))
    if result is not None:
        table("First step", ["warmup()", "first step after it", "the next, median", "ratio"],
              [[f"{result['warmup_seconds']:.3f} s", f"{result['first_seconds']:.4f} s",
                f"{result['step_seconds']:.4f} s", f"{result['ratio']:.2f}x"]])
    return result is not None


def attempt(bench, run, *arguments):
    """Returns the result of `run`, or None with a note if the program fails or is missing."""
    try:
        return run(*arguments)
    except (SystemExit, Exception) as failure:  # pylint: disable=broad-exception-caught
        bench.note(f"{run.__name__} failed: {type(failure).__name__}: {failure}")
        return None


def medians(results, count):
    """Returns the medians of `count` figures over the rounds that have results."""
    there = [result for result in results if result is not None]
    return [median(figure) for figure in zip(*there)] if there else [None] * count


def cell(figure, text):
    return MISSING if figure is None else text(figure)


def rate(images, seconds):
    return cell(seconds, lambda it: f"{images / it:.0f}")


def ratio(theirs, mine):
    return MISSING if theirs is None or mine is None else f"{theirs / mine:.2f}x"


def gibibytes(count):
    return f"{count / 2**30:.1f} GiB"


def numbers(precision):
    return ["--tf32"] if precision == "tf32" else ["--precision", precision]


def network(sizes, precision, batch):
    # Two batches of images, because a single batch would stay on the device, while the peer copies images in each step.
    return ["--model", sizes.model, "--data", f"mock-images:{sizes.image},1001,{2 * batch}", "--batch-size", batch,
            "--workers", 1, "--device", "cuda:0", *numbers(precision), "--no-precision-check"]


def our_resnet(sizes, precision, batch):
    return [*network(sizes, precision, batch), "--steps", sizes.steps, "--learning-rate", 1e-6, "--momentum", 0, "--quiet"]


def peer_resnet(sizes, precision, batch):
    return ["ddp_resnet.py", "--model", sizes.model, "--procs", 1, "--device", "cuda", "--size", sizes.image,
            *numbers(precision), "--batch-size", batch, "--steps", sizes.steps]


def train(bench, options, batch):
    """Returns the seconds per step, the share of a pass in which layers waited for copies, the share of copy time in
    which no layer waited, and the bytes over the bus."""
    _, steps = bench.train("in-process", *options, "--profile")
    samples = {step["samples"] for step in steps}
    if samples != {batch}:
        raise ValueError(f"steps are of {samples} images, not of {batch}")
    layers = bench.layer_times()
    waiting, copying = (seconds_of(layers[kind]) for kind in ("waiting for copies", "copies (concurrent)"))
    return (steady(steps, lambda step: step["seconds"]["step"]), waiting / seconds_of(layers["all"]),
            1 - waiting / copying if copying else 1, steady(steps, lambda step: step["bytes_over_bus"]))


def train_peer(bench, options):
    return (bench.peer(*options)["step_seconds"],)


def train_cnn(bench, data, sizes):
    """Returns the seconds per image, over whole epochs without the first."""
    _, steps = bench.train("in-process", "--model", "cnn", "--data", f"fashion-mnist:{data}", "--batch-size", 64,
                           "--workers", 1, "--device", "cuda:0", "--tf32", "--quiet", "--epochs", sizes.epochs)
    epoch = len(steps) // sizes.epochs
    return (median(step_seconds(part) / sum(step["samples"] for step in part)
                   for part in (steps[i:i + epoch] for i in range(epoch, len(steps), epoch))),)


def train_peer_cnn(bench, data, sizes):
    rates = bench.peer("ddp_cnn.py", "--procs", 1, "--device", "cuda", "--epochs", sizes.epochs, "--data",
                       data)["images_per_second"]
    return (1 / median(rates[1:]),)


def seconds_of(layer):
    return layer["forward_seconds"] + layer["backward_seconds"]
