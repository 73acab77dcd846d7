"""Conversions between half and OpenCL's scalar types: convert, convert_*, as_*, parse."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core
from halfcl.regions import MODES
from halfcl.regions import rounding as _region

half = _core.half

#: OpenCL's scalar types as NumPy's, and the engine's letter for each.
SCALAR_TYPES: dict[str, np.dtype[Any]] = {
    "char": np.dtype(np.int8),
    "uchar": np.dtype(np.uint8),
    "short": np.dtype(np.int16),
    "ushort": np.dtype(np.uint16),
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "long": np.dtype(np.int64),
    "ulong": np.dtype(np.uint64),
    "half": np.dtype(half),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}

_LETTERS = dict(zip(SCALAR_TYPES, "bBhHiIqQefd", strict=True))

WIDTHS = (2, 3, 4, 8, 16)

_REINTERPRETED = ("half", "short", "ushort")


def _kernels(name: str, saturate: bool) -> list[tuple[str, str]]:
    """The kernels, with their types, behind the conversion to an OpenCL type."""
    if name != "half":
        return [("convert_sat" if saturate else "convert", f"e>{_LETTERS[name]}")]
    sources = "?" + "".join(letter for letter in _LETTERS.values() if letter != "e")
    return [("positive", "e>e"), *(("convert", f"{letter}>e") for letter in sources)]


def _governed(name: str) -> str:
    """What decides the default mode: the region to half, else "exact" or, to integers, rtz."""
    return "operator" if name == "half" else "exact"


_DOC = """{name}(x, /, *, {keyword}out=None, where=True)

Convert {source} to OpenCL's ``{target}``{how}.

Parameters
----------
x : array_like of {source}, any shape{width}
{rounding_doc}out, where, ...
    As for every NumPy ufunc.

Returns
-------
{result}, the shape of ``x``

Raises
------
TypeError
    If ``x`` has another dtype.
ValueError
    If the rounding mode is unknown{width_error}.

See Also
--------
convert : the same for any of the types, by argument.

Notes
-----
Accuracy: correctly rounded, once. {edge}

Source: OpenCL C, Explicit Conversions; cl_khr_fp16.

Examples
--------
>>> import numpy as np, halfcl as hc
>>> hc.{name}(np.ones({length}, hc.half)).dtype
{dtype!r}
"""

_EDGE = {
    "half": "Too large numbers overflow and raise that flag.",
    "float": "Exact.",
    "double": "Exact.",
    "integer": "A value outside the type's range raises the invalid flag; the low bits of "
    "the integer are stored, for infinities and NaN the pattern 10…0 (0 in 8 and 16 bits).",
    "saturated": "Values outside the type's range give its nearest end, NaN gives 0; no flag.",
}

_ROUNDING_DOC = """rounding : {{"rte", "rtz", "rtp", "rtn"}}, optional
    The rounding mode; {default} unless given.
"""


def _docstring(name: str, target: str, saturate: bool, mode: str, width: int) -> str:
    integer = target not in ("half", "float", "double")
    default = "the region's" if target == "half" else '"rtz"'
    return _DOC.format(
        name=name,
        keyword="" if mode else "rounding=None, ",
        source="any number type" if target == "half" else "half or float16",
        target=target,
        how=f" in mode {mode}" if mode else "",
        width=f" whose last axis has length {width}" if width else "",
        width_error=", or the last axis has another length" if width else "",
        rounding_doc="" if mode else _ROUNDING_DOC.format(default=default),
        dtype=SCALAR_TYPES[target],
        result=f"{target}{width}" if width else f"array of {SCALAR_TYPES[target]}",
        length=width or 4,
        edge=_EDGE["saturated" if saturate else "integer" if integer else target],
    )


def _make_function(target: str, saturate: bool) -> _core.Function:
    """``convert_<target>[_sat]``: a Function, its ufuncs named with the mode."""
    name = f"convert_{target}{'_sat' if saturate else ''}"
    kernels = _kernels(target, saturate)
    ufuncs = {
        mode: _core.make_ufunc(
            f"{name}_{mode}",
            _docstring(f"{name}_{mode}", target, saturate, mode, 0),
            mode,
            kernels,
            result_is_half=True,
            promotes=target != "half",
        )
        for mode in MODES
    }
    return _core.Function(
        name, _docstring(name, target, saturate, "", 0), ufuncs.values(), _governed(target), "rtz"
    )


_functions: dict[tuple[str, bool], _core.Function] = {}


def conversion_to(target: str, saturate: bool = False) -> _core.Function:
    """The conversion to an OpenCL type, made when first asked for."""
    key = target, saturate
    if key not in _functions:
        _functions[key] = _make_function(*key)
    return _functions[key]


def _refuse_saturation(target: str) -> None:
    raise ValueError(
        f"saturate: allowed for integer types only (char, uchar, … ulong), got {target!r}"
    )


def _target_name(dtype: DTypeLike | str) -> str:
    """OpenCL's name of a destination type, given that name or a NumPy dtype."""
    if isinstance(dtype, str) and dtype in SCALAR_TYPES and dtype != "half":
        return dtype
    try:
        wanted = np.dtype(half) if dtype == "half" else np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted == np.float16:
        return "half"
    for name, candidate in SCALAR_TYPES.items():
        if wanted == candidate:
            return name
    raise TypeError(
        f"dtype: expected one of {', '.join(SCALAR_TYPES)} or the NumPy dtype of one, got {dtype!r}"
    )


