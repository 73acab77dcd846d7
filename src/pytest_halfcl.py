"""pytest's plugin of halfcl: tests that are run in other roundings, too.

Beside the package, so that pytest imports nothing of halfcl or NumPy for who has no such test.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable

import pytest

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
    """The digits and samples of a marked test; None of any other."""
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
    names = pyfuncitem._fixtureinfo.argnames
    args = {name: pyfuncitem.funcargs[name] for name in names}
    _check(pyfuncitem.obj, args, *asked, pyfuncitem.name)
    return True


def _check(
    function: Callable[..., object], args: dict[str, object], digits: float, samples: int, name: str
) -> None:
    from halfcl.stability._programs._functions import complaint

    __tracebackhide__ = True
    told = complaint(function, args, digits, samples, name)
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
        _check(lambda **given: function(*given.values()), named, digits, samples, name)

    return check
