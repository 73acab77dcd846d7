"""Tighter enclosures of formulas: mean value form, Taylor form of second order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from halfcl.interval import _derivatives as _derivatives, _wide as wide
from halfcl.interval._array import Interval
from halfcl.interval._decorated import DecoratedInterval, promoted
from halfcl.interval._jets import LIPSCHITZ, SMOOTH, UNDEFINED, Jet, constant, variables
from halfcl.interval._methods import ArrayOfIntervals
from halfcl.interval._relations import intersection
from halfcl.interval._values import as_bounds
from halfcl.interval._wide import ENTIRE, ZERO, Doubles, Wide, choose, of_bounds, point

#: How many boxes are evaluated at once.
PART = 1 << 13

#: A formula: of one argument for each variable.
Formula: TypeAlias = Callable[..., object]


# ---------------------------------------------------------------- what is given


class Boxes:
    """The arguments of a formula: of each variable intervals of one shape, decorated or not."""

    def __init__(self, f: object, x: object) -> None:
        if not callable(f):
            raise TypeError(f"f: expected a function, got {type(f).__name__}")
        given = list(x) if isinstance(x, tuple | list) else [x]
        if not given:
            raise ValueError("x: expected an interval, or a tuple of them, got none")
        names = ["x"] if not isinstance(x, tuple | list) else [f"x[{i}]" for i in range(len(given))]
        self.decorated = any(isinstance(v, DecoratedInterval) for v in given)
        arguments: list[Interval | DecoratedInterval] = [
            promoted(v, n) if self.decorated else Interval.of(as_bounds(v, n))
            for v, n in zip(given, names, strict=True)
        ]
        try:
            self.shape = np.broadcast_shapes(*(v.shape for v in arguments))
        except ValueError:
            shapes = ", ".join(str(v.shape) for v in arguments)
            raise ValueError(f"x: expected shapes that broadcast, got {shapes}") from None
        #: Copies: what is written to in a formula is not the caller's.
        self.arguments = [
            v._of_arrays([np.broadcast_to(a, self.shape).copy() for a in v._arrays])
            for v in arguments
        ]

    def wide(self) -> list[Wide]:
        """Their bounds, as doubles."""
        return [of_bounds((v._arrays[0], v._arrays[1])) for v in self.arguments]

    def flat(self, size: int) -> Iterator[list[Wide]]:
        """The same in one dimension, so many at a time; at least once."""
        ranges = [Wide(box.lo.ravel(), box.hi.ravel()) for box in self.wide()]
        for at in range(0, max(ranges[0].lo.size, 1), size):
            yield [box[at : at + size] for box in ranges]

    def enclosed(self, form: Callable[[list[Wide]], Wide]) -> Interval:
        """A form of all boxes, of so many at a time as stay in the processor's cache."""
        with np.errstate(all="ignore"):
            parts = [form(ranges) for ranges in self.flat(PART)]
        low, high = (
            np.concatenate(bounds).reshape(self.shape)
            for bounds in ([p.lo for p in parts], [p.hi for p in parts])
        )
        return Wide(low, high).interval()

    def finished(self, f: Formula, found: Interval) -> Interval | DecoratedInterval:
        """The part of an enclosure that the formula's value on intervals has, decorated as that."""
        natural = f(*(v.copy() for v in self.arguments))
        if not isinstance(natural, ArrayOfIntervals):
            return self._constant(found)
        if not isinstance(natural, DecoratedInterval):
            return intersection(found, natural)
        return DecoratedInterval.settled(intersection(found, natural._bare), natural._codes)

    def _constant(self, found: Interval) -> Interval | DecoratedInterval:
        if not self.decorated:
            return found
        codes = np.minimum.reduce([v._arrays[-1] for v in self.arguments])
        return DecoratedInterval.settled(found, codes)


def evaluate(f: Formula, boxes: Sequence[Wide], order: int) -> Jet:
    """A formula's values, with so many derivatives, on boxes of one shape."""
    with np.errstate(all="ignore"):
        return _result(f(*variables(boxes, order)), boxes)


