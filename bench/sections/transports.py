"""A message between two processes with Troupe's transports, CAF, MPI and gloo."""
from statistics import median

from harness.programs import all_json, has_module, has_program, output_of
from harness.tables import table

SIZES = {"8 B": 8, "1 KB": 1024, "64 KB": 65_536, "1 MB": 1_048_576, "16 MB": 16_777_216, "178 MB": 178_204_836}
NAMES = ("CAF message", "shared memory", "data plane, TLS", "MPI", "gloo")


def by_bytes(lines):
    return {line["bytes"]: line["seconds"] for line in lines}


def ours(bench, transport):
    return lambda _: by_bytes(bench.measure("transports", "--transport", transport, "--bytes", *SIZES.values())["sizes"])


def transports(bench):
    """Seconds in one direction."""
    sizes = SIZES.values()
    caf = bench.build(["g++", "-std=c++20", "-O3"], "caf_pingpong.cpp", "-lcaf_io", "-lcaf_core")
    runs = {"CAF message": lambda _: by_bytes(all_json(output_of([caf, *sizes]))),
            "shared memory": ours(bench, "shared-memory"), "data plane, TLS": ours(bench, "data-plane")}
    if has_program("mpicxx") and has_program("mpirun"):
        mpi = bench.build_mpi("mpi_pingpong.cpp")
        runs["MPI"] = lambda _: by_bytes(bench.mpi(2, mpi, *sizes))
    if has_module(bench.options.python, "torch"):
        runs["gloo"] = lambda _: by_bytes(bench.peer_lines("gloo_pingpong.py", *sizes))
    results = bench.alternate(runs)

    def microseconds(name, size):
        if name not in results:
            return "not installed"
        time = median(result[size] for result in results[name]) * 1e6
        return f"{time:,.0f}" if time >= 100 else f"{time:.3g}"

    table("A message from process to process of one machine, until each word of it has been read; microseconds",
          ["message", *NAMES], [[text, *(microseconds(name, size) for name in NAMES)] for text, size in SIZES.items()])
