"""Functions handed tracked halves: as arguments, and in place of the halves that they name."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeGuard

import numpy as np

import halfcl as hc
from halfcl._core import kernels_run
from halfcl.interval._bounds import Halves
from halfcl.safe._tracked import Tracked, tracked
from halfcl.safe._watching import NotFollowed, is_half
from halfcl.safe._wide import Wide
from halfcl.stability._sites import LIBRARIES, Place, describe

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


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of globals, and of attributes, in code and the code inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_plain(f: object) -> TypeGuard[types.FunctionType]:
    """Whether it is a function written in Python, and no part of what computes for others."""
    return isinstance(f, types.FunctionType) and not f.__code__.co_filename.startswith(LIBRARIES)


class _Substitution:
    """Copies of functions that have tracked halves for halves, and call each other."""

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self._copies: dict[int, tuple[types.FunctionType, types.FunctionType]] = {}

    def of_value(self, x: object) -> object:
        """Of a cell's content, a default or a global."""
        return self.of_function(x) if _is_plain(x) else self.tracker(x)

    def of_function(self, f: types.FunctionType) -> types.FunctionType:
        """A copy that names copies."""
        if id(f) in self._copies:  # so that functions may name themselves
            return self._copies[id(f)][1]
        cells = tuple(types.CellType() for _ in f.__closure__ or ())
        names: dict[str, Any] = dict(f.__globals__)
        new = types.FunctionType(f.__code__, names, f.__name__, None, cells)
        self._copies[id(f)] = f, new
        new.__defaults__ = f.__defaults__ and tuple(map(self.of_value, f.__defaults__))
        new.__kwdefaults__ = {n: self.of_value(x) for n, x in (f.__kwdefaults__ or {}).items()}
        new.__dict__.update(f.__dict__)
        for cell, old in zip(cells, f.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # empty: assigned to later
                cell.cell_contents = self.of_value(old.cell_contents)
        for name in _names(f.__code__):
            if name in names and _belongs(names[name], f):
                names[name] = self.of_value(names[name])
        return new


def _belongs(x: object, f: types.FunctionType) -> bool:
    """Whether a global of f is to be substituted: of functions, those of its own module."""
    return not isinstance(x, types.FunctionType) or x.__globals__ is f.__globals__


def substituted(f: Callable[..., object], tracker: Tracker) -> Callable[..., object]:
    """A copy of f with tracked halves for those of its closure, defaults and globals, and of
    the functions that it names there."""
    if isinstance(f, functools.partial):
        keywords = {name: tracker(x) for name, x in f.keywords.items()}
        return functools.partial(substituted(f.func, tracker), *map(tracker, f.args), **keywords)
    if isinstance(f, types.MethodType):
        return types.MethodType(substituted(f.__func__, tracker), f.__self__)
    return _Substitution(tracker).of_function(f) if isinstance(f, types.FunctionType) else f


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
        found = substituted(f, tracker)(*map(tracker, args))
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
