"""The overhead of searches, and the gains from early stopping and from two concurrent trials."""
import json
import shutil
import time
from statistics import median

from harness.programs import has_module
from harness.tables import table

TRIALS = 200
SAMPLES = 12
EPOCHS = 27
SEEDS = (1, 2, 3)
MLP = {"learning_rate": {"loguniform": [1e-4, 1]}, "momentum": {"uniform": [0, 0.99]},
       "batch_size": {"choice": [32, 64, 128]}}
LINEAR = {"learning_rate": {"loguniform": [1e-4, 0.1]}}


def tune(bench):
    """`troupe tune`: trials of linear regression compared with Ray Tune; ASHA with FIFO; two concurrent trials with
    one."""
    overhead(bench)
    early(bench)
    at_once(bench)


def search(bench, space, *arguments):
    """Runs a search. Returns its seconds, and its reports by trial."""
    folder = bench.folder / "tune"
    shutil.rmtree(folder, ignore_errors=True)
    file = bench.folder / "space.json"
    file.write_text(json.dumps(space), encoding="utf-8")
    begun = time.monotonic()
    bench.troupe("tune", "--space", file, "--out", folder, *arguments)
    seconds = time.monotonic() - begun
    trials = {}
    with (folder / "reports.jsonl").open(encoding="utf-8") as lines:
        for report in map(json.loads, lines):
            trials.setdefault(report["trial"], []).append(report)
    return seconds, trials


def overhead(bench):
    def ours(_):
        seconds, trials = search(bench, LINEAR, "--model", "linear", "--data", "synthetic-linear", "--epochs", 2,
                                 "--samples", TRIALS, "--concurrent", 1)
        own = sum(reports[-1]["seconds"] for reports in trials.values())
        return {"seconds": seconds, "own_seconds": own}

    def ray(_):
        result = bench.peer_lines("ray_tune.py", "--samples", TRIALS, "--concurrent", 1, torch=False)[-1]
        bench.versions["Ray"] = result["ray"]
        return result

    measured = {"Troupe": ours}
    if has_module(bench.options.python, "ray.tune"):
        measured["Ray Tune"] = ray
    results = bench.alternate(measured)

    def of(name):
        if name not in results:
            return "not installed"
        return f"{median((each['seconds'] - each['own_seconds']) / TRIALS for each in results[name]) * 1e3:.3g} ms"

    table(f"{TRIALS} trials of linear regression, one after the other: overhead per trial",
          ["Troupe, a process each", "Ray Tune"], [[of("Troupe"), of("Ray Tune")]])


def best_of(trials):
    return max(reports[-1]["metrics"]["accuracy"] for reports in trials.values())


def early(bench):
    rows = []
    for seed in SEEDS:
        arguments = ("--model", "mlp", "--epochs", EPOCHS, "--samples", SAMPLES, "--metric", "accuracy",
                     "--search-seed", seed)
        fifo, all_trials = search(bench, MLP, *arguments)
        asha, some = search(bench, MLP, *arguments, "--scheduler", "asha")
        rows.append([seed, f"{fifo:.1f}", f"{asha:.1f}", f"{asha / fifo:.2f}", f"{best_of(all_trials):.4f}",
                     f"{best_of(some):.4f}"])
    table(f"{SAMPLES} trials of the MLP on Fashion-MNIST, {EPOCHS} epochs, two at once; seconds and the best accuracy",
          ["search seed", "FIFO", "ASHA", "ASHA against FIFO", "best of FIFO", "best of ASHA"], rows)


def at_once(bench):
    arguments = ("--model", "mlp", "--epochs", 2, "--samples", 8)
    results = bench.alternate({
        "one": lambda _: search(bench, MLP, *arguments, "--concurrent", 1)[0],
        "two": lambda _: search(bench, MLP, *arguments, "--concurrent", 2)[0]})
    one, two = (median(results[name]) for name in results)
    table("8 trials of the MLP with a core each; seconds", ["one after the other", "two at once", "ratio"],
          [[f"{one:.2f}", f"{two:.2f}", f"{two / one:.2f}"]])
