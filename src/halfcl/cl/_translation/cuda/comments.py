"""The author's comments, for the statements that they stood at."""

from __future__ import annotations

from halfcl.cl._source import Source
from halfcl.cl._translation.directives import comments_in


class Comments:
    """Of one source: each is given once, in their order."""

    def __init__(self, source: Source) -> None:
        text = source.source.removeprefix("\ufeff")
        self._place_of, self._name = source.text.place_of, source.name
        self._waiting = [(line, _tidy(comment)) for line, comment in comments_in(text)][::-1]

    def before(self, at: int) -> list[str]:
        """Those of the lines up to that of a place in the preprocessed text."""
        place = self._place_of(at)
        if place is None or place.file != self._name:
            return []
        found = []
        while self._waiting and self._waiting[-1][0] <= place.line:
            found.append(self._waiting.pop()[1])
        return found

    def rest(self) -> str:
        return "\n".join(comment for _, comment in self._waiting[::-1])


def _tidy(comment: str) -> str:
    """Its lines, as far to the left as they go; nothing goes on behind it."""
    if comment.startswith("//"):
        lines = [line.strip().removesuffix("\\").rstrip() for line in comment.splitlines()]
        return "\n".join(line if line.startswith("//") else f"// {line}" for line in lines)
    first, *more = comment.splitlines()
    return "\n".join([first, *(f"   {line.strip()}" for line in more)])
