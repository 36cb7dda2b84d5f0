"""Reads the options of a program of bench/peers with its own parser, and prints the line that it would print on a GPU."""
import json
import runpy
import sys
from pathlib import Path
from unittest.mock import MagicMock

for module in ("torch", "torch.distributed", "torch.multiprocessing", "torch.nn", "torchvision"):
    sys.modules[module] = MagicMock()
program = Path(sys.argv[1])
sys.path.insert(0, str(program.parent))
import ddp  # noqa: E402  pylint: disable=wrong-import-position


def launch(_run, options):
    assert options.device == "cuda" and options.procs == 1
    print(json.dumps({"torch": "a stand-in", "blas": "none", "first_seconds": 1.0, "step_seconds": 0.01,
                      "images_per_second": [1000, 2000]}))


ddp.launch = launch
sys.argv = sys.argv[1:]
runpy.run_path(str(program), run_name="__main__")
