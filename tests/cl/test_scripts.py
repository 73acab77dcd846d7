"""Scripts for pyopencl, with one import changed: what they print is what Intel's runtime prints,
whose bits are recorded here. They round correctly in every operation, or do not round."""

import hashlib
import os
import subprocess
import sys

import pytest
from places import ROOT, TESTS

sys.path.insert(0, str(ROOT / "bench"))
from timing import intel_opencl

SCRIPTS = TESTS / "cl" / "scripts"
IMPORT = "import pyopencl as cl\n"

#: SHA-256 of what pyopencl 2026.1.4 on Intel's runtime 2026.2 on the CPU prints.
PRINTED = {
    "arguments": "a196077f40a153f5d47cdf66e5c1690885ac5aef8f328f3fc5abf55dff6b9c6b",
    "buffers": "470eff0057e83ce05c64c17e58b61090b86684231963a0ca5b8441c72e8b9093",
    "images": "f3b7888b192ab6a757d82fe4fa7b4442e256cc15c2f352f75e5d5db06467ac62",
}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", PRINTED)
def test_scripts_print_what_they_print_on_a_device(name, capsys):
    text = (SCRIPTS / f"{name}.py").read_text()
    assert text.count(IMPORT) == 1
    changed = text.replace(IMPORT, "import halfcl.cl.pyopencl as cl\n")
    exec(compile(changed, name, "exec"), {"__name__": "__main__"})
    assert digest(capsys.readouterr().out) == PRINTED[name]


@pytest.mark.parametrize("name", PRINTED)
def test_scripts_print_the_same_with_pyopencl(name):
    pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL runtime on the CPU")
    if not intel_opencl():
        pytest.skip("needs Intel's OpenCL runtime")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", SCRIPTS / f"{name}.py"],
        env=os.environ | intel_opencl(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert digest(done.stdout) == PRINTED[name]
