"""Brightness of pictures: a library that takes halves, and needs halfcl for one function alone.

It is the example of docs/howto/depend.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # for type checkers alone: nothing is imported when the library is
    from halfcl import half
    from halfcl.typing import RoundingMode

__all__ = ["brightness", "holds_halves", "shrink"]

#: Arrays of any dtype: halfcl's half is one of NumPy's dtypes.
Picture: TypeAlias = NDArray[Any]

WEIGHTS = (0.2126, 0.7152, 0.0722)  # of red, green and blue, as Rec. 709 has them


def brightness(picture: Picture) -> Picture:
    """Return each pixel's brightness, in the picture's own dtype.

    It calls NumPy alone. With halves NumPy calls halfcl's kernels by itself.
    """
    weights = np.array(WEIGHTS, dtype=picture.dtype)  # the dtype itself, not its name
    result: Picture = (picture * weights).sum(axis=-1)
    return result


def holds_halves(picture: Picture) -> bool:
    """Return whether elements have 16 bits, be they NumPy's float16 or halfcl's half."""
    return bool(np.issubdtype(picture.dtype, np.float16))


def shrink(picture: Picture, rounding: RoundingMode = "rte") -> NDArray[half]:
    """Return the picture in half precision, each number rounded once; needs halfcl."""
    try:
        import halfcl
    except ImportError as error:
        raise ImportError('shrink needs halfcl: pip install "luma[half]"') from error
    halves: NDArray[half] = halfcl.convert(picture, halfcl.half, rounding=rounding)
    return halves
