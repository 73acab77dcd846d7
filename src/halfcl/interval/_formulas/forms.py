"""Tighter enclosures of formulas: the mean value form, and the Taylor form of second order."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from halfcl._core import DefaultEnvironment
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import NUMPY, ArrayOfIntervals
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._decorated.array import DecoratedInterval, promote
from halfcl.interval._decorated.decorations import TRV
from halfcl.interval._formulas import derivatives, doubles
from halfcl.interval._formulas._search.conditions import Path, record
from halfcl.interval._formulas.doubles import (
    ENTIRE,
    ZERO,
    DoubleInterval,
    Doubles,
    choose,
    from_bounds,
    point,
)
from halfcl.interval._formulas.jet_arrays import JetArray, VectorArgument, as_objects
from halfcl.interval._formulas.jets import (
    LIPSCHITZ,
    SMOOTH,
    UNDEFINED,
    BranchError,
    Jet,
    constant,
    has_axes,
    variables,
)
from halfcl.interval._formulas.removable import Extended
from halfcl.interval._functions.relations import intersection

derivatives.fill_tables()

#: The number of boxes evaluated at once.
BATCH = 1 << 13

#: A formula, with one argument for each variable.
Formula: TypeAlias = Callable[..., object]


# ---------------------------------------------------------------- arguments


class Boxes:
    """The arguments of a formula: intervals of one shape for each variable, decorated or not."""

    def __init__(self, f: object, x: object) -> None:
        if not callable(f):
            raise TypeError(f"f: expected a function, got {type(f).__name__}")
        values = list(x) if isinstance(x, tuple | list) else [x]
        if not values:
            raise ValueError("x: expected an interval, or a tuple of them, got an empty tuple")
        if isinstance(x, tuple | list) and not _takes(f, values):
            raise TypeError(
                f"x: expected an interval for each argument of f, got a {type(x).__name__} of "
                f"{len(x)}; Interval(low, high) is one interval"
            )
        names = (
            ["x"] if not isinstance(x, tuple | list) else [f"x[{i}]" for i in range(len(values))]
        )
        #: The number of components of each argument of f; None for a number.
        counts = [len(v.components()) if isinstance(v, VectorArgument) else None for v in values]
        values, names = _components(values, names)
        self.decorated = any(isinstance(v, DecoratedInterval) for v in values)
        arguments: list[Interval | DecoratedInterval] = [
            promote(v, n) if self.decorated else Interval.of(as_bounds(v, n))
            for v, n in zip(values, names, strict=True)
        ]
        try:
            self.shape = np.broadcast_shapes(*(v.shape for v in arguments))
        except ValueError:
            shapes = ", ".join(str(v.shape) for v in arguments)
            raise ValueError(f"x: expected shapes that broadcast, got {shapes}") from None
        #: Copies, so that a formula that writes to its arguments does not change the caller's.
        self.arguments = [
            v._from_arrays([np.broadcast_to(a, self.shape).copy() for a in v._arrays])
            for v in arguments
        ]
        self._flat = FlatFormula(f, counts)
        #: The formula as a function of all components, for jets; its removable poles are removed.
        self.formula = Extended(self._flat, next(self.flat(max(math.prod(self.shape), 1))))

    def as_doubles(self) -> list[DoubleInterval]:
        """Return the bounds as doubles."""
        return [from_bounds((v._arrays[0], v._arrays[1])) for v in self.arguments]

    def flat(self, size: int) -> Iterator[list[DoubleInterval]]:
        """Yield the bounds in one dimension, ``size`` boxes at a time; at least once."""
        ranges = [DoubleInterval(box.lo.ravel(), box.hi.ravel()) for box in self.as_doubles()]
        for start in range(0, max(ranges[0].lo.size, 1), size):
            yield [box[start : start + size] for box in ranges]

    def enclose(self, form: Callable[[Formula, list[DoubleInterval]], DoubleInterval]) -> Interval:
        """Return a form of all boxes.

        It is evaluated for as many boxes at a time as fit in the processor's cache.
        """
        with np.errstate(all="ignore"), DefaultEnvironment():
            batches = [self._enclose_batch(form, ranges) for ranges in self.flat(BATCH)]
        low, high = (
            np.concatenate(bounds).reshape(self.shape)
            for bounds in ([p.lo for p in batches], [p.hi for p in batches])
        )
        return doubles.interval_of(DoubleInterval(low, high))

    def _enclose_batch(
        self,
        form: Callable[[Formula, list[DoubleInterval]], DoubleInterval],
        boxes: list[DoubleInterval],
    ) -> DoubleInterval:
        """Return a form of some boxes: of each path through the formula, if it branches."""
        try:
            return form(self.formula, boxes)
        except BranchError:
            enclosure = choose(np.ones(boxes[0].shape, bool), doubles.EMPTY, boxes[0])
        for path in record(self.formula, boxes):
            parts = path.parts(boxes) if isinstance(path, Path) else boxes
            enclosure = doubles.hull(enclosure, form(formula_of(path, self.formula, boxes), parts))
        return enclosure

    def finish(self, f: Formula, enclosure: Interval) -> Interval | DecoratedInterval:
        """Intersect an enclosure with f(x) on intervals, and give it the decorations of f(x)."""
        if self.formula.has_arrays:
            return self._finish_arrays(f, enclosure)
        if self.formula.has_branches:
            return self._finish_branches(f, enclosure)
        natural = f(*(v.copy() for v in self.arguments))
        if not isinstance(natural, ArrayOfIntervals):
            return self._constant(enclosure)
        if not isinstance(natural, DecoratedInterval):
            return intersection(enclosure, natural)
        return DecoratedInterval.from_codes(intersection(enclosure, natural._bare), natural._codes)

    def _finish_branches(self, f: Formula, enclosure: Interval) -> Interval | DecoratedInterval:
        """Give an enclosure the decorations of f(x) if all its branches are decided, else trv."""
        if not self.decorated:
            return enclosure
        codes = np.minimum.reduce([v._arrays[-1] for v in self.arguments])
        try:
            natural = f(*(v.copy() for v in self.arguments))
        except (TypeError, ValueError):  # undecided, or without a truth
            codes = np.minimum(codes, TRV)
        else:
            codes = natural._codes if isinstance(natural, DecoratedInterval) else codes
        return DecoratedInterval.from_codes(enclosure, codes)

    def _finish_arrays(self, f: Formula, enclosure: Interval) -> Interval | DecoratedInterval:
        """Give an enclosure the decorations of f(x), which is computed for one box at a time."""
        if not self.decorated:
            return enclosure
        codes = np.empty(self.shape, np.uint8)
        for place in np.ndindex(self.shape):
            natural: Any = f(*self._flat.pack([v[place] for v in self.arguments], NUMPY.stack))
            is_decorated = isinstance(natural, DecoratedInterval)
            least = min(v._arrays[-1][place] for v in self.arguments)
            codes[place] = natural._codes if is_decorated else least
        return DecoratedInterval.from_codes(enclosure, codes)

    def _constant(self, enclosure: Interval) -> Interval | DecoratedInterval:
        if not self.decorated:
            return enclosure
        codes = np.minimum.reduce([v._arrays[-1] for v in self.arguments])
        return DecoratedInterval.from_codes(enclosure, codes)


def formula_of(path: object, f: Extended, boxes: Sequence[DoubleInterval]) -> Extended:
    """Return the formula of a path through f: its program, or what it returned; f if unknown."""
    if isinstance(path, Jet):
        return f
    return Extended(path.program if isinstance(path, Path) else lambda *jets: path, boxes)


class FlatFormula:
    """A formula as a function of all components of its arguments.

    counts: the number of components of each argument; None for a number.
    """

    def __init__(self, f: Formula, counts: Sequence[int | None]) -> None:
        self.f, self.counts = f, counts

    def __call__(self, *components: Jet) -> object:
        return self.f(*self.pack(components, _join_jets))

    def pack(
        self, components: Sequence[Any], join: Callable[[Sequence[Any]], object]
    ) -> list[object]:
        """Return the arguments, of which vectors are joined from their components."""
        arguments, rest = [], iter(components)
        for count in self.counts:
            argument = next(rest) if count is None else join([next(rest) for _ in range(count)])
            arguments.append(argument)
        return arguments


def _join_jets(jets: Sequence[Jet]) -> JetArray:
    return JetArray.of(as_objects(jets))


def _components(values: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], list[str]]:
    """Return all components of arguments, and their names in errors."""
    parts = [v.components() if isinstance(v, VectorArgument) else [v] for v in values]
    labels = [[name] * len(part) for name, part in zip(names, parts, strict=True)]
    return [v for part in parts for v in part], [name for label in labels for name in label]


def _takes(f: Formula, arguments: Sequence[object]) -> bool:
    """Return whether a formula can be called with these arguments, as far as it says."""
    if hasattr(f, "nin"):  # functions of NumPy and halfcl: further arguments are outputs
        return bool(len(arguments) == f.nin)
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # some functions in C have none
        return True
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def evaluate(
    f: Formula, boxes: Sequence[DoubleInterval], order: int, fixed: Collection[int] = ()
) -> Jet:
    """Return a formula's values and derivatives of an order on boxes of one shape.

    fixed: the variables in which there are no derivatives.
    """
    with np.errstate(all="ignore"):
        return _result(f(*variables(boxes, order, fixed)), boxes)


def evaluate_all(f: Formula, boxes: Sequence[DoubleInterval], order: int) -> list[Jet]:
    """Return the values and derivatives of a formula with as many results as variables."""
    with np.errstate(all="ignore"):
        results = f(*variables(boxes, order))
        if isinstance(results, list | tuple) and any(map(has_axes, results)):
            raise TypeError("f: expected numbers as results, got arrays among them; join them")
        if isinstance(results, np.ndarray) and results.ndim == 1:
            results = list(as_objects(results))
        elif len(boxes) == 1 and not isinstance(results, tuple | list):
            results = [results]
        if not isinstance(results, tuple | list) or len(results) != len(boxes):
            is_list = isinstance(results, tuple | list)
            got = len(results) if is_list else _describe(results)  # type: ignore[arg-type]
            raise TypeError(f"f: expected as many results as unknowns ({len(boxes)}), got {got}")
        return [_result(y, boxes) for y in results]


def _describe(value: object) -> str:
    """Return what a formula returned, for errors."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    return type(value).__name__


