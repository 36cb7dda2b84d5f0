"""The recipe of docs/recipes/fashion-mnist.md by PyTorch DistributedDataParallel over gloo; prints one JSON line.

Every process holds its share of the training images in memory, flips images as whole batches, and uses one thread.
The seconds run from the start of the program until all processes have evaluated the test set.
"""
import argparse
import json
import math
import time

import torch
import torch.distributed as dist
from torch import nn

import ddp
from ddp_cnn import read_set

START = time.time()


def convolve(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.inner = nn.Sequential(convolve(channels, channels), convolve(channels, channels))

    def forward(self, x):
        return x + self.inner(x)


def network():
    stages = [[convolve(inputs, outputs), Residual(outputs), nn.MaxPool2d(2)]
              for inputs, outputs in ((1, 16), (16, 32), (32, 64))]
    return nn.Sequential(*sum(stages, []), nn.Flatten(), nn.Dropout(0.3), nn.Linear(576, 10))


def factor(step, steps, warmup):
    if step < warmup:
        return step / warmup
    return (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2


def train(model, images, labels, options):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
    steps = options.epochs * math.ceil(len(images) / options.batch_size)
    warmup = steps // 5
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor(step, steps, warmup))
    model.train()
    for _ in range(options.epochs):
        for batch in torch.randperm(len(images)).split(options.batch_size):
            x = images[batch]
            flipped = torch.rand(len(batch)) < 0.5
            x[flipped] = x[flipped].flip(-1)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), labels[batch], label_smoothing=0.1).backward()
            optimizer.step()
            schedule.step()


@torch.no_grad()
def accuracy(model, images, labels):
    """Returns the accuracy on the whole set. Each process evaluates a share of the set."""
    model.eval()
    rank, procs = dist.get_rank(), dist.get_world_size()
    pairs = zip(images[rank::procs].split(500), labels[rank::procs].split(500))
    hits = torch.tensor(sum((model(x).argmax(1) == y).sum().item() for x, y in pairs))
    dist.all_reduce(hits)
    return hits.item() / len(labels)


def run(rank, options):
    images, labels = read_set(options.data, "train")
    test_images, test_labels = read_set(options.data, "t10k")
    mean, deviation = images.mean(), images.std()
    images, labels = images[rank::options.procs].contiguous(), labels[rank::options.procs].contiguous()
    images, test_images = (images - mean) / deviation, (test_images - mean) / deviation
    torch.manual_seed(options.seed)
    net = network()
    model = nn.parallel.DistributedDataParallel(net)
    torch.manual_seed(options.seed * 1000 + rank)  # each process shuffles differently
    train(model, images, labels, options)
    found = accuracy(net, test_images, test_labels)
    if rank == 0:
        print(json.dumps({"seed": options.seed, "procs": options.procs, **ddp.versions(), "accuracy": found,
                          "seconds": time.time() - options.start}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--procs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32, help="images per process and step")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    options = parser.parse_args()
    options.start = START
    ddp.launch(run, options)


if __name__ == "__main__":
    main()
