"""A GPT on the characters of the King James Bible compared with nanoGPT's network in PyTorch."""
import re
import shutil
import sys
from statistics import median

from harness.programs import output_of
from harness.steps import steady
from harness.tables import table

SIZES = {"layers": 4, "heads": 4, "width": 128, "window": 128}
BATCH = 16
STEPS = 40  # of a measurement of speed
RECIPE = 2000  # steps of a measurement of the loss
WORKERS = 2
VALIDATION = 400_000  # last characters of the text
WAYS = {"DDP, 2 processes": ["--procs", 2], "1 process, 2 threads": ["--procs", 1, "--threads", 2]}
# Each way as it comes, with torch.compile, and both with the fused AdamW and glibc tuned to keep freed memory.
PEERS = {f"{name}{', torch.compile' if compiled else ''}{', tuned' if tuned else ''}":
         (way + ["--compile"] * compiled + ["--fused"] * tuned, tuned)
         for name, way in WAYS.items() for compiled in (False, True) for tuned in (False, True)}


def texts(bench):
    """Writes the training and the validation text, and returns their names. Returns nothing without Debian's package
    bible-kjv."""
    bible = shutil.which("bible")
    if bible is None:
        bench.note("gpt: skipped: install Debian's package bible-kjv")
        return None
    text = output_of([bible, "-f", "-l200", "gen1:1-rev22:21"])
    training, validation = bench.folder / "kjv-train.txt", bench.folder / "kjv-validation.txt"
    training.write_text(text[:-VALIDATION], encoding="utf-8")
    validation.write_text(text[-VALIDATION:], encoding="utf-8")
    return training, validation


def network():
    return [part for name, value in SIZES.items() for part in ("--model-option", f"{name}={value}")]


def common(training, steps):
    return ["--model", "gpt", *network(), "--data", f"text:{training},predict=each,stride=1", "--workers", WORKERS,
            "--batch-size", BATCH, "--steps", steps, "--optimizer", "adamw", "--learning-rate", 0.001,
            "--weight-decay", 0.1, "--group", "*:dimensions=1,weight_decay=0", "--clip-norm", 1,
            "--warmup-steps", 100, "--schedule", "cosine", "--quiet"]


def sizes_of_peer():
    return [part for name, value in SIZES.items() for part in (f"--{name}", value)]


def gpt(bench):
    """Tokens per second, then the validation loss after 2,000 steps for three seeds."""
    found = texts(bench)
    if found is None:
        return
    speed(bench, found[0])
    loss(bench, *found)


def speed(bench, training):
    def ours(placement):
        def run(number):
            _, steps = bench.train(placement, *common(training, STEPS), "--seed", number + 1)
            return steady(steps, lambda step: step["seconds"]["step"])
        return run

    def peer(arguments, tuned):
        # A process of two threads computes the batches of two workers.
        batch = BATCH * WORKERS if "--threads" in arguments else BATCH
        def run(number):
            return bench.peer("gpt.py", "--text", training, *sizes_of_peer(), "--batch", batch, "--steps", STEPS,
                              "--seed", number + 1, *arguments, tuned=tuned)["step_seconds"]
        return run

    runs = {placement: ours(placement) for placement in ("in-process", "processes")}
    runs |= {name: peer(*how) for name, how in PEERS.items()}
    results = {name: WORKERS * BATCH * SIZES["window"] / median(seconds)
               for name, seconds in bench.alternate(runs).items()}
    best = max(results[name] for name in PEERS)
    table(f"GPT of 4 layers x 128, {WORKERS} x {BATCH} windows of 128 characters",
          ["", "tokens/s", "against the best peer"],
          [[name, f"{rate:.0f}", f"{rate / best:.2f}x"] for name, rate in results.items()])


def loss(bench, training, validation):
    rows = []
    for seed in (1, 2, 3):
        weights = bench.folder / "gpt.safetensors"
        bench.train("processes", *common(training, RECIPE), "--seed", seed, "--save", weights)
        text = bench.troupe("evaluate", "--load", weights, "--data", f"text:{validation},predict=each")
        ours = re.search(r"loss ([0-9.]+)", text)
        if ours is None:
            sys.exit(f"troupe evaluate printed no loss:\n{text}")
        theirs = bench.peer("gpt.py", "--text", training, "--validation", validation, *sizes_of_peer(), "--batch", BATCH,
                            "--steps", RECIPE, "--seed", seed, *WAYS["DDP, 2 processes"])["validation_loss"]
        rows.append([seed, f"{float(ours[1]):.4f}", f"{theirs:.4f}", f"{float(ours[1]) - theirs:+.4f}"])
    table(f"Validation loss per character after {RECIPE:,} steps", ["seed", "Troupe", "PyTorch", "difference"], rows)
