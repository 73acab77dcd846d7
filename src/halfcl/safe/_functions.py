"""The functions whose arguments are kept in their domains; decorator and context."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._bounds import Halves
from halfcl.safe._computing import kept
from halfcl.safe._domain import DOMAINS, Counts, Domain, keep
from halfcl.safe._following import Tracker, enclosure_of, untracked
from halfcl.safe._noting import note
from halfcl.safe._report import Kept
from halfcl.safe._tracked import Tracked
from halfcl.safe._watching import as_half
from halfcl.typing import RoundingMode

_F = TypeVar("_F", bound=Callable[..., Any])
#: How the result is rounded.
Modes: TypeAlias = RoundingMode | NDArray[Any] | None


def _checked_callable(name: str, f: object) -> Callable[..., object]:
    if callable(f):
        return f
    kind = f"an array of {f.dtype}" if isinstance(f, np.ndarray) else type(f).__name__
    raise TypeError(
        f"{name}: f: expected a function that computes the argument, as in "
        f"{name}(lambda: b * b - a * c), got {kind}: of numbers alone it cannot be told how they "
        "were rounded"
    )


def _check_half(name: str, f: object, x: object) -> None:
    if isinstance(x, np.ndarray | np.generic) and x.dtype.type is hc.half:
        return
    got = x.dtype if isinstance(x, np.ndarray | np.generic) else type(x).__name__
    raise TypeError(
        f"{name}: f: {getattr(f, '__name__', type(f).__name__)}: expected a half array or scalar, "
        f"got {got}; halfcl.convert(x, half) makes half of it"
    )


def _plain_result(domain: Domain, x: Halves, rounding: Modes) -> Halves | None:
    """The function's result if all arguments are inside; else None."""
    # Its flags tell whether any is outside, or at an open end: no comparison is as fast.
    try:
        with np.errstate(invalid="raise", divide="raise"):
            found: Halves = domain.function(x, rounding=rounding)
    except FloatingPointError:
        return None
    return found


def _apply(
    domain: Domain, f: Callable[..., object], args: tuple[object, ...], rounding: Modes
) -> Halves | Tracked:
    """The function of what f computes, kept in the domain."""
    x: Any = f(*args)
    if isinstance(x, Tracked):
        function = functools.partial(domain.function, rounding=rounding)
        return kept(domain, x, function, functools.partial(_redirected, domain, f, args))
    _check_half(f"safe.{domain.name}", f, x)
    plain = _plain_result(domain, x, rounding)
    if plain is not None:
        note(domain.name, Counts(x.size))
        return plain
    result: Halves = domain.function(_kept_arguments(domain, f, args, x), rounding=rounding)
    return result


def _kept_arguments(
    domain: Domain, f: Callable[..., object], args: tuple[object, ...], x: Halves
) -> Halves:
    """What f computed, x, of which some may be outside."""
    counts = Counts(x.size)
    if domain.outside(x).any():
        with np.errstate(all="ignore"):
            enclosure = enclosure_of(f"safe.{domain.name}", f, args, x)
        x, counts = keep(domain, x, enclosure, functools.partial(_redirected, domain, f, args))
    note(domain.name, counts)
    return x


def _redirected(domain: Domain, f: Callable[..., object], args: tuple[object, ...]) -> object:
    """What f computes, rounded inward."""
    with np.errstate(all="ignore"), hc.rounding(domain.inward, builtins=True):
        x = f(*args)
    return x._value if isinstance(x, Tracked) else x


