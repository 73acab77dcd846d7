"""pyopencl itself, and its exceptions with halfcl's texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from halfcl._support.extras import require
from halfcl.cl import BuildError, LaunchError

# Without types, since they are there only where pyopencl is installed.
pyopencl = require("pyopencl", "pyopencl", "opencl", "to run programs on a device")
elementwise, tools = map(import_module, ("pyopencl.elementwise", "pyopencl.tools"))

_CODES = pyopencl.status_code


def logic_error(routine: str, message: str) -> Exception:
    """Return a pyopencl.LogicError for a wrong call."""
    return _error(pyopencl.LogicError, _CODES.INVALID_VALUE, routine, message)


@contextmanager
def as_pyopencl(routine: str) -> Iterator[None]:
    """Raise halfcl's errors as pyopencl's, as a function of OpenCL would raise them."""
    try:
        yield
    except BuildError as error:
        code = _CODES.BUILD_PROGRAM_FAILURE
        raise _error(pyopencl.RuntimeError, code, routine, str(error)) from error
    except LaunchError as error:
        code = _CODES.OUT_OF_RESOURCES  # the code that devices return for a kernel that crashed
        raise _error(pyopencl.RuntimeError, code, routine, str(error)) from error
    except (TypeError, ValueError) as error:
        raise logic_error(routine, str(error)) from error


def _error(kind: type[Exception], code: int, routine: str, message: str) -> Exception:
    return kind(pyopencl._cl._ErrorRecord(msg=message, code=code, routine=routine))