def convert(
    x: ArrayLike, dtype: DTypeLike, rounding: str | None = None, saturate: bool = False
) -> Any:
    """Convert between half and any of OpenCL's scalar types, rounding once.

    Parameters
    ----------
    x : array_like
        Halves (or float16), to any type; or any numbers, to half.
    dtype : dtype or str
        The destination: a NumPy dtype from int8 to float64, `half`, float16, or
        OpenCL's name (``"char"``, ``"ulong"``, …).
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode. Unless given, the region's to half, and ``"rtz"`` to
        integers. Conversions to float and double are exact.
    saturate : bool, optional
        To integers: whether values outside the range give its nearest end and
        NaN gives 0.

    Returns
    -------
    ndarray or scalar of ``dtype``, the shape of ``x``

    Raises
    ------
    ValueError
        If the rounding mode is unknown, or ``saturate`` is asked for with a
        floating destination.
    TypeError
        If ``dtype`` is none of the types above, or neither side is half.

    See Also
    --------
    parse : from text.

    Notes
    -----
    Accuracy: correctly rounded. Without ``saturate`` a value outside an integer
    type's range raises the invalid flag. Source: OpenCL C, Explicit Conversions;
    cl_khr_fp16, "Conversions".

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.convert([0.1, 1/3], hc.half, rounding="rtp")
    array([0.10004, 0.3335 ], dtype=half)
    >>> hc.convert(np.array([1.5, -300], hc.half), np.int8, saturate=True)
    array([   1, -128], dtype=int8)
    """
    target = _target_name(dtype)
    if saturate and target in ("half", "float", "double"):
        _refuse_saturation(target)
    if rounding is not None:
        _core.check_mode(rounding)
    array = np.asanyarray(x)
    if target != "half":
        if array.dtype not in (np.dtype(half), np.dtype(np.float16)):
            raise TypeError(
                f"x: expected half or float16 to convert to {target}, got {array.dtype}"
            )
        return conversion_to(target, saturate)(array, rounding=rounding)
    result = _to_half(array, rounding)
    return result.view(np.float16) if dtype != "half" and np.dtype(dtype) == np.float16 else result


def _to_half(array: NDArray[Any], mode: str | None) -> Any:
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
        return conversion_to("half")(array, rounding=mode)
    if array.dtype.kind in "fOSU":  # long double, objects, text: NumPy's cast to half
        with _region(mode or _core.get_rounding()):
            return array.astype(half)[()]
    raise TypeError(f"x: expected numbers or text to convert to half, got {array.dtype}")


def parse(text: ArrayLike, rounding: str | None = None) -> Any:
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
        return half(text, rounding=rounding)
    array = np.asarray(text)
    if array.dtype.kind not in "USTO":
        raise TypeError(f"text: expected str or an array of str, got {array.dtype}")
    result = np.empty(array.shape, half)
    for index, item in np.ndenumerate(array):
        if not isinstance(item, str | bytes):
            raise TypeError(f"text: expected str, got {type(item).__name__} at index {index}")
        result[index] = half(item, rounding=rounding)
    return result[()]


_NAME = re.compile(
    r"convert_(?P<target>[a-z]+?)(?P<width>2|3|4|8|16)?(?P<sat>_sat)?(?:_(?P<mode>rt[ezpn]))?"
)
_AS_NAME = re.compile(r"as_(?P<target>[a-z]+?)(?P<width>2|3|4|8|16)?")


