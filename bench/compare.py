#!/usr/bin/env python3
"""Measures Troupe and its peers side by side and prints Markdown tables. See bench/README.md.

Ours and the peer's runs alternate within one call, so both meet the same machine; figures are medians of the rounds.
"""
import argparse
import sys
import tempfile
from pathlib import Path

from harness.bench import ROOT, Bench
from harness.machine import describe_machine, revision
from harness.tables import percent
from sections.allreduce import allreduce
from sections.cluster import CLUSTER
from sections.cnn import accuracy, cnn
from sections.linear import linear
from sections.resnet import resnet
from sections.sync import sync

SECTIONS = {"cnn": cnn, "accuracy": accuracy, "linear": linear, "sync": sync, "resnet": resnet,
            "allreduce": allreduce, **CLUSTER}
GROUPS = {"cluster": list(CLUSTER)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION",
                        help=f"of {', '.join(SECTIONS)}; cluster for all of its own; all when none is given")
    parser.add_argument("--rounds", type=int, default=3, help="alternating runs of each side (default 3)")
    parser.add_argument("--accuracy-epochs", type=int, default=5, help="epochs of section accuracy (default 5)")
    parser.add_argument("--troupe", type=Path, default=ROOT / "build/release/bin/troupe", help="our program")
    parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has torch")
    parser.add_argument("--tls-python", type=Path, default=ROOT / "build/torch/bin/python",
                        help="an interpreter whose torch has gloo's TLS, which Debian's has not")
    options = parser.parse_args()
    options.sections = [name for given in options.sections for name in GROUPS.get(given, [given])]
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section {unknown[0]}: choose from {', '.join(SECTIONS)}")
    if options.rounds < 1 or options.accuracy_epochs < 1:
        parser.error("rounds and epochs are at least 1")
    if not options.troupe.is_file():
        parser.error(f"{options.troupe} is missing: build it, or name another with --troupe")
    return options


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        print(f"Machine: {describe_machine()}. Medians of {options.rounds} alternating rounds.")
        for name in options.sections or SECTIONS:
            SECTIONS[name](bench)
            sys.stdout.flush()
    versions = "".join(f", {name} {version}" for name, version in bench.versions.items())
    print(f"\nTroupe {revision(ROOT)}{versions}.")
    print(f"Other programs had up to {percent(bench.other_work)} of the processors.")


if __name__ == "__main__":
    main()
