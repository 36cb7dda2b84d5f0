"""What the steps of a report (`troupe train --report`) say."""
import json
from statistics import median

PHASES = ("compute_all", "reduce", "apply_all")


def steps_of(lines):
    """The steps of a report's lines, without what it says of epochs and layers."""
    return [line for line in map(json.loads, lines) if next(iter(line)) == "step"]


def profile_of(lines):
    """The rows of its profile, by kind of layer."""
    return next(line["profile"] for line in map(json.loads, lines) if "profile" in line)


def step_seconds(steps):
    return sum(step["seconds"]["step"] for step in steps)


def phases_off(steps):
    """The share of all steps' time that their phases do not explain."""
    phases = sum(step["seconds"][name] for step in steps for name in PHASES)
    return abs(phases / step_seconds(steps) - 1)


def slowest_compute(step):
    """Seconds inside the worker that computed longest."""
    return max(step["seconds"]["compute"])


def beyond_compute(step):
    """The share of a step that is not the slowest worker's compute: messages, waiting, reduction and update."""
    return 1 - slowest_compute(step) / step["seconds"]["step"]


def steady(steps, figure):
    """The median of figure(step) over all steps but the first."""
    return median(figure(step) for step in steps[1:])
