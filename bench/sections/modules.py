"""Modules of libtorch on Troupe compared with PyTorch DDP.

Much of the difference is memory: libtorch allocates large tensors in each pass, and glibc returns their memory to the
system after it. Troupe lets glibc keep this memory. Therefore the peer is measured as it comes and with glibc tuned in
the same way.
"""
from statistics import median

from harness.bench import environment
from harness.memory import peak_pss
from harness.programs import last_json, output_of
from harness.tables import table

# name, network, batch, steps, bf16
WORK = (("CNN, batch 64", "cnn", 64, 60, False), ("ResNet-18, batch 2", "resnet18", 2, 60, False),
        ("ResNet-18, bf16, batch 8", "resnet18", 8, 40, True), ("GPT, 8 x 64 tokens", "gpt", 8, 60, False))


def modules(bench):
    """Samples per second and memory of two workers; the time of a pass beside libtorch alone."""
    program = bench.built.troupe.parent / "troupe-torch-bench"
    if not program.exists():
        bench.note(f"modules: skipped: {program} is missing: configure with -DTROUPE_TORCH=ON")
        return
    speed(bench, program)
    alone(bench, program)
    memory(bench, program)


def ours(program, network, batch, steps, bf16, *more, tuned=False):
    def run(_number):
        command = [program, network, "--batch-size", batch, "--steps", steps, *(["--bf16"] if bf16 else []), *more]
        return last_json(output_of(command, env=environment(tuned)))
    return run


def theirs(bench, network, batch, steps, bf16, view, tuned):
    def run(_number):
        return bench.peer("ddp_modules.py", network, "--batch-size", batch, "--steps", steps,
                          *(["--bf16"] if bf16 else []), *(["--view"] if view else []), tuned=tuned)
    return run


def rate(results):
    return median(result["samples_per_second"] for result in results)


def speed(bench, program):
    rows = []
    for name, *work in WORK:
        runs = {"processes": ours(program, *work), "in process": ours(program, *work, "--in-process")}
        for tuned in (False, True):
            for view in (False, True):
                runs[f"ddp {'tuned' if tuned else 'as it comes'} {view}"] = theirs(bench, *work, view, tuned)
        results = bench.alternate(runs)
        best = {kind: max(rate(results[f"ddp {kind} {view}"]) for view in (False, True))
                for kind in ("as it comes", "tuned")}
        for placement in ("processes", "in process"):
            mine = rate(results[placement])
            rows.append([name, placement, f"{mine:.1f}", f"{best['as it comes']:.1f}", f"{best['tuned']:.1f}",
                         f"{mine / best['as it comes']:.2f}x", f"{mine / best['tuned']:.2f}x"])
    table("Modules of libtorch, 2 workers, samples/s; DDP in the better of its two modes",
          ["network", "placement", "Troupe", "DDP", "DDP, glibc tuned", "against DDP", "against DDP, tuned"], rows)


def alone(bench, program):
    rows = []
    for name, network, batch, steps, bf16 in WORK:
        if bf16:
            continue
        one = (program, network, batch, steps, False, "--workers")
        results = bench.alternate({"Troupe": ours(*one, 1, "--in-process"), "pass": ours(*one, 0, tuned=True),
                                   "step": ours(*one, 0, "--update", tuned=True)})
        mine, a_pass, step = (median(result["step"] for result in results[side]) for side in results)
        rows.append([name, f"{mine * 1e3:.2f}", f"{step * 1e3:.2f}", f"{mine / step:.2f}x", f"{a_pass * 1e3:.2f}",
                     f"{mine / a_pass:.2f}x", f"{results['Troupe'][0]['bytes_copied']:.0f}"])
    table("A step of one replica against libtorch alone with glibc tuned, ms: its step, and a pass without an update",
          ["network", "Troupe", "step", "ratio", "pass", "ratio", "gradient bytes copied per step"], rows)


def memory(bench, program):
    peer = [bench.options.python, "bench/peers/ddp_modules.py", "resnet18", "--batch-size", 2, "--steps", 100]
    mine = peak_pss([program, "resnet18", "--batch-size", 2, "--steps", 100])
    other = min(peak_pss([*peer, *view], with_root=False) for view in ([], ["--view"]))
    table("Peak memory (PSS) of ResNet-18, batch 2, 2 processes, MiB", ["Troupe", "DDP", "ratio"],
          [[f"{mine / 2**20:.0f}", f"{other / 2**20:.0f}", f"{mine / other:.2f}x"]])
