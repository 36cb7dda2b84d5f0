"""Archives on a web server: training compared with the same archives in files, and decoding compared with WebDataset."""
import io
import os
import random
import shutil
import struct
import tarfile
import time
from statistics import median

from harness.file_server import FileServer
from harness.memory import peak_pss
from harness.tables import table
from sections.data import photos

RATE = 125e6  # bytes per second of the server: 1 Gbit/s
ARCHIVES = 8
ARCHIVE_BYTES = 10**9
STEPS = 2000
WORK = ("--model", "cnn", "--batch-size", 64, "--workers", 2, "--data-memory", "500M", "--start-timeout", 900)


def header(name, size):
    """Returns the header of a tar member, 512 bytes."""
    fields = name.encode().ljust(100, b"\0") + b"0000644\0" + 2 * b"0000000\0" + b"%011o\0" % size + b"00000000000\0"
    rest = b"0" + 100 * b"\0" + b"ustar\00000" + bytes(247)
    return fields + b"%06o\0 " % (sum(fields) + sum(rest) + 8 * 32) + rest


def member(name, content):
    return header(name, len(content)) + content + bytes(-len(content) % 512)


def digits(samples):
    """Returns members of samples: npy files of 28 x 28 random bytes, and classes."""
    start = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 28, 28), }".ljust(117) + "\n"
    start = b"\x93NUMPY\x01\0" + struct.pack("<H", len(start)) + start.encode()
    draw = random.Random(1)
    return b"".join(member(f"{i}.npy", start + draw.randbytes(784)) + member(f"{i}.cls", str(i % 10).encode())
                    for i in range(samples))


def write_archives(folder):
    """Writes archives of small samples: the same ten thousand samples again and again."""
    folder.mkdir()
    block = digits(10_000)
    for i in range(ARCHIVES):
        with open(folder / f"train-{i}.tar", "wb") as file:
            for _ in range(ARCHIVE_BYTES // len(block)):
                file.write(block)
            file.write(bytes(1024))
    return f"train-{{0..{ARCHIVES - 1}}}.tar"


def archive_photos(bench):
    """Writes the JPEG files of `photos` to four archives."""
    folder = bench.folder / "photo-archives"
    folder.mkdir()
    files = sorted(photos(bench).glob("*/*.jpg"))
    random.Random(1).shuffle(files)
    classes = sorted({file.parent.name for file in files})
    for i in range(4):
        with tarfile.open(folder / f"photos-{i}.tar", "w") as archive:
            for number, file in enumerate(files[i::4]):
                for name, content in ((f"{number:06}.jpg", file.read_bytes()),
                                      (f"{number:06}.cls", str(classes.index(file.parent.name)).encode())):
                    info = tarfile.TarInfo(name)
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content))
    return folder


def rate_after_first_step(steps):
    """Returns steps per second, without the first step."""
    return (len(steps) - 1) / sum(step["seconds"]["step"] for step in steps[1:])


def train(bench, data, steps=STEPS, more=()):
    return bench.train("processes", *WORK, "--data", data, "--steps", steps, *more)[1]


def training(bench):
    folder = bench.folder / "archives"
    pattern = write_archives(folder)
    size = sum(file.stat().st_size for file in folder.glob("*.tar"))
    os.environ["XDG_CACHE_HOME"] = str(bench.folder / "cache")
    rows = []
    with FileServer(folder, RATE) as server:
        remote, local = f"tar:{server.url}/{pattern}", f"tar:{folder}/{pattern}"
        begin = time.monotonic()
        train(bench, remote, 1)
        rows.append(["from nothing to the first step", f"{time.monotonic() - begin:.0f} s",
                     f"{server.bytes / size:.2f}x of the data, {server.requests} requests"])
        server.reset()
        begin = time.monotonic()
        train(bench, remote, 1)
        rows.append(["to the first step with an index", f"{time.monotonic() - begin:.1f} s",
                     f"{100 * server.bytes / size:.2f} % of the data, {server.requests} requests"])
        train(bench, local, 1)
        results = bench.alternate({"files": lambda _: rate_after_first_step(train(bench, local)),
                                   "server": lambda _: rate_after_first_step(train(bench, remote))})
        files, server_rate = median(results["files"]), median(results["server"])
        rows.append(["steps/s, beside local files", f"{server_rate:.1f}, {files:.1f}", f"{server_rate / files:.2f}x"])
        used = peak_pss([bench.built.troupe, "train", "--placement", "processes", *WORK, "--data", remote,
                         "--steps", STEPS])
        rows.append(["memory of all processes", f"{used / 1e6:.0f} MB", ""])
        rows.append(resume(bench, remote))
    table(f"{size / 1e9:.0f} GB of archives on a server of 1 Gbit/s, reference CNN, 2 worker processes",
          ["", "Troupe", ""], rows)
    shutil.rmtree(folder)


def resume(bench, remote):
    """Returns the time of the first step after a resume in the middle of an epoch."""
    checkpoints = bench.folder / "checkpoints"
    train(bench, remote, 300, ("--checkpoint", checkpoints, "--checkpoint-every", 300))
    steps = train(bench, remote, 310, ("--checkpoint", checkpoints, "--resume"))
    return ["first step after a resume in the middle of an epoch", f"{steps[0]['seconds']['step']:.2f} s", ""]


def one_epoch(bench):
    """Bytes of an epoch of a quarter of the archives, as each of four machines with two workers reads them."""
    folder = bench.folder / "epoch"
    folder.mkdir()
    block = digits(10_000)
    (folder / "a.tar").write_bytes(block * 80 + bytes(1024))
    size = (folder / "a.tar").stat().st_size
    with FileServer(folder, RATE) as server:
        remote = f"tar:{server.url}/a.tar"
        train(bench, remote, 1)
        server.reset()
        train(bench, remote, 800_000 // 128)
        table("bytes of an epoch", ["Troupe", ""], [[f"{server.bytes / 1e6:.0f} MB", f"{server.bytes / size:.3f}x"]])


def decoding(bench):
    """Images per second of decoding JPEG files of archives on a server."""
    folder = archive_photos(bench)
    os.environ["XDG_CACHE_HOME"] = str(bench.folder / "cache")
    with FileServer(folder, RATE) as server:
        data = f"tar:{server.url}/photos-{{0..3}}.tar,size=224"
        urls = f"{server.url}/photos-{{0..3}}.tar"
        results = bench.alternate({
            "ours": lambda _: bench.measure("read", "--data", data, "--threads", 2)["samples_per_second"],
            "theirs": lambda _: bench.peer("webdataset_images.py", urls)["images_per_second"]})
    ours, theirs = median(results["ours"]), median(results["theirs"])
    table("JPEG files of 300 x 200 in archives on a server, to 224 x 224, images/s",
          ["WebDataset, DataLoader, 2 workers", "Troupe, 2 threads", ""],
          [[f"{theirs:.0f}", f"{ours:.0f}", f"{ours / theirs:.2f}x"]])


def remote(bench):
    training(bench)
    one_epoch(bench)
    decoding(bench)
