"""The vocabulary of the references of tests/cl/kernels: inputs, and the wanted launch."""

from dataclasses import dataclass, field

import numpy as np

import halfcl as hc

H = hc.half


@dataclass
class Wanted:
    """A launch, and what its buffers hold then, by their places among the arguments.

    earlier: launches before it: name, sizes, arguments.
    """

    size: object
    local: object
    arguments: list
    results: dict
    earlier: list = field(default_factory=list)


def values(*shape, low=-2.0, high=2.0, seed=1):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(H)


def integers(*shape, dtype="i4", low=None, high=None, seed=2):
    info = np.iinfo(dtype)
    low, high = info.min if low is None else low, info.max if high is None else high
    return np.random.default_rng(seed).integers(low, high, shape, dtype, endpoint=True)


def launch(size, *arguments, out, dtype=H, place=None, start=None, local=None):
    """One result: a buffer at `place`, last unless told, of zeros unless it starts otherwise."""
    wanted = np.array(out, object).astype(dtype)
    place = len(arguments) if place is None else place
    buffer = np.zeros_like(wanted) if start is None else start
    buffers = [*arguments[:place], buffer, *arguments[place:]]
    return Wanted(size, local, buffers, {place: wanted})
