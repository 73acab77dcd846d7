"""Jets: a function's range and derivatives on boxes, and how smooth it is there.

A `Jet` goes through a function in place of numbers, as an interval does, and applies the chain
rule in intervals: forward automatic differentiation. The rule of an operation gives the ranges of
its values and of its first and second derivatives, and the boxes on which these are valid.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import ChainRule, levels_where, lowest_level
from halfcl._support.duck_arrays.base import NO_KEYWORDS, Args, DuckArray, Function, Keywords
from halfcl.interval._arrays.ufuncs import name_of
from halfcl.interval._bounds.pairs import Base, Tracer, Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import MINUS_ONE, ONE, DoubleInterval

#: What is known of a function on a box, as bits that operations join by "and". It may be undefined
#: somewhere; it is defined; its slopes enclose all difference quotients between points at which it
#: is defined, which the mean value theorem needs, though it may be undefined at bounds (OPEN) or is
#: defined everywhere (LIPSCHITZ); its curvatures do so, too, which Taylor's theorem needs. A step
#: function without a jump in the box is smooth there.
UNDEFINED, OPEN, DEFINED, LIPSCHITZ, SMOOTH = 0, 1, 2, 3, 7

Levels: TypeAlias = NDArray[np.uint8]
IndexPair: TypeAlias = tuple[int, int]
#: First derivatives of an operation, one per operand; None is zero.
Partials: TypeAlias = Sequence[DoubleInterval | None]
#: Second derivatives, by the positions of two operands.
Seconds: TypeAlias = dict[IndexPair, DoubleInterval]

#: The result of an operation.
JetResult: TypeAlias = "Jet | tuple[Jet, ...]"
#: The rules of operations on jets, by the standard's names and NumPy's; filled by `derivatives`.
RULES: dict[str, Callable[..., JetResult]] = {}
#: The operations whose other operands are integers; and NumPy's functions.
INTEGER_OPERATIONS: set[str] = set()
FUNCTIONS: dict[Callable[..., object], Callable[..., object]] = {}

#: What `jet_arrays` does with arrays of jets: "rule", "ufunc", "function", "index",
#: "array", and "named", a function of `halfcl.interval`.
OF_ARRAYS: dict[str, Callable[..., object]] = {}

CHAIN = ChainRule(ONE, MINUS_ONE)

_NO_DERIVATIVE = (
    "it has no derivative here; use arithmetic, elementary functions, minimum, maximum, abs or "
    "step functions"
)


class Jet(DuckArray, Tracer):
    """A function's values on boxes, with slopes and curvatures in each variable.

    To the formula it is a number, of no dimension, on however many boxes. value: the range. level:
    what is known on each box. order: the order of derivatives computed. slopes, curvatures: by
    variable, and by pair of variables; missing ones are zero.
    """

    __slots__ = ("curvatures", "level", "log_of", "node", "order", "slopes", "value")
    _SINGLE = "a number"
    shape: tuple[int, ...] = ()
    ndim, size = 0, 1

    def __init__(
        self,
        value: DoubleInterval,
        level: Levels,
        order: int = 0,
        slopes: dict[int, DoubleInterval] | None = None,
        curvatures: dict[IndexPair, DoubleInterval] | None = None,
    ) -> None:
        self.value, self.level, self.order = value, level, order
        self.slopes = {} if slopes is None else slopes
        self.curvatures = {} if curvatures is None else curvatures
        #: The operand and the name of the logarithm whose result this is.
        self.log_of: tuple[Jet, str] | None = None
        #: How this was computed, where that is recorded: see `programs`.
        self.node: object = None

    # ------------------------------------------------------------ as an array

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of arrays that can hold jets: object."""
        return np.dtype(object)

    def copy(self) -> Jet:
        """Return a copy."""
        new = Jet(self.value, self.level, self.order, self.slopes, self.curvatures)
        new.log_of, new.node = self.log_of, self.node
        return new

    def clip(self, min: object = None, max: object = None) -> Jet:
        """Return the values limited to two bounds."""
        result = self.copy() if min is None else single_result(apply_rule("max", (self, min)))
        return result if max is None else single_result(apply_rule("min", (result, max)))

    def is_same(self, other: Jet) -> bool:
        """Return whether another jet is this one or a copy, so that both are the same number."""
        return self is other or (self.value is other.value and self.slopes is other.slopes)

    def _call_ufunc(
        self, ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args
    ) -> object:
        name = name_of(ufunc)
        if ufunc.signature or any(has_axes(x) for x in (*inputs, *outs)):
            return OF_ARRAYS["ufunc"](ufunc, method, inputs, keywords, outs)
        if method in ("reduce", "accumulate"):
            refuse_axes(f"{name}.{method}")
        if method != "__call__" or keywords:
            refuse(f"{name}.{method}" if not keywords else f"{name}, {next(iter(keywords))}=")
        result = apply_rule(name, inputs)
        results = result if isinstance(result, tuple) else (result,)
        jets: list[Jet] = []
        for out, output in zip(outs or (None,) * len(results), results, strict=True):
            if not isinstance(out, Jet | None):
                raise TypeError(
                    f"f: {name}: out: expected an argument of f, got {type(out).__name__}"
                )
            jets.append(output if out is None else out._become(output))
        return tuple(jets) if isinstance(result, tuple) else jets[0]

    def _call_function(self, function: Function, args: Args, keywords: Keywords) -> object:
        own = FUNCTIONS.get(function)
        if own and args and not has_axes(args[0]):
            return own(*args, **keywords)
        return OF_ARRAYS["function"](function, args, keywords)

    def _move(self, method: str, args: Args = (), keywords: Keywords = NO_KEYWORDS) -> NoReturn:
        refuse_axes(method)

    def _apply_function(self, name: str, args: tuple[object, ...]) -> object:
        return apply_rule(name, args)

    def _apply_array_function(self, name: str, args: Args, keywords: Keywords) -> object:
        return OF_ARRAYS["named"](name, args, keywords)

    def _become(self, other: Jet) -> Jet:
        """Take over the contents of another jet, for writing in place."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))
        return self

    # ------------------------------------------------------------ refused uses

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        if dtype not in (None, object):
            raise TypeError(
                "f: its arguments range over boxes and cannot become arrays of numbers; use "
                "NumPy's functions"
            )
        array: NDArray[Any] = OF_ARRAYS["array"](self)  # type: ignore[assignment]
        return array

    def __getattr__(self, name: str) -> Any:
        if name in _REDUCTIONS:
            raise AttributeError(f"f: {name}: {_ONE_BOX}", name=name, obj=self)
        if name in RULES:  # NumPy's functions of arrays of objects call methods of that name
            return lambda *others: apply_rule(name, (self, *others))
        raise AttributeError(f"f: {name}: {_NO_DERIVATIVE}", name=name, obj=self)

    def __bool__(self) -> bool:
        return bool(RULES["not_equal"](self, constant(0)))

    def __float__(self) -> NoReturn:
        raise TypeError(
            "f: its arguments are not single numbers; use NumPy's functions instead of math's, and "
            "np.zeros_like or np.stack to make arrays of them"
        )

    __int__ = __index__ = __complex__ = __float__

    def __len__(self) -> NoReturn:
        refuse_axes("len")

    def __getitem__(self, index: object) -> object:
        places = index if isinstance(index, tuple) else (index,)
        if all(place is None or place is Ellipsis for place in places):
            return OF_ARRAYS["index"](self, index)
        raise TypeError(f"f: indexing: {_ONE_BOX}")

    __iter__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Jet({doubles.interval_of(self.value)!s}, order={self.order})"


_BRANCHES = (
    "it branches on an argument that ranges over a box; use np.minimum, np.maximum, abs or np.clip "
    "to compute both branches"
)
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
_ONE_BOX = (
    "each element of its arguments is a separate box; pass several variables as several arguments, "
    "f(x, y) with (X, Y), or a vector as interval.vector(X)"
)
_REDUCTIONS = ("sum", "mean", "prod", "max", "min", "std", "var", "cumsum", "cumprod", "dot", "ptp")


class Choice:
    """A truth that is decided when a formula asks for it."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise NotImplementedError


