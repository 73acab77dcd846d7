"""A corpus: programs of halves with arguments, and their true results by MPFR."""

from collections.abc import Callable
from dataclasses import dataclass, field

import gmpy2
import numpy as np

from halfcl import half

#: Precision of MPFR, enough for 20 cancellations.
BITS = 600


@dataclass
class Program:
    """A function of half arrays, and its true results.

    truth: computes an element of the result from MPFR numbers. whole: if true, truth computes the
    whole result, a number or a list, from lists of MPFR numbers.
    """

    name: str
    f: Callable
    truth: Callable
    cases: list[tuple]
    whole: bool = False


@dataclass
class Corpus:
    """A list of programs in the order of their definitions."""

    programs: list[Program] = field(default_factory=list)

    def add(self, truth, *args, whole=False, cases=None):
        """Return a decorator that adds a function with these arguments, or with several cases."""

        def take(f):
            arguments = (
                [args] if cases is None else [c if isinstance(c, tuple) else (c,) for c in cases]
            )
            self.programs.append(Program(f.__name__, f, truth, arguments, whole))
            return f

        return take


def linspace_halves(low, high, n=64):
    """Return halves at equal distances."""
    return np.linspace(low, high, n).astype(half)


def geomspace_halves(low, high, n=64):
    """Return halves at equal ratios."""
    return np.geomspace(low, high, n).astype(half)


def random_halves(seed, low, high, *shape):
    """Return uniformly distributed halves."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(half)


def exactly(x):
    """Return a half, or an array of halves, as MPFR numbers."""
    if isinstance(x, np.ndarray) and x.ndim:
        return [exactly(item) for item in x]
    return gmpy2.mpfr(float(x))


def truth(program, args):
    """Return the true result as float64, which has 42 bits more than half."""
    with gmpy2.context(gmpy2.get_context(), precision=BITS):
        if program.whole:
            return np.array(program.truth(*map(exactly, args)), float)
        arrays = np.broadcast_arrays(*(np.asarray(x) for x in args))
        result = [
            program.truth(*map(exactly, items))
            for items in zip(*map(np.ravel, arrays), strict=True)
        ]
        return np.array(list(map(float, result))).reshape(arrays[0].shape)
