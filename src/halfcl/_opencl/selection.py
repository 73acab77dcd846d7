"""OpenCL's relational functions that select or reduce: select, bitselect, any, all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl._support.arguments.byte_order import as_native, native_dtype
from halfcl._support.foreign import dispatch_to_library
from halfcl._support.results import Result
from halfcl._tables import signatures
from halfcl.vectors._operands import check_plain_operands
from halfcl.vectors._registry import VectorBase, as_plain, as_vector, width_of

half = _core.half

Array = NDArray[Any]
_T = TypeVar("_T")

_HALF = np.dtype(half)
_HALVES = frozenset((_HALF, np.dtype(np.float16)))
_SHORT, _USHORT = np.dtype(np.int16), np.dtype(np.uint16)
_SHORTS = frozenset((_SHORT, _USHORT))
_PYTHON_NUMBERS = (float, int, bool)


def _ufunc(name: str, *types: str) -> np.ufunc:
    """Make a ufunc of kernels that do not round."""
    return _core.make_ufunc(name, "", "rte", [(name, t) for t in types], promotes=False)


by_truth = _ufunc("select", "ee?>e", "eeh>e")
by_top_bit = _ufunc("select_by_top_bit", "eeh>e")
_by_bits = _ufunc("bitselect", "HHH>H", "eee>e")


def _with_fast_path(ufunc: np.ufunc) -> Callable[..., object]:
    """Return a decorator that passes arrays in a kernel's dtypes directly to the kernel."""

    def decorate(general: Callable[..., object]) -> _core.Function:
        name, doc = general.__name__, inspect.cleandoc(general.__doc__ or "")
        signature = signatures.ufunc_like_signature(general)
        text, general = f"{name}{signature}\n\n{doc}", dispatch_to_library(general)
        function = _core.make_function(name, text, [ufunc] * 4, "exact", general=general)
        function.__signature__ = signature
        return function

    return decorate


# ---------------------------------------------------------------- vectors


def _vector_width(name: str, *arguments: ArrayLike) -> int:
    """Return the width of the vectors among the arguments; 0 if there are none."""
    vectors = [x for x in arguments if isinstance(x, VectorBase)]
    widths = [width_of(x) for x in vectors]
    if vectors:
        check_plain_operands(name, arguments, vectors)
    if len(set(widths)) > 1:
        raise ValueError(f"{name}: expected vectors of one width, got widths {sorted(widths)}")
    return widths[0] if widths else 0


def _plain(x: _T) -> _T | Array:
    """Return a vector as an array, so that NumPy's functions do not treat it as a vector."""
    return as_plain(x) if isinstance(x, VectorBase) else x


# ---------------------------------------------------------------- select, bitselect


def _halves(name: str, argument: str, x: object) -> Array:
    """Convert an argument, of a type that is exact in half, to an array of half or float16."""
    array: Array = x if type(x) is np.ndarray else np.asarray(_plain(x))
    if array.dtype in _HALVES:
        return array
    if native_dtype(array.dtype) in _HALVES:
        return as_native(array)
    if type(x) in _PYTHON_NUMBERS or np.can_cast(array.dtype, np.float16, "safe"):
        return array.astype(_HALF)
    raise TypeError(
        f"{name}: argument {argument}: expected half, float16, bool, int8 or uint8, "
        f"got {array.dtype}; halfcl.convert(x, halfcl.half) rounds it to half"
    )


def _common_dtype(x: Array, y: Array, are_numbers: tuple[bool, bool]) -> np.dtype[Any]:
    """Return the dtype of results: float16 if both are, where Python's numbers fit any."""
    if are_numbers == (True, False):
        return y.dtype
    return x.dtype if x.dtype == y.dtype or are_numbers == (False, True) else _HALF


def _view(array: Array, dtype: np.dtype[Any]) -> Array:
    return array if array.dtype is dtype else array.view(dtype)


