"""Exact reductions into half of numbers that are not halves: bool, integers, float32, float64.

Sums and variances are calculated in double first, with a bound of the error. If both ends of the
bound round to the same half, that half is the result (the rounding test); so it is if the double
is exact, as for numbers of few bits. Otherwise Python's integers are used: each double is an
integer times a power of two, so that sums and squares of them are exact. Quotients and roots are
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
    can_copy_to,
    move_reduced_last,
    shape_with_ones,
    shape_without,
    unwrap_output,
    warn_of_few,
)
from halfcl.reductions._to_odd import divide_to_odd, error_of_product, ratio_to_odd, root_to_odd
from halfcl.typing import RoundingMode

#: Elements that are converted to double at a time.
ELEMENTS_AT_ONCE = 1 << 16

#: The statistics that this module computes.
STATISTICS = ("sum", "prod", "mean", "var", "std")

#: The statistics of ufuncs' reductions.
_NAMES: dict[Any, str] = {np.add: "sum", np.multiply: "prod"}

#: Up to this number of rows integers take less time than NumPy's arrays.
_FEW_ROWS = 4
#: Above this number of rows products take less time column by column.
_MANY_ROWS = 64
#: Bits of the significand of a running product.
_PRODUCT_BITS = 256


def is_supported(dtype: np.dtype[Any]) -> bool:
    """Return whether all numbers of a dtype are integers or exact in double."""
    return dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8)


def kind_of_half(dtype: DTypeLike | None, out: object) -> np.dtype[Any] | None:
    """Return the dtype of a call's results if that is half or float16, else None."""
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
    """Return whether int64 holds the sum of any 2^31 integers of a dtype."""
    return dtype.kind in "biu" and dtype.itemsize <= 4


def _join(rows: list[Array]) -> tuple[Array, int]:
    """Return the numbers of several rows as integers in one unit, a power of two."""
    pairs = [_integers(row) for row in rows if row.size]
    unit = min((exponent for _, exponent in pairs), default=0)
    aligned = [integers << (exponent - unit) for integers, exponent in pairs]
    return (np.concatenate(aligned) if aligned else np.zeros(0, object)), unit


def _exact_statistic(statistic: str, rows: list[Array], ddof: int) -> float:
    """Return a statistic of the finite numbers of several rows, rounded to odd."""
    count = sum(row.size for row in rows)
    if statistic == "prod":
        return _product(*_join(rows))
    divisor = count if statistic == "mean" else 1
    if statistic in ("sum", "mean") and all(_fits_int64(row.dtype) for row in rows):
        total = sum(int(row.sum(dtype=np.int64)) for row in rows)
        return ratio_to_odd(total, divisor, 0)
    integers, unit = _join(rows)
    total = int(integers.sum())
    if statistic in ("sum", "mean"):
        return ratio_to_odd(total, divisor, unit)
    squares = int((integers * integers).sum())
    spread = count * squares - total * total
    return ratio_to_odd(spread, count * (count - ddof), 2 * unit, root=statistic == "std")


def _product(integers: Array, unit: int) -> float:
    """Return a product with a relative error of at most 2^-255 per factor, rounded to odd."""
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
    """Return the bits of the halves to which doubles round in the region's mode."""
    with np.errstate(all="ignore"):
        return doubles.astype(HALF).view(np.uint16)


def _have_few_bits(rows: Array, power: int, times: Array | int) -> Array:
    """Return for each row whether `times` the sum of its numbers' powers is exact as a double.

    It is if all numbers are multiples of a unit, the lowest bit set in any of them, and the sum of
    the magnitudes of the powers is less than 2^52 powers of that unit.
    """
    significand, exponent = np.frexp(rows)
    whole = np.abs(significand * 2.0**53).astype(np.int64)
    last = np.ldexp((whole & -whole).astype(np.float64), exponent - 53)
    unit = np.where(whole == 0, np.inf, last).min(1)
    size = (np.abs(rows) / unit[:, None]) ** power
    return np.asarray((size.sum(1) * times < 2.0**52) & (unit > 2.0**-300))


def _reduce_few_bits(statistic: str, rows: Array, counts: Array, ddof: int) -> tuple[Array, Array]:
    """Return statistics of rows, rounded to odd, and a mask of those that are exact.

    They are where the numbers have few bits. counts: how many numbers of each row are included;
    the others are 0.
    """
    with np.errstate(all="ignore"):
        total = rows.sum(1)
        if statistic in ("sum", "mean"):
            is_exact = _have_few_bits(rows, 1, 1)
            return (total if statistic == "sum" else divide_to_odd(total, counts)), is_exact
        spread = counts * (rows * rows).sum(1) - total * total
        variance = divide_to_odd(spread, counts * (counts - ddof))
        is_exact = _have_few_bits(rows, 2, counts)
        return (root_to_odd(variance) if statistic == "std" else variance), is_exact


