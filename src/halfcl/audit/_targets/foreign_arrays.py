"""Helpers for targets whose functions have arrays of the library's own class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import Call, UnsupportedError

_F = TypeVar("_F")

#: NumPy's comparisons, by halfcl's names.
COMPARISONS = {
    "isequal": "equal",
    "isnotequal": "not_equal",
    "isgreater": "greater",
    "isgreaterequal": "greater_equal",
    "isless": "less",
    "islessequal": "less_equal",
}

#: NumPy's functions, by halfcl's names. sign, maximum and minimum are left out: they treat NaNs
#: differently.
NUMPY_NAMES = {
    **{name: name for name in (
        "add subtract multiply divide negative exp exp2 expm1 log log2 log10 log1p cbrt hypot sqrt "
        "sin cos tan sinh cosh tanh rint trunc ceil floor fmod modf frexp ldexp fabs copysign fmax "
        "fmin nextafter reciprocal degrees radians isfinite isinf isnan signbit"
    ).split()},
    **{name: f"arc{name[1:]}" for name in "asin acos atan atan2 asinh acosh atanh".split()},
    "pow": "power",
    **COMPARISONS,
}  # fmt: skip

#: SciPy's functions in scipy.special, by halfcl's names.
SPECIAL_NAMES = {"erf": "erf", "erfc": "erfc", "tgamma": "gamma", "lgamma": "gammaln"}

#: Kinds of integer results, which become int32.
_INTEGERS = "iu"


def attribute(module: object, path: str) -> Callable[..., Any] | None:
    """Return ``module.a.b`` for "a.b", or None if there is none.

    Examples
    --------
    >>> import math
    >>> from halfcl.audit._targets.foreign_arrays import attribute
    >>> attribute(math, "exp") is math.exp, attribute(math, "no.such")
    (True, None)
    """
    value: Any = module
    for name in path.split("."):
        value = getattr(value, name, None)
    function: Callable[..., Any] | None = value
    return function


def calls(
    module: ModuleType, names: Mapping[str, str], to_library: Callable[[Array], _F],
    to_numpy: Callable[[_F], ArrayLike], errors: tuple[type[Exception], ...] = (),
) -> dict[str, Call]:  # fmt: skip
    """Return calls of those functions that a module has: its names, by halfcl's names.

    to_library and to_numpy convert arrays. errors: exceptions other than TypeError by which the
    library refuses half.
    """
    functions = {ours: (theirs, attribute(module, theirs)) for ours, theirs in names.items()}
    return {
        ours: Call(
            f"{module.__name__}.{theirs}", adapt_to_numpy(function, to_library, to_numpy, errors)
        )
        for ours, (theirs, function) in functions.items()
        if function is not None
    }


def adapt_to_numpy(
    function: Callable[..., _F | tuple[_F, ...] | list[_F]], to_library: Callable[[Array], _F],
    to_numpy: Callable[[_F], ArrayLike], errors: tuple[type[Exception], ...] = (),
) -> Callable[..., Array | tuple[Array, ...]]:  # fmt: skip
    """Return a library's function as one of NumPy's arrays."""
    refusals: tuple[type[Exception], ...] = (TypeError, NotImplementedError, *errors)

    def call(*arguments: Array) -> Array | tuple[Array, ...]:
        operands = [to_library(x) for x in arguments]
        try:
            results = function(*operands)
        except refusals as error:
            raise UnsupportedError(str(error).strip().split("\n")[0] or repr(error)) from None
        if isinstance(results, tuple | list):
            return tuple(_result(to_numpy(each)) for each in results)
        return _result(to_numpy(results))

    return call


def _result(array: ArrayLike) -> Array:
    """Return a result in a dtype that the audit accepts."""
    result = np.asarray(array)
    if result.dtype.kind in _INTEGERS:
        return result.astype(np.int32)
    if result.dtype not in (np.float16, np.bool_):
        raise UnsupportedError(f"expected results of float16, bool or integers, got {result.dtype}")
    return result
