"""Functions of 64 bits of compilers' own, by their halves of 32 bits."""

from __future__ import annotations

_TEXT = """\
static inline ulong {function}(ulong x)
{{
    return (ulong){half}((uint)x) << 32 | {half}((uint)(x >> 32));
}}"""

#: By name.
BY_WORDS = {
    f"__builtin_{stem}64": _TEXT.format(function=f"hc_{stem}64", half=f"__builtin_{stem}32")
    for stem in ("bswap", "bitreverse")
}
