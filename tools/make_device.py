"""Write src/halfcl/device/kernels.h, the engine's operations as device functions use them.

    python tools/make_device.py          writes it
    python tools/make_device.py -        prints it

The operations are those of csrc/simd/device.h. The tool preprocesses csrc/device/functions.h,
splits it into declarations, and writes all that its functions device_NAME reach in a dialect that
OpenCL C, CUDA and C compile after a prelude (the files in src/halfcl/device/preludes). Needs pcpp
and clang-format. tests/device/test_text.py asserts that the file is up to date.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pcpp

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "csrc"
KERNELS = ROOT / "src" / "halfcl" / "device" / "kernels.h"

HEAD = """\
/* What halfcl's functions for devices are made of. Made by tools/make_device.py from csrc/: not to
 * be edited. A line "//=" has the names that the declaration after it defines, without hci_. */
"""

#: The names that every prelude defines: see csrc/simd/device_primitives.h.
PRIMITIVES = frozenset(
    """bits_of_float float_of_bits float_mul float_add float_fma float_rint float_trunc float_ceil
    float_floor mul_high leading_zeros""".split()
)

#: C's words in the dialect.
WORDS = {
    "int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short",
    "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
    "int64_t": "hci_long", "uint64_t": "hci_ulong", "size_t": "unsigned int",
    "INFINITY": "HCI_INFINITY", "NAN": "HCI_NAN", "INT32_MIN": "(-2147483647 - 1)",
    "INT32_MAX": "2147483647", "UINT8_MAX": "255", "UINT16_MAX": "65535",
}  # fmt: skip

#: Names with another meaning in OpenCL C or C++.
RESERVED = frozenset(
    """half kernel global local constant private generic uchar ushort uint ulong quad image new
    class this template typename delete operator public protected namespace and or not xor try
    catch throw using friend virtual explicit mutable""".split()
)

_TOKEN = re.compile(
    r"""(?P<line>\#line[^\n]*\n)|(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<mark>->|\+\+|--|<<=|>>=|<<|>>|[=!<>+\-*/&|^%]=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Token:
    kind: str
    text: str


@dataclass(frozen=True)
class Declaration:
    """A declaration: names defined, tokens, the comment before it, and whether it is a function.

    Variables may share a function's name; `is_function` tells them apart.
    """

    names: tuple[str, ...]
    tokens: tuple[Token, ...]
    comment: str = ""
    is_function: bool = False


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # it has no types
    """A preprocessor that skips C's own headers and keeps comments."""

    def on_include_not_found(self, *_: object) -> None:
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_comment(self, _: object) -> bool:
        return True


def preprocess() -> str:
    """Return the functions' text, with all headers included and all macros expanded."""
    preprocessor = _Preprocessor()
    preprocessor.add_path(str(ENGINE))
    preprocessor.add_path(str(ENGINE / "include"))
    preprocessor.define('HALFCL_VOCABULARY "simd/device.h"')
    preprocessor.define("__GNUC__ 13")
    preprocessor.parse('#include "device/functions.h"\n')
    out = io.StringIO()
    preprocessor.write(out)
    return out.getvalue()


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens, except comments that begin a file or that an empty line follows."""
    previous = ""
    matches = list(_TOKEN.finditer(text))
    for match, after in zip(matches, [*matches[1:], None], strict=False):
        kind = match.lastgroup or ""
        apart = after and (after.lastgroup == "line" or after.group().count("\n") > 1)
        if kind == "comment" and (apart or previous == "line"):
            continue
        if kind != "space":
            previous = kind
        if kind not in ("space", "line"):
            yield Token(kind, match.group())


def split(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Yield the declarations at the top level: each ends with a semicolon or a function's body."""
    depth, current = 0, list[Token]()
    for token in tokens:
        if token.kind == "comment" and depth:
            current.append(token)
            continue
        current.append(token)
        depth += (token.text in _OPEN) - (token.text in _CLOSE) if token.kind == "mark" else 0
        if depth == 0 and (token.text == ";" or (token.text == "}" and _is_function(current))):
            if _code(current) != [";"]:
                yield current
            current = []


def _code(tokens: Iterable[Token]) -> list[str]:
    return [t.text for t in tokens if t.kind != "comment"]


def _is_function(tokens: list[Token]) -> bool:
    """Return whether a closing brace ends a function's body, and not a type or a table."""
    code = _code(tokens)
    return code[0] not in ("typedef", "enum", "struct", "union") and "=" not in _outside(code)


def _outside(code: list[str]) -> list[str]:
    """Return the tokens outside brackets."""
    depth, outside = 0, []
    for text in code:
        depth -= text in _CLOSE and len(text) == 1
        if depth == 0:
            outside.append(text)
        depth += text in _OPEN and len(text) == 1
    return outside


def declarations(text: str) -> Iterator[Declaration]:
    for tokens in split(tokens_of(text)):
        first = next(i for i, t in enumerate(tokens) if t.kind != "comment")
        leading = [t.text for t in tokens[:first]]
        body = tuple(tokens[first:])
        code = _code(body)
        comment = leading[-1] if leading else ""
        if code[0] == "enum" and code[1] == "{":
            yield from _enumerators(body)
        elif code[0] == "typedef":
            yield from _typedef(body, code, comment)
        elif "=" in _outside(code) and code[0] in ("static", "const"):
            outside = _outside(code)
            name = outside[outside.index("=") - 1]
            if name in _CLOSE:
                name = outside[outside.index("[") - 1]
            yield Declaration((name,), body, comment)
        elif code[-1] == "}":
            yield Declaration((_function_name(code),), body, comment, is_function=True)


def _function_name(code: list[str]) -> str:
    """Return the name before the parameters, which are the last brackets before the body."""
    body, depth = code.index("{"), 0
    for at in range(body - 1, -1, -1):
        depth += (code[at] == ")") - (code[at] == "(")
        if depth == 0:
            return code[at - 1]
    raise ValueError(f"no function: {' '.join(code[:20])}")


def _enumerators(tokens: tuple[Token, ...]) -> Iterator[Declaration]:
    """Yield an enum's constants as separate declarations, since few of them are needed."""
    inside = [t for t in tokens if t.kind != "comment"][2:-2]
    start, depth = 0, 0
    previous = ""
    for at, token in enumerate([*inside, Token("mark", ",")]):
        depth += (token.text in _OPEN) - (token.text in _CLOSE) if token.kind == "mark" else 0
        if token.text == "," and depth == 0:
            one = inside[start:at]
            start = at + 1
            if not one:
                continue
            name = one[0].text
            value = one[2:] or [Token("name", previous), Token("mark", "+"), Token("number", "1")]
            if not one[2:] and not previous:
                value = [Token("number", "0")]
            previous = name
            parts = [Token("name", "enum"), Token("mark", "{"), one[0], Token("mark", "="), *value,
                     Token("mark", "}"), Token("mark", ";")]  # fmt: skip
            yield Declaration((name,), tuple(parts))


def _typedef(tokens: tuple[Token, ...], code: list[str], comment: str) -> Iterator[Declaration]:
    """Yield the declaration of a typedef; those of functions and arrays serve only loops."""
    if code[-2] in (")", "]"):
        return
    names = [code[-2]]
    if code[1] == "enum":
        inside = code[code.index("{") + 1 : code.index("}")]
        after = [*inside[1:], ","]
        names += [n for n, a in zip(inside, after, strict=True) if n.isidentifier() and a in ",="]
    yield Declaration(tuple(dict.fromkeys(names)), tokens, comment)


def uses(tokens: Iterable[Token], defined: Mapping[str, bool]) -> Iterator[tuple[str, bool]]:
    """Yield each word with whether it is a use of a name in `defined`.

    `defined` maps names to whether they are functions; a function counts only where it is called.
    """
    code = [t for t in tokens if t.kind != "comment"]
    for token, after in zip(code, [*code[1:], Token("mark", "")], strict=False):
        is_name = token.kind == "name" and token.text in defined
        yield token.text, is_name and (after.text == "(" or not defined[token.text])


def needs(declaration: Declaration, defined: Mapping[str, bool]) -> set[str]:
    """Return the names of other declarations that a declaration uses."""
    used = {text for text, is_use in uses(declaration.tokens, defined) if is_use}
    return used - set(declaration.names)


def reachable(all_of: list[Declaration]) -> list[Declaration]:
    """Return the functions device_NAME and all that they need, in their order."""
    by_name = {name: d for d in all_of for name in d.names}
    defined = names_of(all_of)
    waiting = [name for name in by_name if name.startswith("device_")]
    kept = set[Declaration]()
    while waiting:
        declaration = by_name[waiting.pop()]
        if declaration not in kept:
            kept.add(declaration)
            waiting += needs(declaration, defined)
    return [d for d in dict.fromkeys(all_of) if d in kept]


def names_of(declarations: Iterable[Declaration]) -> dict[str, bool]:
    """Return the names, each with whether it is a function's."""
    return {name: d.is_function for d in declarations for name in d.names}


# ---------------------------------------------------------------- the dialect


def dialect_name(name: str) -> str:
    """Return a name of the engine without the prefix of its public ones."""
    return name.removeprefix("HALFCL_").removeprefix("halfcl_")


def dialect_text(
    declaration: Declaration, defined: Mapping[str, bool], structs: frozenset[str]
) -> str:
    """Return the declaration's text in the dialect."""
    text = " ".join(t.text for t in declaration.tokens)
    head = text.partition("{")[0]
    kind = "HCI_RARE " if "noinline" in head else "HCI_SELDOM " if "cold" in head else ""
    text = re.sub(r"__attribute__ \( \( .*? \) \)(?= [a-z])", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\b__builtin_expect \( (.*?) , [01] \)", r"( \1 )", text)
    if text.startswith("static const"):
        table = re.match(r"static const ([\w ]+?) (\w+) (\[.*?\]) =", text)
        if table:
            kind, name, size = table.groups()
            text = f"HCI_TABLE ( {kind} , {name} , {size} ) =" + text[table.end() :]
        else:
            kind, name, value = re.match(r"static const (\w+) (\w+) = (.*) ;$", text).groups()  # type: ignore[union-attr]
            text = f"#define {name} ( ( {kind} ) ( {value} ) )"
    elif text.startswith("enum"):  # C++ warns of arithmetic with constants of several enums
        text = re.sub(r"^enum \{ (\w+) = (.*) \} ;$", r"#define \1 ( \2 )", text)
    elif not text.startswith("typedef"):
        head, brace, body = text.partition("{")
        head = re.sub(r"^(static|inline|const| )+", kind or "HCI_FUNCTION ", head)
        head = re.sub(r"const (\w+) (\w+) \[ \w* \]", r"const \1 * \2", head)
        head = re.sub(r"const (\w+) \* (\w+)", r"HCI_POINTER ( \1 ) \2", head)
        text = head + brace + body
    for struct in structs:
        text = text.replace(f"( {struct} ) {{", f"HCI_MAKE ( {struct} ) {{")
    out = []
    for word, is_name in uses(tokens_of(text), defined):
        plain = f"{word}_" if word in RESERVED else WORDS.get(word, word)
        out.append(f"hci_{dialect_name(word)}" if is_name else plain)
    result = " ".join(out)
    _check(declaration.names[0], result)
    return result


def _check(name: str, text: str) -> None:
    """Raise on doubles, by name or in constants, since a device may lack them."""
    if re.search(r"\b(double|long double|vd|memcpy|malloc|goto)\b", text):
        raise ValueError(f"{name} is not for devices: {text[:200]}")
    number = re.search(
        r"\b(?:0x[\da-f]*\.?[\da-f]*p[+-]?\d+|\d+\.\d*|\.\d+|\d+e\d+)(?!\w)", text, re.I
    )
    if number:
        raise ValueError(f"{name} has a double constant: {number.group()}")


def _check_names(everything: list[Declaration]) -> None:
    """Raise on names that are defined more than once, by two headers."""
    count = Counter(name for d in set(everything) for name in d.names)
    twice = [name for name, times in count.items() if times > 1]
    if twice:
        raise ValueError(f"defined more than once: {', '.join(twice)}")


def kernels() -> str:
    everything = [d for d in declarations(preprocess()) if d.names[0] not in PRIMITIVES]
    _check_names(everything)
    kept = reachable(everything)
    known = {**names_of(kept), **dict.fromkeys(PRIMITIVES, True)}
    structs = frozenset(d.names[0] for d in kept if _code(d.tokens)[:2] == ["typedef", "struct"])
    parts = [HEAD]
    for d in kept:
        mine = " ".join(map(dialect_name, d.names))
        text = dialect_text(d, known, structs)
        comment = f"{d.comment}\n" if d.comment.startswith("/*") else ""
        marks = "".join(f"//= {line}\n" for line in textwrap.wrap(mine, 80))
        parts.append(f"{marks}{comment}{text}\n")
    return clang_format("\n".join(parts))


def clang_format(text: str) -> str:
    run = subprocess.run(
        ["clang-format", "--assume-filename", str(KERNELS)],
        input=text, capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    return run.stdout


def main(arguments: list[str]) -> None:
    text = kernels()
    if arguments == ["-"]:
        print(text, end="")
    else:
        KERNELS.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
