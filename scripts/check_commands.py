#!/usr/bin/env python3
"""Checks that each `troupe` command in the repository's Markdown exists and has the options that it is shown with, and
that each script that a page names is there.

usage: check_commands.py PROGRAM      PROGRAM: the built command, such as build/release/bin/troupe
"""
import functools
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OF_ANOTHER_COMMAND = {"tune": ["train"]}  # `tune` passes the options of `train` to its trials
END_OF_COMMAND = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1"}


@functools.cache
def help_of(program, words):
    """The full help of a command, or None where there is no such command."""
    run = subprocess.run([program, *words, "--help-all"], capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


@functools.cache
def options_of(program, words):
    text = help_of(program, words) or ""
    options = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text))
    for other in OF_ANOTHER_COMMAND.get(words[0], []) if words else []:
        options |= options_of(program, (other,))
    return options


def blocks(page):
    """The code blocks of a page, indented or fenced, as lines with their numbers."""
    fenced = False
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield number, line.strip()


def commands(page):
    """Commands with their line numbers; a line that ends with a backslash continues in the next one."""
    begun, text = 0, ""
    for number, line in blocks(page):
        begun = begun if text else number
        if line.endswith("\\"):
            text += line[:-1]
            continue
        yield begun, text + line
        text = ""


def words_of(text):
    """The words of each `troupe` in a command line, up to what ends the command."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:  # no command, but something that a program prints
        return
    for at, word in enumerate(words):
        if Path(word).name == "troupe" and (word == "troupe" or "/bin/" in word):
            rest = words[at + 1:]
            ends = (i for i, each in enumerate(rest) if each in END_OF_COMMAND | {"troupe"} or each.endswith(";"))
            end = next(ends, len(rest))
            yield rest[:end]


def faults(program, words):
    path = ()
    while len(words) > len(path) and re.fullmatch(r"[a-z]+", words[len(path)]) and \
            re.search(rf"^  {words[len(path)]}\s", help_of(program, path) or "", flags=re.M):
        path += (words[len(path)],)
    if not path:
        if words and re.fullmatch(r"[a-z]+", words[0]):
            yield f"there is no command '{words[0]}'"
        return
    for word in words:
        option = word.split("=")[0]
        if re.fullmatch(r"--[a-z][\w-]*", option) and option not in options_of(program, path):
            yield f"`troupe {' '.join(path)}` has no option {option}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    found = broken = 0
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in listed.split("\n"):
        if not name or name == "CHANGELOG.md":
            continue
        for number, text in commands(ROOT / name):
            for words in words_of(text):
                found += 1
                for fault in faults(program, words):
                    print(f"{name}:{number}: {fault}")
                    broken += 1
            for script in re.findall(r"(?:^|\s)\.?/?(scripts/[\w./-]+)", text):
                if not (ROOT / script).exists():
                    print(f"{name}:{number}: there is no {script}")
                    broken += 1
    print(f"{found} commands, {broken} faults")
    return 1 if broken or found == 0 else 0


sys.exit(main())
