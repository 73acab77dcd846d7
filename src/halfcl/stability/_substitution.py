"""Functions run again with other things in place of those that they name."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from halfcl.stability._sites import LIBRARIES


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of globals, and of attributes, in code and the code inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_plain(f: object) -> TypeGuard[types.FunctionType]:
    """Whether it is a function written in Python, and no part of what computes for others."""
    return isinstance(f, types.FunctionType) and not f.__code__.co_filename.startswith(LIBRARIES)


class Substitution:
    """Copies of functions that name other things, and call each other.

    replace: gives what stands for a thing. own_module: whether of the functions that one names
    only those of its own module are copied.
    """

    def __init__(self, replace: Callable[[object], object], own_module: bool) -> None:
        self.replace, self.own_module = replace, own_module
        self._copies: dict[int, tuple[types.FunctionType, types.FunctionType]] = {}

    def of_value(self, x: object) -> object:
        """Of a cell's content, a default or a global."""
        found = self.replace(x)
        return self.of_function(x) if found is x and _is_plain(x) else found

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
            if name in names and self._belongs(names[name], f):
                names[name] = self.of_value(names[name])
        return new

    def _belongs(self, x: object, f: types.FunctionType) -> bool:
        """Whether a global of f is to be substituted."""
        is_other = isinstance(x, types.FunctionType) and x.__globals__ is not f.__globals__
        return not (is_other and self.own_module)

    def of_callable(self, f: Callable[..., object]) -> Callable[..., object]:
        """A copy of f with others in place of its closure, defaults and globals, and of those of
        the functions that it names there."""
        if isinstance(f, functools.partial):
            keywords = {name: self.replace(x) for name, x in f.keywords.items()}
            return functools.partial(
                self.of_callable(f.func), *map(self.replace, f.args), **keywords
            )
        if isinstance(f, types.MethodType):
            return types.MethodType(self.of_callable(f.__func__), f.__self__)
        return self.of_function(f) if isinstance(f, types.FunctionType) else f
