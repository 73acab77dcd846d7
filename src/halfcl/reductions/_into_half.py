"""Exact reductions into half of numbers that are not halves: bool, integers, float32, float64.

Sums and variances are calculated in double first, with a bound of the error. Where both ends of
the bound round to the same half, that half is the result; so it is where doubles are exact, as of
numbers that have few bits. Elsewhere integers decide: each double is an integer times a power of
two, so that sums and squares of them are exact as Python's integers. Quotients and roots are
rounded to odd (`_to_odd`), and then to half once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from types import NotImplementedType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl import _core
from halfcl._support.arguments.byte_order import as_native, native_dtype
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import FLOAT16, HALF, Array, Result
from halfcl.reductions._functions import (
    kept_first,
    lone_output,
    shape_with_ones,
    shape_without,
    takes_results,
    warn_of_few,
)
from halfcl.reductions._to_odd import divide_to_odd, error_of_product, ratio_to_odd, root_to_odd
from halfcl.typing import RoundingMode

#: Elements that are converted to double at a time.
TOGETHER = 1 << 16

#: Results that become half here.
STATISTICS = ("sum", "prod", "mean", "var", "std")

#: The statistics that ufuncs reduce to.
_NAMES: dict[Any, str] = {np.add: "sum", np.multiply: "prod"}

#: So few rows take less time by integers than by arrays.
_FEW_ROWS = 4
#: Products of more rows take less time column by column.
_MANY_ROWS = 64
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


def _join(parts: list[Array]) -> tuple[Array, int]:
    """Return the numbers of several rows as integers in one unit."""
    pairs = [_integers(part) for part in parts if part.size]
    unit = min((one for _, one in pairs), default=0)
    aligned = [integers << (one - unit) for integers, one in pairs]
    return (np.concatenate(aligned) if aligned else np.zeros(0, object)), unit


def _exact(statistic: str, parts: list[Array], ddof: int) -> float:
    """Return a statistic of finite numbers, rounded to odd."""
    count = sum(part.size for part in parts)
    if statistic == "prod":
        return _product(*_join(parts))
    divisor = count if statistic == "mean" else 1
    if statistic in ("sum", "mean") and all(_fits_int64(part.dtype) for part in parts):
        total = sum(int(part.sum(dtype=np.int64)) for part in parts)
        return ratio_to_odd(total, divisor, 0)
    integers, unit = _join(parts)
    total = int(integers.sum())
    if statistic in ("sum", "mean"):
        return ratio_to_odd(total, divisor, unit)
    squares = int((integers * integers).sum())
    spread = count * squares - total * total
    return ratio_to_odd(spread, count * (count - ddof), 2 * unit, root=statistic == "std")


def _product(integers: Array, unit: int) -> float:
    """Return a product within 2^-255 for each factor, relatively, rounded to odd."""
    product, exponent = 1, unit * integers.size
    for integer in integers:
        product *= integer
        excess = product.bit_length() - _PRODUCT_BITS
        if excess > _PRODUCT_BITS:
            sign, size = (-1, -product) if product < 0 else (1, product)
            product = sign * ((size >> excess) | 1)
            exponent += excess
    return ratio_to_odd(product, 1, exponent)


# ---------------------------------------------------------------- bounds in double


def half_bits(doubles: Array) -> Array:
    """Return the bits of the halves that doubles round to in the region's mode."""
    with np.errstate(all="ignore"):
        return doubles.astype(HALF).view(np.uint16)


def _have_few_bits(rows: Array, power: int, times: Array | int) -> Array:
    """Return for each row whether so many times the sum of its powers is exact as a double.

    It is if all numbers are multiples of the last bit of one, and the sum of magnitudes is less
    than 2^52 of its power.
    """
    significand, exponent = np.frexp(rows)
    whole = np.abs(significand * 2.0**53).astype(np.int64)
    last = np.ldexp((whole & -whole).astype(np.float64), exponent - 53)
    unit = np.where(whole == 0, np.inf, last).min(1)
    size = (np.abs(rows) / unit[:, None]) ** power
    return np.asarray((size.sum(1) * times < 2.0**52) & (unit > 2.0**-300))


