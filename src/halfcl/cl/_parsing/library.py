"""libclang: its arguments, what it finds wrong, and what its Python package does not declare."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from ctypes import CDLL

from clang import cindex
from clang.cindex import Cursor, Diagnostic as ClangDiagnostic, TranslationUnit

from halfcl.cl import _header as header
from halfcl.cl._errors import Diagnostic
from halfcl.cl._options import Options
from halfcl.cl._pragmas import Pragmas
from halfcl.cl._preprocessing import Text

_FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(_FOLDER, "program.cl")
_HEADER = os.path.join(_FOLDER, "declarations.h")

#: By clang's numbers.
BINARY = dict(
    enumerate("* / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>=".split(), 3)
) | dict(enumerate("&= ^= |= ,".split(), 30))
UNARY = dict(enumerate("x++ x-- ++x --x & * + - ~ !".split(), 1))

_ARGUMENTS = [
    "-x", "cl",
    "-target", "spir64-unknown-unknown",
    "-Xclang", "-fdeclare-opencl-builtins",
    "-cl-no-stdinc",  # else clang looks for a header of its own, even in the working directory
    "-include", _HEADER,
    "-ferror-limit=0",
    # Where address spaces have names, clang hides functions that take pointers without this.
    "-D__opencl_c_named_address_space_builtins=1",
    "-D__opencl_subgroup_builtins=1",
    "-Wno-ignored-pragmas",
    "-Wno-unused-value",
]  # fmt: skip


@functools.cache
def library() -> CDLL:
    """libclang, with functions that its Python package does not declare."""
    found: CDLL = cindex.conf.lib
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        function = getattr(found, name)
        function.argtypes, function.restype = [cindex.Cursor], cindex.c_int
    initializer = found.clang_Cursor_getVarDeclInitializer
    initializer.argtypes, initializer.restype = [cindex.Cursor], cindex.Cursor
    evaluate = found.clang_Cursor_Evaluate
    evaluate.argtypes, evaluate.restype = [cindex.Cursor], cindex.c_void_p
    for name, result in {
        "getKind": cindex.c_int,
        "getAsLongLong": cindex.c_longlong,
        "getAsUnsigned": cindex.c_ulonglong,
        "isUnsignedInt": cindex.c_uint,
        "getAsDouble": cindex.c_double,
        "dispose": None,
    }.items():
        function = getattr(found, f"clang_EvalResult_{name}")
        function.argtypes, function.restype = [cindex.c_void_p], result
    return found


def value_of(cursor: Cursor) -> int | float | None:
    """Of a constant expression; None of another one."""
    clang = library()
    result = clang.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        kind = clang.clang_EvalResult_getKind(result)
        if kind == 1:
            if clang.clang_EvalResult_isUnsignedInt(result):
                return int(clang.clang_EvalResult_getAsUnsigned(result))
            return int(clang.clang_EvalResult_getAsLongLong(result))
        return float(clang.clang_EvalResult_getAsDouble(result)) if kind == 2 else None
    finally:
        clang.clang_EvalResult_dispose(result)


def translation_unit(text: Text, options: Options) -> TranslationUnit:
    """What clang makes of a program."""
    arguments = [*_ARGUMENTS, f"-cl-std={options.standard}"]
    features = header.FEATURES if options.version >= 200 else ()
    features = (*header.EXTENSION_FEATURES, *header.SUB_GROUP_EXTENSIONS, *features)
    arguments += [f"-D{feature}=1" for feature in features]
    if options.single_precision_constants:
        arguments.append("-cl-single-precision-constant")
    files = [(PROGRAM, text.text), (_HEADER, header.declarations(options, text.text))]
    return cindex.Index.create().parse(PROGRAM, args=arguments, unsaved_files=files)


def severity_of(diagnostic: ClangDiagnostic) -> str:
    """ "error" or "warning"."""
    return "error" if diagnostic.severity >= cindex.Diagnostic.Error else "warning"


def diagnostics_of(unit: TranslationUnit, text: Text, pragmas: Pragmas) -> Iterator[Diagnostic]:
    """What clang says, at the places that the text comes from."""
    for found in unit.diagnostics:
        if "qcom_reqd_sub_group_size" in found.spelling:
            continue  # which clang does not know
        at = found.location.offset
        message = pragmas.with_remedy(found.spelling, at)
        yield Diagnostic(text.place_of(at), severity_of(found), message)
