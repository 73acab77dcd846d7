"""Property test of reductions: results of halves, or in half, are exact and rounded once.

Each draw is a call of one of `FUNCTIONS`, with numbers, a layout, a carrier (an array, a list, an
object with __array__), keywords and a rounding mode. Its results are compared with ratios of
integers, which share no code with the library. HALFCL_RULE_DRAWS is the number of draws, by default
500; a failure prints the call, and hypothesis shrinks it.
"""

import itertools
import math
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
import rule_oracle as exact
from exhaustive import either, one_in
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

import halfcl as hc

half, nan = hc.half, math.nan
HALF, FLOAT16 = np.dtype(half), np.dtype(np.float16)
MODES = ("rte", "rtz", "rtp", "rtn")
DRAWS = int(os.environ.get("HALFCL_RULE_DRAWS") or either(100_000, 300, 2_000))

# ---------------------------------------------------------------- draws

SMALL = (
    (5,), (), (0,), (1,), (2,), (17,), (3, 4), (4, 1), (2, 0), (0, 3), (2, 3, 4), (7, 32), (7, 33),
    (16, 3), (17, 5), (20, 32), (20, 33), (33, 20), (64,), (65,), (2, 3, 2, 3),
)  # fmt: skip
MEDIUM = (
    (1024,), (1025,), (513, 2), (2, 513), (2048,), (2049,), (100, 64), (64, 100), (257, 65),
    (4097,), (8193,), (40, 7, 33), (256, 16), (257, 17),
)  # fmt: skip
LARGE = ((16385, 33), (33, 16385), (16384, 3), (16385, 2), (70_000,), (2**16 + 1, 2), (3, 2**16))
#: Shapes are repeated according to how often they are drawn.
SHAPES = SMALL * 8 + MEDIUM * 2 + LARGE

NUMBERS = (
    "integers", "normal", "any", "large", "tiny", "ties", "cancelling", "zeros", "near one",
    "special",
)  # fmt: skip
LAYOUTS = (
    "C", "F", "strided", "reversed", "transposed", "swapped", "unaligned", "read-only",
    "overlapping", "repeated",
)  # fmt: skip
CARRIERS = ("array",) * 6 + ("list", "tuple", "list of arrays", "__array__")
#: Half, float16 while it is accelerated, and other types with results in these.
SOURCES = (
    ("half",) * 4 + ("float16",) * 2 + ("bool", "int8", "uint8", "int32", "float32", "float64")
)
#: The keyword dtype: none; spellings of half; spellings of float16, one of which is "half".
DTYPES = (None, None, half, HALF, np.float16, "float16", "half", "e", np.float32, "d")


@dataclass(frozen=True)
class Draw:
    """The choices that make up a call; hypothesis shrinks each to the first one."""

    shape: tuple[int, ...]
    numbers: str
    source: str
    layout: str
    carrier: str
    mode: str
    axis: str
    dtype: object
    out: str | None
    where: str | None
    initial: object
    keepdims: bool
    ddof: int
    seed: int


DRAW = st.builds(
    Draw,
    shape=st.sampled_from(SHAPES),
    numbers=st.sampled_from(NUMBERS),
    source=st.sampled_from(SOURCES),
    layout=st.sampled_from(LAYOUTS),
    carrier=st.sampled_from(CARRIERS),
    mode=st.sampled_from(MODES),
    axis=st.sampled_from(("none", "first", "last", "two")),
    dtype=st.sampled_from(DTYPES),
    out=st.sampled_from((None, None, None, "C", "strided")),
    where=st.sampled_from((None, None, None, "full", "last axis", "list")),
    initial=st.sampled_from((None, None, None, 3, 2.5, half(-1.5))),
    keepdims=st.booleans(),
    ddof=st.sampled_from((0, 0, 1, 2)),
    seed=st.integers(0, 2**20),
)


