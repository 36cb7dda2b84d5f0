#!/usr/bin/env python3
"""Prints the ten kernels that take most of a training step of ResNet-50 on a CUDA device, with their share of the rate
at which the device copies memory and of the rate at which it multiplies matrices.

Uses NVIDIA's ncu. Where ncu is missing or refuses the device, prints the seconds of each kind of layer instead, by the
device's own events (`troupe train --profile`). The rates come from PyTorch; without it, shares of them are left out.
"""
import argparse
import csv
import io
import re
import shutil
import subprocess
import sys

DEAREST = 10
SECONDS, READ, WRITTEN = "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"
TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
ANY_PIPE = "sm__throughput.avg.pct_of_peak_sustained_elapsed"  # where ncu does not know TENSOR


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a small network, to try this program")
    parser.add_argument("troupe", help="the program, of a build with CUDA devices")
    return parser.parse_args()


def train(options, steps):
    model = ["--model", "resnet50", "--data", "mock-images:224,1001,128", "--batch-size", "128"]
    if options.small:
        model = ["--model", "resnet18", "--data", "mock-images:32,10,4", "--batch-size", "4"]
    return [options.troupe, "train", *model, "--workers", "1", "--device", "cuda:0", "--precision", "bf16",
            "--no-precision-check", "--quiet", "--steps", str(steps)]


def ncu_rows(command, pipe, small):
    """One row a kernel, for about one step of ResNet-50; nothing where ncu fails."""
    skipped, counted = (0, 50) if small else (700, 700)  # a step has some 570 launches, more inside the libraries
    done = subprocess.run(
        ["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--print-units", "base",
         "--launch-skip", str(skipped), "--launch-count", str(counted), "--metrics",
         ",".join((SECONDS, READ, WRITTEN, pipe)), *command], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if done.returncode != 0 or start is None:
        words = [line for line in (done.stdout + done.stderr).splitlines() if "==ERROR==" in line]
        print(f"ncu failed with {done.returncode}: {words[0] if words else done.stderr.strip()[-300:]}")
        return []
    rows = csv.DictReader(io.StringIO("\n".join(lines[start:])))
    return [row for row in rows if row["ID"]]  # the line of units has none


def number(text):
    return float(text.replace(",", "") or 0)


def short_name(kernel):
    """Without return type, template arguments and parameters."""
    name, cut = kernel.removeprefix("void "), None
    while name != cut:
        name, cut = re.sub(r"<[^<>]*>", "", name), name
    return re.sub(r"\(.*", "", name.replace("(anonymous namespace)", ""))[-60:]


def rates():
    """Bytes a second of a copy on the device, read and written; bf16 operations a second. Nothing without PyTorch."""
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


def print_kernels(rows, pipe):
    copy_rate, matrix_rate = rates()
    if copy_rate:
        print(f"a copy moves {copy_rate / 1e12:.2f} TB/s, a product of bf16 matrices does {matrix_rate / 1e12:.0f} TFLOP/s")
    kernels = {}
    for row in rows:
        totals = kernels.setdefault(short_name(row["Kernel Name"]), [0, 0, 0, 0])
        seconds = number(row[SECONDS]) * 1e-9
        for i, figure in enumerate((1, seconds, number(row[READ]) + number(row[WRITTEN]), seconds * number(row[pipe]))):
            totals[i] += figure
    whole = sum(totals[1] for totals in kernels.values())
    print(f"{len(rows)} launches, {whole * 1e3:.2f} ms\n")
    print(f"| kernel | launches | ms | of all | GB/s | of the copy rate | {'matrix units' if pipe == TENSOR else 'any unit'} busy |")
    print("|---|---|---|---|---|---|---|")
    for name, (launches, seconds, moved, busy) in sorted(kernels.items(), key=lambda item: -item[1][1])[:DEAREST]:
        share = f"{moved / seconds / copy_rate:.0%}" if copy_rate else "-"
        print(f"| {name} | {launches} | {seconds * 1e3:.3f} | {seconds / whole:.0%} | {moved / seconds / 1e9:.0f} "
              f"| {share} | {busy / seconds:.0f} % |")


def main():
    options = parse_arguments()
    if shutil.which("ncu"):
        for pipe in (TENSOR, ANY_PIPE):
            rows = ncu_rows(train(options, 4), pipe, options.small)
            if rows:
                print_kernels(rows, pipe)
                return 0
    else:
        print("ncu is not here")
    print("the seconds of each kind of layer, by events of the device:\n", flush=True)
    return subprocess.run([*train(options, 4 if options.small else 24), "--profile"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
