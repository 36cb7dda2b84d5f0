"""The median time of torch.distributed's all-reduce (sum) of COUNT floats over gloo. Prints one JSON line per COUNT.

The slowest rank's time counts. Every rank ends with its own copy of the sum. There is no optimizer step.
"""
import argparse
import json
import sys
import time
from statistics import median

import torch
import torch.distributed as dist

import ddp


def rounds_of(options, count):
    if options.rounds:
        return options.rounds
    return 9 if count > 10_000_000 else 21 if count > 1_000_000 else 201


def one_round(values, rank):
    values.fill_(rank + 1)
    dist.barrier()
    start = time.perf_counter()
    dist.all_reduce(values)
    return time.perf_counter() - start


def run(rank, options):
    for count in options.counts:
        values = torch.empty(count)
        one_round(values, rank)  # touches all pages and opens the connections
        seconds = torch.tensor([one_round(values, rank) for _ in range(rounds_of(options, count))])
        dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
        if not bool((values == options.procs * (options.procs + 1) // 2).all()):
            sys.exit(f"rank {rank}: the sum of {count} floats is wrong")
        if rank == 0:
            print(json.dumps({"ranks": options.procs, "floats": count, "rounds": len(seconds),
                              "seconds": median(seconds.tolist()), **ddp.versions()}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--procs", type=int, default=4, help="processes on this machine, without a launcher")
    parser.add_argument("--rounds", type=int, default=0, help="0: more for smaller sums")
    parser.add_argument("counts", type=int, nargs="+", metavar="COUNT")
    ddp.launch(run, parser.parse_args())


if __name__ == "__main__":
    main()
