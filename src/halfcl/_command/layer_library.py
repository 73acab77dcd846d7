"""The library of OpenCL's layer in this package, and the loader that programs use it with.

The library lies beside the translator, `halfcl.cl._layer`, which is not imported here: it takes
longer than to start a program.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import mmap
import os
import sys

#: The library's name by system; elsewhere it ends in .so.
_NAMES = {"win32": "halfcl_layer.dll", "darwin": "libhalfcl_layer.dylib"}

#: The loader's name by system; elsewhere it has the version of its interface.
_LOADERS = {"win32": "OpenCL.dll"}
_LOADER = "libOpenCL.so.1"

#: What the file of a loader with layers contains: the variable that it reads.
_VARIABLE = b"OPENCL_LAYERS"


def library_path() -> str | None:
    """Return the path of the layer's library; None if halfcl was built without it."""
    name = _NAMES.get(sys.platform, "libhalfcl_layer.so")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(package, "cl", "_layer", name)
    return path if os.path.isfile(path) else None


def loader_without_layers() -> str | None:
    """Return the path of the system's OpenCL loader if it is older than layers, else None.

    Programs may bring one of their own. Nothing is known of it, nor where there is no loader.
    """
    path = _path_of_loader()
    try:
        return None if path is None or _contains(path, _VARIABLE) else path
    except OSError:
        return None


def _path_of_loader() -> str | None:
    """Return the path of the loader that a program of this environment would get."""
    name = _LOADERS.get(sys.platform, _LOADER)
    try:
        ctypes.CDLL(name)  # reads no drivers before the first call
    except OSError:
        return None
    if sys.platform == "win32":
        return ctypes.util.find_library(name)
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = [line.split(maxsplit=5)[-1].strip() for line in maps]
    except OSError:
        return None
    stem = os.path.basename(name).partition(".")[0]
    return next((p for p in paths if os.path.basename(p).startswith(f"{stem}.")), None)


def _contains(path: str, word: bytes) -> bool:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(word) >= 0
