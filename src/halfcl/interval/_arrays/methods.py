"""Attributes, methods and text that arrays of intervals share with NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl._support.duck_arrays.base import Args, DuckArray, Function, Keywords, opts_out
from halfcl._support.pages.notebooks import Block, fragment
from halfcl.interval._arrays import registry, tables, text, ufuncs
from halfcl.interval._arrays.truth import Truth
from halfcl.interval._bounds.pairs import HALF, Array, Axes, Halves, Index, Tracer

if TYPE_CHECKING:
    from typing import Self

#: The format of text: five significant decimal digits, in which neighbouring halves differ.
_FIVE_DIGITS = text.significant(5)

#: Other libraries' names of the bounds.
_OTHER_NAMES = {
    other: name
    for name, others in {
        "inf": ("lo", "low", "lower", "left", "a"),
        "sup": ("hi", "high", "upper", "right", "b"),
        "mid": ("midpoint", "middle", "center", "centre"),
        "wid": ("width", "diameter", "diam"),
        "rad": ("radius",),
    }.items()
    for other in others
}

_NEVER_EQUAL = (str, bytes, type(None))

#: NumPy without types: its functions accept and return intervals, but are typed for arrays.
NUMPY: Any = np


class ArrayOfIntervals(DuckArray):
    """The base of `Interval` and `DecoratedInterval`: several arrays of one shape."""

    __slots__ = ()

    #: The class's name, which errors of subclasses show, too.
    _KIND: ClassVar[str]

    @classmethod
    def _from_arrays(cls, arrays: Sequence[Array], /) -> Self:
        raise NotImplementedError

    def _literals(self, numeral: text.Numeral) -> Callable[[int], str]:
        """Return a function from the number of an element to its text."""
        raise NotImplementedError

    # ------------------------------------------------------------ attributes

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the bounds."""
        return HALF

    @property
    def nbytes(self) -> int:
        """The size of bounds and decorations in bytes."""
        return sum(a.nbytes for a in self._arrays)

    def __bool__(self) -> bool:
        kind = type(self).__name__
        raise TypeError(f"{kind}: has no truth value; use interval.is_member(0, x) to find zeros")

    if not TYPE_CHECKING:  # to which there are no such attributes

        def __float__(self) -> NoReturn:
            kind = type(self).__name__
            raise TypeError(
                f"{kind}: is not one number; .inf and .sup are its bounds, interval.mid(x) its "
                "midpoint, and NumPy's and halfcl's functions, as in np.sqrt(x), take it whole"
            )

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self).__name__
            own = _OTHER_NAMES.get(name)
            hint = f"; did you mean {own}?" if own else ""
            message = f"{kind!r} object has no attribute {name!r}{hint}"
            raise AttributeError(message, name=name, obj=self)

    # ------------------------------------------------------------ elements

    def __setitem__(self, index: Index, value: object) -> None:
        raise NotImplementedError

    def __contains__(self, value: object) -> bool:
        if self.ndim:
            raise ValueError(
                f"in: expected one interval, got shape {self.shape}; "
                "use interval.is_member or interval.subset for each element"
            )
        name = "subset" if isinstance(value, ArrayOfIntervals) else "is_member"
        return bool(registry.RELATIONS[name](value, self))

    # ------------------------------------------------------------ NumPy's functions

    def _call_ufunc(
        self, ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args
    ) -> object:
        if ufunc.signature and any(isinstance(x, Tracer) for x in inputs):
            return NotImplemented  # products of vectors are the tracer's
        return ufuncs.call(ufunc, method, inputs, keywords, outs)

    def _call_function(self, function: Function, args: Args, keywords: Keywords) -> object:
        own = registry.INSTEAD.get().get(function) or registry.FUNCTIONS.get(function)
        return NotImplemented if own is None else own(*args, **keywords)

    if TYPE_CHECKING:  # NumPy's operators have no types

        def __add__(self, other: object) -> Self: ...
        def __radd__(self, other: object) -> Self: ...
        def __sub__(self, other: object) -> Self: ...
        def __rsub__(self, other: object) -> Self: ...
        def __mul__(self, other: object) -> Self: ...
        def __rmul__(self, other: object) -> Self: ...
        def __truediv__(self, other: object) -> Self: ...
        def __rtruediv__(self, other: object) -> Self: ...
        def __pow__(self, other: object) -> Self: ...
        def __rpow__(self, other: object) -> Self: ...
        def __and__(self, other: object) -> Self: ...
        def __rand__(self, other: object) -> Self: ...
        def __or__(self, other: object) -> Self: ...
        def __ror__(self, other: object) -> Self: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __abs__(self) -> Self: ...

    def __eq__(self, other: object) -> Any:
        # Things that are never numbers compare as unequal, by Python's default.
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
        # Skip the detour through NumPy's ufunc where no other type can answer.
        truth: Truth = NotImplemented
        if isinstance(other, _OPERANDS):
            truth = (registry.INSTEAD.get().get(name) or registry.UFUNCS[name])(self, other)
        elif not opts_out(other):
            truth = getattr(NUMPY, name)(self, other)
        return truth

    __hash__ = None

    # ------------------------------------------------------------ text

    def __repr__(self) -> str:
        kind = self._KIND
        if self.ndim == 0:
            return f"{kind}({str(self)!r})"
        if self.size == 0:
            return f"{kind}([], shape={self.shape})"
        return f"{kind}({self._to_text(', ', len(kind) + 1, repr)})"

    def _repr_html_(self) -> str | None:
        heading = f"{self._KIND} of shape {self.shape}" if self.ndim else self._KIND
        blocks: list[Block] = [heading]
        blocks += [tables.table(self, _literals_of)] if self.size else []
        return fragment("display.html", blocks=blocks)

    def __str__(self) -> str:
        return self._to_text(" ", 0, str)

    def __format__(self, spec: str) -> str:
        """Return the text with bounds rounded outward to a number of digits.

        ``.3f`` has 3 digits after the point, ``.3e`` an exponent, ``.3g`` 3 significant digits.
        """
        return self._to_text(" ", 0, str, text.numeral_of(spec) if spec else _FIVE_DIGITS)

    def _to_text(
        self,
        separator: str,
        indent: int,
        quote: Callable[[str], str],
        numeral: text.Numeral = _FIVE_DIGITS,
    ) -> str:
        literal = self._literals(numeral)
        return text.array_text(lambda i: quote(literal(i)), self.shape, separator, indent)

    # ------------------------------------------------------------ numeric properties

    @property
    def mid(self) -> Halves:
        """The midpoints: `halfcl.interval.mid`."""
        result: Halves = registry.UFUNCS["mid"](self)
        return result

    @property
    def rad(self) -> Halves:
        """The radii around `mid`: `halfcl.interval.rad`."""
        result: Halves = registry.UFUNCS["rad"](self)
        return result

    @property
    def wid(self) -> Halves:
        """The widths: `halfcl.interval.wid`."""
        result: Halves = registry.UFUNCS["wid"](self)
        return result

    # ------------------------------------------------------------ computing

    def sum(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """Return the exact range of sums, rounded outward once: `halfcl.interval.sum`."""
        result: Self = registry.UFUNCS["sum"](self, axis, keepdims)
        return result

    def mean(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """Return the exact range of means, rounded outward once: `halfcl.interval.mean`."""
        result: Self = registry.UFUNCS["mean"](self, axis, keepdims)
        return result

    def cumsum(self, axis: SupportsIndex | None = None) -> Self:
        """Return the exact range of running sums, rounded once: `halfcl.interval.cumsum`."""
        result: Self = registry.UFUNCS["cumsum"](self, axis)
        return result

    def max(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """Return the range of the greatest number."""
        result: Self = NUMPY.max(self, axis=axis, keepdims=keepdims)
        return result

    def min(self, axis: Axes = None, keepdims: bool = False) -> Self:
        """Return the range of the least number."""
        result: Self = NUMPY.min(self, axis=axis, keepdims=keepdims)
        return result

    def clip(self, min: object = None, max: object = None) -> ArrayOfIntervals:
        """Return the range of numbers limited to two bounds, as numpy.clip."""
        result: ArrayOfIntervals = NUMPY.clip(self, min, max)
        return result

    def dot(self, other: object) -> ArrayOfIntervals:
        """Return numpy.dot of intervals: `halfcl.interval.dot`."""
        result: ArrayOfIntervals = NUMPY.dot(self, other)
        return result

    # ------------------------------------------------------------ structural methods

    def take(
        self,
        indices: ArrayLike,
        axis: SupportsIndex | None = None,
        mode: Literal["raise", "wrap", "clip"] = "raise",
    ) -> Self:
        """Return the intervals at some indices, as numpy.take."""
        result: Self = NUMPY.take(self, indices, axis=axis, mode=mode)
        return result

    def repeat(self, repeats: ArrayLike, axis: SupportsIndex | None = None) -> Self:
        """Repeat intervals, as numpy.repeat."""
        result: Self = NUMPY.repeat(self, repeats, axis=axis)
        return result

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """Return the diagonal, as numpy.diagonal."""
        result: Self = NUMPY.diagonal(self, offset, axis1, axis2)
        return result

    def fill(self, value: object) -> None:
        """Set all elements, ``x[...] = value``, to one interval, number or text."""
        self[...] = value

    def item(self, *index: SupportsIndex) -> Self:
        """Return the only interval, or the one at a flat index, or at one index per axis."""
        flat = self.ravel()
        if not index and flat.size != 1:
            raise ValueError(f"item: expected one interval, got shape {self.shape}")
        element: Self = self[index] if len(index) > 1 else flat[(*index, 0)[0]]
        return element

    def tolist(self) -> Self | list[Any]:
        """Return nested lists of single intervals."""
        if self.ndim == 0:
            return self.copy()
        return [row.tolist() for row in self]

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Self:
        """Return a copy; the only dtype is half, since `inf` and `sup` convert to other types."""
        if np.dtype(dtype) != HALF:
            raise TypeError(
                f"astype: dtype: expected half, got {dtype!r}; use x.inf.astype, x.sup.astype"
            )
        return self.copy() if copy else self


def _literals_of(x: Any) -> Callable[[int], str]:
    literals: Callable[[int], str] = x._literals(_FIVE_DIGITS)
    return literals


ArrayOfIntervals._OPERANDS = _OPERANDS = (ArrayOfIntervals, int, float, np.ndarray, np.generic)
