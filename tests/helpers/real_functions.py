"""Real functions of MPFR's numbers, by halfcl's names, in gmpy2's current context.

By their definitions, for tests of doubles, of derivatives and of decorations; `oracle_mpfr` rounds
to half without these. Results are NaN outside the domain.
"""

import math
import operator

import gmpy2
from gmpy2 import mpfr

INF = math.inf


def _of_half_turns(function, exact):
    """Return sin(pi x) or another function; exact: its values at multiples of 1/2 modulo 2."""

    def compute(x):
        rest = gmpy2.fmod(x, 2)
        quarter = 2 * rest
        if gmpy2.is_finite(quarter) and quarter == gmpy2.rint(quarter):
            return mpfr(exact[int(quarter) % 4])
        return function(gmpy2.const_pi() * rest)

    return compute


def _over_pi(function):
    return lambda *numbers: function(*numbers) / gmpy2.const_pi()


FUNCTIONS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "negative": operator.neg, "pown": operator.pow,
    "pow": operator.pow, "fma": gmpy2.fma, "mad": gmpy2.fma, "hypot": gmpy2.hypot,
    "mix": lambda x, y, a: x * (1 - a) + y * a,
    "exp": gmpy2.exp, "exp2": gmpy2.exp2, "exp10": gmpy2.exp10, "expm1": gmpy2.expm1,
    "exp2m1": lambda x: gmpy2.expm1(x * gmpy2.const_log2()),
    "exp10m1": lambda x: gmpy2.expm1(x * gmpy2.log(mpfr(10))),
    "log": gmpy2.log, "log2": gmpy2.log2, "log10": gmpy2.log10, "log1p": gmpy2.log1p,
    "log2p1": lambda x: gmpy2.log1p(x) / gmpy2.const_log2(),
    "log10p1": lambda x: gmpy2.log1p(x) / gmpy2.log(mpfr(10)),
    "compoundn": lambda x, n: gmpy2.exp(n * gmpy2.log1p(x)),
    "sqrt": gmpy2.sqrt, "rsqrt": lambda x: 1 / gmpy2.sqrt(x), "cbrt": gmpy2.cbrt,
    "rootn": lambda x, n: x ** (1 / mpfr(n)),
    "sin": gmpy2.sin, "cos": gmpy2.cos, "tan": gmpy2.tan,
    "sinpi": _of_half_turns(gmpy2.sin, (0, 1, 0, -1)),
    "cospi": _of_half_turns(gmpy2.cos, (1, 0, -1, 0)),
    "tanpi": _of_half_turns(gmpy2.tan, (0, INF, 0, INF)),
    "asin": gmpy2.asin, "acos": gmpy2.acos, "atan": gmpy2.atan, "atan2": gmpy2.atan2,
    "asinpi": _over_pi(gmpy2.asin), "acospi": _over_pi(gmpy2.acos),
    "atanpi": _over_pi(gmpy2.atan), "atan2pi": _over_pi(gmpy2.atan2),
    "sinh": gmpy2.sinh, "cosh": gmpy2.cosh, "tanh": gmpy2.tanh,
    "asinh": gmpy2.asinh, "acosh": gmpy2.acosh, "atanh": gmpy2.atanh,
    "erf": gmpy2.erf, "erfc": gmpy2.erfc,
    "degrees": lambda x: x * 180 / gmpy2.const_pi(),
    "radians": lambda x: x * gmpy2.const_pi() / 180,
    "logaddexp": lambda x, y: gmpy2.log(gmpy2.exp(x) + gmpy2.exp(y)),
    "logaddexp2": lambda x, y: gmpy2.log2(gmpy2.exp2(x) + gmpy2.exp2(y)),
}  # fmt: skip

#: Rising functions: ((end of the domain, limit there), the same of the other end). Open ends have
#: infinite limits.
RISING = {
    "exp": ((-INF, 0), (INF, INF)),
    "exp2": ((-INF, 0), (INF, INF)),
    "exp10": ((-INF, 0), (INF, INF)),
    "expm1": ((-INF, -1), (INF, INF)),
    "exp2m1": ((-INF, -1), (INF, INF)),
    "exp10m1": ((-INF, -1), (INF, INF)),
    "log": ((0, -INF), (INF, INF)),
    "log2": ((0, -INF), (INF, INF)),
    "log10": ((0, -INF), (INF, INF)),
    "log1p": ((-1, -INF), (INF, INF)),
    "log2p1": ((-1, -INF), (INF, INF)),
    "log10p1": ((-1, -INF), (INF, INF)),
    "asin": ((-1, None), (1, None)),
    "atan": ((-INF, None), (INF, None)),
    "asinpi": ((-1, -0.5), (1, 0.5)),
    "atanpi": ((-INF, -0.5), (INF, 0.5)),
    "sinh": ((-INF, -INF), (INF, INF)),
    "tanh": ((-INF, -1), (INF, 1)),
    "asinh": ((-INF, -INF), (INF, INF)),
    "acosh": ((1, 0), (INF, INF)),
    "atanh": ((-1, -INF), (1, INF)),
    "cbrt": ((-INF, -INF), (INF, INF)),
    "degrees": ((-INF, -INF), (INF, INF)),
    "radians": ((-INF, -INF), (INF, INF)),
    "erf": ((-INF, -1), (INF, 1)),
}
#: Falling functions.
FALLING = {
    "acos": ((-1, None), (1, 0)),
    "acospi": ((-1, 1), (1, 0)),
    "rsqrt": ((0, INF), (INF, 0)),
    "erfc": ((-INF, 2), (INF, 0)),
}

#: The arguments of functions that are not finite everywhere, or that `oracle_mpfr` takes to be the
#: same farther out.
RANGES = dict.fromkeys(["asinpi", "acospi"], (-1, 1))
RANGES |= dict.fromkeys(["exp2m1", "exp10m1"], (-100, 100))
RANGES |= dict.fromkeys(["log2p1", "log10p1"], (-0.9995, 65504))
