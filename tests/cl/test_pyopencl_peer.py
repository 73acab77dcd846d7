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
    found = there()
    if found is None:
        pytest.skip("needs pyopencl and an OpenCL device: a CPU's")
    return found


@pytest.mark.parametrize("code", ALL)
def test_what_a_device_gave(code, ours):
    assert digest(outcome(ours, code)) == GAVE[code]


def scans(code):
    """Whether it has pyopencl build a scan, which takes PoCL many seconds."""
    return re.search(r"Scan|Inclusive|Exclusive|cumsum|unique|partition|copy_if|sort", code)


@shared_out
@pytest.mark.parametrize("code", either(ALL, [code for code in ALL if not scans(code)][::3]))
def test_and_gives(code, ours, theirs):
    """A third of what is recorded, so that one sees when another version gives something else."""
    assert outcome(ours, code) == outcome(theirs, code)


def test_all_is_recorded():
    assert list(GAVE) == list(dict.fromkeys(ALL))
