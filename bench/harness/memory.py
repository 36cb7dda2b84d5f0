"""The memory of a program and all processes that it starts, and of the device that it computes on."""
import os
import subprocess
import tempfile
import time

from harness.programs import check, output_of

INTERVAL = 0.05  # seconds between two samples


def peak_pss(command, with_root=True):
    """Runs a command; the largest sum, at one time, of its processes' proportional set sizes, in bytes.

    A page that several processes map counts once in the sum. Without the root, only what the command started counts.
    """
    return peak(command, lambda root: sum(map(pss, descendants(root)[0 if with_root else 1:])))


def peak_device_memory(command, device):
    """Runs a command; by how many bytes at most more of the CUDA device of that PCI id was in use.

    What the driver itself takes for a process, some hundred megabytes, is among them.
    """
    before = used_of_device(device)
    return peak(command, lambda root: used_of_device(device)) - before


def peak(command, sample):
    """Runs a command; the largest sample(its process). Sampling takes time: do not measure speed in the same run."""
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
    """`root` and the processes below it."""
    children = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        children.setdefault(parent(pid), []).append(int(pid))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def parent(pid):
    """The parent of a process; nothing when the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def pss(pid):
    """Bytes; 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def used_of_device(device):
    """Bytes. Of a part of a device (MIG) nvidia-smi has no number, which is a ValueError."""
    return int(output_of(["nvidia-smi", "-i", device, "--query-gpu=memory.used", "--format=csv,noheader,nounits"])) << 20
