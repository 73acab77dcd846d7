"""The function parse, which reads halves from text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._core import half
from halfcl.typing import RoundingMode

if TYPE_CHECKING:
    from halfcl._annotations import Nested

_Text: TypeAlias = np.str_ | np.bytes_ | np.object_


@overload
def parse(text: str | bytes, *, rounding: RoundingMode | None = None) -> half: ...
@overload
def parse(
    text: Nested[str | bytes] | NDArray[_Text], *, rounding: RoundingMode | None = None
) -> NDArray[half]: ...
def parse(text: object, *, rounding: RoundingMode | None = None) -> Any:
    """Read halves from decimal or hexadecimal text, rounding once however long it is.

    Parameters
    ----------
    text : str or array_like of str
        Literals: ``"1.5"``, ``"-2.5e-3h"``, ``"0x1.8p-3H"``, ``"inf"``, ``"nan"``.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Returns
    -------
    half or array of half, the shape of ``text``

    Raises
    ------
    ValueError
        If a text is no literal, or the rounding mode is unknown.
    TypeError
        If ``text`` is not text.

    Notes
    -----
    Accuracy: correctly rounded from the exact value of the text. Source: OpenCL
    C, cl_khr_fp16: the ``h`` suffix of literals.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.parse("0.1", rounding="rtp"), hc.parse("0.1", rounding="rtn")
    (half(0.10004), half(0.1))
    >>> hc.parse(["0x1.8p1h", "1e-8"])
    array([3., 0.], dtype=half)
    """
    if rounding is not None:
        _core.check_mode(rounding)
    if isinstance(text, str):
        return _read(text, rounding)
    array = np.asarray(text)
    if array.dtype.kind not in "USTO":
        raise TypeError(f"text: expected str or an array of str, got {array.dtype}")
    result = np.empty(array.shape, half)
    for index, item in np.ndenumerate(array):
        if not isinstance(item, str | bytes):
            raise TypeError(f"text: expected str, got {type(item).__name__} at index {index}")
        result[index] = _read(item, rounding)
    return result[()]


def _read(text: str | bytes, rounding: RoundingMode | None) -> half:
    """Read a literal, with neither underscores nor non-ASCII digits, which half allows."""
    literal = (text.decode("latin-1") if isinstance(text, bytes) else text).strip()
    if not literal.isascii() or "_" in literal:
        raise ValueError(f"could not convert string to half: {text!r}")
    return half(text, rounding=rounding)
