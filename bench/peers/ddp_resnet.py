"""A ResNet on mock images by PyTorch DistributedDataParallel over gloo; prints one JSON line.

A step is forward, backward (which averages the gradients) and the update; the images stay the same, as in `troupe train
--model tfbench`. A single process trains without DistributedDataParallel.
"""
import argparse
import json
import statistics
import time

import torch
import torchvision
from torch import nn

import ddp

CLASSES = 1001


def mock_batch(options, rank):
    generator = torch.Generator().manual_seed(options.seed * 1000 + rank)
    images = torch.empty(options.batch_size, 3, options.size, options.size).normal_(127, 60, generator=generator)
    return images.clamp_(0, 255), torch.randint(CLASSES, (options.batch_size,), generator=generator)


def train_step(model, optimizer, images, labels):
    """The seconds of one step."""
    start = time.perf_counter()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
    return time.perf_counter() - start


def run(rank, options):
    torch.manual_seed(options.seed)
    network = getattr(torchvision.models, options.model)(num_classes=CLASSES)
    model = nn.parallel.DistributedDataParallel(network) if options.procs > 1 else network
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate)
    images, labels = mock_batch(options, rank)
    seconds = [train_step(model, optimizer, images, labels) for _ in range(options.steps)]
    if rank == 0:
        print(json.dumps({
            "model": options.model, "procs": options.procs, "batch_size": options.batch_size, "size": options.size,
            "parameters": sum(p.numel() for p in network.parameters()), **ddp.versions(),
            "first_seconds": seconds[0], "step_seconds": statistics.median(seconds[1:])}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="resnet101", help="resnet18, 34, 50, 101 or 152")
    parser.add_argument("--procs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=1, help="images per process and step")
    parser.add_argument("--steps", type=int, default=8, help="at least 2; the median is of all but the first")
    parser.add_argument("--size", type=int, default=224, help="height and width of an image")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=1e-6)
    options = parser.parse_args()
    if options.steps < 2:
        parser.error("--steps is at least 2")
    ddp.launch(run, options)


if __name__ == "__main__":
    main()
