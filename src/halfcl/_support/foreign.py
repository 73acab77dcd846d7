"""Arrays of other libraries: which part of halfcl takes its functions to them."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from halfcl._support import promises

_F = TypeVar("_F", bound=Callable[..., Any])

#: By the module of the library that has its arrays: the part, with their class ARRAY. A part's
#: functions are its module's, or those of PART in it.
_PARTS = {
    "dask.array": "halfcl.dask",
    "cupy": "halfcl.arrays._cupy",
    "jax": "halfcl.arrays._jax",
    "jaxlib": "halfcl.arrays._jax",
    "pyopencl.array": "halfcl.arrays._pyopencl",
    "torch": "halfcl.arrays._torch",
}

#: The libraries whose own operators a region governs.
_GOVERNED = ("dask.array",)


def _find_part(cls: type) -> object:
    """The part of halfcl that knows arrays of a class; None if they are of no other library."""
    for base in cls.__mro__:
        for library, part in _PARTS.items():
            if f"{base.__module__}.".startswith(f"{library}."):
                found = import_module(part)
                return getattr(found, "PART", found) if issubclass(cls, found.ARRAY) else None
    return None if promises.name_of_promise(cls) is None else promises


#: The same, found once for each class.
part_for: Callable[[type], Any] = functools.cache(_find_part)


def entering_region() -> None:
    """Before a region: what other libraries make in it is to be made in its mode."""
    for library in _GOVERNED:
        if library in sys.modules:
            _what_prepares(_PARTS[library])()


@functools.cache
def _what_prepares(part: str) -> Callable[[], object]:
    """A part's function prepare_region."""
    try:
        found: Callable[[], object] = import_module(part).prepare_region
    except ImportError as error:
        warnings.warn(f"rounding: no region governs {part[7:]}: {error}", RuntimeWarning, 4)
        return lambda: None
    return found


def taken_to_others(function: _F) -> _F:
    """Decorates a function of arrays: those of another library go to the part that knows them."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        for x in (*args, *kwargs.values()) if kwargs else args:
            part = part_for(type(x))
            if part is not None:
                return part.call(function, *args, **kwargs)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]