def _products(rows: Array) -> tuple[Array, Array]:
    """Return products of rows of doubles, and a mask of those that pass the rounding test."""
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


def _reduce_in_double(
    statistic: str, rows: Array, used: Array | None, counts: Array, ddof: int, is_exact: bool
) -> tuple[Array, Array]:
    """Return statistics of rows in double, and a mask of those that pass the rounding test.

    used: a mask of the numbers to include, or None for all; the others are 0. counts: how many are
    included. is_exact: sums are integers that a double holds.

    The error of a sum of n numbers in double, in any order, is at most n 2^-53 / (1 - n 2^-53)
    times the sum of their magnitudes (Higham, Accuracy and Stability, 4.2). Four times that bound
    also covers the operations after the sum and those on the bound itself.
    """
    with np.errstate(all="ignore"):
        n = rows.shape[1] + 8
        error = n * 2.0**-51
        results, size = rows.sum(1), np.abs(rows).sum(1)
        bound = 0 * size if is_exact else error * size
        if statistic != "sum":
            results, bound = results / counts, error * size / counts
        if statistic in ("var", "std"):
            deviations = rows - results[:, None]
            if used is not None:
                deviations[~used] = 0
            squares = (deviations * deviations).sum(1)
            # The sum of squares about another number than the mean is too large by n times the
            # square of their distance.
            bound = (error * squares + counts * bound * bound) / (counts - ddof) * 2
            results = squares / (counts - ddof)
        low, high = results - bound - 2.0**-900, results + bound + 2.0**-900
        if statistic == "std":
            results, (low, high) = np.sqrt(results), _roots(low, high)
        is_sure = np.isfinite(low) & np.isfinite(high) & (half_bits(low) == half_bits(high))
    return results, is_sure


def _as_doubles(numbers: Array) -> Array | None:
    """Return numbers as doubles, or None if some are not exact in double."""
    numbers = as_native(numbers)
    if numbers.dtype == HALF:
        numbers = numbers.view(np.float16)  # strict regions refuse casts of half
    if not is_supported(numbers.dtype):
        return None
    if numbers.dtype.kind == "f" or _fits_int64(numbers.dtype):
        return numbers.astype(np.float64)
    is_small = numbers.size == 0 or (numbers.min() >= -(2**53) and numbers.max() <= 2**53)
    return numbers.astype(np.float64) if is_small else None


def _prepend(rows: Array, used: Array | None, first: Array | None, filling: float) -> Array:
    """Return rows with a number in front of each, and a filling in place of unused numbers."""
    filled = rows if used is None else np.where(used, rows, filling)
    if first is None:
        return filled
    return np.concatenate([np.broadcast_to(first, (len(rows), 1)), filled], 1)


def _set_signs_of_zeros(
    statistic: str, results: Array, rows: Array, used: Array | None, first: Array | None
) -> None:
    """Set the signs of zeros among sums and means of floats as for sums and means of halves."""
    if rows.dtype.kind != "f" or statistic not in ("sum", "mean"):
        return
    for k in np.flatnonzero(results == 0):
        row = rows[k] if used is None else rows[k][used[k]]
        all_rows = [row] if first is None else [first, row]
        negatives = sum(np.count_nonzero(np.signbit(x)) for x in all_rows)
        if _core.get_rounding() == "rtn":
            is_negative = negatives > 0
        else:
            is_negative = statistic == "mean" and 0 < negatives == sum(x.size for x in all_rows)
        results[k] = -0.0 if is_negative else 0.0


def _reduce_rows(
    statistic: str, rows: Array, used: Array | None, ddof: int, first: Array | None
) -> Array:
    """Return a statistic of each row, as doubles that round to half like the exact results.

    used: a mask of the numbers to include, or None for all; first: an array of one number that is
    added to each row, or None.
    """
    results, is_sure = np.empty(len(rows)), np.zeros(len(rows), bool)
    doubles = _as_doubles(rows)
    start = None if first is None else _as_doubles(first)
    if doubles is not None and (start is None) == (first is None) and rows.shape[1]:
        all_doubles = _prepend(doubles, used, start, 1.0 if statistic == "prod" else 0.0)
        results, is_sure = _reduce_doubles(statistic, all_doubles, rows, used, ddof)
    for k in np.flatnonzero(~is_sure):
        row = rows[k] if used is None else rows[k][used[k]]
        results[k] = _reduce_row(statistic, [row] if first is None else [first, row], ddof)
    _set_signs_of_zeros(statistic, results, rows, used, first)
    return results


