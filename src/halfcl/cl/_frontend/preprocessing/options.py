"""Build options, in the syntax of clBuildProgram."""

from __future__ import annotations

import argparse
import functools
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

#: Values of __OPENCL_C_VERSION__ by values of -cl-std.
STANDARDS = {"CL1.0": 100, "CL1.1": 110, "CL1.2": 120, "CL2.0": 200, "CL3.0": 300}

#: Extensions whose functions clang declares if their macros are defined.
SUB_GROUP_EXTENSIONS = tuple(
    f"cl_khr_subgroup_{name}"
    for name in """extended_types non_uniform_vote ballot non_uniform_arithmetic shuffle
    shuffle_relative clustered_reduce rotate""".split()
)

#: Extensions whose functions are supported.
EXTENSIONS = (
    *"""cl_khr_fp16 cl_khr_fp64 cl_khr_select_fprounding_mode cl_khr_byte_addressable_store
    cl_khr_3d_image_writes cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics
    cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_integer_dot_product
    cl_khr_subgroups cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short
    cl_intel_subgroups_long cl_intel_subgroup_local_block_io cl_intel_required_subgroup_size
    cl_qcom_reqd_sub_group_size""".split(),
    *SUB_GROUP_EXTENSIONS,
)

#: Options that permit less precise results. They have no effect: results follow the source.
_PERMISSIONS = """-cl-opt-disable -cl-strict-aliasing -cl-mad-enable -cl-no-signed-zeros
-cl-denorms-are-zero -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math
-cl-fp32-correctly-rounded-divide-sqrt -cl-uniform-work-group-size -cl-no-subgroup-ifp
-cl-kernel-arg-info -g""".split()


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
    #: Extensions that are enabled as if by pragmas before the source, and those that are removed.
    extensions: frozenset[str] = field(default_factory=frozenset)
    removed: frozenset[str] = field(default_factory=frozenset)
    #: Names and texts of the headers that clCompileProgram gets.
    headers: tuple[tuple[str, str], ...] = ()
    #: Whether other programs may define functions that this one calls, as with clLinkProgram.
    is_linked: bool = False

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
    parser.add_argument("-w", action="store_true", dest="quiet")
    parser.add_argument("-Werror", action="store_true", dest="errors")
    parser.add_argument("-cl-single-precision-constant", action="store_true", dest="single")
    parser.add_argument("-cl-ext", action="append", default=[], dest="extensions")
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
    arguments, unknown = _parser().parse_known_args(words)
    if unknown:
        raise ValueError(
            f"Program: argument options: expected options of clBuildProgram, got {unknown[0]}"
        )
    enabled, removed = _extensions(",".join(arguments.extensions))
    return Options(
        tuple(_definition(d) for d in arguments.defines),
        tuple(arguments.folders),
        arguments.standard,
        arguments.quiet,
        arguments.errors,
        arguments.single,
        frozenset(arguments.given or ()),
        enabled,
        removed,
    )


def with_extensions(options: str, extensions: str | Iterable[str], caller: str) -> str:
    """Return options that enable extensions, too. caller: the function that messages name."""
    names = [extensions] if isinstance(extensions, str) else extensions
    expected = f"{caller}: argument extensions: expected names of extensions, got"
    try:
        names = list(names)
    except TypeError:
        raise TypeError(f"{expected} {type(extensions).__name__}") from None
    for name in names:
        if name not in EXTENSIONS:
            raise ValueError(f"{expected} {name!r}; see halfcl.cl.Program")
    enabled = ",".join(f"+{name}" for name in names)
    if not enabled or not isinstance(options, str):  # `parse_options` says what it expects
        return options
    return f"{options} -cl-ext={enabled}".lstrip()


def _extensions(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the extensions that the values of -cl-ext enable, and those that they remove."""
    enabled, removed = set[str](), set[str]()
    for word in filter(None, text.split(",")):
        sign, name = word[0], word[1:]
        if sign not in "+-" or name not in ("all", *EXTENSIONS):
            raise ValueError(
                "Program: argument options: expected + or - and the name of an extension after "
                f"-cl-ext=, got {word}"
            )
        names = EXTENSIONS if name == "all" else (name,)
        if sign == "+":
            enabled |= set(names)
            removed -= set(names)
        else:
            enabled -= set(names)
            removed |= set(names)
    return frozenset(enabled), frozenset(removed)


def _definition(option: str) -> str:
    """Return -D name or -D name=value as the text after #define."""
    name, has_value, value = option.partition("\n")[0].partition("=")
    if not name.split("(")[0].isidentifier():
        raise ValueError(f"Program: argument options: expected a name after -D, got {option!r}")
    return f"{name} {value if has_value else 1}"
