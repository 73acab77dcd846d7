"""A parsed source, from which programs are generated or translated."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import BuildError, Diagnostic, notes_on_mistakes
from halfcl.cl._frontend.guards.interrupts import defer_interrupts
from halfcl.cl._frontend.guards.nesting import MOST_READ, recursion_room
from halfcl.cl._frontend.parsing import parse
from halfcl.cl._frontend.pragmas import Pragmas, read_pragmas
from halfcl.cl._frontend.preprocessing import Text, preprocess
from halfcl.cl._frontend.preprocessing.options import Options, parse_options

#: Only one program is built at a time, since the state of signals and of recursion is global.
_BUILDING = threading.Lock()
if hasattr(os, "register_at_fork"):  # or a child would wait for a build of its parent
    os.register_at_fork(
        before=_BUILDING.acquire,
        after_in_parent=_BUILDING.release,
        after_in_child=_BUILDING.release,
    )


@contextmanager
def build_step() -> Iterator[None]:
    """Enter a step of a build, with room for recursion; Ctrl-C ends it and restores the state.

    NumPy's warnings are off, since constants may overflow as launches may.
    """
    with defer_interrupts() as interrupts:
        while not _BUILDING.acquire(timeout=0.1):
            interrupts.check()
        try:
            with recursion_room(), np.errstate(all="ignore"), interrupts.raise_immediately():
                yield
        except RecursionError:
            message = "not supported: nested too deeply"
            raise BuildError([Diagnostic(None, "error", message)]) from None
        finally:
            _BUILDING.release()


@dataclass(frozen=True, slots=True)
class Source:
    """A source, parsed, with its options, pragmas and diagnostics."""

    source: str
    name: str
    options: Options
    text: Text
    pragmas: Pragmas
    tree: tree.Program
    diagnostics: tuple[Diagnostic, ...]


def parse_source(
    source: str,
    options: str,
    name: str,
    extents: bool = False,
    caller: str = "Program",
) -> Source:
    """Parse a source; raise BuildError if it does not compile.

    extents: whether to record the extents of expressions, for translation; caller: the function
    that messages name.
    """
    for argument, value in (("source", source), ("name", name)):
        if not isinstance(value, str):
            raise TypeError(
                f"{caller}: argument {argument}: expected a str, got {type(value).__name__}"
            )
    try:
        source.encode()
    except UnicodeEncodeError as error:
        why = f"{caller}: argument source: expected text, got {error}"
        raise BuildError([Diagnostic(None, "error", why)]) from None
    parsed_options = parse_options(options)
    if len(source) > MOST_READ:
        message = f"not supported: a source of more than {MOST_READ:,} characters"
        raise BuildError([Diagnostic(None, "error", message)])
    return parse_text(source, name, parsed_options, extents)


def parse_text(source: str, name: str, options: Options, extents: bool) -> Source:
    """Parse a source whose arguments are known to be right."""
    with build_step():
        text = preprocess(source, name, options)
        pragmas = read_pragmas(text)
        try:
            program, diagnostics = parse(text, pragmas, options, name, extents)
        except BuildError as error:
            raise BuildError(
                [*error.diagnostics, *notes_on_mistakes(source, error.diagnostics)]
            ) from None
    return Source(source, name, options, text, pragmas, program, tuple(diagnostics))
