"""Conversions between OpenCL's scalar types: convert, convert_*, as_*, parse."""

from __future__ import annotations

from collections.abc import Callable

from halfcl._opencl.conversion import functions, reinterpretation
from halfcl._opencl.conversion.functions import conversion_to, convert
from halfcl._opencl.conversion.text import parse

__all__ = ["conversion_to", "convert", "make", "names", "parse"]


def names() -> list[str]:
    """Every ``convert_*`` and ``as_*`` name."""
    return [*functions.names(), *reinterpretation.names()]


def make(name: str) -> Callable[..., object] | None:
    """Return the function with this name, or None if there is none."""
    return functions.make(name) or reinterpretation.make(name)
