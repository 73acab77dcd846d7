"""Edits of a preprocessed text: words before, in place of and behind its tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Prefix of a replacement before which blanks are removed.
TIGHT = "\b"


@dataclass(slots=True)
class Edits:
    """Edits by offsets in the text. An earlier edit encloses later ones at the same place."""

    before: dict[int, list[str]] = field(default_factory=dict)
    behind: dict[int, list[str]] = field(default_factory=dict)  # by the ends of tokens
    #: Ends and replacements by starts.
    replaced: dict[int, tuple[int, str]] = field(default_factory=dict)
    #: Ends by starts of bodies that are left out: their functions are only declared.
    bodies: dict[int, int] = field(default_factory=dict)

    def wrap(self, extent: tuple[int, int], prefix: str, suffix: str = ")") -> None:
        self.before.setdefault(extent[0], []).append(prefix)
        self.behind.setdefault(extent[1], []).insert(0, suffix)

    def replace(self, extent: tuple[int, int], text: str) -> None:
        self.replaced[extent[0]] = (extent[1], text)

    def leave_out(self, body: tuple[int, int]) -> None:
        """Write a semicolon in place of a function's body."""
        self.bodies[body[0]] = body[1]
        self.replace(body, ";")

    def remove_punctuation(self, text: bytes, extent: tuple[int, int]) -> None:
        """Remove parentheses and signs one by one."""
        for at in range(*extent):
            if not text[at : at + 1].isspace():
                self.replace((at, at + 1), "")

    def prefix(self, at: int) -> str:
        return "".join(self.before.get(at, ()))

    def suffix(self, at: int) -> str:
        return "".join(self.behind.get(at, ()))
