#!/usr/bin/env python3
"""Prints the ten kernels that take most of a training step of ResNet-50 on a CUDA device: their share of the device's
copy rate for memory, and the share of time in which the device's matrix units are busy.

Uses NVIDIA's ncu. If ncu is missing, refuses the device or takes too long, prints the seconds of each kind of layer
instead, measured with events of the device (`troupe train --profile`). PyTorch measures the device's rates if it is
installed.
"""
import argparse
import csv
import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DEAREST = 10
LONGEST_NAME = 110
NCU_SECONDS = 110  # for the program; ncu prints the kernels after the program has ended
SECONDS, READ, WRITTEN = "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"
TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a small network, to test this program")
    parser.add_argument("troupe", help="the program troupe of a build with CUDA devices")
    return parser.parse_args()


def train(options, steps):
    model = ["--model", "resnet50", "--data", "mock-images:224,1001,128", "--batch-size", "128"]
    if options.small:
        model = ["--model", "resnet18", "--data", "mock-images:32,10,4", "--batch-size", "4"]
    return [options.troupe, "train", *model, "--workers", "1", "--device", "cuda:0", "--precision", "bf16",
            "--no-precision-check", "--quiet", "--steps", str(steps), "--step-timeout", "900", "--start-timeout", "300"]


def ncu_rows(command, small):
    """Returns one row per kernel, for about one step of ResNet-50, or nothing if ncu reports no kernels. The metrics need
    few passes; a metric that combines many units would make ncu repeat each kernel often, and restore the memory of the
    device before each repetition."""
    skipped, counted = (0, 50) if small else (600, 600)  # a step has about 570 launches, more inside the libraries
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        words = run_ncu(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw",
                         "--print-units", "base", "--log-file", str(log), "--target-processes", "all",
                         "--launch-skip", str(skipped), "--launch-count", str(counted), "--metrics",
                         ",".join((SECONDS, READ, WRITTEN, TENSOR)),
                         "timeout", "--kill-after", "5", str(NCU_SECONDS), *command])
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        errors = [line for line in lines + words.splitlines() if "==ERROR==" in line]
        print(f"ncu reports no kernels: {errors[0] if errors else words.strip()[-300:]}")
        return []
    rows = csv.DictReader(io.StringIO("\n".join(line for line in lines[start:] if line.startswith('"'))))
    return [row for row in rows if row["ID"].isdigit() and number(row.get(SECONDS)) is not None]


def run_ncu(command):
    """Returns the output of ncu. The program that ncu runs is ended after NCU_SECONDS; ncu then writes the rows of the
    kernels so far."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=NCU_SECONDS + 50)
        return done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        print(f"ncu was ended after {NCU_SECONDS + 50} s")
        return ""


def number(text):
    """Returns None for texts that are not numbers, such as "n/a" for a metric that the device does not have."""
    try:
        return float(text.replace(",", ""))
    except (ValueError, AttributeError):
        return None


def short_name(kernel):
    """Returns the name without return type, our namespaces and parameters. Our kernels are one template: returns its
    argument."""
    name = re.sub(r"\(anonymous namespace\)::|troupe::(cuda::)?", "", kernel.removeprefix("void "))
    ours = re.match(r"run_work<(.*)>\(", name)
    if ours:
        return ours.group(1)[:LONGEST_NAME]
    depth, end = 0, len(name)
    for i, letter in enumerate(name):  # the parameters start at the first parenthesis outside template arguments
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            end = i
            break
    return name[:end][:LONGEST_NAME]


def rates():
    """Returns the bytes per second (read and written) of a copy on the device, and bf16 operations per second, or
    None."""
    try:
        import torch
    except ImportError:
        return None, None
    if not torch.cuda.is_available():
        return None, None
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    matrix = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    return (2 * source.numel() / seconds_of(torch, lambda: target.copy_(source)),
            2 * 8192**3 / seconds_of(torch, lambda: matrix @ matrix))


def seconds_of(torch, run, rounds=20):
    for _ in range(3):
        run()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(rounds):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1000 / rounds


def print_kernels(rows, copy_rate):
    kernels = {}
    for row in rows:
        totals = kernels.setdefault(row["Kernel Name"], {"launches": 0, "seconds": 0, "moved": 0, TENSOR: 0})
        seconds = number(row[SECONDS]) * 1e-9
        totals["launches"] += 1
        totals["seconds"] += seconds
        totals["moved"] += (number(row.get(READ)) or 0) + (number(row.get(WRITTEN)) or 0)
        busy = number(row.get(TENSOR))
        totals[TENSOR] = None if busy is None or totals[TENSOR] is None else totals[TENSOR] + seconds * busy
    whole = sum(totals["seconds"] for totals in kernels.values())
    print(f"{len(rows)} launches of {len(kernels)} kernels, {whole * 1e3:.2f} ms\n")
    print("| kernel | launches | ms | of all | GB/s | of the copy rate | matrix units busy |")
    print("|---|---|---|---|---|---|---|")
    for name, totals in sorted(kernels.items(), key=lambda item: -item[1]["seconds"])[:DEAREST]:
        seconds, rate = totals["seconds"], totals["moved"] / totals["seconds"]
        busy = "-" if totals[TENSOR] is None else f"{totals[TENSOR] / seconds:.0f} %"
        print(f"| {short_name(name)} | {totals['launches']} | {seconds * 1e3:.3f} | {seconds / whole:.0%} "
              f"| {rate / 1e9:.0f} | {f'{rate / copy_rate:.0%}' if copy_rate else '-'} | {busy} |")


def main():
    options = parse_arguments()
    copy_rate, matrix_rate = rates()
    if copy_rate:
        print(f"a copy moves {copy_rate / 1e12:.2f} TB/s, a product of bf16 matrices does {matrix_rate / 1e12:.0f} TFLOP/s",
              flush=True)
    if shutil.which("ncu"):
        rows = ncu_rows(train(options, 4), options.small)
        if rows:
            print_kernels(rows, copy_rate)
            return 0
    else:
        print("ncu is not here")
    print("the seconds of each kind of layer, by events of the device:\n", flush=True)
    return subprocess.run([*train(options, 4 if options.small else 24), "--profile"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
