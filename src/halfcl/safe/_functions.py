"""The public functions that keep arguments in domains; the decorator and context `domains`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._bounds.pairs import Halves
from halfcl.safe._computing import apply_in_domain
from halfcl.safe._domain import DOMAINS, Counts, Domain, keep
from halfcl.safe._following import Tracker, enclosure_of, untrack
from halfcl.safe._noting import record_call
from halfcl.safe._report import DomainReport
from halfcl.safe._tracked import Tracked
from halfcl.safe._watching import as_half
from halfcl.typing import RoundingMode

_F = TypeVar("_F", bound=Callable[..., Any])
#: The rounding mode of the result.
Modes: TypeAlias = RoundingMode | NDArray[Any] | None


def _check_callable(name: str, f: object) -> Callable[..., object]:
    if callable(f):
        return f
    kind = f"an array of {f.dtype}" if isinstance(f, np.ndarray) else type(f).__name__
    raise TypeError(
        f"{name}: f: expected a function that computes the argument, as in "
        f"{name}(lambda: b * b - a * c), got {kind}; a number has lost its rounding history, so "
        "pass a function"
    )


def _check_half(name: str, f: object, x: object) -> None:
    if isinstance(x, np.ndarray | np.generic) and x.dtype.type is hc.half:
        return
    got = x.dtype if isinstance(x, np.ndarray | np.generic) else type(x).__name__
    raise TypeError(
        f"{name}: f: {getattr(f, '__name__', type(f).__name__)}: expected a half array or scalar, "
        f"got {got}; use halfcl.convert(x, half)"
    )


def _plain_result(domain: Domain, x: Halves, rounding: Modes) -> Halves | None:
    """Return the function's result if all arguments are inside, else None."""
    # Floating-point flags show arguments outside, or at an open end, faster than a comparison.
    try:
        with np.errstate(invalid="raise", divide="raise"):
            result: Halves = domain.function(x, rounding=rounding)
    except FloatingPointError:
        return None
    return result


def _apply(
    domain: Domain, f: Callable[..., object], args: tuple[object, ...], rounding: Modes
) -> Halves | Tracked:
    """Return the function of the result of f, kept in the domain."""
    x: Any = f(*args)
    if isinstance(x, Tracked):
        function = functools.partial(domain.function, rounding=rounding)
        return apply_in_domain(domain, x, function, functools.partial(_redirect, domain, f, args))
    _check_half(f"safe.{domain.name}", f, x)
    plain = _plain_result(domain, x, rounding)
    if plain is not None:
        record_call(domain.name, Counts(x.size))
        return plain
    result: Halves = domain.function(_keep_arguments(domain, f, args, x), rounding=rounding)
    return result


def _keep_arguments(
    domain: Domain, f: Callable[..., object], args: tuple[object, ...], x: Halves
) -> Halves:
    """Return the result x of f, with elements outside the domain put back."""
    counts = Counts(x.size)
    if domain.is_outside(x).any():
        with np.errstate(all="ignore"):
            enclosure = enclosure_of(f"safe.{domain.name}", f, args, x)
        x, counts = keep(domain, x, enclosure, functools.partial(_redirect, domain, f, args))
    record_call(domain.name, counts)
    return x


def _redirect(domain: Domain, f: Callable[..., object], args: tuple[object, ...]) -> object:
    """Return the result of f, rounded inward."""
    with np.errstate(all="ignore"), hc.rounding(domain.inward, builtins=True):
        x = f(*args)
    return x._value if isinstance(x, Tracked) else x


