"""Functions over a device's arrays that are none of the table's: conversions by any name,
reinterpretations, choices."""

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
from halfcl.device._given import check_place, is_half, mask
from halfcl.device._libraries import DeviceArray
from halfcl.device._reducing import DeviceReductions
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode


class Functions(Protocol):
    """Those of the table, as attributes, and the machine that runs them."""

    @property
    def machine(self) -> Any: ...
    @property
    def reductions(self) -> DeviceReductions: ...
    def __getattr__(self, name: str) -> Callable[..., Any]: ...


_NAME = re.compile(
    r"(?P<way>convert|as)_(?P<target>[a-z]+?)(?P<width>2|3|4|8|16)?(?P<sat>_sat)?(?:_(?P<mode>rt[ezpn]))?"
)

#: Beside halves, what bits may be chosen of.
_SHORTS = (np.dtype(np.int16), np.dtype(np.uint16))


def other_function(functions: Functions, name: str) -> Callable[..., DeviceArray] | None:
    """The function of that name; None if devices have none."""
    if name in _FUNCTIONS:
        return functools.partial(_FUNCTIONS[name], functions)
    match = _NAME.fullmatch(name)
    if match is None or getattr(hc, name, None) is None:
        return None
    target, width = match["target"], int(match["width"] or 0)
    mode: Any = match["mode"]
    if match["way"] == "as":
        return functools.partial(_reinterpreted, functions, name, target, width)
    return functools.partial(
        _converted, functions, name, f"convert_{target}{match['sat'] or ''}", width, mode
    )


def _check_array(functions: Functions, name: str, x: object, argument: str = "x") -> Any:
    """The array, of numbers in this machine's byte order, where the device can reach it."""
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
    """As `halfcl.convert`: between half and any type."""
    target, width = check_target(dtype, saturate)
    array = _check_array(functions, "convert", x)
    _check_width("convert", array, width)
    if target == "double" and is_half(array.dtype):  # exactly
        if rounding is not None:
            _core.check_mode(rounding)
        single = functions.convert_float(array)
        made: DeviceArray = functions.machine.as_type(single, np.dtype(np.float64))
        return made
    if target != "half" and not is_half(array.dtype):
        raise TypeError(
            f"convert: argument x: expected half or float16 to convert to {target} on a device, "
            f"got {array.dtype}"
        )
    name = f"convert_{target}{'_sat' if saturate else ''}"
    found: DeviceArray = getattr(functions, name)(array, rounding=rounding)
    return found


def _converted(
    functions: Functions, name: str, plain: str, width: int, mode: RoundingMode | None,
    x: object, **keywords: object,
) -> DeviceArray:  # fmt: skip
    """By a name with a mode, or with a width that the last axis has."""
    array = _check_array(functions, name, x)
    _check_width(name, array, width)
    if mode is not None:
        keywords["rounding"] = mode
    found: DeviceArray = getattr(functions, plain)(array, **keywords)
    return found


def _reinterpreted(
    functions: Functions, name: str, target: str, width: int, x: object
) -> DeviceArray:
    """The same memory as another type of that size."""
    array = _check_array(functions, name, x)
    dtype = np.dtype(np.float16) if target == "half" else np.dtype(SCALAR_TYPES[target])
    if dtype.itemsize != array.dtype.itemsize:
        raise TypeError(
            f"{name}: argument x: expected elements of {dtype.itemsize} bytes on a device, got "
            f"{array.dtype}"
        )
    _check_width(name, array, width)
    made: DeviceArray = functions.machine.view(array, dtype)
    return made


# ---------------------------------------------------------------- choices


def _choose(
    functions: Functions, a: object, b: object, c: object, /, out: object = None, *,
    where: object = True,
) -> DeviceArray:  # fmt: skip
    """As `halfcl.select`: b where c, else a."""
    machine = functions.machine
    condition = _check_array(functions, "select", c, "c")
    if condition.dtype.kind not in "biu":
        raise TypeError(f"select: argument c: expected bool or integers, got {condition.dtype}")
    if condition.dtype != np.bool:
        condition = machine.view(condition != 0, np.dtype(np.bool))
    first, second = (_halves(functions, "select", k, x) for k, x in (("a", a), ("b", b)))
    shape = np.broadcast_shapes(first.shape, second.shape, condition.shape)
    made = machine.empty(shape, np.float16, "C", condition)
    machine.assign(made, first, None)
    machine.assign(made, second, condition)
    return _stored(functions, "select", made, out, where)


