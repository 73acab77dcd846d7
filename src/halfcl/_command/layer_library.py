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

#: The library's name, as setup.py builds it.
_LIBRARY = "libhalfcl_layer.dll" if sys.platform == "win32" else "libhalfcl_layer.so"

#: The loader's name by system; elsewhere it has the version of its interface.
_LOADERS = {"win32": "OpenCL.dll"}
_LOADER = "libOpenCL.so.1"

#: What the file of a loader with layers contains: the variable that it reads.
_VARIABLE = b"OPENCL_LAYERS"


def library_path() -> str | None:
    """Return the path of the layer's library; None if halfcl was built without it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(package, "cl", "_layer", _LIBRARY)
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


class _Place(ctypes.Structure):
    """The place of an address, as dladdr describes it."""

    _fields_ = (
        ("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )  # fmt: skip


def _path_of_loader() -> str | None:
    """Return the path of the loader that a program of this environment would get."""
    name = _LOADERS.get(sys.platform, _LOADER)
    try:
        loader = ctypes.CDLL(name)  # reads no drivers before the first call
        if sys.platform == "win32":
            return ctypes.util.find_library(name)
        place = _Place()
        address = ctypes.cast(loader.clGetPlatformIDs, ctypes.c_void_p)
        is_known = ctypes.CDLL(None).dladdr(address, ctypes.byref(place))
    except (OSError, AttributeError):
        return None
    return os.fsdecode(place.file) if is_known and place.file else None


def _contains(path: str, word: bytes) -> bool:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(word) >= 0
