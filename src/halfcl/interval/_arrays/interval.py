"""The array of intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._support.duck_arrays.base import NO_KEYWORDS, Args, Keywords
from halfcl.interval._arrays import registry, text
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._arrays.truth import UndecidedError
from halfcl.interval._arrays.values import (
    as_bounds,
    check_order,
    check_reals,
    enclose,
    halves,
    parse_numbers,
)
from halfcl.interval._bounds.pairs import HALF, Array, Base, Bounds, Halves, Index, select

if TYPE_CHECKING:
    from typing import Self


def _enclose_bounds(x: object, argument: str) -> Bounds:
    """Return enclosures of bounds; arrays must be of half, other values are rounded outward."""
    if isinstance(x, np.ndarray) and x.dtype.kind not in "OUT":
        array = halves(x, argument)
        if np.isnan(array).any():
            raise ValueError(
                f"{argument}: expected numbers, got NaN; use interval.empty for the empty set"
            )
        return array, array
    return enclose(x, argument)


def _parse_arguments(lo: object, hi: object) -> Bounds:
    """Return the bounds that the constructor's arguments state, after checking them."""
    if hi is not None:
        lo, hi = parse_numbers(lo), parse_numbers(hi)
        below, above = _enclose_bounds(lo, "lo"), _enclose_bounds(hi, "hi")
        check_order(below, above, lo, hi)
        return below[0], above[1]
    if isinstance(lo, Base):
        return lo._lo, lo._hi
    bounds = _enclose_bounds(lo, "lo")
    check_reals(bounds)
    return bounds


