"""Reduction and update of one model's parameters, compared with the memory floor and an all-reduce."""
from statistics import median

from harness.bench import PLACEMENTS
from harness.tables import table

PARAMETERS = 44_551_209  # ResNet-101
REPLICAS = 4


def ours(bench, placement):
    """Measures reduction and update, and the floor in the same run."""
    return lambda _: bench.measure("sync", "--parameters", PARAMETERS, "--workers", REPLICAS, "--devices-per-worker", 1,
                                   "--placement", placement, "--strategy", "sharded")


def sync(bench):
    """Seconds from all gradients to new weights."""
    program = bench.build_mpi("mpi_allreduce.cpp")

    def mpi(_):
        return bench.mpi(REPLICAS, program, PARAMETERS)[-1]

    results = bench.alternate({**{placement: ours(bench, placement) for placement in PLACEMENTS}, "mpi": mpi})
    theirs = median(result["seconds"] for result in results["mpi"])
    rows = [["OpenMPI all-reduce, private copies, no update", f"{theirs:.4f}", "", "", "1.00"]]
    for placement in PLACEMENTS:
        seconds = median(result["seconds"] for result in results[placement])
        floor = median(result["floor_seconds"] for result in results[placement])
        ratio = median(result["ratio"] for result in results[placement])
        rows.append([f"Troupe, reduce and apply, {placement}", f"{seconds:.4f}", f"{floor:.4f}", f"{ratio:.2f}x",
                     f"{seconds / theirs:.2f}"])
    table(f"Gradients of {REPLICAS} replicas to new weights, {PARAMETERS:,} parameters",
          ["", "seconds", "memory floor", "against the floor", "against OpenMPI"], rows)
