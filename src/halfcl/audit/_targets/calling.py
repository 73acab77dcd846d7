"""Call a target's functions, measure the time, and check the results before comparing them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import halfcl as hc
from halfcl.audit._results.exact import as_tuple
from halfcl.audit._results.mistakes import Array, bits
from halfcl.audit._targets.base import Call, TargetError, UnsupportedError

#: How a function of tensors becomes one of arrays.
TENSORS = "for a function of tensors use lambda x: function(torch.from_numpy(x)).numpy()"


class CallError(RuntimeError):
    """A call broke the contract of a target's functions; the message is one line."""


class Clock:
    """The time that the target's own calls took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def call(
        self, call: Call, arguments: tuple[Array, ...], types: tuple[np.dtype[Any], ...],
        shapes: tuple[tuple[int, ...], ...], trusted: bool = False,
    ) -> tuple[Array, ...]:  # fmt: skip
        """Return the results of a call, checked for their dtypes and shapes.

        Raise CallError if these are wrong, an argument was written to, or the call raised any but
        UnsupportedError and TargetError. trusted: skip the check for writes, since an earlier call
        made none.
        """
        copies = arguments if trusted else tuple(x.copy() for x in arguments)
        start = time.perf_counter()
        results = _call(call, copies)
        self.seconds += time.perf_counter() - start
        for place, (now, before) in enumerate(zip(copies, arguments, strict=True), 1):
            if not trusted and not np.array_equal(bits(now), bits(before)):
                raise CallError(
                    f"{call.spelled}: argument {place}: expected no writes, got other elements"
                )
        return _check_results(call, results, types, shapes)


def _call(call: Call, arguments: tuple[Array, ...]) -> tuple[object, ...]:
    """Call a function; raise CallError if it raises."""
    try:
        with np.errstate(all="ignore"):
            return as_tuple(call(*arguments))
    except (UnsupportedError, TargetError):
        raise
    except (Exception, SystemExit) as error:  # exit() must not end the audit
        hint = f"; {TENSORS}" if "must be Tensor" in str(error) else ""  # PyTorch's words
        raise CallError(f"{call.spelled}: raised {describe_error(error)}{hint}") from error


def describe_error(error: BaseException) -> str:
    """Return an error of other people's code as one line."""
    line = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _check_results(
    call: Call, results: tuple[object, ...], types: tuple[np.dtype[Any], ...],
    shapes: tuple[tuple[int, ...], ...],
) -> tuple[Array, ...]:  # fmt: skip
    """Return the results as arrays; raise CallError for wrong dtypes or shapes."""
    if len(results) != len(types):
        raise CallError(f"{call.spelled}: expected {len(types)} results, got {len(results)}")
    return tuple(
        _check_result(call, _as_array(call, result), dtype, shape)
        for result, dtype, shape in zip(results, types, shapes, strict=True)
    )


def _as_array(call: Call, result: object) -> Array:
    try:
        return np.asarray(result)
    except Exception as error:  # ragged lists, arrays on a device
        raise CallError(
            f"{call.spelled}: expected an array, got {type(result).__name__}: "
            f"{describe_error(error)}"
        ) from error


def _check_result(call: Call, result: Array, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """Return a result as a flat array; raise CallError for a wrong dtype or shape."""
    if result.dtype == hc.half:
        result = result.view(np.float16)
    if result.shape != shape:
        raise CallError(f"{call.spelled}: expected an array of shape {shape}, got {result.shape}")
    if result.dtype != dtype:
        raise CallError(f"{call.spelled}: expected an array of {dtype}, got {result.dtype}")
    return np.ascontiguousarray(result).ravel()
