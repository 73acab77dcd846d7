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
    The opencl entry is an expression in x, y, z, with {w} for the width of a vector; a second
    result goes through a pointer, &second.
    """

    name: str
    types: str  # as in the engine's kernel table: "ee>e", e half, f float, h int16, ? bool; of
    # functions of vectors e is a vector as argument, a half as result, and v a vector as result
    domain: Callable | tuple  # (rng, n) -> values, for every input; or one for each
    # A function; "np.add": NumPy's, on half; or a binder, timed in a region of the mode.
    halfcl: str | Callable = SAME
    numpy: str | Callable | None = SAME
    torch: str | Callable | None = SAME
    numkong: str | Callable | None = SAME
    opencl: str | None = SAME
    rounds: bool = True  # whether the rounding mode can change the result
    mode: str = "rte"  # the mode of the peers, which the ratio is made with
    reduces: bool = False  # one result: no out, and opencl's expression is what is added up
    vector: int = 0  # components, where an element is a vector, along the last axis; v: a result

    @property
    def inputs(self):
        return self.types.split(">")[0]

    @property
    def outputs(self):
        return self.types.split(">")[1]

    @property
    def domains(self):
        return self.domain if isinstance(self.domain, tuple) else (self.domain,) * len(self.inputs)

    def count(self, n):
        """The vectors to time: n of up to 4 components, or as many components in all."""
        return max(1, n * 4 // self.vector) if self.vector > 4 else n

    @property
    def converts(self):
        return set(self.types) <= set(">efhi") and set(self.types) & set("fh")


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


def numpy_rsqrt(np, out, x):
    def rsqrt():
        np.sqrt(x, out)
        np.reciprocal(out, out)

    return rsqrt


def numpy_sincos(np, out, x):
    def sincos():
        np.sin(x, out[0])
        np.cos(x, out[1])

    return sincos


def torch_sincos(torch, out, x):
    def sincos():
        torch.sin(x, out=out[0])
        torch.cos(x, out=out[1])

    return sincos


def numpy_mix(np, out, x, y, a):
    def mix():
        np.subtract(y, x, out)
        np.multiply(out, a, out)
        np.add(out, x, out)

    return mix


def numpy_step(np, out, edge, x):
    return partial(np.greater_equal, x, edge, out=out)


def torch_step(torch, out, edge, x):
    return partial(torch.ge, x, edge, out=out)


def numpy_smoothstep(np, out, edge0, edge1, x):
    t = np.empty_like(x)

    def smoothstep():
        np.subtract(x, edge0, t)
        np.subtract(edge1, edge0, out)
        np.divide(t, out, t)
        np.clip(t, 0, 1, t)
        np.multiply(t, t, out)
        np.multiply(t, -2, t)
        np.add(t, 3, t)
        np.multiply(out, t, out)

    return smoothstep


def torch_smoothstep(torch, out, edge0, edge1, x):
    t = torch.empty_like(x)

    def smoothstep():
        torch.sub(x, edge0, out=t)
        torch.sub(edge1, edge0, out=out)
        torch.div(t, out, out=t)
        torch.clamp(t, 0, 1, out=t)
        torch.mul(t, t, out=out)
        torch.mul(t, -2, out=t)
        torch.add(t, 3, out=t)
        torch.mul(out, t, out=out)

    return smoothstep


def numpy_select(np, out, a, b, c):
    def select():
        np.copyto(out, a)
        np.copyto(out, b, where=c)

    return select


def torch_select(torch, out, a, b, c):
    return partial(torch.where, c, b, a, out=out)


def numpy_bitselect(np, out, a, b, c):
    out, a, b, c = (x.view(f"u{x.itemsize}") for x in (out, a, b, c))

    def bitselect():
        np.bitwise_xor(a, b, out)
        np.bitwise_and(out, c, out)
        np.bitwise_xor(out, a, out)

    return bitselect


def torch_bitselect(torch, out, a, b, c):
    out, a, b, c = (x.view(torch.int16) for x in (out, a, b, c))

    def bitselect():
        torch.bitwise_xor(a, b, out=out)
        torch.bitwise_and(out, c, out=out)
        torch.bitwise_xor(out, a, out=out)

    return bitselect


def load_all(hc, out, x):
    every = range(x.size)
    return partial(hc.vload_half, every, x, out=out)


def store_all(hc, out, x):
    return partial(hc.vstore_half, x, 0, out)


def numpy_dot(np, out, x, y):
    return partial(np.einsum, "ij,ij->i", x, y, out=out)  # faster than vecdot


def numpy_cross(np, out, x, y):
    return lambda: np.copyto(out, np.cross(x, y))


def numpy_length(np, out, x):
    return lambda: np.copyto(out, np.linalg.norm(x, axis=-1))


def numpy_distance(np, out, x, y):
    return lambda: np.copyto(out, np.linalg.norm(x - y, axis=-1))


def numpy_normalize(np, out, x):
    return lambda: np.divide(x, np.linalg.norm(x, axis=-1, keepdims=True), out)


def torch_dot(torch, out, x, y):
    return partial(torch.linalg.vecdot, x, y, out=out)


def torch_cross(torch, out, x, y):
    return partial(torch.linalg.cross, x, y, out=out)


def torch_length(torch, out, x):
    return partial(torch.linalg.vector_norm, x, dim=-1, out=out)


def torch_distance(torch, out, x, y):
    return lambda: torch.linalg.vector_norm(x - y, dim=-1, out=out)


def torch_normalize(torch, out, x):
    return partial(torch.nn.functional.normalize, x, dim=-1, out=out)


def numkong_dot(nk, out, x, y):
    return partial(nk.dot, x, y)


def numkong_distance(nk, out, x, y):
    return partial(nk.euclidean, x, y)


# Of vectors of any width: OpenCL's are none.
DOT = {"numpy": numpy_dot, "torch": torch_dot, "numkong": numkong_dot, "opencl": None}
LENGTH = {"numpy": numpy_length, "torch": torch_length, "numkong": None, "opencl": None}
NORMALIZE = {"numpy": numpy_normalize, "torch": torch_normalize, "numkong": None, "opencl": None}


MODERATE = uniform(-8, 8)
POSITIVE = log_uniform(2**-10, 2**10)
NONZERO = log_uniform(2**-5, 2**5)
SMALL_INTEGERS = integers(-4, 4)
UNIT = uniform(-0.999, 0.999)
ABOVE_ONE = log_uniform(1, 2**10)

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
        # exponentials and logarithms
        Op("exp", "e>e", MODERATE),
        Op("exp2", "e>e", MODERATE),
        Op("exp10", "e>e", uniform(-4, 4)),
        Op("expm1", "e>e", MODERATE),
        Op("log", "e>e", POSITIVE),
        Op("log2", "e>e", POSITIVE),
        Op("log10", "e>e", POSITIVE),
        Op("log1p", "e>e", POSITIVE),
        # trigonometric functions. NumKong's are left out: of the 65,536 results for half its sin,
        # cos and atan get 13,055, 44,438 and 3,109 wrong.
        Op("sin", "e>e", MODERATE, numkong=None),
        Op("cos", "e>e", MODERATE, numkong=None),
        Op("tan", "e>e", MODERATE),
        Op(
            "sincos",
            "e>ee",
            MODERATE,
            numpy=numpy_sincos,
            torch=torch_sincos,
            opencl="sincos(x, &second)",
        ),
        Op("sinpi", "e>e", MODERATE),
        Op("cospi", "e>e", MODERATE),
        Op("tanpi", "e>e", MODERATE),
        Op("asin", "e>e", UNIT),
        Op("acos", "e>e", UNIT),
        Op("atan", "e>e", MODERATE, numkong=None),
        Op("asinpi", "e>e", UNIT),
        Op("acospi", "e>e", UNIT),
        Op("atanpi", "e>e", MODERATE),
        Op("atan2", "ee>e", MODERATE),
        Op("atan2pi", "ee>e", MODERATE),
        # hyperbolic functions
        Op("sinh", "e>e", MODERATE),
        Op("cosh", "e>e", MODERATE),
        Op("tanh", "e>e", MODERATE),
        Op("asinh", "e>e", MODERATE),
        Op("acosh", "e>e", ABOVE_ONE),
        Op("atanh", "e>e", UNIT),
        # gamma and error functions
        Op("erf", "e>e", uniform(-4, 4)),
        Op("erfc", "e>e", uniform(-4, 4)),
        Op("tgamma", "e>e", uniform(-4, 8)),
        Op("lgamma", "e>e", MODERATE),
        Op("lgamma_r", "e>ei", MODERATE, opencl="lgamma_r(x, &second)"),
        # powers and roots
        Op("pow", "ee>e", (log_uniform(0.125, 8), uniform(-4, 4))),
        Op("powr", "ee>e", (log_uniform(0.125, 8), uniform(-4, 4))),
        Op("pown", "ei>e", (log_uniform(0.125, 8), integers(-4, 4))),
        Op("rootn", "ei>e", (POSITIVE, integers(1, 5))),
        Op("cbrt", "e>e", POSITIVE),
        Op("rsqrt", "e>e", POSITIVE, numpy=numpy_rsqrt),
        Op("hypot", "ee>e", MODERATE),
        # rounding, division and decomposition
        Op("rint", "e>e", MODERATE, torch="round", rounds=False),
        Op("round", "e>e", MODERATE, numpy=None, torch=None, rounds=False),
        Op("floor", "e>e", MODERATE, rounds=False),
        Op("ceil", "e>e", MODERATE, rounds=False),
        Op("trunc", "e>e", MODERATE, rounds=False),
        Op("fmod", "ee>e", (MODERATE, NONZERO), rounds=False),
        Op("remainder", "ee>e", (MODERATE, NONZERO), numpy=None, torch=None, rounds=False),
        Op(
            "remquo",
            "ee>ei",
            (MODERATE, NONZERO),
            opencl="remquo(x, y, &second)",
            rounds=False,
        ),
        Op("fract", "e>ee", MODERATE, opencl="fract(x, &second)"),
        Op("modf", "e>ee", MODERATE, opencl="modf(x, &second)", rounds=False),
        Op("frexp", "e>ei", MODERATE, opencl="frexp(x, &second)", rounds=False),
        Op("ldexp", "ei>e", (MODERATE, SMALL_INTEGERS), torch=None),
        Op("ilogb", "e>i", MODERATE, rounds=False),
        Op("logb", "e>e", MODERATE, rounds=False),
        Op("fabs", "e>e", MODERATE, torch="abs", rounds=False),
        Op("fdim", "ee>e", MODERATE),
        Op("fmax", "ee>e", MODERATE, rounds=False),
        Op("fmin", "ee>e", MODERATE, rounds=False),
        Op("maxmag", "ee>e", MODERATE, rounds=False),
        Op("minmag", "ee>e", MODERATE, rounds=False),
        Op("copysign", "ee>e", MODERATE, rounds=False),
        Op("nextafter", "ee>e", MODERATE, rounds=False),
        Op("nan", "H>e", integers(0, 1023), numpy=None, torch=None, opencl="nan(x)", rounds=False),
        # common functions
        Op(
            "clamp",
            "eee>e",
            (MODERATE, uniform(-8, 0), uniform(0, 8)),
            numpy="clip",
            rounds=False,
        ),
        Op("degrees", "e>e", MODERATE, torch="rad2deg"),
        Op("max", "ee>e", MODERATE, numpy="maximum", torch="maximum", rounds=False),
        Op("min", "ee>e", MODERATE, numpy="minimum", torch="minimum", rounds=False),
        Op("mix", "eee>e", (MODERATE, MODERATE, uniform(0, 1)), numpy=numpy_mix, torch="lerp"),
        Op("radians", "e>e", MODERATE, torch="deg2rad"),
        Op("sign", "e>e", MODERATE, rounds=False),
        Op(
            "smoothstep",
            "eee>e",
            (uniform(-2, -1), uniform(1, 2), uniform(-2, 2)),
            numpy=numpy_smoothstep,
            torch=torch_smoothstep,
        ),
        Op("step", "ee>e", MODERATE, numpy=numpy_step, torch=torch_step, rounds=False),
        # relational functions
        Op("isequal", "ee>?", SMALL_INTEGERS, numpy="equal", torch="eq", rounds=False),
        Op("isnotequal", "ee>?", SMALL_INTEGERS, numpy="not_equal", torch="ne", rounds=False),
        Op("isgreater", "ee>?", SMALL_INTEGERS, numpy="greater", torch="gt", rounds=False),
        Op(
            "isgreaterequal",
            "ee>?",
            SMALL_INTEGERS,
            numpy="greater_equal",
            torch="ge",
            rounds=False,
        ),
        Op("isless", "ee>?", SMALL_INTEGERS, numpy="less", torch="lt", rounds=False),
        Op("islessequal", "ee>?", SMALL_INTEGERS, numpy="less_equal", torch="le", rounds=False),
        Op("islessgreater", "ee>?", SMALL_INTEGERS, numpy=None, rounds=False),
        Op("isfinite", "e>?", MODERATE, torch=None, rounds=False),
        Op("isinf", "e>?", MODERATE, torch=None, rounds=False),
        Op("isnan", "e>?", MODERATE, torch=None, rounds=False),
        Op("isnormal", "e>?", MODERATE, numpy=None, rounds=False),
        Op("isordered", "ee>?", MODERATE, numpy=None, rounds=False),
        Op("isunordered", "ee>?", MODERATE, numpy=None, rounds=False),
        Op("signbit", "e>?", MODERATE, rounds=False),
        Op(
            "select",
            "ee?>e",
            (MODERATE, MODERATE, integers(0, 1)),
            numpy=numpy_select,
            torch=torch_select,
            opencl=None,
            rounds=False,
        ),
        Op(
            "select_short",
            "eeh>e",
            (MODERATE, MODERATE, integers(-1, 0)),
            halfcl="select",
            numpy=None,
            opencl="select(x, y, z)",
            rounds=False,
        ),
        Op(
            "bitselect",
            "eee>e",
            MODERATE,
            numpy=numpy_bitselect,
            torch=torch_bitselect,
            opencl="bitselect(x, y, z)",
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
        # loads and stores of all, from offset 0 on
        Op(
            "vload_half",
            "e>f",
            MODERATE,
            halfcl=load_all,
            opencl="convert_float{w}(x)",
            rounds=False,
            **CASTS,
        ),
        Op("vstore_half", "f>e", MODERATE, store_all, opencl="convert_half{w}(x)", **CASTS),
        # vectors, which count as elements. OpenCL's runtime takes twice as long in half.
        Op(
            "dot4",
            "ee>e",
            MODERATE,
            "dot",
            numpy=numpy_dot,
            torch=torch_dot,
            numkong=numkong_dot,
            opencl="convert_half(dot(convert_float{w}(x), convert_float{w}(y)))",
            vector=4,
        ),
        Op(
            "dot3",
            "ee>e",
            MODERATE,
            "dot",
            numpy=numpy_dot,
            torch=torch_dot,
            numkong=numkong_dot,
            opencl="convert_half(dot(convert_float{w}(x), convert_float{w}(y)))",
            vector=3,
        ),
        Op(
            "distance4",
            "ee>e",
            MODERATE,
            "distance",
            numpy=numpy_distance,
            torch=torch_distance,
            numkong=numkong_distance,
            opencl="convert_half(distance(convert_float{w}(x), convert_float{w}(y)))",
            vector=4,
        ),
        Op(
            "length4",
            "e>e",
            MODERATE,
            "length",
            numpy=numpy_length,
            torch=torch_length,
            numkong=None,
            opencl="convert_half(length(convert_float{w}(x)))",
            vector=4,
        ),
        Op(
            "normalize4",
            "e>v",
            MODERATE,
            "normalize",
            numpy=numpy_normalize,
            torch=torch_normalize,
            numkong=None,
            opencl="convert_half{w}(normalize(convert_float{w}(x)))",
            vector=4,
        ),
        Op(
            "cross3",
            "ee>v",
            MODERATE,
            "cross",
            numpy=numpy_cross,
            torch=torch_cross,
            numkong=None,
            opencl="convert_half{w}(cross(convert_float{w}(x), convert_float{w}(y)))",
            vector=3,
        ),
        Op(
            "cross4",
            "ee>v",
            MODERATE,
            "cross",
            numpy=None,
            torch=None,
            numkong=None,
            opencl="convert_half{w}(cross(convert_float{w}(x), convert_float{w}(y)))",
            vector=4,
        ),
        # Longer ones than OpenCL has.
        Op("dot16", "ee>e", MODERATE, "dot", vector=16, **DOT),
        Op("dot64", "ee>e", MODERATE, "dot", vector=64, **DOT),
        Op("length64", "e>e", MODERATE, "length", vector=64, **LENGTH),
        Op("normalize64", "e>v", MODERATE, "normalize", vector=64, **NORMALIZE),
        # reductions
        Op("sum", "e>e", MODERATE, "np.add.reduce", "add.reduce", opencl="x", reduces=True),
        Op("dot", "ee>e", MODERATE, "np.dot", opencl="x * y", reduces=True),
    )
}
