"""Fine-tunes a torchvision ResNet on a folder of images by PyTorch, in one thread; prints one JSON line.

    fine_tune.py pretrain photos OUT.safetensors             # trains from random weights and saves the weights
    fine_tune.py tune other --load FILE.safetensors          # trains the file's network with a new last layer
    fine_tune.py tune other                                  # trains from random weights, for comparison
    fine_tune.py evaluate photos --load FILE.safetensors     # measures the file on FOLDER/test

FOLDER contains train/ and test/, each with a folder for each class. --freeze names modules, such as layer1: their
parameters get no gradient, and their batch-norms use and keep their running statistics. Troupe does the same with
--freeze-tensors. Images are prepared as Troupe prepares them: the shorter side is scaled (antialiased), the middle cut
out, the bytes divided by 255, and a fixed mean and deviation applied. Training images are padded with zeros and cropped
at random before the normalisation. Runs as a single process; needs torchvision.
"""
import argparse
import json
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads it

import torch
import torchvision
from torch import nn
from torchvision import transforms

import ddp
import weight_files

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, as torchvision's weights expect


def images_of(options, part):
    """Returns the data set of FOLDER/part; "train" has a random crop."""
    steps = [transforms.Resize(options.size), transforms.CenterCrop(options.size), transforms.ToTensor()]
    if part == "train":
        steps.append(transforms.RandomCrop(options.size, padding=options.padding))
    steps.append(transforms.Normalize(MEAN, DEVIATION))
    return torchvision.datasets.ImageFolder(os.path.join(options.folder, part), transforms.Compose(steps))


def load(network, path):
    """Loads the tensors that fit the network; returns the names of those that keep their random weights."""
    tensors = {name: torch.from_numpy(array.copy()) for name, array in weight_files.read(path).items()}
    wanted = network.state_dict()
    fitting = {name: tensor for name, tensor in tensors.items()
               if name in wanted and tensor.shape == wanted[name].shape}
    network.load_state_dict(fitting, strict=False)
    return [name for name in wanted if name not in fitting and not name.endswith("num_batches_tracked")]


def frozen_modules(network, names):
    """Returns the modules of these names and all modules inside them."""
    return [module for name in names for module in network.get_submodule(name).modules()]


def set_training(network, frozen):
    """Sets the training mode, except for the frozen modules."""
    network.train()
    for module in frozen:
        module.eval()


@torch.no_grad()
def accuracy(network, loader):
    network.eval()
    hits = sum((network(images).argmax(1) == labels).sum().item() for images, labels in loader)
    return hits / len(loader.dataset)


def train(network, frozen, options):
    """Returns an entry for each epoch: seconds and processor seconds of training, and test accuracy."""
    train_loader = torch.utils.data.DataLoader(images_of(options, "train"), options.batch_size, shuffle=True)
    test_loader = torch.utils.data.DataLoader(images_of(options, "test"), options.batch_size)
    learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(learning, lr=options.learning_rate, momentum=options.momentum)
    total = options.epochs * len(train_loader)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total) if options.schedule == "cosine" else None
    epochs = []
    for _ in range(options.epochs):
        start, cpu_start = time.perf_counter(), time.process_time()
        set_training(network, frozen)
        for images, labels in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(images), labels).backward()
            optimizer.step()
            if schedule:
                schedule.step()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        epochs.append({"seconds": seconds, "cpu_seconds": cpu_seconds, "test_accuracy": accuracy(network, test_loader)})
    return epochs


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("pretrain", "tune", "evaluate"))
    parser.add_argument("folder")
    parser.add_argument("out", nargs="?", help="pretrain, tune: write the weights to this safetensors file")
    parser.add_argument("--load", help="tune, evaluate: a safetensors file with torchvision's names")
    parser.add_argument("--freeze", nargs="*", default=[], metavar="MODULE", help="tune: such as conv1 bn1 layer1")
    parser.add_argument("--model", default="resnet18", help="resnet18, 34, 50, 101 or 152")
    parser.add_argument("--size", type=int, default=64, help="height and width of an image")
    parser.add_argument("--padding", type=int, default=4, help="padding of the random crop")
    parser.add_argument("--epochs", type=int, help="defaults to 12 for pretrain, 2 for tune")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, help="defaults to 0.05 for pretrain, 0.01 for tune")
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--schedule", choices=("constant", "cosine"),
                        help="defaults to cosine for pretrain, constant for tune")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "evaluate" and not options.load:
        parser.error("evaluate needs --load")
    if options.command == "pretrain" and (not options.out or options.load):
        parser.error("pretrain needs a file to write, and takes no --load")
    first = options.command == "pretrain"
    options.epochs = options.epochs or (12 if first else 2)
    options.learning_rate = options.learning_rate or (0.05 if first else 0.01)
    options.schedule = options.schedule or ("cosine" if first else "constant")
    return options


def main():
    options = parse_arguments()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    test = images_of(options, "test")
    network = getattr(torchvision.models, options.model)(num_classes=len(test.classes))
    result = {**ddp.versions(), "torchvision": torchvision.__version__, "command": options.command,
              "model": options.model, "seed": options.seed, "freeze": options.freeze}
    if options.load:
        result["begun_anew"] = load(network, options.load)
    if options.command == "evaluate":
        result["test_accuracy"] = accuracy(network, torch.utils.data.DataLoader(test, options.batch_size))
    else:
        frozen = frozen_modules(network, options.freeze)
        for module in frozen:
            module.requires_grad_(False)
        result["epochs"] = train(network, frozen, options)
    if options.out:
        weight_files.write(options.out, {name: tensor.numpy() for name, tensor in network.state_dict().items()})
    print(json.dumps(result))


if __name__ == "__main__":
    main()
