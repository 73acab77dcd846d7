"""Conversion of wider numbers to half, with an explicit policy for overflow."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import convert, half
from halfcl.io._arrays import as_array
from halfcl.typing import RoundingMode

Overflow: TypeAlias = Literal["error", "inf", "clamp"]

GREATEST = 65504  # the greatest finite half


def check_policy(overflow: object) -> None:
    """Raise ValueError for an unknown policy."""
    if not isinstance(overflow, str) or overflow not in get_args(Overflow):
        raise ValueError(f"overflow: expected 'error', 'inf' or 'clamp', got {overflow!r}")


def to_half(
    x: ArrayLike,
    *,
    overflow: Overflow = "error",
    rounding: RoundingMode | None = None,
    name: str = "x",
) -> NDArray[Any]:
    """Convert real numbers to half, rounded once, with a policy for overflow.

    Parameters
    ----------
    x : array_like
        Real numbers of any dtype and shape.
    overflow : {"error", "inf", "clamp"}, optional
        The treatment of numbers beyond half's range. ``"error"``: ValueError. ``"inf"``: they are
        rounded in the mode, in ``rte`` to infinity from 65520 on. ``"clamp"``: they become -65504
        or 65504; infinities, too, so that the result has none.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.
    name : str, optional
        The name of ``x`` in errors.

    Returns
    -------
    half array, the shape of ``x``
        NaN stays NaN. Infinities stay infinite unless clamped: they do not count as overflow.

    Raises
    ------
    ValueError
        If ``overflow="error"`` and a finite number overflows, or a policy or mode is unknown.
    TypeError
        If ``x`` are not real numbers, or masked.

    See Also
    --------
    halfcl.convert : the same as ``overflow="inf"``, by NumPy's error state.

    Notes
    -----
    Accuracy: correctly rounded. As in IEEE 754, a number overflows if it would be beyond 65504
    when rounded with an unbounded exponent.

    Examples
    --------
    >>> from halfcl import io
    >>> io.to_half([1e5, -1e9, 0.1], overflow="clamp")
    array([ 6.55e+04, -6.55e+04,  1.00e-01], dtype=half)
    >>> io.to_half([1.0, 70000.0])
    Traceback (most recent call last):
        ...
    ValueError: x: expected numbers that half can hold, got 70000.0 at (1,); ...
    """
    check_policy(overflow)
    array = as_array(name, x)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected real numbers, got {array.dtype}")
    if overflow == "clamp":
        array = np.clip(array, *_limits(array.dtype))
    with np.errstate(over="raise" if overflow == "error" else "ignore"):
        try:
            return np.asarray(convert(array, half, rounding=rounding))
        except FloatingPointError as error:
            if "overflow" not in str(error):
                raise
    raise ValueError(
        f"{name}: expected numbers that half can hold, got {_farthest(array)};"
        " overflow='inf' or 'clamp' rounds them nevertheless"
    )


def _limits(dtype: np.dtype[Any]) -> tuple[ArrayLike, ArrayLike]:
    """Return the least and greatest finite half, clamped to a dtype's range."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return max(info.min, -GREATEST), min(info.max, GREATEST)
    return (False, True) if dtype.kind == "b" else (dtype.type(-GREATEST), dtype.type(GREATEST))


def _farthest(array: NDArray[Any]) -> str:
    """Describe the finite number of the greatest magnitude, and its index."""
    magnitude = np.where(np.isfinite(array), np.abs(array.astype(np.longdouble)), 0)
    place = np.unravel_index(np.argmax(magnitude), array.shape)
    return f"{array[place].item()!s} at {tuple(map(int, place))}"
