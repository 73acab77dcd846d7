"""What a program says of its results by itself: `watch`."""

from __future__ import annotations

import threading
from contextvars import Context
from numbers import Real
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half

_T = TypeVar("_T")

#: Numbers as they are kept: float16 for half, or of NumPy's own types.
Numbers: TypeAlias = NDArray[Any]

_EXPECTED = "expected numbers: an array, a scalar, or a list of them"


class Recorder:
    """What was watched, by name, in the order of the calls."""

    def __init__(self) -> None:
        self.found: dict[str, list[Numbers]] = {}
        self._lock = threading.Lock()

    def note(self, name: str, x: object) -> None:
        """Keep a copy of it."""
        kept = as_numbers(x, f"watch: {name!r}")
        with self._lock:
            self.found.setdefault(name, []).append(kept)


#: Of the run that this process is in; None where nobody compares.
_recorder: Recorder | None = None


def record_to(recorder: Recorder | None) -> None:
    """Have what is watched from now on noted there, or nowhere."""
    global _recorder
    _recorder = recorder


def as_numbers(x: object, name: str) -> Numbers:
    """A copy of what has numbers.

    Parameters
    ----------
    x : array, scalar, or list of them
        Of half, float16 or any other real or complex type.
    name : str
        What errors call it.

    Returns
    -------
    array
        Of NumPy's own type; of complex numbers the parts, as a last axis of two.

    Raises
    ------
    TypeError
        If it has none.

    Examples
    --------
    >>> from halfcl import half
    >>> from halfcl.stability._programs._watching import as_numbers
    >>> as_numbers(half([1, 2]), "x")
    array([1., 2.], dtype=float16)
    """
    return Context().run(_as_numbers, x, name)  # in no region, which would note what leaves half


def _as_numbers(x: object, name: str) -> Numbers:
    try:
        found = np.array(x)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {_EXPECTED}, got {type(x).__name__}: {error}") from None
    if found.dtype.kind == "O" and all(isinstance(v, Real) for v in found.flat):  # large ints
        found = found.astype(np.float64)
    if found.dtype.type is half:
        return found.view(np.float16)
    if found.dtype.kind == "c":
        return np.stack([found.real, found.imag], axis=-1)
    if found.dtype.kind not in "fiub":
        raise TypeError(f"{name}: {_EXPECTED}, got {type(x).__name__} of {found.dtype}")
    return found.astype(found.dtype.newbyteorder("="))


def watch(name: str, x: _T) -> _T:
    """Name a result of a program for ``python -m halfcl stability`` to compare.

    Where no test runs it, it does nothing.

    Parameters
    ----------
    name : str
        What reports call it. Calls of one name in a loop are compared one by one.
    x : array, scalar, or list of them
        Of half, float16 or wider, of any shape. A copy is kept.

    Returns
    -------
    x
        As it came.

    Raises
    ------
    TypeError
        If name is no str, or, in a test, x has no numbers.

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
    note(name, x)
    return x


def note(name: str, x: object) -> None:
    """Note a result, where somebody compares."""
    if _recorder is not None:
        _recorder.note(name, x)