def _condition(c: object) -> Array:
    """Convert the condition to bool or int16, with truth values of any numbers."""
    array: Array = np.asarray(_plain(c))
    if array.dtype == np.bool_:
        return array
    if array.dtype in _SHORTS:
        return _view(array, _SHORT)
    if array.dtype.kind not in "biu":
        raise TypeError(f"select: argument c: expected bool or integers, got {array.dtype}")
    return array.astype(np.bool_)


def _top_bits(c: object) -> Array:
    array = as_native(np.asarray(_plain(c)))
    if array.dtype == np.bool_:
        return array
    if array.dtype not in _SHORTS:
        raise TypeError(
            f"select: argument c: expected short, ushort or bool with vectors, got {array.dtype}"
        )
    return _view(array, _SHORT)


def _call(
    name: str,
    kernel: np.ufunc,
    operands: tuple[Array, ...],
    dtype: np.dtype[Any],
    width: int,
    out: object,
    where: ArrayLike,
) -> Result:
    """Call a kernel on operands viewed as its dtypes; return the result in another dtype."""
    if out is None:
        result = kernel(*operands, where=where)
        return as_vector(result if result.dtype is dtype else result.view(dtype), width)
    if not isinstance(out, np.ndarray) or native_dtype(out.dtype) != dtype:
        got = getattr(out, "dtype", type(out).__name__)
        raise TypeError(f"{name}: argument out: expected an array of {dtype}, got {got}")
    target = operands[0].dtype if out.dtype.isnative else operands[0].dtype.newbyteorder()
    kernel(*operands, out=_view(_plain(out), target), where=where)
    return out


@_with_fast_path(by_truth)
def select(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, /, out: object = None, *, where: ArrayLike = True
) -> Result:
    """Choose between two: b where c, else a.

    Parameters
    ----------
    a, b : array_like of half or float16, any shape, broadcast
        Bool, int8 and uint8, which are exact in half, are allowed, too; and Python numbers,
        rounded once in the region's mode.
    c : array_like of bool or integers, broadcast
        With vectors: short, ushort or bool. Results of comparisons are always allowed.
    out : array of the result's dtype, optional
        The array that receives the result.
    where : array_like of bool, broadcast, optional
        The elements to compute, as for every NumPy ufunc.

    Returns
    -------
    half or float16 array
        float16 if both ``a`` and ``b`` are, or one of them and the other a Python number; else
        half. A vector if any argument is.

    Raises
    ------
    TypeError
        If ``a`` or ``b`` does not convert exactly to half, or ``c`` or ``out`` has
        another dtype.
    ValueError
        If shapes do not broadcast, or vectors have several widths.

    Notes
    -----
    If any argument is a vector, the most significant bit of each component of
    ``c`` chooses, else whether it is zero. A bool is a truth in both cases.

    Accuracy: exact, bit by bit, for NaNs too. Raises no flag.

    Source: OpenCL C, Relational Functions; cl_khr_fp16.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> a = np.array([1, -2, 3], hc.half)
    >>> hc.select(a, -a, hc.isless(a, 0))
    array([1., 2., 3.], dtype=half)
    """
    width = _vector_width("select", a, b, c)
    x, y = _halves("select", "a", a), _halves("select", "b", b)
    dtype = _common_dtype(x, y, (type(a) in _PYTHON_NUMBERS, type(b) in _PYTHON_NUMBERS))
    condition = _top_bits(c) if width else _condition(c)
    choose = by_top_bit if width and condition.dtype != np.bool_ else by_truth
    operands = _view(x, _HALF), _view(y, _HALF), condition
    return _call("select", choose, operands, dtype, width, out, where)