class Node:
    """An operation of a formula, and its operands: nodes, constant jets and integers."""

    __slots__ = ("name", "operands", "part")

    def __init__(self, name: str, operands: tuple[object, ...], part: int = 0) -> None:
        self.name, self.operands, self.part = name, operands, part


#: The nodes of jets that are constant, and of operands whose origin is not recorded.
CONSTANT, UNKNOWN = Node("constant", ()), Node("unknown", ())


def _node_of(x: object) -> object:
    if not isinstance(x, Jet):
        return x
    if x.node is None:
        return UNKNOWN
    return x.copy() if x.node is CONSTANT else x.node


def record(name: str, operands: Sequence[object], result: Any) -> Any:
    """Return an operation's result, and record in it how it was computed."""
    nodes = tuple(map(_node_of, operands))
    if any(node is UNKNOWN for node in nodes):
        return result
    is_constant = not any(isinstance(node, Node) for node in nodes)
    for part, jet in enumerate(result if isinstance(result, tuple) else (result,)):
        if isinstance(jet, Jet) and jet.node is None:
            jet.node = CONSTANT if is_constant else Node(name, nodes, part)
    return result


class BranchError(TypeError):
    """Raised when a formula asks for a truth that boxes leave undecided."""


def refuse(name: str) -> NoReturn:
    """Raise the TypeError for a function that jets do not support."""
    if name in _COMPARISONS:
        raise BranchError(f"f: {name}: {_BRANCHES}")
    raise TypeError(f"f: {name}: {_NO_DERIVATIVE}")


