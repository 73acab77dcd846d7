"""halfcl without the packages that build kernels."""

import subprocess
import sys

BLOCKED = """
import sys
sys.modules["pcpp"] = sys.modules["clang"] = sys.modules["clang.cindex"] = None
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
command = "pip install 'halfcl[kernels]'"
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
