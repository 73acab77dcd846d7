"""Arguments of a launch: checked against a kernel's parameters, and converted for its code."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._opencl.conversion.functions import conversion_to
from halfcl._support.arguments.masks import is_masked
from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import Opaque, Record, Scalar, Type, Vector, limits
from halfcl.cl._interpreter.launching import records
from halfcl.cl._interpreter.launching.launch import Bound, Run
from halfcl.cl._interpreter.memory.pointers import NULL, Memory, Pointer


class LocalMemory:
    """An argument of a launch: local memory of a given size, separate for each work-group.

    Parameters
    ----------
    nbytes : int
        1 or more.

    Raises
    ------
    TypeError, ValueError
        If it is no int, or less than 1.

    Notes
    -----
    It starts with zeros; in OpenCL its initial contents are undefined.

    Source: the OpenCL API, clSetKernelArg.

    Examples
    --------
    >>> from halfcl import cl
    >>> cl.LocalMemory(256)
    LocalMemory(256)
    """

    def __init__(self, nbytes: int) -> None:
        try:
            self.nbytes = operator.index(nbytes)
        except TypeError:
            raise TypeError(
                f"LocalMemory: argument nbytes: expected an int, got {type(nbytes).__name__}"
            ) from None
        if self.nbytes < 1:
            raise ValueError(f"LocalMemory: argument nbytes: expected 1 or more, got {nbytes}")

    def __repr__(self) -> str:
        return f"LocalMemory({self.nbytes})"


def bind(
    kernel: str, parameters: Sequence[tree.Declaration], values: Sequence[object]
) -> list[Bound]:
    """Return the values with which to call the kernel's function; callables are called per block.

    Nothing is written. A TypeError or ValueError names the argument, counted from 1.
    """
    if len(values) != len(parameters):
        names = ", ".join(p.name for p in parameters)
        plural = "" if len(parameters) == 1 else "s"
        raise TypeError(
            f"{kernel}: expected {len(parameters)} argument{plural} ({names}) after the sizes, "
            f"got {len(values)}"
        )
    bound: dict[int, Bound] = {}
    # Arrays last: reading a number may run code that resizes an array, which would free its memory.
    for i in sorted(
        range(len(values)), key=lambda i: isinstance(parameters[i].type, types.Pointer)
    ):
        bound[i] = bind_one(kernel, i + 1, parameters[i], values[i])
    return [bound[i] for i in range(len(values))]


def bind_one(kernel: str, number: int, parameter: tree.Declaration, value: object) -> Bound:
    """Return the value of one parameter; error messages have its number, counted from 1."""
    return _Argument(f"{kernel}: argument {number} ({parameter.name})", parameter).convert(value)


def check_device_array(where: str, parameter: tree.Declaration, value: Any) -> None:
    """Check a device's array against a pointer parameter."""
    argument, type_ = _Argument(where, parameter), parameter.type
    assert isinstance(type_, types.Pointer)
    if not value.flags.c_contiguous:
        argument.refuse(ValueError, "a C-contiguous array", f"one with strides {value.strides}")
    if type_.space == "local":
        argument.local(type_, value)
    argument.check_elements(type_.pointee, value)


