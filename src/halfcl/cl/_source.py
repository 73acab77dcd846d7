"""A source, parsed: what programs are generated from, and translated from."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from halfcl.cl import _tree as tree
from halfcl.cl._errors import BuildError, Diagnostic
from halfcl.cl._interrupts import noted_interrupts
from halfcl.cl._nesting import LONGEST, room
from halfcl.cl._options import Options, parse_options
from halfcl.cl._parsing import parse
from halfcl.cl._pragmas import Pragmas, read_pragmas
from halfcl.cl._preprocessing import Text, preprocess

#: One program is built at a time: the preprocessor keeps tables of its own.
_BUILDING = threading.Lock()
if hasattr(os, "register_at_fork"):  # a child must not wait for a build that it does not have
    os.register_at_fork(
        before=_BUILDING.acquire,
        after_in_parent=_BUILDING.release,
        after_in_child=_BUILDING.release,
    )


@contextmanager
def building() -> Iterator[None]:
    """A step of a build, with room for recursion. Ctrl-C ends it, and all is as before.

    NumPy warns of constants as little as of what a launch computes.
    """
    with noted_interrupts() as interrupts:
        while not _BUILDING.acquire(timeout=0.1):
            interrupts.check()
        try:
            with room(), np.errstate(all="ignore"), interrupts.at_once():
                yield
        except RecursionError:
            message = "not supported: nested too deeply"
            raise BuildError([Diagnostic(None, "error", message)]) from None
        finally:
            _BUILDING.release()


@dataclass(frozen=True, slots=True)
class Source:
    source: str
    name: str
    options: Options
    text: Text
    pragmas: Pragmas
    tree: tree.Program
    diagnostics: tuple[Diagnostic, ...]


def parsed(
    source: str, options: str, name: str, extents: bool = False, caller: str = "Program"
) -> Source:
    """A source that compiles; of another one a BuildError.

    extents: whether it is to be translated; caller: whom messages name.
    """
    for argument, value in (("source", source), ("name", name)):
        if not isinstance(value, str):
            raise TypeError(
                f"{caller}: argument {argument}: expected a str, got {type(value).__name__}"
            )
    try:
        source.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{caller}: argument source: expected text, got {error}") from None
    chosen = parse_options(options)
    if len(source) > LONGEST:
        message = f"not supported: a source of more than {LONGEST:,} characters"
        raise BuildError([Diagnostic(None, "error", message)])
    with building():
        text = preprocess(source, name, chosen)
        pragmas = read_pragmas(text)
        made, diagnostics = parse(text, pragmas, chosen, name, extents)
    return Source(source, name, chosen, text, pragmas, made, tuple(diagnostics))
