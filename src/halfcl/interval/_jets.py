"""What a function is on boxes: its range, its derivatives, and how smooth it is there.

A `Jet` goes through a function in place of numbers, as an interval does, and follows the chain
rule in intervals: forward automatic differentiation. A rule says of an operation the range of its
values, of its first and of its second derivatives, and on which boxes these mean anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from halfcl.interval import _wide as wide
from halfcl.interval._bounds import HALF, Tracer, Truths
from halfcl.interval._ufuncs import name_of
from halfcl.interval._wide import ONE, Wide

#: What is known of a function on a box. It may be undefined somewhere; it is defined; its
#: slopes enclose all difference quotients, as the mean value theorem needs; so do its
#: curvatures, as Taylor's does. A function that is constant on the box but for jumps outside is
#: smooth there.
UNDEFINED, DEFINED, LIPSCHITZ, SMOOTH = range(4)

Levels: TypeAlias = NDArray[np.uint8]
Place: TypeAlias = tuple[int, int]
#: Of an operation, one of each operand; None is nought.
Partials: TypeAlias = Sequence[Wide | None]
#: Of two operands, by their numbers.
Seconds: TypeAlias = dict[Place, Wide]

#: What operations give.
Made: TypeAlias = "Jet | tuple[Jet, ...]"
#: What operations do to jets, by the standard's names and NumPy's; filled by `_derivatives`.
RULES: dict[str, Callable[..., Made]] = {}
#: Those whose other operands are integers; and NumPy's functions.
OF_INTEGERS: set[str] = set()
FUNCTIONS: dict[Callable[..., object], Callable[..., object]] = {}

_HINT = "derivatives are known of arithmetic, elementary functions, minimum, maximum, abs and steps"


class Jet(Tracer, NDArrayOperatorsMixin):
    """A function's values on boxes, with slopes and curvatures in each variable.

    value: the range. level: what is known, of each box. order: how many derivatives are followed.
    slopes, curvatures: by variable, and by two of them; what is missing is nought.
    """

    __slots__ = ("curvatures", "level", "order", "slopes", "value")

    def __init__(
        self,
        value: Wide,
        level: Levels,
        order: int = 0,
        slopes: dict[int, Wide] | None = None,
        curvatures: dict[Place, Wide] | None = None,
    ) -> None:
        self.value, self.level, self.order = value, level, order
        self.slopes = slopes or {}
        self.curvatures = curvatures or {}

    # ------------------------------------------------------------ as an array

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """As of an array."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """As of an array."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """As of an Interval."""
        return HALF

    def copy(self) -> Jet:
        """As of an array."""
        return Jet(self.value, self.level, self.order, self.slopes, self.curvatures)

    def clip(self, min: object = None, max: object = None) -> Jet:
        """As of an array."""
        found = self.copy() if min is None else single_result(apply_rule("max", (self, min)))
        return found if max is None else single_result(apply_rule("min", (found, max)))

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> Made:
        name = name_of(ufunc)
        outs = keywords.pop("out", ())
        assert isinstance(outs, tuple)  # as NumPy has it
        if method != "__call__" or keywords:
            _refuse(f"{name}.{method}" if not keywords else f"{name}, {next(iter(keywords))}=")
        found = apply_rule(name, inputs)
        for out, result in zip(outs, found if isinstance(found, tuple) else (found,), strict=False):
            if not isinstance(out, Jet):
                raise TypeError(
                    f"f: {name}: out: expected what f was given, got {type(out).__name__}"
                )
            out._become(result)
        return found if not outs else outs if isinstance(found, tuple) else outs[0]

    def _apply_function(self, name: str, args: tuple[object, ...]) -> Made:
        return apply_rule(name, args)

    def _become(self, other: Jet) -> None:
        """Written to in place."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    def __array_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> object:
        function = FUNCTIONS.get(func)
        return function(*args, **kwargs) if function else _refuse(func.__name__)

    # ------------------------------------------------------------ what it is not

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise TypeError("f: its arguments range over boxes, and are no arrays of numbers")

    def __bool__(self) -> NoReturn:
        raise TypeError(f"f: {_BRANCHES}")

    def __float__(self) -> NoReturn:
        raise TypeError("f: its arguments are no single numbers; use NumPy's functions for math's")

    __int__ = __index__ = __complex__ = __float__

    def __getitem__(self, index: object) -> NoReturn:
        raise TypeError(
            "f: each element of its arguments is a box of its own; several variables are several "
            "arguments: f(x, y) of (X, Y)"
        )

    def __len__(self) -> int:
        return len(self.value.lo)

    __hash__ = None  # type: ignore[assignment]
    __iter__ = None

    def __repr__(self) -> str:
        return f"Jet({self.value.interval()!s}, order={self.order})"


