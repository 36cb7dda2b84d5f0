#!/usr/bin/python3
"""Creates a CSV file of any size, for tests of data that does not fit into memory. FILE has --megabytes megabytes with
eight columns of random numbers, x1 to x8, and a target y = 1 + x1 - 2 x2 + 3 x3 - ... - 8 x8 + noise of deviation 1.
The standard deviation of y without the noise is 8.25. The same seed creates the same file."""

import argparse
import random


def rows(count, draw):
    for _ in range(count):
        x = [draw.random() * 2 - 1 for _ in range(8)]
        y = 1 + sum((-1) ** i * (i + 1) * value for i, value in enumerate(x)) + draw.gauss(0, 1)
        yield ",".join([f"{value:.6f}" for value in x] + [f"{y:.6f}"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    left = options.megabytes * 1_000_000
    with open(options.file, "w") as file:
        file.write(",".join([f"x{i}" for i in range(1, 9)] + ["y"]) + "\n")
        while left > 0:
            block = "".join(rows(10_000, draw))
            file.write(block)
            left -= len(block)


if __name__ == "__main__":
    main()
