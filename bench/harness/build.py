"""The programs of one build folder."""
import sys
from pathlib import Path


class Build:
    """A build folder. Builds older than `troupe-bench` are measured with `troupe bench`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.troupe = self.program("troupe")
        own = self.folder / "bin/troupe-bench"
        self.measuring = [own] if own.is_file() else [self.troupe, "bench"]

    def program(self, name):
        program = self.folder / "bin" / name
        if not program.is_file():
            sys.exit(f"{program} is missing: build it, or select another build folder")
        return program
