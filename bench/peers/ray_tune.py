"""Measures the overhead of Ray Tune for each trial of linear regression. Prints one JSON line.

`seconds` is the time of a whole search in a running Ray. `own_seconds` is the total time of the trials' own loops. Each
trial trains with NumPy on 1,000 x 4 synthetic rows with batches of 64.
"""
import argparse
import json
import logging
import os
import tempfile
import time

os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")

import numpy as np
import ray
from ray import tune


def train(config):
    begun = time.monotonic()
    random = np.random.default_rng(1)
    rows = random.normal(size=(1000, 4))
    targets = rows @ np.array([5.0, 3.0, 2.0, 1.0])
    weights = np.zeros(4)
    for _ in range(config["epochs"]):
        for first in range(0, 1000, 64):
            part = slice(first, first + 64)
            error = rows[part] @ weights - targets[part]
            weights -= config["learning_rate"] * 2 / len(error) * (rows[part].T @ error)
        loss = float(np.mean((rows @ weights - targets) ** 2))
    tune.report({"loss": loss, "own_seconds": time.monotonic() - begun})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--concurrent", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()
    ray.init(num_cpus=options.concurrent, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    space = {"learning_rate": tune.loguniform(1e-4, 0.1), "epochs": options.epochs}
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        tuner = tune.Tuner(
            tune.with_resources(train, {"cpu": 1}), param_space=space,
            tune_config=tune.TuneConfig(num_samples=options.samples, metric="loss", mode="min",
                                        max_concurrent_trials=options.concurrent),
            run_config=tune.RunConfig(storage_path=folder, verbose=0))
        results = tuner.fit()
        seconds = time.monotonic() - begun
        own = sum(result.metrics["own_seconds"] for result in results)
    print(json.dumps({"trials": options.samples, "seconds": seconds, "own_seconds": own, "ray": ray.__version__}))


if __name__ == "__main__":
    main()
