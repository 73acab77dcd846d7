"""Functions in OpenCL C that translations with sub-groups call."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection

from halfcl.cl._frontend import types
from halfcl.cl._frontend.types import HALF, SCALARS, Number, Scalar, limits
from halfcl.device._source.declarations import resource

#: Functions of halfcl.device for operations on halves.
HALF_OPERATIONS = {"add": "add", "mul": "multiply", "min": "fmin", "max": "fmax"}

_ITEMS = """\
HCI_FUNCTION uint hc_item(void)
{
    size_t row = get_local_id(1) + get_local_size(1) * get_local_id(2);
    return (uint)(get_local_id(0) + get_local_size(0) * row);
}
HCI_FUNCTION uint hc_items(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}
#define HC_ITEM_AT __attribute__((overloadable)) hc_item_at
HCI_FUNCTION uint HC_ITEM_AT(size_t x)
{
    return (uint)x;
}
HCI_FUNCTION uint HC_ITEM_AT(size_t x, size_t y)
{
    return (uint)(x + get_local_size(0) * y);
}
HCI_FUNCTION uint HC_ITEM_AT(size_t x, size_t y, size_t z)
{
    return (uint)(x + get_local_size(0) * (y + get_local_size(1) * z));
}"""

#: What ballots.h is made of in OpenCL C.
_BALLOT_WORDS = """\
#define hc_ballot_bits uint4
#define HC_BALLOT(a, b, c, d) ((uint4)(a, b, c, d))
#define HC_PART(ballot, k) ((ballot).s##k)
#define HC_COUNT(bits) popcount(bits)"""

#: Code that shares an item's value T with its sub-group.
_GIVEN = """\
    local T *own = (local T *)slots;
    uint item = hc_item(), size = hc_sub_group_size(lanes);
    local T *first = own + (item - item % lanes);
    barrier(CLK_LOCAL_MEM_FENCE); /* what was there is read */
    own[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
"""

_BALLOT = f"""\
HC_EXCHANGE uint4 hc_ballot(int x, local ulong *slots, uint lanes)
{{
{_GIVEN.replace("T ", "int ")}    ulong low = 0, high = 0;
    for (uint k = 0; k < size && k < 64; ++k)
        low |= (ulong)first[k] << k;
    for (uint k = 64; k < size; ++k)
        high |= (ulong)first[k] << (k - 64);
    return hc_bits_of(low, high);
}}"""

_TEXTS = {
    "lane": f"""\
/* That of a lane; one's own if there is none. */
HC_EXCHANGE T NAME(T x, uint lane, local ulong *slots, uint lanes)
{{
{_GIVEN}    return lane < size ? first[lane] : x;
}}""",
    "reduce": f"""\
HC_EXCHANGE T NAME(T x, local ulong *slots, uint lanes)
{{
{_GIVEN}    T found = first[0];
    HC_IN_ORDER for (uint k = 1; k < size; ++k)
        found = WITH(found, first[k]);
    return found;
}}""",
    "scan_inclusive": f"""\
HC_EXCHANGE T NAME(T x, local ulong *slots, uint lanes)
{{
{_GIVEN}    T found = first[0];
    HC_IN_ORDER for (uint k = 1; k < size && k <= item % lanes; ++k)
        found = WITH(found, first[k]);
    return found;
}}""",
    "scan_exclusive": f"""\
HC_EXCHANGE T NAME(T x, local ulong *slots, uint lanes)
{{
{_GIVEN}    T found = item % lanes ? first[0] : NOTHING;
    HC_IN_ORDER for (uint k = 1; k < size && k < item % lanes; ++k)
        found = WITH(found, first[k]);
    return found;
}}""",
    "cluster": f"""\
HC_EXCHANGE T NAME(T x, uint count, local ulong *slots, uint lanes)
{{
{_GIVEN}    uint start = item % lanes / count * count;
    T found = first[start];
    HC_IN_ORDER for (uint k = start + 1; k < size && k < start + count; ++k)
        found = WITH(found, first[k]);
    return found;
}}""",
    "equal": """\
HCI_FUNCTION int NAME(T x, local ulong *slots, uint lanes)
{
    T found = hc_lane_KIND(x, 0, slots, lanes);
    return hc_reduce_and_int(SAME(x, found), slots, lanes);
}""",
    "two": """\
HCI_FUNCTION T NAME(T a, T b, uint lane, local ulong *slots, uint lanes)
{
    T one = hc_lane_KIND(a, lane, slots, lanes);
    T other = hc_lane_KIND(b, lane - lanes, slots, lanes);
    return lane < lanes ? one : other;
}""",
}

_NAME = re.compile(
    rf"hc_({'|'.join(_TEXTS)})_(?:((?:logical_)?(?:add|mul|min|max|and|or|xor))_)?([a-z]+)(\d*)"
)
#: Functions of lanes of numbers.
_LANE = re.compile(r"\bhc_lane_([a-z]+)\(")

#: How many exchanges Intel's runtime inlines: each has two barriers, and it takes 3 s for 128 of
#: them, inlined, and .9 s if they are calls. Such calls run 1.4 times as long.
_MOST_INLINED = 16

#: The bytes of an item's slot, and the types that exchange so many.
_SLOT = 8
_WORDS = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}

_SIGNS = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^"}


