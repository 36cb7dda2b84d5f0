"""Sandblaster L-BFGS compared with PyTorch and scikit-learn; its behaviour with slow workers; its memory and
messages."""
from statistics import median

from harness.bench import PEERS, PLACEMENTS
from harness.cluster import DRIVER, Cluster
from harness.programs import last_json, output_of
from harness.tables import table

# Computed with peers/lbfgs_softmax.py: PyTorch in float64, history of 40, 1,500 iterations.
MINIMUM = 0.379477081
NEAR = (1e-3, 1e-4)
ITERATIONS = 600
SOFTMAX = ("--model", "softmax", "--data", "fashion-mnist", "--algorithm", "lbfgs", "--workers", 2, "--tolerance", 0,
           "--weight-decay", 1e-4, "--group", "bias:weight_decay=0", "--steps", ITERATIONS)
SLOW = ("--model", "cnn", "--data", "fashion-mnist", "--algorithm", "lbfgs", "--tolerance", 0, "--shards", 4,
        "--steps", 6)
PARAMETERS = (100_000, 10_000_000)
VECTORS = 44_551_209  # ResNet-101


def within(steps):
    """Returns, for each distance in NEAR, the evaluations and seconds until the objective is that close to the
    minimum."""
    found = {}
    evaluations = seconds = 0
    for step in steps:
        evaluations += step["lbfgs"]["evaluations"]
        seconds += step["seconds"]["step"]
        for near in NEAR:
            if step["lbfgs"]["objective"] - MINIMUM <= near:
                found.setdefault(near, (evaluations, seconds))
    return found


def softmax(bench):
    """Softmax regression on Fashion-MNIST, L2 1e-4, starting from zeros, two threads on each side."""
    def ours(placement):
        return lambda _: within(bench.train(placement, *SOFTMAX, "--quiet")[1])

    def theirs(engine):
        def run(_):
            result = last_json(output_of([bench.options.python, PEERS / "lbfgs_softmax.py", "--engine", engine,
                                          "--threads", 2, "--iterations", ITERATIONS, "--minimum", MINIMUM]))
            bench.versions.update({name: result[key] for name, key in (("PyTorch", "torch"), ("scikit-learn", "sklearn"))
                                   if key in result})
            return {near: (found["evaluations"], found["seconds"])
                    for near, found in zip(NEAR, result["within"].values())}
        return run

    runs = {**{f"Troupe, {placement}": ours(placement) for placement in PLACEMENTS},
            "PyTorch": theirs("torch"), "scikit-learn": theirs("sklearn")}
    results = bench.alternate(runs)
    rows = []
    for near in NEAR:
        cells = {name: [median(round_[near][i] for round_ in results[name]) for i in (0, 1)] for name in runs}
        fewest = min(cells["PyTorch"][0], cells["scikit-learn"][0])
        fastest = min(cells["PyTorch"][1], cells["scikit-learn"][1])
        rows += [[f"{near:g}", name, f"{evaluations:.0f}", f"{evaluations / fewest:.2f}x", f"{seconds:.2f}",
                  f"{seconds / fastest:.2f}x"] for name, (evaluations, seconds) in cells.items()]
    table("L-BFGS, history 10: softmax regression on Fashion-MNIST, L2 1e-4, until the objective is near its minimum",
          ["within", "", "evaluations", "against the better peer", "seconds", "against the faster peer"], rows)


def slow_worker(bench):
    """One worker process is stopped four fifths of the time. For comparison, runs with three and four workers."""
    def run(workers, *options):
        def one(_):
            _, steps = bench.train("processes", *SLOW, "--workers", workers, *options, "--quiet")
            return sum(step["seconds"]["step"] for step in steps[1:]) / sum(
                step["lbfgs"]["evaluations"] for step in steps[1:])
        return one

    fault = ("--fault", "slow 5x worker 1 at step 1")
    runs = {"3 workers": run(3), "4 workers": run(4), "4 workers, one 5 times slower": run(4, *fault),
            "the same with 2 backup portions": run(4, *fault, "--backup-portions", 2)}
    results = bench.alternate(runs)
    free = median(results["3 workers"])
    table("L-BFGS, reference CNN on all of Fashion-MNIST, 16 portions: seconds per evaluation",
          ["", "seconds", "against 3 workers"],
          [[name, f"{median(results[name]):.3f}", f"{median(results[name]) / free:.2f}x"] for name in runs])


def vectors(bench):
    """The owners' vector operations in an iteration, compared with reading the history twice."""
    rows = []
    results = bench.alternate({placement: lambda _, placement=placement: bench.measure(
        "lbfgs", "--parameters", VECTORS, "--workers", 2, "--placement", placement, "--rounds", 7)
        for placement in PLACEMENTS})
    for placement in PLACEMENTS:
        seconds, floor, ratio = (median(result[name] for result in results[placement])
                                 for name in ("seconds", "floor_seconds", "ratio"))
        rows.append([placement, f"{seconds:.4f}", f"{floor:.4f}", f"{ratio:.2f}x"])
    table(f"L-BFGS, {VECTORS:,} parameters, history 10: direction, move, and products of an iteration",
          ["", "seconds", "reading the history twice", "against that"], rows)


def messages(bench):
    """Bytes on the driver's link per iteration, by the size of the model."""
    cluster = Cluster(bench, 2)
    built = bench.built

    def run(parameters):
        return lambda _: last_json(cluster.run(
            *built.measuring, "lbfgs", "--parameters", parameters, "--workers", 2, "--rounds", 9, "--json", *DRIVER,
            options=("--troupe", built.troupe, "--node", built.measuring[0])))["network_bytes"]

    results = bench.alternate({parameters: run(parameters) for parameters in PARAMETERS})
    least = median(results[PARAMETERS[0]])
    table(f"L-BFGS over {cluster}: bytes on the driver's link in an iteration",
          ["parameters", "bytes", "against the first"],
          [[f"{parameters:,}", f"{median(results[parameters]):.0f}", f"{median(results[parameters]) / least:.2f}x"]
           for parameters in PARAMETERS])


def lbfgs(bench):
    softmax(bench)
    slow_worker(bench)
    vectors(bench)
    messages(bench)
