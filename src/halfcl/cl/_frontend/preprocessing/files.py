"""Names of included files."""

from __future__ import annotations

from collections.abc import Sequence

HAS_INCLUDE = "__has_include"


def included_name(tokens: Sequence[str]) -> str | None:
    """Return a file name in quotes or angle brackets from its tokens, or None."""
    text = "".join(tokens).strip()
    is_name = len(text) > 2 and text[0] + text[-1] in ('""', "<>")
    return text if is_name and not set(text[1:-1]) & {text[-1], "\n"} else None
