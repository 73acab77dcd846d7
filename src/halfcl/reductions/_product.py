"""The product of matrices, by NumPy's of float32 or by exact dot products."""

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

#: Elements of a block of a factor or of the result, in float32; and how many products a block
#: adds up.
BLOCK, LENGTH = 1 << 24, 1 << 14


def product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the product of arrays of these."""
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


def _wide(x: Array) -> Array:
    return arguments.as_halves(x).astype(np.float32)


#: Up to so many elements of one array times those of the other, exact products take no longer by
#: one thread; by several they are divided better.
_SMALL = 1 << 24


def _matmul(a: Array, b: Array) -> Array:
    """Of arrays of halves, in float. Nothing is divided, but some of OpenBLAS's kernels for Arm
    leave that exception behind."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.matmul(_wide(a), _wide(b)))


def _product_in_float(a: Array, b: Array) -> Array:
    """Of two matrices, as float32; the sums of blocks are added one after the other."""
    n = a.shape[1]
    if n <= LENGTH:
        return _matmul(a, b)
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(0, n, LENGTH):
        total += _matmul(a[:, k : k + LENGTH], b[k : k + LENGTH])
    return total


def _to_half(x: Array, kind: np.dtype[Any], rounding: RoundingMode | None) -> Array:
    """Floats, rounded once in the mode or the region's."""
    halves: Array = x.astype(HALF) if rounding is None else convert(x, HALF, rounding=rounding)
    return halves if kind is HALF else halves.view(kind)


def _fill(out: Array, a: Array, b: Array, rounding: RoundingMode | None) -> None:
    """The product of two matrices, block by block."""
    m, n = a.shape
    p = b.shape[1]
    some = max(1, BLOCK // max(1, min(n, LENGTH)))
    rows = min(m, some)
    columns = min(p, some, max(1, BLOCK // max(1, rows)))
    for i in range(0, m, rows):
        for j in range(0, p, columns):
            part = _product_in_float(a[i : i + rows], b[:, j : j + columns])
            out[i : i + rows, j : j + columns] = _to_half(part, out.dtype, rounding)


def _fast(
    a: Array, b: Array, shape: tuple[int, ...], kind: np.dtype[Any], rounding: RoundingMode | None
) -> Array:
    if max(a.size, b.size, math.prod(shape)) <= BLOCK and a.shape[-1] <= LENGTH:
        return _to_half(_matmul(a, b), kind, rounding)
    left = a if a.ndim > 1 else a[np.newaxis]
    right = b if b.ndim > 1 else b[:, np.newaxis]
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, stack + left.shape[-2:])
    right = np.broadcast_to(right, stack + right.shape[-2:])
    found = np.empty((*stack, left.shape[-2], right.shape[-1]), kind)
    for place in np.ndindex(stack):
        _fill(found[place], left[place], right[place], rounding)
    return found.reshape(shape)


def _exact(a: Array, b: Array, kind: np.dtype[Any], rounding: RoundingMode | None) -> Array:
    left, right = (arguments.as_halves(x).view(HALF) for x in (a, b))
    if rounding is None:
        found = np.matmul(left, right)
    else:
        with region(rounding):
            found = np.matmul(left, right)
    return np.asarray(found).view(kind)


def _small() -> int:
    return _SMALL * _core.threads_of_call() ** 3


def _are_plain(a: object, b: object) -> bool:
    """Whether both are arrays of half, and of no class that derives from it."""
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
    """Product of matrices.

    Parameters
    ----------
    a, b : array_like of half or float16, with axes
        Matrices, stacks of matrices or one-dimensional arrays, as ``numpy.matmul`` takes them.
        Bool, int8 and uint8, which are exact in half, are taken too.
    out : array of the result's dtype and shape, optional
        Where the result goes.
    exact : bool, optional
        Whether each element must be the exact sum of its products, rounded once, as of ``a @ b``.
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
        If an argument is of a dtype that is not exact in half, or has a mask.
    ValueError
        If shapes do not fit.

    Notes
    -----
    Accuracy: correctly rounded, and independent of order, layout and library. With
    ``exact=False``: products of halves are exact in float32. NumPy's library adds them up in
    float32, in an order of its own: n of them within n 2^-24 / (1 - n 2^-24) of the sum of their
    magnitudes; that is then rounded once. Where every partial sum is a multiple of some power of
    two below 2^24 times that, as with integers up to 2^24, nothing is rounded on the way. Nothing
    overflows on the way.

    Beside the arguments and the result at most some 200 MiB of memory are used.

    Source: NumPy's ``matmul``; OpenCL has none.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> a = np.array([[300, 300], [1, 2]], hc.half)
    >>> hc.matmul(a, np.array([[300, 1], [-300, 1]], hc.half))
    array([[   0.,  600.],
           [-300.,    3.]], dtype=half)
    """
    part = adapter_for(type(a)) or adapter_for(type(b))
    if part is not None:
        return part.matmul(a, b, out, exact, rounding)
    if rounding is not None:
        _core.check_mode(rounding)
    elif out is None and _are_plain(a, b) and (exact or np.size(a) * np.size(b) <= _small()):
        with suppress(ValueError):  # whose cause is told below
            return np.matmul(a, b)
    left, right = arguments.numbers("matmul", "a", a), arguments.numbers("matmul", "b", b)
    kind = arguments.result_dtype("matmul", None, (left, right))
    shape = product_shape(left.shape, right.shape)
    target = None if out is None else arguments.output("matmul", out, kind, shape)
    if exact:
        found = _exact(left, right, kind, rounding)
    else:
        found = _fast(left, right, shape, kind, rounding)
    if target is None:
        return found if shape else found[()]
    np.copyto(target, found)
    return target
