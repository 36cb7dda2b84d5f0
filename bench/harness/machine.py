"""Describes the program and the machine that are measured."""
import ctypes
import os
import subprocess
import time

from harness.programs import output_of


def cpu_flags():
    return _lscpu().get("Flags", "").split()


def describe_machine():
    fields = _lscpu()
    vector = next((name for name in ("avx512f", "avx2") if name in cpu_flags()), "no avx2")
    return f"{fields.get('Model name', 'unknown processor')}, {fields.get('CPU(s)', '?')} CPUs, {vector}"


def revision(root):
    """Returns git's description, or the content of the file `revision` in an archive (scripts/gpu/bundle.sh)."""
    packed = root / "revision"
    if packed.is_file():
        return packed.read_text(encoding="utf-8").strip()
    done = subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


class OtherWork:
    """Measures the share of processor time that programs not started by this one use."""

    def __init__(self):
        # Daemons such as mpirun's become children of this program when their parents end, and then count as ours.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        self._start = self._now()

    def share(self):
        """Returns the share since construction. A child counts as ours once it has ended."""
        wall, busy, own = (now - start for now, start in zip(self._now(), self._start))
        return max(0, busy - own) / (wall * os.cpu_count())

    @staticmethod
    def _now():
        _reap()
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, *others = map(int, file.readline().split()[1:9])
        busy = (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")
        return time.monotonic(), busy, sum(os.times()[:4])


def _reap():
    """Reaps all children that have ended, so that os.times() includes their time."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _lscpu():
    fields = {}
    for line in output_of(["lscpu"], env={**os.environ, "LC_ALL": "C"}).splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    return fields
