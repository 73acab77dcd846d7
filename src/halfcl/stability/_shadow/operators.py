"""Operators of halves with shadows."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl._support.duck_arrays.base import opts_out
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow._numbers.doubledouble import Pair
from halfcl.stability._shadow.branches import Choice, run_uncounted
from halfcl.stability._shadow.decisions import compare
from halfcl.stability._shadow.values import Shadow, Value, as_shadow, plain, with_shadow

_OPERANDS = (float, int, np.generic)


def _operand(x: object) -> Shadow | None:
    if isinstance(x, Shadow):
        return x
    return as_shadow(x) if isinstance(x, _OPERANDS) else None


def _binary(
    name: str, compute: Callable[..., Value], ufunc: np.ufunc
) -> dict[str, Callable[..., object]]:
    """Return methods for x + y, y + x and x += y, with a fast path for numbers and shadows."""
    compute_pairs: Any = dd.UFUNCS[ufunc.__name__]

    def forward(self: Shadow, other: object) -> object:
        y = _operand(other)
        if y is None:
            return NotImplemented if opts_out(other) else ufunc(self, other)
        return with_shadow(
            run_uncounted(compute, self.value, y.value), compute_pairs(self.pair, y.pair)
        )

    def backward(self: Shadow, other: object) -> object:
        y = _operand(other)
        if y is None:
            return NotImplemented if opts_out(other) else ufunc(other, self)
        return with_shadow(
            run_uncounted(compute, y.value, self.value), compute_pairs(y.pair, self.pair)
        )

    def in_place(self: Shadow, other: object) -> object:
        if not isinstance(self.value, np.ndarray):
            return forward(self, other)
        return ufunc(self, other, out=(self,))

    return {f"__{name}__": forward, f"__r{name}__": backward, f"__i{name}__": in_place}


def _comparison(name: str) -> Callable[..., object]:
    compute: Callable[..., Choice] = getattr(operator, name)

    def method(self: Shadow, other: object) -> object:
        return compare(name, compute(self.value, plain(other)), self, other)

    return method


def _unary(
    compute: Callable[..., Value], compute_pair: Callable[[Pair], Pair]
) -> Callable[..., object]:
    def method(self: Shadow) -> Shadow:
        return Shadow(run_uncounted(compute, self.value), compute_pair(self.pair))

    return method


#: Methods of Shadow.
METHODS: dict[str, Callable[..., object]] = {
    **_binary("add", operator.add, np.add),
    **_binary("sub", operator.sub, np.subtract),
    **_binary("mul", operator.mul, np.multiply),
    **_binary("truediv", operator.truediv, np.divide),
    **_binary("pow", operator.pow, np.power),
    **_binary("floordiv", operator.floordiv, np.floor_divide),
    **_binary("mod", operator.mod, np.remainder),
    **{f"__{name}__": _comparison(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "__neg__": _unary(operator.neg, dd.neg),
    "__pos__": _unary(operator.pos, lambda x: x),
    "__abs__": _unary(operator.abs, dd.absolute),
}
