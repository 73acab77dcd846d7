"""The base of classes that behave like NumPy's arrays and consist of several of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

if TYPE_CHECKING:
    from typing import Self

#: What NumPy's protocols pass on: positional arguments, keywords, and one of NumPy's functions.
Args: TypeAlias = tuple[object, ...]
Keywords: TypeAlias = dict[str, object]
Function: TypeAlias = Callable[..., object]
NO_KEYWORDS: Keywords = {}
#: One axis or several; None means all.
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None

_DOCS = {
    "shape": "The shape, as of an array.",
    "ndim": "The number of dimensions.",
    "size": "The number of elements.",
}


class SeveralArrays:
    """An array that consists of several of one shape, such as lower and upper bounds.

    A subclass states ``like=``, the path of an attribute that has its shape. It defines `_arrays`
    and `_from_arrays`, by which its elements are moved.
    """

    __slots__ = ()

    #: What errors call an array without axes.
    _SINGLE: ClassVar[str]

    shape: tuple[int, ...]
    ndim: int
    size: int

    def __init_subclass__(cls, like: str = "", **keywords: object) -> None:
        """Take the shape from an attribute; such properties are as fast as the attribute's own."""
        super().__init_subclass__(**keywords)
        for name, doc in _DOCS.items() if like else ():
            setattr(cls, name, property(attrgetter(f"{like}.{name}"), doc=doc))

    @property
    def _arrays(self) -> tuple[Any, ...]:
        """The arrays; scalars stand for arrays without axes."""
        raise NotImplementedError

    def _from_arrays(self, arrays: Sequence[Any], /) -> Any:
        """Return an array of the same class that consists of others; may be a class method."""
        raise NotImplementedError

    # ------------------------------------------------------------ elements

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError(f"len() of {self._SINGLE}")
        return shape[0]

    def __getitem__(self, index: Any) -> Any:
        return self._from_arrays([np.asarray(array[index]) for array in self._arrays])

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise TypeError(f"iteration over {self._SINGLE}")
        return (self[i] for i in range(len(self)))

    # ------------------------------------------------------------ shape

    def _move(self, method: str, args: Args = (), keywords: Keywords = NO_KEYWORDS) -> Self:
        """Apply a structural method of arrays to each of them."""
        arrays = [getattr(x, method)(*args, **keywords) for x in self._arrays]
        moved: Self = self._from_arrays(arrays)
        return moved

    def reshape(self, *shape: object, **keywords: object) -> Self:
        """Return the elements in another shape; a view where possible."""
        return self._move("reshape", shape, keywords)

    def ravel(self) -> Self:
        """Return the elements in one dimension; a view where possible."""
        return self._move("ravel")

    def flatten(self) -> Self:
        """Return a copy in one dimension."""
        return self._move("flatten")

    def transpose(self, *axes: object) -> Self:
        """Return a view with axes permuted."""
        return self._move("transpose", axes)

    def squeeze(self, axis: Axes = None) -> Self:
        """Return a view without axes of length 1."""
        return self._move("squeeze", (axis,))

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Return a view with two axes exchanged."""
        return self._move("swapaxes", (axis1, axis2))

    @property
    def T(self) -> Self:
        """The transpose."""
        return self._move("transpose")

    @property
    def mT(self) -> Self:
        """The transpose of the last two axes."""
        return self._move("swapaxes", (-2, -1))

    def copy(self) -> Self:
        """Return a copy."""
        return self._move("copy")

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()


class DuckArray(SeveralArrays, NDArrayOperatorsMixin):
    """Several arrays that NumPy's functions and operators accept as one.

    A subclass defines `_call_ufunc` and `_call_function`, by which it computes, and `_OPERANDS`,
    the types that these know.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    #: The types that the class computes with. Others that implement ufuncs have precedence.
    _OPERANDS: ClassVar[tuple[type, ...]] = (object,)

    def _call_ufunc(
        self, ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args
    ) -> object:
        """Return the results of a ufunc, or of one of its methods.

        outs: the arrays in ``out``, None among them; empty without it. See `write_outputs`.
        """
        raise NotImplementedError

    def _call_function(self, function: Function, args: Args, keywords: Keywords) -> object:
        """Return the result of one of NumPy's functions."""
        raise NotImplementedError

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        for x in inputs:
            if not isinstance(x, self._OPERANDS) and hasattr(type(x), "__array_ufunc__"):
                return NotImplemented
        outs: Any = keywords.pop("out", ())  # NumPy passes a tuple
        return self._call_ufunc(ufunc, method, inputs, keywords, outs)

    def __array_function__(
        self, func: Function, types: Collection[type], args: Args, kwargs: Keywords
    ) -> object:
        for kind in types if len(types) > 1 else ():  # a single one is this class
            if not issubclass(kind, self._OPERANDS):
                return NotImplemented
        return self._call_function(func, args, kwargs)


def write_outputs(name: str, result: object, outs: Sequence[Any]) -> object:
    """Write results to the arrays in ``out``, and return what a ufunc returns.

    Each must have the class and the shape of its result. Nothing is written if one has not.
    """
    results = result if isinstance(result, tuple) else (result,)
    pairs: list[tuple[Any, Any]] = list(zip(outs, results, strict=True))
    for out, value in pairs:
        if out is not None:
            check_output(name, out, value)
            check_writeable(f"{name}: out", out)
    for out, value in pairs:
        if out is not None:
            out[...] = value
    outputs = tuple(value if out is None else out for out, value in pairs)
    return outputs if isinstance(result, tuple) else outputs[0]


def check_output(name: str, out: Any, result: Any) -> None:
    """Raise an error unless an array in ``out`` has the class and the shape of its result."""
    if not isinstance(out, type(result)):
        kinds = f"{type(result).__name__}, got {type(out).__name__}"
        raise TypeError(f"{name}: out: expected {kinds}")
    if out.shape != result.shape:
        raise ValueError(f"{name}: out: expected shape {result.shape}, got {out.shape}")


def check_writeable(which: str, x: Any) -> None:
    """Raise ValueError before anything is written if not all arrays can be."""
    arrays = x._arrays if isinstance(x, SeveralArrays) else (x,)
    if not all(array.flags.writeable for array in arrays):
        raise ValueError(f"{which}: expected writeable arrays, got read-only ones")


def opts_out(x: object) -> bool:
    """Return whether an operand leaves operators to its own class, as NumPy defines it."""
    return getattr(type(x), "__array_ufunc__", True) is None
