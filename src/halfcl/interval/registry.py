"""What NumPy's functions do to intervals, filled by `protocols`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: By the name of a ufunc, of NumPy or halfcl, without its rounding mode; and of this package's
#: functions.
UFUNCS: dict[str, Callable[..., Any]] = {}
#: The same of ufunc.reduce and of ufunc.accumulate.
REDUCTIONS: dict[str, Callable[..., Any]] = {}
ACCUMULATIONS: dict[str, Callable[..., Any]] = {}
#: By NumPy's function.
FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
#: What `in` asks, by name.
RELATIONS: dict[str, Callable[..., Any]] = {}