class _Argument:
    """A parameter, with the prefix of its error messages."""

    def __init__(self, where: str, parameter: tree.Declaration) -> None:
        self.where, self.parameter = where, parameter

    def refuse(self, kind: type[Exception], expected: str, got: str) -> NoReturn:
        raise kind(f"{self.where}: expected {expected}, got {got}")

    def convert(self, value: object) -> Bound:
        type_ = self.parameter.type
        if isinstance(type_, types.Pointer):
            return self.pointer(type_, value)
        if isinstance(type_, Scalar):
            return self.scalar(type_, value)
        if isinstance(type_, Vector):
            return self.vector(type_, value)
        if isinstance(type_, Record):
            return self.record(type_, value)
        assert isinstance(type_, Opaque)
        return self.image(type_, value) if type_.is_image else self.sampler(value)

    # ------------------------------------------------------------ pointers

    def pointer(self, type_: types.Pointer, value: object) -> Pointer | Callable[[Run], Pointer]:
        if value is None:
            return NULL
        if type_.space == "local":
            return self.local(type_, value)
        if not isinstance(value, np.ndarray) or is_masked(value):
            got = "a masked array" if isinstance(value, np.ndarray) else _kind(value)
            self.refuse(TypeError, f"a NumPy array of {type_.pointee}, or None", got)
        self.check_layout(type_, value)
        self.check_elements(type_.pointee, value)
        data = value.view(np.ndarray).reshape(-1).view(np.uint8)
        is_constant = type_.is_const or type_.space == "constant"
        memory = Memory(self.parameter.name, type_.space, data, data.size, is_constant=is_constant)
        return Pointer(memory, 0)

    def local(self, type_: types.Pointer, value: object) -> Callable[[Run], Pointer]:
        if not isinstance(value, LocalMemory):
            self.refuse(TypeError, "halfcl.cl.LocalMemory, or None", _kind(value))
        size = 1 if type_.pointee == types.VOID else type_.pointee.size
        if value.nbytes < size:
            self.refuse(
                ValueError, f"at least the {size} bytes of {type_.pointee}", str(value.nbytes)
            )
        name, key = self.parameter.name, ("argument", self.where)
        return lambda run: run.local(name, value.nbytes, key)

    def check_layout(self, type_: types.Pointer, value: NDArray[Any]) -> None:
        if value.dtype.hasobject:
            self.refuse(TypeError, f"an array of {type_.pointee}", f"dtype {value.dtype}")
        if not value.dtype.isnative:
            self.refuse(TypeError, "an array in native byte order", f"dtype {value.dtype.str}")
        if not value.flags.c_contiguous:
            self.refuse(
                ValueError,
                "a C-contiguous array",
                f"one of shape {value.shape} with strides {value.strides}; "
                "numpy.ascontiguousarray makes a copy",
            )
        if not (value.flags.writeable or type_.is_const or type_.space == "constant"):
            self.refuse(
                ValueError, "an array that can be written to", "a read-only one; or make it const"
            )

    def check_elements(self, pointee: Type, value: NDArray[Any]) -> None:
        """Check that an array has the pointee's element type, in whole vectors.

        For structs, elements have the same size and fields, or are bytes. NumPy's void without
        fields is memory of any type and size.
        """
        if pointee == types.VOID or (value.dtype.kind == "V" and value.dtype.names is None):
            return
        if isinstance(pointee, Record):
            is_bytes = value.dtype == np.uint8
            if not is_bytes and (value.dtype.kind != "V" or value.itemsize != pointee.size):
                self.refuse(
                    TypeError,
                    f"an array of structs of {pointee.size} bytes, as {pointee} has, or of uint8",
                    f"dtype {value.dtype} of {value.itemsize} bytes",
                )
            self.check_fields(pointee, value.dtype)
            count, unit = pointee.size if is_bytes else 1, "bytes"
        else:
            element = records.element_type(pointee)
            if element is None or not records.is_dtype_of(value.dtype, element):
                self.refuse(TypeError, f"an array of {element or pointee}", f"dtype {value.dtype}")
            count, unit = pointee.size // element.size, "elements"
        if value.size % count:
            hint = "; 3-component vectors lie in memory as 4" if _width(pointee) == 3 else ""
            self.refuse(
                ValueError, f"whole {pointee}s: a multiple of {count} {unit}", f"{value.size}{hint}"
            )

    # ------------------------------------------------------------ values

    def check_fields(self, record: Record, dtype: np.dtype[Any]) -> None:
        """Raise a TypeError that names the first field that differs from the kernel's."""
        if mismatch := records.difference(record, dtype):
            wanted, got = mismatch
            self.refuse(TypeError, f"a struct as {record} has it, {wanted}", got)

    def scalar(self, type_: Scalar, value: object) -> int | NDArray[Any]:
        if is_masked(value):
            self.refuse(TypeError, f"a number for {type_}", "a masked array")
        if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf":
            value = value[()]
        if type_.is_floating:
            return self.floating(type_, value).reshape(1)
        return self.integer(type_, value)

    def integer(self, type_: Scalar, value: object) -> int:
        """Return an int that fits the type."""
        if not isinstance(value, int | np.integer | np.bool_):
            self.refuse(TypeError, f"an integer for {type_}", _kind(value))
        number = int(value)
        low, high = limits(type_.dtype)
        if not low <= number <= high:
            self.refuse(ValueError, f"{type_}, {low} to {high}", str(number))
        return number

    def floating(self, type_: Scalar, value: object) -> NDArray[Any]:
        """Return a number as a 0-d array, rounded to nearest even."""
        if not isinstance(value, int | float | np.integer | np.floating | np.bool_) or isinstance(
            value, np.longdouble
        ):
            self.refuse(TypeError, f"a number for {type_}", _kind(value))
        if isinstance(value, int | np.integer | np.bool_):
            value = int(value)
            if not -(1 << 63) <= value < 1 << 64:
                self.refuse(ValueError, "an integer of 64 bits, or a float", str(value))
            source: NDArray[Any] = np.array(value, np.uint64 if value >= 0 else np.int64)
        else:
            source = np.array(value)  # float, float64, float32, half, float16
        with np.errstate(all="ignore"):
            return np.asarray(conversion_to(type_.name)(source, rounding="rte"))

    def vector(self, type_: Vector, value: object) -> NDArray[Any]:
        """Return a vector as a column of components.

        A vector of three may be given as the four numbers of its memory layout.
        """
        expected = f"{type_.width} numbers for {type_}"
        if is_masked(value):
            self.refuse(TypeError, expected, "a masked array")
        if isinstance(value, np.ndarray):
            value = value.view(np.ndarray)
        if not isinstance(value, np.ndarray | list | tuple):
            self.refuse(TypeError, expected, _kind(value))
        try:
            shape = np.shape(value)
        except ValueError:  # sequences of several lengths
            self.refuse(ValueError, expected, repr(value))
        counts = (3, 4) if type_.width == 3 else (type_.width,)
        if len(shape) != 1 or shape[0] not in counts:
            self.refuse(ValueError, expected, f"shape {shape}")
        parts = [self.scalar(type_.element, part) for part in value[: type_.width]]
        return np.array(
            [part[0] if isinstance(part, np.ndarray) else part for part in parts], type_.dtype
        ).reshape(-1, 1)

    def record(self, type_: Record, value: object) -> NDArray[np.uint8]:
        """Return the bytes of a struct."""
        expected = f"a struct of {type_.size} bytes, as {type_} has"
        if not (
            isinstance(value, np.void | np.ndarray)
            and value.shape == ()
            and value.dtype.kind == "V"
            and not value.dtype.hasobject
            and not is_masked(value)
        ):
            self.refuse(TypeError, expected + ": numpy.void, or a 0-d array", _kind(value))
        if not value.dtype.isnative:
            self.refuse(TypeError, "a struct in native byte order", f"dtype {value.dtype.descr}")
        if value.dtype.itemsize != type_.size:
            self.refuse(ValueError, expected, f"{value.dtype.itemsize} bytes")
        self.check_fields(type_, value.dtype)
        return np.frombuffer(value.tobytes(), np.uint8).reshape(1, -1)

    # ------------------------------------------------------------ images

    def image(self, type_: Opaque, value: object) -> hc.Image:
        if not isinstance(value, hc.Image):
            self.refuse(TypeError, f"a halfcl.Image for {type_}", _kind(value))
        if value.image_type.name != _IMAGES.get(type_.name):
            self.refuse(TypeError, f"a halfcl.Image for {type_}", repr(value))
        if self.parameter.access != "read_only" and not value.array.flags.writeable:
            self.refuse(ValueError, "an image that can be written to", "one of a read-only array")
        return value

    def sampler(self, value: object) -> hc.Sampler:
        if not isinstance(value, hc.Sampler):
            self.refuse(TypeError, "a halfcl.Sampler", _kind(value))
        return value


#: halfcl.mem_object_type's names, by OpenCL C's.
_IMAGES = {
    "image1d_t": "IMAGE1D",
    "image1d_array_t": "IMAGE1D_ARRAY",
    "image1d_buffer_t": "IMAGE1D_BUFFER",
    "image2d_t": "IMAGE2D",
    "image2d_array_t": "IMAGE2D_ARRAY",
    "image3d_t": "IMAGE3D",
}


def _kind(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return type(value).__name__


def _width(type_: Type) -> int:
    while isinstance(type_, types.Array):
        type_ = type_.element
    return type_.width if isinstance(type_, Vector) else 1
