"""pyopencl's exceptions."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import SupportsIndex

from halfcl.cl._frontend.errors import BuildError, LaunchError


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


def expect(what: str, value: object, kind: type) -> None:
    """LogicError if an argument is of another class; what: of what call, and which one."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIO" else "a"
        got = type(value).__name__
        raise LogicError(f"{what}: expected {article} {kind.__name__}, got {got}")


def integer(what: str, value: SupportsIndex, least: int = 0) -> int:
    """An argument that counts something."""
    try:
        found = operator.index(value)
    except TypeError:
        got = type(value).__name__
        raise LogicError(f"{what}: expected an int, got {got}") from None
    if found < least:
        raise LogicError(f"{what}: expected {least} or more, got {found}")
    return found


def integers(what: str, values: object) -> tuple[int, ...]:
    """An argument that is a tuple of these."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        got = type(values).__name__
        raise LogicError(f"{what}: expected a tuple of ints, got {got}")
    return tuple(integer(what, value) for value in values)
