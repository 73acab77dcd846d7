"""halfcl.testing: assertions that name what is wrong."""

import os
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import testing
from halfcl.audit._results import exact

# see pyproject markers
pytestmark = pytest.mark.once


def own(name, rounding="rte"):
    def function(*arguments):
        results = exact.right(name, arguments, rounding)
        return results if len(results) > 1 else results[0]

    return function


def with_one_wrong(name, x, steps):
    """halfcl's function, but for one argument whose result is some halves larger."""

    def wrong(*arguments):
        results = own(name)(*arguments).view(np.uint16).copy()
        results[arguments[0] == x] += steps
        return results.view(np.float16)

    return wrong


@shared_out
@pytest.mark.parametrize(
    "name", ["exp", "add", "sincos", "isnan", "ilogb", "rint", *either(["fma", "pown"], [])]
)
def test_right_functions(name):
    testing.assert_correctly_rounded(own(name), name)
    testing.assert_max_ulp(own(name), name, 0.5)


@pytest.mark.parametrize("rounding", hc.MODES)
def test_modes(rounding):
    testing.assert_correctly_rounded(own("exp", rounding), "exp", rounding=rounding)
    testing.assert_correctly_rounded(own("exp", rounding), "exp", rounding=rounding)
    other = "rtz" if rounding == "rte" else "rte"
    with pytest.raises(AssertionError, match=rf"is not exp, correctly rounded \({other}\): "):
        testing.assert_correctly_rounded(own("exp", rounding), "exp", rounding=other)


def test_message():
    """One wrong result: its argument, values, bits, and error."""
    with pytest.raises(AssertionError) as error:
        testing.assert_correctly_rounded(with_one_wrong("exp", 0.75, 3), "exp")
    assert str(error.value) == (
        "wrong is not exp, correctly rounded (rte): 1 of 65,536 results\n"
        "  exp(0.75 = 0x3a00): got 2.123 = 0x403f, right is 2.117 = 0x403c; "
        "an ulp off or more, 3.096 ulp"
    )


def test_max_ulp():
    wrong = with_one_wrong("exp", 0.75, 3)
    testing.assert_max_ulp(wrong, "exp", 3.1)
    with pytest.raises(AssertionError, match=r"wrong is farther than 2 ulp from exp: 1 of 65,536"):
        testing.assert_max_ulp(wrong, "exp", 2)


def test_message_names_only_results_beyond_the_limit():
    def wrong(x):
        results = with_one_wrong("exp", 0.75, 3)(x).view(np.uint16)
        results[x == 1.5] += 1
        return results.view(np.float16)

    with pytest.raises(AssertionError) as error:
        testing.assert_max_ulp(wrong, "exp", 2)
    assert str(error.value).count("\n") == 1 and "0.75 = 0x3a00" in str(error.value)


def test_nans_are_beyond_any_limit():
    with pytest.raises(AssertionError, match="NaN for a number"):
        testing.assert_max_ulp(lambda x: np.full_like(x, np.nan), "fabs", 1e9)


def test_signs_of_exact_zeros():
    with pytest.raises(AssertionError, match=r"got 0\.0 = 0x0000, right is -0\.0 = 0x8000"):
        testing.assert_max_ulp(lambda x: np.sqrt(np.where(x == 0, 0, x)), "sqrt", 2)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[:5], "expected an array of shape"),
        (lambda x: x.astype(np.float64), "expected an array of float16, got float64"),
        (lambda x: 1 // 0, "raised ZeroDivisionError: "),
    ],
)
def test_names_of_no_function(function, message):
    for check in (testing.assert_correctly_rounded, lambda f, n: testing.assert_max_ulp(f, n, 1)):
        with pytest.raises(AssertionError, match=message):
            check(function, "exp")


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"name: expected one of halfcl's functions .*, got 'exq'"):
        testing.assert_correctly_rounded(np.exp, "exq")
    with pytest.raises(ValueError, match=r"name: expected one of halfcl's .*, got 'length'"):
        testing.assert_max_ulp(np.exp, "length", 2)
    with pytest.raises(ValueError, match="rounding: expected one of rte, rtz, rtp, rtn, got 'up'"):
        testing.assert_correctly_rounded(np.exp, "exp", rounding="up")
    for ulps in (-1, float("nan")):
        with pytest.raises(ValueError, match="ulps: expected a number from 0, got "):
            testing.assert_max_ulp(np.exp, "exp", ulps)
    for ulps in ("1", None):
        with pytest.raises(TypeError, match="ulps: expected a number from 0, got "):
            testing.assert_max_ulp(np.exp, "exp", ulps)
    with pytest.raises(TypeError, match="function: expected a function of arrays, got 3"):
        testing.assert_correctly_rounded(3, "exp")
    with pytest.raises(ValueError, match=r"name: expected one of .*, got \['exp'\]"):
        testing.assert_correctly_rounded(np.exp, ["exp"])


def test_tracebacks_are_hidden(tmp_path):
    """pytest shows the test's own line and the message, not the library's."""
    (tmp_path / "test_it.py").write_text(
        "import numpy as np\n"
        "from halfcl.testing import assert_max_ulp\n"
        "def test_it():\n"
        "    assert_max_ulp(np.cos, 'sin', 2)\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # which takes longer
    out = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    ).stdout
    assert "AssertionError: cos is farther than 2 ulp from sin: " in out
    assert "def assert_max_ulp" not in out
