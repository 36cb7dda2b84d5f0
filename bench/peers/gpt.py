"""A GPT on the characters of a text by PyTorch; prints one JSON line.

The network is that of nanoGPT (model.py): the same layers, first weights, tied head and flash attention. Each process
draws random windows from the text, as nanoGPT does. One process uses --threads threads; several form a
DistributedDataParallel over gloo with one thread each. AdamW decays the tensors with two dimensions only.
"""
import argparse
import json
import math
import statistics
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

import ddp


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.attn_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.mlp_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        samples, positions, width = x.shape
        parts = self.c_attn(self.ln_1(x)).split(width, dim=2)
        q, k, v = (part.view(samples, positions, self.heads, -1).transpose(1, 2) for part in parts)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.attn_proj(y.transpose(1, 2).reshape(samples, positions, width))
        return x + self.mlp_proj(functional.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, vocabulary, options):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, options.width)
        self.wpe = nn.Embedding(options.window, options.width)
        self.blocks = nn.ModuleList(Block(options.width, options.heads) for _ in range(options.layers))
        self.ln_f = nn.LayerNorm(options.width)
        for name, tensor in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(tensor)
            elif tensor.dim() == 2:
                last = name.endswith("_proj.weight")
                nn.init.normal_(tensor, std=0.02 / math.sqrt(2 * options.layers) if last else 0.02)

    def forward(self, tokens, labels):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        scores = functional.linear(self.ln_f(x), self.wte.weight)
        return functional.cross_entropy(scores.view(-1, scores.shape[-1]), labels.view(-1))


def encode(path, symbols):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    symbols = symbols or sorted(set(text))
    number = {symbol: i for i, symbol in enumerate(symbols)}
    return torch.tensor([number[symbol] for symbol in text]), symbols


def windows(tokens, starts, length):
    return (torch.stack([tokens[i:i + length] for i in starts]),
            torch.stack([tokens[i + 1:i + length + 1] for i in starts]))


@torch.no_grad()
def validation_loss(model, tokens, length):
    model.eval()
    starts = range(0, len(tokens) - length, length)
    losses = [model(*windows(tokens, starts[i:i + 64], length)) * len(starts[i:i + 64])
              for i in range(0, len(starts), 64)]
    return float(sum(losses)) / len(starts)


def learning_rate(step, options):
    """Linear warm-up from 0, then a cosine to 0."""
    if step < options.warmup:
        return options.learning_rate * step / options.warmup
    part = (step - options.warmup) / max(1, options.steps - options.warmup)
    return 0.5 * (1 + math.cos(math.pi * part)) * options.learning_rate


def run(rank, options):
    torch.manual_seed(options.seed)
    if options.procs == 1:
        torch.set_num_threads(options.threads)
    tokens, symbols = encode(options.text, None)
    model = Gpt(len(symbols), options)
    training = model
    if options.procs > 1:
        training = DistributedDataParallel(model, gradient_as_bucket_view=True)
    if options.compile:
        training = torch.compile(training)
    decayed = [tensor for tensor in model.parameters() if tensor.dim() >= 2]
    others = [tensor for tensor in model.parameters() if tensor.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}],
                                  lr=options.learning_rate, fused=options.fused)
    random = torch.Generator().manual_seed(options.seed * 1000 + rank)
    seconds = []
    for step in range(options.steps):
        begin = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, options)
        starts = torch.randint(len(tokens) - options.window, (options.batch,), generator=random)
        loss = training(*windows(tokens, starts, options.window))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
    if rank != 0:
        return
    result = {"step_seconds": statistics.median(seconds[len(seconds) // 4:]), "last_loss": loss.item(), **ddp.versions()}
    if options.validation:
        result["validation_loss"] = validation_loss(model, encode(options.validation, symbols)[0], options.window)
    print(json.dumps(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", required=True)
    parser.add_argument("--validation", help="measure the loss on this text at the end")
    for name, value in [("layers", 4), ("heads", 4), ("width", 128), ("window", 128), ("batch", 16), ("steps", 60),
                        ("warmup", 100), ("procs", 2), ("threads", 2), ("seed", 1)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--fused", action="store_true", help="the fused AdamW")
    options = parser.parse_args()
    ddp.launch(run, options)


if __name__ == "__main__":
    main()
