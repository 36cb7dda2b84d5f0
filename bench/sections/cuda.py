"""ResNet-50 on images of 224 x 224 in bfloat16 on one CUDA device, against PyTorch, channels last under autocast."""
from statistics import median

from harness.steps import steady
from harness.tables import table

STEPS = 30  # of which the first is not in the medians
BATCHES = (64, 128, 256)


def cuda(bench):
    """Images a second; a build with -DTROUPE_CUDA=ON (--build build/cuda) and a PyTorch with CUDA (--python)."""
    try:
        bench.note(bench.troupe("devices"))
    except SystemExit as failure:
        bench.note(f"cuda is skipped: {failure}")
        return
    rows = []
    for batch in BATCHES:
        results = bench.alternate({"ours": ours(bench, batch), "theirs": theirs(bench, batch)})
        rate, their_rate = (batch / median(results[name]) for name in ("ours", "theirs"))
        rows.append([batch, f"{rate:.0f}", f"{their_rate:.0f}", f"{rate / their_rate:.2f}x"])
    table("ResNet-50, 224 x 224, bf16, one device: images a second", ["batch", "Troupe", "PyTorch", "ratio"], rows)


def ours(bench, batch):
    def run(_):
        _, steps = bench.train("in-process", "--model", "resnet50", "--data", "mock-images:224,1001", "--device", "cuda:0",
                               "--precision", "bf16", "--batch-size", batch, "--steps", STEPS, "--learning-rate", 1e-6,
                               "--quiet")
        return steady(steps, lambda step: step["seconds"]["step"])
    return run


def theirs(bench, batch):
    def run(_):
        return bench.peer("ddp_resnet.py", "--model", "resnet50", "--procs", 1, "--device", "cuda", "--precision", "bf16",
                          "--batch-size", batch, "--steps", STEPS)["step_seconds"]
    return run
