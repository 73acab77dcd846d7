"""OpenCL's miscellaneous vector functions: shuffle, shuffle2, vec_step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._support.foreign import dispatch_to_library
from halfcl.vectors._registry import as_plain, as_vector, width_of

_WIDTHS = (2, 4, 8, 16)


def _check_axis(function: str, argument: str, x: ArrayLike) -> NDArray[Any]:
    """Return an argument as an array whose last axis may be shuffled."""
    array: NDArray[Any] = np.asanyarray(x)
    if array.ndim == 0 or array.shape[-1] not in _WIDTHS:
        raise ValueError(
            f"{function}: argument {argument}: expected a last axis of length 2, 4, 8 or 16, "
            f"got shape {array.shape}"
        )
    return array


def _check_mask(function: str, mask: ArrayLike, element: np.dtype[Any]) -> NDArray[Any]:
    """Return the mask as an array of unsigned integers of the elements' size."""
    expected = np.dtype(f"u{element.itemsize}")
    try:
        array = np.asarray(mask) if hasattr(mask, "dtype") else np.asarray(mask, dtype=expected)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{function}: argument mask: expected {expected}, got {mask!r:.80}") from None
    if array.dtype != expected:
        raise TypeError(
            f"{function}: argument mask: expected {expected}, of the size of {element}, "
            f"got {array.dtype}"
        )
    return _check_axis(function, "mask", array)


def _pick(x: NDArray[Any], mask: NDArray[Any]) -> NDArray[Any]:
    """Return the components of x that the low bits of the mask number."""
    lead = np.broadcast_shapes(x.shape[:-1], mask.shape[:-1])
    x = np.broadcast_to(x, (*lead, x.shape[-1]))
    positions = np.broadcast_to(mask & (x.shape[-1] - 1), (*lead, mask.shape[-1]))
    return np.take_along_axis(x, positions.astype(np.intp), axis=-1)


def _like_argument(result: NDArray[Any], x: object) -> NDArray[Any]:
    """Return vectors if the argument was one, else a plain array."""
    return as_vector(result, result.shape[-1]) if width_of(x) else result


@dispatch_to_library
def shuffle(x: ArrayLike, mask: ArrayLike) -> Any:
    """Put components of a vector into any order, any number of times.

    Parameters
    ----------
    x : vector, or array of last axis 2, 4, 8 or 16
        Any type. Other axes broadcast against the mask's.
    mask : vector, or array of last axis 2, 4, 8 or 16
        Unsigned integers of the size of x's elements (`ushort4` for `half4`), or a
        list: the number of the component for each place. Only the low bits that are
        needed to number x's components count.

    Returns
    -------
    vector of x's element type and the mask's width; an array if x is one

    Raises
    ------
    TypeError
        If the mask is not of unsigned integers of the elements' size.
    ValueError
        If a last axis has another length.

    See Also
    --------
    shuffle2 : picks components of two vectors.

    Notes
    -----
    Source: OpenCL C, Miscellaneous Vector Functions.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.shuffle(hc.half4(1, 2, 3, 4), hc.ushort8(3, 2, 1, 0, 0, 0, 5, 4))
    half8([4., 3., 2., 1., 1., 1., 2., 1.])
    """
    array = _check_axis("shuffle", "x", x)
    positions = _check_mask("shuffle", mask, array.dtype)
    plain = as_plain(array)
    return _like_argument(_pick(plain, positions), array)


@dispatch_to_library
def shuffle2(x: ArrayLike, y: ArrayLike, mask: ArrayLike) -> Any:
    """Pick components of two vectors, in any order, any number of times.

    Parameters
    ----------
    x, y : vectors, or arrays of last axis 2, 4, 8 or 16
        Have one type and width; the numbers of y's components follow those of x's.
    mask : vector, or array of last axis 2, 4, 8 or 16
        As for `shuffle`.

    Returns
    -------
    vector of the element type of x and y, and the mask's width; an array if x is one

    Raises
    ------
    TypeError
        If x and y have different types, or the mask is not of unsigned integers of
        the elements' size.
    ValueError
        If a last axis has another length, or those of x and y differ.

    See Also
    --------
    shuffle : picks components of one vector.

    Notes
    -----
    Source: OpenCL C, Miscellaneous Vector Functions.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.shuffle2(hc.half2(1, 2), hc.half2(3, 4), hc.ushort4(3, 0, 2, 1))
    half4([4., 1., 3., 2.])
    """
    first, second = _check_axis("shuffle2", "x", x), _check_axis("shuffle2", "y", y)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"shuffle2: argument y: expected a last axis of length {first.shape[-1]}, as x's, "
            f"got shape {second.shape}"
        )
    if first.dtype != second.dtype:
        raise TypeError(f"shuffle2: argument y: expected {first.dtype}, as x's, got {second.dtype}")
    positions = _check_mask("shuffle2", mask, first.dtype)
    lead = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    both = [np.broadcast_to(as_plain(a), (*lead, a.shape[-1])) for a in (first, second)]
    return _like_argument(_pick(np.concatenate(both, axis=-1), positions), first)


def vec_step(a: object) -> int:
    """Return the number of elements that a scalar or vector occupies in memory.

    Parameters
    ----------
    a : scalar, vector, or type
        A value or a class, as `half` or `half4`.

    Returns
    -------
    int
        1 for a scalar, the width of a vector, 4 for a vector of three.

    Notes
    -----
    Source: OpenCL C, Miscellaneous Vector Functions.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.vec_step(hc.half3), hc.vec_step(hc.half8(0)), hc.vec_step(1.5)
    (4, 8, 1)
    """
    width = width_of(a) or 1
    return 4 if width == 3 else width
