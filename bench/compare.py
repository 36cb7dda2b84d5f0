#!/usr/bin/env python3
"""Measures Troupe and its peers side by side and prints Markdown tables. See bench/README.md.

Ours and the peer's runs alternate within one call, so both meet the same machine; figures are medians of the rounds.
"""
import argparse
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "bench" / "peers"
PLACEMENTS = ("in-process", "processes")
LINEAR_COEFFICIENTS = (5.0, 3.0, 2.0, 1.0)
LINEAR_STEPS = 2000
SYNC_PARAMETERS = 44_551_209  # ResNet-101
SYNC_REPLICAS = 4


def output_of(command, **options):
    """Standard output of a command; ends the program with the command's own words when it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def last_json(text):
    """The last line that is a JSON object."""
    return json.loads([line for line in text.splitlines() if line.startswith("{")][-1])


def median(values):
    return statistics.median(values)


class Bench:
    """What all sections share: programs, options, a folder for reports, and progress to standard error."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = Path(folder)
        self.versions = {}

    def note(self, text):
        print(text, file=sys.stderr, flush=True)

    def troupe(self, *arguments):
        return output_of([self.options.troupe, *arguments])

    def train(self, placement, *arguments):
        """Runs `troupe train`; gives its output and the reported steps."""
        report = self.folder / "report.jsonl"
        text = self.troupe("train", "--placement", placement, "--report", report, *arguments)
        with report.open() as lines:
            return text, [json.loads(line) for line in lines]

    def peer(self, script, *arguments):
        result = last_json(output_of([self.options.python, PEERS / script, *arguments]))
        self.versions["PyTorch"] = result["torch"]
        return result

    def alternate(self, runs):
        """Runs each of `runs` (name -> function of the round) once a round; gives name -> results."""
        results = {name: [] for name in runs}
        for number in range(self.options.rounds):
            for name, run in runs.items():
                result = run(number)
                results[name].append(result)
                self.note(f"round {number + 1}/{self.options.rounds}, {name}: {result}")
        return results


def phases_off(steps):
    """The share of all steps' time that their phases do not explain."""
    total = sum(step["seconds"]["step"] for step in steps)
    phases = sum(step["seconds"][name] for step in steps for name in ("compute_all", "reduce", "apply_all"))
    return abs(phases - total) / total


def step_seconds(steps):
    return sum(step["seconds"]["step"] for step in steps)


def percent(value):
    return f"{100 * value:.1f} %"


def table(title, head, rows):
    print(f"\n### {title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


CNN = ("--model", "cnn", "--data", "fashion-mnist", "--workers", 2, "--batch-size", 64, "--learning-rate", 0.05,
       "--momentum", 0.9)
DDP_CNN = ("--procs", 2, "--batch-size", 64, "--learning-rate", 0.05, "--momentum", 0.9)


def cnn(bench):
    """Images per second of one epoch."""
    def ours(placement):
        def run(number):
            _, steps = bench.train(placement, *CNN, "--epochs", 1, "--seed", number + 1, "--quiet")
            images = sum(step["samples"] for step in steps)
            return {"rate": images / step_seconds(steps), "off": phases_off(steps), "images": images,
                    "copied": median([step["bytes_copied"] for step in steps])}
        return run

    def ddp(number):
        return {"rate": bench.peer("ddp_cnn.py", *DDP_CNN, "--seed", number + 1)["images_per_second"][0]}

    results = bench.alternate({**{placement: ours(placement) for placement in PLACEMENTS}, "ddp": ddp})
    theirs = median([result["rate"] for result in results["ddp"]])
    rows = [["PyTorch DDP, gloo, 2 processes", f"{theirs:.0f}", "1.0x", "", ""]]
    for placement in PLACEMENTS:
        rate = median([result["rate"] for result in results[placement]])
        off = max(result["off"] for result in results[placement])
        copied = results[placement][0]["copied"]
        rows.append([f"Troupe, 2 workers, {placement}", f"{rate:.0f}", f"{rate / theirs:.2f}x", percent(off),
                     f"{copied:.0f}"])
    table("Reference CNN, Fashion-MNIST, 2 x batch 64, one epoch",
          ["", "images/s", "against DDP", "step not in phases", "gradient bytes copied a step"], rows)


def accuracies(text, epochs):
    """The accuracy after each epoch; the command prints one an epoch and repeats the last at its end."""
    found = [float(number) for number in re.findall(r"test accuracy:? ([0-9.]+)", text)]
    if len(found) not in (epochs, epochs + 1):
        sys.exit(f"troupe train printed {len(found)} accuracies in {epochs} epochs:\n{text}")
    return found[:epochs]


def accuracy(bench):
    """Test accuracy after two epochs and the best within five, for three seeds."""
    epochs = bench.options.accuracy_epochs
    rows = []
    for seed in (1, 2, 3):
        text, _ = bench.train("in-process", *CNN, "--epochs", epochs, "--seed", seed)
        ours = accuracies(text, epochs)
        theirs = bench.peer("ddp_cnn.py", *DDP_CNN, "--epochs", epochs, "--seed", seed)["accuracy"]
        bench.note(f"seed {seed}: ours {ours}, DDP {theirs}")
        rows.append([seed, f"{ours[min(1, epochs - 1)]:.4f}", f"{theirs[min(1, epochs - 1)]:.4f}",
                     f"{max(ours):.4f}", f"{max(theirs):.4f}", f"{max(ours) - max(theirs):+.4f}"])
    table("Test accuracy of the reference CNN",
          ["seed", "Troupe, 2 epochs", "DDP, 2 epochs", f"Troupe, best of {epochs}", f"DDP, best of {epochs}",
           "difference of the best"], rows)


def read_weights(path):
    """All floats of a safetensors file, in the order of the file."""
    content = path.read_bytes()
    length = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + length])
    tensors = [tensor for name, tensor in header.items() if name != "__metadata__"]
    if any(tensor["dtype"] != "F32" for tensor in tensors):
        sys.exit(f"{path}: only F32 is expected")
    return [number for (number,) in struct.iter_unpack("<f", content[8 + length:])]