def _choose_bits(
    functions: Functions, a: object, b: object, c: object, /, out: object = None, *,
    where: object = True,
) -> DeviceArray:  # fmt: skip
    """As `halfcl.bitselect`: the bits of b where c has a 1, else those of a."""
    machine = functions.machine
    given = zip("abc", (a, b, c), strict=True)
    arrays = [_check_array(functions, "bitselect", x, name) for name, x in given]
    for name, x in zip("abc", arrays, strict=True):
        if not is_half(x.dtype) and x.dtype not in _SHORTS:
            raise TypeError(
                f"bitselect: argument {name}: expected half, float16, int16 or uint16, "
                f"got {x.dtype}"
            )
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    bits = np.dtype(np.uint16)
    x, y, z = (machine.spread(machine.view(x, bits), shape) for x in arrays)
    made = machine.view(x ^ ((x ^ y) & z), arrays[0].dtype)
    return _stored(functions, "bitselect", made, out, where)


def _are_any(
    functions: Functions, x: object, /, *, axis: object = None, keepdims: object = False
) -> DeviceArray:
    """As `halfcl.any`."""
    count = _count(functions, "any", x, axis, keepdims, lambda x: x != 0)
    return _as_truths(functions, count != 0)


def _are_all(
    functions: Functions, x: object, /, *, axis: object = None, keepdims: object = False
) -> DeviceArray:
    """As `halfcl.all`."""
    count = _count(functions, "all", x, axis, keepdims, lambda x: x == 0)
    return _as_truths(functions, count == 0)


def _count(
    functions: Functions, name: str, x: object, axis: object, keepdims: object,
    are_counted: Callable[[Any], Any],
) -> Any:  # fmt: skip
    """Of how many elements something holds, as float32: of none alone that is 0."""
    machine, array = functions.machine, _check_array(functions, name, x)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name}: argument x: expected bool or integers, got {array.dtype}")
    if array.dtype == np.bool:
        array = machine.view(array, np.dtype(np.uint8))
    array = machine.spread(array, array.shape)
    halves = functions.convert_half(_as_truths(functions, are_counted(array)))
    return functions.reductions.reduce(Call(name, (halves,), axis, np.float32, keepdims=keepdims))


def _as_truths(functions: Functions, x: Any) -> DeviceArray:
    """What a comparison gives, which with pyopencl is of int8."""
    made: DeviceArray = functions.machine.view(x, np.dtype(np.bool))
    return made


def _halves(functions: Functions, name: str, argument: str, x: object) -> Any:
    """An array of halves: of what is one, of a number, of what is exact in half."""
    machine = functions.machine
    if isinstance(x, (bool, int, float, np.generic)):
        return machine.placed(np.asarray(hc.half(x)).view(np.float16))
    array = _check_array(functions, name, x, argument)
    if not is_half(array.dtype):
        if array.dtype.name not in ("bool", "int8", "uint8"):
            raise TypeError(
                f"{name}: argument {argument}: expected half, float16, bool, int8 or uint8, got "
                f"{array.dtype}"
            )
        return functions.convert_half(array)
    return array


def _stored(
    functions: Functions, name: str, made: DeviceArray, out: object, where: object
) -> DeviceArray:
    """A result; or out, where that is asked for."""
    machine, wanted = functions.machine, mask(functions.machine, name, where)
    if out is None:
        if wanted is not None:
            raise TypeError(f"{name}: where: expected True without out")
        return made
    target: DeviceArray = _check_array(functions, name, out, "out")
    if target.dtype != made.dtype and not (is_half(target.dtype) and is_half(made.dtype)):
        raise TypeError(
            f"{name}: argument out: expected an array of {made.dtype}, got {target.dtype}"
        )
    shapes = [target.shape, made.shape, *([] if wanted is None else [wanted.shape])]
    if target.shape != made.shape or np.broadcast_shapes(*shapes) != made.shape:
        raise ValueError(
            f"{name}: argument out: expected shape {made.shape}, to which where broadcasts, got "
            f"{' and '.join(map(str, shapes[::2]))}"
        )
    machine.assign(target, made, wanted)
    return target


_FUNCTIONS: dict[str, Callable[..., DeviceArray]] = {
    "convert": _convert, "select": _choose, "bitselect": _choose_bits, "any": _are_any,
    "all": _are_all,
}  # fmt: skip

#: Their names.
OTHERS = tuple(_FUNCTIONS)