_BRANCHES = (
    "it branches on an argument that ranges over a box; np.minimum, np.maximum, abs and np.clip "
    "say what both branches are"
)
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")


def _refuse(name: str) -> NoReturn:
    why = _BRANCHES if name in _COMPARISONS else f"it cannot be followed; {_HINT}"
    raise TypeError(f"f: {name}: {why}")


def variables(boxes: Sequence[Wide], order: int) -> list[Jet]:
    """The arguments of a function."""
    found = []
    for i, box in enumerate(boxes):
        level = np.where(box.is_empty, UNDEFINED, SMOOTH).astype(np.uint8)
        slopes = {i: Wide(np.ones(box.shape), np.ones(box.shape))} if order else {}
        found.append(Jet(box, level, order, slopes))
    return found


def constant(x: object, shape: tuple[int, ...] = ()) -> Jet:
    """A number, once or for each box."""
    value = wide.of_number(x)
    if not value.lo.size:
        raise TypeError("f: expected numbers beside its arguments, got an empty array")
    low, high = value.lo.flat[0], value.hi.flat[0]
    if value.lo.size > 1 and not (np.all(value.lo == low) and np.all(value.hi == high)):
        raise TypeError(
            f"f: expected numbers beside its arguments, got an array of shape {value.shape}; "
            "make it an argument of f"
        )
    value = Wide(np.full(shape, low), np.full(shape, high))
    return Jet(value, levels(~value.is_empty))


def apply_rule(name: str, inputs: Sequence[object]) -> Made:
    """An operation, by any of its names, on jets and numbers."""
    rule = RULES.get(name)
    if rule is None:
        _refuse(name)
    jets = [x for x in inputs if isinstance(x, Jet)]
    shapes = {x.shape for x in jets}
    if len(shapes) != 1:
        raise TypeError(f"f: {name}: expected arguments of one shape, got {sorted(shapes)}")
    with np.errstate(all="ignore"):
        if name in OF_INTEGERS:
            return rule(*inputs)
        return rule(*(x if isinstance(x, Jet) else constant(x) for x in inputs))


def single_result(found: Made) -> Jet:
    """What an operation gives that gives one result."""
    assert isinstance(found, Jet)
    return found


# ---------------------------------------------------------------- the chain rule


def _product(x: Wide | None, y: Wide | None) -> Wide | None:
    if x is None or y is None:
        return None
    if x is ONE or y is ONE:
        return y if x is ONE else x
    return wide.sqr(x) if x is y else wide.mul(x, y)


def _sum(terms: Sequence[Wide | None]) -> Wide | None:
    found = None
    for term in terms:
        if term is not None:
            found = term if found is None else wide.add(found, term)
    return found


def chain(
    operands: Sequence[Jet],
    value: Wide,
    firsts: Callable[[], Partials],
    seconds: Callable[[], Seconds],
    level: Levels | None = None,
) -> Jet:
    """What an operation makes of jets, by its partial derivatives at their values.

    level: of the operation itself, on the ranges of its operands.
    """
    levels = [x.level for x in operands] + ([] if level is None else [level])
    lowest = np.minimum.reduce(np.broadcast_arrays(*levels))
    order = max(x.order for x in operands)
    variables = sorted({i for x in operands for i in x.slopes})
    if not variables:
        return Jet(value, lowest, order)
    slopes, partials = {}, firsts()
    for i in variables:
        terms = [_product(p, x.slopes.get(i)) for p, x in zip(partials, operands, strict=True)]
        if (slope := _sum(terms)) is not None:
            slopes[i] = slope
    curvatures = _curvatures(operands, partials, seconds(), variables) if order == 2 else None
    return Jet(value, lowest, order, slopes, curvatures)


def _curvatures(
    operands: Sequence[Jet], partials: Partials, seconds: Seconds, variables: Sequence[int]
) -> dict[Place, Wide]:
    found = {}
    for i, j in combinations_with_replacement(variables, 2):
        terms = [
            _product(p, x.curvatures.get((i, j))) for p, x in zip(partials, operands, strict=True)
        ]
        for (a, b), second in seconds.items():
            one, other = operands[a].slopes, operands[b].slopes
            terms.append(_product(second, _product(one.get(i), other.get(j))))
            if a != b:
                terms.append(_product(second, _product(one.get(j), other.get(i))))
        if (curvature := _sum(terms)) is not None:
            found[i, j] = curvature
    return found


def levels(where: Truths, inside: int = SMOOTH, outside: int = UNDEFINED) -> Levels:
    """What is known where something holds, and elsewhere."""
    return np.where(where, inside, outside).astype(np.uint8)


def no_seconds() -> Seconds:
    """Of an operation that is linear."""
    return {}
