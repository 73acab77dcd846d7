"""pyopencl's exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from halfcl.cl.errors import BuildError, LaunchError


class Error(Exception):
    """The base of the others."""


class LogicError(Error):
    """A call that asks for what cannot be."""


class RuntimeError(Error):
    """A program that does not build, or a kernel that did what it must not."""


class MemoryError(Error):
    """No memory."""


@contextmanager
def as_opencl(what: str) -> Iterator[None]:
    """halfcl's errors as pyopencl's; their text stays."""
    try:
        yield
    except (BuildError, LaunchError) as error:
        raise RuntimeError(f"{what} failed: {error}") from error
    except (TypeError, ValueError) as error:
        raise LogicError(f"{what} failed: {error}") from error
