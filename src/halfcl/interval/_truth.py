"""The three-valued truth of comparisons: true, false, or undecided, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl.interval._bounds import Axes, Index, Truths

if TYPE_CHECKING:
    from typing import Self

#: What is made of truths: such, or bools where a subclass prefers them.
Derived: TypeAlias = "Truth | Truths"
#: Where something is true for all numbers, and where it is true for some.
Sides: TypeAlias = tuple[Truths, Truths]


class UndecidedError(ValueError):
    """A program asks for the truth of a comparison that intervals leave undecided.

    Some numbers of the intervals fulfil the comparison, and others do not. So either branch of an
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


class Truth(NDArrayOperatorsMixin):
    """An array of truths, each of which is true, false or undecided: what comparisons return.

    Parameters
    ----------
    is_true, is_false : array_like of bool
        Where the truths are true, and where they are false; of one shape. The others are undecided.
        Without ``is_false``, all that are not true are false.

    Attributes
    ----------
    is_true, is_false, is_undecided : array of bool
        Where the truths are true, false and undecided; each is one bool of a single truth.

    Raises
    ------
    UndecidedError
        If a bool or a mask is asked for (``if``, ``and``, ``max``, ``np.where``, an index,
        ``np.asarray``), and an element is undecided.
    ValueError
        If a truth is to be true and false at once, or shapes differ.

    Notes
    -----
    ``& | ^ ~`` and NumPy's logical functions follow Kleene's logic: ``true | undecided`` is true,
    ``true & undecided`` is undecided. So do ``any`` and ``all``. Where all elements are decided, an
    array of truths is used as an array of bools is. It cannot be written to; ``np.asarray(t)`` is a
    copy that can.

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

    __slots__ = ("_certain", "_name", "_possible")
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
        """Return truths without checks; for this package. name: of the comparison, for errors."""
        new = cls.__new__(cls)
        new._certain, new._possible, new._name = certain, possible, name
        return new

    def _derive(self, certain: Truths, possible: Truths) -> Derived:
        """Return what is derived from these truths; subclasses may return plain bools."""
        return self.of(certain, possible, self._name)

    def _refuse(self) -> NoReturn:
        """Raise the error of undecided elements."""
        count = int(np.count_nonzero(self.is_undecided))
        which = f"{count} of {self.size} elements undecided" if self.ndim else "an undecided one"
        raise UndecidedError(
            f"{self._name}: expected a truth that is decided, got {which}: some numbers of the "
            "intervals fulfil it, and others do not; np.minimum, np.maximum, abs and np.clip "
            "enclose both branches, .is_true, .is_false and .is_undecided tell which it is, and "
            "interval.equal, less and precedes are IEEE 1788's relations"
        )

    def _decide(self) -> Truths:
        """Return plain bools, or raise if an element is undecided."""
        # What is certain is possible, so equal counts are equal arrays, and are counted faster.
        if np.count_nonzero(self._certain) != np.count_nonzero(self._possible):
            self._refuse()
        return self._certain

    # ------------------------------------------------------------ what it is

    @property
    def is_true(self) -> Truths:
        """Where all numbers fulfil the comparison: a copy."""
        return self._certain.copy()

    @property
    def is_false(self) -> Truths:
        """Where no numbers fulfil the comparison."""
        return ~self._possible

    @property
    def is_undecided(self) -> Truths:
        """Where some numbers fulfil the comparison, and others do not."""
        return self._possible & ~self._certain

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self._certain.shape

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self._certain.ndim

    @property
    def size(self) -> int:
        """As of an array."""
        return self._certain.size

    def reshape(self, *shape: SupportsIndex | tuple[SupportsIndex, ...]) -> Derived:
        """As of an array."""
        certain: Any = self._certain
        possible: Any = self._possible
        return self._derive(certain.reshape(*shape), possible.reshape(*shape))

    def ravel(self) -> Derived:
        """As of an array."""
        return self.reshape(-1)

    @property
    def T(self) -> Derived:
        """As of an array."""
        return self._derive(self._certain.T, self._possible.T)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a single Truth")
        return self.shape[0]

    def __getitem__(self, index: Index) -> Derived:
        places: Any = index
        certain, possible = np.asarray(self._certain), np.asarray(self._possible)
        return self._derive(certain[places], possible[places])

    def __iter__(self) -> Iterator[Derived]:
        if self.ndim == 0:
            raise TypeError("iteration over a single Truth")
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        words = np.where(self._certain, "True", np.where(self._possible, "undecided", "False"))
        text = np.array2string(
            words, separator=", ", prefix="Truth(", formatter={"all": str}, max_line_width=100
        )
        empty = f", shape={self.shape}" if not self.size else ""
        return f"Truth({text}{empty})"

    # ------------------------------------------------------------ bools, where all are decided

    def __bool__(self) -> bool:
        if self._certain is self._possible:  # NumPy has one object for each single bool
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
        self,
        axis: Axes = None,
        out: object = None,
        keepdims: bool = False,
        where: ArrayLike = True,
    ) -> Derived:
        """Return whether one is true: undecided where none is, and one may be."""
        return self._reduce(np.logical_or, out, axis=axis, keepdims=keepdims, where=where)

    def all(
        self,
        axis: Axes = None,
        out: object = None,
        keepdims: bool = False,
        where: ArrayLike = True,
    ) -> Derived:
        """Return whether all are true: undecided where none is false, and one may be."""
        return self._reduce(np.logical_and, out, axis=axis, keepdims=keepdims, where=where)

    def _reduce(self, ufunc: np.ufunc, out: object, **keywords: object) -> Derived:
        reduce: Any = ufunc.reduce
        if out is not None:
            result: Truths = reduce(np.asarray(self), out=out, **keywords)
            return result
        certain, possible = (reduce(x, **keywords) for x in (self._certain, self._possible))
        return self._derive(certain, possible)

    def sum(self, *args: object, **keywords: object) -> NDArray[Any] | np.number:
        """Return how many are true, as of an array, where all are decided."""
        method: Any = np.asarray(self).sum
        result: NDArray[Any] | np.number = method(*args, **keywords)
        return result

    def mean(self, *args: object, **keywords: object) -> NDArray[Any] | np.number:
        """Return the share that is true, as of an array, where all are decided."""
        method: Any = np.asarray(self).mean
        result: NDArray[Any] | np.number = method(*args, **keywords)
        return result

    def nonzero(self) -> tuple[NDArray[np.intp], ...]:
        """Return the indices of those that are true, where all are decided."""
        return np.asarray(self).nonzero()

    def astype(self, dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of another type, where all are decided."""
        return np.asarray(self).astype(dtype)

    def tolist(self) -> object:
        """Return a bool, or lists of them, where all are decided."""
        values: object = np.asarray(self).tolist()
        return values

    def item(self, *index: SupportsIndex) -> bool:
        """Return an element, or the only one, as a bool, where all are decided."""
        return bool(np.asarray(self).item(*index))

    def __int__(self) -> int:
        return int(bool(self))

    def __float__(self) -> float:
        return float(bool(self))

    # ------------------------------------------------------------ Kleene's logic

    # A Truth is read-only: ``t &= u`` gives t a new one.
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
        # Anything else computes with bools, and needs them decided.
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
    """Return where truths are true for all numbers and for some; None if x holds no truths."""
    if isinstance(x, Truth):
        return x._certain, x._possible
    given: Any = x
    array = np.asarray(given) if isinstance(x, bool | np.ndarray | np.generic | list) else None
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


#: Kleene's logic, by the names of ufuncs.
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
