"""Scripts for pyopencl print on any device what Intel's runtime prints, recorded here as digests.

They round correctly in every operation, or do not round.
"""

import hashlib
import os
import subprocess
import sys

import pytest
from places import ROOT, TESTS

from halfcl._command.layer_library import library_path

sys.path.insert(0, str(ROOT / "bench"))
from timing import intel_opencl

SCRIPTS = TESTS / "cl" / "scripts"

#: SHA-256 of what pyopencl 2026.1.4 on Intel's runtime 2026.2 on the CPU prints.
PRINTED = {
    "arguments": "a196077f40a153f5d47cdf66e5c1690885ac5aef8f328f3fc5abf55dff6b9c6b",
    "buffers": "7e18bd29a1bf2ac412993d0cbc88bccda6edd620394a42ba3ed97af3c983992d",
    "images": "f3b7888b192ab6a757d82fe4fa7b4442e256cc15c2f352f75e5d5db06467ac62",
}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def pyopencl():
    library = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
    try:
        library.get_platforms()
    except library.Error:  # pyopencl alone has none
        pytest.skip("needs an OpenCL device")
    return library


@pytest.mark.parametrize("options", [["--check"], []], ids=["checked", "translated"])
@pytest.mark.parametrize("name", PRINTED)
def test_scripts_print_what_they_print_on_a_device(name, options, pyopencl):
    command = [sys.executable, "-W", "ignore", "-m", "halfcl.cl.pyopencl", *options]
    done = subprocess.run(
        [*command, SCRIPTS / f"{name}.py"], capture_output=True, text=True, cwd=ROOT
    )
    assert digest(done.stdout) == PRINTED[name], done.stderr


@pytest.mark.skipif(library_path() is None, reason="halfcl was built without OpenCL's layer")
@pytest.mark.parametrize("name", PRINTED)
def test_scripts_print_the_same_under_the_layer(name, pyopencl, tmp_path):
    command = [sys.executable, "-W", "ignore", "-m", "halfcl", "layer", "python", "-W", "ignore"]
    done = subprocess.run(
        [*command, SCRIPTS / f"{name}.py"],
        env=os.environ | {"HALFCL_LAYER_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert digest(done.stdout) == PRINTED[name], done.stderr


@pytest.mark.parametrize("name", PRINTED)
def test_scripts_print_the_same_with_pyopencl(name, pyopencl):
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
