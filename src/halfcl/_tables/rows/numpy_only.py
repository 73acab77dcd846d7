"""Rows of functions that NumPy has and halfcl does not export."""

from __future__ import annotations

import math

from halfcl._tables.row import Builtin, Governed

# Functions whose reduction does not depend on the order, and has a kernel of its own.
_EXTREMA = ("maximum", "minimum")

# Functions whose arguments, of any types, NumPy reads as truth values.
_TRUTHS = ("logical_and", "logical_or", "logical_xor", "logical_not")

_IDENTITIES = {"logaddexp": -math.inf, "logaddexp2": -math.inf}

# Name and kernel, types, governed, NumPy ufuncs, ulp, summary.
_ROWS: tuple[tuple[str, str, Governed, tuple[str, ...], float, str], ...] = (
    ("floor_divide", "ee>e", "operator", ("floor_divide",), 0.5, "Python's //."),
    ("floor_remainder", "ee>e", "operator", ("remainder",), 0.5, "Python's %."),
    ("divmod", "ee>ee", "operator", ("divmod",), 0.5, "Python's divmod."),
    ("positive", "e>e", "exact", ("positive", "conjugate"), 0, "The same."),
    ("square", "e>e", "operator", ("square",), 0.5, "x * x."),
    ("reciprocal", "e>e", "operator", ("reciprocal",), 0.5, "1 / x."),
    ("logical_and", "ee>?", "exact", ("logical_and",), 0, "Whether neither is zero."),
    ("logical_or", "ee>?", "exact", ("logical_or",), 0, "Whether not both are zero."),
    ("logical_xor", "ee>?", "exact", ("logical_xor",), 0, "Whether one is zero."),
    ("logical_not", "e>?", "exact", ("logical_not",), 0, "Whether zero."),
    ("maximum", "ee>e", "exact", ("maximum",), 0, "The larger; NaN if any is."),
    ("minimum", "ee>e", "exact", ("minimum",), 0, "The smaller; NaN if any is."),
    ("clip", "eee>e", "exact", ("clip",), 0, "Between two bounds; NaN if any is."),
    ("signum", "e>e", "exact", ("sign",), 0, "-1, 0, 1 or NaN."),
    ("heaviside", "ee>e", "exact", ("heaviside",), 0, "0 below zero, 1 above, y at zero."),
    ("spacing", "e>e", "exact", ("spacing",), 0, "Distance to the next number."),
    ("logaddexp", "ee>e", "builtin", ("logaddexp",), 0.5, "log(exp(x) + exp(y))."),
    ("logaddexp2", "ee>e", "builtin", ("logaddexp2",), 0.5, "log2(2**x + 2**y)."),
    ("dot", "ee>e", "operator", ("matmul", "matvec", "vecmat"), 0.5,
     "Sum of products, exact, then rounded once."),
)  # fmt: skip

NUMPY_ONLY: tuple[Builtin, ...] = (
    *(
        Builtin(
            name, name, types, governed, summary, numpy=twins, public=False, ulp=ulp,
            section="NumPy", identity=_IDENTITIES.get(name),
            reduce=f"{name}_reduce" if name in _EXTREMA else "",
            promotion="numpy" if name in _TRUTHS else "common",
        )
        for name, types, governed, twins, ulp, summary in _ROWS
    ),
    Builtin(
        "vecdot", "vectors_vecdot", "ee>e", "operator", "Dot products of vectors.",
        numpy=("vecdot",), public=False, section="NumPy", signature="(n),(n)->()",
    ),
)  # fmt: skip
