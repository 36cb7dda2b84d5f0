"""Exchanges ResNet weight files with torchvision. Prints one JSON line, or fails with the first difference.

    torchvision_weights.py --model resnet18 OURS.safetensors         # from Troupe: names, shapes, order, loading
    torchvision_weights.py --model resnet18 --write OUT.safetensors  # for Troupe: random weights and statistics

With --images (f32, N x 3 x H x W) and --labels (i64, N) as .npy files it also prints figures of the weights: the mean
cross-entropy with batch statistics, the norm of its gradient, and the loss with running statistics.
"""
import argparse
import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads it

import numpy as np
import torch
import torchvision
from torch import nn

import weight_files

COUNTER = "num_batches_tracked"


def randomise_statistics(network):
    """Makes every batch-norm different from a new one, so that a tensor in a wrong place is detected."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias, 0, 0.1)
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.num_batches_tracked.fill_(7)


def described(arrays):
    """Returns name and shape of each array in order, without the counters, which a file may omit."""
    return [(name, tuple(array.shape)) for name, array in arrays.items() if not name.endswith(COUNTER)]


def check(network, arrays):
    """Loads the arrays. If they differ from the network, exits with the first difference."""
    ours, theirs = described(arrays), described(network.state_dict())
    for index, (mine, wanted) in enumerate(zip(ours, theirs)):
        if mine != wanted:
            sys.exit(f"tensor {index} is {mine[0]} {list(mine[1])}, torchvision has {wanted[0]} {list(wanted[1])}")
    if len(ours) != len(theirs):
        sys.exit(f"{len(ours)} tensors, torchvision has {len(theirs)}")
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()}, strict=True)


def evaluate(network, images, labels):
    """Evaluates the running statistics first, because training changes them."""
    with torch.no_grad():
        running = nn.functional.cross_entropy(network.eval()(images), labels)
    loss = nn.functional.cross_entropy(network.train()(images), labels)
    loss.backward()
    norm = torch.sqrt(sum(parameter.grad.double().square().sum() for parameter in network.parameters()))
    return {"loss": loss.item(), "gradient_norm": norm.item(), "evaluation_loss": running.item()}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", help="a file that Troupe saved; without one, weights are random")
    parser.add_argument("--model", default="resnet18", help="resnet18, 34, 50, 101 or 152")
    parser.add_argument("--classes", type=int, default=1001)
    parser.add_argument("--seed", type=int, default=1, help="seed of the random weights")
    parser.add_argument("--write", metavar="OUT", help="write the model's weights to this file")
    parser.add_argument("--images", help="images as a .npy file")
    parser.add_argument("--labels", help="labels as a .npy file")
    options = parser.parse_args()
    if not options.file and not options.write:
        parser.error("name a file, or --write one")
    if (options.images is None) != (options.labels is None):
        parser.error("--images and --labels go together")
    return options


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    network = getattr(torchvision.models, options.model)(num_classes=options.classes)
    if options.file:
        check(network, weight_files.read(options.file))
    else:
        randomise_statistics(network)
    if options.write:
        weight_files.write(options.write, {name: tensor.numpy() for name, tensor in network.state_dict().items()})
    result = {"model": options.model, "tensors": len(described(network.state_dict())),
              "parameters": sum(parameter.numel() for parameter in network.parameters())}
    if options.images:
        images, labels = (torch.from_numpy(np.load(path)) for path in (options.images, options.labels))
        result.update(evaluate(network, images, labels))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
