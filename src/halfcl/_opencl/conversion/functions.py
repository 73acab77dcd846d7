"""The function convert, and OpenCL's named conversions, such as convert_half4_rtp."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core
from halfcl._opencl.conversion.exact import converter
from halfcl._settings.regions import MODES, rounding as _region
from halfcl._support.foreign import dispatch_to_library
from halfcl._support.results import Result
from halfcl._tables import signatures
from halfcl._tables.types import FLOATING, LETTERS, SCALAR_TYPES, WIDTHS
from halfcl.typing import RoundingMode
from halfcl.vectors._registry import as_vector

if TYPE_CHECKING:
    from halfcl._annotations import Several
    from halfcl.vectors._vector import Vector

half = _core.half

_Scalar = TypeVar("_Scalar", bound=np.generic)
_SomeVector = TypeVar("_SomeVector", bound="Vector")
#: What converts to a scalar.
_One: TypeAlias = str | bytes | SupportsFloat

_DOC = """{name}(x, /, *, {keyword}out=None, where=True)

Convert numbers of any type to OpenCL's ``{target}``{how}.

Parameters
----------
x : array_like of bool, integers, half, float16, float32 or float64, any shape{width}
    Python numbers of any size, long doubles and arrays of objects are allowed, too, each at its
    exact value, though slowly.
{rounding_doc}out, where, ...
    The usual arguments of a NumPy ufunc.

Returns
-------
{result}, the shape of ``x``

Raises
------
TypeError
    If ``x`` are no real numbers.
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

_FLOATING_EDGE = (
    "Too large numbers overflow, results below the normal numbers that are inexact underflow, "
    "and raise that flag."
)

_EDGE = {
    "floating": _FLOATING_EDGE,
    "integer": "From integers the low bits are stored, and nothing is raised. Another number "
    "outside the type's range raises the invalid flag; the low bits of the integer that it is "
    "rounded to are stored, for infinities and NaN the pattern 10…0 (0 in 8 and 16 bits).",
    "saturated": "Values outside the type's range give its nearest end, NaN gives 0; no flag.",
}

_ROUNDING_DOC = """rounding : {{"rte", "rtz", "rtp", "rtn"}} or array of them, broadcast, optional
    The rounding mode; {default} unless given. An array, of names or of places in `MODES`,
    gives each element its own.
"""

_DEFAULTS = {"half": "the region's", "float": '"rte", whatever the region', "integer": '"rtz"'}
_DEFAULTS["double"] = _DEFAULTS["float"]


def _docstring(name: str, target: str, saturate: bool, mode: str, width: int) -> str:
    default = _DEFAULTS.get(target, _DEFAULTS["integer"])
    kind = "saturated" if saturate else "floating" if target in FLOATING else "integer"
    return _DOC.format(
        name=name,
        keyword="" if mode else "rounding=None, ",
        target=target,
        how=f" in mode {mode}" if mode else "",
        width=f" whose last axis has length {width}" if width else "",
        width_error=", or the last axis has another length" if width else "",
        rounding_doc="" if mode else _ROUNDING_DOC.format(default=default),
        dtype=SCALAR_TYPES[target],
        result=f"{target}{width}" if width else f"array of {SCALAR_TYPES[target]}",
        length=width or 4,
        edge=_EDGE[kind],
    )


def _kernels(target: str, saturate: bool) -> list[tuple[str, str]]:
    """Return the kernels, with their types, of the conversion to an OpenCL type.

    NumPy searches them in this order: half comes first.
    """
    name = "convert_sat" if saturate else "convert"
    sources = dict.fromkeys([*(LETTERS[x] for x in FLOATING), "?", *LETTERS.values()])
    kernels = [(name, f"{source}>{LETTERS[target]}") for source in sources]
    return [("positive", "e>e") if types == "e>e" else (name, types) for name, types in kernels]


def _make_ufunc(name: str, target: str, saturate: bool, mode: RoundingMode) -> np.ufunc:
    doc = _docstring(name, target, saturate, mode, 0)
    kernels = _kernels(target, saturate)
    ufunc = _core.make_ufunc(name, doc, mode, kernels, result_is_half=True, promotes=False)
    _core.add_exact_loops(ufunc, SCALAR_TYPES[target], converter(ufunc, target, mode, saturate))
    return ufunc


def _make_function(target: str, saturate: bool) -> _core.Function:
    """Make ``convert_<target>[_sat]``, a Function whose ufuncs are named with the mode."""
    name = f"convert_{target}{'_sat' if saturate else ''}"
    function = _core.make_function(
        name,
        _docstring(name, target, saturate, "", 0),
        [_make_ufunc(f"{name}_{mode}", target, saturate, mode) for mode in MODES],
        "operator" if target == "half" else "exact",
        "rte" if target in FLOATING else "rtz",
        prepare=_core.number_array,
    )
    function.__signature__ = signatures.conversion_signature(takes_rounding=True)
    return function


_functions: dict[tuple[str, bool], _core.Function] = {}


