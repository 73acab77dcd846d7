"""Calls of functions with tracked halves, as arguments and in place of halves that they name."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

import halfcl as hc
from halfcl._core import kernels_run
from halfcl.interval._bounds.pairs import Halves
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.safe._tracked import Tracked, track_in_place
from halfcl.safe._watching import UntrackedError, is_half
from halfcl.stability._sites import CodeLocation, describe
from halfcl.stability._substitution import Substitution

#: A container that may have halves.
Container: TypeAlias = list[Any] | tuple[Any, ...] | dict[Any, Any]


class Tracker:
    """Replaces halves by tracked halves, also inside lists, tuples and dicts.

    The same array always becomes the same tracked half.
    """

    def __init__(self, copies: bool) -> None:
        self.copies = copies  # copies allow the code to write to them
        self.met_tracked = False
        self._tracked: dict[int, tuple[object, Tracked]] = {}

    def __call__(self, x: object) -> object:
        if type(x) is list or type(x) is tuple:
            return _rebuild(x, map(self._track, x))
        if type(x) is dict:
            return _rebuild(x, map(self._track, x.values()))
        return self._track(x)

    def _track(self, x: object) -> object:
        self.met_tracked |= isinstance(x, Tracked)
        if not is_half(x):
            return x
        if id(x) not in self._tracked:
            own = x.copy() if self.copies and isinstance(x, np.ndarray) else x
            tracked = track_in_place(own)
            self._protect_shared(tracked)
            self._tracked[id(x)] = x, tracked  # keep x alive, so that its id is not reused
        return self._tracked[id(x)][1]

    def _protect_shared(self, one: Tracked) -> None:
        """Make arrays that share memory read-only, since writes would invalidate enclosures."""
        for _, other in self._tracked.values():
            if isinstance(one._value, np.ndarray) and np.may_share_memory(one._value, other._value):
                one._value, other._value = _read_only(one._value), _read_only(other._value)


def _read_only(x: Halves) -> Halves:
    view = x.view()
    view.flags.writeable = False
    return view


def _rebuild(container: Container, items: Iterator[object]) -> Container:
    """Return a list, tuple or dict with other items; the same object if no item changed."""
    new = list(items)
    old = container.values() if isinstance(container, dict) else container
    if all(a is b for a, b in zip(old, new, strict=True)):
        return container
    if isinstance(container, dict):
        return dict(zip(container, new, strict=True))
    return type(container)(new)


def untrack(x: object) -> object:
    """Return the halves of tracked ones, also inside lists, tuples and dicts, at any depth."""
    if type(x) is dict:
        return _rebuild(x, map(untrack, x.values()))
    if type(x) is list or type(x) is tuple:
        return _rebuild(x, map(untrack, x))
    if isinstance(x, tuple) and hasattr(x, "_make"):
        return x._make(map(untrack, x))
    return x.value if isinstance(x, Tracked) else x


# ---------------------------------------------------------------- functions


def _place(f: Callable[..., object], name: str) -> CodeLocation:
    """Return where a function is defined."""
    while isinstance(f, functools.partial | types.MethodType):
        f = f.func if isinstance(f, functools.partial) else f.__func__
    code = getattr(f, "__code__", None)
    if code is None:
        return describe(None, getattr(f, "__name__", name))
    place = describe((code, 0, code.co_filename), name)
    return CodeLocation(place.file, code.co_firstlineno, place.source, "")


def _is_identical(one: object, other: object) -> bool:
    """Return whether halves are identical, bit by bit except for NaNs."""
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape:
        return False
    differ = a.view(np.uint16) != b.view(np.uint16)
    return not np.any(differ & ~(np.isnan(a) & np.isnan(b)))


def _track_call(name: str, f: Callable[..., object], args: tuple[object, ...]) -> Tracked:
    """Return the tracked result of ``f(*args)``."""
    count, tracker = kernels_run(), Tracker(copies=True)
    try:
        result = Substitution(tracker, own_module=True).copy_callable(f)(*map(tracker, args))
    except UntrackedError:
        raise
    except Exception as error:
        raise UntrackedError(
            f"{name}: cannot track {_place(f, name)}: {type(error).__name__}: {error}"
        ) from error
    if isinstance(result, Tracked) and kernels_run() == count:
        return result
    raise UntrackedError(
        f"{name}: cannot track {_place(f, name)}: it computes with halves that it does not name, "
        "such as those of attributes or of other functions, or rounds NumPy's wider numbers; pass "
        f"them as arguments: {name}(f, x, self.b)"
    )


def enclosure_of(
    name: str, f: Callable[..., object], args: tuple[object, ...], x: Halves
) -> DoubleInterval:
    """Return an enclosure of ``f(*args)`` without rounding; x: the result with rounding.

    Raise TypeError if f cannot be tracked, ValueError if f does not return x again.
    """
    result = _track_call(name, f, args)
    if _is_identical(result._value, np.asarray(x, result.dtype)):
        return result._enclosure
    with hc.rounding("rte", builtins=True):  # a region may round stochastically
        again, result = f(*args), _track_call(name, f, args)
    if result.shape == np.shape(x) and _is_identical(
        result._value, np.asarray(again, result.dtype)
    ):
        return result._enclosure
    raise ValueError(
        f"{name}: {_place(f, name)}: expected equal results of two runs, got different ones; f "
        "must not draw random numbers or keep state between calls"
    )
