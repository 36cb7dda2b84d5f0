"""A ResNet on mock images by PyTorch DistributedDataParallel over gloo; prints one JSON line.

A step is forward, backward (which averages the gradients) and the update. The images stay the same, as in `troupe train
--model tfbench`. A single process trains without DistributedDataParallel. On a GPU a step begins with the copy of the
images from page-locked memory. With bf16 (under autocast) or TensorFloat-32 the images are in channels-last layout.
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
    images.clamp_(0, 255)
    labels = torch.randint(CLASSES, (options.batch_size,), generator=generator)
    if options.device == "cuda":
        images, labels = images.pin_memory(), labels.pin_memory()
    return images, labels


def layout_of(options):
    return torch.channels_last if options.precision == "bf16" or options.tf32 else torch.contiguous_format


def train_step(model, optimizer, images, labels, options):
    """Returns the seconds of one step."""
    start = time.perf_counter()
    images = images.to(options.device, non_blocking=True).to(memory_format=layout_of(options))
    labels = labels.to(options.device, non_blocking=True)
    optimizer.zero_grad()
    with torch.autocast(options.device, dtype=torch.bfloat16, enabled=options.precision == "bf16"):
        loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    if options.device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def run(rank, options):
    torch.manual_seed(options.seed)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.tf32
    network = getattr(torchvision.models, options.model)(num_classes=CLASSES)
    network = network.to(options.device, memory_format=layout_of(options))
    model = nn.parallel.DistributedDataParallel(network) if options.procs > 1 else network
    if options.compile:
        model = torch.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate)
    images, labels = mock_batch(options, rank)
    seconds = [train_step(model, optimizer, images, labels, options) for _ in range(options.steps)]
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
    parser.add_argument("--steps", type=int, default=8, help="at least 2; the median ignores the first")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--precision", default="f32", choices=("f32", "bf16"))
    parser.add_argument("--tf32", action="store_true", help="compute f32 products with TensorFloat-32")
    parser.add_argument("--compile", action="store_true", help="use torch.compile; the first step compiles")
    parser.add_argument("--size", type=int, default=224, help="height and width of an image")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=1e-6)
    options = parser.parse_args()
    if options.steps < 2:
        parser.error("--steps is at least 2")
    ddp.launch(run, options)


if __name__ == "__main__":
    main()