def _result(value: object, boxes: Sequence[DoubleInterval]) -> Jet:
    """Return one result of a formula, which may be a number; it is undefined on empty boxes."""
    shape = boxes[0].shape
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if isinstance(value, tuple | list | dict | str | None) or has_axes(value):
        raise TypeError(f"f: expected one result, got {_describe(value)}")
    result = value.copy() if isinstance(value, Jet) else constant(value, shape)
    empty = [box.is_empty for box in boxes if box.has_empty]
    if empty or result.value.shape != shape or result.level.shape != shape:
        where = functools.reduce(np.logical_or, empty, np.zeros(shape, bool))
        result.value = choose(where, doubles.EMPTY, result.value)
        result.level = np.where(where, np.uint8(UNDEFINED), np.broadcast_to(result.level, shape))
    return result


# ---------------------------------------------------------------- centred forms


def middle(box: DoubleInterval) -> Doubles:
    """Return a number inside: the midpoint, or for an unbounded box a finite bound or zero."""
    return doubles.middles(box)


def _finite(x: Doubles, box: DoubleInterval) -> Doubles:
    x = np.where(np.isfinite(x), x, np.where(np.isfinite(box.lo), box.lo, box.hi))
    x = np.where(np.isfinite(x), x, 0.0)
    return np.clip(x, box.lo, box.hi)


