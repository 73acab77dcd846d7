"""Results that a program names itself: `watch`."""

from __future__ import annotations

import threading
from contextvars import Context
from numbers import Real
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl.stability._measures import Scale

_T = TypeVar("_T")

#: Numbers as they are kept: float16 for half, or of NumPy's own types.
Numbers: TypeAlias = NDArray[Any]

#: NumPy's own type, also in a reference run, in which `numpy.float16` is a wider one.
_FLOAT16 = np.float16

_EXPECTED = "expected numbers: an array, a scalar, or a list of them"


class Recorder:
    """Records watched results by name, in the order of the calls."""

    def __init__(self) -> None:
        self.numbers: dict[str, list[Numbers]] = {}
        self.scales: dict[str, Scale] = {}  # by the name of the result
        self._lock = threading.Lock()

    def note(self, name: str, x: object, scale: Scale | None = None) -> None:
        """Record a copy of a result, and the unit in which its differences count."""
        numbers = as_numbers(x, f"watch: {name!r}")
        with self._lock:
            self.numbers.setdefault(name, []).append(numbers)
            if scale is not None:
                self.scales[name] = scale


#: The recorder of the run in this process; None outside a test.
_recorder: Recorder | None = None


def record_to(recorder: Recorder | None) -> None:
    """Record results from now on with a recorder, or with none."""
    global _recorder
    _recorder = recorder


def count_calls() -> dict[str, int]:
    """Return how often each result has been recorded so far."""
    numbers = {} if _recorder is None else dict(_recorder.numbers)
    return {name: len(calls) for name, calls in numbers.items()}


def as_numbers(x: object, name: str) -> Numbers:
    """Return a copy of numbers as an array.

    x: of half, float16 or any other real or complex type. name: the name in errors. The array has
    one of NumPy's own types; complex numbers become a last axis of two. Raise TypeError if x does
    not consist of numbers.

    >>> from halfcl import half
    >>> from halfcl.stability._programs._recording.watching import as_numbers
    >>> as_numbers(half([1, 2]), "x")
    array([1., 2.], dtype=float16)
    """
    return Context().run(_as_numbers, x, name)  # outside regions, which would record promotions


def _as_numbers(x: object, name: str) -> Numbers:
    try:
        copy = np.array(x)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {_EXPECTED}, got {type(x).__name__}: {error}") from None
    if copy.dtype.kind == "O" and all(isinstance(v, Real) for v in copy.flat):  # large ints
        copy = copy.astype(np.float64)
    if copy.dtype.type is half:
        return copy.view(_FLOAT16)
    if copy.dtype.kind == "c":
        return np.stack([copy.real, copy.imag], axis=-1)
    if copy.dtype.kind not in "fiub":
        raise TypeError(f"{name}: {_EXPECTED}, got {type(x).__name__} of {copy.dtype}")
    return copy.astype(copy.dtype.newbyteorder("="))


def watch(name: str, x: _T, scale: str | None = None) -> _T:
    """Name a result of a program for ``python -m halfcl stability`` to compare.

    Outside a test it does nothing.

    Parameters
    ----------
    name : str
        The name in reports. Calls with the same name in a loop are compared one by one.
    x : array, scalar, or list of them
        Of half, float16 or wider, of any shape. A copy is kept.
    scale : str, optional
        The unit in which differences of x's elements count, in place of their own ulps: "max" for
        ulps of its largest element, "norm" for ulps of its 2-norm, "abs:1e-3" for units of 1e-3
        (see `rerun`). The last one given counts for all calls with this name; the options
        ``--scale`` of the command and ``scale=`` of the mark take precedence.

    Returns
    -------
    x
        The argument, unchanged.

    Raises
    ------
    TypeError
        If name or scale is not a str, or, in a test, x does not consist of numbers.
    ValueError
        If scale is another str than above.

    See Also
    --------
    rerun : the same test of a function.

    Notes
    -----
    Source: none of OpenCL's; docs/howto/stability_of_programs.md.

    Examples
    --------
    >>> from halfcl import half, stability
    >>> stability.watch("speed", half(1.5))
    half(1.5)
    """
    if not isinstance(name, str):
        raise TypeError(f"name: expected a str, got {type(name).__name__}")
    note(name, x, Scale.parse(scale))
    return x


def note(name: str, x: object, scale: Scale | None = None) -> None:
    """Record a result, and the unit in which its differences count, if there is a recorder."""
    if _recorder is not None:
        _recorder.note(name, x, scale)