def evaluate_all(f: Formula, boxes: Sequence[Wide], order: int) -> list[Jet]:
    """The same of as many results as there are variables."""
    with np.errstate(all="ignore"):
        found = f(*variables(boxes, order))
        if len(boxes) == 1 and not isinstance(found, tuple | list):
            found = [found]
        if not isinstance(found, tuple | list) or len(found) != len(boxes):
            got = len(found) if isinstance(found, tuple | list) else type(found).__name__
            raise TypeError(f"f: expected as many results as arguments, {len(boxes)}, got {got}")
        return [_result(y, boxes) for y in found]


def _result(found: object, boxes: Sequence[Wide]) -> Jet:
    """One result of a formula, which may be a number; of empty boxes none."""
    shape = boxes[0].shape
    if isinstance(found, tuple | list | dict | str | None):
        raise TypeError(f"f: expected one result, got {type(found).__name__}")
    result = found.copy() if isinstance(found, Jet) else constant(found, shape)
    if result.shape != shape:
        raise TypeError(f"f: expected a result of shape {shape}, got {result.shape}")
    nowhere = np.logical_or.reduce([box.is_empty for box in boxes])
    result.value = choose(nowhere, wide.EMPTY, result.value)
    result.level = np.where(nowhere, np.uint8(UNDEFINED), result.level)
    return result


# ---------------------------------------------------------------- centred forms


def middle(box: Wide) -> Doubles:
    """A number inside: the midpoint, or of an unbounded box a bound, or zero."""
    return _finite(box.lo / 2 + box.hi / 2, box)


def _finite(x: Doubles, box: Wide) -> Doubles:
    x = np.where(np.isfinite(x), x, np.where(np.isfinite(box.lo), box.lo, box.hi))
    x = np.where(np.isfinite(x), x, 0.0)
    return np.clip(x, box.lo, box.hi)


def _centres(slope: Wide, box: Wide) -> tuple[Doubles, Doubles]:
    """The points around which the mean value form's lower bound is the greatest, and its upper
    one the least: of a monotone function bounds of the box (Baumann 1988)."""
    least, most = slope.lo, slope.hi
    width = most - least
    low = (most * box.lo - least * box.hi) / width
    high = (most * box.hi - least * box.lo) / width
    rises, falls = least >= 0, most <= 0
    low = np.where(rises, box.lo, np.where(falls, box.hi, low))
    high = np.where(rises, box.hi, np.where(falls, box.lo, high))
    return _finite(low, box), _finite(high, box)


def steps(boxes: Sequence[Wide], centre: Sequence[Doubles]) -> list[Wide]:
    """How far boxes reach from a centre."""
    return [wide.sub(box, point(c)) for box, c in zip(boxes, centre, strict=True)]


def linear(jet: Jet, boxes: Sequence[Wide], centre: Sequence[Doubles], at: Wide) -> Wide:
    """at + slopes * (boxes - centre): the mean value form, of a value at the centre."""
    away = steps(boxes, centre)
    for i, slope in jet.slopes.items():
        at = wide.add(at, wide.mul(slope, away[i]))
    return at


def kept(jet: Jet, form: Wide, least: int) -> Wide:
    """The part of the values that a form has, where enough is known of the function."""
    usable = (jet.level >= least) & ~form.is_empty
    found = wide.intersection(jet.value, choose(usable, form, ENTIRE))
    return choose(found.is_empty, jet.value, found)


def bicentred(f: Formula, boxes: Sequence[Wide], jet: Jet) -> tuple[Wide, list[Jet]]:
    """The mean value form around two centres, and the values there."""
    known = jet.level >= LIPSCHITZ
    pairs = [
        _centres(choose(known, jet.slopes.get(i, ZERO), wide.ONE), box)
        for i, box in enumerate(boxes)
    ]
    found, points = jet.value, []
    for centre in zip(*pairs, strict=True):
        at = evaluate(f, [point(c) for c in centre], 0)
        points.append(at)
        found = wide.intersection(found, kept(jet, linear(jet, boxes, centre, at.value), LIPSCHITZ))
    return found, points


