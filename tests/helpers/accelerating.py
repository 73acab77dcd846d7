"""A plugin of pytest, for NumPy's own tests: python -m pytest -p accelerating.

HALFCL_ACCELERATE=0 leaves NumPy alone. HALFCL_OUTCOMES names a file for what becomes of each test.
"""

import json
import os

import halfcl

ON = os.environ.get("HALFCL_ACCELERATE", "1") == "1"
OUTCOMES = {}


def pytest_configure():
    if ON:
        halfcl.accelerate()


def pytest_runtest_logreport(report):
    """Record the worst outcome of a test's three phases, or why it was skipped."""
    file, _, name = report.location
    name = f"{file} {name}"
    if report.skipped and not hasattr(report, "wasxfail"):
        OUTCOMES[name] = f"skipped: {report.longrepr[-1]}"
    elif report.failed or report.when == "call":
        OUTCOMES[name] = report.outcome + " as expected" * hasattr(report, "wasxfail")


def pytest_unconfigure():
    if path := os.environ.get("HALFCL_OUTCOMES"):
        with open(path, "w") as file:
            json.dump(OUTCOMES, file)
    assert (len(halfcl.accelerated_ufuncs()) > 70) is ON, "a test has switched it"
    halfcl.decelerate()
