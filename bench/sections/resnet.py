"""ResNet-101 on mock images of 224 x 224, batch 1 per replica, compared with PyTorch DDP and oneDNN's convolutions."""
from statistics import median
from typing import NamedTuple

from harness.bench import PLACEMENTS, ROOT
from harness.machine import cpu_flags
from harness.programs import last_json, output_of
from harness.steps import beyond_compute, phases_off, slowest_compute, steady
from harness.tables import percent, table

STEPS = 8  # the first is not in the medians
MEMORY_STEPS = 3
TFBENCH = ("--model", "tfbench", "--batch-size", 1, "--learning-rate", 1e-6, "--momentum", 0, "--quiet")


class Setup(NamedTuple):
    """The layout of one of our runs."""
    placement: str
    precision: str
    workers: int
    devices: int

    def __str__(self):
        return f"Troupe, {self.precision}, {self.workers} x {self.devices}, {self.placement}"

    def arguments(self):
        return (*TFBENCH, "--precision", self.precision, "--workers", self.workers,
                "--devices-per-worker", self.devices)

    def replicas(self):
        return self.workers * self.devices


def precisions(bench):
    if "avx512_bf16" in cpu_flags():
        return ("f32", "bf16")
    bench.note("this processor does not support bf16: measuring f32 only")
    return ("f32",)


def resnet(bench):
    """Speed, a single replica, and memory."""
    against_ddp(bench)
    alone(bench)
    memory(bench)


def figures(steps):
    """Returns the figures of one of our runs."""
    seconds = steady(steps, lambda step: step["seconds"]["step"])
    return {"step": seconds, "first": steps[0]["seconds"]["step"] / seconds, "compute": steady(steps, slowest_compute),
            "beyond": steady(steps, beyond_compute), "off": phases_off(steps)}


def ours(bench, setup):
    return lambda _: figures(bench.train(setup.placement, *setup.arguments(), "--steps", STEPS)[1])


def ddp_name(procs):
    return f"PyTorch DDP, gloo, f32, {procs} processes"


def ddp(bench, procs):
    def run(_):
        result = bench.peer("ddp_resnet.py", "--procs", procs, "--steps", STEPS)
        return {"step": result["step_seconds"], "first": result["first_seconds"] / result["step_seconds"]}
    return run


def against_ddp(bench):
    """Compares a step of replicas that share the cores with DDP with the same number of processes, always in f32."""
    layouts = [("f32", 2, 1)] + [(precision, 2, 2) for precision in precisions(bench)]
    setups = [Setup(placement, *layout) for layout in layouts for placement in PLACEMENTS]
    results = bench.alternate({**{ddp_name(procs): ddp(bench, procs) for procs in (2, 4)},
                               **{setup: ours(bench, setup) for setup in setups}})

    def middle(name, figure):
        return median(result[figure] for result in results[name])

    rows = [[name, f"{middle(name, 'step'):.3f}", "1.00x", "", "", f"{middle(name, 'first'):.2f}x"]
            for name in map(ddp_name, (2, 4))]
    for setup in setups:
        ratio = middle(setup, "step") / middle(ddp_name(setup.replicas()), "step")
        rows.append([setup, f"{middle(setup, 'step'):.3f}", f"{ratio:.2f}x", percent(middle(setup, "beyond")),
                     percent(max(result["off"] for result in results[setup])), f"{middle(setup, 'first'):.2f}x"])
    table("ResNet-101, 224 x 224, batch 1 per replica (workers x devices)",
          ["", "seconds per step", "against DDP, as many processes", "step beyond the slowest worker's compute",
           "step not in phases", "first step against the others"], rows)


def alone(bench):
    """Compares the compute time of one replica with the convolutions of its network alone."""
    program = bench.build(["g++", "-std=c++20", "-O2", "-fopenmp"], "onednn_convolutions.cpp", f"-I{ROOT}",
                          ROOT / "models/cpu/onednn_versions.cpp", "-ldnnl")

    def convolutions(precision):
        return lambda _: last_json(output_of([program, "--depth", 101, "--batch", 1, "--precision", precision]))

    runs = {}
    for precision in precisions(bench):
        runs[f"convolutions {precision}"] = convolutions(precision)
        runs[f"replica {precision}"] = ours(bench, Setup("in-process", precision, 1, 1))
    results = bench.alternate(runs)
    rows = []
    for precision in precisions(bench):
        replica = median(result["compute"] for result in results[f"replica {precision}"])
        limit = median(result["seconds"] for result in results[f"convolutions {precision}"])
        rows.append([precision, f"{replica:.4f}", f"{limit:.4f}", f"{replica / limit:.2f}x"])
    table("One replica alone: ResNet-101, 224 x 224, batch 1, one core",
          ["", "seconds of compute", "oneDNN's convolutions alone", "ratio"], rows)


def memory(bench):
    """Peak memory of all processes. Sampling costs time, so these runs are not timed."""
    setups = [Setup(placement, "f32", 2, 2) for placement in PLACEMENTS]
    runs = {setup: lambda _, setup=setup: bench.train_memory(setup.placement, *setup.arguments(), "--steps",
                                                             MEMORY_STEPS) for setup in setups}
    theirs = ddp_name(4)
    runs[theirs] = lambda _: bench.peer_memory("ddp_resnet.py", "--procs", 4, "--steps", MEMORY_STEPS)
    results = {name: median(peaks) for name, peaks in bench.alternate(runs).items()}
    rows = [[theirs, f"{results[theirs] / 2**20:.0f}", "1.00x"]]
    rows += [[setup, f"{results[setup] / 2**20:.0f}", f"{results[setup] / results[theirs]:.2f}x"] for setup in setups]
    table("Peak memory of all processes, ResNet-101, batch 1 per replica", ["", "MiB (PSS)", "against DDP"], rows)