def coefficient_error(coefficients):
    if len(coefficients) != len(LINEAR_COEFFICIENTS):
        sys.exit(f"expected {len(LINEAR_COEFFICIENTS)} coefficients, got {coefficients}")
    return max(abs(got - wanted) for got, wanted in zip(coefficients, LINEAR_COEFFICIENTS))


def linear(bench):
    """Steps per second of full-shard linear regression."""
    def ours(placement):
        def run(_):
            saved = bench.folder / "linear.safetensors"
            _, steps = bench.train(placement, "--model", "linear", "--data", "synthetic-linear", "--workers", 4,
                                   "--batch-size", 0, "--steps", LINEAR_STEPS, "--learning-rate", 0.01, "--quiet",
                                   "--save", saved)
            return {"rate": len(steps) / step_seconds(steps), "error": coefficient_error(read_weights(saved)),
                    "off": phases_off(steps)}
        return run

    def ddp(_):
        result = bench.peer("ddp_linear.py", "--procs", 4, "--steps", LINEAR_STEPS, "--learning-rate", 0.01)
        return {"rate": result["steps_per_second"], "error": coefficient_error(result["coefficients"])}

    results = bench.alternate({**{placement: ours(placement) for placement in PLACEMENTS}, "ddp": ddp})
    theirs = median([result["rate"] for result in results["ddp"]])
    rows = []
    labels = {"ddp": "PyTorch DDP, gloo, 4 processes", **{name: f"Troupe, 4 workers, {name}" for name in PLACEMENTS}}
    for name, label in labels.items():
        rate = median([result["rate"] for result in results[name]])
        off = percent(max(result["off"] for result in results[name])) if name != "ddp" else ""
        error = max(result["error"] for result in results[name])
        rows.append([label, f"{rate:.0f}", f"{rate / theirs:.1f}x", f"{error:.5f}", off])
    table(f"Linear regression, 1000 x 4, 250 rows a shard, {LINEAR_STEPS} steps",
          ["", "steps/s", "against DDP", "largest error of a coefficient", "step not in phases"], rows)


def build_mpi(bench):
    program = bench.folder / "mpi_allreduce"
    output_of(["mpicxx", "-O3", PEERS / "mpi_allreduce.cpp", "-o", program])
    bench.versions["OpenMPI"] = output_of(["mpirun", "--version"]).split("\n", maxsplit=1)[0].split()[-1]
    return program


def sync(bench):
    """Reduce and apply of one model's parameters, against the memory floor and an all-reduce."""
    program = build_mpi(bench)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def ours(placement):
        def run(_):
            return last_json(bench.troupe(
                "bench", "sync", "--parameters", SYNC_PARAMETERS, "--workers", SYNC_REPLICAS, "--devices-per-worker", 1,
                "--placement", placement, "--strategy", "sharded", "--json"))
        return run

    def mpi(_):
        return last_json(output_of(["mpirun", "--oversubscribe", "-n", SYNC_REPLICAS, program, SYNC_PARAMETERS],
                                   env=environment))

    results = bench.alternate({**{placement: ours(placement) for placement in PLACEMENTS}, "mpi": mpi})
    theirs = median([result["seconds"] for result in results["mpi"]])
    rows = [["OpenMPI all-reduce, private copies, no update", f"{theirs:.4f}", "", "", "1.00"]]
    for placement in PLACEMENTS:
        seconds = median([result["seconds"] for result in results[placement]])
        floor = median([result["floor_seconds"] for result in results[placement]])
        ratio = median([result["ratio"] for result in results[placement]])
        rows.append([f"Troupe, reduce and apply, {placement}", f"{seconds:.4f}", f"{floor:.4f}", f"{ratio:.2f}x",
                     f"{seconds / theirs:.2f}"])
    table(f"Gradients of {SYNC_REPLICAS} replicas to new weights, {SYNC_PARAMETERS:,} parameters",
          ["", "seconds", "memory floor", "against the floor", "against OpenMPI"], rows)


SECTIONS = {"cnn": cnn, "accuracy": accuracy, "linear": linear, "sync": sync}


def machine():
    fields = {}
    for line in output_of(["lscpu"], env={**os.environ, "LC_ALL": "C"}).splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    flags = fields.get("Flags", "").split()
    vector = next((name for name in ("avx512f", "avx2") if name in flags), "no avx2")
    return f"{fields.get('Model name', 'unknown processor')}, {fields.get('CPU(s)', '?')} CPUs, {vector}"


def revision():
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION",
                        help=f"of {', '.join(SECTIONS)}; all when none is given")
    parser.add_argument("--rounds", type=int, default=3, help="alternating runs of each side (default 3)")
    parser.add_argument("--accuracy-epochs", type=int, default=5, help="epochs of section accuracy (default 5)")
    parser.add_argument("--troupe", type=Path, default=ROOT / "build/release/bin/troupe", help="our program")
    parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has torch")
    options = parser.parse_args()
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
        print(f"Machine: {machine()}. Medians of {options.rounds} alternating rounds.")
        for name in options.sections or SECTIONS:
            SECTIONS[name](bench)
            sys.stdout.flush()
    versions = "".join(f", {name} {version}" for name, version in bench.versions.items())
    print(f"\nTroupe {revision()}{versions}.")


if __name__ == "__main__":
    main()
