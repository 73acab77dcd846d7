"""What a corpus is made of: a program of halves, its arguments, and the truth by MPFR."""

from collections.abc import Callable
from dataclasses import dataclass, field

import gmpy2
import numpy as np

from halfcl import half

#: Bits that hold what cancels 20 times over.
BITS = 600


@dataclass
class Program:
    """A function of half arrays, and what it is to give.

    truth: of numbers of MPFR what f gives of their elements; whole: of lists of them what f gives
    of the arrays, a number or a list.
    """

    name: str
    f: Callable
    truth: Callable
    cases: list[tuple]
    whole: bool = False


@dataclass
class Corpus:
    """Programs, in the order in which they stand."""

    programs: list[Program] = field(default_factory=list)

    def add(self, truth, *args, whole=False, cases=None):
        """Take a function in: of these arguments, or of several cases of them."""

        def take(f):
            found = (
                [args] if cases is None else [c if isinstance(c, tuple) else (c,) for c in cases]
            )
            self.programs.append(Program(f.__name__, f, truth, found, whole))
            return f

        return take


def spaced(low, high, n=64):
    """Halves at equal distances."""
    return np.linspace(low, high, n).astype(half)


def scaled(low, high, n=64):
    """Halves at equal ratios."""
    return np.geomspace(low, high, n).astype(half)


def drawn(seed, low, high, *shape):
    """Halves drawn evenly."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(half)


def exactly(x):
    """A half, or an array of them, in numbers of MPFR."""
    if isinstance(x, np.ndarray) and x.ndim:
        return [exactly(item) for item in x]
    return gmpy2.mpfr(float(x))


def truth(program, args):
    """What the program should give, as float64, which holds 42 bits more than half."""
    with gmpy2.context(gmpy2.get_context(), precision=BITS):
        if program.whole:
            return np.array(program.truth(*map(exactly, args)), float)
        arrays = np.broadcast_arrays(*(np.asarray(x) for x in args))
        found = [
            program.truth(*map(exactly, items))
            for items in zip(*map(np.ravel, arrays), strict=True)
        ]
        return np.array(list(map(float, found))).reshape(arrays[0].shape)
