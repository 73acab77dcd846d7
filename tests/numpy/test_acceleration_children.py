"""Tests of acceleration in child processes."""

import os
import subprocess
import sys

import numpy as np
import pytest
import workers
from exhaustive import LONG, left_out, more

import halfcl as hc
from halfcl._numpy import children

STARTUP = children._FOLDER

#: The packages that ways to start a process need.
PACKAGES = {"joblib": "joblib", "dask": "dask", "distributed": "distributed"}

#: Python's own ways, one of those that start processes alike.
FEW = [way for way in workers.WAYS if way.startswith(("multiprocessing", "subprocess"))]


@pytest.fixture(autouse=True)
def off(monkeypatch):
    """A fixture without acceleration, whose children import modules from the tests' folders."""
    monkeypatch.setenv("HALFCL_ACCELERATE", "")  # so that its value is restored at the end
    monkeypatch.delenv("HALFCL_ACCELERATE")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    hc.decelerate()
    yield
    hc.decelerate()


def run(*arguments, expected=0, **environment):
    """Run Python; return its output and its messages."""
    result = subprocess.run(
        [sys.executable, *arguments], env=os.environ | environment, capture_output=True, text=True
    )
    assert result.returncode == expected, result.stderr
    return result.stdout.strip(), result.stderr.strip()


# ---------------------------------------------------------------- ways to start a process


@pytest.mark.parametrize("way", [*FEW, *more(*(way for way in workers.WAYS if way not in FEW))])
def test_worker_that_does_not_import_halfcl_is_accelerated(way):
    if way in PACKAGES:
        pytest.importorskip(PACKAGES[way])
    code = "import halfcl, workers\nhalfcl.accelerate(children=True)\nprint(workers.ask({!r}))"
    assert run("-c", code.format(way))[0] == "True"


@left_out("test_run.py has some of them")
@pytest.mark.parametrize("way", list(workers.WAYS) if LONG else list(workers.WAYS)[::3])
def test_workers_of_command_run(way):
    if way in PACKAGES:
        pytest.importorskip(PACKAGES[way])
    code = f"import workers\nprint(workers.ask({way!r}))"
    assert run("-m", "halfcl", "run", "-c", code)[0] == "True"
    assert run("-m", "halfcl", "run", "--no-children", "-c", code)[0] == str(way.endswith(" fork"))


def test_environment_variable():
    """Check a process that imports halfcl, and its child, which does not."""
    code = "import halfcl, workers\nprint(len(halfcl.accelerated_ufuncs()) > 70, workers.ask({!r}))"
    code = code.format("subprocess")
    assert run("-c", code)[0] == "False False"
    # Of children without acceleration: see `test_child_without_variable_is_not_accelerated`.
    alone = "import halfcl\nprint(len(halfcl.accelerated_ufuncs()) > 70)"
    assert run("-c", alone, HALFCL_ACCELERATE="")[0] == "False"
    assert run("-c", code, HALFCL_ACCELERATE="1")[0] == "True True"
    assert run("-c", code, HALFCL_ACCELERATE="1", HALFCL_NUMPY="plain")[0] == "True True"


def test_info_says_accelerated():
    for value, text in (("1", ", accelerated"), ("0", "")):
        out = run("-m", "halfcl", "info", HALFCL_ACCELERATE=value)[0]
        assert f"NumPy            {np.__version__}{text}\n" in out


@pytest.mark.parametrize("value", [1, None, "yes", np.ones(2)])
def test_children_is_a_bool(value):
    with pytest.raises(TypeError, match=r"^accelerate: argument children: expected True or False"):
        hc.accelerate(children=value)
    assert not hc.accelerated_ufuncs() and "HALFCL_ACCELERATE" not in os.environ


def test_error_for_other_values():
    message = "HALFCL_ACCELERATE='yes': expected '1' or '0'"
    line = run("-c", "import halfcl", HALFCL_ACCELERATE="yes", expected=1)[1].splitlines()[-1]
    assert line == f"ImportError: {message}"


# ---------------------------------------------------------------- variables set and restored


def settings():
    return os.environ.get("HALFCL_ACCELERATE"), os.environ.get("PYTHONPATH")


@pytest.mark.parametrize("path", [None, "", "a", os.pathsep.join(["a", "", "b"])])
@pytest.mark.parametrize("value", [None, "", "1"])
def test_decelerate_restores_variables(value, path, monkeypatch):
    for name, text in (("HALFCL_ACCELERATE", value), ("PYTHONPATH", path)):
        if text is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, text)
    before = settings()
    hc.accelerate()
    assert settings() == before
    for _ in range(2):
        hc.accelerate(children=True)
        assert settings() == ("1", os.pathsep.join([STARTUP, *([path] if path else [])]))
    hc.accelerate()
    assert settings()[0] == "1"
    hc.decelerate()
    assert settings() == before
    hc.decelerate()
    assert settings() == before


