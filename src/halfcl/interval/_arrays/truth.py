"""The three-valued truth of comparisons: true, false, or undecided, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl._support.duck_arrays.base import NO_KEYWORDS, Args, Keywords, SeveralArrays
from halfcl.interval._bounds.pairs import Axes, Index, Truths

if TYPE_CHECKING:
    from typing import Self

#: The result of operations on truths: truths, or bools if a subclass prefers them.
Derived: TypeAlias = "Truth | Truths"
#: Masks of where something is true for all numbers, and where for some.
Sides: TypeAlias = tuple[Truths, Truths]


class UndecidedError(ValueError):
    """Raised when a program asks for the truth of a comparison that intervals leave undecided.

    Some numbers of the intervals satisfy the comparison, and others do not. So either branch of an
    ``if`` would be wrong for some of them.

    Examples
    --------
    >>> from halfcl.interval import Interval, UndecidedError
    >>> x = Interval(-1, 1)
    >>> try:
    ...     y = -3 * x if x < 0 else x
    ... except UndecidedError:
    ...     y = np.maximum(-3 * x, x)
    >>> y
    Interval('[-1, 3]')
    """


class Truth(SeveralArrays, NDArrayOperatorsMixin, like="_certain"):
    """An array of truths, each true, false or undecided; comparisons return it.

    Parameters
    ----------
    is_true, is_false : array_like of bool
        Masks of true and of false elements, of one shape. All other elements are undecided.
        Without ``is_false``, all elements that are not true are false.

    Attributes
    ----------
    is_true, is_false, is_undecided : array of bool
        Masks of true, false and undecided elements; a single bool each for a single truth.

    Raises
    ------
    UndecidedError
        If a bool or a mask is needed (``if``, ``and``, ``max``, ``np.where``, an index,
        ``np.asarray``), and an element is undecided.
    ValueError
        If an element would be both true and false, or shapes differ.

    Notes
    -----
    ``& | ^ ~`` and NumPy's logical functions follow Kleene's logic: ``true | undecided`` is true,
    ``true & undecided`` is undecided. So do ``any`` and ``all``. If all elements are decided, it
    can be used like an array of bools. It is read-only; ``np.asarray(t)`` is a writeable copy.

    Examples
    --------
    >>> from halfcl.interval import Interval
    >>> t = Interval([1, 1, 1], [2, 2, 2]) < Interval([3, 2, 0], [4, 4, 1])
    >>> t
    Truth([True, undecided, False])
    >>> t.is_undecided, t | True
    (array([False,  True, False]), Truth([True, True, True]))
    >>> bool(t[0]), np.where(t[::2], "below", "not below")
    (True, array(['below', 'not below'], dtype='<U9'))
    """

    # NumPy's functions other than ufuncs use `__array__`: an array of bools, if all are decided.
    __slots__ = ("_certain", "_name", "_possible")
    _SINGLE = "a single Truth"
    __hash__ = None  # type: ignore[assignment]
    _certain: Truths
    _possible: Truths
    _name: str

    def __init__(self, is_true: ArrayLike, is_false: ArrayLike | None = None) -> None:
        certain = _bools("is_true", is_true)
        possible = certain.copy() if is_false is None else ~_bools("is_false", is_false)
        if certain.shape != possible.shape:
            raise ValueError(
                f"Truth: is_false: expected shape {certain.shape}, got {possible.shape}"
            )
        if np.any(certain & ~possible):
            raise ValueError("Truth: is_false: expected False where is_true is True, got True")
        self._certain, self._possible, self._name = certain[()], possible[()], "Truth"

    @classmethod
    def of(cls, certain: Truths, possible: Truths, name: str) -> Self:
        """Return truths without checks; internal.

        name: the name of the comparison, for errors.
        """
        new = cls.__new__(cls)
        new._certain, new._possible, new._name = certain, possible, name
        return new

    def _derive(self, certain: Truths, possible: Truths) -> Derived:
        """Return new truths derived from these; subclasses may return plain bools."""
        new = object.__new__(type(self))  # not self.of, since a further call takes a tenth longer
        new._certain, new._possible, new._name = certain, possible, self._name
        return new

    def _move(self, method: str, args: Args = (), keywords: Keywords = NO_KEYWORDS) -> Any:
        certain, possible = getattr(self._certain, method), getattr(self._possible, method)
        return self._derive(certain(*args, **keywords), possible(*args, **keywords))

    def _refuse(self) -> NoReturn:
        """Raise the error for undecided elements."""
        count = int(np.count_nonzero(self.is_undecided))
        which = f"{count} of {self.size} elements undecided" if self.ndim else "an undecided one"
        raise UndecidedError(
            f"{self._name}: expected a decided truth, got {which}: some numbers of the intervals "
            "satisfy it, and others do not; use np.minimum, np.maximum, abs or np.clip to enclose "
            "both branches, .is_true, .is_false or .is_undecided to see which it is, or "
            "interval.equal, less or precedes for IEEE 1788's relations"
        )

    def _decide(self) -> Truths:
        """Return plain bools, or raise UndecidedError if an element is undecided."""
        # Certain elements are possible, too, so equal counts mean equal arrays; counting is faster.
        if np.count_nonzero(self._certain) != np.count_nonzero(self._possible):
            self._refuse()
        return self._certain

    # ------------------------------------------------------------ attributes

    @property
    def is_true(self) -> Truths:
        """A mask of where all numbers satisfy the comparison, a copy."""
        return self._certain.copy()

    @property
    def is_false(self) -> Truths:
        """A mask of where no numbers satisfy the comparison."""
        return ~self._possible

    @property
    def is_undecided(self) -> Truths:
        """A mask of where some numbers satisfy the comparison, and others do not."""
        return self._possible & ~self._certain

    def __getitem__(self, index: Index) -> Derived:
        places: Any = index
        certain, possible = np.asarray(self._certain), np.asarray(self._possible)
        return self._derive(certain[places], possible[places])

    def __repr__(self) -> str:
        words = np.where(self._certain, "True", np.where(self._possible, "undecided", "False"))
        text = np.array2string(
            words, separator=", ", prefix="Truth(", formatter={"all": str}, max_line_width=100
        )
        empty = f", shape={self.shape}" if not self.size else ""
        return f"Truth({text}{empty})"

    # ------------------------------------------------------------ bools, if all are decided

    def __bool__(self) -> bool:
        if self._certain is self._possible:  # fast path: NumPy's single bools are singletons
            return bool(self._certain)
        if self.size != 1:
            raise ValueError(
                f"Truth: expected a single truth, got shape {self.shape}; use .any() or .all()"
            )
        return bool(self._decide())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        array = np.array(self._decide(), bool)
        return array if dtype is None else array.astype(dtype, copy=False)

    def any(
        self, axis: Axes = None, out: object = None, keepdims: bool = False, where: ArrayLike = True
    ) -> Derived:
        """Return whether any element is true; undecided if none is, and one may be."""
        return self._reduce(np.logical_or, out, axis=axis, keepdims=keepdims, where=where)

    def all(
        self, axis: Axes = None, out: object = None, keepdims: bool = False, where: ArrayLike = True
    ) -> Derived:
        """Return whether all elements are true; undecided if none is false, and one may be."""
        return self._reduce(np.logical_and, out, axis=axis, keepdims=keepdims, where=where)

    def _reduce(self, ufunc: np.ufunc, out: object, **keywords: object) -> Derived:
        reduce: Any = ufunc.reduce
        if out is not None:
            result: Truths = reduce(np.asarray(self), out=out, **keywords)
            return result
        certain, possible = (reduce(x, **keywords) for x in (self._certain, self._possible))
        return self._derive(certain, possible)

    def sum(self, *args: object, **keywords: object) -> NDArray[Any] | np.number:
        """Return the number of true elements, as of an array, if all are decided."""
        method: Any = np.asarray(self).sum
        result: NDArray[Any] | np.number = method(*args, **keywords)
        return result

    def mean(self, *args: object, **keywords: object) -> NDArray[Any] | np.number:
        """Return the share of true elements, as of an array, if all are decided."""
        method: Any = np.asarray(self).mean
        result: NDArray[Any] | np.number = method(*args, **keywords)
        return result

    def nonzero(self) -> tuple[NDArray[np.intp], ...]:
        """Return the indices of true elements, if all are decided."""
        return np.asarray(self).nonzero()

    def astype(self, dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of another type, if all are decided."""
        return np.asarray(self).astype(dtype)

    def tolist(self) -> object:
        """Return a bool, or lists of them, if all are decided."""
        values: object = np.asarray(self).tolist()
        return values

    def item(self, *index: SupportsIndex) -> bool:
        """Return an element, or the only one, as a bool, if all are decided."""
        return bool(np.asarray(self).item(*index))

    def __int__(self) -> int:
        return int(bool(self))

    def __float__(self) -> float:
        return float(bool(self))

    # ------------------------------------------------------------ Kleene's logic

    # A Truth is read-only, so ``t &= u`` assigns a new one to t.
    __iand__ = NDArrayOperatorsMixin.__and__
    __ior__ = NDArrayOperatorsMixin.__or__
    __ixor__ = NDArrayOperatorsMixin.__xor__

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        logic = _LOGIC.get(ufunc.__name__)
        if logic is not None and method == "__call__" and not keywords:
            sides = tuple(map(sides_of, inputs))
            if all(side is not None for side in sides):
                return self._derive(*logic(*sides))
        outs: Any = keywords.get("out", ())
        if any(isinstance(out, Truth) for out in outs):
            raise TypeError(
                f"{ufunc.__name__}: out: expected an array of bools, got Truth, which is read-only"
            )
        # All other ufuncs compute with bools, which must be decided.
        plain = (np.asarray(x)[()] if isinstance(x, Truth) else x for x in inputs)
        result: object = getattr(ufunc, method)(*plain, **keywords)
        return result