def _reduce_doubles(
    statistic: str, doubles: Array, rows: Array, used: Array | None, ddof: int
) -> tuple[Array, Array]:
    """Return statistics of rows as doubles, and a mask of those that round like the exact ones."""
    if statistic == "prod":
        if len(rows) > _MANY_ROWS:
            return _products(doubles)
        return np.empty(len(rows)), np.zeros(len(rows), bool)
    n = doubles.shape[1]
    unused = 0 if used is None else rows.shape[1] - np.count_nonzero(used, axis=1)
    counts = np.broadcast_to(np.asarray(n - unused, np.float64), len(rows))
    is_exact = _fits_int64(rows.dtype) and n == rows.shape[1] < 2**20
    results, is_sure = _reduce_in_double(statistic, doubles, used, counts, ddof, is_exact)
    rest = np.flatnonzero(~is_sure)
    if rest.size > _FEW_ROWS:
        some = doubles[rest], counts[rest]
        results[rest], is_sure[rest] = _reduce_few_bits(statistic, *some, ddof)
    is_divided = statistic not in ("sum", "mean")
    return results, is_sure & (counts > (max(ddof, 0) if is_divided else 0))


def _reduce_row(statistic: str, rows: list[Array], ddof: int) -> float:
    """Return one statistic of the numbers of several rows together; a zero sum is +0."""
    count = sum(row.size for row in rows)
    divisor = {"mean": count, "var": count - ddof, "std": count - ddof}.get(statistic, 1)
    if divisor <= 0:
        return math.nan
    floats = [row.astype(np.float64) for row in rows if row.dtype.kind == "f"]
    if not all(np.isfinite(row).all() for row in floats):
        if statistic in ("var", "std"):
            return math.nan
        numbers = np.concatenate([row.astype(np.float64) for row in rows])
        with np.errstate(all="ignore"):
            if statistic == "prod":
                # Replace finite factors by their signs, since their product might overflow or
                # underflow.
                return float(np.where(np.isfinite(numbers), np.sign(numbers), numbers).prod())
            return float(numbers.sum())
    result = _exact_statistic(statistic, rows, ddof)
    if result == 0 and floats:
        negatives = sum(np.count_nonzero(np.signbit(row)) for row in floats)
        return -0.0 if statistic == "prod" and negatives % 2 else 0.0
    return result


# ---------------------------------------------------------------- deviations


def _roots(low: Array, high: Array) -> tuple[Array, Array]:
    """Return bounds of the square roots of numbers between two non-negative bounds."""
    return np.sqrt(low) * (1 - 2.0**-50), np.sqrt(high) * (1 + 2.0**-50)


def _variances_about(
    statistic: str, rows: Array, centers: Array, used: Array | None, counts: Array, ddof: int
) -> Array:
    """Return variances, or standard deviations, of rows about centers, as `_reduce_rows` does.

    rows, centers: doubles. The bounds are those of `_reduce_in_double`: the relative error of a
    difference is at most 2^-53, and no square is negative.
    """
    is_finite = np.isfinite(rows) & np.isfinite(centers)
    divisors = np.maximum(counts - ddof, 0)
    with np.errstate(all="ignore"):
        deviations = rows - centers
        if used is not None:
            deviations, is_finite = np.where(used, deviations, 0), is_finite | ~used
        error = (rows.shape[1] + 8) * 2.0**-51
        results = (deviations * deviations).sum(1) / divisors
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
    """Return numbers minus the means of the used numbers of their rows, as `_reduce_rows` does.

    rows: doubles. low_means, high_means: columns of doubles between which the means lie.
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
    """Return rows - means, rounded towards an infinity, the limit."""
    difference = rows - means
    subtracted = difference - rows
    error = (rows - (difference - subtracted)) - (means + subtracted)  # exact (Knuth)
    is_beyond = error < 0 if limit < 0 else error > 0
    return np.where(is_beyond, np.nextafter(difference, limit), difference)


# ---------------------------------------------------------------- calls


def _pieces(rows: int, count: int) -> Iterator[slice]:
    step = max(1, ELEMENTS_AT_ONCE // max(count, 1))
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
    """Return a statistic of numbers that are not halves, rounded once to half or float16.

    NotImplemented where NumPy has to compute it or to raise the error. initial: None if there is
    none.
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
    rows = move_reduced_last(np.asarray(array), reduced).reshape(total, count)
    masks = None if used is None else move_reduced_last(used, reduced).reshape(total, count)
    if statistic in ("mean", "var", "std"):
        counts = np.asarray(count if masks is None else np.count_nonzero(masks, axis=1))
        warn_of_few(statistic, counts, ddof, 5)
    first = None if start is None else start.reshape(1)
    results = np.empty(total)
    for piece in _pieces(total, count):
        mask = None if masks is None else masks[piece]
        results[piece] = _reduce_rows(statistic, rows[piece], mask, ddof, first)
    halves = results.astype(HALF).view(kind).reshape(final)
    return _write_to(out, halves)


