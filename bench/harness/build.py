"""The programs of one build folder."""
import sys
from pathlib import Path


class Build:
    """What was built before there was `troupe-bench` measures by `troupe bench`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.troupe = self.program("troupe")
        own = self.folder / "bin/troupe-bench"
        self.measuring = [own] if own.is_file() else [self.troupe, "bench"]

    def program(self, name):
        program = self.folder / "bin" / name
        if not program.is_file():
            sys.exit(f"{program} is missing: build it, or name another folder")
        return program
