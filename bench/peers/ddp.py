"""What the PyTorch peers share: processes of one thread each, joined by gloo, and the BLAS that PyTorch found."""
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def launch(run, options):
    """Calls run(rank, options) in options.procs processes of one process group: in new ones of this machine, or, where
    a launcher has set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, in this one."""
    for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
        del os.environ[name]  # a core type set for other programs would choose slower kernels
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # torch.set_num_threads does not reach OpenBLAS
    if "RANK" in os.environ:
        options.procs = int(os.environ["WORLD_SIZE"])
        _run_rank(int(os.environ["RANK"]), run, options, "env://")
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.procs == 1 and getattr(options, "device", "cpu") == "cuda":  # a process more would only start slowly
            _run_rank(0, run, options, f"file://{folder}/store")
            return
        mp.spawn(_run_rank, args=(run, options, f"file://{folder}/store"), nprocs=options.procs)


def _run_rank(rank, run, options, meeting):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=options.procs)
    run(rank, options)


def versions():
    """PyTorch's version and where it is from, and the BLAS in use: "blas" is the slow reference implementation."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        paths = [line.split()[-1] for line in maps if "/libblas.so" in line or "/libopenblas" in line]
    built_in = "MKL" if torch.backends.mkl.is_available() else "built in"
    source = "Debian" if torch.__file__.startswith("/usr/lib/") else "PyPI"
    return {"torch": f"{torch.__version__} ({source})",
            "blas": os.path.basename(os.path.dirname(paths[0])) if paths else built_in}