def _exact_running_sums(line: Array, at: Array) -> list[float]:
    """Return the running sums of finite numbers at some indices, rounded to odd."""
    integers, unit = _integers(line[: int(at[-1]) + 1])
    sums = list(itertools.accumulate(integers.tolist()))
    return [ratio_to_odd(sums[k], 1, unit) for k in at]


def _running_sums(lines: Array) -> Array:
    """Return the running sums of each line, as doubles that round to half like exact ones."""
    n = lines.shape[1]
    with np.errstate(all="ignore"):
        doubles = lines.astype(np.float64)
        sums, size = np.cumsum(doubles, 1), np.cumsum(np.abs(doubles), 1)
        bound = (n + 8) * 2.0**-51 * size  # see `_reduce_in_double`
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
    """Return the sums of each line's segments, which start and end as in `numpy.add.reduceat`."""
    ends = [*starts[1:], lines.shape[1]]
    columns = [
        _reduce_rows("sum", lines[:, start : max(end, start + 1)], None, 0, None)
        for start, end in zip(starts, ends, strict=True)
    ]
    return np.stack(columns, 1)


def _starts_of(starts: object, length: int) -> list[int] | None:
    """Return the starts of segments, or None if NumPy has to raise an error for them."""
    indices = np.asarray(starts)
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or not indices.size:
        return None
    if indices.min() < 0 or indices.max() >= length:
        return None
    return cast("list[int]", indices.tolist())


def _write_to(out: Array | None, results: Array) -> Result:
    """Copy results to the output, if there is one, and return it; else return the results."""
    if out is None:
        return results if results.ndim else cast("Result", results[()])
    np.copyto(out, results, casting="unsafe")
    return out


def run_along_into_half(
    array: Array, starts: object, axis: object, kind: np.dtype[Any], out: Array | None
) -> Result | NotImplementedType:
    """Return running sums along an axis, or sums of its segments, rounded once to half or float16.

    starts: the starts of segments; None for running sums. NotImplemented where NumPy has to compute
    it or to raise the error.
    """
    if not is_supported(array.dtype) or array.ndim == 0:
        return NotImplemented
    try:
        along = arguments.one_axis("add", axis, array.ndim)
    except (TypeError, ValueError):
        return NotImplemented
    shape, indices = list(array.shape), None
    if starts is not None:
        indices = _starts_of(starts, shape[along])
        if indices is None:
            return NotImplemented
        shape[along] = len(indices)
    if out is not None and (out.shape != tuple(shape) or not out.flags.writeable):
        return NotImplemented
    moved = np.moveaxis(np.asarray(array), along, -1)
    lines = moved.reshape(-1, moved.shape[-1]) if array.size else np.empty((0, 0), array.dtype)
    sums = np.empty((len(lines), shape[along]))
    for piece in _pieces(len(lines), lines.shape[1]):
        some = lines[piece]
        sums[piece] = _running_sums(some) if indices is None else _segment_sums(some, indices)
    halves = sums.astype(HALF).view(kind).reshape(*moved.shape[:-1], shape[along])
    return _write_to(out, np.ascontiguousarray(np.moveaxis(halves, -1, along)))


