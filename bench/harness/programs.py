"""Runs programs and reads their output."""
import json
import shutil
import subprocess
import sys
from pathlib import Path

PEERS_PYTHON = Path(__file__).resolve().parents[2] / "build/peers/bin/python"


def peers_python():
    """Returns the interpreter that `install-deps.sh --peers` installed, if it is complete, otherwise Debian's."""
    return PEERS_PYTHON if (PEERS_PYTHON.parents[1] / "complete").exists() else Path("/usr/bin/python3")


def output_of(command, **options):
    """Returns the standard output of a command. If the command fails, exits with the command's output."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    except subprocess.TimeoutExpired as late:
        sys.exit(f"{' '.join(command)}\ndid not end within {late.timeout} s")
    check(command, done.returncode, done.stdout + done.stderr)
    return done.stdout


def check(command, status, words):
    if status != 0:
        sys.exit(f"{' '.join(command)}\nfailed with {status}:\n{words}")


def has_module(python, name):
    return subprocess.run([str(python), "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def has_program(name):
    return shutil.which(name) is not None


def all_json(text):
    """Returns the lines that are JSON objects."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def last_json(text):
    """Returns the last line that is a JSON object."""
    return all_json(text)[-1]
