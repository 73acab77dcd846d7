"""NumPy's own tests, from the installed NumPy, with acceleration on and off.

They are those with float16 or its letter in their names; with HALFCL_NUMPY_TESTS=all, which takes
minutes, all of them.
"""

import json
import os
import subprocess
import sys

import pytest
from exhaustive import either, shared_out
from packages import later
from places import TESTS

ALL = os.environ.get("HALFCL_NUMPY_TESTS") == "all"
MODULES = [f"numpy._core.tests.test_{name}" for name in ("half", "umath", "ufunc", "scalarmath")]
OTHERS = [f"numpy._core.tests.test_{name}" for name in ("numeric", "multiarray")]
OTHERS += ["numpy.lib.tests", "numpy.ma.tests"]

pytest.importorskip("numpy._core.tests")  # some distributions lack them
later("hypothesis")  # NumPy's tests need it


def outcomes(folder, on, *arguments):
    """Return the outcomes of NumPy's tests by name."""
    file = folder / f"outcomes-{on}.json"
    paths = [str(TESTS / "helpers"), *sys.path]
    environment = os.environ | {
        "HALFCL_ACCELERATE": str(int(on)),
        "HALFCL_OUTCOMES": str(file),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "--assert=plain"]  # only outcomes matter
    command += ["-p", "no:cacheprovider", "-p", "accelerating"]
    result = subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    return {
        name: outcome
        for name, outcome in json.loads(file.read_text()).items()
        if "memory required" not in outcome  # whether memory is enough changes between runs
    }


@shared_out
def test_numpys_tests(tmp_path):
    """Check that outcomes with acceleration are those without it."""
    modules = [*MODULES, *OTHERS] if ALL else either(MODULES, MODULES[:1])
    selection = [] if ALL else ["-k", "half or float16 or F16 or e-"]
    on = outcomes(tmp_path, True, *selection, "--pyargs", *modules)
    assert len(on) > (30_000 if ALL else either(2000, 30))
    if ALL:
        assert on == outcomes(tmp_path, False, "--pyargs", *modules)
    else:
        assert not [name for name, outcome in on.items() if outcome == "failed"]


def test_plugin_reports_outcomes(tmp_path):
    """Check that the plugin accelerates only if the environment says so."""
    (tmp_path / "test_probe.py").write_text(
        "import halfcl, pytest\n"
        "def test_on(): assert halfcl.accelerated_ufuncs()\n"
        "def test_skip(): pytest.skip('why')\n"
    )
    for on in (True, False):
        reports = outcomes(tmp_path, on, "test_probe.py")
        assert reports["test_probe.py test_on"] == ("passed" if on else "failed")
        assert reports["test_probe.py test_skip"].endswith("why")
