"""Types of arguments, for the stubs of functions and for `halfcl.typing`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Never, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half

_Scalar_co = TypeVar("_Scalar_co", bound=np.generic, covariant=True)
_Item_co = TypeVar("_Item_co", covariant=True)


class ArrayOf(Protocol[_Scalar_co]):
    """An array or scalar of some of NumPy's types, of NumPy or of libraries with its dtypes."""

    @property
    def dtype(self) -> np.dtype[_Scalar_co]: ...
    def __array__(self) -> NDArray[Any]: ...


class Nested(Protocol[_Item_co]):
    """A list or tuple of items, or of such lists.

    Text is not one, since its `__contains__` accepts text only, and a dict lacks `count`.
    """

    def __len__(self) -> int: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __getitem__(self, index: int, /) -> _Item_co | Nested[_Item_co]: ...
    def __reversed__(self) -> Iterator[_Item_co | Nested[_Item_co]]: ...
    def count(self, value: Any, /) -> int: ...


class Tensor(Protocol):
    """An array of PyTorch, whose dtypes are not NumPy's."""

    @property
    def is_cuda(self) -> bool: ...


class OpenCLArray(Protocol):
    """An array of pyopencl, which NumPy cannot read."""

    @property
    def queue(self) -> object: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...


class Series(Protocol):
    """A series or a frame of pandas."""

    @property
    def iloc(self) -> object: ...


class Labelled(Protocol):
    """An array of xarray."""

    @property
    def coords(self) -> object: ...


# ---------------------------------------------------------------- numbers, arrays and lists

# The base of half in the stubs. So floating[Any] fits, too, which NumPy's stubs give for many
# results that are half.
_Half: TypeAlias = np.floating[Never]

#: What converts to an array, in place of a scalar.
Several: TypeAlias = NDArray[Any] | Nested[object] | memoryview | Series | Labelled

#: Numbers that become half.
Number: TypeAlias = _Half | float | np.bool_ | np.int8 | np.uint8

#: Numbers, arrays and lists that become half, and half alone.
Halves: TypeAlias = Number | NDArray[_Half | np.bool_ | np.int8 | np.uint8] | Nested[Number]

#: Numbers and arrays that become float16.
Float16: TypeAlias = np.float16 | float | NDArray[np.float16]

_Exact: TypeAlias = half | np.float16 | np.bool_ | np.int8 | np.uint8

#: What the functions of halves accept: numbers, and lists and arrays of types that are exact in
#: half. Arrays of wider types are not: `halfcl.convert` rounds them.
HalfLike: TypeAlias = (
    float
    | ArrayOf[_Exact]
    | Nested[float | ArrayOf[_Exact]]
    | Tensor
    | OpenCLArray
    | Series
    | memoryview
)

# ---------------------------------------------------------------- integers

# The scalar types whose values all fit in an integer type.
Int8: TypeAlias = np.int8 | np.bool_
UInt8: TypeAlias = np.uint8 | np.bool_
Int16: TypeAlias = np.int16 | np.int8 | np.uint8 | np.bool_
UInt16: TypeAlias = np.uint16 | np.uint8 | np.bool_
Int32: TypeAlias = np.int32 | np.int16 | np.uint16 | np.int8 | np.uint8 | np.bool_

_Scalar = TypeVar("_Scalar", bound=np.generic)

#: Integers, and arrays and lists of integers of some types.
IntegersOf: TypeAlias = int | ArrayOf[_Scalar] | Nested[int | ArrayOf[_Scalar]]
