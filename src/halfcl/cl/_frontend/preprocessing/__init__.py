"""The preprocessor: text without macros, with the pragmas in force at each place.

libclang gives no preprocessed text, and to it all tokens of a macro are at one place, while pragmas
may change __ROUNDING_MODE__ and FP_CONTRACT within one, and translations edit single tokens.
"""

from __future__ import annotations

from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._frontend.preprocessing.text import SELECT, Pragma, Text
from halfcl.cl._frontend.preprocessing.writer import Writer

__all__ = ["SELECT", "Pragma", "Text", "preprocess"]


def preprocess(source: str, name: str, options: Options) -> Text:
    """Return the preprocessed text of a program, with the origin of each token."""
    writer = Writer(options)
    try:
        return writer.write(source.removeprefix("\ufeff"), name)
    except RecursionError:
        place = writer.text.map.place(writer.preprocessor.expander.here)
        raise BuildError([Diagnostic(place, "error", "macros nest too deeply")]) from None
