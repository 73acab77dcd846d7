"""Operators by symbol: the names of halfcl's functions, and floating arithmetic in a mode."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import HALF, Scalar

Array: TypeAlias = np.ndarray[Any, Any]

ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
COMPARISONS = {
    "<": "isless", ">": "isgreater", "<=": "islessequal", ">=": "isgreaterequal",
    "==": "isequal", "!=": "isnotequal",
}  # fmt: skip


@functools.cache
def native_function(name: str) -> _core.Function:
    """Return add, subtract, multiply, divide, sqrt or fma of float and double.

    They are called as halfcl's functions of half are, and correctly rounded in any mode.
    """
    nin = {"sqrt": 1, "fma": 3}.get(name, 2)
    kernels = [(name, f"{letter * nin}>{letter}") for letter in "fd"]
    ufuncs = [
        _core.make_ufunc(f"{name}_{mode}", "", mode, kernels, promotes=False)
        for mode in _core.MODES
    ]
    return _core.make_function(name, "", ufuncs, "exact")


def floating_operation(symbol: str, scalar: Scalar, mode: Mode) -> Callable[..., Array]:
    """Return the operation of + - * or / on a floating type."""
    name = ARITHMETIC[symbol]
    function = getattr(hc, name) if scalar == HALF else native_function(name)
    return functools.partial(function, rounding=mode)
