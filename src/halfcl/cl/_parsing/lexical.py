"""What clang says of a program's text as it was given: of directives, macros and characters.

What it parses otherwise is without them. pcpp tells less, and takes much that is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from clang import cindex
from clang.cindex import Diagnostic as ClangDiagnostic

from halfcl.cl import _header as header
from halfcl.cl._errors import Diagnostic, Place
from halfcl.cl._options import Options
from halfcl.cl._parsing.library import severity_of
from halfcl.cl._preprocessing import Text

_CATEGORY = "Lexical or Preprocessor Issue"
_OF_PRAGMAS = re.compile("in pragma|pragma OPENCL")  # which halfcl.cl._pragmas tells of
_KEEP_GOING = 0x200  # also where a file that is included is not found

#: Macros of clang that pcpp does not have. Of the rest -undef takes care.
_NOT_DEFINED = (
    "__has_include_next __has_embed __has_builtin __has_constexpr_builtin "
    "__has_feature __has_extension "
    "__has_attribute __has_c_attribute __has_declspec_attribute __has_warning __is_identifier "
    "__is_target_arch __is_target_os __is_target_vendor __is_target_environment "
    "__is_target_variant_os __is_target_variant_environment __building_module __MODULE__ "
    "__identifier __BASE_FILE__ __INCLUDE_LEVEL__ __TIMESTAMP__ __FLT_EVAL_METHOD__ "
    "__DATE__ __TIME__"
).split()


def check(text: Text, name: str, options: Options) -> list[Diagnostic]:
    """All that is wrong in preprocessing, and warnings; the file of that name is the program."""
    if text.has_mode_operators and any("__ROUNDING_MODE__" in t for t in text.sources.values()):
        return text.diagnostics  # clang could not know what it is where
    found = list(_of_clang(text, name, options))
    told = {(d.place.file, d.place.line) for d in found if d.place and d.severity == "error"}
    warned = {(d.place, d.message) for d in found}
    rest = [
        d
        for d in text.diagnostics
        if d.place is None
        or ((d.place.file, d.place.line) not in told and (d.place, d.message) not in warned)
    ]
    return sorted([*found, *rest], key=_order)


def _order(diagnostic: ClangDiagnostic) -> tuple[str, int, int]:
    place = diagnostic.place
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def _of_clang(text: Text, name: str, options: Options) -> Iterator[Diagnostic]:
    program = os.path.join(os.path.abspath(os.path.dirname(name)), "halfcl-program.cl")
    predefined = program + ".h"
    arguments = ["-x", "cl", f"-cl-std={options.standard}", "-undef", "-cl-no-stdinc"]
    arguments += ["-nostdinc", "-target", "spir64-unknown-unknown", "-ferror-limit=0"]
    arguments += ["-include", predefined]
    arguments += [f"-I{folder}" for folder in options.include_folders]
    files = [(predefined, _predefined(options)), (program, _with_modes(text, name))]
    files += [
        (os.path.abspath(file), _with_modes(text, file))
        for file in text.sources
        if file != name and any(key[0] == file for key in text.modes)
    ]
    unit = cindex.Index.create().parse(program, arguments, files, _KEEP_GOING)
    shown = {os.path.realpath(file): file for file in text.sources if file != name}
    shown[os.path.realpath(program)] = name
    for diagnostic in unit.diagnostics:
        if diagnostic.category_name == _CATEGORY and not _OF_PRAGMAS.search(diagnostic.spelling):
            yield from _shown(diagnostic, shown, predefined, text)


def _shown(
    diagnostic: ClangDiagnostic, shown: dict[str, str], predefined: str, text: Text
) -> Iterator[Diagnostic]:
    at = diagnostic.location
    severity, message = severity_of(diagnostic), diagnostic.spelling
    file = at.file.name if at.file else ""
    if file == predefined:
        if severity == "error":
            yield Diagnostic(None, severity, f"options: -D: {message}")
        return
    name = shown.get(os.path.realpath(file), file)
    if (name, at.line) in text.modes:
        return  # a pragma of the program that is a definition here
    lines = _lines(text.sources.get(name, ""))
    line = lines[at.line - 1].encode() if at.line <= len(lines) else b""
    column = len(line[: at.column - 1].decode(errors="replace")) + 1 if line else at.column
    yield Diagnostic(Place(name, at.line, column), severity, message)


def _lines(text: str) -> list[str]:
    """As clang counts them."""
    return re.split(r"\r\n|\n|\r", text)


def _with_modes(text: Text, file: str) -> str:
    lines = _lines(text.sources[file])
    for (other, line), directive in text.modes.items():
        if other == file:
            lines[line - 1] = f"#{directive}"
    return "\n".join(lines)


def _predefined(options: Options) -> str:
    macros = header.macros() | header.version_macros(options)
    return "\n".join(
        [
            *(f"#undef {name}" for name in _NOT_DEFINED),
            *(f"#define {name} {value}" for name, value in macros.items()),
            *(f"#define {definition}" for definition in options.defines),
            "",
        ]
    )
