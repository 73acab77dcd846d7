"""Exact reductions into half of numbers that are not halves: bool, integers, float32, float64.

Sums and variances are calculated in double first, with a bound of the error. Where both ends of
the bound round to the same half, that half is the result. Elsewhere integers decide: each double
is an integer times a power of two, so that sums and squares of them are exact as Python's
integers. The quotient, or root, is then rounded to odd in 60 bits: its last bit is set if anything
was cut off, so that rounding it to half once gives what the exact number gives, in every mode.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import NotImplementedType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl import _core
from halfcl._support.byte_order import as_native, native_dtype
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import FLOAT16, HALF, Array, Result
from halfcl.reductions._functions import (
    kept_first,
    shape_with_ones,
    shape_without,
    takes_results,
    warn_of_few,
)
from halfcl.typing import RoundingMode

#: Elements that are converted to double at a time.
TOGETHER = 1 << 16

#: Results that become half here.
STATISTICS = ("sum", "prod", "mean", "var", "std")

#: The statistics that ufuncs reduce to.
_NAMES: dict[Any, str] = {np.add: "sum", np.multiply: "prod"}

#: Bits of a quotient before it is rounded to half: more than 11, less than a double's 53.
_BITS = 50
#: Bits that a running product keeps.
_PRODUCT_BITS = 256


def is_supported(dtype: np.dtype[Any]) -> bool:
    """Return whether numbers of this dtype are integers or doubles, exactly."""
    return dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8)


def kind_of_half(dtype: DTypeLike | None, out: object) -> np.dtype[Any] | None:
    """Return the dtype of the results if it is half, or float16; else None."""
    kind = getattr(out, "dtype", None) if dtype is None else np.dtype(dtype)
    kind = kind if kind is None else native_dtype(kind)
    return kind if kind in (HALF, FLOAT16) else None


# ---------------------------------------------------------------- exact numbers


def _integers(row: Array) -> tuple[Array, int]:
    """Return a row of finite numbers as Python's integers, in units of a power of two."""
    if row.dtype.kind in "biu":
        return row.astype(object) + 0, 0
    significand, exponent = np.frexp(row.astype(np.float64))
    whole = (significand * 2.0**53).astype(np.int64)
    used = whole != 0
    if not used.any():
        return np.zeros(row.shape, object), 0
    least = int(exponent[used].min())
    shift = np.where(used, exponent - least, 0)
    return whole.astype(object) << shift.astype(object), least - 53


def _fits_int64(dtype: np.dtype[Any]) -> bool:
    """Return whether 2^31 of these integers have a sum that int64 holds."""
    return dtype.kind in "biu" and dtype.itemsize <= 4


def _to_odd(numerator: int, denominator: int, unit: int, *, root: bool = False) -> float:
    """Return the quotient times 2^unit, or its square root, rounded to odd as a double."""
    if numerator == 0:
        return 0.0
    size = abs(numerator)
    places = 2 * _BITS + 4 if root else _BITS + 2
    shift = max(0, places - size.bit_length() + denominator.bit_length())
    shift += (unit - shift) % 2 if root else 0  # so that the root of 2^(unit - shift) is exact
    whole, rest = divmod(size << shift, denominator)
    exponent = unit - shift
    if root:
        square = whole
        whole, exponent = math.isqrt(square), exponent // 2
        rest = rest or square - whole * whole
    excess = max(0, whole.bit_length() - _BITS)
    odd = (whole >> excess) | bool(rest or whole & ((1 << excess) - 1))
    # Beyond these exponents half overflows, or rounds a number below all halves.
    double = math.ldexp(odd, min(max(exponent + excess, -900), 900))
    return double if numerator > 0 else -double


def _exact(statistic: str, row: Array, count: int, ddof: int) -> float:
    """Return a statistic of finite numbers, rounded to odd."""
    if statistic == "prod":
        return _product(row)
    if statistic in ("sum", "mean") and _fits_int64(row.dtype):
        return _to_odd(int(row.sum(dtype=np.int64)), 1 if statistic == "sum" else count, 0)
    integers, unit = _integers(row)
    total = int(integers.sum())
    if statistic in ("sum", "mean"):
        return _to_odd(total, 1 if statistic == "sum" else count, unit)
    squares = int((integers * integers).sum())
    spread = count * squares - total * total
    return _to_odd(spread, count * (count - ddof), 2 * unit, root=statistic == "std")


def _product(row: Array) -> float:
    """Return a product within 2^-255 for each factor, relatively, rounded to odd."""
    integers, unit = _integers(row)
    product, exponent = 1, unit * row.size
    for integer in integers:
        product *= integer
        excess = product.bit_length() - _PRODUCT_BITS
        if excess > _PRODUCT_BITS:
            sign, size = (-1, -product) if product < 0 else (1, product)
            product = sign * ((size >> excess) | 1)
            exponent += excess
    return _to_odd(product, 1, exponent)