def _bools(argument: str, x: ArrayLike) -> NDArray[np.bool_]:
    """Return a copy of an array of bools, or raise TypeError."""
    array = np.array(x)
    if array.size and array.dtype.kind != "b":
        raise TypeError(f"Truth: {argument}: expected bools, got {array.dtype}")
    return array.astype(bool)


def sides_of(x: object) -> Sides | None:
    """Return masks of truths that hold for all numbers and for some; None if x has no truths."""
    if isinstance(x, Truth):
        return x._certain, x._possible
    anything: Any = x
    array = np.asarray(anything) if isinstance(x, bool | np.ndarray | np.generic | list) else None
    return (array, array) if array is not None and array.dtype.kind == "b" else None


def _and(x: Sides, y: Sides) -> Sides:
    return x[0] & y[0], x[1] & y[1]


def _or(x: Sides, y: Sides) -> Sides:
    return x[0] | y[0], x[1] | y[1]


def _not(x: Sides) -> Sides:
    return ~x[1], ~x[0]


def _xor(x: Sides, y: Sides) -> Sides:
    return _or(_and(x, _not(y)), _and(_not(x), y))


def _same(x: Sides, y: Sides) -> Sides:
    return _not(_xor(x, y))


#: Kleene's logic by the names of ufuncs.
_LOGIC: dict[str, Callable[..., Sides]] = {
    "logical_and": _and,
    "bitwise_and": _and,
    "logical_or": _or,
    "bitwise_or": _or,
    "logical_xor": _xor,
    "bitwise_xor": _xor,
    "logical_not": _not,
    "invert": _not,
    "equal": _same,
    "not_equal": _xor,
}
