"""Figures of the steps in a report of `troupe train --report`."""
import json
from statistics import median

PHASES = ("compute_all", "reduce", "apply_all")


def steps_of(lines):
    """Returns the steps of a report, without the lines of epochs and the profile."""
    return [line for line in map(json.loads, lines) if next(iter(line)) == "step"]


def profile_of(lines):
    """Returns the rows of the profile, one for each kind of layer."""
    return next(line["profile"] for line in map(json.loads, lines) if "profile" in line)


def step_seconds(steps):
    return sum(step["seconds"]["step"] for step in steps)


def phases_off(steps):
    """Returns the share of all steps' time that the phases do not cover."""
    phases = sum(step["seconds"][name] for step in steps for name in PHASES)
    return abs(phases / step_seconds(steps) - 1)


def slowest_compute(step):
    """Returns the compute seconds of the slowest worker."""
    return max(step["seconds"]["compute"])


def beyond_compute(step):
    """Returns the share of a step beyond the slowest worker's compute: messages, waiting, reduction and update."""
    return 1 - slowest_compute(step) / step["seconds"]["step"]


def steady(steps, figure):
    """Returns the median of figure(step) over all steps except the first."""
    return median(figure(step) for step in steps[1:])