def _short(statistic: str, rows: Array, counts: Array, ddof: int) -> tuple[Array, Array]:
    """Return results rounded to odd, and where they are sure, of rows whose numbers have few bits.

    counts: how many numbers of each row count; the others are 0.
    """
    with np.errstate(all="ignore"):
        total = rows.sum(1)
        if statistic in ("sum", "mean"):
            is_sure = _have_few_bits(rows, 1, 1)
            return (total if statistic == "sum" else divide_to_odd(total, counts)), is_sure
        spread = counts * (rows * rows).sum(1) - total * total
        variance = divide_to_odd(spread, counts * (counts - ddof))
        is_sure = _have_few_bits(rows, 2, counts)
        return (root_to_odd(variance) if statistic == "std" else variance), is_sure


def _products(rows: Array) -> tuple[Array, Array]:
    """Return the products of rows of doubles, and where they round to half as the exact ones."""
    product, size = np.ones(len(rows)), np.ones(len(rows))
    is_exact, is_safe = np.ones(len(rows), bool), np.ones(len(rows), bool)
    with np.errstate(all="ignore"):
        for column in rows.T:
            following = product * column
            is_exact &= error_of_product(product, column, following) == 0
            product, size = following, np.abs(following)
            is_safe &= (size > 2.0**-900) & (size < 2.0**900)
        is_zero = (rows == 0).any(1) & np.isfinite(rows).all(1)
        is_negative = np.count_nonzero(np.signbit(rows), axis=1) % 2
        product[is_zero] = np.where(is_negative, -0.0, 0.0)[is_zero]
        bound = rows.shape[1] * 2.0**-52 * size
        is_short = half_bits(product - bound) == half_bits(product + bound)
    return product, is_zero | (is_safe & (is_exact | is_short))


def _bounded(
    statistic: str, rows: Array, used: Array | None, counts: Array, ddof: int, is_exact: bool
) -> tuple[Array, Array]:
    """Return results in double, and where these are sure to round as the exact ones.

    used: which numbers count, if not all; the others are 0. counts: how many these are.

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
            if used is not None:
                away[~used] = 0
            squares = (away * away).sum(1)
            # The squares' sum about another number than the mean is too large by n times the
            # square of the distance.
            bound = (error * squares + counts * bound * bound) / (counts - ddof) * 2
            found = squares / (counts - ddof)
        low, high = found - bound - 2.0**-900, found + bound + 2.0**-900
        if statistic == "std":
            found, (low, high) = np.sqrt(found), _roots(low, high)
        is_sure = np.isfinite(low) & np.isfinite(high) & (half_bits(low) == half_bits(high))
    return found, is_sure


def _as_doubles(numbers: Array) -> Array | None:
    """Return the same numbers as doubles, or None if these do not hold them."""
    numbers = as_native(numbers)
    if numbers.dtype == HALF:
        numbers = numbers.view(np.float16)  # strict regions refuse casts of half
    if not is_supported(numbers.dtype):
        return None
    if numbers.dtype.kind == "f" or _fits_int64(numbers.dtype):
        return numbers.astype(np.float64)
    is_small = numbers.size == 0 or (numbers.min() >= -(2**53) and numbers.max() <= 2**53)
    return numbers.astype(np.float64) if is_small else None


def _join_first(rows: Array, used: Array | None, first: Array | None, filling: float) -> Array:
    """Return doubles with a number in front of each row, and a filling for what is unused."""
    filled = rows if used is None else np.where(used, rows, filling)
    if first is None:
        return filled
    return np.concatenate([np.broadcast_to(first, (len(rows), 1)), filled], 1)


def _set_zeros(
    statistic: str, results: Array, rows: Array, used: Array | None, first: Array | None
) -> None:
    """Give zeros among sums and means of floats the signs that halves' have."""
    if rows.dtype.kind != "f" or statistic not in ("sum", "mean"):
        return
    for k in np.flatnonzero(results == 0):
        row = rows[k] if used is None else rows[k][used[k]]
        parts = [row] if first is None else [first, row]
        negatives = sum(np.count_nonzero(np.signbit(part)) for part in parts)
        if _core.get_rounding() == "rtn":
            is_negative = negatives > 0
        else:
            is_negative = statistic == "mean" and 0 < negatives == sum(x.size for x in parts)
        results[k] = -0.0 if is_negative else 0.0


