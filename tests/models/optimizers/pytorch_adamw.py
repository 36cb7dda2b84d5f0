"""Makes pytorch_adamw.hpp: what PyTorch's AdamW makes of 12 weights in 10 steps of one thread. Written with 1.13.1:

    python3 tests/models/optimizers/pytorch_adamw.py > tests/models/optimizers/pytorch_adamw.hpp
"""
import torch

WEIGHTS, BIASES, STEPS = 8, 4, 10


def start(i):
    return (29 * i % 32 - 16) / 8


def gradient(step, i):
    return ((37 * i + 101 * step) % 64 - 32) / 16


def run(bias_options, clip_norm):
    weight = torch.tensor([start(i) for i in range(WEIGHTS)], requires_grad=True)
    bias = torch.tensor([start(i) for i in range(WEIGHTS, WEIGHTS + BIASES)], requires_grad=True)
    optimizer = torch.optim.AdamW([{"params": [weight]}, {"params": [bias], **bias_options}], lr=0.05, weight_decay=0.1)
    for step in range(STEPS):
        weight.grad = torch.tensor([gradient(step, i) for i in range(WEIGHTS)])
        bias.grad = torch.tensor([gradient(step, i) for i in range(WEIGHTS, WEIGHTS + BIASES)])
        if clip_norm is not None:
            torch.nn.utils.clip_grad_norm_([weight, bias], clip_norm)
        optimizer.step()
    return [value.item() for value in torch.cat([weight, bias])]


def print_array(name, values):
    print(f"inline constexpr std::array<float, {len(values)}> {name}{{")
    for i in range(0, len(values), 4):
        print("    " + ", ".join(f"{value.hex()}F" for value in values[i : i + 4]) + ("," if i + 4 < len(values) else "};"))


print("#pragma once\n\n#include <array>\n\n// Made by pytorch_adamw.py.\nnamespace troupe::testing {\n")
print("/// One group of twelve: rate 0.05, weight decay 0.1.")
print_array("kPytorchAdamW", run({}, None))
print("/// The last four are biases: half the rate, no decay.")
print_array("kPytorchGroups", run({"lr": 0.025, "weight_decay": 0}, None))
print("/// The same with gradients clipped to a norm of 2.")
print_array("kPytorchClipped", run({"lr": 0.025, "weight_decay": 0}, 2.0))
print("\n}  // namespace troupe::testing")
