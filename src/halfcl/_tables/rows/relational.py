"""Rows of OpenCL's relational functions whose results are truth values."""

from __future__ import annotations

from halfcl._tables.row import Builtin

# Name, kernel, types, NumPy's ufunc, summary, edge cases, example.
_ROWS: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("isequal", "equal", "ee>?", "equal", "Whether x == y.",
     "False if either is NaN. Zeros of different sign are equal.",
     ">>> hc.isequal(half(0.0), half(-0.0))\nnp.True_"),
    ("isnotequal", "not_equal", "ee>?", "not_equal", "Whether x != y.",
     "True if either is NaN.",
     ">>> hc.isnotequal(half('nan'), half('nan'))\nnp.True_"),
    ("isgreater", "greater", "ee>?", "greater", "Whether x > y.",
     "False if either is NaN.",
     ">>> hc.isgreater(half(2), half(1))\nnp.True_"),
    ("isgreaterequal", "greater_equal", "ee>?", "greater_equal", "Whether x >= y.",
     "False if either is NaN.",
     ">>> hc.isgreaterequal(half(1), half(1))\nnp.True_"),
    ("isless", "less", "ee>?", "less", "Whether x < y.",
     "False if either is NaN.",
     ">>> hc.isless(half(-0.0), half(0.0))\nnp.False_"),
    ("islessequal", "less_equal", "ee>?", "less_equal", "Whether x <= y.",
     "False if either is NaN.",
     ">>> hc.islessequal(half(1), half('nan'))\nnp.False_"),
    ("islessgreater", "less_greater", "ee>?", "", "Whether x < y or x > y.",
     "False if either is NaN, as `isnotequal` is not.",
     ">>> hc.islessgreater(half(1), half(2)), hc.islessgreater(half(1), half('nan'))\n"
     "(np.True_, np.False_)"),
    ("isfinite", "isfinite", "e>?", "isfinite", "Whether finite: neither infinite nor NaN.",
     "True of zeros and subnormal numbers.",
     ">>> hc.isfinite(half(65504)), hc.isfinite(half('inf'))\n(np.True_, np.False_)"),
    ("isinf", "isinf", "e>?", "isinf", "Whether an infinity, of either sign.",
     "False of NaN.",
     ">>> hc.isinf(half('-inf'))\nnp.True_"),
    ("isnan", "isnan", "e>?", "isnan", "Whether a NaN.",
     "True of quiet and signalling NaNs.",
     ">>> hc.isnan(half('nan'))\nnp.True_"),
    ("isnormal", "isnormal", "e>?", "", "Whether a normal number.",
     "False of zeros, subnormal numbers, infinities and NaNs.",
     ">>> hc.isnormal(half(2**-14)), hc.isnormal(half(2**-15))\n(np.True_, np.False_)"),
    ("isordered", "ordered", "ee>?", "", "Whether neither is NaN.",
     "As isequal(x, x) and isequal(y, y).",
     ">>> hc.isordered(half(1), half('inf')), hc.isordered(half(1), half('nan'))\n"
     "(np.True_, np.False_)"),
    ("isunordered", "unordered", "ee>?", "", "Whether either is NaN.",
     "The contrary of `isordered`.",
     ">>> hc.isunordered(half(1), half('nan'))\nnp.True_"),
    ("signbit", "signbit", "e>?", "signbit", "Whether the sign bit is set.",
     "True of -0, and of NaNs that have the bit.",
     ">>> hc.signbit(half(-0.0))\nnp.True_"),
)  # fmt: skip

_COMMUTATIVE = ("isequal", "isnotequal", "islessgreater", "isordered", "isunordered")

RELATIONAL: tuple[Builtin, ...] = tuple(
    Builtin(
        name, kernel, types, "exact", summary, numpy=(twin,) if twin else (), ulp=0,
        limit=0, embedded=0, section="Relational", spec="cl_khr_fp16, Relational Functions",
        symmetry="commutative" if name in _COMMUTATIVE else "",
        edge_cases=f"{edge_cases} Raises no flag, for NaNs either.", example=example,
    )
    for name, kernel, types, twin, summary, edge_cases, example in _ROWS
)  # fmt: skip
