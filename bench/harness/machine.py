"""What was measured, and on what."""
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
    """Of git, or what an archive says that was packed from a revision (scripts/gpu/bundle.sh)."""
    packed = root / "revision"
    if packed.is_file():
        return packed.read_text(encoding="utf-8").strip()
    done = subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


class OtherWork:
    """Watches what share of the processors' time goes to programs that this one did not start."""

    def __init__(self):
        # Daemons of a run, such as mpirun's, become this program's children when their parents end, and count as ours.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        self._start = self._now()

    def share(self):
        """Since the construction; children count as ours once they have ended."""
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
    """Takes leave of all children that have ended; only their time counts."""
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
