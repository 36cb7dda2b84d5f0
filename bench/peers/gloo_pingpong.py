"""The median time of a message of BYTES from rank 0 to rank 1 with torch.distributed's send and recv over gloo. Prints
one JSON line per BYTES.

The time is half of a round trip in which the receiver reads every word, as in `troupe-bench transports`.
"""
import argparse
import json
import sys
import time
from statistics import median

import torch
import torch.distributed as dist

import ddp

WORD = 3


def rounds_of(options, size):
    if options.rounds:
        return options.rounds
    return 5 if size > 50_000_000 else 21 if size > 5_000_000 else 101 if size > 500_000 else 501


def read(words, first):
    if int(words.sum()) != first + WORD * (len(words) - 1):
        sys.exit("the received message differs from the sent message")


def play(rank, size, rounds):
    """Returns the seconds in one direction for each round."""
    words = torch.full((size // 4,), WORD, dtype=torch.int32)
    came = torch.empty_like(words)
    seconds = []
    for number in range(rounds + 1):  # the first round touches all pages and opens the connections
        words[0] = number
        start = time.perf_counter()
        if rank == 0:
            dist.send(words, 1)
        dist.recv(came, 1 - rank)
        read(came, number)
        if rank == 1:
            dist.send(words, 0)
        if number > 0:
            seconds.append((time.perf_counter() - start) / 2)
    return seconds


def run(rank, options):
    for size in options.bytes:
        seconds = play(rank, size, rounds_of(options, size))
        if rank == 0:
            print(json.dumps({"transport": "gloo", "bytes": size, "rounds": len(seconds), "seconds": median(seconds),
                              **ddp.versions()}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=0, help="0: more for shorter messages")
    parser.add_argument("bytes", type=int, nargs="+", metavar="BYTES")
    options = parser.parse_args()
    options.procs = 2
    ddp.launch(run, options)


if __name__ == "__main__":
    main()
