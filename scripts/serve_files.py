#!/usr/bin/env python3
"""Serves the files of a folder on 127.0.0.1, with ranges of bytes, to try data on servers. Not for other machines."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
from harness.file_server import main

main()