_DOC = """{name} of what f computes, its argument kept in the domain, {text}.

Parameters
----------
f : callable
    ``f(*args)`` computes the argument in ordinary NumPy and halfcl code: a half array or scalar.
*args : any
    Its arguments. Halves among them, and those that f names itself, are taken for exact.
rounding : {{"rte", "rtz", "rtp", "rtn"}}, or an array of them, optional
    As of `halfcl.{name}`: how the result is rounded. f rounds as its own code and region say.

Returns
-------
half array or scalar
    `halfcl.{name}` of f's values. Where such a value is outside the domain, but the enclosure of
    the exact one meets it, of one in the domain that is in the enclosure, or next to it: of f's
    value {inward} where that is, else of the half closest to f's value.

Raises
------
TypeError
    If f is not callable, gives no halves, or cannot be followed by enclosures (which is asked
    only if a value is outside).
ValueError
    If f gives something else each time: where values are outside it is run three times.

See Also
--------
domains : the same for all functions in a piece of code, and a report.

Notes
-----
Accuracy: correctly rounded, of the argument that was kept.

What is truly outside is NaN{at_end}, with the flags of `halfcl.{name}`: decided
by an enclosure of the exact argument, never by a tolerance.

Examples
--------
>>> from halfcl import half, safe
{example}
"""


def make(name: str) -> Callable[..., Halves | Tracked]:
    """The public function of a row of the table."""
    domain = DOMAINS[name]

    def function(
        f: Callable[..., object] | Tracked, /, *args: object, rounding: Modes = None
    ) -> Halves | Tracked:
        if isinstance(f, Tracked) and not args:
            return kept(domain, f, functools.partial(domain.function, rounding=rounding))
        computing = _checked_callable(f"safe.{name}", f)
        return _apply(domain, computing, tuple(map(as_half, args)), rounding)

    inward = {"rtp": "rounded toward +inf on the way", "rtz": "rounded toward zero on the way"}
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _DOC.format(
        name=name, text=domain.text, inward=inward[domain.inward], example=domain.example,
        at_end=", or infinite at an open end" if "(" in domain.text or ")" in domain.text else "",
    )  # fmt: skip
    return function


# ---------------------------------------------------------------- a function, or a piece of code


def _check_decorated(function: object) -> None:
    if not callable(function) or inspect.isclass(function):
        raise TypeError(f"domains: expected a function to decorate, got {function!r}")
    if (
        inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or inspect.isasyncgenfunction(function)
    ):
        name = getattr(function, "__name__", "")
        raise TypeError(
            f"domains: cannot decorate {name!r}, which gives its results later; decorate a "
            "function that it calls"
        )


@overload
def domains(function: _F, /) -> _F: ...
@overload
def domains() -> Kept: ...
def domains(function: Callable[..., object] | None = None, /) -> Callable[..., object] | Kept:
    """Keep the domains of all functions in a piece of code, and report what was saved.

    Without an argument, a context: ``with safe.domains() as kept``. As a decorator, what follows
    the half arguments of a function.

    Parameters
    ----------
    function : callable
        Its half arrays and scalars, also those in lists, tuples and dicts, are handed over as
        `Tracked`, which ordinary NumPy and halfcl code computes with.

    Returns
    -------
    function
        Gives what the given one gives, with half arrays and scalars for tracked ones, also in
        a list, tuple or dict. In it ``np.sqrt``, ``hc.log`` and the like keep their domains: an
        argument outside whose enclosure meets the domain is put on the closest half inside.
        Called by code that is tracked itself, its results stay tracked.
    Kept
        Without argument: the report, of what runs in its with block.

    Raises
    ------
    TypeError
        If function is none, or a generator or coroutine; when it runs, where its code cannot be
        followed: see `Tracked`.

    Notes
    -----
    Each function runs once, in the mode in force; what it writes to its arguments is written.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, safe
    >>> @safe.domains
    ... def last(x, y, z):                    # of a unit quaternion's components
    ...     return np.sqrt(1 - x * x - y * y - z * z)
    >>> with safe.domains() as kept, np.errstate(invalid="ignore"):
    ...     last(half([0.5, 0.35, 0.6]), half([0.5, 0.9, 0.7]), half([0.5, 0.26, 0.5]))
    array([0.5     , 0.001525,      nan], dtype=half)
    >>> kept.saved, kept.outside
    (1, 1)
    """
    if function is None:
        return Kept()
    _check_decorated(function)

    @functools.wraps(function)
    def run(*args: object, **kwargs: object) -> object:
        tracker = Tracker(copies=False)
        tracked = [tracker(x) for x in args]
        result = function(*tracked, **{name: tracker(x) for name, x in kwargs.items()})
        return result if tracker.met_tracked else untracked(result)

    return run
