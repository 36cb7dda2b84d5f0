#!/usr/bin/env python3
"""Checks that links in the repository's Markdown files lead to existing files in git and to existing headings.
Does not follow links to other sites."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tracked():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    return {name for name in listed if name and (ROOT / name).exists()}


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def without_code(text):
    return re.sub(r"`[^`\n]*`", lambda code: re.sub(r"[\[\]()]", " ", code[0]), without_blocks(text))


def anchors(path):
    """Yields anchors as hosting sites make them from headings: lower case, no punctuation, dashes for spaces, numbered
    duplicates."""
    found = {}
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", without_blocks(path.read_text()), flags=re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = found[slug] = found.get(slug, -1) + 1
        yield f"{slug}-{number}" if number else slug


def main():
    files = tracked()
    folders = {str(parent) for name in files for parent in Path(name).parents}
    broken = 0
    for page in sorted(name for name in files if name.endswith(".md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code((ROOT / page).read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = (ROOT / page).parent / path if path else ROOT / page
            place = Path(place.resolve())
            name = str(place.relative_to(ROOT)) if place.is_relative_to(ROOT) else None
            if name not in files and name not in folders:
                print(f"{page}: {target}: no such file")
                broken += 1
            elif anchor and anchor not in set(anchors(place)):
                print(f"{page}: {target}: no such heading")
                broken += 1
    return 1 if broken else 0


sys.exit(main())
