"""Calls of a target's functions: timed, and their results checked before they are judged."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import halfcl as hc
from halfcl.audit._exact import as_tuple
from halfcl.audit._mistakes import Array, bits
from halfcl.audit._targets.base import Call, TargetError, UnsupportedError


class CallError(RuntimeError):
    """A call that did what it must not: one line."""


class Clock:
    """How long the target's own calls took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def call(
        self, call: Call, arguments: tuple[Array, ...], types: tuple[np.dtype[Any], ...],
        shapes: tuple[tuple[int, ...], ...], trusted: bool = False,
    ) -> tuple[Array, ...]:  # fmt: skip
        """The results of a call, of the dtypes and shapes that they must have.

        trusted: that the call does not write to its arguments, as an earlier one did not.

        Raises
        ------
        CallError
            If they have others, an argument was written to, or the call raised.
        UnsupportedError, TargetError
            If the call raised these.
        """
        given = arguments if trusted else tuple(x.copy() for x in arguments)
        start = time.perf_counter()
        results = _called(call, given)
        self.seconds += time.perf_counter() - start
        for place, (now, before) in enumerate(zip(given, arguments, strict=True), 1):
            if not trusted and not np.array_equal(bits(now), bits(before)):
                raise CallError(f"{call.spelled}: wrote to its argument {place}")
        return _checked(call, results, types, shapes)


def _called(call: Call, arguments: tuple[Array, ...]) -> tuple[object, ...]:
    try:
        with np.errstate(all="ignore"):
            return as_tuple(call(*arguments))
    except (UnsupportedError, TargetError):
        raise
    except (Exception, SystemExit) as error:  # exit() must not pass for the audit's own end
        raise CallError(f"{call.spelled}: raised {told(error)}") from error


def told(error: BaseException) -> str:
    """An error of somebody else's code in one line."""
    line = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _checked(
    call: Call, results: tuple[object, ...], types: tuple[np.dtype[Any], ...],
    shapes: tuple[tuple[int, ...], ...],
) -> tuple[Array, ...]:  # fmt: skip
    if len(results) != len(types):
        raise CallError(f"{call.spelled}: expected {len(types)} results, got {len(results)}")
    return tuple(
        _as(call, _as_array(call, result), dtype, shape)
        for result, dtype, shape in zip(results, types, shapes, strict=True)
    )


def _as_array(call: Call, result: object) -> Array:
    try:
        return np.asarray(result)
    except Exception as error:  # of ragged lists, of arrays on a device
        raise CallError(
            f"{call.spelled}: expected an array, got {type(result).__name__}: {told(error)}"
        ) from error


def _as(call: Call, result: Array, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    if result.dtype == hc.half:
        result = result.view(np.float16)
    if result.shape != shape:
        raise CallError(f"{call.spelled}: expected an array of shape {shape}, got {result.shape}")
    if result.dtype != dtype:
        raise CallError(f"{call.spelled}: expected an array of {dtype}, got {result.dtype}")
    return np.ascontiguousarray(result).ravel()
