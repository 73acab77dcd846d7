"""What is to change in a preprocessed text: words before, in place of and behind its tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Before a word that stands in place of an operator: no blanks in front of it.
TIGHT = "\b"


@dataclass(slots=True)
class Edits:
    """By offsets of the text. What is noted first encloses what is noted later."""

    before: dict[int, list[str]] = field(default_factory=dict)
    behind: dict[int, list[str]] = field(default_factory=dict)  # by where tokens end
    #: Extents and what they become.
    replaced: dict[int, tuple[int, str]] = field(default_factory=dict)

    def wrap(self, extent: tuple[int, int], prefix: str, suffix: str = ")") -> None:
        self.before.setdefault(extent[0], []).append(prefix)
        self.behind.setdefault(extent[1], []).insert(0, suffix)

    def replace(self, extent: tuple[int, int], text: str) -> None:
        self.replaced[extent[0]] = (extent[1], text)

    def remove_punctuation(self, text: bytes, extent: tuple[int, int]) -> None:
        """Parentheses and signs, each for itself."""
        for at in range(*extent):
            if not text[at : at + 1].isspace():
                self.replace((at, at + 1), "")

    def prefix(self, at: int) -> str:
        return "".join(self.before.get(at, ()))

    def suffix(self, at: int) -> str:
        return "".join(self.behind.get(at, ()))
