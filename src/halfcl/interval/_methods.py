"""What arrays of intervals, decorated or not, have as NumPy's arrays do: shape, methods, text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl.interval import _registry as registry, _text as text, _ufuncs as ufuncs
from halfcl.interval._bounds import HALF, Array, Axes, Halves, Index
from halfcl.interval._truth import Truth

if TYPE_CHECKING:
    from typing import Self

#: What is shown: five significant decimal digits, in which neighbouring halves differ.
_SHOWN = text.significant(5)

_NEVER_EQUAL = (str, bytes, type(None))

#: NumPy, whose functions take intervals, and give such: its types know arrays alone.
NUMPY: Any = np


class ArrayOfIntervals:
    """What `Interval` and `DecoratedInterval` share: several arrays of one shape."""

    __slots__ = ()

    #: How many arrays; the class's name, in errors also of its subclasses.
    _COUNT: ClassVar[int]
    _KIND: ClassVar[str]

    @property
    def _arrays(self) -> tuple[Array, ...]:
        raise NotImplementedError

    @classmethod
    def _of_arrays(cls, arrays: Sequence[Array], /) -> Self:
        raise NotImplementedError

    def _literals(self, numeral: text.Numeral) -> Callable[[int], str]:
        """What the text of an element is, by its number."""
        raise NotImplementedError

    def _each(self, name: str, *args: object, **keywords: object) -> Self:
        """What a method of arrays does to each."""
        return self._of_arrays([getattr(a, name)(*args, **keywords) for a in self._arrays])

    # ------------------------------------------------------------ what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self._arrays[0].shape

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
        """Of the bounds."""
        return HALF

    @property
    def nbytes(self) -> int:
        """Of bounds, and of decorations."""
        return sum(a.nbytes for a in self._arrays)

    def __len__(self) -> int:
        return len(self._arrays[0])

    def __bool__(self) -> bool:
        kind = type(self).__name__
        raise TypeError(f"{kind}: has no truth value; interval.is_member(0, x) tells where it has")

    # ------------------------------------------------------------ elements

    def __getitem__(self, index: Index) -> Self:
        return self._of_arrays([np.asarray(a[index]) for a in self._arrays])

    def __setitem__(self, index: Index, value: object) -> None:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Self]:
        if self.ndim == 0:
            raise TypeError(f"iteration over a 0-d {self._KIND}")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        if self.ndim:
            raise ValueError(
                f"in: expected one interval, got shape {self.shape}; "
                "interval.is_member and interval.subset tell of each"
            )
        name = "subset" if isinstance(value, ArrayOfIntervals) else "is_member"
        return bool(registry.RELATIONS[name](value, self))

    # ------------------------------------------------------------ shape

    def reshape(self, *shape: object, **keywords: object) -> Self:
        """As of an array."""
        return self._each("reshape", *shape, **keywords)

    def ravel(self) -> Self:
        """As of an array."""
        return self._each("ravel")

    def flatten(self) -> Self:
        """As of an array: a copy."""
        return self._each("flatten")

    def transpose(self, *axes: object) -> Self:
        """As of an array."""
        return self._each("transpose", *axes)

    def squeeze(self, axis: Axes = None) -> Self:
        """As of an array."""
        return self._each("squeeze", axis)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """As of an array."""
        return self._each("swapaxes", axis1, axis2)

    @property
    def T(self) -> Self:
        """As of an array."""
        return self.transpose()

    def copy(self) -> Self:
        """As of an array."""
        return self._each("copy")

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    # ------------------------------------------------------------ NumPy's functions

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        if any(map(is_foreign, inputs)):
            return NotImplemented
        return ufuncs.call(ufunc, method, inputs, keywords)

    def __array_function__(
        self,
        func: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> object:
        function = registry.INSTEAD.get().get(func) or registry.FUNCTIONS.get(func)
        if not all(issubclass(t, ArrayOfIntervals | np.ndarray) for t in types):
            return NotImplemented  # a type that knows intervals, as these do not know it
        return NotImplemented if function is None else function(*args, **kwargs)

    def __eq__(self, other: object) -> Any:
        # What no number can be is not equal, as Python has it.
        return NotImplemented if isinstance(other, _NEVER_EQUAL) else self._compare("equal", other)

    def __ne__(self, other: object) -> Any:
        if isinstance(other, _NEVER_EQUAL):
            return NotImplemented
        return self._compare("not_equal", other)

    def __lt__(self, other: object) -> Truth:
        return self._compare("less", other)

    def __le__(self, other: object) -> Truth:
        return self._compare("less_equal", other)

    def __gt__(self, other: object) -> Truth:
        return self._compare("greater", other)

    def __ge__(self, other: object) -> Truth:
        return self._compare("greater_equal", other)

    def _compare(self, name: str, other: object) -> Truth:
        # What NumPy's ufunc calls, without the way through NumPy where nothing else may answer.
        if not isinstance(other, _OPERANDS):
            compare = getattr(NUMPY, name)
        else:
            compare = registry.INSTEAD.get().get(name) or registry.UFUNCS[name]
        truth: Truth = compare(self, other)
        return truth

    __hash__ = None  # type: ignore[assignment]

    # ------------------------------------------------------------ text

    def __repr__(self) -> str:
        kind = self._KIND
        if self.ndim == 0:
            return f"{kind}({str(self)!r})"
        if self.size == 0:
            return f"{kind}([], shape={self.shape})"
        return f"{kind}({self._shown(', ', len(kind) + 1, repr)})"

    def __str__(self) -> str:
        return self._shown(" ", 0, str)

    def __format__(self, spec: str) -> str:
        """With so many digits, rounded outward: ``.3f`` after the point, ``.3e`` with an
        exponent, ``.3g`` significant ones."""
        return self._shown(" ", 0, str, text.numeral_of(spec) if spec else _SHOWN)

    def _shown(
        self,
        separator: str,
        indent: int,
        quote: Callable[[str], str],
        numeral: text.Numeral = _SHOWN,
    ) -> str:
        literal = self._literals(numeral)
        return text.array_text(lambda i: quote(literal(i)), self.shape, separator, indent)

    # ------------------------------------------------------------ numbers of each interval

    @property
    def mid(self) -> Halves:
        """The midpoints: `halfcl.interval.mid`."""
        found: Halves = registry.UFUNCS["mid"](self)
        return found

    @property
    def rad(self) -> Halves:
        """The radii around `mid`: `halfcl.interval.rad`."""
        found: Halves = registry.UFUNCS["rad"](self)
        return found

    @property
    def wid(self) -> Halves:
        """The widths: `halfcl.interval.wid`."""
        found: Halves = registry.UFUNCS["wid"](self)
        return found

    # ------------------------------------------------------------ computing

    def sum(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """The exact range of sums, rounded outward once: `halfcl.interval.sum`."""
        found: Self = registry.UFUNCS["sum"](self, axis, keepdims)
        return found

    def mean(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """The exact range of means, rounded outward once: `halfcl.interval.mean`."""
        found: Self = registry.UFUNCS["mean"](self, axis, keepdims)
        return found

    def cumsum(self, axis: SupportsIndex | None = None) -> Self:
        """The exact range of sums so far, rounded outward once: `halfcl.interval.cumsum`."""
        found: Self = registry.UFUNCS["cumsum"](self, axis)
        return found

    def max(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """The range of the greatest number."""
        found: Self = NUMPY.max(self, axis=axis, keepdims=keepdims)
        return found

    def min(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """The range of the least number."""
        found: Self = NUMPY.min(self, axis=axis, keepdims=keepdims)
        return found

    def clip(self, min: object = None, max: object = None) -> ArrayOfIntervals:
        """The range of numbers kept between two bounds, as numpy.clip."""
        found: ArrayOfIntervals = NUMPY.clip(self, min, max)
        return found

    def dot(self, other: object) -> ArrayOfIntervals:
        """As numpy.dot: `halfcl.interval.dot`."""
        found: ArrayOfIntervals = NUMPY.dot(self, other)
        return found

    # ------------------------------------------------------------ moving elements

    def take(
        self,
        indices: ArrayLike,
        axis: SupportsIndex | None = None,
        mode: Literal["raise", "wrap", "clip"] = "raise",
    ) -> Self:
        """As of an array."""
        found: Self = NUMPY.take(self, indices, axis=axis, mode=mode)
        return found

    def repeat(self, repeats: ArrayLike, axis: SupportsIndex | None = None) -> Self:
        """As of an array."""
        found: Self = NUMPY.repeat(self, repeats, axis=axis)
        return found

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """As of an array."""
        found: Self = NUMPY.diagonal(self, offset, axis1, axis2)
        return found

    def fill(self, value: object) -> None:
        """As of an array: ``x[...] = value``, of one interval, number or text."""
        self[...] = value

    def item(self, *index: SupportsIndex) -> Self:
        """The only interval; or the one at an index, of all in order unless of each axis."""
        flat = self.ravel()
        if not index and flat.size != 1:
            raise ValueError(f"item: expected one interval, got shape {self.shape}")
        return self[index] if len(index) > 1 else flat[(*index, 0)[0]]

    def tolist(self) -> Self | list[Any]:
        """Lists in lists, of single intervals."""
        if self.ndim == 0:
            return self.copy()
        return [row.tolist() for row in self]

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Self:
        """A copy, of half; `inf` and `sup` become other types."""
        if np.dtype(dtype) != HALF:
            raise TypeError(
                f"astype: intervals are of half, got {dtype!r}; x.inf.astype and x.sup.astype do it"
            )
        return self.copy() if copy else self


_OPERANDS = (ArrayOfIntervals, int, float, np.ndarray, np.generic)


def is_foreign(other: object) -> bool:
    """Whether it answers ufuncs itself, and is to be asked."""
    return not isinstance(other, _OPERANDS) and hasattr(type(other), "__array_ufunc__")
