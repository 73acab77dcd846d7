"""Macros that ask the compiler what it has, such as __has_attribute: clang itself answers."""

from __future__ import annotations

import functools
import re

from clang import cindex

#: The macros, which take a name in parentheses.
QUESTIONS = """__has_attribute __has_builtin __has_c_attribute __has_declspec_attribute
__has_extension __has_feature __is_identifier""".split()

_NAME = re.compile(r"\w+(\s*::\s*\w+)?")


@functools.lru_cache(maxsize=1024)
def answer(question: str, name: str, standard: str) -> int | None:
    """Return the value of one of QUESTIONS for a name; None if that is not a name."""
    if not _NAME.fullmatch(name):
        return None
    text = f"enum {{ answer = {question}({name}) }};"
    arguments = ["-x", "cl", f"-cl-std={standard}", "-cl-no-stdinc"]
    arguments += ["-target", "spir64-unknown-unknown"]
    unit = cindex.Index.create().parse("question.cl", arguments, [("question.cl", text)])
    for cursor in unit.cursor.walk_preorder():
        if cursor.kind == cindex.CursorKind.ENUM_CONSTANT_DECL:
            return int(cursor.enum_value)
    return None
