"""Finalises objects and closes files before `os._exit`, as Python does when a process ends."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import sys
import weakref
from collections.abc import Container
from types import ModuleType
from typing import cast

from halfcl.stability._programs._recording.places import Places

#: The base of all classes of files, in C.
_IOBASE: type = io.IOBase.__mro__[1]


def release_program(places: Places, older: Container[str]) -> None:
    """Finalise the objects of a program that has run, and flush its files.

    Python clears modules when it ends, which closes open files and calls `__del__`.

    places: tells the program's own modules from others. older: modules that were imported before
    the program ran; they stay.
    """
    _flush_standard_streams()  # before modules are cleared: they may be objects of the program
    # Keep references: the collector may close a file before the text layer above it is flushed.
    held = _open_files()
    references = _forget_modules(places, older)
    gc.collect()  # finalisers still see the module's variables, as in Python
    for reference in references:
        if (module := reference()) is not None:
            _clear(module)
    gc.collect()
    streams = {id(stream): stream for stream in [*held, *_open_files()]}
    for stream in sorted(streams.values(), key=_order):
        with contextlib.suppress(Exception):
            # Close compressed files, which have an end to write. A library may still use others.
            stream.flush() if _is_plain(stream) else stream.close()
    _flush_standard_streams()
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)  # flushes the output of libraries in C


def _flush_standard_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _forget_modules(places: Places, older: Container[str]) -> list[weakref.ref[ModuleType]]:
    """Remove the program's modules from `sys.modules`, the newest first; return weak references."""
    references = []
    # Older modules are not touched, since a fork would copy their memory.
    new = [name for name in sys.modules if name == "__main__" or name not in older]
    for name in reversed(new):
        module: object = sys.modules[name]  # programs may store any object there
        if isinstance(module, ModuleType) and _is_of_program(module, places):
            references.append(weakref.ref(module))
            del sys.modules[name]
    return references


def _is_of_program(module: ModuleType, places: Places) -> bool:
    name, file = vars(module).get("__name__"), vars(module).get("__file__")
    return name == "__main__" or (isinstance(file, str) and places.owns(file))


def _clear(module: ModuleType) -> None:
    """Clear the variables of a module in Python's order: names with an underscore first."""
    names = vars(module)
    for name in sorted(names, key=lambda name: not str(name).startswith("_")):
        if name != "__builtins__":
            with contextlib.suppress(Exception):
                names[name] = None


def _open_files() -> list[io.IOBase]:
    """Return the files that are open for writing, except those older than `gc.freeze`.

    Types are asked, since `isinstance` runs the code of a program's own `__class__`, and takes
    a fifth of the time of a short run to ask `io.IOBase`, an abstract class, of each type.
    """
    objects = (x for x in gc.get_objects() if issubclass(type(x), _IOBASE))
    streams = cast("list[io.IOBase]", list(objects))
    return [stream for stream in streams if _is_written(stream)]


def _is_written(stream: io.IOBase) -> bool:
    with contextlib.suppress(Exception):
        return not stream.closed and stream.writable()
    return False


def _is_plain(stream: io.IOBase) -> bool:
    """Return whether `open` made the file, so that its end needs only a flush."""
    return isinstance(stream, io.FileIO | io.BufferedIOBase | io.TextIOBase) and (
        type(stream).__module__ == "_io"
    )


def _order(stream: io.IOBase) -> int:
    """Return the layer of a file: text files write to compressed files, and these to plain ones.

    Raw files are last, since buffers write to them.
    """
    if isinstance(stream, io.TextIOBase):
        return 0
    if isinstance(stream, io.RawIOBase):
        return 3
    return 2 if _is_plain(stream) else 1
