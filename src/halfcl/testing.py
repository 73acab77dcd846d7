"""Assertions for tests: that a function of halves is as accurate as it should be.

>>> import numpy as np
>>> from halfcl import testing
>>> testing.assert_correctly_rounded(np.sqrt, "sqrt")
>>> testing.assert_max_ulp(lambda x: 1 / np.sqrt(x), "rsqrt", 1.5)
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real

import numpy as np

from halfcl import MODES
from halfcl.audit._families import functions as _functions
from halfcl.audit._records import Case, FunctionReport
from halfcl.audit._results.exact import ROWS
from halfcl.audit._results.mistakes import NAN_FOR_NUMBER, NUMBER_FOR_NAN
from halfcl.audit._tables import case
from halfcl.audit._targets.base import Call
from halfcl.audit._targets.calling import CallError, Clock
from halfcl.typing import RoundingMode

__all__ = ["assert_correctly_rounded", "assert_max_ulp"]

#: How many wrong results a message names.
_NAMED = 5


def assert_correctly_rounded(
    function: Callable[..., object],
    name: str,
    *,
    rounding: RoundingMode = "rte",
    full: bool = False,
) -> None:
    """Raise unless every result of a function is the exact one, rounded once.

    Parameters
    ----------
    function : callable
        Takes contiguous arrays of float16 of one length (int32 for integers), and gives such an
        array (bool for truths), or a tuple of them. It is called once, or a few times.
    name : str
        The function that it should equal, by halfcl's name, as ``"exp"``; operators have NumPy's
        names, as ``"add"``.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The mode that its results should be rounded in.
    full : bool, optional
        Whether functions of two halves are tested on all 2**32 pairs, instead of a million.

    Raises
    ------
    AssertionError
        If a result is wrong: names the worst, with values and bits, and says how many are. Also
        if the function raises, writes to its arguments, or gives another shape or dtype.
    ValueError
        If halfcl has no such function, or it is one of vectors, or the mode is unknown.
    TypeError
        If ``function`` is not callable.

    Notes
    -----
    Functions of one half are tested on all 65,536, others on a million arguments, the hardest
    that there are among them. Any NaN is right for a NaN; zeros must have the right sign. Where
    OpenCL leaves a result open, anything is right.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl.testing import assert_correctly_rounded
    >>> assert_correctly_rounded(np.add, "add")
    >>> def rsqrt(x):
    ...     return 1 / np.sqrt(x)
    >>> assert_correctly_rounded(rsqrt, "rsqrt")
    Traceback (most recent call last):
        ...
    AssertionError: rsqrt is not rsqrt, correctly rounded (rte): 8,402 of 65,536 results
      rsqrt(1.746e-05 = 0x0125): got 239.1 = 0x5b79, right is 239.2 = 0x5b7a; an ulp off or more, 1.327 ulp
      ...
    """  # noqa: E501
    __tracebackhide__ = True
    if rounding not in MODES:
        raise ValueError(f"rounding: expected one of {', '.join(MODES)}, got {rounding!r}")
    for report in _reports(function, name, rounding, full, None):
        if report.wrong:
            head = f"is not {report.label}, correctly rounded ({rounding})"
            raise AssertionError(_message(report, head, report.wrong, report.worst))


def assert_max_ulp(
    function: Callable[..., object], name: str, ulps: float, *, full: bool = False
) -> None:
    """Raise if a result of a function is off by more than some ulps.

    Parameters
    ----------
    function : callable
        See `assert_correctly_rounded`.
    name : str
        The function that it should equal, by halfcl's name, as ``"exp"``.
    ulps : float
        How far a result may be from the exact one, in units of the last place, as
        `halfcl.ulp_error` counts them. 0.5 or less is correct rounding to nearest.
    full : bool, optional
        Whether functions of two halves are tested on all 2**32 pairs, instead of a million.

    Raises
    ------
    AssertionError
        If a result is farther off, or a NaN where a number should be, or the contrary; or an
        exact zero has the wrong sign. Names the worst.
    ValueError
        If halfcl has no such function, or it is one of vectors, or ``ulps`` is negative or NaN.
    TypeError
        If ``function`` is not callable, or ``ulps`` is no number.

    See Also
    --------
    halfcl.allowed_ulp : what OpenCL allows.

    Examples
    --------
    >>> import halfcl as hc
    >>> import numpy as np
    >>> from halfcl.testing import assert_max_ulp
    >>> assert_max_ulp(np.sqrt, "sqrt", hc.allowed_ulp("sqrt"))
    >>> assert_max_ulp(lambda x: 1 / np.sqrt(x), "rsqrt", hc.allowed_ulp("rsqrt"))
    Traceback (most recent call last):
        ...
    AssertionError: <lambda> is farther than 1 ulp from rsqrt: 366 of 65,536 results
      rsqrt(1.746e-05 = 0x0125): got 239.1 = 0x5b79, right is 239.2 = 0x5b7a; an ulp off or more, 1.327 ulp
      ...
    """  # noqa: E501
    __tracebackhide__ = True
    _check_ulps(ulps)
    for report in _reports(function, name, "rte", full, float(ulps)):
        if report.beyond[0]:
            head = f"is farther than {ulps:g} ulp from {report.label}"
            worst = tuple(outcome for outcome in report.worst if _is_beyond(outcome, ulps))
            raise AssertionError(_message(report, head, report.beyond[0], worst))


def _check_ulps(ulps: object) -> None:
    __tracebackhide__ = True
    expected = f"ulps: expected a number from 0, got {ulps!r}"
    if not isinstance(ulps, Real):
        raise TypeError(expected)
    if not float(ulps) >= 0:
        raise ValueError(expected)


def _is_beyond(outcome: Case, ulps: float) -> bool:
    if outcome.kind in (NAN_FOR_NUMBER, NUMBER_FOR_NAN) or outcome.ulps is None:
        return True
    return abs(outcome.ulps) > ulps or outcome.exact == 0 or ulps <= 0.5


def _reports(
    function: object, name: object, rounding: RoundingMode, full: bool, ulps: float | None
) -> list[FunctionReport]:
    __tracebackhide__ = True
    if not callable(function):
        raise TypeError(f"function: expected a function of arrays, got {function!r}")
    if not isinstance(name, str) or name not in ROWS or ROWS[name].signature:
        raise ValueError(
            f"name: expected one of halfcl's functions of numbers, as 'exp', got {name!r}"
        )
    within = None if ulps is None else (ulps, ulps)
    try:
        with np.errstate(all="ignore"):
            return _functions.audit(
                name, Call(_name_of(function), function, rounding), Clock(),
                full=full, seed=0, progress=lambda done, total: None, within=within,
            )  # fmt: skip
    except CallError as error:
        raise AssertionError(str(error)) from error.__cause__


def _name_of(function: Callable[..., object]) -> str:
    name = str(getattr(function, "__qualname__", None) or getattr(function, "__name__", function))
    return name.rpartition(".<locals>.")[2]


def _message(report: FunctionReport, head: str, count: int, worst: tuple[Case, ...]) -> str:
    lines = [case(report, outcome) for outcome in worst[:_NAMED]]
    return "\n  ".join([f"{report.spelled} {head}: {count:,} of {report.tested:,} results", *lines])