def conversion_to(target: str, saturate: bool = False) -> _core.Function:
    """Return the conversion to an OpenCL type; make it on first use."""
    key = target, saturate
    function = _functions.get(key)
    # Keep the object of the thread that was first, since functions pickle by identity.
    return _functions.setdefault(key, _make_function(*key)) if function is None else function


# ---------------------------------------------------------------- by type


#: A cache of `_resolve_target` for classes: names, widths, and whether they are float16.
_CLASSES: dict[type, tuple[str, int, bool]] = {}


def _target(dtype: DTypeLike | None) -> tuple[str, int, bool]:
    """Return OpenCL's name of a type, its width (0 for scalars), and whether it is float16."""
    if isinstance(dtype, str) and dtype in SCALAR_TYPES:
        return dtype, 0, False
    if not isinstance(dtype, type):
        return _resolve_target(dtype)
    if dtype not in _CLASSES:
        _CLASSES[dtype] = _resolve_target(dtype)
    return _CLASSES[dtype]


def _resolve_target(dtype: DTypeLike | None) -> tuple[str, int, bool]:
    try:
        wanted = np.dtype(object if dtype is None else dtype)  # NumPy reads None as float64
    except TypeError:
        wanted = np.dtype(object)
    element, shape = wanted.base, wanted.shape
    width = shape[0] if len(shape) == 1 and shape[0] in WIDTHS else 0
    if element == np.float16 and element.type is np.float16:
        name = "half"
    else:
        name = next((key for key, known in SCALAR_TYPES.items() if element == known), "")
    if not name or (shape and not width):
        raise TypeError(
            f"dtype: expected one of {', '.join(SCALAR_TYPES)} or the NumPy dtype of one, or a "
            f"vector type, got {dtype!r}"
        )
    return name, width, element.type is np.float16


def check_target(dtype: DTypeLike, saturate: bool) -> tuple[str, int]:
    """Return OpenCL's name of a type and its width; raise an error if it cannot saturate.

    The width of scalars is 0.
    """
    target, width, _ = _target(dtype)
    if not isinstance(saturate, bool | np.bool):
        raise TypeError(f"saturate: expected a bool, got {saturate!r}")
    if saturate and target in FLOATING:
        raise ValueError(
            f"saturate: allowed for integer types only (char, uchar, … ulong), got {target!r}"
        )
    return target, width


_Mode: TypeAlias = RoundingMode | None
_Rounding: TypeAlias = RoundingMode | NDArray[Any] | None


@overload
def convert(
    x: Vector, dtype: DTypeLike = ..., *, rounding: _Rounding = None, saturate: bool = False
) -> Any: ...
@overload
def convert(  # type: ignore[overload-overlap]  # an array has __float__, too
    x: Several, dtype: type[half] = ..., *, rounding: _Rounding = None, saturate: bool = False
) -> NDArray[half]: ...
@overload
def convert(  # type: ignore[overload-overlap]
    x: Several,
    dtype: type[_Scalar] | np.dtype[_Scalar],
    *,
    rounding: _Rounding = None,
    saturate: bool = False,
) -> NDArray[_Scalar]: ...
@overload
def convert(
    x: _One, dtype: type[half] = ..., *, rounding: _Mode = None, saturate: bool = False
) -> half: ...
@overload
def convert(
    x: _One,
    dtype: type[_Scalar] | np.dtype[_Scalar],
    *,
    rounding: _Mode = None,
    saturate: bool = False,
) -> _Scalar: ...
@overload
def convert(
    x: Several,
    dtype: type[_SomeVector],
    *,
    rounding: _Rounding = None,
    saturate: bool = False,
) -> _SomeVector: ...
@overload
def convert(
    x: Several | _One,
    dtype: DTypeLike = ...,
    *,
    rounding: _Rounding = None,
    saturate: bool = False,
) -> Any: ...
@dispatch_to_library
def convert(
    x: object, dtype: DTypeLike = half, *, rounding: _Rounding = None, saturate: bool = False
) -> Any:
    """Convert between any of OpenCL's scalar types, rounding once.

    Parameters
    ----------
    x : array_like
        Any real numbers: bool, integers, half, float16 to float64, vectors of them; long
        doubles, Python numbers of any size (also ``Fraction`` and ``Decimal``), arrays of
        such objects. To half, text as well.
    dtype : dtype or str, optional
        The destination, half unless given: a NumPy dtype from int8 to float64, `half`, float16,
        OpenCL's name (``"char"``, ``"ulong"``, …), or a vector type (`int4`), for
        which the last axis of ``x`` has its length.
    rounding : {"rte", "rtz", "rtp", "rtn"} or array of them, broadcast, optional
        The rounding mode. Unless given, the region's to half, ``"rte"`` to float
        and double, ``"rtz"`` to integers. An array, of names or of places in `MODES`,
        gives each element its own.
    saturate : bool, optional
        To integers: whether values outside the range give its nearest end and
        NaN gives 0.

    Returns
    -------
    ndarray or scalar of ``dtype``, the shape of ``x``, with modes the one that both broadcast to

    Raises
    ------
    ValueError
        If the rounding mode is unknown, ``saturate`` is asked for with a
        floating destination, or the last axis does not fit a vector type.
    TypeError
        If ``dtype`` is none of the types above, or ``x`` are no real numbers.

    See Also
    --------
    parse : from text.

    Notes
    -----
    Accuracy: correctly rounded from the exact value. To half, float and double, overflow and
    underflow are raised as by arithmetic. To integers without ``saturate``, integers wrap and
    raise nothing; other values outside the range raise the invalid flag, and the low bits of
    the integer that they are rounded to are stored (of infinities and NaN the pattern 10…0,
    in 8 and 16 bits 0). Source: OpenCL C, Explicit Conversions; cl_khr_fp16, "Conversions".

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> hc.convert([0.1, 1/3], hc.half, rounding="rtp")
    array([0.10004, 0.3335 ], dtype=half)
    >>> hc.convert(np.array([1.5, -300], hc.half), np.int8, saturate=True)
    array([   1, -128], dtype=int8)
    >>> int(hc.convert(2**24 + 1, "float", rounding="rtp"))
    16777218
    >>> hc.convert([0.5, 1.5, 2.5, 300], hc.uchar4, rounding="rte", saturate=True)
    uchar4([  0,   2,   2, 255])
    """
    target, width = check_target(dtype, saturate)
    if rounding is not None and not isinstance(rounding, np.ndarray):
        _core.check_mode(rounding)
    array = _numbers(x, target)
    if width:
        array = check_width("convert", array, width)
    result = _convert(array, target, saturate, rounding)
    if _target(dtype)[2]:  # float16
        return result.view(np.float16)
    return as_vector(result, width) if width else result