def _centres(slope: DoubleInterval, box: DoubleInterval) -> tuple[Doubles, Doubles]:
    """Return the centres for which the mean value form is tightest, one for either bound.

    The first makes its lower bound the greatest, the second its upper bound the least. For a
    monotone function they are bounds of the box (Baumann 1988).
    """
    least, most = slope.lo, slope.hi
    width = most - least
    low = (most * box.lo - least * box.hi) / width
    high = (most * box.hi - least * box.lo) / width
    rises, falls = least >= 0, most <= 0
    low = np.where(rises, box.lo, np.where(falls, box.hi, low))
    high = np.where(rises, box.hi, np.where(falls, box.lo, high))
    return _finite(low, box), _finite(high, box)


def steps(boxes: Sequence[DoubleInterval], centre: Sequence[Doubles]) -> list[DoubleInterval]:
    """Return the distances of boxes from a centre."""
    return [doubles.sub(box, point(c)) for box, c in zip(boxes, centre, strict=True)]


def linear(
    jet: Jet, boxes: Sequence[DoubleInterval], centre: Sequence[Doubles], at: DoubleInterval
) -> DoubleInterval:
    """Return at + slopes * (boxes - centre): the mean value form, from a value at the centre."""
    distances = steps(boxes, centre)
    for i, slope in jet.slopes.items():
        at = doubles.add(at, doubles.mul(slope, distances[i]))
    return at


