"""``@pytest.mark.half_stable`` and the fixture ``half_stability``, in a separate pytest."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

TESTS = '''\
import unittest
import numpy as np
import pytest
from halfcl import stability

@pytest.fixture
def x():
    return np.linspace(0.001, 0.1, 20).astype(np.float16)

@pytest.mark.half_stable(digits=2)
def test_bad(x):
    y = np.exp(x) - 1
    stability.watch("y", y)

@pytest.mark.half_stable(digits=2)
def test_good(x):
    return np.expm1(x)

@pytest.mark.half_stable
@pytest.mark.parametrize("digits", [1, 3])
def test_writes(x, digits):
    x /= 3          # each run has its own copy
    assert x[0] > 0.00033
    return x

@pytest.mark.half_stable
def test_nothing_rounds(x):
    return x.astype(float)

@pytest.mark.half_stable
def test_says_nothing(x):
    assert (x / 3).shape == (20,)

class Model:
    """State of a fixture: each run starts with a new one."""
    def __init__(self):
        self.steps = [np.float16(0)]

@pytest.fixture
def model(request):
    model = Model()
    yield model
    assert len(model.steps) == 2   # torn down after each run
    request.getfixturevalue("log").append(model)

@pytest.fixture(scope="module")
def log():
    return []

@pytest.mark.half_stable
def test_own_fixtures(tmp_path, model, log, monkeypatch, capsys):
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.txt").write_text("x")
    assert len(model.steps) == 1 and model not in log
    model.steps.append(model.steps[-1] + np.float16(1) / np.float16(3))
    monkeypatch.setenv("HALFCL_TEST_RUN", "x", prepend=":")
    import os
    assert os.environ["HALFCL_TEST_RUN"] == "x"
    print("out")
    assert capsys.readouterr().out == "out\\n"
    return model.steps

def test_log(log):
    assert len(log) == len({id(model) for model in log}) in (17, 18)  # two with wider halves

class TestInstance:
    def setup_method(self):
        self.own = []

    @pytest.mark.half_stable
    @pytest.mark.parametrize("n", [3, 7])
    def test_self(self, n, log):
        assert not hasattr(self, "result") and self.own == []
        self.result = self.own.append(n)
        return np.float16(1) / np.float16(n)

@pytest.mark.half_stable
def test_no_numbers(x):
    y = x / 3
    return y[:0]

@pytest.fixture
def spoiled(log):
    log.append("spoiled")
    if log.count("spoiled") == 3:
        raise OSError("no third time")

@pytest.mark.half_stable
def test_fixture_fails_later(spoiled):
    return np.float16(1) / np.float16(3)

@pytest.mark.half_stable
def test_fails():
    assert np.float16(1) / np.float16(3) == 1

@pytest.mark.half_stable
def test_fails_upward():
    assert np.float16(1) / np.float16(3) < 0.3334
    return np.float16(1)

@pytest.mark.half_stable
def test_is_random():
    return np.random.default_rng().random(3).astype(np.float16) / 3

def centred(x):
    return x - x.mean()

@pytest.mark.half_stable(2.8, scale="max")
def test_scale(x):
    return centred(x)

@pytest.mark.half_stable(2.8, scale={"y": "max"})
def test_scale_by_name(x):
    stability.watch("y", centred(x))

@pytest.mark.half_stable(2.8)
def test_scale_of_watch(x):
    stability.watch("y", centred(x), scale="max")

@pytest.mark.half_stable(2.8)
def test_no_scale(x):
    return centred(x)

@pytest.mark.half_stable(scale="mx")
def test_wrong_scale(x):
    return x / 3

@pytest.mark.half_stable(samples=1)
def test_few_samples(x):
    return x / 3

@pytest.mark.half_stable(digit=3)
def test_wrong_mark():
    pass

@pytest.mark.half_stable(9)
def test_too_many_digits():
    pass

class Case(unittest.TestCase):
    @pytest.mark.half_stable
    def test_case(self):
        pass

def test_fixture(half_stability, x):
    half_stability(np.expm1, x)
    half_stability(lambda v: (1 + v) - 1, x, digits=0.1)
    half_stability(lambda v: (1 + v) - 1, x, digits=0.7, scale="norm")
    with pytest.raises(pytest.fail.Exception, match="expected 2 significant digits"):
        half_stability(lambda v: (1 + v) - 1, x)

def test_no_mark(x):
    """A test without the mark runs once, to nearest."""
    assert np.float16(1) / np.float16(3) < 0.3334
'''

EXPECTED = {
    "bad": "FAILED", "good": "PASSED", "writes[1]": "PASSED", "writes[3]": "PASSED",
    "nothing_rounds": "FAILED", "says_nothing": "FAILED", "fails": "FAILED",
    "fails_upward": "FAILED", "is_random": "FAILED", "wrong_mark": "ERROR",
    "own_fixtures": "PASSED", "log": "PASSED", "self[3]": "PASSED", "self[7]": "PASSED",
    "no_numbers": "FAILED", "fixture_fails_later": "FAILED",
    "scale": "PASSED", "scale_by_name": "PASSED", "scale_of_watch": "PASSED", "no_scale": "FAILED",
    "wrong_scale": "FAILED", "few_samples": "FAILED",
    "too_many_digits": "FAILED", "case": "ERROR", "fixture": "PASSED", "no_mark": "PASSED",
}  # fmt: skip


def test_marks_and_fixture(tmp_path):
    file = tmp_path / "test_marked.py"
    file.write_text(TESTS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "pytest_halfcl", "-p", "no:cacheprovider",
         "--strict-markers", file.name],
        cwd=tmp_path, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    results = dict(re.findall(r"::test_(\S+) (PASSED|FAILED|ERROR)", ran.stdout))
    assert results == EXPECTED, ran.stdout + ran.stderr
    head = r"^_{3,} (?:ERROR at setup of )?(?:Case\.)?test_(\S+) _+\n"
    parts = re.split(head, ran.stdout, flags=re.M)
    messages = dict(zip(parts[1::2], parts[2::2], strict=True))
    for name, text in {
        "bad": "test_marked.py:12  y = np.exp(x) - 1",
        "nothing_rounds": "no operation of it rounds to half",
        "no_numbers": "returned: it contains no numbers",
        "fixture_fails_later": "OSError: no third time",
        "says_nothing": "expected a result that it returns",
        "fails": "assert np.float16(1) / np.float16(3) == 1",
        "fails_upward": "fails in rtp",
        "is_random": "for another reason than rounding",
        "wrong_mark": "half_stable() got an unexpected keyword argument 'digit'",
        "too_many_digits": "digits: expected significant digits, over 0 to 3.3, got 9",
        "wrong_scale": "scale: expected 'max', 'norm', 'abs:1e-3' (a unit) or 'ulp', got 'mx'",
        "few_samples": "samples: expected a number from 2 to 10000",
        "case": "expected a test function, got a method of unittest.TestCase",
    }.items():
        assert text in messages[name], messages[name]
    assert "np.expm1(x)   off by 1 ulps at worst" in messages["bad"]


def test_plugin_imports_neither_halfcl_nor_numpy():
    """pytest loads the plugin in every session, so it must not import halfcl or NumPy."""
    code = (
        "import sys, pytest_halfcl\n"
        "print(sorted({'halfcl', 'numpy'} & {name.split('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
