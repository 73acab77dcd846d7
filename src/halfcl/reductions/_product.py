"""The product of matrices, by exact dot products or by NumPy's product of float32."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halfcl import _core
from halfcl._opencl.conversion import convert
from halfcl._settings.regions import rounding as region
from halfcl._support.foreign import adapter_for
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import HALF, Array, Result
from halfcl.typing import RoundingMode

#: The most elements of a block of a factor or of the result, in float32; and the most products
#: per sum of a block.
BLOCK, LENGTH = 1 << 24, 1 << 14


def product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the product of arrays of two shapes; ValueError if there is none."""
    if not a or not b:
        raise ValueError(
            f"matmul: argument {'b' if a else 'a'}: expected an array with axes, got shape ()"
        )
    n = b[0] if len(b) == 1 else b[-2]
    if a[-1] != n:
        raise ValueError(
            f"matmul: argument b: expected {a[-1]} rows, as argument a has columns, got "
            f"shapes {a} and {b}"
        )
    try:
        stack = np.broadcast_shapes(a[:-2], b[:-2]) if max(len(a), len(b)) > 2 else ()
    except ValueError:
        raise ValueError(
            f"matmul: argument b: expected a stack of matrices that broadcasts with that of a, "
            f"got shapes {a} and {b}"
        ) from None
    return stack + a[-2:-1] * (len(a) > 1) + b[-1:] * (len(b) > 1)


def _as_floats(x: Array) -> Array:
    return arguments.as_halves(x).astype(np.float32)


#: Up to this product of the two arrays' sizes, one thread takes no longer for the exact product
#: than for one in float32; several threads share the work of the exact one better.
_SMALL = 1 << 24


def _matmul(a: Array, b: Array) -> Array:
    """Return the product of arrays of halves in float32."""
    # Some of OpenBLAS's kernels for Arm raise the divide flag, although they divide nothing.
    with np.errstate(divide="ignore"):
        return np.asarray(np.matmul(_as_floats(a), _as_floats(b)))


def _product_in_float(a: Array, b: Array) -> Array:
    """Return the product of two matrices in float32, adding up blocks one after the other."""
    n = a.shape[1]
    if n <= LENGTH:
        return _matmul(a, b)
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(0, n, LENGTH):
        total += _matmul(a[:, k : k + LENGTH], b[k : k + LENGTH])
    return total


def _to_half(x: Array, kind: np.dtype[Any], rounding: RoundingMode | None) -> Array:
    """Round floats once, in the mode or, if it is None, the region's."""
    halves: Array = x.astype(HALF) if rounding is None else convert(x, HALF, rounding=rounding)
    return halves if kind is HALF else halves.view(kind)


def _fill(out: Array, a: Array, b: Array, rounding: RoundingMode | None) -> None:
    """Write the product of two matrices to an array, block by block."""
    m, n = a.shape
    p = b.shape[1]
    some = max(1, BLOCK // max(1, min(n, LENGTH)))
    rows = min(m, some)
    columns = min(p, some, max(1, BLOCK // max(1, rows)))
    for i in range(0, m, rows):
        for j in range(0, p, columns):
            block = _product_in_float(a[i : i + rows], b[:, j : j + columns])
            out[i : i + rows, j : j + columns] = _to_half(block, out.dtype, rounding)


def _multiply_in_float(
    a: Array, b: Array, shape: tuple[int, ...], kind: np.dtype[Any], rounding: RoundingMode | None
) -> Array:
    if max(a.size, b.size, math.prod(shape)) <= BLOCK and a.shape[-1] <= LENGTH:
        return _to_half(_matmul(a, b), kind, rounding)
    a = a if a.ndim > 1 else a[np.newaxis]
    b = b if b.ndim > 1 else b[:, np.newaxis]
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, stack + a.shape[-2:])
    b = np.broadcast_to(b, stack + b.shape[-2:])
    product = np.empty((*stack, a.shape[-2], b.shape[-1]), kind)
    for index in np.ndindex(stack):
        _fill(product[index], a[index], b[index], rounding)
    return product.reshape(shape)


def _multiply_exactly(
    a: Array, b: Array, kind: np.dtype[Any], rounding: RoundingMode | None
) -> Array:
    a, b = (arguments.as_halves(x).view(HALF) for x in (a, b))
    if rounding is None:
        product = np.matmul(a, b)
    else:
        with region(rounding):
            product = np.matmul(a, b)
    return np.asarray(product).view(kind)


def _largest_small_product() -> int:
    return _SMALL * _core.threads_of_call() ** 3


def _are_plain(a: object, b: object) -> bool:
    """Return whether both are arrays of half, and of no subclass of `numpy.ndarray`."""
    return type(a) is type(b) is np.ndarray and a.dtype is b.dtype is HALF


def matmul(
    a: ArrayLike,
    b: ArrayLike,
    /,
    out: Array | None = None,
    *,
    exact: bool = True,
    rounding: RoundingMode | None = None,
) -> Result:
    """Return the product of matrices.

    Parameters
    ----------
    a, b : array_like of half or float16, with axes
        Matrices, stacks of matrices or one-dimensional arrays, as for ``numpy.matmul``. Bool, int8
        and uint8, which are exact in half, are accepted too.
    out : array of the result's dtype and shape, optional
        The array to which the result is written.
    exact : bool, optional
        Whether each element must be the exact sum of its products, rounded once, as for ``a @ b``.
        With False large products are added up in float32: faster on few cores, with its errors.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        Without it the mode is the region's, as for operators.

    Returns
    -------
    array of half, or half
        float16 if both arguments are.

    Raises
    ------
    TypeError
        If an argument's dtype is not exact in half, or the argument has a mask.
    ValueError
        If shapes do not fit.

    Notes
    -----
    Accuracy: correctly rounded, and independent of order, layout and library. With
    ``exact=False``: products of halves are exact in float32. NumPy's BLAS adds them up in float32
    in an unspecified order: the error of a sum of n products is at most n 2^-24 / (1 - n 2^-24)
    times the sum of their magnitudes. The sum is then rounded to half once. If all partial sums are
    multiples of one power of two and below 2^24 times it, as integers up to 2^24 are, the sum is
    exact. No intermediate result overflows.

    Besides the arguments and the result, at most some 200 MiB of memory are used.

    Source: NumPy's ``matmul``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> a = np.array([[300, 300], [1, 2]], hc.half)
    >>> hc.matmul(a, np.array([[300, 1], [-300, 1]], hc.half))
    array([[   0.,  600.],
           [-300.,    3.]], dtype=half)
    """
    adapter = adapter_for(type(a)) or adapter_for(type(b))
    if adapter is not None:
        return adapter.matmul(a, b, out, exact, rounding)
    if rounding is not None:
        _core.check_mode(rounding)
    elif (
        out is None
        and _are_plain(a, b)
        and (exact or np.size(a) * np.size(b) <= _largest_small_product())
    ):
        with suppress(ValueError):  # the checks below raise it with its cause
            return np.matmul(a, b)
    first, second = arguments.numbers("matmul", "a", a), arguments.numbers("matmul", "b", b)
    kind = arguments.result_dtype("matmul", None, (first, second))
    shape = product_shape(first.shape, second.shape)
    target = None if out is None else arguments.output("matmul", out, kind, shape)
    if exact:
        product = _multiply_exactly(first, second, kind, rounding)
    else:
        product = _multiply_in_float(first, second, shape, kind, rounding)
    if target is None:
        return product if shape else product[()]
    np.copyto(target, product)
    return target