def refine(jet: Jet, form: DoubleInterval, least: int) -> DoubleInterval:
    """Intersect values with a form where enough is known of the function."""
    usable = (jet.level >= least) & ~form.is_empty
    enclosure = doubles.intersection(jet.value, choose(usable, form, ENTIRE))
    return choose(enclosure.is_empty, jet.value, enclosure)


def bicentred_form(
    f: Formula, boxes: Sequence[DoubleInterval], jet: Jet
) -> tuple[DoubleInterval, list[Jet]]:
    """Return the mean value form around two centres, and the values there."""
    known = jet.level >= LIPSCHITZ
    pairs = [
        _centres(choose(known, jet.slopes.get(i, ZERO), doubles.ONE), box)
        for i, box in enumerate(boxes)
    ]
    enclosure, points = jet.value, []
    for centre in zip(*pairs, strict=True):
        at = evaluate(f, [point(c) for c in centre], 0)
        points.append(at)
        enclosure = doubles.intersection(
            enclosure, refine(jet, linear(jet, boxes, centre, at.value), LIPSCHITZ)
        )
    return enclosure, points


def _quadratic(slope: DoubleInterval, half: DoubleInterval, step: DoubleInterval) -> DoubleInterval:
    """Return slope * step + half * step^2 for a number ``half``, by the tighter of two formulas."""
    plain = doubles.add(doubles.mul(slope, step), doubles.mul(half, doubles.sqr(step)))
    top = doubles.div(slope, doubles.mul(point(2.0), half))
    square = doubles.mul(half, doubles.sub(doubles.sqr(doubles.add(step, top)), doubles.sqr(top)))
    enclosure = doubles.intersection(plain, square)
    return choose(enclosure.is_empty, plain, enclosure)


def second_order(
    boxes: Sequence[DoubleInterval], jet: Jet, centre: Sequence[Doubles], at: Jet
) -> DoubleInterval:
    """Return the Taylor form from the value and slopes at the centre and the box's curvatures."""
    distances, enclosure = steps(boxes, centre), at.value
    half = point(0.5)
    for i in range(len(boxes)):
        slope, own = at.slopes.get(i, ZERO), doubles.mul(half, jet.curvatures.get((i, i), ZERO))
        low, high = (_quadratic(slope, point(a), distances[i]) for a in (own.lo, own.hi))
        enclosure = doubles.add(enclosure, DoubleInterval(low.lo, high.hi))
    for (i, j), curvature in jet.curvatures.items():
        if i != j:
            enclosure = doubles.add(
                enclosure, doubles.mul(curvature, doubles.mul(distances[i], distances[j]))
            )
    return enclosure


def _taylor(f: Formula, boxes: Sequence[DoubleInterval]) -> DoubleInterval:
    """Return the Taylor form around the midpoints."""
    jet, centre = evaluate(f, boxes, 2), [middle(box) for box in boxes]
    at = evaluate(f, [point(c) for c in centre], 1)
    return refine(jet, second_order(boxes, jet, centre, at), SMOOTH)


