"""The reference CNN with PyTorch DDP over gloo, fault-tolerant as in PyTorch's tutorial on fault-tolerant training:
started by `torchrun --max-restarts`, with snapshots. Writes a JSON line for each step that rank 0 has done.

If a process dies, torchrun restarts all processes, which resume from the newest snapshot. Batches depend on
(seed, rank, step), so that repeated steps are identical.
"""
import argparse
import json
import os
import signal
import time

import torch
from torch import nn

import ddp
import weight_files
from ddp_cnn import read_set, reference_cnn

SNAPSHOT = "snapshot.pt"


def save(path, step, network, optimizer):
    torch.save({"step": step, "network": network.state_dict(), "optimizer": optimizer.state_dict()}, path + ".new")
    os.replace(path + ".new", path)


def load(path, network, optimizer):
    """Loads the snapshot. Returns the number of completed steps."""
    if not os.path.exists(path):
        return 0
    snapshot = torch.load(path)
    network.load_state_dict(snapshot["network"])
    optimizer.load_state_dict(snapshot["optimizer"])
    return snapshot["step"]


def die_once(folder):
    mark = f"{folder}/died"
    if not os.path.exists(mark):
        open(mark, "x", encoding="ascii").close()
        os.kill(os.getpid(), signal.SIGKILL)


def run(rank, options):
    images, labels = read_set(options.data, "train")
    images, labels = images[rank::options.procs].contiguous(), labels[rank::options.procs].contiguous()
    torch.manual_seed(options.seed)
    network = reference_cnn()
    model = nn.parallel.DistributedDataParallel(network)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate, momentum=options.momentum)
    snapshot = f"{options.folder}/{SNAPSHOT}"
    for step in range(load(snapshot, network, optimizer) + 1, options.steps + 1):
        torch.manual_seed((options.seed * 1000 + rank) * 1_000_000 + step)
        batch = torch.randint(len(images), (options.batch_size,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        if step == options.kill_at and rank == 1:
            die_once(options.folder)
        loss.backward()
        optimizer.step()
        if rank == 0:
            if step % options.snapshot_every == 0:
                save(snapshot, step, network, optimizer)
            with open(f"{options.folder}/steps.jsonl", "a", encoding="ascii") as steps:
                steps.write(json.dumps({"step": step, "at": time.time()}) + "\n")
    if rank == 0:
        weight_files.write(f"{options.folder}/weights.safetensors",
                           {name: tensor.numpy() for name, tensor in network.state_dict().items()})
        with open(f"{options.folder}/versions.json", "w", encoding="ascii") as versions:
            versions.write(json.dumps(ddp.versions()) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, help="for snapshots, steps and weights")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--snapshot-every", type=int, default=20)
    parser.add_argument("--kill-at", type=int, default=0, help="the step in which rank 1 is killed once; 0: none")
    parser.add_argument("--batch-size", type=int, default=64, help="images per process and step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    ddp.launch(run, parser.parse_args())


if __name__ == "__main__":
    main()