def _of_rows(
    statistic: str, rows: Array, used: Array | None, ddof: int, first: Array | None
) -> Array:
    """Return a statistic of each row, as doubles that round to half as the exact results do.

    used: which numbers count, if not all; first: one more number for each, as an array of one, or
    None.
    """
    results, is_sure = np.empty(len(rows)), np.zeros(len(rows), bool)
    doubles = _as_doubles(rows)
    start = None if first is None else _as_doubles(first)
    if doubles is not None and (start is None) == (first is None) and rows.shape[1]:
        all_doubles = _join_first(doubles, used, start, 1.0 if statistic == "prod" else 0.0)
        results, is_sure = _of_doubles(statistic, all_doubles, rows, used, ddof)
    for k in np.flatnonzero(~is_sure):
        row = rows[k] if used is None else rows[k][used[k]]
        results[k] = _of_row(statistic, [row] if first is None else [first, row], ddof)
    _set_zeros(statistic, results, rows, used, first)
    return results


def _of_doubles(
    statistic: str, doubles: Array, rows: Array, used: Array | None, ddof: int
) -> tuple[Array, Array]:
    """Return results of rows as doubles, and where they round to half as the exact ones do."""
    if statistic == "prod":
        if len(rows) > _MANY_ROWS:
            return _products(doubles)
        return np.empty(len(rows)), np.zeros(len(rows), bool)
    n = doubles.shape[1]
    unused = 0 if used is None else rows.shape[1] - np.count_nonzero(used, axis=1)
    counts = np.broadcast_to(np.asarray(n - unused, np.float64), len(rows))
    is_exact = _fits_int64(rows.dtype) and n == rows.shape[1] < 2**20
    results, is_sure = _bounded(statistic, doubles, used, counts, ddof, is_exact)
    rest = np.flatnonzero(~is_sure)
    if rest.size > _FEW_ROWS:
        results[rest], is_sure[rest] = _short(statistic, doubles[rest], counts[rest], ddof)
    is_divided = statistic not in ("sum", "mean")
    return results, is_sure & (counts > (max(ddof, 0) if is_divided else 0))


def _of_row(statistic: str, parts: list[Array], ddof: int) -> float:
    """Return a statistic of the numbers of several rows; a zero sum is +0."""
    count = sum(part.size for part in parts)
    divisor = {"mean": count, "var": count - ddof, "std": count - ddof}.get(statistic, 1)
    if divisor <= 0:
        return math.nan
    floats = [part.astype(np.float64) for part in parts if part.dtype.kind == "f"]
    if not all(np.isfinite(part).all() for part in floats):
        if statistic in ("var", "std"):
            return math.nan
        numbers = np.concatenate([part.astype(np.float64) for part in parts])
        with np.errstate(all="ignore"):
            if statistic == "prod":  # of signs alone: the finite ones might overflow, or vanish
                return float(np.where(np.isfinite(numbers), np.sign(numbers), numbers).prod())
            return float(numbers.sum())
    result = _exact(statistic, parts, ddof)
    if result == 0 and floats:
        negatives = sum(np.count_nonzero(np.signbit(part)) for part in floats)
        return -0.0 if statistic == "prod" and negatives % 2 else 0.0
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
        is_sure = np.isfinite(high) & (half_bits(low) == half_bits(high))
        is_sure |= ~is_finite.all(1) | (divisors == 0)
    for k in np.flatnonzero(~is_sure):
        chosen = slice(None) if used is None else used[k]
        integers, unit = _integers(np.concatenate([rows[k][chosen], centers[k][chosen]]))
        x, center = np.split(integers, 2)
        squares = int(((x - center) ** 2).sum())
        results[k] = ratio_to_odd(squares, int(divisors[k]), 2 * unit, root=statistic == "std")
    return results


