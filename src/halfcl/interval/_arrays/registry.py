"""Tables of functions on intervals that NumPy's protocols call, filled by `_protocols`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

#: Functions by the names of ufuncs of NumPy and halfcl, without rounding modes; and by the names of
#: this package's functions.
UFUNCS: dict[str, Callable[..., Any]] = {}
#: Functions for ufunc.reduce and ufunc.accumulate.
REDUCTIONS: dict[str, Callable[..., Any]] = {}
ACCUMULATIONS: dict[str, Callable[..., Any]] = {}
#: Functions by NumPy's functions.
FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
#: Replacements of some UFUNCS and FUNCTIONS in the current context.
INSTEAD: ContextVar[Mapping[Any, Callable[..., Any]]] = ContextVar(
    "halfcl_instead", default=MappingProxyType({})
)
#: Functions that get and set items by indices that NumPy does not know, by the type of index.
INDEXED: dict[type, tuple[Callable[..., Any], Callable[..., None]]] = {}
#: The relations that `in` uses, by name.
RELATIONS: dict[str, Callable[..., Any]] = {}
