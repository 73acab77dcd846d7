"""Regions of code with a rounding mode of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from halfcl import _core
from halfcl.typing import RoundingMode

_F = TypeVar("_F", bound=Callable[..., Any])

MODES: tuple[RoundingMode, ...] = _core.MODES
#: The ends of names of functions in one mode: exp_rtz.
SUFFIXES = tuple(f"_{mode}" for mode in MODES)


def _check_function(function: object) -> None:
    if not callable(function) or inspect.isclass(function):
        raise TypeError(f"rounding: expected a function to decorate, got {function!r}")


class rounding(_core.Region):
    """A region in which halfcl rounds in a given mode.

    Use it as a context manager or as a decorator. Regions nest; threads and
    asynchronous tasks have regions of their own.

    Parameters
    ----------
    mode : {"rte", "rtz", "rtp", "rtn"}
        To nearest even, toward zero, toward plus infinity, toward minus infinity.
    builtins : bool, optional
        Whether the mode also governs the built-in functions (the math, common
        and geometric tables). By default it governs the same as OpenCL's pragma:
        operators, conversions to half, and ``vstore_half``.
    strict : bool, optional
        Whether casts of half to a wider floating or complex type raise TypeError, as
        ``a * np.sqrt(2)`` does, since NumPy promotes to float64, and ``a.astype(float)``.
        `convert`, ``float(x)`` and printing still convert half.

    Raises
    ------
    ValueError
        If the mode is none of the four.

    Warns
    -----
    RuntimeWarning
        If entered in a generator, whose caller would round in that mode between two items.

    See Also
    --------
    get_rounding : the mode in force.

    Notes
    -----
    A ``rounding=`` argument of a call overrides the region. A region sets all three
    anew: inside a strict one, another is strict only with ``strict=True``. The exit undoes
    this region's own settings and no others, whatever was entered since.
    Source: the ``SELECT_ROUNDING_MODE`` pragma of cl_khr_select_fprounding_mode.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.rounding("rtp"):
    ...     hc.half(1) / 3
    half(0.3335)
    >>> @hc.rounding("rtn")
    ... def third():
    ...     return hc.half(1) / 3
    >>> third()
    half(0.3333)
    """

    __slots__ = ()

    def __call__(self, function: _F) -> _F:
        _check_function(function)
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"rounding: cannot decorate the generator {function.__name__!r}: "
                "its body runs in the contexts of its callers; use with blocks between its yields"
            )
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: object, **kwargs: object) -> object:
                with self:
                    return await function(*args, **kwargs)

            return run_async  # type: ignore[return-value]

        @functools.wraps(function)
        def run(*args: object, **kwargs: object) -> object:
            with self:
                return function(*args, **kwargs)

        return run  # type: ignore[return-value]

    def __repr__(self) -> str:
        flags = [f", {name}=True" for name in ("builtins", "strict") if getattr(self, name)]
        return f"rounding({self.mode!r}{''.join(flags)})"