def _differences(rows: Array, used: Array, low_means: Array, high_means: Array) -> Array:
    """Return numbers less the means of those of their row that are used, as `_of_rows` does.

    rows: doubles. low_means, high_means: doubles between which the means lie, as columns.
    """
    with np.errstate(all="ignore"):
        low = _subtract(rows, high_means, -np.inf)
        high = _subtract(rows, low_means, np.inf)
        is_sure = ~used | ~np.isfinite(low - high) | (half_bits(low) == half_bits(high))
    for k in np.flatnonzero(~is_sure.all(1)):
        integers, unit = _integers(np.where(used[k], rows[k], 0))
        total, count = int(integers.sum()), int(np.count_nonzero(used[k]))
        for j in np.flatnonzero(~is_sure[k]):
            low[k, j] = ratio_to_odd(count * integers[j] - total, count, unit)
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
    if start is not None and start.dtype in (HALF, FLOAT16):
        start = start.astype(np.float64)
    if start is not None and (start.ndim > 0 or not is_supported(start.dtype)):
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
    first = None if start is None else start.reshape(1)
    results = np.empty(total)
    for piece in _pieces(total, count):
        used_there = None if masks is None else masks[piece]
        results[piece] = _of_rows(statistic, rows[piece], used_there, ddof, first)
    halves = results.astype(HALF).view(kind).reshape(final)
    return _put(halves, out)


def _exact_running_sums(line: Array, at: Array) -> list[float]:
    """Return the sums of finite numbers up to some places, rounded to odd."""
    integers, unit = _integers(line[: int(at[-1]) + 1])
    sums = list(itertools.accumulate(integers.tolist()))
    return [ratio_to_odd(sums[k], 1, unit) for k in at]


def _running_sums(lines: Array) -> Array:
    """Return the sums up to each number of each line, as doubles that round as exact ones."""
    n = lines.shape[1]
    with np.errstate(all="ignore"):
        doubles = lines.astype(np.float64)
        sums, size = np.cumsum(doubles, 1), np.cumsum(np.abs(doubles), 1)
        bound = (n + 8) * 2.0**-51 * size  # that of `_bounded`
        if n and lines.dtype.kind in "biu":
            bound[size[:, -1] < 2.0**53] = 0
        elif n:
            bound[_have_few_bits(doubles, 1, 1)] = 0
        low, high = sums - bound, sums + bound
        is_sure = np.isfinite(sums) & (half_bits(low) == half_bits(high))
        is_sure |= np.cumsum(~np.isfinite(doubles), 1) > 0
    for k in np.flatnonzero(~is_sure.all(1)):
        at = np.flatnonzero(~is_sure[k])
        sums[k, at] = _exact_running_sums(lines[k], at)
    return sums


def _segment_sums(lines: Array, starts: list[int]) -> Array:
    """Return the sums of each line's segments, as `numpy.add.reduceat` cuts them."""
    ends = [*starts[1:], lines.shape[1]]
    columns = [
        _of_rows("sum", lines[:, start : max(end, start + 1)], None, 0, None)
        for start, end in zip(starts, ends, strict=True)
    ]
    return np.stack(columns, 1)


def _starts_of(starts: object, length: int) -> list[int] | None:
    """Return the starts of segments, or None if they are for NumPy to refuse."""
    places = np.asarray(starts)
    if places.ndim != 1 or places.dtype.kind not in "iu" or not places.size:
        return None
    if places.min() < 0 or places.max() >= length:
        return None
    return cast("list[int]", places.tolist())


def _put(results: Array, out: Array | None) -> Result:
    """Return results, written into the output if there is one."""
    if out is None:
        return results if results.ndim else cast("Result", results[()])
    np.copyto(out, results, casting="unsafe")
    return out


def run_along_into_half(
    array: Array, starts: object, axis: object, kind: np.dtype[Any], out: Array | None
) -> Result | NotImplementedType:
    """Return running sums along an axis, or sums of its segments, rounded once to half or float16.

    starts: where segments start; None for running sums. NotImplemented where NumPy is to do it, or
    to complain.
    """
    if not is_supported(array.dtype) or array.ndim == 0:
        return NotImplemented
    try:
        along = arguments.one_axis("add", axis, array.ndim)
    except (TypeError, ValueError):
        return NotImplemented
    shape, places = list(array.shape), None
    if starts is not None:
        places = _starts_of(starts, shape[along])
        if places is None:
            return NotImplemented
        shape[along] = len(places)
    if out is not None and (out.shape != tuple(shape) or not out.flags.writeable):
        return NotImplemented
    moved = np.moveaxis(np.asarray(array), along, -1)
    lines = moved.reshape(-1, moved.shape[-1]) if array.size else np.empty((0, 0), array.dtype)
    sums = np.empty((len(lines), shape[along]))
    for piece in _pieces(len(lines), lines.shape[1]):
        some = lines[piece]
        sums[piece] = _running_sums(some) if places is None else _segment_sums(some, places)
    halves = sums.astype(HALF).view(kind).reshape(*moved.shape[:-1], shape[along])
    return _put(np.ascontiguousarray(np.moveaxis(halves, -1, along)), out)


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


