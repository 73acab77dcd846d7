"""What NumPy's functions do to intervals, filled by `protocols`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

#: By the name of a ufunc, of NumPy or halfcl, without its rounding mode; and of this package's
#: functions.
UFUNCS: dict[str, Callable[..., Any]] = {}
#: The same of ufunc.reduce and of ufunc.accumulate.
REDUCTIONS: dict[str, Callable[..., Any]] = {}
ACCUMULATIONS: dict[str, Callable[..., Any]] = {}
#: By NumPy's function.
FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
#: What stands in the current context for some of UFUNCS and FUNCTIONS.
INSTEAD: ContextVar[Mapping[Any, Callable[..., Any]]] = ContextVar(
    "halfcl_instead", default=MappingProxyType({})
)
#: By the type of an index that is none of NumPy's: what it takes of an interval, and how it puts
#: another thing into one.
INDEXED: dict[type, tuple[Callable[..., Any], Callable[..., None]]] = {}
#: What `in` asks, by name.
RELATIONS: dict[str, Callable[..., Any]] = {}
