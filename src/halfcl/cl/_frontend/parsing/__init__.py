"""Parsing: libclang parses and checks the text; its tree is converted to `_frontend.tree`."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import TranslationUnit

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.guards.interrupts import defer_interrupts
from halfcl.cl._frontend.parsing import expressions, initializers, lexical, operators, statements
from halfcl.cl._frontend.parsing.library import diagnostics_of, translation_unit
from halfcl.cl._frontend.parsing.parser import Parser
from halfcl.cl._frontend.parsing.stack import check_depth, with_stack
from halfcl.cl._frontend.pragmas import Pragmas
from halfcl.cl._frontend.preprocessing import Text
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._frontend.refusals.crashes import check_crashes
from halfcl.cl._frontend.refusals.long_longs import narrow_long_longs

__all__ = ["parse"]

_MAKERS = {**expressions.MAKERS, **operators.MAKERS, **initializers.MAKERS, **statements.MAKERS}


def parse(
    text: Text,
    pragmas: Pragmas,
    options: Options,
    name: str,
    extents: bool = False,
) -> tuple[tree.Program, list[Diagnostic]]:
    """Return the tree of a program, and warnings; raise BuildError if it does not compile.

    extents: whether to record the extents of expressions, which takes a tenth longer.
    """

    def parse_in_thread(
        check: Callable[[], None], most: int
    ) -> tuple[tree.Program, list[Diagnostic]]:
        check_depth(text, most)
        check_crashes(text)
        unit = translation_unit(text, options)
        diagnostics = _diagnostics(unit, text, pragmas, options, name)
        parser = Parser(unit, text, pragmas, _MAKERS, extents, check)
        try:
            tree_ = statements.program(parser, options.is_linked)
            if parser.has_long_long and not parser.refused:
                narrow_long_longs(tree_, parser.refuse)
        finally:
            parser.end()
        if parser.refused:
            raise BuildError([*diagnostics, *parser.refused])
        return tree_, [] if options.is_quiet else diagnostics

    with defer_interrupts() as interrupts:
        return with_stack(parse_in_thread, interrupts)


def _diagnostics(
    unit: TranslationUnit, text: Text, pragmas: Pragmas, options: Options, name: str
) -> list[Diagnostic]:
    """Return the warnings of a text; raise BuildError if there are errors."""
    diagnostics = [*lexical.check(text, name, options), *pragmas.diagnostics]
    known_places = {
        (d.location.file, d.location.line, d.message) for d in diagnostics if d.location
    }
    for diagnostic in diagnostics_of(unit, text, pragmas):
        place = diagnostic.location
        if not place or (place.file, place.line, diagnostic.message) not in known_places:
            diagnostics.append(diagnostic)
    if options.warnings_are_errors:
        diagnostics = [Diagnostic(d.location, "error", d.message) for d in diagnostics]
    if any(d.severity == "error" for d in diagnostics):
        raise BuildError(diagnostics)
    return diagnostics
