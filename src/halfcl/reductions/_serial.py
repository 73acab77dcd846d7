"""Accumulators as bytes: a line that tells what follows, then counts and states.

Bytes from elsewhere may be anything. What is read is checked to be what some elements lead to,
as far as the engine relies on it.
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
    """All that an accumulator is."""

    partial: Partial
    axis: tuple[int, ...] | None
    keepdims: bool
    dims: int | None
    plain: bool


class _Line(NamedTuple):
    """What is read of the first line."""

    statistic: str
    keepdims: bool
    plain: bool
    axis: list[int] | None
    shape: list[int]
    dims: int | None


def checked_axis(axis: object) -> tuple[int, ...] | None:
    """The argument axis, whatever the number of axes will be."""
    if axis is None:
        return None
    try:
        return tuple(operator.index(a) for a in (axis if isinstance(axis, tuple) else (axis,)))
    except TypeError:
        raise TypeError(
            f"Accumulator: argument axis: expected an int, a tuple of ints or None, got {axis!r}"
        ) from None


def encoded(record: Record) -> bytes:
    """A record as bytes."""
    partial = record.partial
    line = {
        "what": MAGIC, "version": VERSION, "statistic": partial.statistic,
        "shape": list(partial.counts.shape), "axis": record.axis, "keepdims": record.keepdims,
        "dims": record.dims, "plain": record.plain, "order": sys.byteorder,
    }  # fmt: skip
    parts = [partial.counts.tobytes()]
    parts += [_bytes_of(partial.states[fold]) for fold in FOLDS[partial.statistic]]
    return json.dumps(line).encode() + b"\n" + b"".join(parts)


def _bytes_of(states: Array) -> bytes:
    """Without what the memory between fields holds: equal states have equal bytes."""
    plain = np.zeros(states.shape, STATE)
    for name in ("limb", "seen"):  # the other fields are in the first one's place
        plain[name] = states[name]
    return plain.tobytes()


def _refuse(what: str) -> ValueError:
    return ValueError(f"Accumulator: argument data: expected the bytes of an accumulator: {what}")


def _is_size(x: object, most: int) -> bool:
    return type(x) is int and 0 <= x <= most


def _read_line(line: bytes) -> _Line:
    """The first line, checked."""
    try:
        found = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise _refuse("the first line is none of theirs") from None
    if not isinstance(found, dict) or found.get("what") != MAGIC:
        raise _refuse("the first line is none of theirs")
    if found.get("version") != VERSION:
        raise _refuse(f"version {VERSION}, got {found.get('version')!r}")
    if found.get("order") != sys.byteorder:
        raise _refuse(f"of a {sys.byteorder}-endian machine, got {found.get('order')!r}")
    axis, shape, dims = found.get("axis"), found.get("shape"), found.get("dims")
    right = (
        {"axis", "dims"} <= found.keys()
        and isinstance(found.get("statistic"), str)
        and found["statistic"] in FOLDS
        and isinstance(shape, list)
        and len(shape) <= 64
        and all(_is_size(n, 2**56) for n in shape)
        and (axis is None or (isinstance(axis, list) and all(type(a) is int for a in axis)))
        and (dims is None or _is_size(dims, 64))
        and type(found.get("keepdims")) is bool
        and type(found.get("plain")) is bool
    )
    if not right or not _fit(axis, len(shape or ()), dims):
        raise _refuse("the first line is none of theirs")
    return _Line(found["statistic"], found["keepdims"], found["plain"], axis, found["shape"], dims)


def _fit(axis: list[int] | None, kept: int, dims: int | None) -> bool:
    """Whether so many axes are left of the arrays'."""
    if dims is None or axis is None:
        return kept == 0
    return all(-dims <= a < dims for a in axis) and kept == dims - len({a % dims for a in axis})


def decoded(data: object) -> Record:
    """The record that bytes are of; ValueError if they are of none."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"Accumulator: argument data: expected bytes, got {type(data).__name__}")
    data = bytes(data)
    end = data.find(b"\n", 0, LONGEST_LINE)
    if end < 0:
        raise _refuse("there is no first line")
    line = _read_line(data[:end])
    shape, folds = tuple(line.shape), FOLDS[line.statistic]
    n = math.prod(shape)
    size = n * (_COUNT.itemsize + len(folds) * STATE.itemsize)
    if len(data) - end - 1 != size:
        raise _refuse(f"{size} bytes after the first line, got {len(data) - end - 1}")
    counts = np.frombuffer(data, _COUNT, n, end + 1).reshape(shape).copy()
    states, at = {}, end + 1 + counts.nbytes
    for fold in folds:
        states[fold] = np.frombuffer(data, STATE, n, at).reshape(shape).copy()
        at += n * STATE.itemsize
        if not _are_possible(fold, states[fold], counts):
            raise _refuse("states that no elements lead to")
    axis = None if line.axis is None else tuple(line.axis)
    partial = Partial(line.statistic, states, counts)
    return Record(partial, axis, line.keepdims, line.dims, line.plain)


def _are_possible(fold: str, states: Array, counts: Array) -> bool:
    """Whether these are states that the engine takes without harm."""
    if not ((counts >= 0) & (counts <= MOST_ELEMENTS)).all() or (states["seen"] >= 256).any():
        return False
    if fold == "product":
        high, low = np.abs(states["high"]), np.abs(states["low"])
        normal = (high >= 1) & (high < 2) & (low <= 2.0**-50)
        none = (high == 0) & (low == 0)
        most_of_exponent = 32 * (counts + 1)
        exponent = (states["exponent"] <= most_of_exponent) & (
            states["exponent"] >= -most_of_exponent
        )
        odd = (states["odd"] >= 0) & (states["odd"] <= 4097)
        return bool(((normal | none) & exponent & odd).all())
    limbs = states["limb"]
    low_limbs, top = limbs[..., :4], limbs[..., 4]
    most = 2**15 if fold == "products" else 1  # |sums| of 2^56 terms, in units of 2^128
    return bool(
        ((low_limbs >= 0) & (low_limbs < 2**32)).all() and ((top >= -most) & (top < most)).all()
    )
