"""Find the adapter of halfcl that handles arrays of another library."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from halfcl._support.arguments import promises

_F = TypeVar("_F", bound=Callable[..., Any])

#: The module of halfcl that has a library's adapter, by the module of the library. It defines
#: ARRAY, the class of the library's arrays. Its functions are the adapter, or those of its object
#: ADAPTER.
_ADAPTERS = {
    "dask.array": "halfcl.dask",
    "cupy": "halfcl.arrays._cupy",
    "jax": "halfcl.arrays._jax",
    "jaxlib": "halfcl.arrays._jax",
    "pyopencl.array": "halfcl.arrays._pyopencl",
    "torch": "halfcl.arrays._torch.adapter",
}

#: The libraries whose own operators a rounding region affects, too.
_AFFECTED_BY_REGIONS = ("dask.array",)


def _find_adapter(cls: type) -> object:
    """Return the adapter for arrays of a class, or None if no library has such arrays."""
    for base in cls.__mro__:
        for library, name in _ADAPTERS.items():
            if f"{base.__module__}.".startswith(f"{library}."):
                module = import_module(name)
                return getattr(module, "ADAPTER", module) if issubclass(cls, module.ARRAY) else None
    return None if promises.name_of_promise(cls) is None else promises


#: Return the adapter for arrays of a class, or None; cached per class.
adapter_for: Callable[[type], Any] = functools.cache(_find_adapter)


def before_region() -> None:
    """Prepare other libraries for a region, so that their operators round in its mode."""
    for library in _AFFECTED_BY_REGIONS:
        if library in sys.modules:
            _get_prepare_region(_ADAPTERS[library])()


@functools.cache
def _get_prepare_region(name: str) -> Callable[[], object]:
    """Return an adapter's function `prepare_region`, or one that does nothing after a warning."""
    try:
        prepare: Callable[[], object] = import_module(name).prepare_region
    except ImportError as error:
        warnings.warn(f"rounding: no region governs {name[7:]}: {error}", RuntimeWarning, 4)
        return lambda: None
    return prepare


def dispatch_to_library(function: _F) -> _F:
    """Decorate a function so that calls with another library's arrays go to its adapter."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        for x in (*args, *kwargs.values()) if kwargs else args:
            adapter = adapter_for(type(x))
            if adapter is not None:
                return adapter.call(function, *args, **kwargs)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]