# ---------------------------------------------------------------- bounds in double


def _half_bits(doubles: Array) -> Array:
    with np.errstate(all="ignore"):
        return doubles.astype(HALF).view(np.uint16)


def _bounded(
    statistic: str, rows: Array, counts: Array, ddof: int, is_exact: bool
) -> tuple[Array, Array]:
    """Return results in double, and where these are sure to round as the exact ones.

    A sum of n numbers in double, in any order, is within n 2^-53 / (1 - n 2^-53) of the sum of
    their magnitudes (Higham, Accuracy and Stability, 4.2). Four times that covers what is done to
    it afterwards, and to the bound itself. is_exact: sums are integers that a double holds.
    """
    with np.errstate(all="ignore"):
        n = rows.shape[1] + 8
        error = n * 2.0**-51
        found, size = rows.sum(1), np.abs(rows).sum(1)
        bound = 0 * size if is_exact else error * size
        if statistic != "sum":
            found, bound = found / counts, error * size / counts
        if statistic in ("var", "std"):
            away = rows - found[:, None]
            squares = (away * away).sum(1)
            # The squares' sum about another number than the mean is too large by n times the
            # square of the distance.
            bound = (error * squares + counts * bound * bound) / (counts - ddof) * 2
            found = squares / (counts - ddof)
        low, high = found - bound - 2.0**-900, found + bound + 2.0**-900
        if statistic == "std":
            found, (low, high) = np.sqrt(found), _roots(low, high)
        is_sure = np.isfinite(low) & np.isfinite(high) & (_half_bits(low) == _half_bits(high))
    return found, is_sure


def _of_rows(statistic: str, rows: Array, used: Array | None, ddof: int) -> Array:
    """Return a statistic of each row, as doubles that round to half as the exact results do."""
    count = rows.shape[1]
    counts = np.full(len(rows), count) if used is None else np.count_nonzero(used, axis=1)
    is_plain = statistic != "prod" and used is None
    results, is_sure = np.empty(len(rows)), np.zeros(len(rows), bool)
    is_double = rows.dtype.kind == "f" or _fits_int64(rows.dtype)  # exactly
    if is_plain and is_double and count > max(ddof, 0):
        is_exact = rows.dtype.kind != "f" and count < 2**20
        doubles = rows.astype(np.float64)
        results, is_sure = _bounded(statistic, doubles, counts, ddof, is_exact)
    falls = _core.get_rounding() == "rtn"
    for k in np.flatnonzero(~is_sure):
        row = rows[k] if used is None else rows[k][used[k]]
        results[k] = _of_row(statistic, row, ddof, falls)
    return results


def _of_row(statistic: str, row: Array, ddof: int, falls: bool) -> float:
    count = row.size
    divisor = {"mean": count, "var": count - ddof, "std": count - ddof}.get(statistic, 1)
    if divisor <= 0:
        return math.nan
    is_float = row.dtype.kind == "f"
    if is_float and not np.isfinite(row).all():
        if statistic in ("var", "std"):
            return math.nan
        return float((row.prod if statistic == "prod" else row.sum)(dtype=np.float64))
    result = _exact(statistic, row, count, ddof)
    if result == 0 and is_float:
        negatives = np.signbit(row)
        if statistic == "prod":
            return -0.0 if np.count_nonzero(negatives) % 2 else 0.0
        if statistic in ("sum", "mean") and falls and negatives.any():
            return -0.0
    return result


# ---------------------------------------------------------------- deviations


def _roots(low: Array, high: Array) -> tuple[Array, Array]:
    """Return bounds of the square roots of what lies between bounds that are not negative."""
    return np.sqrt(low) * (1 - 2.0**-50), np.sqrt(high) * (1 + 2.0**-50)


def _about(
    statistic: str, rows: Array, centers: Array, used: Array | None, counts: Array, ddof: int
) -> Array:
    """Return variances, or deviations, of rows about given centers, as `_of_rows` does.

    rows, centers: doubles. The bounds are those of `_bounded`; no difference is rounded by more
    than a part in 2^53, and no square is negative.
    """
    is_finite = np.isfinite(rows) & np.isfinite(centers)
    divisors = np.maximum(counts - ddof, 0)
    with np.errstate(all="ignore"):
        away = rows - centers
        if used is not None:
            away, is_finite = np.where(used, away, 0), is_finite | ~used
        error = (rows.shape[1] + 8) * 2.0**-51
        results = (away * away).sum(1) / divisors
        low, high = results * (1 - error) - 2.0**-900, results * (1 + error) + 2.0**-900
        low = np.maximum(low, 0)
        if statistic == "std":
            results, (low, high) = np.sqrt(results), _roots(low, high)
        is_sure = np.isfinite(high) & (_half_bits(low) == _half_bits(high))
        is_sure |= ~is_finite.all(1) | (divisors == 0)
    for k in np.flatnonzero(~is_sure):
        chosen = slice(None) if used is None else used[k]
        integers, unit = _integers(np.concatenate([rows[k][chosen], centers[k][chosen]]))
        x, center = np.split(integers, 2)
        squares = int(((x - center) ** 2).sum())
        results[k] = _to_odd(squares, int(divisors[k]), 2 * unit, root=statistic == "std")
    return results