def test_variable_0_stays(monkeypatch):
    monkeypatch.setenv("HALFCL_ACCELERATE", "0")
    before = settings()
    hc.accelerate(children=True)
    assert settings() == before and hc.accelerated_ufuncs()
    hc.decelerate()
    assert settings() == before


def test_variables_set_by_others_meanwhile_stay(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "a")
    hc.accelerate(children=True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["b", os.environ["PYTHONPATH"]]))
    monkeypatch.setenv("HALFCL_ACCELERATE", "0")
    hc.decelerate()
    assert settings() == ("0", os.pathsep.join(["b", "a"]))


def test_inherited_variables_stay(monkeypatch):
    """Check that a child does not unset its parent's variables, which its own children inherit."""
    monkeypatch.setenv("HALFCL_ACCELERATE", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([STARTUP, "a"]))
    before = settings()
    hc.accelerate(children=True)
    hc.decelerate()
    assert settings() == before


# ---------------------------------------------------------------- start of a child

STATE = """
import sys
accelerated = bool("halfcl" in sys.modules and sys.modules["halfcl"].accelerated_ufuncs())
print(accelerated, [x for x in sys.path if "_startup" in x], "_halfcl_startup" in sys.modules)
"""


def start(code, *options, folders=(), **environment):
    """Return the output of a child with the environment of `accelerate`, and with more folders."""
    path = os.pathsep.join([STARTUP, *map(str, folders), os.environ["PYTHONPATH"]])
    environment = {"HALFCL_ACCELERATE": "1", "PYTHONPATH": path, **environment}
    out, messages = run(*options, "-c", code, **environment)
    assert messages == ""
    return out


def test_child_imports_halfcl_only_with_numpy():
    """Check also that halfcl's folder does not stay on the child's path."""
    assert start(STATE) == "False [] True"
    assert start("import numpy" + STATE) == "True [] True"
    assert start("import numpy" + STATE, "-W", "error") == "True [] True"
    assert start("import os\nos.environ['HALFCL_ACCELERATE'] = '0'\nimport numpy" + STATE) == (
        "False [] True"
    )


def test_find_spec_of_numpy_does_not_disturb_acceleration():
    code = "from importlib.util import find_spec\nassert find_spec('numpy')\nimport numpy"
    assert start(code + STATE) == "True [] True"


def test_child_without_variable_is_not_accelerated():
    assert start("import numpy" + STATE, HALFCL_ACCELERATE="0") == "False [] False"
    assert start("import numpy" + STATE, HALFCL_ACCELERATE="") == "False [] False"


def test_python_that_ignores_its_environment():
    """Check that such a process accelerates only if it imports halfcl itself."""
    code = f"import sys\nsys.path[:] = {sys.path}\nimport numpy"
    assert start(code + STATE, "-I") == "False [] False"
    assert start(code + STATE, "-E") == "False [] False"
    assert start(code + "\nimport halfcl" + STATE, "-I") == "True [] False"


def test_users_sitecustomize_still_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import numpy\nMINE = 5\n")
    code = "import sitecustomize\nprint(sitecustomize.MINE)" + STATE
    assert start(code, folders=[tmp_path]).split("\n") == ["5", "True [] True"]
    (tmp_path / "sitecustomize.py").write_text("1 / 0\n")
    path = os.pathsep.join([STARTUP, str(tmp_path), os.environ["PYTHONPATH"]])
    messages = run("-c", "", HALFCL_ACCELERATE="1", PYTHONPATH=path)[1]
    assert messages.startswith("Error in sitecustomize") and "ZeroDivisionError" in messages


@pytest.mark.parametrize("line", ["raise ImportError", "raise RuntimeError", "1 / 0"])
def test_child_that_cannot_import_halfcl_starts(line, tmp_path):
    """Check a child whose Python lacks halfcl, or has one that fails."""
    (tmp_path / "halfcl.py").write_text(line)
    code = "import numpy, sys\nassert 'halfcl' not in sys.modules\nprint(numpy.float16(1) + 1)"
    assert start(code, folders=[tmp_path]) == "2.0"


def test_two_installations(tmp_path):
    """Check folders of two installations of halfcl on the path: neither blocks the other."""
    for name in ("sitecustomize.py", "_halfcl_startup.py"):
        with open(os.path.join(STARTUP, name), encoding="utf-8") as file:
            (tmp_path / name).write_text(file.read(), encoding="utf-8")
    twice = "import sys\nsys.modules['_halfcl_startup'].wait_for_numpy()\nimport numpy"
    assert start(twice + STATE, folders=[tmp_path]).startswith("True")


def test_child_without_numpy():
    code = "import sys\nsys.path.clear()\ntry:\n    import numpy\nexcept ImportError as error:\n"
    assert start(code + "    print(error.name)") == "numpy"


def test_grandchild_is_accelerated():
    code = "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', {!r}]))"
    assert "True [] True" in start(code.format("import numpy" + STATE))
