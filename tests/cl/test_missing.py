"""halfcl without the packages that build kernels."""

import subprocess
import sys

BLOCKED = """
import sys
sys.modules["clang"] = sys.modules["clang.cindex"] = None
"""

LOOKS = (
    BLOCKED
    + """
import inspect
import halfcl

assert not hasattr(halfcl, "cl") and getattr(halfcl, "cl", None) is None
members = dict(inspect.getmembers(halfcl))
assert "interval" in members and "cl" not in members
assert set(members) >= {"half", "io"} and set(members) == set(dir(halfcl))
command = 'pip install "halfcl[kernels]"'
try:
    halfcl.cl
except AttributeError as error:
    assert "'cl'" in str(error) and command in str(error), error
for statement in ("import halfcl.cl", "from halfcl import cl", "from halfcl.cl import Program"):
    try:
        exec(statement)
    except ImportError as error:
        assert command in str(error), error
    else:
        raise AssertionError(statement)
print("all is well")
"""
)


def test_dir_of_halfcl_without_kernel_packages():
    done = subprocess.run([sys.executable, "-c", LOOKS], capture_output=True, text=True)
    assert done.stdout == "all is well\n", done.stderr


def test_dir_of_halfcl_with_kernel_packages():
    import halfcl

    assert {"cl", "interval", "io", "stability"} <= set(dir(halfcl))
    assert halfcl.cl.Program.__name__ == "Program"


WITHOUT_PYOPENCL = """
import sys
import halfcl, halfcl.cl
assert "pyopencl" not in sys.modules
sys.modules["pyopencl"] = None
for statement in ("import halfcl.cl.pyopencl", "from halfcl.cl.pyopencl import Program"):
    try:
        exec(statement)
    except halfcl.MissingPackageError as error:
        assert 'pip install "halfcl[opencl]"' in str(error), error
    else:
        raise AssertionError(statement)
print("all is well")
"""


def test_pyopencl_is_imported_only_for_its_program():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYOPENCL], capture_output=True, text=True)
    assert done.stdout == "all is well\n", done.stderr


def test_command_without_pyopencl_names_the_one_to_install_it():
    code = (
        "import sys, runpy; sys.modules['pyopencl'] = None; runpy.run_module('halfcl.cl.pyopencl')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "halfcl[opencl]"' in done.stderr.splitlines()[-1]