@_with_fast_path(_by_bits)
def bitselect(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, /, out: object = None, *, where: ArrayLike = True
) -> Result:
    """Choose bit by bit: those of b where c has a 1, else those of a.

    Parameters
    ----------
    a, b, c : array_like of half, float16, int16 or uint16, any shape, broadcast
        Each is read as its bits. Python floats are halves; integers, which might be meant as
        bits, need a dtype.
    out : array of the dtype of ``a``, optional
        The array that receives the result.
    where : array_like of bool, broadcast, optional
        The elements to compute, as for every NumPy ufunc.

    Returns
    -------
    array of the dtype of ``a``
        A vector if any argument is.

    Raises
    ------
    TypeError
        If an argument or ``out`` has another dtype.
    ValueError
        If shapes do not broadcast, or vectors have several widths.

    Notes
    -----
    Accuracy: exact. NaNs are bits like others. Raises no flag.

    Source: OpenCL C, Relational Functions; cl_khr_fp16.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.bitselect(hc.half(1.5), hc.half(-2), np.uint16(0x8000))  # the sign of the other
    half(-1.5)
    """
    width = _vector_width("bitselect", a, b, c)
    columns = [_bits("bitselect", name, x) for name, x in zip("abc", (a, b, c), strict=True)]
    dtype = columns[0].dtype
    patterns = tuple(_view(column, _USHORT) for column in columns)
    return _call("bitselect", _by_bits, patterns, dtype, width, out, where)


def _bits(name: str, argument: str, x: object) -> Array:
    """Convert an argument to an array with a dtype of 16 bits."""
    array = as_native(np.asarray(_plain(x), _HALF if type(x) is float else None))
    if array.dtype not in _HALVES | _SHORTS:
        raise TypeError(
            f"{name}: argument {argument}: expected half, float16, int16 or uint16, "
            f"got {array.dtype}"
        )
    return array


# ---------------------------------------------------------------- any, all

_ANY_OR_ALL_DOC = """{name}(x, /, *, axis=None, keepdims=False)

Return whether {name} of the components are true.

Parameters
----------
x : vector of signed integers; or array_like of bool or integers
axis, keepdims
    The same as for ``numpy.{name}``; only if ``x`` is not a vector.

Returns
-------
int32, or int32 array
    For vectors: 1 if the most significant bit is set in {name} of the components
    (the last axis), else 0.
bool, or bool array
    For other arguments: whether {name} of the elements are not zero, as ``numpy.{name}``.

Raises
------
TypeError
    If ``x`` is neither bool nor integers, or a vector is not of signed integers
    or given an axis.

Notes
-----
Accuracy: exact.

Source: OpenCL C, Relational Functions.

Examples
--------
>>> import numpy as np, halfcl as hc
>>> hc.{name}(hc.isless(np.array([-1, 2], hc.half), 0))
np.{result}_
"""


def _make_any_or_all(
    name: str, combine: Callable[..., NDArray[np.bool_] | np.bool_]
) -> Callable[..., object]:
    def gather(x: ArrayLike, /, *, axis: object = None, keepdims: bool = False) -> Result:
        array: Array = np.asarray(_plain(x))
        if not width_of(x):
            if array.dtype.kind not in "biu":
                raise TypeError(
                    f"{name}: argument x: expected bool or integers, got {array.dtype}: OpenCL's "
                    f"{name}(x) takes what comparisons give, numpy.{name}(x) any numbers"
                )
            return combine(array, axis=axis, keepdims=keepdims)
        if array.dtype.kind != "i":
            raise TypeError(
                f"{name}: argument x: expected a vector of signed integers, got {array.dtype}; "
                f"HLSL's {name}(x) is {name}(x != 0)"
            )
        if axis is not None or keepdims:
            raise TypeError(f"{name}: expected neither axis nor keepdims with a vector")
        return combine(array < 0, axis=-1).astype(np.int32)

    gather.__name__ = gather.__qualname__ = name
    gather.__doc__ = _ANY_OR_ALL_DOC.format(name=name, result=name == "any")
    return dispatch_to_library(gather)


any_ = _make_any_or_all("any", np.any)
all_ = _make_any_or_all("all", np.all)

#: The functions, by OpenCL's names.
FUNCTIONS = {"select": select, "bitselect": bitselect, "any": any_, "all": all_}