def _checked_width(name: str, x: Any, width: int) -> NDArray[Any]:
    array = np.asanyarray(x)
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(
            f"{name}: argument x: expected a last axis of length {width}, got shape {array.shape}"
        )
    return array


def _as_vectors(result: Any, width: int) -> Any:
    """A plain array's last axis as vectors."""
    from halfcl.vectors.registry import as_vector  # which is made of this module's types

    return as_vector(result, width)


def _with_width(
    name: str, function: Callable[..., Any], width: int, doc: str
) -> Callable[..., Any]:
    """A conversion that insists on vectors of a width, or takes an array's last axis as them."""

    def converted(x: ArrayLike, /, **kwargs: Any) -> Any:
        result = function(_checked_width(name, x, width), **kwargs)
        return result if kwargs.get("out") is not None else _as_vectors(result, width)

    converted.__name__ = converted.__qualname__ = name
    converted.__module__ = "halfcl"
    converted.__doc__ = doc
    return converted


def _make_convert(name: str) -> Any:
    """What ``halfcl.convert_<…>`` is; None if OpenCL has no such name."""
    match = _NAME.fullmatch(name)
    if match is None or match["target"] not in SCALAR_TYPES:
        return None
    target, saturate = match["target"], match["sat"] is not None
    if saturate and target in ("half", "float", "double"):
        return None
    function: Any = conversion_to(target, saturate)
    if match["mode"]:
        function = getattr(function, match["mode"])
    if match["width"]:
        width = int(match["width"])
        doc = _docstring(name, target, saturate, match["mode"] or "", width)
        function = _with_width(name, function, width, doc)
    return function


def _make_reinterpret(name: str) -> Any:
    """What ``halfcl.as_<…>`` is; None if OpenCL has no such name for half."""
    match = _AS_NAME.fullmatch(name)
    if match is None or match["target"] not in _REINTERPRETED:
        return None
    target, width = SCALAR_TYPES[match["target"]], int(match["width"] or 0)

    def reinterpret(x: ArrayLike, /) -> Any:
        array = np.asanyarray(x)
        if width == 3 and array.shape[-1:] == (4,):
            array = np.asarray(array)[..., :3]  # the one change of width that OpenCL defines
        array = _checked_width(name, array, width) if width else array
        allowed = [SCALAR_TYPES[t] for t in _REINTERPRETED] + [np.dtype(np.float16)]
        if array.dtype not in allowed:
            raise TypeError(
                f"{name}: argument x: expected half, float16, int16 or uint16, got {array.dtype}"
            )
        if array.ndim == 0:
            return array.view(target)[()]
        return _as_vectors(array.view(target), width) if width else array.view(target)

    reinterpret.__name__ = reinterpret.__qualname__ = name
    reinterpret.__module__ = "halfcl"
    reinterpret.__doc__ = (
        f"{name}(x, /)\n\nReinterpret the bits of x as {match['target']}, copying nothing.\n\n"
        "Parameters\n----------\nx : array of half, float16, int16 or uint16"
        f"{f', last axis of length {width}' if width else ''}"
        f"{' (or 4, the first three of it)' if width == 3 else ''}\n\n"
        f"Returns\n-------\nview of x as {name[3:] if width else target}\n\n"
        "Raises\n------\nTypeError\n    If x has another dtype.\n\n"
        "Notes\n-----\nSource: OpenCL C, Reinterpreting Types Using as_type(); cl_khr_fp16.\n\n"
        "Examples\n--------\n>>> import halfcl as hc\n"
        ">>> hex(hc.as_ushort(hc.half(1)))\n'0x3c00'\n"
    )
    return reinterpret


def names() -> list[str]:
    """Every ``convert_*`` and ``as_*`` name."""
    found = []
    for target in SCALAR_TYPES:
        for width in ("", *map(str, WIDTHS)):
            for sat in ("",) if target in ("half", "float", "double") else ("", "_sat"):
                found += [
                    f"convert_{target}{width}{sat}{m}" for m in ("", *(f"_{m}" for m in MODES))
                ]
    found += [f"as_{t}{w}" for t in _REINTERPRETED for w in ("", *map(str, WIDTHS))]
    return found


def make(name: str) -> Any:
    """The function of that name; None if there is none."""
    return _make_convert(name) or _make_reinterpret(name)
