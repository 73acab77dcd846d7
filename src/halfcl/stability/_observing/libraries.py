"""Code of libraries: where it lies, and which of it is entered to print or to draw."""

from __future__ import annotations

import functools
import os
import site
import sysconfig
from collections.abc import Callable
from types import FrameType

import halfcl

#: Modules that programs call to show results: NumPy compares elements to choose a format, and
#: Matplotlib to scale axes. halfcl itself looks at results to record them.
_SHOWING = (
    "IPython",
    "halfcl._drawing",
    "halfcl.plots",
    "halfcl.stability._programs._recording",
    "matplotlib",
    "mpl_toolkits",
    "numpy._core.arrayprint",
    "numpy.core.arrayprint",
    "pandas.io.formats",
    "pandas.plotting",
    "seaborn",
)


@functools.cache
def library_folders() -> tuple[str, ...]:
    """Return the folders of Python's own modules, of installed packages, and of halfcl."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    paths = {sysconfig.get_path(name) for name in names}
    paths |= {site.getusersitepackages(), os.path.dirname(halfcl.__file__)}
    return tuple(os.path.join(path, "") for path in paths if path)


@functools.cache
def _is_showing(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in _SHOWING)


def is_to_show(frame: FrameType | None, is_own: Callable[[FrameType], bool]) -> bool:
    """Tell whether a frame runs because a program prints or draws something.

    It does if a library that shows results is among the frame and its callers, up to the program's
    innermost own frame, which `is_own` tells.
    """
    while frame is not None and not is_own(frame):
        if _is_showing(frame.f_globals.get("__name__") or ""):
            return True
        frame = frame.f_back
    return False
