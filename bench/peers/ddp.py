"""Shared code of the PyTorch peers: single-threaded processes joined by gloo, and PyTorch's version and BLAS."""
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def launch(run, options):
    """Calls run(rank, options) in the options.procs processes of one process group. If a launcher has set RANK,
    WORLD_SIZE, MASTER_ADDR and MASTER_PORT, this process is one of them. Otherwise new processes are started on this
    machine."""
    for name in [name for name in os.environ if name.startswith("OPENBLAS_")]:
        del os.environ[name]  # a core type set for other programs would select slower kernels
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # torch.set_num_threads does not affect OpenBLAS
    if "RANK" in os.environ:
        options.procs = int(os.environ["WORLD_SIZE"])
        _run_rank(int(os.environ["RANK"]), run, options, "env://")
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.procs == 1 and getattr(options, "device", "cpu") == "cuda":  # starting another process takes time
            _run_rank(0, run, options, f"file://{folder}/store")
            return
        mp.spawn(_run_rank, args=(run, options, f"file://{folder}/store"), nprocs=options.procs)


def _run_rank(rank, run, options, meeting):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=options.procs)
    run(rank, options)


def versions():
    """Returns PyTorch's version and source, and its BLAS. "blas" is the slow reference implementation."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        paths = [line.split()[-1] for line in maps if "/libblas.so" in line or "/libopenblas" in line]
    built_in = "MKL" if torch.backends.mkl.is_available() else "built in"
    source = "Debian" if torch.__file__.startswith("/usr/lib/") else "PyPI"
    return {"torch": f"{torch.__version__} ({source})",
            "blas": os.path.basename(os.path.dirname(paths[0])) if paths else built_in}