def variance_about(
    statistic: str,
    array: Array,
    mean: ArrayLike,
    axis: object,
    kind: np.dtype[Any],
    keepdims: bool,
    where: ArrayLike | bool,
    ddof: int,
) -> Result | NotImplementedType:
    """Return a variance, or standard deviation, about a given mean, rounded to half or float16.

    It is rounded once. NotImplemented where NumPy has to compute it or to raise the error.
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
    rows = move_reduced_last(doubles, reduced).reshape(total, count)
    middles = move_reduced_last(centers, reduced).reshape(total, count)
    masks = None if used is None else move_reduced_last(used, reduced).reshape(total, count)
    counts = np.full(total, count) if masks is None else np.count_nonzero(masks, axis=1)
    warn_of_few(statistic, counts, ddof, 5)
    results = np.empty(total)
    for piece in _pieces(total, count):
        mask = None if masks is None else masks[piece]
        results[piece] = _variances_about(
            statistic, rows[piece], middles[piece], mask, counts[piece], ddof
        )
    halves = results.astype(HALF).view(kind).reshape(final)
    return halves if halves.ndim else halves[()]


def differences_from_mean(array: Array, axis: object, used: Array) -> Array:
    """Return halves minus the mean of the used ones along axes, rounded once.

    used: a mask that includes at least one element of each mean. Results of the others are
    unspecified.
    """
    reduced = arguments.axes("anom", axis, array.ndim)
    shape = shape_without(array.shape, reduced)
    total, count = math.prod(shape), math.prod(array.shape[k] for k in reduced)

    def bounds(mode: RoundingMode) -> Array:
        means = _core.reduce_arrays(
            "mean", (array,), reduced, np.float64, None, False, None, used, 0, mode
        )
        return np.reshape(means, (total, 1))

    rows, masks = (move_reduced_last(x, reduced).reshape(total, count) for x in (array, used))
    doubles = rows.view(np.float16).astype(np.float64)  # strict regions refuse casts of half
    with np.errstate(all="ignore"):
        results = _differences(doubles, masks, bounds("rtn"), bounds("rtp"))
    kept = tuple(k for k in range(array.ndim) if k not in reduced)
    order = np.argsort(kept + reduced)
    ordered = results.reshape(shape + tuple(array.shape[k] for k in reduced)).transpose(order)
    return ordered.astype(HALF).view(array.dtype)


def _segments_of_halves(
    array: Array, starts: object, axis: object, kind: np.dtype[Any], out: Array | None
) -> Result | NotImplementedType:
    """Return the sums of segments of halves, each rounded once to a wider type."""
    try:
        along = arguments.one_axis("add", axis, array.ndim)
    except (TypeError, ValueError, IndexError):
        return NotImplemented
    indices = _starts_of(starts, array.shape[along])
    if indices is None:
        return NotImplemented
    lines = np.moveaxis(arguments.as_halves(np.asarray(array)), along, -1)
    results = np.empty((*lines.shape[:-1], len(indices)), kind)
    for k, (start, end) in enumerate(zip(indices, [*indices[1:], lines.shape[-1]], strict=True)):
        segment = lines[..., start : max(end, start + 1)]
        sums = _core.reduce_at_once("sum", (segment,), -1, kind, None, False, None, True, 0, None)
        if sums is NotImplemented:
            return NotImplemented
        results[..., k] = sums
    results = np.ascontiguousarray(np.moveaxis(results, -1, along))
    if out is not None and (out.shape != results.shape or not out.flags.writeable):
        return NotImplemented
    return _write_to(out, results)


def _kind_of_call(dtype: DTypeLike | None, target: object) -> np.dtype[Any] | None:
    """Return the dtype of a call's results if that is half, or float16 while accelerated."""
    if not (target is None or can_copy_to(target)):
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
    operand: object,
    axis: object,
    dtype: DTypeLike | None,
    out: object,
    keepdims: object,
    initial: object,
    where: ArrayLike | bool,
) -> object:
    """Return ``ufunc.reduce`` of lists of halves, or of other numbers into half.

    NotImplemented where NumPy has to compute it or to raise the error.
    """
    array = np.asanyarray(operand)
    options: dict[str, Any] = {
        "axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial,
        "where": where,
    }  # fmt: skip
    if _core.is_of_halves(array):
        return ufunc.reduce(array, **options)
    name, target = _NAMES.get(ufunc), unwrap_output(out)
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
    return _core.wrap_result(array, result) if target is None else target


def reduce_others_along_for_numpy(
    ufunc: np.ufunc,
    operand: object,
    starts: list[int] | Array | None,
    axis: int,
    dtype: DTypeLike | None,
    out: object,
) -> object:
    """Return ``ufunc.accumulate`` or ``ufunc.reduceat`` of lists of halves, or into half.

    starts: the starts of segments; None for accumulate. The operand is an array of halves only if
    sums of its segments have a wider type. NotImplemented where NumPy has to compute it or to raise
    the error.
    """
    array = np.asanyarray(operand)
    target = cast("Array | None", unwrap_output(out))
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
