"""Measures the time that Ray Train needs until a function runs on all of its workers. Prints one JSON line.

`start_seconds` is the time from `fit` to the last worker's first line, in a running Ray. `again_seconds` is a second
`fit` of the same trainer, from its call to its return, because Ray Train keeps no workers between two calls.
"""
import argparse
import json
import logging
import os
import time

os.environ.setdefault("RAY_TRAIN_V2_ENABLED", "1")

import ray
import ray.train
import ray.train.torch


def begin(config):
    with open(f"{config['folder']}/rank{ray.train.get_context().get_world_rank()}", "w", encoding="ascii") as file:
        file.write(str(time.monotonic()))


def trainer_of(options):
    return ray.train.torch.TorchTrainer(
        begin, train_loop_config={"folder": options.folder},
        scaling_config=ray.train.ScalingConfig(num_workers=options.procs, resources_per_worker={"CPU": 1}),
        run_config=ray.train.RunConfig(storage_path=options.folder + "/storage"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--procs", type=int, default=4)
    parser.add_argument("folder", help="folder for files that the workers write")
    options = parser.parse_args()
    started = time.monotonic()
    # Ray counts the trainer's own actor as a core.
    ray.init(num_cpus=options.procs + 1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    cluster = time.monotonic() - started
    began = time.monotonic()
    trainer_of(options).fit()
    times = []
    for rank in range(options.procs):
        with open(f"{options.folder}/rank{rank}", encoding="ascii") as file:
            times.append(float(file.read()))
    again = time.monotonic()
    trainer_of(options).fit()
    again = time.monotonic() - again
    print(json.dumps({"ranks": options.procs, "cluster_seconds": cluster, "start_seconds": max(times) - began,
                      "again_seconds": again, "ray": ray.__version__}))


if __name__ == "__main__":
    main()
