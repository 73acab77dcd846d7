"""Plugin for pytest that runs marked tests in other roundings, too.

It lies outside the package, so that pytest imports neither halfcl nor NumPy for other tests.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import TypeAlias

import pytest

#: The function that a run calls, and its arguments by name.
_Call: TypeAlias = tuple[Callable[..., object], Mapping[str, object]]

#: The unit in which differences count: of all results, or by their names.
_Scale: TypeAlias = "str | Mapping[str, str] | None"

#: The digits, samples and scale of a mark.
_Options: TypeAlias = tuple[float, int, _Scale]

_MARK = "half_stable"


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(digits=2, samples=10, scale=None): run in every rounding mode and at random, and "
        "fail if a number that it returns, or passes to halfcl.stability.watch, has fewer "
        "significant digits; scale ('max', 'norm', 'abs:1e-3', or a dict of these by name): what "
        "digits are relative to",
    )


def _options(digits: float = 2, samples: int = 10, scale: _Scale = None) -> _Options:
    return digits, samples, scale


def _options_of(item: pytest.Item) -> _Options | None:
    """Return the digits, samples and scale of a marked test, or None for any other."""
    mark = item.get_closest_marker(_MARK)
    if mark is None:
        return None
    try:
        return _options(*mark.args, **mark.kwargs)
    except TypeError as error:
        return pytest.fail(f"{_MARK}{str(error)[len('_options') :]}", pytrace=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Raise an error for marks on objects that are not test functions."""
    if _options_of(item) is None:
        return
    function = getattr(item, "obj", None)
    in_case = issubclass(getattr(item, "cls", None) or object, unittest.TestCase)
    if in_case or not inspect.isroutine(function) or inspect.iscoroutinefunction(function):
        kind = "a method of unittest.TestCase" if in_case else "a coroutine or another object"
        pytest.fail(f"{_MARK}: expected a test function, got {kind}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test in all roundings, instead of pytest."""
    options = _options_of(pyfuncitem)
    if options is None:
        return None
    _check(_calls_of(pyfuncitem), options, pyfuncitem.name)
    return True


def _calls_of(item: pytest.Function) -> Iterator[_Call]:
    """Yield a marked test for each run, with new fixtures of function scope.

    The first run uses the fixtures that pytest has set up; pytest tears down those of the last.
    """
    while True:
        names = item._fixtureinfo.argnames
        yield item.obj, {name: item.funcargs[name] for name in names}
        _set_up_again(item)


def _set_up_again(item: pytest.Function) -> None:
    """Tear down a test's fixtures, and set up new ones and a new instance (`self`)."""
    state, entries = item.session._setupstate, dict(item.stash._storage)
    state.teardown_exact(item.parent)  # type: ignore[arg-type]  # wider scopes stay
    if item.cls is not None:
        for name in ("_obj", "_instance"):  # pytest creates missing ones
            vars(item).pop(name, None)
    for key, value in entries.items():
        item.stash.setdefault(key, value)  # teardown removes what pytest stores once per test
    item._initrequest()
    state.setup(item)


def _check(calls: Iterator[_Call], options: _Options, name: str) -> None:
    from halfcl.stability._programs._functions import report_if_unstable

    __tracebackhide__ = True
    digits, samples, scale = options
    report = report_if_unstable(calls, digits, samples, name, scale)
    if report:
        pytest.fail(f"expected {digits:g} significant digits\n{report}", pytrace=False)


@pytest.fixture
def half_stability() -> Callable[..., None]:
    """Return a function that fails a test if f(x) is unstable: `half_stability(f, x, digits=2)`.

    Its keywords are those of the mark.
    """

    def check(
        function: Callable[..., object],
        *args: object,
        digits: float = 2,
        samples: int = 10,
        scale: _Scale = None,
    ) -> None:
        __tracebackhide__ = True
        named = {f"argument {k}": x for k, x in enumerate(args)}
        name = str(getattr(function, "__name__", function))
        call = (lambda **named: function(*named.values())), named
        _check(repeat(call), (digits, samples, scale), name)

    return check
