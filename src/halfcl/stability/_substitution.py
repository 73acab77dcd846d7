"""Copies of functions in which other objects replace those that the functions refer to."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from halfcl.stability._sites import LIBRARIES


def _names_in(code: types.CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes in a code object and those nested in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _is_user_function(f: object) -> TypeGuard[types.FunctionType]:
    """Tell whether an object is a Python function from outside the LIBRARIES."""
    return isinstance(f, types.FunctionType) and not f.__code__.co_filename.startswith(LIBRARIES)


class Substitution:
    """Copies functions so that they refer to replacements, and call each other's copies.

    replace: returns the replacement of an object, or the object itself. own_module: whether only
    functions of the same module are copied along with a function that refers to them.
    """

    def __init__(self, replace: Callable[[object], object], own_module: bool) -> None:
        self.replace, self.own_module = replace, own_module
        self._copies: dict[int, tuple[types.FunctionType, types.FunctionType]] = {}

    def substitute(self, x: object) -> object:
        """Return what replaces the content of a cell, a default or a global."""
        replacement = self.replace(x)
        if replacement is x and _is_user_function(x):
            return self.copy_function(x)
        return replacement

    def copy_function(self, f: types.FunctionType) -> types.FunctionType:
        """Return a copy of a function that refers to replacements and copies."""
        if id(f) in self._copies:  # also ends the recursion of functions that refer to themselves
            return self._copies[id(f)][1]
        cells = tuple(types.CellType() for _ in f.__closure__ or ())
        names: dict[str, Any] = dict(f.__globals__)
        new = types.FunctionType(f.__code__, names, f.__name__, None, cells)
        self._copies[id(f)] = f, new
        new.__defaults__ = f.__defaults__ and tuple(map(self.substitute, f.__defaults__))
        new.__kwdefaults__ = {n: self.substitute(x) for n, x in (f.__kwdefaults__ or {}).items()}
        new.__dict__.update(f.__dict__)
        for cell, old in zip(cells, f.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # the cell is empty: it is assigned to later
                cell.cell_contents = self.substitute(old.cell_contents)
        for name in _names_in(f.__code__):
            if name in names and self._belongs(names[name], f):
                names[name] = self.substitute(names[name])
        return new

    def _belongs(self, x: object, f: types.FunctionType) -> bool:
        """Tell whether a global of f is to be replaced."""
        is_other = isinstance(x, types.FunctionType) and x.__globals__ is not f.__globals__
        return not (is_other and self.own_module)

    def copy_callable(self, f: Callable[..., object]) -> Callable[..., object]:
        """Return a copy of a function, method or partial that refers to replacements.

        They replace objects in its closure, defaults and globals, and in those of the functions
        that it refers to.
        """
        if isinstance(f, functools.partial):
            keywords = {name: self.replace(x) for name, x in f.keywords.items()}
            return functools.partial(
                self.copy_callable(f.func), *map(self.replace, f.args), **keywords
            )
        if isinstance(f, types.MethodType):
            return types.MethodType(self.copy_callable(f.__func__), f.__self__)
        return self.copy_function(f) if isinstance(f, types.FunctionType) else f