_DOC = """Return {name} of the result of f, which is kept in the domain, {text}.

Parameters
----------
f : callable
    ``f(*args)`` computes the argument, a half array or scalar, in ordinary NumPy and halfcl code.
*args : any
    Its arguments. Halves among them, and halves that f names itself, are considered exact.
rounding : {{"rte", "rtz", "rtp", "rtn"}}, or an array of them, optional
    The rounding of the result, as for `halfcl.{name}`. f rounds as its own code and region state.

Returns
-------
half array or scalar
    `halfcl.{name}` of f's values. If a value is outside the domain, but the enclosure of the
    exact one meets it, a value in the domain replaces it that is in the enclosure, or next to it:
    f's value {inward} if that fits, else the half closest to f's value.

Raises
------
TypeError
    If f is not callable, does not return halves, or cannot be tracked with enclosures (which is
    necessary only if a value is outside).
ValueError
    If f returns different results in each run: it runs three times if values are outside.

See Also
--------
domains : the same for all functions in a piece of code, and a report.

Notes
-----
Accuracy: correctly rounded, for the argument after it was put back.

Arguments that are truly outside give NaN{at_end}, with the flags of `halfcl.{name}`. An enclosure
of the exact argument decides, never a tolerance.

Examples
--------
>>> from halfcl import half, safe
{example}
"""


def make_function(name: str) -> Callable[..., Halves | Tracked]:
    """Return the public function of a row of the table."""
    domain = DOMAINS[name]

    def function(
        f: Callable[..., object] | Tracked, /, *args: object, rounding: Modes = None
    ) -> Halves | Tracked:
        if isinstance(f, Tracked) and not args:
            return apply_in_domain(domain, f, functools.partial(domain.function, rounding=rounding))
        computing = _check_callable(f"safe.{name}", f)
        return _apply(domain, computing, tuple(map(as_half, args)), rounding)

    inward = {"rtp": "with steps rounded toward +inf", "rtz": "with steps rounded toward zero"}
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _DOC.format(
        name=name, text=domain.text, inward=inward[domain.inward], example=domain.example,
        at_end=", or infinite at an open end" if "(" in domain.text or ")" in domain.text else "",
    )  # fmt: skip
    return function


# ---------------------------------------------------------------- decorator and context


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
            f"domains: expected a function, got {name!r}, which returns its results later; "
            "decorate a function that it calls"
        )


@overload
def domains(function: _F, /) -> _F: ...
@overload
def domains() -> DomainReport: ...
def domains(
    function: Callable[..., object] | None = None, /
) -> Callable[..., object] | DomainReport:
    """Keep the domains of all functions in a piece of code, and report the arguments put back.

    Without an argument it is a context: ``with safe.domains() as report``. As a decorator, it
    tracks the half arguments of a function.

    Parameters
    ----------
    function : callable
        Receives its half arrays and scalars, also those in lists, tuples and dicts, as `Tracked`,
        with which ordinary NumPy and halfcl code can compute.

    Returns
    -------
    function
        Returns the same results, with half arrays and scalars in place of tracked ones, also in
        a list, tuple or dict. In it, functions such as ``np.sqrt`` and ``hc.log`` keep their
        domains: an argument outside whose enclosure meets the domain becomes the closest half
        inside. If its arguments are tracked, its results stay tracked.
    DomainReport
        Without argument: the report of the code in its with block.

    Raises
    ------
    TypeError
        If function is not a function, or is a generator or coroutine; during a run, if its code
        cannot be tracked, see `Tracked`.

    Notes
    -----
    Each function runs once, in the current mode; its writes to arguments take effect.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, safe
    >>> @safe.domains
    ... def last(x, y, z):                    # of a unit quaternion's components
    ...     return np.sqrt(1 - x * x - y * y - z * z)
    >>> with safe.domains() as report, np.errstate(invalid="ignore"):
    ...     last(half([0.5, 0.35, 0.6]), half([0.5, 0.9, 0.7]), half([0.5, 0.26, 0.5]))
    array([0.5     , 0.001525,      nan], dtype=half)
    >>> report.saved, report.outside
    (1, 1)
    """
    if function is None:
        return DomainReport()
    _check_decorated(function)

    @functools.wraps(function)
    def run(*args: object, **kwargs: object) -> object:
        tracker = Tracker(copies=False)
        tracked = [tracker(x) for x in args]
        result = function(*tracked, **{name: tracker(x) for name, x in kwargs.items()})
        return result if tracker.met_tracked else untrack(result)

    return run
