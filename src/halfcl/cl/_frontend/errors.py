"""Errors and warnings about a program, and places in its source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from halfcl._tables.twins import suggest_in_kernel


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A place in the source: file, line and column, counted from 1 as editors do."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error or warning about one place of a program.

    Attributes
    ----------
    location : SourceLocation or None
        None if it does not concern one place.
    severity : str
        ``"warning"`` or ``"error"``.
    message : str
        Clang's message, or this package's on pragmas and on unsupported features.
    """

    location: SourceLocation | None
    severity: str
    message: str

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return f"{place}{self.severity}: {self.message}"


#: Words that no program in OpenCL C has, by the languages that have them.
_WORDS = {
    "HLSL": r"\bRW(Structured|ByteAddress)?Buffer\b|\bnumthreads\b|\bSV_\w+|\bcbuffer\b",
    "CUDA or HIP": r"__global__|__device__|\bblockIdx\b|\bthreadIdx\b|__half2?\b",
    "Metal": r"\[\[\s*(buffer|texture|thread\w*)\b|\busing\s+namespace\s+metal\b",
    "GLSL": r"^\s*#\s*version\b|\bgl_\w+|\blayout\s*\(",
}


#: What clang says of names that OpenCL C lacks, of casts as C++ writes them, of other languages'
#: literals.
_UNKNOWN = re.compile(r"(?:undeclared identifier|unknown type name|undeclared function) '(\w+)'")
_CAST = re.compile(r"unexpected type name '(\w+)'")
_LITERAL = re.compile(r"invalid suffix '[hH][fF]'|type _Float16")

#: One word with a point and a suffix, or with a slash: no source has so little.
_LONGEST_PATH = 4096  # characters, as in Linux
_PATH = re.compile(r"\s*\S+\.\w{1,4}\s*|\s*[^\s;{}()]+[/\\][^\s;{}()]+\s*")


def notes_on_mistakes(source: str, errors: list[Diagnostic]) -> list[Diagnostic]:
    """Return notes that say what to write, if a source that does not compile was meant otherwise.

    It may be in another language or have words of one, or be the path of a source.
    """
    if len(source) <= _LONGEST_PATH and _PATH.fullmatch(source):
        text = f"this looks like a path; pathlib.Path({source.strip()!r}).read_text() is its source"
        return [Diagnostic(None, "note", text)]
    texts = [
        f"this looks like {language}; halfcl.cl takes OpenCL C"
        for language, expression in _WORDS.items()
        if re.search(expression, source, re.MULTILINE)
    ]
    for error in errors:
        if unknown := _UNKNOWN.search(error.message):
            texts.append(suggest_in_kernel(unknown[1]))
        if cast := _CAST.search(error.message):
            texts.append(f"OpenCL C's casts and vectors are ({cast[1]})(...), not {cast[1]}(...)")
        if _LITERAL.search(error.message):
            texts.append("OpenCL C's literals of half have the suffix h: 0.5h")
    return [Diagnostic(None, "note", text) for text in dict.fromkeys(texts) if text]


class BuildWarning(UserWarning):
    """A warning about a program that compiles, but may not do what is meant.

    The text has file, line and column in the program; ``Program.diagnostics`` has them, too. The
    build option ``-w`` silences these warnings.

    Examples
    --------
    >>> import warnings
    >>> from halfcl import cl
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     program = cl.Program("#pragma OPENCL SELECT_ROUNDING_MODE rtz")
    >>> print(caught[0].category.__name__, caught[0].message)
    BuildWarning program.cl:1:1: warning: SELECT_ROUNDING_MODE is ignored: \
cl_khr_select_fprounding_mode is not enabled
    """


class BuildError(Exception):
    """An error in a program that does not compile; the message has a line per problem.

    Parameters
    ----------
    diagnostics : list of Diagnostic
        Each with its place (file, line and column), severity and message; warnings, too.

    Examples
    --------
    >>> from halfcl import cl
    >>> cl.Program("kernel void k(global float *a) { a[0] = x; }")
    Traceback (most recent call last):
    halfcl.cl.BuildError: program.cl:1:41: error: use of undeclared identifier 'x'
    """

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[BuildError], tuple[list[Diagnostic]]]:
        return type(self), (self.diagnostics,)


class LaunchError(Exception):
    """An error of a running kernel: a forbidden access, say, or an exceeded time limit.

    The message names the place in the source and the kernel; for forbidden memory accesses also
    the buffer, the work-item (by its global id) and the address.

    Notes
    -----
    Blocks of work-items run one after another; what the kernel has written before the error
    remains in the arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import cl
    >>> program = cl.Program("kernel void k(global float *a) { a[get_global_id(0) + 1] = 1; }")
    >>> program.k(4, None, np.zeros(4, np.float32))
    Traceback (most recent call last):
    halfcl.cl.LaunchError: program.cl:1:34: kernel k: write outside of global memory 'a': \
work-item (3,): 4 bytes at byte 16 of 16
    """
