"""The engine's own tests try every function for devices."""

import re
from pathlib import Path

import pytest
from places import ROOT

from halfcl import device

pytestmark = pytest.mark.once

ENGINE = ROOT / "csrc"
ROWS = (ENGINE / "device" / "functions.def").read_text(encoding="utf-8")
KERNELS = Path(device.__file__).with_name("kernels.h").read_text(encoding="utf-8")
TESTS = "".join(
    path.read_text(encoding="utf-8") for path in sorted(ENGINE.glob("tests/test_device*.c"))
)

#: Functions in the text, and those of them in functions.def.
FUNCTIONS = sorted(re.findall(r"^//= device_(\w+)$", KERNELS, re.M))
LISTED = re.findall(r"^[A-Z]\w+\((\w+), ", ROWS, re.M)


@pytest.mark.parametrize("kind", sorted(set(re.findall(r"^#define (\w+)\(", ROWS, re.M))))
def test_functions_of_each_kind_are_tried(kind):
    assert f"#define {kind}(" in TESTS, "needs a test that reads its rows of functions.def"


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - {*LISTED}))
def test_functions_outside_the_list_are_tried(name):
    """Functions outside functions.def are called, or named in a list of a test."""
    called = re.search(rf"\bhci_device_{name}\(|\b[A-Z][A-Z_0-9]*\({name}\b", TESTS)
    assert called, "needs a test in csrc/tests/test_device*.c"


def test_every_row_is_a_function():
    assert {*LISTED} <= {*FUNCTIONS} and len(LISTED) == len({*LISTED}) > 90
