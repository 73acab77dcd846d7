"""The table of what is timed: one row an operation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

SAME = "(the row's name)"


def uniform(low, high):
    return lambda rng, n: rng.uniform(low, high, n)


def log_uniform(low, high):
    return lambda rng, n: np.exp(rng.uniform(np.log(low), np.log(high), n))


def integers(low, high):
    return lambda rng, n: rng.integers(low, high, n, endpoint=True)


@dataclass(frozen=True)
class Op:
    """One row.

    A peer's entry is the name of its function, called as f(*inputs, out=out); or a binder
    (module, out, *inputs) -> callable; or None. A name that the peer lacks counts as None.
    The opencl entry is an expression in x, y, z, with {w} for the width of a vector.
    """

    name: str
    types: str  # as in the engine's kernel table: "ee>e", e half, f float, h int16, ? bool
    domain: Callable  # (rng, n) -> values, for every input
    halfcl: str = SAME  # a ufunc, its mode appended where it rounds; "np.less": NumPy's, on half
    numpy: str | Callable | None = SAME
    torch: str | Callable | None = SAME
    numkong: str | Callable | None = SAME
    opencl: str | None = SAME
    rounds: bool = True  # whether the rounding mode can change the result
    mode: str = "rte"  # the mode of the peers, which the ratio is made with
    reduces: bool = False  # one result: no out, and opencl's expression is what is added up

    @property
    def inputs(self):
        return self.types.split(">")[0]

    @property
    def output(self):
        return self.types.split(">")[1]

    @property
    def converts(self):
        return set(self.types) not in ({"e", ">"}, {"e", ">", "?"})


def numpy_cast(np, out, x):
    return partial(np.copyto, out, x, casting="unsafe")


def torch_cast(torch, out, x):
    return partial(out.copy_, x)


def numkong_cast(nk, out, x):
    return partial(nk.astype, x, out.dtype.name, out=out)


CASTS = {"numpy": numpy_cast, "torch": torch_cast, "numkong": numkong_cast}


def numkong_subtract(nk, out, x, y):
    return partial(nk.blend, x, y, alpha=1.0, beta=-1.0, out=out)


def numkong_negative(nk, out, x):
    return partial(nk.scale, x, alpha=-1.0, beta=0.0, out=out)


def torch_fma(torch, out, x, y, z):
    return partial(torch.addcmul, z, x, y, out=out)


MODERATE = uniform(-8, 8)
POSITIVE = log_uniform(2**-10, 2**10)
NONZERO = log_uniform(2**-5, 2**5)
SMALL_INTEGERS = integers(-4, 4)

OPS = {
    op.name: op
    for op in (
        # arithmetic
        Op("add", "ee>e", MODERATE, opencl="x + y"),
        Op("subtract", "ee>e", MODERATE, opencl="x - y", numkong=numkong_subtract),
        Op("multiply", "ee>e", MODERATE, opencl="x * y"),
        Op("divide", "ee>e", NONZERO, opencl="x / y"),
        Op("sqrt", "e>e", POSITIVE),
        Op("fma", "eee>e", MODERATE, torch=torch_fma),
        Op("negative", "e>e", MODERATE, opencl="-x", numkong=numkong_negative, rounds=False),
        Op("floor", "e>e", MODERATE, "np.floor", rounds=False),
        # comparisons
        Op("less", "ee>?", SMALL_INTEGERS, halfcl="np.less", opencl="x < y", rounds=False),
        Op(
            "equal",
            "ee>?",
            SMALL_INTEGERS,
            halfcl="np.equal",
            torch="eq",
            opencl="x == y",
            rounds=False,
        ),
        # conversions
        Op(
            "f16_to_f32",
            "e>f",
            MODERATE,
            halfcl="convert_float",
            opencl="convert_float{w}(x)",
            rounds=False,
            **CASTS,
        ),
        Op("f32_to_f16", "f>e", MODERATE, "convert_half", opencl="convert_half{w}(x)", **CASTS),
        Op(
            "f16_to_i16",
            "e>h",
            uniform(-30000, 30000),
            "convert_short",
            opencl="convert_short{w}(x)",
            mode="rtz",
            **CASTS,
        ),
        Op(
            "i16_to_f16",
            "h>e",
            integers(-30000, 30000),
            "convert_half",
            opencl="convert_half{w}(x)",
            **CASTS,
        ),
        # reductions
        Op("sum", "e>e", MODERATE, "np.add.reduce", "add.reduce", opencl="x", reduces=True),
        Op("dot", "ee>e", MODERATE, "np.dot", opencl="x * y", reduces=True),
    )
}
