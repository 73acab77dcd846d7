"""Serialization of accumulators: a header line, then counts and states.

Bytes from elsewhere may be anything. As far as the engine relies on it, states are checked to be
ones that some elements lead to.
"""

from __future__ import annotations

import json
import math
import operator
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from halfcl.reductions._arguments import Array
from halfcl.reductions._states import FOLDS, MOST_ELEMENTS, STATE, Partial

MAGIC = "halfcl accumulator"
VERSION = 1
LONGEST_LINE = 4096

_COUNT = np.dtype(np.int64)


@dataclass
class Record:
    """The attributes of an accumulator."""

    partial: Partial
    axis: tuple[int, ...] | None
    keepdims: bool
    dims: int | None
    plain: bool


class _Header(NamedTuple):
    """The fields of the header line."""

    statistic: str
    keepdims: bool
    plain: bool
    axis: list[int] | None
    shape: list[int]
    dims: int | None


def check_axis(axis: object) -> tuple[int, ...] | None:
    """Return the axis argument as a tuple; the number of axes is not known yet."""
    if axis is None:
        return None
    try:
        return tuple(operator.index(a) for a in (axis if isinstance(axis, tuple) else (axis,)))
    except TypeError:
        raise TypeError(
            f"Accumulator: argument axis: expected an int, a tuple of ints or None, got {axis!r}"
        ) from None


def encode(record: Record) -> bytes:
    """Return a record as bytes."""
    partial = record.partial
    header = {
        "what": MAGIC, "version": VERSION, "statistic": partial.statistic,
        "shape": list(partial.counts.shape), "axis": record.axis, "keepdims": record.keepdims,
        "dims": record.dims, "plain": record.plain, "order": sys.byteorder,
    }  # fmt: skip
    parts = [partial.counts.tobytes()]
    parts += [_bytes_of(partial.states[fold]) for fold in FOLDS[partial.statistic]]
    return json.dumps(header).encode() + b"\n" + b"".join(parts)


def _bytes_of(states: Array) -> bytes:
    """Return the bytes of states with zeros between the fields: equal states have equal bytes."""
    plain = np.zeros(states.shape, STATE)
    for name in ("limb", "seen"):  # the other fields overlap the first one
        plain[name] = states[name]
    return plain.tobytes()


def _error(expected: str) -> ValueError:
    return ValueError(f"Accumulator.from_bytes: argument data: expected {expected}")


def _error_of_header() -> ValueError:
    return _error("the bytes of an accumulator, got another first line")


def _is_size(x: object, most: int) -> bool:
    return type(x) is int and 0 <= x <= most


def _read_header(line: bytes) -> _Header:
    """Return the header of the first line; ValueError if it is not one."""
    try:
        fields = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise _error_of_header() from None
    if not isinstance(fields, dict) or fields.get("what") != MAGIC:
        raise _error_of_header()
    if fields.get("version") != VERSION:
        raise _error(f"an accumulator of version {VERSION}, got {fields.get('version')!r}")
    if fields.get("order") != sys.byteorder:
        raise _error(
            f"an accumulator of a {sys.byteorder}-endian machine, got {fields.get('order')!r}"
        )
    axis, shape, dims = fields.get("axis"), fields.get("shape"), fields.get("dims")
    is_valid = (
        {"axis", "dims"} <= fields.keys()
        and isinstance(fields.get("statistic"), str)
        and fields["statistic"] in FOLDS
        and isinstance(shape, list)
        and len(shape) <= 64
        and all(_is_size(n, 2**56) for n in shape)
        and (axis is None or (isinstance(axis, list) and all(type(a) is int for a in axis)))
        and (dims is None or _is_size(dims, 64))
        and type(fields.get("keepdims")) is bool
        and type(fields.get("plain")) is bool
    )
    if not is_valid or not _is_number_of_kept_axes(len(shape or ()), axis, dims):
        raise _error_of_header()
    return _Header(
        fields["statistic"], fields["keepdims"], fields["plain"], axis, fields["shape"], dims
    )


def _is_number_of_kept_axes(kept: int, axis: list[int] | None, dims: int | None) -> bool:
    """Return whether reducing `axis` of arrays of `dims` axes leaves `kept` of them."""
    if dims is None or axis is None:
        return kept == 0
    return all(-dims <= a < dims for a in axis) and kept == dims - len({a % dims for a in axis})


def decode(data: object) -> Record:
    """Return the record whose bytes these are; ValueError if there is none."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"Accumulator.from_bytes: argument data: expected bytes, got {type(data).__name__}"
        )
    data = bytes(data)
    end = data.find(b"\n", 0, LONGEST_LINE)
    if end < 0:
        raise _error("the bytes of an accumulator, got no first line")
    header = _read_header(data[:end])
    shape, folds = tuple(header.shape), FOLDS[header.statistic]
    n = math.prod(shape)
    size = n * (_COUNT.itemsize + len(folds) * STATE.itemsize)
    if len(data) - end - 1 != size:
        raise _error(f"{size} bytes after the first line, got {len(data) - end - 1}")
    counts = np.frombuffer(data, _COUNT, n, end + 1).reshape(shape).copy()
    states, at = {}, end + 1 + counts.nbytes
    for fold in folds:
        states[fold] = np.frombuffer(data, STATE, n, at).reshape(shape).copy()
        at += n * STATE.itemsize
        if not _are_possible(fold, states[fold], counts):
            raise _error("states of some elements, got states that no elements lead to")
    axis = None if header.axis is None else tuple(header.axis)
    partial = Partial(header.statistic, states, counts)
    return Record(partial, axis, header.keepdims, header.dims, header.plain)


def _are_possible(fold: str, states: Array, counts: Array) -> bool:
    """Return whether states are within the bounds on which the engine relies."""
    if not ((counts >= 0) & (counts <= MOST_ELEMENTS)).all() or (states["seen"] >= 256).any():
        return False
    if fold == "product":
        high, low = np.abs(states["high"]), np.abs(states["low"])
        is_normal = (high >= 1) & (high < 2) & (low <= 2.0**-50)
        is_zero = (high == 0) & (low == 0)
        most_of_exponent = 32 * (counts + 1)
        exponent = (states["exponent"] <= most_of_exponent) & (
            states["exponent"] >= -most_of_exponent
        )
        odd = (states["odd"] >= 0) & (states["odd"] <= 4097)
        return bool(((is_normal | is_zero) & exponent & odd).all())
    limbs = states["limb"]
    low_limbs, top = limbs[..., :4], limbs[..., 4]
    most = 2**15 if fold == "products" else 1  # |sums| of 2^56 terms, in units of 2^128
    return bool(
        ((low_limbs >= 0) & (low_limbs < 2**32)).all() and ((top >= -most) & (top < most)).all()
    )
