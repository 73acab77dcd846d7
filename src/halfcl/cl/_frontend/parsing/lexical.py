"""Clang's diagnostics of a program's original text: directives, macros and characters.

Otherwise clang parses the preprocessed text. The preprocessor itself reports less, and accepts many
errors.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator

from clang import cindex
from clang.cindex import Diagnostic as ClangDiagnostic

from halfcl.cl._frontend.errors import Diagnostic
from halfcl.cl._frontend.parsing.library import severity_of
from halfcl.cl._frontend.preprocessing import Text, header
from halfcl.cl._frontend.preprocessing.options import Options

_CATEGORY = "Lexical or Preprocessor Issue"
_ON_PRAGMAS = re.compile("in pragma|pragma OPENCL")  # halfcl.cl._frontend.pragmas reports these
_KEEP_GOING = 0x200  # continue if an included file is not found
_NO_BODIES = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES  # they are only preprocessed

#: Macros of clang that the preprocessor lacks. -undef removes all others.
_NOT_DEFINED = (
    "__has_include_next __has_embed __has_constexpr_builtin __has_warning "
    "__is_target_arch __is_target_os __is_target_vendor __is_target_environment "
    "__is_target_variant_os __is_target_variant_environment __building_module __MODULE__ "
    "__identifier __BASE_FILE__ __INCLUDE_LEVEL__ __TIMESTAMP__ __FLT_EVAL_METHOD__ "
    "__DATE__ __TIME__"
).split()


def check(text: Text, name: str, options: Options) -> list[Diagnostic]:
    """Return the errors and warnings of preprocessing; the program is the file of that name."""
    if text.has_mode_operators and any("__ROUNDING_MODE__" in t for t in text.map.sources.values()):
        return text.diagnostics  # clang does not know the mode at each place
    diagnostics = list(_clang_diagnostics(text, name, options))
    known_lines = {
        (d.location.file, d.location.line)
        for d in diagnostics
        if d.location and d.severity == "error"
    }
    known_messages = {(d.location, d.message) for d in diagnostics}
    rest = [
        d
        for d in text.diagnostics
        if d.location is None
        or (
            (d.location.file, d.location.line) not in known_lines
            and (d.location, d.message) not in known_messages
        )
    ]
    return sorted([*diagnostics, *rest], key=_order)


def _order(diagnostic: ClangDiagnostic) -> tuple[str, int, int]:
    place = diagnostic.location
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def _clang_diagnostics(text: Text, name: str, options: Options) -> Iterator[Diagnostic]:
    folder = os.path.abspath(os.path.dirname(name))
    headers = dict(options.headers)
    # Headers given as text come before files, as if all lay in one folder.
    folder_of_headers = os.path.join(folder, "halfcl-headers")
    program = os.path.join(folder_of_headers if headers else folder, "halfcl-program.cl")
    predefined = program + ".h"
    arguments = ["-x", "cl", f"-cl-std={options.standard}", "-undef", "-cl-no-stdinc"]
    arguments += ["-nostdinc", "-target", "spir64-unknown-unknown", "-ferror-limit=0"]
    arguments += ["-include", predefined]
    if headers:
        arguments += [f"-I{folder_of_headers}", "-iquote", folder]
    arguments += [f"-I{folder}" for folder in options.include_folders]
    path_of = {
        file: os.path.join(folder_of_headers, file) if file in headers else os.path.abspath(file)
        for file in [*text.map.sources, *headers]
        if file != name
    }
    files = [(predefined, _header_text(options)), (program, _with_modes(text, name))]
    files += [
        (path_of[file], _with_modes(text, file))
        for file in text.map.sources
        if file in path_of and any(key[0] == file for key in text.modes)
    ]
    changed = {path for path, _ in files}
    files += [(path_of[h], headers[h]) for h in headers if path_of[h] not in changed]
    try:
        unit = cindex.Index.create().parse(program, arguments, files, _KEEP_GOING | _NO_BODIES)
    except cindex.TranslationUnitLoadError:
        message = "not supported: libclang crashes at the directives or macros of this source"
        yield Diagnostic(None, "error", message)
        return
    shown = {os.path.realpath(path): file for file, path in path_of.items()}
    shown[os.path.realpath(program)] = name
    lines = functools.cache(lambda name: _lines(text.map.sources.get(name, "")))
    for diagnostic in unit.diagnostics:
        if headers and diagnostic.spelling.endswith(" file not found"):
            continue  # clang does not resolve ../ among them; the preprocessor reports these itself
        if diagnostic.category_name == _CATEGORY and not _ON_PRAGMAS.search(diagnostic.spelling):
            yield from _convert_diagnostic(diagnostic, shown, predefined, text, lines)


def _convert_diagnostic(
    diagnostic: ClangDiagnostic,
    shown: dict[str, str],
    predefined: str,
    text: Text,
    lines_of: Callable[[str], list[str]],
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
        return  # the definition replaces a pragma of the program
    lines = lines_of(name)
    line = lines[at.line - 1].encode() if at.line <= len(lines) else b""
    column = len(line[: at.column - 1].decode(errors="replace")) + 1 if line else at.column
    yield Diagnostic(text.map.shown_place(name, at.line, column), severity, message)


def _lines(text: str) -> list[str]:
    """Return the lines as clang counts them."""
    return re.split(r"\r\n|\n|\r", text)


def _with_modes(text: Text, file: str) -> str:
    lines = _lines(text.map.sources[file])
    for (other, line), directive in text.modes.items():
        if other == file:
            lines[line - 1] = f"#{directive}"
    return "\n".join(lines)


@functools.lru_cache(maxsize=16)
def _header_text(options: Options) -> str:
    macros = {**header.macros(), **header.version_macros(options)}
    return "\n".join(
        [
            "#pragma clang diagnostic push",
            '#pragma clang diagnostic ignored "-Wbuiltin-macro-redefined"',
            *(f"#undef {name}" for name in _NOT_DEFINED),
            "#pragma clang diagnostic pop",
            *(f"#define {n} {value}" for n, value in macros.items() if n not in options.removed),
            *(f"#define {definition}" for definition in options.defines),
            "",
        ]
    )
