"""What may be wrong with a program, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Of a character of the source: file, line and column, as editors count, from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What is wrong at one place of a program.

    Attributes
    ----------
    place : Place or None
        None if it is not of one place.
    severity : str
        ``"warning"`` or ``"error"``.
    message : str
        What clang says, or what this package says of pragmas and of what it does not support.
    """

    place: Place | None
    severity: str
    message: str

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{place}{self.severity}: {self.message}"


class BuildWarning(UserWarning):
    """Something in a program that compiles, but may not be what is meant.

    Python's warnings of it name file, line and column of the program; the same are in
    ``Program.diagnostics``. The option ``-w`` of a build silences them.

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
    """A program that does not compile: its message is all that is wrong, a line for each.

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
    """A kernel that did what it must not while it ran, or that ran too long.

    Its message names the place in the source and the kernel; of accesses to memory that are not
    allowed also the buffer, the work-item (by its global id) and where the access is.

    Notes
    -----
    What the kernel has written before stays written: blocks of work-items run one after another.

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
