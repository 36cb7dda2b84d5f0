"""Four nodes in network namespaces. Troupe uses mutual TLS. The peers use their default, which is plain TCP, unless
stated."""
import sys
from statistics import median

from harness.cluster import Cluster
from harness.steps import steady, step_seconds
from harness.tables import percent, table
from sections.allreduce import FLOATS, MPI_VARIANTS, by_size, medians, milliseconds, rounds_of
from sections.linear import LINEAR, STEPS

NODES = 4
COLLECTIVES = {"Troupe, ring": ("ring",), "Troupe, hierarchical": ("hierarchical",)}
SERVERS = {"Troupe, a parameter server on each node": ("parameter-server",),
           "Troupe, one parameter server": ("parameter-server", "--slice-owners", 1)}
RATE = 1e9  # bits per second
RATE_FLOATS = 4_194_304
CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", 2, "--batch-size", 64, "--learning-rate", 0.05,
       "--momentum", 0.9, "--epochs", 1)
DRIVER_WORKERS = (8, 32, 128)


def ours(cluster, collectives, sizes):
    """Returns name -> function of the round that returns seconds by size."""
    def run(collective):
        return lambda _: {floats: cluster.allreduce(floats, rounds_of(floats), *collective)["seconds"]
                          for floats in sizes}
    return {name: run(collective) for name, collective in collectives.items()}


def peers(bench, cluster, sizes):
    """Returns the same for the peers."""
    program = bench.build_mpi("mpi_allreduce.cpp")
    runs = {name: lambda _, variant=variant: by_size(cluster.mpi(*variant, program, *sizes))
            for name, variant in MPI_VARIANTS.items()}
    runs["gloo"] = lambda _: by_size(cluster.torch("gloo_allreduce.py", *sizes))
    return runs


def cluster_allreduce(bench):
    """Measures all-reduce without a limit on the links, so that processors and memory are the limit."""
    cluster = Cluster(bench, NODES)
    theirs = peers(bench, cluster, FLOATS)
    runs = ours(cluster, COLLECTIVES, FLOATS)
    results = bench.alternate({**runs, **theirs})
    rows = []
    for floats in FLOATS:
        seconds = medians(results, floats)
        best = min(seconds[name] for name in theirs)
        fastest = min(seconds[name] for name in runs)
        rows.append([f"{floats:,}", *map(milliseconds, seconds.values()), f"{best / fastest:.2f}x"])
    table(f"All-reduce over {cluster}, no limit; milliseconds",
          ["floats", *results, "speed-up of our best over their best"], rows)


def cluster_rate(bench):
    """Measures links of 1 Gbit/s in each direction, compared with the bytes that a ring must send."""
    cluster = Cluster(bench, NODES, "1gbit")
    limit = 2 * (NODES - 1) / NODES * RATE_FLOATS * 4 * 8 / RATE
    results = bench.alternate({**ours(cluster, {**COLLECTIVES, **SERVERS}, [RATE_FLOATS]),
                               **peers(bench, cluster, [RATE_FLOATS])})
    rows = [[name, f"{seconds:.4f}", f"{seconds / limit:.3f}x"]
            for name, seconds in medians(results, RATE_FLOATS).items()]
    table(f"All-reduce of {RATE_FLOATS:,} floats over {cluster}",
          ["", "seconds", f"against 2 (N-1)/N x bytes / rate, {limit:.4f} s"], rows)


def cluster_gloo(bench):
    """Compares large sums without a limit on the links with gloo, under TLS as ours and without TLS."""
    if not bench.options.tls_python.is_file():
        sys.exit(f"{bench.options.tls_python} is missing: bench/README.md shows how to create it")
    cluster = Cluster(bench, NODES)
    sizes = FLOATS[-2:]
    runs = {**ours(cluster, {"Troupe": ("hierarchical",)}, sizes),
            "gloo under TLS": lambda _: by_size(cluster.torch_under_tls("gloo_allreduce.py", *sizes)),
            "gloo in the clear": lambda _: by_size(cluster.torch("gloo_allreduce.py", *sizes))}
    results = bench.alternate(runs)
    rows = []
    for floats in sizes:
        troupe, *theirs = medians(results, floats).values()
        rows.append([f"{floats:,}", milliseconds(troupe),
                     *(f"{milliseconds(seconds)}, {troupe / seconds:.2f}x" for seconds in theirs)])
    table(f"All-reduce over {cluster}, no limit; milliseconds, and ours against theirs", ["floats", *results], rows)