def sub_group_text(helpers: Collection[str], text: str, is_intel: bool) -> list[str]:
    """Return the functions of those names, which a text calls."""
    if "sub_groups" not in helpers:
        return []
    called = (
        "HCI_RARE" if is_intel and _exchanges(helpers, text) > _MOST_INLINED else "HCI_FUNCTION"
    )
    texts = [_ITEMS, f"#define HC_EXCHANGE {called}", resource("preludes/lanes.h")]
    if "ballots" in helpers:
        texts += [_BALLOT_WORDS, resource("preludes/ballots.h"), _BALLOT]
    matches = [m for m in map(_NAME.fullmatch, sorted(helpers)) if m]
    moving = [m for m in matches if m[1] in ("lane", "equal", "two")]
    vectors = [_vector_text(*v) for v in sorted({(m[3], m[4]) for m in moving if m[4]})]
    scalars = {m[3] for m in moving if not m[4]}
    for kind in sorted(scalars.union(*map(_LANE.findall, vectors))):
        texts.append(_text("lane", f"hc_lane_{kind}", "", SCALARS[kind]))
    texts += vectors
    texts += [_block_text(m[1], m[2], m[3]) for m in map(_BLOCK.fullmatch, sorted(helpers)) if m]
    for match in sorted(matches, key=lambda m: m[1] == "equal"):  # which calls a reduction
        kind, operation, type_, width = match.groups()
        if kind != "lane":
            number = types.number_type(SCALARS[type_], int(width or 1))
            texts.append(_text(kind, match[0], operation, number))
    return texts


def _exchanges(helpers: Collection[str], text: str) -> int:
    """Return how often a text exchanges values."""
    names = filter(_NAME.fullmatch, helpers)
    return len(re.findall(rf"\b(?:{'|'.join([*names, 'hc_ballot'])})\(", text))


#: Names of functions of blocks, by their numbers.
_BLOCK = re.compile(r"hc_block_(read|write)_(u[a-z]+)(\d*)")


def _block_text(kind: str, element: str, width: str) -> str:
    """Return a function that reads or writes an item's part of a block."""
    type_, count = f"{element}{width}", int(width or 1)
    places = [f"p[{k} * lanes]" if k else "p[0]" for k in range(count)]
    parts = [f"x.s{k:x}" for k in range(count)] if width else ["x"]
    if kind == "read":
        result, parameters, body = type_, "", [f"return ({type_})({', '.join(places)});"]
    else:
        result, parameters = "void", f", {type_} x"
        body = [f"{place} = {part};" for place, part in zip(places, parts, strict=True)]
    texts = []
    for space in ("global", "local"):
        const = "const " if kind == "read" else ""
        head = f"hc_block_{kind}_{type_}({const}{space} {element} *p{parameters}, uint lanes)"
        lines = ["p += hc_sub_group_local_id(lanes);", *body]
        inner = "\n    ".join(lines)
        texts.append(
            f"HCI_FUNCTION {result} __attribute__((overloadable)) {head}\n{{\n    {inner}\n}}"
        )
    return "\n".join(texts)


def _text(kind: str, name: str, operation: str, type_: Number) -> str:
    text = re.sub(r"\bT\b", _type(type_), _TEXTS[kind]).replace("NAME", name)
    text = text.replace("KIND", str(type_))
    text = re.sub(r"SAME\((.*?)\)", lambda m: _compare(type_, *m[1].split(", ")), text)
    if not operation:
        return text
    combine = functools.partial(_combine, operation.removeprefix("logical_"), type_.element)
    text = re.sub(r"WITH\((.*)\)", lambda m: combine(*m[1].split(", ")), text)
    return text.replace("NOTHING", _identity(operation, type_.element))


def _type(type_: Number) -> str:
    return str(type_).replace("half", "hc_half")


def _compare(type_: Number, a: str, b: str) -> str:
    return f"hc_isequal({a}, {b})" if type_ == HALF else f"{a} == {b}"


def _combine(operation: str, type_: Scalar, a: str, b: str) -> str:
    """Return an operation; integers wrap around."""
    if type_ == HALF:
        ending = "_rte" if operation in ("add", "mul") else ""
        return f"hc_{HALF_OPERATIONS[operation]}{ending}({a}, {b})"
    if operation in ("min", "max"):
        return f"{'f' if type_.is_floating else ''}{operation}({a}, {b})"
    sign = _SIGNS[operation]
    if type_.is_floating:
        return f"{a} {sign} {b}"
    return f"({type_})((ulong){a} {sign} (ulong){b})"


def _identity(operation: str, type_: Scalar) -> str:
    """Return the identity of an operation."""
    if type_ == HALF:
        bits = {"mul": 0x3C00, "min": 0x7C00, "max": 0xFC00}.get(operation, 0)
        return f"HCI_HALF(0x{bits:04x})"
    if type_.is_floating:
        number = {"mul": "1", "min": "INFINITY", "max": "-INFINITY"}.get(operation, "0")
        return f"({type_})({number})"
    low, high = limits(type_.dtype)
    value = {"mul": 1, "min": high, "max": low, "and": high if low == 0 else -1}.get(operation, 0)
    value = 1 if operation == "logical_and" else value
    return f"({type_})0x{value % (1 << 64):x}ul"


def _vector_text(kind: str, width: str) -> str:
    """Return a function of vectors; it exchanges as many components at once as a slot holds.

    Of three it exchanges two, and one.
    """
    type_ = types.number_type(SCALARS[kind], int(width))
    count = min(_SLOT // type_.element.size, 2 if type_.width == 3 else type_.width)
    parts = []
    for start in range(0, type_.width, count):
        indices = range(start, min(start + count, type_.width))
        word = _WORDS[len(indices) * type_.element.size]
        components = f"as_{word}(x.s{''.join(f'{k:x}' for k in indices)})"
        lane = f"hc_lane_{word}({components}, lane, slots, lanes)"
        parts.append(f"as_{types.number_type(type_.element, len(indices))}({lane})")
    name = _type(type_)
    return (
        f"HCI_FUNCTION {name} hc_lane_{kind}{width}({name} x, uint lane, local ulong *slots, "
        f"uint lanes)\n{{\n    return ({name})({', '.join(parts)});\n}}"
    )
