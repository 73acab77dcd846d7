"""From text to tree: libclang parses and checks; what it found becomes `halfcl.cl._tree`."""

from __future__ import annotations

from collections.abc import Callable

from halfcl.cl import _tree as tree
from halfcl.cl._errors import BuildError, Diagnostic
from halfcl.cl._interrupts import defer_interrupts
from halfcl.cl._options import Options
from halfcl.cl._parsing import expressions, initializers, lexical, operators
from halfcl.cl._parsing.library import diagnostics_of, translation_unit
from halfcl.cl._parsing.parser import Parser
from halfcl.cl._parsing.stack import check_depth, with_stack
from halfcl.cl._parsing.statements import program
from halfcl.cl._pragmas import Pragmas
from halfcl.cl._preprocessing import Text

__all__ = ["parse"]

_MAKERS = {**expressions.MAKERS, **operators.MAKERS, **initializers.MAKERS}


def parse(
    text: Text, pragmas: Pragmas, options: Options, name: str, extents: bool = False
) -> tuple[tree.Program, list[Diagnostic]]:
    """The tree of a program that compiles, and warnings; of another one a BuildError.

    extents: whether expressions are to have theirs, which takes a tenth longer.
    """
    with defer_interrupts() as interrupts:
        return with_stack(
            lambda check, most: _parsed(text, pragmas, options, name, extents, check, most),
            interrupts,
        )


def _parsed(
    text: Text,
    pragmas: Pragmas,
    options: Options,
    name: str,
    extents: bool,
    check: Callable[[], None],
    most_tokens: int,
) -> tuple[tree.Program, list[Diagnostic]]:
    check_depth(text, most_tokens)
    unit = translation_unit(text, options)
    found = [*lexical.check(text, name, options), *pragmas.diagnostics]
    told = {(d.place.file, d.place.line, d.message) for d in found if d.place}
    for diagnostic in diagnostics_of(unit, text, pragmas):
        place = diagnostic.place
        if not place or (place.file, place.line, diagnostic.message) not in told:
            found.append(diagnostic)
    if options.warnings_are_errors:
        found = [Diagnostic(d.place, "error", d.message) for d in found]
    if any(d.severity == "error" for d in found):
        raise BuildError(found)
    parser = Parser(unit, text, pragmas, _MAKERS, extents, check)
    try:
        made = program(parser)
    finally:
        parser.end()
    if parser.refused:
        raise BuildError([*found, *parser.refused])
    return made, [] if options.is_quiet else found
