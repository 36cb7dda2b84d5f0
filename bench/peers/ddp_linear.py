"""Linear regression (1000 x 4 rows, column means 0 1 2 3, coefficients 5 3 2 1) with PyTorch DistributedDataParallel
over gloo, a full shard per step. Prints one JSON line."""
import argparse
import json
import time

import torch
import torch.distributed as dist

import ddp

ROWS = 1000
COEFFICIENTS = (5.0, 3.0, 2.0, 1.0)


def run(rank, options):
    dtype = getattr(torch, options.dtype)
    generator = torch.Generator().manual_seed(options.seed)
    rows = torch.randn(ROWS, 4, dtype=dtype, generator=generator) + torch.arange(4, dtype=dtype)
    targets = rows @ torch.tensor(COEFFICIENTS, dtype=dtype)
    rows, targets = rows[rank::options.procs].contiguous(), targets[rank::options.procs].contiguous()

    linear = torch.nn.Linear(4, 1, bias=False, dtype=dtype)
    with torch.no_grad():
        linear.weight.zero_()
    model = torch.nn.parallel.DistributedDataParallel(linear)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate)

    dist.barrier()
    start = time.perf_counter()
    for _ in range(options.steps):
        optimizer.zero_grad()
        (model(rows).squeeze(1) - targets).square().mean().backward()
        optimizer.step()
    dist.barrier()
    seconds = time.perf_counter() - start
    if rank == 0:
        print(json.dumps({
            "procs": options.procs, "steps": options.steps, "dtype": options.dtype, **ddp.versions(),
            "seconds": seconds, "steps_per_second": options.steps / seconds,
            "coefficients": linear.weight.detach().flatten().tolist()}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--procs", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    ddp.launch(run, parser.parse_args())


if __name__ == "__main__":
    main()