def _segments_of_halves(
    array: Array, starts: object, axis: object, kind: np.dtype[Any], out: Array | None
) -> Result | NotImplementedType:
    """Return the sums of segments of halves, each rounded once to a wider type."""
    try:
        along = arguments.one_axis("add", axis, array.ndim)
    except (TypeError, ValueError, IndexError):
        return NotImplemented
    places = _starts_of(starts, array.shape[along])
    if places is None:
        return NotImplemented
    lines = np.moveaxis(arguments.as_halves(np.asarray(array)), along, -1)
    results = np.empty((*lines.shape[:-1], len(places)), kind)
    for k, (start, end) in enumerate(zip(places, [*places[1:], lines.shape[-1]], strict=True)):
        part = lines[..., start : max(end, start + 1)]
        sums = _core.reduce_at_once("sum", (part,), -1, kind, None, False, None, True, 0, None)
        if sums is NotImplemented:
            return NotImplemented
        results[..., k] = sums
    results = np.ascontiguousarray(np.moveaxis(results, -1, along))
    if out is not None and (out.shape != results.shape or not out.flags.writeable):
        return NotImplemented
    return _put(results, out)


def _kind_of_call(dtype: DTypeLike | None, target: object) -> np.dtype[Any] | None:
    """Return half or float16 if a call's results are that and halfcl's; else None."""
    if not (target is None or takes_results(target)):
        return None
    try:
        kind = kind_of_half(dtype, target)
    except TypeError:
        return None
    if kind == FLOAT16 and not _core.is_of_halves(np.empty(0, FLOAT16)):
        return None
    return kind


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
    options: dict[str, Any] = {
        "axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial,
        "where": where,
    }  # fmt: skip
    if _core.is_of_halves(array):
        return ufunc.reduce(array, **options)
    name, target = _NAMES.get(ufunc), lone_output(out)
    kind = _kind_of_call(dtype, target)
    if name is None or kind is None or not isinstance(keepdims, (bool, int)):
        return NotImplemented
    if array.dtype.type is np.float16:
        halves = array.astype(FLOAT16).view(HALF)
        return ufunc.reduce(halves, **options)
    start = None if initial is np._NoValue else initial
    memory = None if target is None else np.asarray(target)
    result = reduce_into_half(
        name, np.asarray(array), axis, kind, memory, bool(keepdims), start, where, 0
    )
    if result is NotImplemented:
        return NotImplemented
    return _core.wrapped(array, result) if target is None else target


def reduce_others_along_for_numpy(
    ufunc: np.ufunc,
    operand: object,
    starts: list[int] | Array | None,
    axis: int,
    dtype: DTypeLike | None,
    out: object,
) -> object:
    """Return ``ufunc.accumulate``, or ``ufunc.reduceat``, of lists of halves or into half.

    starts: where segments start; None for accumulate. Halves themselves come here if their
    segments have sums of a wider type. NotImplemented where NumPy is to do it, or to complain.
    """
    array = np.asanyarray(operand)
    target = cast("Array | None", lone_output(out))
    if _core.is_of_halves(operand):
        return _segments_of_halves(array, starts, axis, np.dtype(dtype), target)
    if array.dtype.type is np.float16 and _kind_of_call(dtype, target) is not None:
        array = array.astype(FLOAT16).view(HALF)
    if _core.is_of_halves(array):
        if starts is None:
            return ufunc.accumulate(array, axis, dtype, target)
        return ufunc.reduceat(array, starts, axis, dtype, target)
    kind = _kind_of_call(dtype, target)
    if ufunc is not np.add or kind is None or type(array) is not np.ndarray:
        return NotImplemented
    return run_along_into_half(array, starts, axis, kind, target)
