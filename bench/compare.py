#!/usr/bin/env python3
"""Measures Troupe and its peers side by side and prints Markdown tables. See bench/README.md.

Our runs and the peer's runs alternate within one call, so that both use the same machine. Figures are medians of the
rounds.
"""
import argparse
import sys
import tempfile
from pathlib import Path

from harness.bench import ROOT, Bench
from harness.machine import describe_machine, revision
from harness.programs import peers_python
from harness.tables import percent
from sections.against import AGAINST, against
from sections.allreduce import allreduce
from sections.asynchronous import asynchronous
from sections.checkpoint import checkpoint
from sections.cluster import CLUSTER
from sections.cnn import accuracy, cnn
from sections.cuda import cuda
from sections.data import data
from sections.deaths import deaths
from sections.fashion import fashion
from sections.gpt import gpt
from sections.lbfgs import lbfgs
from sections.linear import linear
from sections.local import local
from sections.modules import modules
from sections.remote import remote
from sections.resnet import resnet
from sections.sync import sync
from sections.trainer import trainer
from sections.transports import transports
from sections.tune import tune

SECTIONS = {"cnn": cnn, "accuracy": accuracy, "fashion": fashion, "data": data, "linear": linear, "sync": sync, "resnet": resnet,
            "allreduce": allreduce, "checkpoint": checkpoint, "deaths": deaths,
            "asynchronous": asynchronous, "local": local, "lbfgs": lbfgs, "trainer": trainer,
            "modules": modules, "remote": remote, "gpt": gpt,
            "transports": transports, "tune": tune, "cuda": cuda, **CLUSTER}
GROUPS = {"cluster": list(CLUSTER)}
ROUNDS = 3
AGAINST_ROUNDS = 7  # the minimum, because a ratio close to one needs more rounds than a ratio of two


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION",
                        help=f"one of {', '.join(SECTIONS)}; cluster selects all cluster-... sections; default: all")
    parser.add_argument("--rounds", type=int,
                        help=f"runs of each side (default {ROUNDS}; with --against at least {AGAINST_ROUNDS})")
    parser.add_argument("--accuracy-epochs", type=int, default=5, help="epochs of section accuracy (default 5)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="the folder of our build")
    parser.add_argument("--against", type=Path, metavar="BUILD", help="compare with an older build instead of "
                        f"peers; sections {', '.join(AGAINST)}")
    parser.add_argument("--python", type=Path, default=peers_python(),
                        help="a Python interpreter with torch (default that of `install-deps.sh --peers`: %(default)s)")
    parser.add_argument("--tls-python", type=Path, default=ROOT / "build/torch/bin/python",
                        help="a Python interpreter whose torch has gloo's TLS; Debian's torch does not")
    parser.add_argument("--small", action="store_true", help="section cuda: small networks, to test the script")
    options = parser.parse_args()
    least, known = (AGAINST_ROUNDS, AGAINST) if options.against else (1, SECTIONS)
    options.rounds = max(ROUNDS, least) if options.rounds is None else options.rounds
    given = [name for given in options.sections for name in GROUPS.get(given, [given])]
    options.sections = given or list(known)
    unknown = [name for name in options.sections if name not in known]
    if unknown:
        parser.error(f"unknown section {unknown[0]}: choose from {', '.join(known)}")
    if options.rounds < least or options.accuracy_epochs < 1:
        parser.error(f"--rounds must be at least {least} and --accuracy-epochs at least 1")
    return options


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        print(f"Machine: {describe_machine()}. One thread per replica on both sides, except for `cuda` and where a "
              f"row names threads. Medians of {options.rounds} alternating rounds.")
        for name in options.sections:
            if options.against:
                against(bench, name)
            else:
                SECTIONS[name](bench)
            sys.stdout.flush()
    versions = "".join(f", {name} {version}" for name, version in bench.versions.items())
    print(f"\nTroupe {revision(ROOT)}{versions}.")
    print(f"Other programs used up to {percent(bench.other_work)} of the processors.")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
