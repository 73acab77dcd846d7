"""The array of decorated intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from halfcl.interval import _text as text
from halfcl.interval._array import Interval
from halfcl.interval._bounds import NAN, Array, Bounds, Halves, Index, select
from halfcl.interval._decorated_values import (
    IntvlPartOfNaIWarning,
    constructed,
    settled,
    warn,
    warn_undefined,
)
from halfcl.interval._decorations import ILL, codes_of, names_of, strongest
from halfcl.interval._methods import ArrayOfIntervals
from halfcl.interval._values import as_bounds

if TYPE_CHECKING:
    from typing import Self


class DecoratedInterval(ArrayOfIntervals, NDArrayOperatorsMixin):
    """An array of intervals, each with a decoration: what is known of the function that made it.

    Parameters
    ----------
    lo, hi : array_like
        As of `Interval`; or text with decorations, such as ``"[1, 2]_dac"`` or ``"[nai]"``; or
        without ``hi`` an Interval or DecoratedInterval.
    decoration : array_like of str or int, optional
        ``"com"``, ``"dac"``, ``"def"``, ``"trv"``, or ``"ill"``, or the standard's codes 16, 12, 8,
        4, 0, broadcast against the bounds. Without, the strongest that the interval can have
        (newDec): com if it is bounded, dac if not, trv if empty; of text what it says. What an
        interval cannot have is weakened as setDec has it.

    Attributes
    ----------
    inf, sup, mid, rad, wid : array of half
        As of `Interval`; NaN of NaI.
    interval : Interval
        The intervals alone: a copy. Of NaI the empty set, with IntvlPartOfNaIWarning.
    decoration : array of str
        One of ``"com"``, ``"dac"``, ``"def"``, ``"trv"``, ``"ill"`` each; a str of one interval.

    Raises
    ------
    TypeError
        If an array is of a type that is not exact in half.
    ValueError
        If a decoration is none of the five, or shapes do not broadcast.

    Warns
    -----
    UndefinedOperationWarning
        Where lo is above hi, a bound NaN, a text no interval, or ill is given as decoration: those
        elements are NaI, Not an Interval.

    Notes
    -----
    An array as `Interval` is, with all that it has: indexing (slices are views), assignment,
    broadcasting, operators, methods, NumPy's and halfcl's functions, ``in & |``. Operations give
    decorated results: the weakest among the decorations of the operands, and the operation's own on
    this box. Intervals, halves and numbers beside decorated intervals get the strongest decoration
    that they can have. NaI makes results NaI, relations false (`not_equal` true), and numbers NaN;
    ``< <= > >= == !=`` raise ValueError. Comparisons do not look at decorations. Source: IEEE
    1788-2015, 8, 11 and 12.5.

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
    _COUNT, _KIND = 3, "DecoratedInterval"
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
            bounds, codes = constructed(lo, hi)
        if decoration is not None:
            bounds, codes = _decorated(bounds, codes, codes_of(decoration))
        self._bare = Interval.of((bounds[0].copy(), bounds[1].copy()))
        self._codes = codes.copy()

    @classmethod
    def of(cls, bare: Interval, codes: Array) -> Self:
        """Of intervals and the codes of decorations that they can have; for this package."""
        new = cls.__new__(cls)
        new._bare, new._codes = bare, codes
        return new

    @classmethod
    def settled(cls, bare: Interval, codes: Array) -> Self:
        """The same, of codes that may be more than the intervals can have; NaI is emptied."""
        bounds, codes = settled((bare._lo, bare._hi), codes)
        return cls.of(Interval.of(bounds), codes)

    @property
    def _arrays(self) -> tuple[Array, Array, Array]:
        return self._bare._lo, self._bare._hi, self._codes

    @classmethod
    def _of_arrays(cls, arrays: Sequence[Array]) -> Self:
        low, high, codes = arrays
        return cls.of(Interval.of((low, high)), codes)

    # ------------------------------------------------------------ what it is

    @property
    def interval(self) -> Interval:
        """The intervals alone, a copy; of NaI the empty set, with IntvlPartOfNaIWarning."""
        if (count := np.count_nonzero(self._ill())) > 0:
            where = f" ({count} of {self.size} elements)" if self.ndim else ""
            warn(f"NaI{where} has no interval: the empty set is given", IntvlPartOfNaIWarning)
        return self._bare.copy()

    @property
    def decoration(self) -> NDArray[np.str_] | str:
        """The decorations as text: an array, or a str of one interval."""
        return names_of(self._codes)

    @property
    def inf(self) -> Halves:
        """The lower bounds; -0 for zero, inf of the empty set, NaN of NaI."""
        return self.without_ill(self._bare.inf)

    @property
    def sup(self) -> Halves:
        """The upper bounds; +0 for zero, -inf of the empty set, NaN of NaI."""
        return self.without_ill(self._bare.sup)

    def _ill(self) -> Array:
        return np.asarray(np.equal(self._codes, ILL))

    def without_ill(self, numbers: Halves) -> Halves:
        """Numbers that the intervals have, NaN of NaI; for this package."""
        return select(self._ill(), NAN, np.asarray(numbers))[()]

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        raise TypeError(
            "DecoratedInterval: cannot become an array of numbers; x.inf and x.sup can, "
            "x.interval is without decorations, and numpy.stack joins decorated intervals"
        )

    # ------------------------------------------------------------ elements

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Interval, NDArray[Any], type]]:
        return _unpickled_decorated, (self._bare, self._codes, type(self))

    def __setitem__(self, index: Index, value: object) -> None:
        x = DecoratedInterval(value) if isinstance(value, str | list | tuple) else promoted(value)
        codes = x._codes.copy()  # before the intervals are written, which may be x's
        self._bare[index] = x._bare
        self._codes[index] = codes

    # ------------------------------------------------------------ text

    def _literals(self, numeral: text.Numeral) -> Callable[[int], str]:
        bare, names = self._bare._literals(numeral), np.ravel(names_of(self._codes))
        return lambda i: with_decoration(bare(i), names[i])


