"""The array of decorated intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._arrays import text
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import NAN, Array, Bounds, Halves, Index, select
from halfcl.interval._decorated.decorations import ILL, codes_of, names_of, strongest
from halfcl.interval._decorated.values import (
    IntvlPartOfNaIWarning,
    clamp_decorations,
    parse_arguments,
    warn,
    warn_undefined,
)

if TYPE_CHECKING:
    from typing import Self


class DecoratedInterval(ArrayOfIntervals, like="_codes"):
    """An array of intervals, each with a decoration: what is known of the function that made it.

    Parameters
    ----------
    lo, hi : array_like
        The bounds, as for `Interval`; text may have decorations, such as ``"[1, 2]_dac"`` or
        ``"[nai]"``. Without ``hi``, ``lo`` may also be an Interval or DecoratedInterval.
    decoration : array_like of str or int, optional
        ``"com"``, ``"dac"``, ``"def"``, ``"trv"``, or ``"ill"``, or the standard's codes 16, 12, 8,
        4, 0, broadcast against the bounds. The default is the strongest that the interval can have
        (newDec): com if it is bounded, dac if not, trv if empty; text may state its own. A
        decoration that the interval cannot have is weakened, as setDec does it.

    Attributes
    ----------
    inf, sup, mid, rad, wid : array of half
        The same as for `Interval`; NaN for NaI.
    interval : Interval
        A copy without decorations. NaI becomes the empty set, with IntvlPartOfNaIWarning.
    decoration : array of str
        ``"com"``, ``"dac"``, ``"def"``, ``"trv"`` or ``"ill"`` for each; a str for one interval.

    Raises
    ------
    TypeError
        If an array has a type whose values are not all exact in half.
    ValueError
        If a decoration is not one of the five, or shapes do not broadcast.

    Warns
    -----
    UndefinedOperationWarning
        If lo is above hi, a bound is NaN, a text is not an interval, or the decoration is ill. Such
        elements become NaI, Not an Interval.

    Notes
    -----
    Supports all that `Interval` does: indexing (slices are views), assignment, broadcasting,
    operators, methods, NumPy's and halfcl's functions, ``in & |``. Operations return decorated
    results, with the weakest among the operands' decorations and the operation's own on this box.
    Operands without decorations (intervals, halves, numbers) get the strongest that they can have.
    With NaI, results are NaI, relations are false (`not_equal` is true), and numbers are NaN;
    ``< <= > >= == !=`` raise ValueError. Comparisons ignore decorations. Source: IEEE 1788-2015,
    8, 11 and 12.5.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl.interval import DecoratedInterval
    >>> x = DecoratedInterval([-1, 0, 1], 4)
    >>> np.sqrt(x)
    DecoratedInterval(['[0, 2]_trv', '[0, 2]_com', '[1, 2]_com'])
    >>> np.floor(x / 5).decoration, (1 / x).decoration
    (array(['def', 'dac', 'com'], dtype='<U3'), array(['trv', 'trv', 'com'], dtype='<U3'))
    >>> DecoratedInterval("[1, 2]_dac") + 1
    DecoratedInterval('[2, 3]_dac')
    """

    __slots__ = ("__weakref__", "_bare", "_codes")
    _KIND, _SINGLE = "DecoratedInterval", "a 0-d DecoratedInterval"
    _bare: Interval
    _codes: Array

    def __init__(self, lo: object, hi: object = None, decoration: object = None) -> None:
        if isinstance(hi, DecoratedInterval) or (
            hi is not None and isinstance(lo, DecoratedInterval)
        ):
            raise TypeError("lo, hi: expected numbers, got DecoratedInterval")
        if isinstance(lo, DecoratedInterval):
            bounds, codes = (lo._bare._lo, lo._bare._hi), lo._codes
        else:
            bounds, codes = parse_arguments(lo, hi)
        if decoration is not None:
            bounds, codes = _set_decorations(bounds, codes, codes_of(decoration))
        self._bare = Interval.of((bounds[0].copy(), bounds[1].copy()))
        self._codes = codes.copy()

    @classmethod
    def of(cls, bare: Interval, codes: Array) -> Self:
        """Return decorated intervals from intervals and valid codes of decorations; internal."""
        new = cls.__new__(cls)
        new._bare, new._codes = bare, codes
        return new

    @classmethod
    def from_codes(cls, bare: Interval, codes: Array) -> Self:
        """Return decorated intervals; weaken decorations to the strongest allowed; empty NaI."""
        bounds, codes = clamp_decorations((bare._lo, bare._hi), codes)
        return cls.of(Interval.of(bounds), codes)

    @property
    def _arrays(self) -> tuple[Array, Array, Array]:
        return self._bare._lo, self._bare._hi, self._codes

    @classmethod
    def _from_arrays(cls, arrays: Sequence[Array]) -> Self:
        low, high, codes = arrays
        return cls.of(Interval.of((low, high)), codes)

    # ------------------------------------------------------------ parts

    @property
    def interval(self) -> Interval:
        """A copy of the intervals without decorations; NaI is empty, with IntvlPartOfNaIWarning."""
        if (count := np.count_nonzero(self._is_nai())) > 0:
            where = f" ({count} of {self.size} elements)" if self.ndim else ""
            warn(f"NaI{where} has no interval; the empty set is returned", IntvlPartOfNaIWarning)
        return self._bare.copy()

    @property
    def decoration(self) -> NDArray[np.str_] | str:
        """The decorations as text: an array, or a str for one interval."""
        return names_of(self._codes)

    @property
    def inf(self) -> Halves:
        """The lower bounds; -0 for zero, inf for the empty set, NaN for NaI."""
        return self.mask_nai(self._bare.inf)

    @property
    def sup(self) -> Halves:
        """The upper bounds; +0 for zero, -inf for the empty set, NaN for NaI."""
        return self.mask_nai(self._bare.sup)

    def _is_nai(self) -> Array:
        return np.asarray(np.equal(self._codes, ILL))

    def mask_nai(self, numbers: Halves) -> Halves:
        """Return numbers of the intervals, with NaN where the interval is NaI; internal."""
        return select(self._is_nai(), NAN, np.asarray(numbers))[()]

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        raise TypeError(
            "DecoratedInterval: cannot become an array of numbers; use x.inf and x.sup, "
            "x.interval to drop decorations, or numpy.stack to join decorated intervals"
        )

    # ------------------------------------------------------------ elements

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Interval, NDArray[Any], type]]:
        return _unpickled_decorated, (self._bare, self._codes, type(self))

    def __setitem__(self, index: Index, value: object) -> None:
        x = DecoratedInterval(value) if isinstance(value, str | list | tuple) else promote(value)
        codes = x._codes.copy()  # copied first, since x may share memory with these intervals
        self._bare[index] = x._bare
        self._codes[index] = codes

    # ------------------------------------------------------------ text

    def _literals(self, numeral: text.Numeral) -> Callable[[int], str]:
        bare, names = self._bare._literals(numeral), np.ravel(names_of(self._codes))
        return lambda i: decorated_literal(bare(i), names[i])


def decorated_literal(literal: str, name: str) -> str:
    """Return the text of one decorated interval."""
    return "[nai]" if name == "ill" else f"{literal}_{name}"


def _set_decorations(bounds: Bounds, codes: Array, decorations: Array) -> tuple[Bounds, Array]:
    """Set decorations (setDec); the result is NaI where x is NaI or the decoration is ill."""
    try:
        codes, decorations = np.broadcast_arrays(codes, decorations)
    except ValueError:
        shapes = f"{decorations.shape} for intervals of {codes.shape}"
        raise ValueError(f"decoration: expected a shape that broadcasts, got {shapes}") from None
    ill = np.equal(codes, ILL)
    warn_undefined(np.equal(decorations, ILL) & ~ill, "the decoration is ill")
    low, high = (np.broadcast_to(bound, codes.shape) for bound in bounds)
    return clamp_decorations((low, high), np.where(ill, ILL, decorations))


def has_decorations(arguments: Iterable[object]) -> bool:
    """Return whether any argument is a decorated interval."""
    return any(isinstance(x, DecoratedInterval) for x in arguments)


def _unpickled_decorated(
    bare: object, codes: object, kind: type[DecoratedInterval] = DecoratedInterval
) -> DecoratedInterval:
    """Return the pickled intervals; check the codes, since a file may be damaged."""
    anything: Any = bare
    checked = codes_of(codes)
    if not isinstance(bare, Interval) or bare.shape != checked.shape:
        got = f"shape {checked.shape} for intervals of {np.shape(anything)}"
        raise ValueError(f"decoration: expected one for each interval, got {got}")
    return kind.from_codes(bare, checked)


def promote(x: object, argument: str = "value") -> DecoratedInterval:
    """Return an operand as it is if decorated, else with the strongest decoration it can have."""
    if isinstance(x, DecoratedInterval):
        return x
    bounds = as_bounds(x, argument)
    return DecoratedInterval.of(Interval.of(bounds), strongest(bounds))
