"""The docstrings of the table's functions."""

from __future__ import annotations

import numpy as np

from halfcl._tables import signatures
from halfcl._tables.row import Builtin

_TEMPLATE = """{name}{signature}

{summary}

Parameters
----------
{parameters}
rounding : {{"rte", "rtz", "rtp", "rtn"}} or array of them, broadcast, optional
    The rounding mode. {default}
    An array, of names or of places in `MODES`, gives each element its own.
{keywords}

Returns
-------
{returns}

Raises
------
TypeError
    If an argument's dtype does not convert exactly to what is expected
    (`convert` rounds to half), or ``out`` has the wrong dtype.
ValueError
    If a rounding mode is unknown, or {mismatch}.

Notes
-----
Accuracy: {accuracy}.

{edge_cases}
{twins}
Source: {spec}.

Examples
--------
{numpy}>>> import halfcl as hc
>>> from halfcl import half
{example}
"""

_DEFAULTS = {
    "operator": "The region's unless given.",
    "builtin": '"rte" unless given, or the region has ``builtins=True``.',
    "exact": "The result is exact: Python numbers among the arguments alone are rounded in it.",
}

_INTEGERS = "Python integers, lists of them"

_ARGUMENTS = {
    "e": "array_like of half or float16, any shape, broadcast\n"
    "    Bool, int8 and uint8, which are exact in half, are allowed, too; and Python numbers and\n"
    "    lists of them, each rounded once in the mode of ``rounding``, else in the region's (by\n"
    "    the ufuncs of one mode numbers alone, always in the region's).",
    "i": "array_like of int32, any shape, broadcast\n"
    f"    {_INTEGERS}, bool and narrower integers are allowed, too.",
    "H": f"array_like of uint16, any shape\n    {_INTEGERS}, bool and uint8 are allowed, too.",
    "h": f"array_like of int16, any shape\n    {_INTEGERS}, bool, int8 and uint8 are allowed, too.",
    "B": f"array_like of uint8, any shape\n    {_INTEGERS} and bool are allowed, too.",
    "b": f"array_like of int8, any shape\n    {_INTEGERS} and bool are allowed, too.",
}


#: The types of results by letter; of functions without arguments of halves, "e" is a half array.
_RESULTS = {
    "e": "half or float16 array",
    "i": "int32 array",
    **{c: f"{np.dtype(c)} array" for c in "bBhH"},
    "?": "bool array\n    Where an argument is a vector of halves: a vector of short, 0 or -1.",
}

_VECTORS = (
    "array_like of half or float16, vectors along an axis, the others broadcast\n"
    "    Bool, int8 and uint8, which are exact in half, are allowed, too, and lists of Python\n"
    "    numbers, each rounded once in the mode of ``rounding``, else in the region's."
)
_SCALARS = (
    " A\n"
    "    scalar, if it is not beside vectors, is a vector of one component: a Python number, too,\n"
    "    rounded as in lists."
)
_ELEMENTWISE_KEYWORDS = "out, where, axis, ...\n    The usual arguments of a NumPy ufunc."
_VECTOR_KEYWORDS = """axis : int, optional
    The axis of the vectors, of any length; the last one unless given.
{keepdims}out, axes, ...
    The usual arguments of a generalised NumPy ufunc."""
_KEEPDIMS = """keepdims : bool, optional
    Whether the result keeps the axis, with length 1.
"""


def _keywords(row: Builtin) -> str:
    if not row.signature:
        return _ELEMENTWISE_KEYWORDS
    return _VECTOR_KEYWORDS.format(keepdims=_KEEPDIMS if row.signature.endswith("()") else "")


def _parameters(row: Builtin) -> str:
    """Return the lines of the parameters, with neighbours of the same type in one line."""
    if row.signature:
        scalars = "" if row.name == "cross" else _SCALARS
        return f"{', '.join(row.argument_names)} : {_VECTORS}{scalars}"
    lines: dict[str, list[str]] = {}
    for letter, name in zip(row.inputs, row.argument_names, strict=True):
        lines.setdefault(letter, []).append(name)
    return "\n".join(f"{', '.join(names)} : {_ARGUMENTS[k]}" for k, names in lines.items())


def _returns(row: Builtin) -> str:
    """Return a line per result, and the condition under which halves are float16."""
    types = _RESULTS if "e" in row.inputs else {**_RESULTS, "e": "half array"}
    names = [f"{name} : " for name in row.results] or [""]
    lines = [name + types[c] for name, c in zip(names, row.outputs, strict=True)]
    if "e" in row.inputs and "e" in row.outputs:
        lines.append("    float16 if every array argument of halves is float16, else half.")
    return "\n".join(lines)


def _accuracy(row: Builtin) -> str:
    own = "exact" if row.ulp == 0 else "correctly rounded in every mode"
    if not row.opencl:
        return f"{own} (OpenCL has no such function)"
    if row.limit is None:
        return f"{own} (OpenCL sets no limit)"
    if row.limit == row.ulp:
        return f"{own}, as OpenCL demands"
    allowed = f"{row.limit:g} ulp" if isinstance(row.limit, float | int) else row.limit
    return f"{own} (OpenCL allows {allowed})"


def _twins(row: Builtin) -> str:
    if not row.numpy:
        return ""
    names = " and ".join(f"``numpy.{name}``" for name in row.numpy)
    return f"\nOn half arrays {names} {'is' if len(row.numpy) == 1 else 'are'} the same.\n"


def docstring(row: Builtin) -> str:
    """Return the public docstring of a row's function."""
    mismatch = "lengths of vectors differ" if row.signature else "shapes do not broadcast"
    if row.signature:
        mismatch += ", or a scalar is beside vectors or ``axis``"
    return _TEMPLATE.format(
        name=row.name,
        signature=signatures.format_signature(signatures.row_signature(row)),
        summary=row.summary,
        parameters=_parameters(row),
        default=_DEFAULTS[row.governed],
        keywords=_keywords(row),
        mismatch=mismatch,
        returns=_returns(row),
        accuracy=_accuracy(row),
        edge_cases=row.edge_cases,
        twins=_twins(row),
        spec=row.spec,
        numpy=">>> import numpy as np\n" if row.signature else "",
        example=row.example,
    )