class Interval(ArrayOfIntervals, Base, like="_lo"):
    """An array of closed intervals whose bounds are halves.

    Parameters
    ----------
    lo, hi : array_like
        The bounds. Arrays must be of half, float16 or 8-bit integers, and are used as they are.
        Numbers of any kind, lists of them, and text are rounded outward. Without ``hi``, each
        interval is a point, or ``lo`` is text that states both bounds, such as ``"[1, 2]"``.
        The two broadcast against each other. For float64 arrays use `from_values`.

    Attributes
    ----------
    inf, sup : array of half
        Copies of the bounds. Zeros are -0 and +0; the empty set has inf and -inf.
    mid, rad, wid : array of half
        Midpoints, radii and widths, as the functions of these names return them.

    Raises
    ------
    ValueError
        If a lower bound is above its upper bound, a bound is NaN, lo is inf, or hi is -inf.
    TypeError
        If an array has a type whose values are not all exact in half.

    Notes
    -----
    Behaves like a NumPy array: ``shape ndim size dtype T``, indexing (slices are views),
    assignment, ``reshape ravel transpose copy``, iteration and pickling. NumPy's structural
    functions, such as ``np.concatenate`` and ``np.where``, work on intervals. Ufuncs, operators,
    reductions and products of NumPy and halfcl compute with intervals. Rounding modes have no
    effect, since bounds are rounded outward. Other operands may be halves, which are points, or
    numbers, which are enclosed: ``x + 0.1``.

    ``x & y`` is the intersection, ``x | y`` the hull. ``v in x`` (for a single interval) tests
    whether a number or interval is inside. ``< <= > >= == !=`` compare the numbers inside,
    element by element. They return a `Truth`, which is true or false where all pairs of numbers
    agree, and raises `UndecidedError` in an ``if`` where they do not. `equal`, `less`,
    `strict_less` and `precedes` are IEEE 1788's relations. Source: IEEE 1788-2015, the set-based
    flavour.

    Examples
    --------
    >>> from halfcl.interval import Interval
    >>> x = Interval([1, 2], [3, 4])
    >>> 1 / x
    Interval(['[0.33325, 1]', '[0.25, 0.5]'])
    >>> x[0] & x[1], 2.5 in x[0], (x / 10).sup
    (Interval('[2, 3]'), True, array([0.3   , 0.4001], dtype=half))
    """

    __slots__ = ()
    _KIND, _SINGLE = "Interval", "a 0-d Interval"

    def __init__(self, lo: object, hi: object = None) -> None:
        low, high = np.broadcast_arrays(*_parse_arguments(lo, hi))
        self._lo, self._hi = low.astype(HALF, "C"), high.astype(HALF, "C")

    @classmethod
    def of(cls, bounds: Sequence[Array]) -> Self:
        """Return intervals with these bounds, unchecked; for the modules of this package."""
        new = cls.__new__(cls)
        new._lo, new._hi = bounds
        return new

    _from_arrays = of

    @property
    def _arrays(self) -> Bounds:
        return self._lo, self._hi

    # ------------------------------------------------------------ bounds

    @property
    def inf(self) -> Halves:
        """The lower bounds; -0 for zero, inf for the empty set."""
        lo = select(np.equal(self._lo, 0), np.asarray(hc.half(-0.0)), self._lo)
        return select(np.isnan(lo), np.asarray(hc.half("inf")), lo)[()]

    @property
    def sup(self) -> Halves:
        """The upper bounds; +0 for zero, -inf for the empty set."""
        hi = select(np.equal(self._hi, 0), np.asarray(hc.half(0)), self._hi)
        return select(np.isnan(hi), np.asarray(hc.half("-inf")), hi)[()]

    if not TYPE_CHECKING:  # for which it would be an array of numbers

        def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
            raise TypeError(
                "Interval: cannot become an array of numbers; use x.inf and x.sup, or numpy.stack "
                "to join intervals"
            )

    # ------------------------------------------------------------ elements

    # The first two methods override inherited ones, to avoid a loop over the arrays.

    def _move(self, method: str, args: Args = (), keywords: Keywords = NO_KEYWORDS) -> Self:
        low, high = getattr(self._lo, method), getattr(self._hi, method)
        return self.of((low(*args, **keywords), high(*args, **keywords)))

    def __getitem__(self, index: Index) -> Self:
        if type(index) in registry.INDEXED:
            selected: Self = registry.INDEXED[type(index)][0](self, index)
            return selected
        return self.of((np.asarray(self._lo[index]), np.asarray(self._hi[index])))

    def __reduce__(self) -> tuple[Callable[..., object], tuple[NDArray[Any], NDArray[Any], type]]:
        return _unpickled, (self._lo, self._hi, type(self))

    def __setitem__(self, index: Index, value: object) -> None:
        if type(index) in registry.INDEXED:
            registry.INDEXED[type(index)][1](self, index, value)
            return
        is_text = isinstance(value, str)
        low, high = enclose(value) if is_text else as_bounds(value, "value")
        if np.may_share_memory(self._lo, high) or np.may_share_memory(self._hi, low):
            low, high = low.copy(), high.copy()
        try:
            self._lo[index] = low
        except UndecidedError:  # raised by the index
            raise
        except ValueError:
            _check_shape(self._lo[index], low)
            raise
        self._hi[index] = high

    # ------------------------------------------------------------ computing

    # Skip the detour through NumPy's ufuncs where no other type can answer.

    def __add__(self, other: object) -> Self:
        if _is_simple(other):
            total: Self = registry.UFUNCS["add"](self, other)
            return total
        return super().__add__(other)

    def __sub__(self, other: object) -> Self:
        if _is_simple(other):
            difference: Self = registry.UFUNCS["subtract"](self, other)
            return difference
        return super().__sub__(other)

    def __mul__(self, other: object) -> Self:
        if _is_simple(other):
            product: Self = registry.UFUNCS["multiply"](self, other)
            return product
        return super().__mul__(other)

    # ------------------------------------------------------------ text

    def _literals(self, numeral: text.Numeral) -> Callable[[int], str]:
        low, high = (hc.convert_double(bound).ravel() for bound in self._arrays)
        return lambda i: text.literal(float(low[i]), float(high[i]), numeral)


_SIMPLE = (Interval, int, float, np.ndarray)


def _is_simple(other: object) -> bool:
    return isinstance(other, _SIMPLE)


def _check_shape(target: Halves, value: NDArray[Any]) -> None:
    try:
        np.broadcast_to(value, np.shape(target))
    except ValueError:
        raise ValueError(
            f"value: expected a shape that broadcasts to {np.shape(target)}, got {value.shape}"
        ) from None


def _unpickled(lo: object, hi: object, kind: type[Interval] = Interval) -> Interval:
    """Return the pickled intervals; check the bounds, since a file may be damaged."""
    low, high = halves(lo, "lo"), halves(hi, "hi")
    if low.shape != high.shape:
        raise ValueError(f"lo, hi: expected one shape, got {low.shape} and {high.shape}")
    check_reals((low, high))
    if not np.all(np.less_equal(low, high) | (np.isnan(low) & np.isnan(high))):
        raise ValueError("lo: expected at most hi, or NaN for both")
    return kind.of((low, high))