def _quadratic(slope: Wide, half: Wide, step: Wide) -> Wide:
    """slope * step + half * step^2, a number `half`, by the better of two ways to write it."""
    plain = wide.add(wide.mul(slope, step), wide.mul(half, wide.sqr(step)))
    top = wide.div(slope, wide.mul(point(2.0), half))
    square = wide.mul(half, wide.sub(wide.sqr(wide.add(step, top)), wide.sqr(top)))
    found = wide.intersection(plain, square)
    return choose(found.is_empty, plain, found)


def _second_order(boxes: Sequence[Wide], jet: Jet, centre: Sequence[Doubles], at: Jet) -> Wide:
    """The value and slopes at the centre, and the curvatures of the box."""
    away, found = steps(boxes, centre), at.value
    half = point(0.5)
    for i in range(len(boxes)):
        slope, own = at.slopes.get(i, ZERO), wide.mul(half, jet.curvatures.get((i, i), ZERO))
        low, high = (_quadratic(slope, point(a), away[i]) for a in (own.lo, own.hi))
        found = wide.add(found, Wide(low.lo, high.hi))
    for (i, j), curvature in jet.curvatures.items():
        if i != j:
            found = wide.add(found, wide.mul(curvature, wide.mul(away[i], away[j])))
    return found


def _taylor(f: Formula, boxes: Sequence[Wide]) -> Wide:
    """The Taylor form around the midpoints."""
    jet, centre = evaluate(f, boxes, 2), [middle(box) for box in boxes]
    at = evaluate(f, [point(c) for c in centre], 1)
    return kept(jet, _second_order(boxes, jet, centre, at), SMOOTH)


# ---------------------------------------------------------------- what is public


def mean_value(f: Formula, x: object) -> Interval | DecoratedInterval:
    """An enclosure of f's range on boxes by its mean value form, no wider than f(x).

    Parameters
    ----------
    f : callable
        Of one argument for each variable; made of operators, NumPy's ufuncs and halfcl's
        functions that have derivatives, element by element.
    x : Interval or DecoratedInterval, or tuple of them
        The boxes: the range of each variable. Arrays of them are broadcast.

    Returns
    -------
    Interval, or DecoratedInterval where x has one
        Of the shape of the boxes. It is decorated as f(x) is.

    Raises
    ------
    TypeError
        If f has an operation that has no derivative here, branches on its argument, or combines
        elements; if a box is no interval.
    ValueError
        If shapes do not broadcast.

    Notes
    -----
    f(c) + f'(X) (X - c), with derivatives by automatic differentiation in intervals, of two
    centres c, chosen for either bound (Baumann's bicentred form): of functions that are monotone
    on a box it is the range. Computed in intervals between doubles, and rounded outward once. Where
    f is undefined in a part of the box, or may jump, the result is f(x)'s, at least as tight. At
    kinks, as of abs and minimum, derivatives are intervals.

    Accuracy: encloses; what is too much shrinks with the square of the box's width, of f(x) in
    proportion.
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
    found = boxes.enclosed(lambda ranges: bicentred(f, ranges, evaluate(f, ranges, 1))[0])
    return boxes.finished(f, found)


def taylor(f: Formula, x: object, order: int = 2) -> Interval | DecoratedInterval:
    """An enclosure of f's range on boxes by its Taylor form, no wider than f(x).

    Parameters
    ----------
    f : callable
        As of `mean_value`.
    x : Interval or DecoratedInterval, or tuple of them
        As of `mean_value`.
    order : int, optional
        Of the derivatives that are taken over the box: 2, or 1, which is `mean_value`.

    Returns
    -------
    Interval, or DecoratedInterval where x has one

    Raises
    ------
    TypeError, ValueError
        As by `mean_value`; if order is neither 1 nor 2.

    Notes
    -----
    f(c) + f'(c) (X - c) + (X - c)' f''(X) (X - c) / 2 about the midpoint c. Each variable's part
    is a parabola, whose range is taken, not that of its terms: quadratic functions of one
    variable are enclosed to the last bit. Where f has kinks the result is f(x)'s.

    Accuracy: encloses; what is too much shrinks with the third power of the box's width, in
    several variables with the square.
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
        raise ValueError(f"order: expected 1 or 2, got {order!r}")
    if order == 1:
        return mean_value(f, x)
    boxes = Boxes(f, x)
    return boxes.finished(f, boxes.enclosed(lambda ranges: _taylor(f, ranges)))