# ---------------------------------------------------------------- public functions


def mean_value(f: Formula, x: object) -> Interval | DecoratedInterval:
    """Enclose f's range on boxes by its mean value form, at least as tightly as f(x).

    Parameters
    ----------
    f : callable
        Has one argument for each variable. May use operators, and those ufuncs of NumPy and
        functions of halfcl that work element by element and have derivatives.
    x : Interval or DecoratedInterval, or tuple of them
        The boxes: the range of each variable. Arrays are broadcast.

    Returns
    -------
    Interval, or DecoratedInterval if x has one
        Has the shape of the boxes, and the decorations of f(x).

    Raises
    ------
    TypeError
        If f has an operation that has no derivative here, branches on its argument, or combines
        elements; if a box is not an interval.
    ValueError
        If shapes do not broadcast.

    Notes
    -----
    The form is f(c) + f'(X) (X - c), with derivatives by automatic differentiation in intervals,
    for two centres c, one chosen for either bound (Baumann's bicentred form). If f is monotone on
    a box, it is the range. It is computed in intervals between doubles, and rounded outward once.
    Where f is undefined in a part of the box, or may jump, the result is f(x). At kinks, such as
    those of abs and minimum, derivatives are intervals.

    Accuracy: encloses; the excess shrinks with the square of the box's width, that of f(x) in
    proportion to the width.
    Source: Neumaier, Interval Methods for Systems of Equations, 2.3.

    Examples
    --------
    >>> from halfcl import interval
    >>> from halfcl.interval import Interval
    >>> def f(x):
    ...     return (x * x - 2) * x + 1
    >>> f(Interval(0.75, 1)), interval.mean_value(f, Interval(0.75, 1))
    (Interval('[-0.4375, 0.25]'), Interval('[-0.14808, 0.010422]'))
    >>> interval.mean_value(lambda x, y: x * y - x, (Interval(1, 2), Interval(1, 2)))
    Interval('[0, 2]')
    """
    boxes = Boxes(f, x)
    enclosure = boxes.enclose(
        lambda g, ranges: bicentred_form(g, ranges, evaluate(g, ranges, 1))[0]
    )
    return boxes.finish(f, enclosure)


def taylor(f: Formula, x: object, order: int = 2) -> Interval | DecoratedInterval:
    """Enclose f's range on boxes by its Taylor form, at least as tightly as f(x).

    Parameters
    ----------
    f : callable
        The same as for `mean_value`.
    x : Interval or DecoratedInterval, or tuple of them
        The same as for `mean_value`.
    order : int, optional
        The order of the derivatives over the box: 2, or 1, which is `mean_value`.

    Returns
    -------
    Interval, or DecoratedInterval if x has one

    Raises
    ------
    TypeError, ValueError
        For the same reasons as `mean_value`; if order is neither 1 nor 2.

    Notes
    -----
    The form is f(c) + f'(c) (X - c) + (X - c)' f''(X) (X - c) / 2 about the midpoint c. The terms
    of each variable form a parabola, whose range is computed as a whole, so quadratic functions of
    one variable are enclosed to the last bit. Where f has kinks, the result is f(x).

    Accuracy: encloses; the excess shrinks with the third power of the box's width, in several
    variables with the square.
    Source: Neumaier, Interval Methods for Systems of Equations, 2.4.

    Examples
    --------
    >>> from halfcl import interval
    >>> from halfcl.interval import Interval
    >>> def f(x):
    ...     return (x * x - 2) * x + 1
    >>> x = Interval(0.5, 1)
    >>> f(x), interval.mean_value(f, x), interval.taylor(f, x)
    (Interval('[-0.75, 0.5]'), Interval('[-0.36304, 0.21009]'), Interval('[-0.094422, 0.1875]'))
    """
    if isinstance(order, bool) or order not in (1, 2):
        raise ValueError(f"taylor: order: expected 1 or 2, got {order!r}")
    if order == 1:
        return mean_value(f, x)
    boxes = Boxes(f, x)
    return boxes.finish(f, boxes.enclose(_taylor))
