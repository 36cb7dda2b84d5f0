"""Reading data: JPEG files compared with torchvision, and CSV."""
import os
from statistics import median

from harness.bench import ROOT
from harness.programs import output_of
from harness.tables import table

IMAGES = 3000


def photos(bench):
    """Creates a folder of JPEG files of about 300 x 200."""
    folder = bench.folder / "photos"
    if not folder.exists():
        output_of(["/usr/bin/python3", ROOT / "scripts/make-image-folder.py", folder, "--images", IMAGES])
    return folder / "train"


def decoding(bench):
    """Images per second of decoding alone, on two cores."""
    folder = photos(bench)
    results = bench.alternate({
        "ours": lambda _: bench.measure("read", "--data", f"images:{folder},size=224", "--threads", 2)
        ["samples_per_second"],
        "theirs": lambda _: bench.peer("torchvision_images.py", folder)["images_per_second"]})
    ours, theirs = median(results["ours"]), median(results["theirs"])
    table("JPEG files of 300 x 200 to 224 x 224, decoding alone, images/s",
          ["torchvision, DataLoader, 2 workers", "Troupe, 2 threads", ""],
          [[f"{theirs:.0f}", f"{ours:.0f}", f"{ours / theirs:.2f}x"]])


def csv(bench):
    """Megabytes per second of one thread."""
    file = bench.folder / "large.csv"
    output_of(["/usr/bin/python3", ROOT / "scripts/make-large-csv.py", file, "--megabytes", 100])
    size = os.path.getsize(file) / 1e6
    results = bench.alternate({"ours": lambda _: size / bench.measure("read", "--data", f"csv:{file}")["load_seconds"]})
    table("CSV to floats in memory, one thread, MB/s", ["Troupe"], [[f"{median(results['ours']):.0f}"]])


def data(bench):
    decoding(bench)
    csv(bench)
