"""Calls of libclang: its arguments, its diagnostics, and functions that its package lacks."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from ctypes import CDLL

from clang import cindex
from clang.cindex import (
    Cursor,
    Diagnostic as ClangDiagnostic,
    TranslationUnit,
    TranslationUnitLoadError,
)

from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.pragmas import Pragmas
from halfcl.cl._frontend.preprocessing import Text, header
from halfcl.cl._frontend.preprocessing.options import SUB_GROUP_EXTENSIONS, Options

_FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(_FOLDER, "program.cl")
_HEADER = os.path.join(_FOLDER, "declarations.h")

#: Operators by clang's numbers.
BINARY = dict(
    enumerate("* / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>=".split(), 3)
) | dict(enumerate("&= ^= |= ,".split(), 30))
UNARY = dict(
    enumerate("x++ x-- ++x --x & * + - ~ ! __real__ __imag__ __extension__ co_await".split(), 1)
)

_ARGUMENTS = [
    "-x", "cl",
    "-target", "spir64-unknown-unknown",
    "-Xclang", "-fdeclare-opencl-builtins",
    "-cl-no-stdinc",  # or clang would look for its header, even in the working directory
    "-include", _HEADER,
    "-ferror-limit=0",
    # Without this, clang hides functions of pointers with named address spaces.
    "-D__opencl_c_named_address_space_builtins=1",
    "-D__opencl_subgroup_builtins=1",
    "-Wno-ignored-pragmas",
    "-Wno-unused-value",
]  # fmt: skip


@functools.cache
def library() -> CDLL:
    """Return libclang, with functions that its Python package does not declare."""
    clang: CDLL = cindex.conf.lib
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        function = getattr(clang, name)
        function.argtypes, function.restype = [cindex.Cursor], cindex.c_int
    initializer = clang.clang_Cursor_getVarDeclInitializer
    initializer.argtypes, initializer.restype = [cindex.Cursor], cindex.Cursor
    evaluate = clang.clang_Cursor_Evaluate
    evaluate.argtypes, evaluate.restype = [cindex.Cursor], cindex.c_void_p
    for name, result in {
        "getKind": cindex.c_int,
        "getAsLongLong": cindex.c_longlong,
        "getAsUnsigned": cindex.c_ulonglong,
        "isUnsignedInt": cindex.c_uint,
        "getAsDouble": cindex.c_double,
        "dispose": None,
    }.items():
        function = getattr(clang, f"clang_EvalResult_{name}")
        function.argtypes, function.restype = [cindex.c_void_p], result
    return clang


def value_of(cursor: Cursor) -> int | float | None:
    """Return the value of a constant expression, or None."""
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
    """Parse a program with clang."""
    arguments = [*_ARGUMENTS, f"-cl-std={options.standard}"]
    features = header.FEATURES if options.version >= 200 else ()
    features = (*header.EXTENSION_FEATURES, *SUB_GROUP_EXTENSIONS, *features)
    arguments += [f"-D{feature}=1" for feature in features]
    if options.single_precision_constants:
        arguments.append("-cl-single-precision-constant")
    files = [(PROGRAM, text.text), (_HEADER, header.declarations(options, text.text))]
    try:
        return cindex.Index.create().parse(PROGRAM, args=arguments, unsaved_files=files)
    except TranslationUnitLoadError:
        why = "not supported: clang crashed on this program"
        raise BuildError([Diagnostic(None, "error", why)]) from None


def severity_of(diagnostic: ClangDiagnostic) -> str:
    """Return "error" or "warning"."""
    return "error" if diagnostic.severity >= cindex.Diagnostic.Error else "warning"


def diagnostics_of(unit: TranslationUnit, text: Text, pragmas: Pragmas) -> Iterator[Diagnostic]:
    """Yield clang's diagnostics, at their places in the source."""
    for diagnostic in unit.diagnostics:
        if "qcom_reqd_sub_group_size" in diagnostic.spelling:
            continue  # clang does not know this attribute
        at = diagnostic.location.offset
        message = pragmas.with_remedy(diagnostic.spelling, at)
        yield Diagnostic(text.place_of(at), severity_of(diagnostic), message)
