"""pytest's plugin of halfcl: tests that are run in other roundings, too.

Beside the package, so that pytest imports nothing of halfcl or NumPy for who has no such test.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import TypeAlias

import pytest

#: What a run calls, and with what, by name.
_Call: TypeAlias = tuple[Callable[..., object], Mapping[str, object]]

_MARK = "half_stable"


def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest of the mark."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(digits=2, samples=10): run in every rounding mode and at random, and fail if a "
        "number that it returns, or gives to halfcl.stability.watch, has fewer significant digits",
    )


def _options(digits: float = 2, samples: int = 10) -> tuple[float, int]:
    return digits, samples


def _asked(item: pytest.Item) -> tuple[float, int] | None:
    """Return the digits and samples of a marked test, or None for any other."""
    mark = item.get_closest_marker(_MARK)
    if mark is None:
        return None
    try:
        return _options(*mark.args, **mark.kwargs)
    except TypeError as error:
        return pytest.fail(f"{_MARK}{str(error)[len('_options') :]}", pytrace=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse marks that nothing would come of."""
    if _asked(item) is None:
        return
    function = getattr(item, "obj", None)
    in_case = issubclass(getattr(item, "cls", None) or object, unittest.TestCase)
    if in_case or not inspect.isroutine(function) or inspect.iscoroutinefunction(function):
        kind = "a method of unittest.TestCase" if in_case else "a coroutine or no function"
        pytest.fail(f"{_MARK}: expected a test function, got {kind}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test in all its roundings, in the place of pytest."""
    asked = _asked(pyfuncitem)
    if asked is None:
        return None
    _check(_calls_of(pyfuncitem), *asked, pyfuncitem.name)
    return True


def _calls_of(item: pytest.Function) -> Iterator[_Call]:
    """Yield a marked test for each run, with fixtures of its own: those of a function's scope.

    The first run has the fixtures that pytest has set up, and pytest ends those of the last.
    """
    while True:
        names = item._fixtureinfo.argnames
        yield item.obj, {name: item.funcargs[name] for name in names}
        _set_up_again(item)


def _set_up_again(item: pytest.Function) -> None:
    """End a test's fixtures, and make them and its instance (`self`) anew."""
    state, noted = item.session._setupstate, dict(item.stash._storage)
    state.teardown_exact(item.parent)  # type: ignore[arg-type]  # what lies above stays
    if item.cls is not None:
        for name in ("_obj", "_instance"):  # pytest keeps them there, and makes missing ones
            vars(item).pop(name, None)
    for key, value in noted.items():
        item.stash.setdefault(key, value)  # fixtures forget what pytest notes once for a test
    item._initrequest()
    state.setup(item)


def _check(calls: Iterator[_Call], digits: float, samples: int, name: str) -> None:
    from halfcl.stability._programs._functions import complaint

    __tracebackhide__ = True
    told = complaint(calls, digits, samples, name)
    if told:
        pytest.fail(f"expected {digits:g} significant digits\n{told}", pytrace=False)


@pytest.fixture
def half_stability() -> Callable[..., None]:
    """Fail where a function has too few significant digits: `half_stability(f, x, digits=2)`."""

    def check(
        function: Callable[..., object], *args: object, digits: float = 2, samples: int = 10
    ) -> None:
        __tracebackhide__ = True
        named = {f"argument {k}": x for k, x in enumerate(args)}
        name = str(getattr(function, "__name__", function))
        call = (lambda **given: function(*given.values())), named
        _check(repeat(call), digits, samples, name)

    return check
