"""What targets share whose functions take and give arrays of a library's own kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from halfcl.audit._mistakes import Array
from halfcl.audit._targets.base import Call, UnsupportedError

_F = TypeVar("_F")

#: Results as the audit takes them: halves, truths, and integers, which become int32.
_INTEGERS = "iu"


def attribute(module: object, path: str) -> Callable[..., Any] | None:
    """What ``module.a.b`` is for "a.b"; None where there is none.

    Examples
    --------
    >>> import math
    >>> from halfcl.audit._targets.foreign_arrays import attribute
    >>> attribute(math, "exp") is math.exp, attribute(math, "no.such")
    (True, None)
    """
    found: Any = module
    for name in path.split("."):
        found = getattr(found, name, None)
    function: Callable[..., Any] | None = found
    return function


def calls(
    module: ModuleType, names: Mapping[str, str], to_library: Callable[[Array], _F],
    to_numpy: Callable[[_F], ArrayLike], errors: tuple[type[Exception], ...] = (),
) -> dict[str, Call]:  # fmt: skip
    """Calls of a module's functions, of those that it has.

    Parameters
    ----------
    module : module
        The library.
    names : mapping
        Of halfcl's names to the library's, after the module's.
    to_library, to_numpy : callable
        From NumPy's arrays to the library's and back.
    errors : tuple of exceptions, optional
        What the library raises, beside TypeError, where a function is not for half.
    """
    found = {ours: (theirs, attribute(module, theirs)) for ours, theirs in names.items()}
    return {
        ours: Call(f"{module.__name__}.{theirs}", of_numpy(function, to_library, to_numpy, errors))
        for ours, (theirs, function) in found.items()
        if function is not None
    }


def of_numpy(
    function: Callable[..., _F | tuple[_F, ...] | list[_F]], to_library: Callable[[Array], _F],
    to_numpy: Callable[[_F], ArrayLike], errors: tuple[type[Exception], ...] = (),
) -> Callable[..., Array | tuple[Array, ...]]:  # fmt: skip
    """A library's function, of NumPy's arrays."""
    refusals: tuple[type[Exception], ...] = (TypeError, NotImplementedError, *errors)

    def call(*arguments: Array) -> Array | tuple[Array, ...]:
        placed = [to_library(x) for x in arguments]
        try:
            results = function(*placed)
        except refusals as error:
            raise UnsupportedError(str(error).strip().split("\n")[0] or repr(error)) from None
        if isinstance(results, tuple | list):
            return tuple(_result(to_numpy(each)) for each in results)
        return _result(to_numpy(results))

    return call


def _result(array: ArrayLike) -> Array:
    """A result as the audit takes it."""
    found = np.asarray(array)
    if found.dtype.kind in _INTEGERS:
        return found.astype(np.int32)
    if found.dtype not in (np.float16, np.bool_):
        raise UnsupportedError(f"it gives {found.dtype}")
    return found
