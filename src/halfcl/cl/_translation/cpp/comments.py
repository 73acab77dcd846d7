"""The author's comments, attached to the statements that follow them."""

from __future__ import annotations

from halfcl.cl._frontend.source import Source
from halfcl.cl._translation.editing.directives import comments_in


class Comments:
    """The comments of one source; each is returned once, in order."""

    def __init__(self, source: Source) -> None:
        text = source.source.removeprefix("\ufeff")
        self._line_of = source.text.program_line_of
        self._waiting = [(line, _tidy(comment)) for line, comment in comments_in(text)][::-1]

    def before(self, at: int) -> list[str]:
        """Return the comments up to the line of a place in the preprocessed text."""
        line = self._line_of(at)
        if line is None:
            return []
        comments = []
        while self._waiting and self._waiting[-1][0] <= line:
            comments.append(self._waiting.pop()[1])
        return comments

    def rest(self) -> str:
        """Return the remaining comments."""
        return "\n".join(comment for _, comment in self._waiting[::-1])


def _tidy(comment: str) -> str:
    """Align a comment's lines to the left, and end line comments properly."""
    if comment.startswith("//"):
        lines = [line.strip().removesuffix("\\").rstrip() for line in comment.splitlines()]
        return "\n".join(line if line.startswith("//") else f"// {line}" for line in lines)
    first, *more = comment.splitlines()
    return "\n".join([first, *(f"   {line.strip()}" for line in more)])
