"""Reduce and apply of one model's parameters, against the memory floor and an all-reduce."""
import os
from statistics import median

from harness.bench import PLACEMENTS
from harness.programs import last_json, output_of
from harness.tables import table

PARAMETERS = 44_551_209  # ResNet-101
REPLICAS = 4


def sync(bench):
    """Seconds from all gradients to new weights."""
    program = bench.build(["mpicxx", "-O3"], "mpi_allreduce.cpp")
    bench.versions["OpenMPI"] = output_of(["mpirun", "--version"]).split("\n", maxsplit=1)[0].split()[-1]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def ours(placement):
        def run(_):
            return last_json(bench.troupe(
                "bench", "sync", "--parameters", PARAMETERS, "--workers", REPLICAS, "--devices-per-worker", 1,
                "--placement", placement, "--strategy", "sharded", "--json"))
        return run

    def mpi(_):
        return last_json(output_of(["mpirun", "--oversubscribe", "-n", REPLICAS, program, PARAMETERS],
                                   env=environment))

    results = bench.alternate({**{placement: ours(placement) for placement in PLACEMENTS}, "mpi": mpi})
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
