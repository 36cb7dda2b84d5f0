"""The networks of bench/torch/networks.hpp by PyTorch DistributedDataParallel over gloo; prints one JSON line.

Samples are random. A process uses one thread. With --bf16, autocast computes in bf16.
"""
import argparse
import json
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

import ddp

SYMBOLS, WINDOW = 128, 64
WARM_UP = 5


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 32, 3, padding=1), nn.Conv2d(32, 64, 3, padding=1)
        self.hidden, self.out = nn.Linear(3136, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.first(x)), 2)
        x = F.max_pool2d(torch.relu(self.second(x)), 2)
        return self.out(torch.relu(self.hidden(x.flatten(1))))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.first_norm, self.second_norm = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.second_norm(self.second(self.first_norm(self.first(x)).relu_()))
        y += x if self.shortcut is None else self.shortcut(x)
        return y.relu_()


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        blocks, inputs = [], 64
        for stage in range(4):
            width = 64 << stage
            blocks += [Residual(inputs, width, 1 if stage == 0 else 2), Residual(width, width, 1)]
            inputs = width
        self.blocks, self.out = nn.Sequential(*blocks), nn.Linear(512, 10)

    def forward(self, x):
        x = F.max_pool2d(self.norm(self.first(x)).relu_(), 3, 2, 1)
        return self.out(F.adaptive_avg_pool2d(self.blocks(x), 1).flatten(1))


class AttentionBlock(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.attention_norm, self.network_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.packed, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.hidden, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, steps, width = x.shape
        parts = self.packed(self.attention_norm(x)).view(batch, steps, 3, self.heads, width // self.heads)
        y = F.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4), is_causal=True)
        y = self.projection(y.transpose(1, 2).reshape(batch, steps, width))
        x = x + F.dropout(y, self.dropout, self.training)
        y = self.out(F.gelu(self.hidden(self.network_norm(x))))
        return x + F.dropout(y, self.dropout, self.training)


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.symbols, self.positions = nn.Embedding(SYMBOLS, 128), nn.Embedding(WINDOW, 128)
        self.blocks = nn.Sequential(*(AttentionBlock(128, 4, 0.1) for _ in range(4)))
        self.norm = nn.LayerNorm(128)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.02)

    def forward(self, tokens):
        x = self.symbols(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return self.norm(self.blocks(x)) @ self.symbols.weight.t()


NETWORKS = {"cnn": Cnn, "resnet18": ResNet18, "gpt": Gpt}


def samples_of(network):
    if network == "gpt":
        text = torch.randint(SYMBOLS, (2048, WINDOW + 1))
        return text[:, :-1].contiguous(), text[:, 1:].contiguous()
    images = torch.rand(4096, 1, 28, 28) if network == "cnn" else torch.rand(256, 3, 64, 64)
    return images, torch.randint(10, (len(images),))


def run(rank, options):
    torch.manual_seed(1)
    inputs, targets = samples_of(options.network)
    network = NETWORKS[options.network]()
    model = nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=options.view)
    if options.network == "gpt":
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

    def step():
        batch = torch.randint(len(inputs), (options.batch_size,))
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=options.bf16):
            outputs = model(inputs[batch])
        F.cross_entropy(outputs.float().flatten(0, -2), targets[batch].flatten()).backward()
        optimizer.step()

    for _ in range(WARM_UP):
        step()
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(options.steps):
        step()
    dist.barrier()
    seconds = time.perf_counter() - begin
    if rank == 0:
        samples = options.steps * options.batch_size * options.procs
        print(json.dumps({**ddp.versions(), "samples_per_second": samples / seconds}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("--procs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64, help="samples per process and step")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--view", action="store_true", help="gradient_as_bucket_view")
    parser.add_argument("--bf16", action="store_true")
    ddp.launch(run, parser.parse_args())


if __name__ == "__main__":
    main()
