"""pyopencl.array and kernels of snippets, halfcl's beside pyopencl's own on a device: of the same
scripts the same results, and the same kinds of errors. Halves are left to test_pyopencl_array."""

import json
import re

import pytest
from exhaustive import either, shared_out
from pyopencl_cases import ALL, RECORDED, digest, here, outcome, there

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore"),
]

#: What pyopencl 2026.1.4 on PoCL 3.0 gave.
GAVE = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ours():
    return here()


@pytest.fixture(scope="module")
def theirs():
    queue_and_modules = there()
    if queue_and_modules is None:
        pytest.skip("needs pyopencl and an OpenCL device: a CPU's")
    return queue_and_modules


@pytest.mark.parametrize("code", ALL)
def test_what_a_device_gave(code, ours):
    assert digest(outcome(ours, code)) == GAVE[code]


def builds_scan(code):
    """Return whether a case has pyopencl build a scan, which takes PoCL many seconds."""
    return re.search(r"Scan|Inclusive|Exclusive|cumsum|unique|partition|copy_if|sort", code)


@shared_out
@pytest.mark.parametrize("code", either(ALL, [code for code in ALL if not builds_scan(code)][::3]))
def test_results_equal_pyopencl_s(code, ours, theirs):
    """A third of the recorded programs show whether another version of pyopencl differs."""
    assert outcome(ours, code) == outcome(theirs, code)


def test_all_programs_are_recorded():
    assert list(GAVE) == list(dict.fromkeys(ALL))
