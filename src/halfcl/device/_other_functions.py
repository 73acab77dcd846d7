"""Functions over a device's arrays that are not in the table.

These are conversions by any name, reinterpretations, select, bitselect, any and all.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

import halfcl as hc
from halfcl import _core
from halfcl._opencl.conversion.functions import check_target
from halfcl._tables.types import SCALAR_TYPES
from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._reductions.operations import check_place, is_half, mask
from halfcl.device._reductions.reducing import DeviceReductions
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode


class Functions(Protocol):
    """The functions of the table, as attributes, and the machine that runs them."""

    @property
    def machine(self) -> Any: ...
    @property
    def reductions(self) -> DeviceReductions: ...
    def __getattr__(self, name: str) -> Callable[..., Any]: ...


_NAME = re.compile(
    r"(?P<way>convert|as)_(?P<target>[a-z]+?)(?P<width>2|3|4|8|16)?(?P<sat>_sat)?(?:_(?P<mode>rt[ezpn]))?"
)

#: Dtypes besides halves that bitselect accepts.
_SHORTS = (np.dtype(np.int16), np.dtype(np.uint16))


def other_function(functions: Functions, name: str) -> Callable[..., DeviceArray] | None:
    """Return the function of that name, or None if devices have none."""
    if name in _FUNCTIONS:
        return functools.partial(_FUNCTIONS[name], functions)
    match = _NAME.fullmatch(name)
    if match is None or getattr(hc, name, None) is None:
        return None
    target, width = match["target"], int(match["width"] or 0)
    mode: Any = match["mode"]
    if match["way"] == "as":
        return functools.partial(_reinterpret, functions, name, target, width)
    return functools.partial(
        _convert_by_name, functions, name, f"convert_{target}{match['sat'] or ''}", width, mode
    )


def _check_array(functions: Functions, name: str, x: object, argument: str = "x") -> Any:
    """Return an array in native byte order that the device can reach; raise an error otherwise."""
    machine, what = functions.machine, f"{name}: argument {argument}"
    if not machine.is_array(x):
        raise TypeError(f"{what}: expected a {machine.array_name}, got {type(x).__name__}")
    array: Any = x
    check_place(machine, what, array)
    if not array.dtype.isnative:
        raise TypeError(f"{what}: expected native byte order on a device, got {array.dtype}")
    return array


def _check_width(name: str, x: DeviceArray, width: int) -> None:
    if width and x.shape[-1:] != (width,):
        raise ValueError(
            f"{name}: argument x: expected a last axis of length {width}, got shape {x.shape}"
        )


# ---------------------------------------------------------------- conversions


def _convert(
    functions: Functions, x: object, dtype: DTypeLike, *,
    rounding: RoundingMode | None = None, saturate: bool = False,
) -> DeviceArray:  # fmt: skip
    """Convert between half and any type, as `halfcl.convert` does."""
    target, width = check_target(dtype, saturate)
    array = _check_array(functions, "convert", x)
    _check_width("convert", array, width)
    if target == "double" and is_half(array.dtype):  # exact, by way of float
        if rounding is not None:
            _core.check_mode(rounding)
        single = functions.convert_float(array)
        double: DeviceArray = functions.machine.as_type(single, np.dtype(np.float64))
        return double
    if target != "half" and not is_half(array.dtype):
        raise TypeError(
            f"convert: argument x: expected half or float16 to convert to {target} on a device, "
            f"got {array.dtype}"
        )
    name = f"convert_{target}{'_sat' if saturate else ''}"
    result: DeviceArray = getattr(functions, name)(array, rounding=rounding)
    return result


def _convert_by_name(
    functions: Functions, name: str, plain: str, width: int, mode: RoundingMode | None,
    x: object, **keywords: object,
) -> DeviceArray:  # fmt: skip
    """Convert by a name with a mode, or with a width that the last axis has."""
    array = _check_array(functions, name, x)
    _check_width(name, array, width)
    if mode is not None:
        keywords["rounding"] = mode
    result: DeviceArray = getattr(functions, plain)(array, **keywords)
    return result


def _reinterpret(
    functions: Functions, name: str, target: str, width: int, x: object
) -> DeviceArray:
    """Return the same memory as another dtype of that size."""
    array = _check_array(functions, name, x)
    dtype = np.dtype(np.float16) if target == "half" else np.dtype(SCALAR_TYPES[target])
    if dtype.itemsize != array.dtype.itemsize:
        raise TypeError(
            f"{name}: argument x: expected elements of {dtype.itemsize} bytes on a device, got "
            f"{array.dtype}"
        )
    _check_width(name, array, width)
    view: DeviceArray = functions.machine.view(array, dtype)
    return view


# ---------------------------------------------------------------- select, bitselect, any, all


def _select(
    functions: Functions, a: object, b: object, c: object, /, out: object = None, *,
    where: object = True,
) -> DeviceArray:  # fmt: skip
    """Return b where c is true, else a, as `halfcl.select` does."""
    machine = functions.machine
    condition = _check_array(functions, "select", c, "c")
    if condition.dtype.kind not in "biu":
        raise TypeError(f"select: argument c: expected bool or integers, got {condition.dtype}")
    if condition.dtype != np.bool:
        condition = machine.view(condition != 0, np.dtype(np.bool))
    first, second = (_as_halves(functions, "select", k, x) for k, x in (("a", a), ("b", b)))
    shape = np.broadcast_shapes(first.shape, second.shape, condition.shape)
    result = machine.empty(shape, np.float16, "C", condition)
    machine.assign(result, first, None)
    machine.assign(result, second, condition)
    return _store(functions, "select", result, out, where)


def _bitselect(
    functions: Functions, a: object, b: object, c: object, /, out: object = None, *,
    where: object = True,
) -> DeviceArray:  # fmt: skip
    """Return the bits of b where c has a 1, else those of a, as `halfcl.bitselect` does."""
    machine = functions.machine
    named = zip("abc", (a, b, c), strict=True)
    arrays = [_check_array(functions, "bitselect", x, name) for name, x in named]
    for name, x in zip("abc", arrays, strict=True):
        if not is_half(x.dtype) and x.dtype not in _SHORTS:
            raise TypeError(
                f"bitselect: argument {name}: expected half, float16, int16 or uint16, "
                f"got {x.dtype}"
            )
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    bits = np.dtype(np.uint16)
    x, y, z = (machine.broadcast(machine.view(x, bits), shape) for x in arrays)
    result = machine.view(x ^ ((x ^ y) & z), arrays[0].dtype)
    return _store(functions, "bitselect", result, out, where)


def _any(
    functions: Functions, x: object, /, *, axis: object = None, keepdims: object = False
) -> DeviceArray:
    """Return whether any element is true, as `halfcl.any` does."""
    count = _count(functions, "any", x, axis, keepdims, lambda x: x != 0)
    return _as_bool(functions, count != 0)


def _all(
    functions: Functions, x: object, /, *, axis: object = None, keepdims: object = False
) -> DeviceArray:
    """Return whether all elements are true, as `halfcl.all` does."""
    count = _count(functions, "all", x, axis, keepdims, lambda x: x == 0)
    return _as_bool(functions, count == 0)


def _count(
    functions: Functions, name: str, x: object, axis: object, keepdims: object,
    are_counted: Callable[[Any], Any],
) -> Any:  # fmt: skip
    """Return the number of elements that satisfy a condition, as float32.

    It may be rounded, but is 0 for no elements only.
    """
    machine, array = functions.machine, _check_array(functions, name, x)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name}: argument x: expected bool or integers, got {array.dtype}")
    if array.dtype == np.bool:
        array = machine.view(array, np.dtype(np.uint8))
    array = machine.broadcast(array, array.shape)
    halves = functions.convert_half(_as_bool(functions, are_counted(array)))
    return functions.reductions.reduce(Call(name, (halves,), axis, np.float32, keepdims=keepdims))


def _as_bool(functions: Functions, x: Any) -> DeviceArray:
    """Return a comparison's result as bool; pyopencl's is of int8."""
    truths: DeviceArray = functions.machine.view(x, np.dtype(np.bool))
    return truths


def _as_halves(functions: Functions, name: str, argument: str, x: object) -> Any:
    """Return an array of halves, a number, or an array that converts exactly, as halves."""
    machine = functions.machine
    if isinstance(x, (bool, int, float, np.generic)):
        return machine.from_host(np.asarray(hc.half(x)).view(np.float16))
    array = _check_array(functions, name, x, argument)
    if not is_half(array.dtype):
        if array.dtype.name not in ("bool", "int8", "uint8"):
            raise TypeError(
                f"{name}: argument {argument}: expected half, float16, bool, int8 or uint8, got "
                f"{array.dtype}"
            )
        return functions.convert_half(array)
    return array


def _store(
    functions: Functions, name: str, result: DeviceArray, out: object, where: object
) -> DeviceArray:
    """Return a result, copied to out if that is given."""
    machine, mask_array = functions.machine, mask(functions.machine, name, where)
    if out is None:
        if mask_array is not None:
            raise TypeError(f"{name}: where: expected True without out")
        return result
    target: DeviceArray = _check_array(functions, name, out, "out")
    if target.dtype != result.dtype and not (is_half(target.dtype) and is_half(result.dtype)):
        raise TypeError(f"{name}: out: expected an array of {result.dtype}, got {target.dtype}")
    shapes = [target.shape, result.shape, *([] if mask_array is None else [mask_array.shape])]
    if target.shape != result.shape or np.broadcast_shapes(*shapes) != result.shape:
        raise ValueError(
            f"{name}: out: expected shape {result.shape}, to which where broadcasts, got "
            f"{' and '.join(map(str, shapes[::2]))}"
        )
    machine.assign(target, result, mask_array)
    return target


_FUNCTIONS: dict[str, Callable[..., DeviceArray]] = {
    "convert": _convert, "select": _select, "bitselect": _bitselect, "any": _any,
    "all": _all,
}  # fmt: skip

#: The functions' names.
OTHERS = tuple(_FUNCTIONS)