def with_decoration(literal: str, name: str) -> str:
    """The text of one decorated interval."""
    return "[nai]" if name == "ill" else f"{literal}_{name}"


def _decorated(bounds: Bounds, codes: Array, wanted: Array) -> tuple[Bounds, Array]:
    """setDec: NaI, where it is that, or told to be ill."""
    try:
        codes, wanted = np.broadcast_arrays(codes, wanted)
    except ValueError:
        shapes = f"{wanted.shape} for intervals of {codes.shape}"
        raise ValueError(f"decoration: expected a shape that broadcasts, got {shapes}") from None
    ill = np.equal(codes, ILL)
    warn_undefined(np.equal(wanted, ILL) & ~ill, "the decoration is ill")
    low, high = (np.broadcast_to(bound, codes.shape) for bound in bounds)
    return settled((low, high), np.where(ill, ILL, wanted))


def has_decorations(arguments: Iterable[object]) -> bool:
    """Whether one is a decorated interval."""
    return any(isinstance(x, DecoratedInterval) for x in arguments)


def _unpickled_decorated(
    bare: object,
    codes: object,
    kind: type[DecoratedInterval] = DecoratedInterval,
) -> DecoratedInterval:
    """What was pickled: checked, since a file may be damaged."""
    given: Any = bare
    checked = codes_of(codes)
    if not isinstance(bare, Interval) or bare.shape != checked.shape:
        got = f"shape {checked.shape} for intervals of {np.shape(given)}"
        raise ValueError(f"decoration: expected one for each interval, got {got}")
    return kind.settled(bare, checked)


def promoted(x: object, argument: str = "value") -> DecoratedInterval:
    """An operand as it is, or with the strongest decoration that it can have."""
    if isinstance(x, DecoratedInterval):
        return x
    bounds = as_bounds(x, argument)
    return DecoratedInterval.of(Interval.of(bounds), strongest(bounds))
