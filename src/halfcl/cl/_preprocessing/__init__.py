"""The preprocessor: source to text without macros, with the pragmas that are in force where.

`pcpp` preprocesses. What it does not know of is that pragmas change a macro, __ROUNDING_MODE__,
along the text, and that macros may expand to _Pragma.
"""

from __future__ import annotations

from halfcl.cl._errors import BuildError, Diagnostic, Place
from halfcl.cl._options import Options
from halfcl.cl._preprocessing.macros import Preprocessor
from halfcl.cl._preprocessing.text import MODES, SELECT, Pragma, Text
from halfcl.cl._preprocessing.writer import Writer

__all__ = ["MODES", "SELECT", "Pragma", "Text", "preprocess"]


def preprocess(source: str, name: str, options: Options) -> Text:
    """The text of a program, and where everything in it comes from."""
    preprocessor = Preprocessor(options)
    writer = Writer(preprocessor)
    writer.found.sources = preprocessor.sources
    try:
        preprocessor.begin(source.removeprefix("\ufeff"), name)
        writer.write(iter(preprocessor.token, None))
    except RecursionError:
        place = writer.found.places[-1] if writer.found.places else None
        raise BuildError([Diagnostic(place, "error", "macros nest too deeply")]) from None
    except (LookupError, AttributeError, TypeError, ValueError, AssertionError):
        # pcpp falls over some mistakes, of which clang will tell, too.
        at = preprocessor.lastdirective
        place = Place(at.source, at.lineno, at.column) if at is not None else None
        preprocessor.diagnostics.append(Diagnostic(place, "error", "the preprocessor gave up here"))
    writer.found.diagnostics[:0] = preprocessor.diagnostics
    return writer.found