def linear_step(cluster):
    def run(_):
        steps = cluster.train(*LINEAR, "--workers", NODES, "--steps", STEPS)
        return {"mean": step_seconds(steps) / len(steps), "median": steady(steps, lambda step: step["seconds"]["step"])}
    return run


def cluster_linear(bench):
    """Measures a step with very little computation and communication."""
    cluster = Cluster(bench, NODES)

    def ddp(_):
        result = cluster.torch("ddp_linear.py", "--steps", STEPS, "--learning-rate", 0.01)[-1]
        return {"mean": 1 / result["steps_per_second"]}

    results = bench.alternate({"troupe": linear_step(cluster), "ddp": ddp})
    theirs = median(result["mean"] for result in results["ddp"])
    mean = median(result["mean"] for result in results["troupe"])
    middle = median(result["median"] for result in results["troupe"])
    table(f"A step of the linear regression 1000 x 4 on {cluster}",
          ["", "mean, milliseconds", "median, milliseconds", "against DDP"],
          [["PyTorch DDP, gloo", milliseconds(theirs), "", "1.00x"],
           ["Troupe", milliseconds(mean), milliseconds(middle), f"{mean / theirs:.2f}x"]])


def cluster_cnn(bench):
    """Compares two nodes of one worker each with two worker processes of this machine."""
    cluster = Cluster(bench, 2)

    def rate(steps):
        return sum(step["samples"] for step in steps) / step_seconds(steps)

    def seeded(number):
        return (*CNN, "--seed", number + 1)

    results = bench.alternate({
        "nodes": lambda number: rate(cluster.train(*seeded(number))),
        "processes": lambda number: rate(bench.train("processes", *seeded(number), "--quiet")[1])})
    nodes, processes = median(results["nodes"]), median(results["processes"])
    table("Reference CNN, Fashion-MNIST, 2 workers x batch 64, one epoch", ["", "images/s", "against processes"],
          [["2 worker processes of one node", f"{processes:.0f}", "1.00x"],
           ["2 nodes x 1 worker", f"{nodes:.0f}", f"{nodes / processes:.2f}x"]])


def cluster_tls(bench):
    """Measures the data plane between two stores with TLS and without. Only this measurement can disable TLS."""
    results = bench.alternate({"data plane": lambda _: bench.measure(
        "data-plane", "--bytes", 4 * FLOATS[-1])})["data plane"]
    tls, plain = (median(result[name] for result in results) for name in ("tls_seconds", "plain_seconds"))
    table(f"{4 * FLOATS[-1]:,} bytes from one store to another", ["", "seconds", "against plain"],
          [["plain", f"{plain:.4f}", "1.00x"], ["TLS 1.3", f"{tls:.4f}", f"{tls / plain:.2f}x"]])


def cluster_driver(bench):
    """Measures the driver's cost of many workers of a trivial model: seconds per step by the number of workers."""
    cluster = Cluster(bench, NODES)
    runs = {workers: lambda _, workers=workers: steady(
        cluster.train(*LINEAR, "--workers", workers, "--steps", STEPS // 4),
        lambda step: step["seconds"]["step"]) for workers in DRIVER_WORKERS}
    seconds = {workers: median(rounds) for workers, rounds in bench.alternate(runs).items()}
    first, last = DRIVER_WORKERS[0], DRIVER_WORKERS[-1]
    slope = (seconds[last] - seconds[first]) / (last - first)
    rows = []
    for workers in DRIVER_WORKERS:
        line = seconds[first] + slope * (workers - first)
        rows.append([workers, milliseconds(seconds[workers]), f"{seconds[workers] / workers * 1e6:.1f}",
                     percent(seconds[workers] / line - 1)])
    table(f"A step of the linear regression by workers on {cluster}; {slope * 1e6:.1f} microseconds per worker more",
          ["workers", "median step, milliseconds", "microseconds per worker", "off the line from first to last"], rows)


CLUSTER = {"cluster-allreduce": cluster_allreduce, "cluster-rate": cluster_rate, "cluster-gloo": cluster_gloo,
           "cluster-linear": cluster_linear, "cluster-cnn": cluster_cnn, "cluster-tls": cluster_tls, "cluster-driver": cluster_driver}
