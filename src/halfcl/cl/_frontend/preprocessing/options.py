"""Build options, in the syntax of clBuildProgram."""

from __future__ import annotations

import argparse
import functools
import re
import shlex
from dataclasses import dataclass, field
from typing import NoReturn

#: Values of __OPENCL_C_VERSION__ by values of -cl-std.
STANDARDS = {"CL1.0": 100, "CL1.1": 110, "CL1.2": 120, "CL2.0": 200, "CL3.0": 300}

#: Options that permit less precise results. They have no effect: results follow the source.
_PERMISSIONS = """-cl-opt-disable -cl-strict-aliasing -cl-mad-enable -cl-no-signed-zeros
-cl-denorms-are-zero -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math
-cl-fp32-correctly-rounded-divide-sqrt -cl-kernel-arg-info -g""".split()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a build."""

    defines: tuple[str, ...] = ()  # "NAME value"
    include_folders: tuple[str, ...] = ()
    standard: str = "CL1.2"
    is_quiet: bool = False  # -w
    warnings_are_errors: bool = False
    single_precision_constants: bool = False
    permissions: frozenset[str] = field(default_factory=frozenset)
    extensions: frozenset[str] = field(default_factory=frozenset)  # -cl-ext=+...

    @property
    def version(self) -> int:
        return STANDARDS[self.standard]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"Program: argument options: {message}")


@functools.cache
def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="Program", add_help=False, allow_abbrev=False)
    parser.add_argument("-D", action="append", default=[], dest="defines")
    parser.add_argument("-I", action="append", default=[], dest="folders")
    parser.add_argument("-cl-std", choices=sorted(STANDARDS), default="CL1.2", dest="standard")
    parser.add_argument("-cl-ext", action="append", default=[], dest="extensions")
    parser.add_argument("-w", action="store_true", dest="quiet")
    parser.add_argument("-Werror", action="store_true", dest="errors")
    parser.add_argument("-cl-single-precision-constant", action="store_true", dest="single")
    for permission in _PERMISSIONS:
        parser.add_argument(permission, action="append_const", const=permission, dest="given")
    return parser


def parse_options(text: str) -> Options:
    """Parse an option string in the syntax of clBuildProgram."""
    if not isinstance(text, str):
        raise TypeError(f"Program: argument options: expected a str, got {type(text).__name__}")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"Program: argument options: {text!r}: {error}") from None
    arguments = _parser().parse_args(words)
    return Options(
        tuple(_definition(d) for d in arguments.defines),
        tuple(arguments.folders),
        arguments.standard,
        arguments.quiet,
        arguments.errors,
        arguments.single,
        frozenset(arguments.given or ()),
        frozenset(name for text in arguments.extensions for name in _extensions_in(text)),
    )


def _extensions_in(option: str) -> list[str]:
    """Return the extensions of -cl-ext=+name,+name."""
    names = option.split(",")
    for name in names:
        if not re.fullmatch(r"\+\w+", name):
            raise ValueError(
                f"Program: argument options: expected -cl-ext=+name, got -cl-ext={option!r}"
            )
    return [name[1:] for name in names]


def _definition(option: str) -> str:
    """Return -D name or -D name=value as the text after #define."""
    name, has_value, value = option.partition("=")
    if not name.split("(")[0].isidentifier():
        raise ValueError(f"Program: argument options: expected a name after -D, got {option!r}")
    return f"{name} {value if has_value else 1}"
