"""Measures the memory of a program with all its child processes, and the memory of a device."""
import os
import subprocess
import tempfile
import time

from harness.programs import check, output_of

INTERVAL = 0.05  # seconds between two samples


def peak_pss(command, with_root=True):
    """Runs a command. Returns the largest sum, at one time, of its processes' proportional set sizes, in bytes.

    A page that several processes map counts once in the sum. With `with_root=False` the first process does not count.
    """
    return peak(command, lambda root: sum(map(pss, descendants(root)[0 if with_root else 1:])))


def peak_device_memory(command, device):
    """Runs a command. Returns the largest increase of used memory on the CUDA device with this PCI id, in bytes.

    The increase includes the driver's own memory per process, several hundred megabytes.
    """
    before = used_of_device(device)
    return peak(command, lambda root: used_of_device(device)) - before


def peak(command, sample):
    """Runs a command. Returns the largest value of sample(pid). Sampling takes time, so do not measure speed in the
    same run."""
    command = [str(part) for part in command]
    largest = 0
    with tempfile.TemporaryFile("w+") as words:
        with subprocess.Popen(command, stdout=words, stderr=words) as process:
            while process.poll() is None:
                largest = max(largest, sample(process.pid))
                time.sleep(INTERVAL)
        words.seek(0)
        check(command, process.returncode, words.read())
    return largest


def descendants(root):
    """Returns `root` and all its descendants."""
    children = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        children.setdefault(parent(pid), []).append(int(pid))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def parent(pid):
    """Returns the parent of a process, or None if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def pss(pid):
    """Returns the proportional set size in bytes, or 0 if the process has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def used_of_device(device):
    """Returns the used memory in bytes. Raises ValueError for a part of a device (MIG), because nvidia-smi reports no
    number."""
    return int(output_of(["nvidia-smi", "-i", device, "--query-gpu=memory.used", "--format=csv,noheader,nounits"])) << 20
