"""The preprocessor: text without macros, with the pragmas in force at each place.

`pcpp` preprocesses. It does not support that pragmas change a macro, __ROUNDING_MODE__, along the
text, nor that macros may expand to _Pragma.
"""

from __future__ import annotations

from halfcl.cl._frontend.errors import BuildError, Diagnostic, SourceLocation
from halfcl.cl._frontend.preprocessing.macros import Preprocessor
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._frontend.preprocessing.text import SELECT, Pragma, Text
from halfcl.cl._frontend.preprocessing.writer import Writer

__all__ = ["SELECT", "Pragma", "Text", "preprocess"]


def preprocess(source: str, name: str, options: Options) -> Text:
    """Return the preprocessed text of a program, with the origin of each token."""
    preprocessor = Preprocessor(options)
    writer = Writer(preprocessor)
    writer.text.sources = preprocessor.sources
    try:
        preprocessor.begin(source.removeprefix("\ufeff"), name)
        writer.write(iter(preprocessor.token, None))
    except RecursionError:
        place = writer.text.places[-1] if writer.text.places else None
        raise BuildError([Diagnostic(place, "error", "macros nest too deeply")]) from None
    except (LookupError, AttributeError, TypeError, ValueError, AssertionError):
        # pcpp raises such errors for some mistakes; clang will report them, too.
        at = preprocessor.lastdirective
        place = SourceLocation(at.source, at.lineno, at.column) if at is not None else None
        preprocessor.diagnostics.append(Diagnostic(place, "error", "the preprocessor gave up here"))
    writer.text.diagnostics[:0] = preprocessor.diagnostics
    return writer.text
