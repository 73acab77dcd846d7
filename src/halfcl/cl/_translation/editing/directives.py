"""Directives of a source: conditions are resolved, mode pragmas become comments or nothing."""

from __future__ import annotations

import re

_CONDITION = re.compile(
    r"^(?P<front>[ \t]*#[ \t]*)(?P<word>ifdef|ifndef|elifdef|elifndef|if|elif)\b"
    r"(?P<rest>(?:\\\r?\n|[^\n])*)",
    re.MULTILINE,
)
_OTHER = re.compile(r"^[ \t]*#[ \t]*(?P<word>else|endif)\b", re.MULTILINE)
_PRAGMA = re.compile(
    r"^([ \t]*)(#[ \t]*pragma[ \t]+OPENCL[ \t]+(?:SELECT_ROUNDING_MODE|FP_CONTRACT"
    r"|EXTENSION[ \t]+(?:cl_khr_fp16|cl_khr_select_fprounding_mode|all|cl_khr_integer_dot_product"
    r"|\w+_sub_?group\w*))\b)",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//(?:\\\r?\n|[^\n])*|/\*.*?\*/', re.DOTALL)

_LINE_END = re.compile(r"(?:\\\r?\n|[^\n])*")

#: Prefix of the names that mark the branch behind a condition.
_MARK = "hci_branch_"


def blank_comments(source: str) -> str:
    """Replace comments by blanks with the same number of lines."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])

    return _COMMENT.sub(blank, source)


#: A macro of the prelude with as many letters as _Pragma, which expands to nothing.
SKIPPED_PRAGMA = "HC_SKIP"
_OPERATOR = re.compile(rf"{_COMMENT.pattern}|\b_Pragma\b(?!\s*\(\s*\"(?!\s*OPENCL))", re.DOTALL)


def skip_pragma_operators(source: str) -> str:
    """Rename the _Pragma operators whose string may be OpenCL's, which devices must not obey."""

    def rename(match: re.Match[str]) -> str:
        return SKIPPED_PRAGMA if match[0] == "_Pragma" else match[0]

    return _OPERATOR.sub(rename, source)


def comments_in(source: str) -> list[tuple[int, str]]:
    """Return each comment with its line."""
    return [
        (source.count("\n", 0, match.start()) + 1, match[0])
        for match in _COMMENT.finditer(source)
        if match[0][0] != '"'
    ]


def mark_conditions(source: str) -> str:
    """Insert a name behind each condition, which the preprocessor keeps in active branches."""
    pieces, at = [], 0
    comments = [m.span() for m in _COMMENT.finditer(source)]
    for number, match in enumerate(_CONDITION.finditer(blank_comments(source))):
        end = next((e for s, e in comments if s < match.end() < e), match.end())
        end = _LINE_END.search(source, end).end()  # type: ignore[union-attr]
        pieces += [source[at:end], f"\n{_MARK}{number}"]
        at = end
    return "".join([*pieces, source[at:]])


def has_conditions(source: str) -> bool:
    """Return whether there is any #if."""
    return _CONDITION.search(source) is not None


def mode_macros(source: str) -> set[str]:
    """Return __ROUNDING_MODE__ and the macros that use it."""
    names_found = {"__ROUNDING_MODE__"} if "__ROUNDING_MODE__" in source else set()
    while names_found:
        names = re.compile(rf"\b(?:{'|'.join(map(re.escape, names_found))})\b")
        more = {m[1] for m in _DEFINITION.finditer(source) if names.search(m[2])} - names_found
        if not more:
            break
        names_found |= more
    return names_found


class Directives:
    """The directives of one source. branches: numbers of the conditions that hold."""

    def __init__(self, source: str, branches: set[int]) -> None:
        bare = blank_comments(source)
        self._conditions = {
            m.start(): n in branches for n, m in enumerate(_CONDITION.finditer(bare))
        }
        self._inactive = list(_inactive(bare, self._conditions))

    def is_active(self, at: int) -> bool:
        """Return whether a place of the source is in an active branch."""
        return not any(start <= at < end for start, end in self._inactive)

    def resolve(self, part: str, at: int) -> str:
        """Return a part of the source with its directives as devices must read them.

        at: where the part starts in the source.
        """
        if "#" not in part:
            return part

        def condition(match: re.Match[str]) -> str:
            place = at + match.start()
            if place not in self._conditions:
                return match[0]  # it is in a comment
            word = "elif" if match["word"].startswith("el") else "if"
            truth = int(self._conditions[place])
            shown, _, rest = match["rest"].rpartition("/*")
            if shown and "*/" not in rest:  # a comment that continues on the next line
                return f"{match['front']}{word} {truth} /*{rest}"
            return f"{match['front']}{word} {truth} // {match['word']}{match['rest']}"

        return _PRAGMA.sub(r"\1// \2", _CONDITION.sub(condition, part))


def _inactive(bare: str, conditions: dict[int, bool]) -> list[tuple[int, int]]:
    """Return the extents that conditions exclude."""
    marks = [(m.start(), m["word"]) for r in (_CONDITION, _OTHER) for m in r.finditer(bare)]
    extents, stack = [], list[list[tuple[int, bool]]]()
    for at, word in sorted(marks):
        if word.startswith("if"):
            stack.append([(at, conditions[at])])
            continue
        if not stack:
            continue
        start, holds = stack[-1][-1]
        if not holds:
            extents.append((start, at))
        if word == "endif":
            stack.pop()
        else:
            holds = conditions[at] if word != "else" else not any(h for _, h in stack[-1])
            stack[-1].append((at, holds))
    return extents


def active_branches(preprocessed: str) -> set[int]:
    """Return the numbers of the conditions that hold, from a preprocessed source with marks."""
    return {int(n) for n in re.findall(rf"\b{_MARK}(\d+)\b", preprocessed)}