def _differences(rows: Array, used: Array, low_means: Array, high_means: Array) -> Array:
    """Return numbers less the means of those of their row that are used, as `_of_rows` does.

    rows: doubles. low_means, high_means: doubles between which the means lie, as columns.
    """
    with np.errstate(all="ignore"):
        low = _subtract(rows, high_means, -np.inf)
        high = _subtract(rows, low_means, np.inf)
        is_sure = ~used | ~np.isfinite(low - high) | (_half_bits(low) == _half_bits(high))
    for k in np.flatnonzero(~is_sure.all(1)):
        integers, unit = _integers(np.where(used[k], rows[k], 0))
        total, count = int(integers.sum()), int(np.count_nonzero(used[k]))
        for j in np.flatnonzero(~is_sure[k]):
            low[k, j] = _to_odd(count * integers[j] - total, count, unit)
    return low


def _subtract(rows: Array, means: Array, limit: float) -> Array:
    """Return rows - means, rounded towards the limit, which is an infinity."""
    difference = rows - means
    subtracted = difference - rows
    error = (rows - (difference - subtracted)) - (means + subtracted)  # exact (Knuth)
    is_beyond = error < 0 if limit < 0 else error > 0
    return np.where(is_beyond, np.nextafter(difference, limit), difference)


# ---------------------------------------------------------------- calls