def numbers_of(kind, rng, shape):
    """Return halves of a kind, as float64."""
    n = math.prod(shape)
    sign = rng.choice([-1.0, 1.0], n)
    bits = {
        "any": rng.integers(0, 0x7C00, n), "large": rng.integers(0x7B00, 0x7C00, n),
        "tiny": rng.integers(0, 0x400, n), "near one": rng.integers(0x3BF0, 0x3C10, n),
    }  # fmt: skip
    if kind in bits:
        x = sign * bits[kind].astype(np.uint16).view(np.float16).astype(np.float64)
    elif kind == "integers":
        x = rng.integers(-5, 6, n).astype(np.float64)
    elif kind == "ties":  # a sum at a tie, or 2^-24 next to it
        x = np.zeros(n)
        x[:3] = [1024 + rng.integers(1024), 0.5, rng.integers(-1, 2) * 2.0**-24][:n]
        x = rng.permutation(x) if rng.integers(2) else x
    elif kind == "cancelling":
        x = rng.standard_normal(n)
        x[n // 2 : 2 * (n // 2)] = -x[: n // 2]
        x[n // 3 : n // 3 + 1] += 2.0**-10
    elif kind == "zeros":
        x = 0.0 * sign
    else:
        x = rng.standard_normal(n)
        if kind == "special" and n:
            some = rng.integers(0, n, 1 + n // 5)
            x[some] = rng.choice([np.inf, -np.inf, nan, 0.0], some.size)
    return x.astype(np.float16).astype(np.float64).reshape(shape)


#: The smallest and largest numbers of dtypes of integers.
INTEGERS = {"bool": (0, 1), "int8": (-128, 127), "uint8": (0, 255), "int32": (-(2**31), 2**31 - 1)}


def array_of(draw, rng, shape, source=None):
    """Return a contiguous array of the source's dtype."""
    source = source or draw.source
    if source in INTEGERS:
        low, high = INTEGERS[source]
        if draw.numbers in ("integers", "zeros", "ties"):
            low, high = max(low, -3), min(high, 3)
        return rng.integers(low, high + 1, shape).astype(source)
    x = numbers_of(draw.numbers, rng, shape)
    if source in ("float32", "float64"):
        # Numbers with more bits than a half has, in multiples of 2^-UNIT.
        fine = rng.integers(-(2**12), 2**12, shape) * 2.0 ** -rng.integers(18, 41, shape)
        x = x + fine if draw.numbers in ("normal", "near one") else x
        return np.asarray(x, source)
    return x.astype(np.float16).view(HALF) if source == "half" else x.astype(np.float16)


def lay_out(draw, rng, array):
    """Return an array in the draw's layout; some layouts repeat numbers."""
    layout, shape = draw.layout, array.shape
    if layout == "F":
        return array.copy("F")
    if layout == "strided" and array.ndim:
        wide = np.zeros((*shape[:-1], 2 * shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if layout == "reversed":
        turned = (slice(None, None, -1),) * array.ndim
        return array[turned].copy()[turned] if array.ndim else array
    if layout == "transposed":
        order = rng.permutation(array.ndim)
        return array.transpose(order).copy("C").transpose(np.argsort(order))
    if layout == "swapped":
        return array.astype(array.dtype.newbyteorder())
    if layout == "unaligned":
        memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
        apart = memory[: array.nbytes].view(array.dtype).reshape(shape)
        apart[...] = array
        return apart
    if layout == "read-only":
        locked = array.copy()
        locked.flags.writeable = False
        return locked
    if layout == "overlapping" and array.ndim == 2 and array.size:
        line = np.concatenate([array[0], array[1:, -1]])
        return np.lib.stride_tricks.sliding_window_view(line, shape[1])
    if layout == "repeated" and array.ndim and shape[0]:
        return np.broadcast_to(array[0], shape)
    return array


class _HasArray:
    """An object that converts to an array by __array__ only."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __repr__(self):
        return f"HasArray({self.array!r})"


def nest(array, make):
    """Return the numbers of an array in nest lists, or tuples, each a scalar of its dtype."""
    return make(nest(x, make) for x in array) if array.ndim else array[()]


def put_in_carrier(carrier, array):
    """Return an array as a list, a tuple, an object with __array__ or itself."""
    if carrier == "array" or array.size > 2000 or array.size == 0:
        return array
    if carrier == "__array__":
        return _HasArray(array)
    if array.ndim == 0:
        return array[()]
    if carrier == "list of arrays":
        return list(array)
    return nest(array, list if carrier == "list" else tuple)


# ---------------------------------------------------------------- calls


@dataclass
class Case:
    """The arguments of a call, and what the oracle needs to know about them."""

    draw: Draw
    rng: np.random.Generator
    arguments: tuple[object, ...]
    keywords: dict[str, object]
    #: The first argument's numbers.
    values: np.ndarray
    #: The dtype of the results.
    kind: np.dtype
    reduced: tuple[int, ...] = ()
    ddof: int = 0
    where: np.ndarray | None = None
    initial: float | None = None
    extra: dict[str, object] = field(default_factory=dict)
    source: str = "half"

    @property
    def is_wide(self):
        return self.kind not in (HALF, FLOAT16)


#: (index of a result, its value): a Ratio; a float that is infinite or NaN; None for any value.
Expectation = Iterator[tuple[tuple[int, ...], object]]


@dataclass(frozen=True)
class Function:
    """A function, its keywords, and a generator of its expected results."""

    call: Callable[..., object]
    keywords: str
    expect: Callable[[Case], Expectation]
    #: Makes the arguments and more keywords of a draw; None if they are one array and an axis.
    prepare: Callable[[Draw, np.random.Generator], Case] | None = None
    #: Whether it accepts numbers that are not halves, with dtype or out of half.
    takes_others: bool = False
    #: Whether it accepts other carriers than arrays.
    takes_lists: bool = True


def source_of(draw, function):
    """Return the dtype of the numbers: half or float16 for functions without a keyword dtype."""
    if draw.source in ("half", "float16") or function.takes_others:
        return draw.source
    return "float16" if draw.source.startswith("float") else "half"


def is_accelerated(draw, function):
    """Return whether float16 is accelerated: for float16, and for every second seed of others."""
    source = source_of(draw, function)
    return source == "float16" or (source != "half" and draw.seed % 2 == 1)


def kind_of(draw, function):
    """Return the dtype of results, the keyword dtype or None, and whether there is an output."""
    source, names = source_of(draw, function), function.keywords.split()
    is_half = source in ("half", "float16")
    halves = (
        (half, HALF) if not is_accelerated(draw, function) else (half, HALF, np.float16, "half")
    )
    dtype = draw.dtype if "dtype" in names else None
    if "dtype" in names and not is_half and (draw.out is None or dtype is not None):
        dtype = halves[draw.seed % len(halves)]
    out = "out" in names and draw.out is not None
    own = HALF if source == "half" or not is_half else FLOAT16
    kind = own if dtype is None else np.dtype(dtype)
    return HALF if kind == HALF else kind, dtype, out


def axis_of(draw, function):
    """Return the keyword axis, if any, and the axes that it names."""
    ndim = len(draw.shape)
    names = function.keywords.split()
    every = tuple(range(ndim))
    if draw.axis == "none" or ndim == 0:
        return {}, every
    if draw.axis == "two" and ndim > 1 and "axes" in names:
        return {"axis": (0, -1)}, tuple(sorted({0, ndim - 1}))
    axis = 0 if draw.axis == "first" else -1
    return {"axis": axis}, (axis % ndim,)


def shape_of(shape, reduced, keepdims):
    """Return the shape of results."""
    if keepdims:
        return tuple(1 if k in reduced else n for k, n in enumerate(shape))
    return tuple(n for k, n in enumerate(shape) if k not in reduced)


def output_for(draw, shape, kind):
    """Return an output array, filled with a number."""
    if draw.out == "strided" and shape:
        return np.full((*shape[:-1], 3 * shape[-1]), 77, kind)[..., ::3]
    return np.full(shape, 77, kind)


def reduction_case(draw, function, rng):
    """Make the case of one array that is reduced along axes."""
    names = function.keywords.split()
    array = lay_out(draw, rng, array_of(draw, rng, draw.shape, source_of(draw, function)))
    argument = put_in_carrier(draw.carrier, array) if function.takes_lists else array
    kind, dtype, has_out = kind_of(draw, function)
    keywords, reduced = axis_of(draw, function)
    if draw.axis == "none" and function.call in FROM_FIRST_AXIS:
        reduced = (0,) if draw.shape else ()
    values = array.astype(np.float64)
    case = Case(draw, rng, (argument,), keywords, values, kind, reduced)
    case.source = source_of(draw, function)
    if dtype is not None:
        keywords["dtype"] = dtype
    if "keepdims" in names and draw.keepdims:
        keywords["keepdims"] = True
    if "where" in names and draw.where and draw.shape:
        shape = draw.shape if draw.where == "full" else draw.shape[-1:]
        truths = rng.random(shape) < 0.7
        case.where = np.broadcast_to(truths, draw.shape)
        keywords["where"] = truths.tolist() if draw.where == "list" else truths
    if "initial" in names and draw.initial is not None and not case.is_wide:
        keywords["initial"], case.initial = draw.initial, float(draw.initial)
    if "ddof" in names:
        case.ddof = draw.ddof
        if draw.ddof:
            renamed = draw.seed % 3 == 0 and "correction" in names
            keywords["correction" if renamed else "ddof"] = draw.ddof
    if has_out:
        shape = shape_of(draw.shape, reduced, bool(keywords.get("keepdims")))
        keywords["out"] = output_for(draw, shape, kind)
    return case


# ---------------------------------------------------------------- lines


def indices_to_check(rng, shape):
    """Return indices of results to check: all of few, else the first, the last and some others."""
    count = math.prod(shape)
    chosen = range(count)
    if count > 24:
        chosen = {0, count - 1, *rng.integers(0, count, 18)} | ({16383, 16384} & set(chosen))
    return [tuple(map(int, np.unravel_index(k, shape))) if shape else () for k in sorted(chosen)]


def lines(case):
    """Yield the index of each result with the numbers that it includes."""
    values, reduced = case.values, case.reduced
    kept = tuple(k for k in range(values.ndim) if k not in reduced)
    moved = values.transpose(kept + reduced)
    where = None if case.where is None else case.where.transpose(kept + reduced)
    keeps = bool(case.keywords.get("keepdims"))
    for index in indices_to_check(case.rng, moved.shape[: len(kept)]):
        line = moved[index].ravel()
        if where is not None:
            line = line[where[index].ravel()]
        if keeps:
            of_axis = dict(zip(kept, index, strict=True))
            index = tuple(of_axis.get(k, 0) for k in range(values.ndim))
        yield index, line


def signs(line):
    """Return signs, zeros and special numbers, whose product is special if that of a line is."""
    return np.where(np.isfinite(line) & (line != 0), np.sign(line), line)


def expect_lines(statistic, special, skips_nans=False):
    """Return a generator of a statistic of each line; special: for lines that are not finite."""

    def expect(case):
        for index, line in lines(case):
            if skips_nans:
                line = line[~np.isnan(line)]
            if case.initial is not None:
                line = np.append(line, case.initial)
            if np.isfinite(line).all():
                yield index, statistic(case, line)
            else:
                with np.errstate(all="ignore"):
                    yield index, special(line)

    return expect


def drop_sign_of_integers(case, ratio):
    """Return a ratio, for integers without the sign of a zero."""
    has_sign = case.source not in INTEGERS or not isinstance(ratio, exact.Ratio)
    return ratio if has_sign else ratio.without_sign()


def sum_of(case, line):
    return drop_sign_of_integers(case, exact.total(line, case.draw.mode))


def mean_of(case, line):
    return drop_sign_of_integers(case, exact.mean(line, case.draw.mode))


def variance_of(root):
    return lambda case, line: exact.variance(line, case.ddof, root)


def product_of(case, line):
    return drop_sign_of_integers(case, exact.product(line, 101))


def nan_or_any(line):
    return nan if np.isnan(line).any() else None


def median_of(case, line):
    return exact.between(line, len(line) - 1, 2) if len(line) else nan


def quantile_of(case, line):
    return exact.between(line, (len(line) - 1) * case.extra["part"], 64) if len(line) else nan


def range_of(case, line):
    return exact.Ratio(max(exact.integers(line)) - min(exact.integers(line)))


STATISTICS = {
    "sum": expect_lines(sum_of, np.sum),
    "mean": expect_lines(mean_of, np.mean),
    "var": expect_lines(variance_of(False), lambda line: nan),
    "std": expect_lines(variance_of(True), lambda line: nan),
    "prod": expect_lines(product_of, lambda line: np.prod(signs(line))),
    "norm": expect_lines(lambda case, line: exact.norm(line), lambda line: np.sum(line * line)),
    "median": expect_lines(median_of, nan_or_any),
    "quantile": expect_lines(quantile_of, nan_or_any),
    "ptp": expect_lines(range_of, nan_or_any),
    "nansum": expect_lines(sum_of, np.sum, True),
    "nanmean": expect_lines(mean_of, np.mean, True),
    "nanvar": expect_lines(variance_of(False), lambda line: nan, True),
    "nanstd": expect_lines(variance_of(True), lambda line: nan, True),
    "nanprod": expect_lines(product_of, lambda line: np.prod(signs(line)), True),
    "nanmedian": expect_lines(median_of, nan_or_any, True),
    "nanquantile": expect_lines(quantile_of, nan_or_any, True),
}


def nonempty_case(draw, rng, function):
    """Make a case of an array with at least one element along each axis."""
    if 0 in draw.shape:
        draw = Draw(**{**vars(draw), "shape": (3, 4)})
    return reduction_case(draw, function, rng)


def quantile_case(scale):
    """Return a function that makes a case whose q is a multiple of 1/64, as a number or a half."""

    def prepare(draw, rng, function):
        case = nonempty_case(draw, rng, function)
        part = int(rng.integers(0, 65))
        case.extra["part"] = part
        q = part * scale / 64
        is_short = float(half(q)) == q and case.kind == HALF
        case.arguments += ((half(q) if is_short and rng.integers(2) else q),)
        return case

    return prepare


def norm_case(draw, rng, function):
    """Make the case of a norm of a vector, a matrix or lines."""
    case = reduction_case(draw, function, rng)
    if isinstance(case.keywords.get("axis"), int) and rng.integers(2):
        case.keywords["ord"] = 2
    elif "axis" in case.keywords and isinstance(case.keywords["axis"], tuple):
        case.keywords["ord"] = "fro"
    return case


def weighted_case(draw, rng, function):
    """Make the case of an average with weights, of the array's shape or along one axis."""
    case = nonempty_case(draw, rng, function)
    shape = case.values.shape
    alone = isinstance(case.keywords.get("axis"), int) and rng.integers(2)
    length = (shape[case.keywords["axis"]],) if alone else shape
    weights = array_of(draw, rng, length, "half" if case.kind == HALF else "float16")
    weights[~np.isfinite(weights) | (weights == 0)] = 1
    weights = np.asarray(np.abs(weights))  # NumPy refuses weights whose sum is zero
    case.keywords["weights"] = put_in_carrier(draw.carrier, weights)
    spread = weights.astype(np.float64)
    if alone:
        axis = case.keywords["axis"] % len(shape)
        spread = spread.reshape([-1 if k == axis else 1 for k in range(len(shape))])
    case.extra["weights"] = np.broadcast_to(spread, shape)
    return case


def expect_weighted(case):
    weights = Case(**{**vars(case), "values": case.extra["weights"]})
    case.rng, weights.rng = (np.random.default_rng(case.draw.seed) for _ in range(2))
    for (index, line), (_, some) in zip(lines(case), lines(weights), strict=True):
        is_finite = np.isfinite(line).all()
        yield index, exact.weighted_mean(line, some) if is_finite else None


# ---------------------------------------------------------------- running results, segments


def expect_running(step, special, error_bits=None, replaces=None):
    """Return a generator of running results of lines; replaces: the number in place of NaNs."""

    def expect(case):
        values = case.values
        if "axis" not in case.keywords and case.extra.get("flat", True):
            values, along = values.reshape(-1), 0
        else:
            along = case.keywords.get("axis", 0) % max(values.ndim, 1)
        moved = np.moveaxis(values, along, -1)
        for index in indices_to_check(case.rng, moved.shape[:-1]):
            line = moved[index]
            if replaces is not None:
                line = np.where(np.isnan(line), replaces, line)
            with np.errstate(all="ignore"):
                rough = special(line)
            finite = np.where(np.isfinite(line), line, 0)
            some = exact.integers(finite)[: None if len(line) < 4000 or error_bits is None else 70]
            results = list(itertools.accumulate(some, step))
            for (k,) in indices_to_check(case.rng, (len(results),)):
                whole = (*index[:along], k, *index[along:])
                if not np.isfinite(rough[k]):
                    yield whole, rough[k]
                    continue
                times = k + 1 if error_bits else 1
                error = None if error_bits is None else times * 2.0**-error_bits
                yield whole, exact.Ratio(results[k], 1, -exact.UNIT * times, error=error)

    return expect


def special_products(line):
    return np.cumprod(signs(line))


RUNNING_SUMS = expect_running(lambda x, y: x + y, np.cumsum)
RUNNING_PRODUCTS = expect_running(lambda x, y: x * y, special_products, 52)


def running_case(draw, rng, function):
    """Make the case of a running result along one axis, or over all elements in C order."""
    if draw.axis == "two":
        draw = Draw(**{**vars(draw), "axis": "last"})
    if function.call in FROM_FIRST_AXIS and not draw.shape:
        draw = Draw(**{**vars(draw), "shape": (5,)})
    case = reduction_case(draw, function, rng)
    case.extra["flat"] = function.call not in FROM_FIRST_AXIS
    if "out" in case.keywords:
        is_flat = "axis" not in case.keywords and case.extra["flat"]
        shape = (math.prod(draw.shape),) if is_flat else draw.shape
        case.keywords["out"] = output_for(draw, shape, case.kind)
    return case


def segments_case(draw, rng, function):
    """Make the case of segments, whose starts are sorted or not."""
    if 0 in draw.shape or not draw.shape:
        draw = Draw(**{**vars(draw), "shape": (7, 33)})
    case = running_case(draw, rng, function)
    n = draw.shape[case.keywords.get("axis", 0)]
    starts = rng.integers(0, n, int(rng.integers(1, 9)))
    starts = np.sort(starts) if rng.integers(2) else starts
    case.arguments += (starts.tolist() if rng.integers(2) else starts,)
    case.extra["starts"] = starts
    if "out" in case.keywords:
        shape = list(draw.shape)
        shape[case.keywords.get("axis", 0)] = len(starts)
        case.keywords["out"] = output_for(draw, tuple(shape), case.kind)
    return case


def expect_segments(case):
    along = case.keywords.get("axis", 0) % case.values.ndim
    moved, starts = np.moveaxis(case.values, along, -1), case.extra["starts"]
    for index in indices_to_check(case.rng, moved.shape[:-1]):
        for k, start in enumerate(starts):
            end = starts[k + 1] if k + 1 < len(starts) else moved.shape[-1]
            line = moved[index][start : max(end, start + 1)]
            whole = (*index[:along], k, *index[along:])
            with np.errstate(all="ignore"):
                is_finite = np.isfinite(line).all()
                yield whole, exact.Ratio(sum(exact.integers(line))) if is_finite else np.sum(line)


def trapezoid_case(draw, rng, function):
    """Make the case of an integral, with one distance or with abscissas."""
    if 0 in draw.shape or not draw.shape:
        draw = Draw(**{**vars(draw), "shape": (3, 4)})
    if draw.axis not in ("first", "last"):
        draw = Draw(**{**vars(draw), "axis": "last"})
    case = reduction_case(draw, function, rng)
    n = draw.shape[case.keywords["axis"]]
    if rng.integers(2):
        dx = [1.0, 0.5, 3, 0.375][rng.integers(4)]
        case.keywords["dx"], case.extra["steps"] = dx, np.full(max(n - 1, 0), float(dx))
    else:
        at = np.cumsum(rng.integers(0, 5, n) * 0.5) % 512 - 3
        at = np.asarray(at, np.float16)
        at = at.view(HALF) if case.kind == HALF else at
        case.keywords["x"] = put_in_carrier(draw.carrier, at)
        case.extra["steps"] = np.diff(at.astype(np.float64))
    return case


def expect_trapezoid(case):
    for index, line in lines(case):
        is_finite = np.isfinite(line).all()
        yield index, exact.trapezoid(line, case.extra["steps"]) if is_finite else None


# ---------------------------------------------------------------- products

LENGTHS = (3, 1, 2, 5, 7, 16, 17, 24, 25, 33, 48, 49, 64, 65)


def product_case(subscripts, keywords=None):
    """Return a function that makes the case of two arrays with axes of one of some subscripts.

    keywords: a function that makes more keywords from a random generator.
    """

    def prepare(draw, rng, function):
        first, second = subscripts[rng.integers(len(subscripts))].split(",")
        most = 1200 if rng.random() < 0.05 else 60
        letters = sorted({*first, *second} - {"."})
        sizes = {x: int(rng.choice(LENGTHS)) for x in letters}
        while math.prod(sizes.values()) > 40_000:
            sizes[letters[rng.integers(len(letters))]] = 2
        if letters and rng.random() < 0.1:
            # Empty windows raise errors; empty sums of products are zeros.
            least = 0 if set(first) & set(second) else 1
            sizes[letters[rng.integers(len(letters))]] = int(rng.integers(least, most))
        source = source_of(draw, function)
        arrays = []
        for k, axes in enumerate((first, second)):
            # Integers of eight bits are exact in half.
            of = "int8" if k and source == "half" and draw.seed % 5 == 0 else source
            array = array_of(draw, rng, tuple(sizes[x] for x in axes), of)
            arrays.append(lay_out(draw, rng, array))
        case = Case(draw, rng, (), {}, None, HALF if source == "half" else FLOAT16)
        case.extra["arrays"] = arrays
        case.arguments = tuple(
            put_in_carrier(draw.carrier, x) if function.takes_lists else x for x in arrays
        )
        case.extra["with"] = {} if keywords is None else keywords(rng, first, second)
        case.keywords = dict(case.extra["with"])
        if "out" in function.keywords and draw.out is not None:
            shape = np.shape(function.call(*map(np.ones_like, arrays), **case.extra["with"]))
            strided = draw.out == "strided" and "strided" in function.keywords
            out = output_for(
                draw if strided else Draw(**{**vars(draw), "out": "C"}), shape, case.kind
            )
            case.keywords["out"] = out
        if "casting" in function.keywords:
            rules = {
                "order": rng.choice(["C", "F", "K", "A"]),
                "casting": "same_kind",
                "dtype": half if case.kind == HALF else np.float16,
            }
            case.keywords |= {k: v for k, v in rules.items() if rng.random() < 0.2}
            case.keywords = {k: str(v) if k == "order" else v for k, v in case.keywords.items()}
        return case

    return prepare


def expect_products(call):
    """Return a generator of sums of products, which the function computes from integers."""

    def expect(case):
        numbers = [x.astype(np.float64) for x in case.extra["arrays"]]
        finite = [np.where(np.isfinite(x), x, 0) for x in numbers]

        def of(x, y):
            return call(x, y, **case.extra["with"])

        results, special = exact.bilinear(of, *finite), exact.special_bilinear(of, *numbers)
        for index in indices_to_check(case.rng, results.shape):
            is_special = special[index] != 0
            yield index, special[index] if is_special else exact.Ratio(results[index], 1, -48)

    return expect


def einsum_function(text):
    def call(a, b, **keywords):
        return np.einsum(text, a, b, **keywords)

    return call


def products(call, subscripts, keywords="", more=None, **options):
    """Return a function of two arrays, which is its own oracle when called with integers."""
    prepare = product_case(subscripts, more)
    return Function(call, keywords, expect_products(call), prepare, **options)


def modes_of_windows(rng, first, second):
    return {"mode": str(rng.choice(["valid", "same", "full"]))}


def axes_of_tensordot(rng, first, second):
    shared = [x for x in first if x in second]
    return {"axes": ([first.index(x) for x in shared], [second.index(x) for x in shared])}


def einsum_of_one(text):
    """Return einsum of one array with subscripts, as a function to test."""

    def expect(case):
        for index, line in lines(case):
            with np.errstate(all="ignore"):
                is_finite = np.isfinite(line).all()
                yield index, exact.Ratio(sum(exact.integers(line))) if is_finite else np.sum(line)

    def prepare(draw, rng, function):
        draw = Draw(**{**vars(draw), "shape": (7, 33), "axis": "last", "keepdims": False})
        case = reduction_case(draw, function, rng)
        case.keywords.pop("axis")
        case.keywords.pop("dtype", None)
        return case

    return Function(lambda a, **keywords: np.einsum(text, a, **keywords), "out", expect, prepare)


# ---------------------------------------------------------------- the table

#: Functions whose default axis is the first one.
FROM_FIRST_AXIS = (np.add.reduce, np.add.accumulate, np.add.reduceat)

MATRICES = ("ij,jk", "i,i", "ij,j", "i,ij")
ALIKE = ("i,i", "ij,ij", "ijk,ijk")


def reduction(name, call, keywords, **options):
    return Function(call, keywords, STATISTICS[name], **options)


def quantile(call, scale, name="quantile"):
    return Function(call, "out keepdims axes", STATISTICS[name], quantile_case(scale))


def method(name):
    return lambda a, *others, **keywords: getattr(a, name)(*others, **keywords)


SUMS = "axes dtype out keepdims initial where"
MEANS = "axes dtype out keepdims where"
SPREADS = MEANS + " ddof correction"
OF_METHODS = MEANS + " ddof"
#: The functions to test, by name.
FUNCTIONS = {
    "sum": reduction("sum", np.sum, SUMS, takes_others=True),
    "prod": reduction("prod", np.prod, SUMS, takes_others=True),
    "mean": reduction("mean", np.mean, MEANS, takes_others=True),
    "var": reduction("var", np.var, SPREADS, takes_others=True),
    "std": reduction("std", np.std, SPREADS, takes_others=True),
    "average": Function(np.average, "axes keepdims", STATISTICS["mean"], nonempty_case),
    "average, weighted": Function(np.average, "axes keepdims", expect_weighted, weighted_case),
    "norm": Function(np.linalg.norm, "axes keepdims", STATISTICS["norm"], norm_case),
    "add.reduce": reduction("sum", np.add.reduce, SUMS, takes_others=True),
    "nansum": reduction("nansum", np.nansum, SUMS, takes_others=True),
    "nanprod": reduction("nanprod", np.nanprod, SUMS, takes_others=True),
    "nanmean": reduction("nanmean", np.nanmean, MEANS, takes_others=True),
    "nanvar": reduction("nanvar", np.nanvar, SPREADS, takes_others=True),
    "nanstd": reduction("nanstd", np.nanstd, SPREADS, takes_others=True),
    "a.sum": reduction("sum", method("sum"), SUMS, takes_others=True, takes_lists=False),
    "a.prod": reduction("prod", method("prod"), SUMS, takes_others=True, takes_lists=False),
    "a.mean": reduction("mean", method("mean"), MEANS, takes_others=True, takes_lists=False),
    "a.var": reduction("var", method("var"), OF_METHODS, takes_others=True, takes_lists=False),
    "a.std": reduction("std", method("std"), OF_METHODS, takes_others=True, takes_lists=False),
    "median": Function(np.median, "axes out keepdims", STATISTICS["median"], nonempty_case),
    "nanmedian": Function(
        np.nanmedian, "axes out keepdims", STATISTICS["nanmedian"], nonempty_case
    ),
    "ptp": Function(np.ptp, "axes out keepdims", STATISTICS["ptp"], nonempty_case),
    "quantile": quantile(np.quantile, 1),
    "percentile": quantile(np.percentile, 100),
    "nanquantile": quantile(np.nanquantile, 1, "nanquantile"),
    "nanpercentile": quantile(np.nanpercentile, 100, "nanquantile"),
    "cumsum": Function(np.cumsum, "dtype out", RUNNING_SUMS, running_case, takes_others=True),
    "nancumsum": Function(
        np.nancumsum, "dtype out", expect_running(lambda x, y: x + y, np.cumsum, None, 0),
        running_case, takes_others=True,
    ),
    "cumprod": Function(np.cumprod, "out", RUNNING_PRODUCTS, running_case),
    "nancumprod": Function(
        np.nancumprod, "out", expect_running(lambda x, y: x * y, special_products, 52, 1),
        running_case,
    ),
    "add.accumulate": Function(
        np.add.accumulate, "dtype out", RUNNING_SUMS, running_case, takes_others=True
    ),
    "a.cumsum": Function(
        method("cumsum"), "dtype out", RUNNING_SUMS, running_case, takes_others=True,
        takes_lists=False,
    ),
    "a.cumprod": Function(
        method("cumprod"), "out", RUNNING_PRODUCTS, running_case, takes_lists=False
    ),
    "add.reduceat": Function(
        np.add.reduceat, "dtype out", expect_segments, segments_case, takes_others=True
    ),
    "trapezoid": Function(np.trapezoid, "", expect_trapezoid, trapezoid_case),
    "dot": products(np.dot, (*MATRICES, "hij,jk", "ij,hjk"), "out"),
    "a.dot": products(method("dot"), (*MATRICES, "hij,jk"), "out", takes_lists=False),
    "vdot": products(np.vdot, ALIKE),
    "inner": products(np.inner, ("i,i", "ij,kj", "hij,kj", "ij,j")),
    "matmul": products(
        np.matmul, (*MATRICES, "hij,hjk", "hij,jk", "ij,hjk"), "out strided casting"
    ),
    "a @ b": products(lambda a, b: a @ b, (*MATRICES, "hij,hjk"), takes_lists=False),
    "vecdot": products(np.vecdot, (*ALIKE, "ij,j"), "out strided casting"),
    "tensordot": products(
        np.tensordot, ("ij,jk", "ijk,jkl", "ijk,jil", "ij,kj"), "", axes_of_tensordot
    ),
    "convolve": products(np.convolve, ("i,j",), "", modes_of_windows),
    "correlate": products(np.correlate, ("i,j",), "", modes_of_windows),
    **{
        f"einsum {text}": products(
            einsum_function(text), (text.split("->")[0],), "out strided casting"
        )
        for text in (
            "ij,jk->ik", "i,i", "ij,ij->i", "ij,ij->", "hij,hjk->hik", "i,j->ij", "ij,j",
            "ij,jk->ki", "ij,kl->ik", "ij,ik->ijk", "ij,ji->",
        )
    },
    "einsum ij->i": einsum_of_one("ij->i"),
}  # fmt: skip


# ---------------------------------------------------------------- the test


def make_case(draw, function):
    rng = np.random.default_rng(draw.seed)
    if function.prepare is None:
        return reduction_case(draw, function, rng)
    return function.prepare(draw, rng, function)


def describe(name, case, accelerated):
    arguments = [repr(x) for x in case.arguments]
    arguments += [f"{k}={v!r}" for k, v in case.keywords.items()]
    region = f"with hc.rounding({case.draw.mode!r})" + ", hc.accelerated()" * accelerated
    return f"{region}: {name}({', '.join(arguments)})"


def run(function, case, accelerated):
    with warnings.catch_warnings(), np.errstate(all="ignore"), hc.rounding(case.draw.mode):
        warnings.simplefilter("ignore", RuntimeWarning)
        if not accelerated:
            return function.call(*case.arguments, **case.keywords)
        with hc.accelerated():
            return function.call(*case.arguments, **case.keywords)


FORMATS = {"half": "half", "float16": "half", "float32": "float32", "float64": "float64"}


def is_as_expected(got, expected, fmt, mode):
    """Return whether a result is as expected; of a zero also the sign, if it is specified."""
    if expected is None:
        return True
    if not isinstance(expected, exact.Ratio):
        return got == expected or (math.isnan(got) and math.isnan(expected))
    low, high = exact.possible(expected, fmt, mode)
    is_zero = got == 0 and low == high == 0 and expected.negative_zero is not None
    return low <= got <= high and (not is_zero or math.copysign(1, got) == math.copysign(1, low))


def check(name, draw):
    function = FUNCTIONS[name]
    accelerated = is_accelerated(draw, function)
    case = make_case(draw, function)
    text = describe(name, case, accelerated)
    got = run(function, case, accelerated)
    out = case.keywords.get("out")
    if out is not None:
        assert got is out or out.ndim == 0, text  # NumPy may return a number for no axes
        got = out
    elif np.ndim(got) == 0 and not case.keywords.get("keepdims") and "einsum" not in name:
        assert isinstance(got, np.generic), text
    assert got.dtype == case.kind, f"{text}: {got.dtype}, not {case.kind}"
    results, fmt = np.asarray(got), FORMATS[case.kind.name]
    for index, expected in function.expect(case):
        result = float(results[index])
        if not is_as_expected(result, expected, fmt, draw.mode):
            is_ratio = isinstance(expected, exact.Ratio)
            want = exact.possible(expected, fmt, draw.mode) if is_ratio else expected
            pytest.fail(f"{text}: at {index} {result!r}, not {want}")


@one_in(2)
@pytest.mark.parametrize("name", FUNCTIONS)
@settings(
    max_examples=-(-DRAWS // len(FUNCTIONS)), deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
)  # fmt: skip
@given(draw=DRAW)
def test_results_are_exact_and_rounded_once(name, draw):
    check(name, draw)
