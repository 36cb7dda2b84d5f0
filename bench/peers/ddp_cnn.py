"""The reference CNN on Fashion-MNIST by PyTorch DistributedDataParallel over gloo; prints one JSON line.

Every process holds its share of the training images in memory, shuffles the share in each epoch, and uses one thread.
The seconds of an epoch run from the sampling of the first batch until all processes have done their last update.
A single process on a GPU trains without DistributedDataParallel, with all images on the device and TensorFloat-32.
"""
import argparse
import gzip
import json
import struct
import time

import torch
import torch.distributed as dist
from torch import nn

import ddp


def read_idx(path):
    with gzip.open(path, "rb") as file:
        content = bytearray(file.read())
    rank = content[3]
    shape = struct.unpack_from(f">{rank}I", content, 4)
    return torch.frombuffer(content, dtype=torch.uint8, offset=4 + 4 * rank).reshape(shape)


def read_set(folder, name):
    images = read_idx(f"{folder}/{name}-images-idx3-ubyte.gz")
    labels = read_idx(f"{folder}/{name}-labels-idx1-ubyte.gz")
    return images.unsqueeze(1).float() / 255, labels.long()


def reference_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10))


def train_epoch(model, optimizer, images, labels, batch_size):
    order = torch.randperm(len(images), device=images.device)
    for batch in order.split(batch_size):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
        optimizer.step()


@torch.no_grad()
def accuracy(network, images, labels):
    hits = sum((network(x).argmax(1) == y).sum().item() for x, y in zip(images.split(500), labels.split(500)))
    return hits / len(labels)


def run(rank, options):
    images, labels = read_set(options.data, "train")
    count = len(images)
    images, labels = (part[rank::options.procs].contiguous().to(options.device) for part in (images, labels))
    test_images, test_labels = (part.to(options.device) for part in read_set(options.data, "t10k"))

    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.benchmark = True
    network = reference_cnn().to(options.device)
    model = nn.parallel.DistributedDataParallel(network) if options.device == "cpu" else network
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate, momentum=options.momentum)
    torch.manual_seed(options.seed * 1000 + rank)  # each process shuffles differently

    seconds, accuracies = [], []
    for _ in range(options.epochs):
        dist.barrier()
        start = time.perf_counter()
        train_epoch(model, optimizer, images, labels, options.batch_size)
        if options.device == "cuda":
            torch.cuda.synchronize()
        dist.barrier()
        seconds.append(time.perf_counter() - start)
        if rank == 0:
            accuracies.append(accuracy(network, test_images, test_labels))
    if rank == 0:
        print(json.dumps({
            "seed": options.seed, "procs": options.procs, **ddp.versions(),
            "parameters": sum(p.numel() for p in network.parameters()),
            "epoch_seconds": seconds, "images_per_second": [count / s for s in seconds], "accuracy": accuracies}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--procs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64, help="images per process and step")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"), help="cuda: with one process")
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    options = parser.parse_args()
    if options.device == "cuda" and options.procs != 1:
        parser.error("--device cuda takes --procs 1")
    ddp.launch(run, options)


if __name__ == "__main__":
    main()
