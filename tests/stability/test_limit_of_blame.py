"""The search for blame ends after a share of the plain run's time."""

import time
from pathlib import Path

import pytest

from halfcl.stability._programs import _functions, _testing

pytestmark = pytest.mark.once


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", "--samples", "2", "--no-trace", *options, "program.py")

    return run_program


#: A program with many lines to search.
PROGRAM = (
    "import time\nimport numpy as np\ntime.sleep(0.05)\nx = np.float16(1)\ny = np.float16(0.1)\n"
    + "y = y * np.float16(1.001) + np.float16(0.001)\n" * 60
    + "print((1 + y / 1000) - 1, np.exp(y / 3000) - 1)\n"
)


def test_search_ends_after_its_limit(command_with, tmp_path):
    limits = {
        f"{_testing.__name__}.{name}": x for name, x in (("LEAST_BLAME", 0.2), ("TIMES_BLAME", 1))
    }
    status, out, _ = command_with(limits)(PROGRAM, "--html", "page.html")
    end = (
        "the search reached its limit of 0.2 s (1 times the plain run, at least 0.2 s; --budget S "
        "gives it the rest of S) before it had found all"
    )
    assert status == 1 and f"\n{end}\n" in out and "blame: of " in out
    assert "partial report" not in out
    assert end in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_budget_replaces_the_limit(monkeypatch):
    monkeypatch.setattr(_testing, "LEAST_BLAME", 0.0)
    monkeypatch.setattr(_testing, "TIMES_BLAME", 0)
    runner = _functions.FunctionRunner(iter(()))
    for budget, has_limit in ((None, True), (60.0, False)):
        test = _testing.StabilityTest(_testing.Options(("program.py",), budget=budget), runner)
        test._limit_blame()
        assert (runner.deadline <= time.perf_counter()) == has_limit


def test_functions_have_the_limit_too(monkeypatch):
    import numpy as np

    monkeypatch.setattr(_testing, "LEAST_BLAME", 0.0)
    monkeypatch.setattr(_testing, "TIMES_BLAME", 0)

    def f():
        x = np.float16(0.1)
        return (1 + x / 300) - 1

    def calls():
        while True:
            yield f, {}

    text = _functions.report_if_unstable(calls(), 2, 4, "f")
    assert "the search reached its limit of 0 s" in text
