"""The names that halfcl lists: those that users call.

All others follow rules and can be imported nevertheless: a function in one mode, ``exp_rtp``; a
type's conversion, ``convert_int4_sat``, and its vectors, ``int4``; loads and stores, ``vload4``;
OpenCL's other spelling of a constant, ``CL_HALF_MAX``.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

_BY_RULE = re.compile(
    r"""\w+_rt[ezpn]  # a function in one mode
    |(convert|as)_\w+
    |v(load|store)\w+
    |(u?(char|short|int|long)|float|double)\d+  # vectors; those of half are shown
    |(CL|FP)_\w+""",
    re.VERBOSE,
)

#: OpenCL's names of vectors that are also NumPy's names of dtypes, with OpenCL's meaning.
AMBIGUOUS = {
    "float16": "sixteen floats",
    "int8": "eight ints",
    "int16": "sixteen ints",
    "uint8": "eight uints",
    "uint16": "sixteen uints",
}


def listed_names(names: Iterable[str]) -> list[str]:
    """Return those of the names that are listed."""
    return [name for name in names if not _BY_RULE.fullmatch(name)]


def names_for_import(names: Iterable[str]) -> list[str]:
    """Return the names that ``from halfcl import *`` imports: listed ones except builtins."""
    return [name for name in listed_names(names) if not hasattr(builtins, name)]


def explain_missing(name: str) -> str:
    """Return why halfcl has no such name, as the end of a sentence or ""."""
    if name not in AMBIGUOUS:
        return ""
    return f": numpy.{name} is a dtype, halfcl.vectors.{name} a vector of {AMBIGUOUS[name]}"


def publish(package: dict[str, Any], *more: object) -> None:
    """Let a package list the names in its ``__all__``, as their module for pickles, too.

    package: its ``globals()``; more: objects that are not listed, but pickle in the same way.
    Functions and classes of the package's modules get the package's name as their module, by which
    they pickle. Objects of other packages, and those that have no module or do not allow changing
    it, stay as they are.
    """
    shown_names = sorted(package["__all__"])
    package.setdefault("__dir__", lambda: shown_names)
    module = package["__name__"]
    for thing in (*map(package.get, shown_names), *more):
        if callable(thing) and str(getattr(thing, "__module__", None)).startswith(f"{module}."):
            with suppress(TypeError):  # of a class in C
                thing.__module__ = module