def _pieces(rows: int, count: int) -> Iterator[slice]:
    step = max(1, TOGETHER // max(count, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


def reduce_into_half(
    statistic: str,
    array: Array,
    axis: object,
    kind: np.dtype[Any],
    out: Array | None,
    keepdims: bool,
    initial: object,
    where: ArrayLike | bool,
    ddof: int,
) -> Result | NotImplementedType:
    """Return a statistic of numbers that are not halves, rounded once to half, or float16.

    NotImplemented where NumPy is to do it, or to complain. initial is None if there is none.
    """
    if not is_supported(array.dtype) or array.dtype in (HALF, FLOAT16):
        return NotImplemented
    try:
        reduced = arguments.axes(statistic, axis, array.ndim)
        used = arguments.truths(statistic, where, array.shape)
        start = None if initial is None else np.asarray(initial)
    except (TypeError, ValueError):
        return NotImplemented
    if start is not None and start.dtype == HALF:
        start = start.astype(np.float64)
    if start is not None and (start.ndim > 0 or not _can_join(start.dtype, array.dtype)):
        return NotImplemented
    shape = shape_without(array.shape, reduced)
    final = shape_with_ones(array.shape, reduced) if keepdims else shape
    if out is not None and (out.shape != final or not out.flags.writeable):
        return NotImplemented
    total, count = math.prod(shape), math.prod(array.shape[k] for k in reduced)
    rows = kept_first(np.asarray(array), reduced).reshape(total, count)
    masks = None if used is None else kept_first(used, reduced).reshape(total, count)
    if statistic in ("mean", "var", "std"):
        counts = np.asarray(count if masks is None else np.count_nonzero(masks, axis=1))
        warn_of_few(statistic, counts, ddof, 5)
    results = np.empty(total)
    for piece in _pieces(total, count):
        part = rows[piece]
        part_used = None if masks is None else masks[piece]
        if start is not None:
            part = _with_first(part, start)
            part_used = None if part_used is None else _with_first(part_used, np.True_)
        results[piece] = _of_rows(statistic, part, part_used, ddof)
    halves = results.astype(HALF).view(kind).reshape(final)
    if out is None:
        return halves if halves.ndim else halves[()]
    out[...] = halves if out.dtype == kind else halves.astype(out.dtype)
    return out


def _as_doubles(array: Array) -> Array | None:
    """Return numbers as doubles, or None if these do not hold all of them."""
    array = as_native(array)
    if array.dtype == HALF:
        array = array.view(np.float16)  # strict regions refuse casts of half
    is_float = array.dtype.kind == "f" and array.dtype.itemsize <= 8
    return array.astype(np.float64) if is_float or _fits_int64(array.dtype) else None


def spread_about(
    statistic: str,
    array: Array,
    mean: ArrayLike,
    axis: object,
    kind: np.dtype[Any],
    keepdims: bool,
    where: ArrayLike | bool,
    ddof: int,
) -> Result | NotImplementedType:
    """Return a variance, or deviation, about a given mean, rounded once to half, or float16.

    NotImplemented where NumPy is to do it, or to complain.
    """
    doubles, centers = _as_doubles(array), _as_doubles(np.asarray(mean))
    if doubles is None or centers is None:
        return NotImplemented
    try:
        reduced = arguments.axes(statistic, axis, array.ndim)
        used = arguments.truths(statistic, where, array.shape)
        centers = np.broadcast_to(centers, array.shape)
    except (TypeError, ValueError):
        return NotImplemented
    shape = shape_without(array.shape, reduced)
    final = shape_with_ones(array.shape, reduced) if keepdims else shape
    total, count = math.prod(shape), math.prod(array.shape[k] for k in reduced)
    rows, middles = (kept_first(x, reduced).reshape(total, count) for x in (doubles, centers))
    masks = None if used is None else kept_first(used, reduced).reshape(total, count)
    counts = np.full(total, count) if masks is None else np.count_nonzero(masks, axis=1)
    warn_of_few(statistic, counts, ddof, 5)
    results = np.empty(total)
    for piece in _pieces(total, count):
        part_used = None if masks is None else masks[piece]
        results[piece] = _about(
            statistic, rows[piece], middles[piece], part_used, counts[piece], ddof
        )
    halves = results.astype(HALF).view(kind).reshape(final)
    return halves if halves.ndim else halves[()]


def differences_from_mean(array: Array, axis: object, used: Array) -> Array:
    """Return halves less the mean of those that are used along axes, rounded once.

    What is not used is any number; of each mean some are.
    """
    reduced = arguments.axes("anom", axis, array.ndim)
    shape = shape_without(array.shape, reduced)
    total, count = math.prod(shape), math.prod(array.shape[k] for k in reduced)

    def bounds(mode: RoundingMode) -> Array:
        means = _core.reduce_arrays(
            "mean", (array,), reduced, np.float64, None, False, None, used, 0, mode
        )
        return np.reshape(means, (total, 1))

    rows, masks = (kept_first(x, reduced).reshape(total, count) for x in (array, used))
    doubles = rows.view(np.float16).astype(np.float64)  # strict regions refuse casts of half
    with np.errstate(all="ignore"):
        results = _differences(doubles, masks, bounds("rtn"), bounds("rtp"))
    kept = tuple(k for k in range(array.ndim) if k not in reduced)
    order = np.argsort(kept + reduced)
    ordered = results.reshape(shape + tuple(array.shape[k] for k in reduced)).transpose(order)
    return ordered.astype(HALF).view(array.dtype)


def _can_join(first: np.dtype[Any], dtype: np.dtype[Any]) -> bool:
    """Return whether one array holds numbers of both dtypes, exactly."""
    if not is_supported(first):
        return False
    joined = np.result_type(first, dtype)
    return joined.kind != "f" or not any(d.kind in "iu" and d.itemsize == 8 for d in (first, dtype))


def _with_first(rows: Array, first: ArrayLike) -> Array:
    """Return rows with one more number in front of each."""
    column = np.broadcast_to(first, (len(rows), 1))
    return np.concatenate([column, rows], 1)


def reduce_others_for_numpy(
    ufunc: Any,
    given: object,
    axis: object,
    dtype: DTypeLike | None,
    out: object,
    keepdims: object,
    initial: object,
    where: ArrayLike | bool,
) -> object:
    """Return ``ufunc.reduce`` of what is no array of halves: lists of these, or numbers into half.

    NotImplemented where NumPy is to do it, or to complain.
    """
    array = np.asanyarray(given)
    arguments_of_reduce = (axis, dtype, out, keepdims, initial, where)
    if _core.is_of_halves(array):
        return ufunc.reduce(array, *arguments_of_reduce)
    name = _NAMES.get(ufunc)
    target: Any = out[0] if type(out) is tuple and len(out) == 1 else out
    if name is None or not isinstance(keepdims, (bool, int)):
        return NotImplemented
    try:
        kind = kind_of_half(dtype, target)
    except TypeError:
        return NotImplemented
    if kind is None or not (target is None or takes_results(target)):
        return NotImplemented
    if kind == FLOAT16 and not _core.is_of_halves(np.empty(0, FLOAT16)):
        return NotImplemented
    if array.dtype.type is np.float16:
        halves = array.astype(FLOAT16).view(HALF)
        return ufunc.reduce(halves, *arguments_of_reduce)
    start = None if initial is np._NoValue else initial
    memory = None if target is None else np.asarray(target)
    result = reduce_into_half(
        name, np.asarray(array), axis, kind, memory, bool(keepdims), start, where, 0
    )
    if result is NotImplemented:
        return NotImplemented
    return _core.wrapped(array, result) if target is None else target
