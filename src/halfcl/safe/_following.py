"""Functions handed tracked halves: as arguments, and in place of the halves that they name."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

import halfcl as hc
from halfcl._core import kernels_run
from halfcl.interval._bounds import Halves
from halfcl.safe._tracked import Tracked, tracked
from halfcl.safe._watching import NotFollowed, is_half
from halfcl.safe._wide import Wide
from halfcl.stability._sites import Place, describe
from halfcl.stability._substitution import Substitution

#: What may hold halves.
Container: TypeAlias = list[Any] | tuple[Any, ...] | dict[Any, Any]


class Tracker:
    """Tracked halves in place of halves, also in lists, tuples and dicts of them.

    The same for the same array, wherever it comes.
    """

    def __init__(self, copies: bool) -> None:
        self.copies = copies  # so that the code may write to them
        self.met_tracked = False
        self._tracked: dict[int, tuple[object, Tracked]] = {}

    def __call__(self, x: object) -> object:
        if type(x) is list or type(x) is tuple:
            return _rebuilt(x, map(self._one, x))
        if type(x) is dict:
            return _rebuilt(x, map(self._one, x.values()))
        return self._one(x)

    def _one(self, x: object) -> object:
        self.met_tracked |= isinstance(x, Tracked)
        if not is_half(x):
            return x
        if id(x) not in self._tracked:
            own = x.copy() if self.copies and isinstance(x, np.ndarray) else x
            found = tracked(own)
            self._protect_shared(found)
            self._tracked[id(x)] = x, found  # x is kept, so that its id stays its own
        return self._tracked[id(x)][1]

    def _protect_shared(self, one: Tracked) -> None:
        """Against writing where two arrays share memory: enclosures of the other would be wrong."""
        for _, other in self._tracked.values():
            if isinstance(one._value, np.ndarray) and np.may_share_memory(one._value, other._value):
                one._value, other._value = _read_only(one._value), _read_only(other._value)


def _read_only(x: Halves) -> Halves:
    view = x.view()
    view.flags.writeable = False
    return view


def _rebuilt(container: Container, items: Iterator[object]) -> Container:
    """A list, tuple or dict with other items; the same one if they are no others."""
    new = list(items)
    old = container.values() if isinstance(container, dict) else container
    if all(a is b for a, b in zip(old, new, strict=True)):
        return container
    if isinstance(container, dict):
        return dict(zip(container, new, strict=True))
    return type(container)(new)


def untracked(x: object) -> object:
    """The halves of tracked ones, also in lists, tuples and dicts, at any depth."""
    if type(x) is dict:
        return _rebuilt(x, map(untracked, x.values()))
    if type(x) is list or type(x) is tuple:
        return _rebuilt(x, map(untracked, x))
    if isinstance(x, tuple) and hasattr(x, "_make"):
        return x._make(map(untracked, x))
    return x.value if isinstance(x, Tracked) else x


# ---------------------------------------------------------------- functions


def _place(f: Callable[..., object], name: str) -> Place:
    """Where a function is written."""
    while isinstance(f, functools.partial | types.MethodType):
        f = f.func if isinstance(f, functools.partial) else f.__func__
    code = getattr(f, "__code__", None)
    if code is None:
        return describe(None, getattr(f, "__name__", name))
    place = describe((code, 0, code.co_filename), name)
    return Place(place.file, code.co_firstlineno, place.source, "")


def _same(one: object, other: object) -> bool:
    """Whether halves are the same, bit by bit, but for NaNs."""
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape:
        return False
    differ = a.view(np.uint16) != b.view(np.uint16)
    return not np.any(differ & ~(np.isnan(a) & np.isnan(b)))


def _follow(name: str, f: Callable[..., object], args: tuple[object, ...]) -> Tracked:
    """What ``f(*args)`` gives, tracked."""
    count, tracker = kernels_run(), Tracker(copies=True)
    try:
        found = Substitution(tracker, own_module=True).of_callable(f)(*map(tracker, args))
    except NotFollowed:
        raise
    except Exception as error:
        raise NotFollowed(
            f"{name}: cannot follow {_place(f, name)}: {type(error).__name__}: {error}"
        ) from error
    if isinstance(found, Tracked) and kernels_run() == count:
        return found
    raise NotFollowed(
        f"{name}: cannot follow {_place(f, name)}: it computes with halves that it does not name, "
        "such as those of attributes or of other functions, or rounds NumPy's wider numbers; hand "
        f"them over: {name}(f, x, self.b)"
    )


def enclosure_of(name: str, f: Callable[..., object], args: tuple[object, ...], x: Halves) -> Wide:
    """What encloses ``f(*args)`` without rounding; x: what it gives with it.

    Raises
    ------
    TypeError
        If f cannot be followed.
    ValueError
        If it gives something else than x this time.
    """
    found = _follow(name, f, args)
    if _same(found._value, np.asarray(x, found.dtype)):
        return found._wide
    with hc.rounding("rte", builtins=True):  # where a region rounds at random, to nearest
        again, found = f(*args), _follow(name, f, args)
    if found.shape == np.shape(x) and _same(found._value, np.asarray(again, found.dtype)):
        return found._wide
    raise ValueError(
        f"{name}: {_place(f, name)}: two runs give different results: it draws random numbers, or "
        "keeps something from call to call"
    )