def refuse_axes(name: str) -> NoReturn:
    """Raise the TypeError for a function that would combine several boxes."""
    raise TypeError(f"f: {name}: {_ONE_BOX}")


def has_axes(x: object) -> bool:
    """Return whether an operand has elements, as arrays and lists have."""
    if isinstance(x, list | tuple):
        return True
    if isinstance(x, Base):
        return x._lo.ndim > 0
    return isinstance(x, np.ndarray) and x.ndim > 0


def variables(
    boxes: Sequence[DoubleInterval], order: int, fixed: Collection[int] = ()
) -> list[Jet]:
    """Return jets of the variables themselves, the arguments of a function.

    fixed: the variables in which there are no derivatives.
    """
    smooth, jets = levels(np.ones(boxes[0].shape, bool)), []  # shared by variables
    for i, box in enumerate(boxes):
        level = levels(box.is_empty, UNDEFINED, SMOOTH) if box.has_empty else smooth
        jets.append(Jet(box, level, order, {i: ONE} if order and i not in fixed else {}))
    return jets


def constant(x: object, shape: tuple[int, ...] = ()) -> Jet:
    """Return a number as a jet, once or for each box."""
    number = doubles.from_number(int(bool(x)) if isinstance(x, Choice) else x)
    value = DoubleInterval(np.full(shape, number.lo), np.full(shape, number.hi))
    jet = Jet(value, levels(~value.is_empty))
    jet.node = CONSTANT
    return jet


def apply_rule(name: str, inputs: Sequence[object]) -> Any:
    """Apply an operation, under any of its names, to jets and numbers, or to arrays of these."""
    rule = RULES.get(name)
    if rule is None:
        refuse(name)
    if any(has_axes(x) for x in inputs):
        return OF_ARRAYS["rule"](name, inputs)
    inputs = [x[()] if isinstance(x, np.ndarray) and x.dtype == object else x for x in inputs]
    with np.errstate(all="ignore"):
        if name not in INTEGER_OPERATIONS:
            inputs = [x if isinstance(x, Jet) else constant(x) for x in inputs]
        return record(name, inputs, rule(*inputs))


def total(terms: Sequence[Jet]) -> Jet:
    """Return the sum of several jets."""
    value = _sum([x.value for x in terms])
    if value is None:
        return constant(0)
    result = chain(terms, value, lambda: [ONE] * len(terms), no_seconds)
    record("total", terms, result)
    return result


def single_result(result: JetResult) -> Jet:
    """Return the result of an operation that has a single one."""
    assert isinstance(result, Jet)
    return result


# ---------------------------------------------------------------- the chain rule


def _sum(terms: Sequence[DoubleInterval | None]) -> DoubleInterval | None:
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else doubles.add(total, term)
    return total


def chain(
    operands: Sequence[Jet],
    value: DoubleInterval,
    firsts: Callable[[], Partials],
    seconds: Callable[[], Seconds],
    level: Levels | None = None,
) -> Jet:
    """Return the result of an operation on jets by the chain rule, from its partial derivatives.

    level: what is known of the operation itself, on the ranges of its operands.
    """
    lowest = lowest_level(level, tuple(operands))
    order = max([x.order for x in operands])
    slopes = [x.slopes for x in operands]
    if not any(slopes):
        return Jet(value, lowest, order)
    partials, curvatures = [*firsts()], None
    if order == 2:
        others = [x.curvatures for x in operands]
        curvatures = CHAIN.curvatures(partials, seconds(), slopes, others)
    return Jet(value, lowest, order, CHAIN.slopes(partials, slopes), curvatures)


def levels(where: Truths, inside: int = SMOOTH, outside: int = UNDEFINED) -> Levels:
    """Return levels: one where something holds, and another elsewhere."""
    return levels_where(where, inside, outside)


def no_seconds() -> Seconds:
    """Return the second derivatives of a linear operation: none."""
    return {}
