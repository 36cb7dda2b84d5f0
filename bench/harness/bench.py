"""Shared state of all sections: programs, options, a folder for reports, and progress on standard error."""
import os
import sys
from copy import copy
from pathlib import Path

from harness.build import Build
from harness.machine import OtherWork
from harness.memory import peak_pss
from harness.programs import all_json, last_json, output_of
from harness.steps import profile_of, steps_of
from harness.tables import percent

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "bench" / "peers"
# Lets glibc keep freed memory instead of returning it to the system.
TUNED = {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=2000000000"}
PLACEMENTS = ("in-process", "processes")


def environment(tuned):
    """Returns the environment of a program. With `tuned`, glibc keeps freed memory."""
    return {**os.environ, **(TUNED if tuned else {})}


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.built = Build(options.build)
        self.folder = Path(folder)
        self.report = self.folder / "report.jsonl"
        self.versions = {}
        self.failed = False  # whether a section could not measure our side
        self.limit = None  # the longest time of a program in seconds; None: unlimited
        self.other_work = 0  # the largest share of the processors that other programs used during a run

    def with_build(self, folder):
        """Returns a copy that uses the programs of another build folder."""
        other = copy(self)
        other.built = Build(folder)
        return other

    def note(self, text):
        print(text, file=sys.stderr, flush=True)

    def troupe(self, *arguments):
        return output_of([self.built.troupe, *arguments], timeout=self.limit)

    def measure(self, *arguments):
        """Returns the result of a command of `troupe-bench`."""
        return last_json(output_of([*self.built.measuring, *arguments, "--json"], timeout=self.limit))

    def train(self, placement, *arguments):
        """Runs `troupe train`. Returns its output and the reported steps."""
        text = self.troupe("train", "--placement", placement, "--report", self.report, *arguments)
        with self.report.open() as lines:
            return text, steps_of(lines)

    def layer_times(self):
        """Returns the profile of the last `train` with --profile: a row for each kind of layer."""
        with self.report.open() as lines:
            return {row["kind"]: row for row in profile_of(lines)}

    def train_memory(self, placement, *arguments):
        """Returns the peak memory of `troupe train` and its worker processes in bytes."""
        return peak_pss([self.built.troupe, "train", "--placement", placement, *arguments])

    def peer(self, script, *arguments, tuned=False):
        return self.peer_lines(script, *arguments, tuned=tuned)[-1]

    def peer_lines(self, script, *arguments, torch=True, tuned=False):
        """Returns all JSON lines of a peer. With `torch` it is a PyTorch program, and its version is noted. With `tuned`
        glibc keeps freed memory instead of returning it to the system."""
        lines = all_json(output_of([self.options.python, PEERS / script, *arguments], timeout=self.limit,
                                   env=environment(tuned)))
        if torch:
            self.note_torch(lines[-1])
        return lines

    def note_torch(self, line, name="PyTorch"):
        self.versions[name] = f"{line['torch']} with BLAS {line['blas']}"

    def build_mpi(self, source):
        """Compiles an MPI peer. Returns the path of the program."""
        self.versions["OpenMPI"] = output_of(["mpirun", "--version"]).split("\n", maxsplit=1)[0].split()[-1]
        return self.build(["mpicxx", "-O3"], source)

    def mpi(self, ranks, *arguments):
        """Returns all JSON lines of an MPI program on this machine."""
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return all_json(output_of(["mpirun", "--oversubscribe", "-n", ranks, *arguments], env=environment))

    def peer_memory(self, script, *arguments):
        """Returns the peak memory of a peer's processes in bytes, without the process that only starts them."""
        return peak_pss([self.options.python, PEERS / script, *arguments], with_root=False)

    def build(self, compiler, source, *options):
        """Compiles a peer. Returns the path of the program."""
        program = self.folder / Path(source).stem
        output_of([*compiler, PEERS / source, "-o", program, *options])
        return program

    def alternate(self, runs):
        """Runs each of `runs` (name -> function of the round) once per round. Returns name -> results.

        Every other round runs them in reverse order, so that no name always follows the same name.
        """
        results = {name: [] for name in runs}
        for number in range(self.options.rounds):
            for name, run in reversed(runs.items()) if number % 2 else runs.items():
                others = OtherWork()
                result = run(number)
                results[name].append(result)
                self.other_work = max(self.other_work, others.share())
                self.note(f"round {number + 1}/{self.options.rounds}, {name}: {result}, "
                          f"other programs {percent(others.share())}")
        return results