def _convert(array: NDArray[Any], target: str, saturate: bool, rounding: _Rounding) -> Result:
    """Convert the array to an OpenCL type; broadcast it with an array of modes."""
    is_long_double = _is_long_double(array.dtype)
    if isinstance(rounding, np.ndarray) and (array.dtype.kind in "SUO" or is_long_double):
        return _core.in_each_mode(
            lambda x, mode: _convert(x, target, saturate, mode),
            array,
            rounding,
            SCALAR_TYPES[target],
        )
    if array.dtype.kind in "SU" or (target == "half" and is_long_double):
        # Use halfcl's casts, which read these types faster.
        with _region(rounding or _core.get_rounding()):  # type: ignore[arg-type]
            return array.astype(half)[()]
    return conversion_to(target, saturate)(array, rounding=rounding)


def _is_long_double(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "f" and dtype.itemsize > 8


def _numbers(x: object, target: str) -> NDArray[Any]:
    """Return the argument of convert as an array, if its type can be converted to a type."""
    array = _core.number_array(x)
    if array.dtype.kind not in ("biufOSU" if target == "half" else "biufO"):
        text = " or text" if target == "half" else ""
        raise TypeError(f"x: expected real numbers{text} to convert to {target}, got {array.dtype}")
    return array


# ---------------------------------------------------------------- by name

_NAME = re.compile(
    r"convert_(?P<target>[a-z]+?)(?P<width>2|3|4|8|16)?(?P<sat>_sat)?(?:_(?P<mode>rt[ezpn]))?"
)


def check_width(name: str, array: NDArray[Any], width: int) -> NDArray[Any]:
    """Return the array if its last axis has the width of a vector, else raise ValueError."""
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(
            f"{name}: argument x: expected a last axis of length {width}, got shape {array.shape}"
        )
    return array


def _with_width(
    name: str, function: Callable[..., NDArray[Any]], width: int, doc: str
) -> Callable[..., object]:
    """Return a conversion of vectors of a width, which an array's last axis may also be."""

    def convert_vectors(x: ArrayLike, /, out: object = None, **kwargs: object) -> Result:
        result = function(check_width(name, _core.number_array(x), width), out=out, **kwargs)
        return as_vector(result, width) if out is None else result

    signature = signatures.conversion_signature(isinstance(function, _core.Function))
    convert_vectors.__signature__ = signature  # type: ignore[attr-defined]
    convert_vectors.__name__ = convert_vectors.__qualname__ = name
    convert_vectors.__module__ = "halfcl"
    convert_vectors.__doc__ = doc
    return dispatch_to_library(convert_vectors)


def make(name: str) -> Callable[..., object] | None:
    """Return the function ``halfcl.convert_<…>``, or None if OpenCL has no such name."""
    match = _NAME.fullmatch(name)
    if match is None or match["target"] not in SCALAR_TYPES:
        return None
    target, saturate = match["target"], match["sat"] is not None
    if saturate and target in FLOATING:
        return None
    function: Callable[..., NDArray[Any]] = conversion_to(target, saturate)
    if match["mode"]:
        function = getattr(function, match["mode"])
    if match["width"]:
        width = int(match["width"])
        doc = _docstring(name, target, saturate, match["mode"] or "", width)
        return _with_width(name, function, width, doc)
    return function


def names() -> list[str]:
    """Return every ``convert_*`` name."""
    return [
        f"convert_{target}{width}{sat}{mode}"
        for target in SCALAR_TYPES
        for width in ("", *map(str, WIDTHS))
        for sat in (("",) if target in FLOATING else ("", "_sat"))
        for mode in ("", *(f"_{mode}" for mode in MODES))
    ]
