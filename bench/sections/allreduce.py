"""All-reduce over the processes of one machine, compared with OpenMPI and gloo."""
from statistics import median

from harness.tables import table

FLOATS = (1024, 262_144, 4_194_304, 44_551_209)
RANKS = (2, 4)
# OpenMPI's default, and the fastest of its algorithms for large sums in our measurements.
MPI_VARIANTS = {
    "OpenMPI": (),
    "OpenMPI, ring of 1 MiB segments": (
        "--mca", "coll_tuned_use_dynamic_rules", 1, "--mca", "coll_tuned_allreduce_algorithm", 5,
        "--mca", "coll_tuned_allreduce_algorithm_segmentsize", 1 << 20)}


def rounds_of(floats):
    """Returns the number of rounds, the same as in the peers' programs."""
    return 9 if floats > 10_000_000 else 21 if floats > 1_000_000 else 201


def by_size(lines):
    return {line["floats"]: line["seconds"] for line in lines}


def medians(results, floats):
    """Returns name -> median seconds for one size. `results` is name -> a dictionary of sizes for each round."""
    return {name: median(result[floats] for result in rounds) for name, rounds in results.items()}


def milliseconds(seconds):
    return f"{seconds * 1e3:.4g}"


def allreduce(bench):
    """Measures the seconds of one sum over worker processes."""
    program = bench.build_mpi("mpi_allreduce.cpp")
    for ranks in RANKS:
        over_processes(bench, program, ranks)


def ours(bench, ranks):
    """Measures the sum that all replicas share, and the sum copied into each replica's own memory."""
    def run(_):
        lines = {floats: bench.measure("allreduce", "--parameters", floats, "--workers", ranks, "--rounds",
                                       rounds_of(floats), "--placement", "processes", "--strategy", "sharded")
                 for floats in FLOATS}
        return {figure: {floats: line[figure] for floats, line in lines.items()}
                for figure in ("seconds", "private_seconds")}
    return run


def over_processes(bench, program, ranks):
    runs = {"troupe": ours(bench, ranks)}
    for name, variant in MPI_VARIANTS.items():
        runs[name] = lambda _, variant=variant: by_size(bench.mpi(ranks, *variant, program, *FLOATS))
    runs["gloo"] = lambda _: by_size(bench.peer_lines("gloo_allreduce.py", "--procs", ranks, *FLOATS))
    results = bench.alternate(runs)
    rounds = results.pop("troupe")
    results = {"shared": [result["seconds"] for result in rounds],
               "private": [result["private_seconds"] for result in rounds], **results}
    rows = []
    for floats in FLOATS:
        seconds = medians(results, floats)
        rows.append([f"{floats:,}", *map(milliseconds, seconds.values()),
                     *(f"{seconds[peer] / seconds['shared']:.2f} / {seconds[peer] / seconds['private']:.2f}"
                       for peer in (*MPI_VARIANTS, "gloo"))])
    peers = (*MPI_VARIANTS, "gloo")
    table(f"All-reduce over {ranks} processes of one node; milliseconds, and times faster (shared / private)",
          ["floats", "Troupe, shared sum", "Troupe, private copies", *peers,
           *(f"against {name}" for name in peers)], rows)
