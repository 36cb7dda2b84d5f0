"""Compares the build with an older build, with the figures of other sections that need no peer."""
from statistics import median

from harness.bench import PLACEMENTS
from harness.cluster import Cluster
from harness.tables import table
from sections import allreduce, cluster, cnn, linear, resnet, sync
from sections.allreduce import FLOATS, RANKS, milliseconds

# Each function returns row -> function of the round. The latter returns seconds, or a dictionary of seconds.


def linear_rows(bench):
    def step(placement):
        run = linear.ours(bench, placement)
        return lambda number: 1 / run(number)["rate"]
    return {f"linear, 4 workers, {placement}": step(placement) for placement in PLACEMENTS}


def cluster_linear_rows(bench):
    run = cluster.linear_step(Cluster(bench, cluster.NODES))
    return {f"linear, {cluster.NODES} nodes": lambda number: run(number)["mean"]}


def sync_rows(bench):
    def update(placement):
        run = sync.ours(bench, placement)
        return lambda number: run(number)["seconds"]
    return {f"sync, {placement}": update(placement) for placement in PLACEMENTS}


def allreduce_rows(bench):
    def sums(ranks):
        run = allreduce.ours(bench, ranks)
        kinds = {"seconds": "shared", "private_seconds": "private copies"}
        return lambda number: {f"{floats:,} floats, {kinds[kind]}": seconds
                               for kind, by_floats in run(number).items() for floats, seconds in by_floats.items()}
    return {f"allreduce, {ranks} processes": sums(ranks) for ranks in RANKS}


def cluster_allreduce_rows(bench):
    runs = cluster.ours(Cluster(bench, cluster.NODES), {"hierarchical": ("hierarchical",)}, FLOATS[-2:])
    return {f"allreduce, {cluster.NODES} nodes, {name}": lambda number, run=run: {
        f"{floats:,} floats": seconds for floats, seconds in run(number).items()} for name, run in runs.items()}


def cnn_rows(bench):
    def image(placement):
        run = cnn.ours(bench, placement)
        return lambda number: 1 / run(number)["rate"]
    return {f"an image of the CNN, 2 workers, {placement}": image(placement) for placement in PLACEMENTS}


def resnet_rows(bench):
    def step(setup):
        run = resnet.ours(bench, setup)
        return lambda number: run(number)["step"]
    return {f"ResNet-101, {setup}": step(setup)
            for setup in (resnet.Setup(placement, precision, 2, 2) for precision in resnet.precisions(bench)
                          for placement in PLACEMENTS)}


AGAINST = {"linear": linear_rows, "cluster-linear": cluster_linear_rows, "sync": sync_rows, "allreduce": allreduce_rows,
           "cluster-allreduce": cluster_allreduce_rows, "cnn": cnn_rows, "resnet": resnet_rows}


def against(bench, section):
    """Alternates the two builds row by row."""
    before = bench.with_build(bench.options.against)
    older, ours = AGAINST[section](before), AGAINST[section](bench)
    rows = []
    for name in ours:
        results = bench.alternate({f"{name}, before": older[name], name: ours[name]})
        rows += ratios(name, *results.values())
    table(f"{section} against {before.built.folder}",
          ["", "before, milliseconds", "now, milliseconds", "times as fast", "single rounds"], rows)


def ratios(name, before, now):
    """Returns a row for each figure that a round measured."""
    if not isinstance(now[0], dict):
        return [[name, *compared(before, now)]]
    return [[f"{name}, {part}", *compared(*([result[part] for result in rounds] for rounds in (before, now)))]
            for part in now[0]]


def compared(before, now):
    single = sorted(old / new for old, new in zip(before, now))
    return [milliseconds(median(before)), milliseconds(median(now)), f"{median(before) / median(now):.3f}x",
            f"{single[0]:.2f} to {single[-1]:.2f}"]
