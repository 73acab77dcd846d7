"""Write kernels.h of halfcl.device: the engine's operations as device functions use them.

    python tools/make_device.py kernels.h                                  by the compiler cc
    python tools/make_device.py --needs kernels.d kernels.h gcc -Ifolder   by that command

The operations are those of csrc/simd/device.h. The tool has a C compiler preprocess
csrc/device/functions.h, splits the text into declarations, and writes all that its functions
device_NAME reach in a dialect that OpenCL C, CUDA and C compile after a prelude (the files in
src/halfcl/device/preludes). setup.py runs it in each build for the package, and csrc/Makefile for
the engine's tests. Needs nothing besides Python and the compiler, whichever that is: the text is
the same. `--needs` names a file for the list of what the text depends on, as compilers write it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ENGINE = Path(__file__).resolve().parent.parent / "csrc"

HEAD = """\
/* The source of halfcl's functions for devices. Made by tools/make_device.py from csrc/: not to
 * be edited. A line "//=" has the names that the declaration after it defines, without hci_. */
"""

#: The names that every prelude defines: see csrc/simd/device_primitives.h.
PRIMITIVES = frozenset(
    """bits_of_float float_of_bits float_mul float_add float_fma float_rint float_trunc float_ceil
    float_floor summand mul_high leading_zeros""".split()
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
    r"""(?P<line>^\#[^\n]*\n)|(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<mark>->|\+\+|--|<<=|>>=|<<|>>|[=!<>+\-*/&|^%]=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
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


@dataclass(frozen=True)
class Preprocessed:
    """The functions' text, with headers included and macros expanded, and the files it is from."""

    text: str
    files: tuple[str, ...]


def preprocess(compiler: Sequence[str]) -> Preprocessed:
    """Have a compiler preprocess the functions, with C's own headers empty, and keep comments."""
    engine = os.path.relpath(ENGINE).replace(os.sep, "/")
    with TemporaryDirectory() as empty:
        for name in headers_of_c():
            path = Path(empty, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        command = [
            *compiler, "-E", "-C", "-undef", "-D__GNUC__=13", f"-I{empty}", f"-I{engine}",
            f"-I{engine}/include", '-DHALFCL_VOCABULARY="simd/device.h"', "-x", "c", "-",
        ]  # fmt: skip
        run = subprocess.run(
            command, input='#include "device/functions.h"\n', stdout=subprocess.PIPE, text=True,
            encoding="utf-8", check=True,
        )  # fmt: skip
    files = dict.fromkeys(re.findall(rf'^# \d+ "({re.escape(engine)}/.*?)"', run.stdout, re.M))
    return Preprocessed(run.stdout, tuple(files))


def headers_of_c() -> set[str]:
    """Return the names of C's own headers that the engine's include."""
    texts = (path.read_text(encoding="utf-8") for path in ENGINE.glob("**/*.h"))
    return {name for text in texts for name in re.findall(r"#include <(.+?)>", text)}


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


def dialect_words(
    declaration: Declaration, defined: Mapping[str, bool], structs: frozenset[str]
) -> list[str]:
    """Return the declaration's words in the dialect."""
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
    _check(declaration.names[0], " ".join(out))
    return out


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


def kernels(text: str) -> str:
    """Return kernels.h, made of the preprocessed text."""
    everything = [d for d in declarations(text) if d.names[0] not in PRIMITIVES]
    _check_names(everything)
    kept = reachable(everything)
    known = {**names_of(kept), **dict.fromkeys(PRIMITIVES, True)}
    structs = frozenset(d.names[0] for d in kept if _code(d.tokens)[:2] == ["typedef", "struct"])
    parts = [HEAD]
    for d in kept:
        mine = " ".join(map(dialect_name, d.names))
        comment = f"{d.comment}\n" if d.comment.startswith("/*") else ""
        marks = "".join(f"//= {line}\n" for line in textwrap.wrap(mine, 80))
        parts.append(f"{marks}{comment}{layout(dialect_words(d, known, structs))}\n")
    return "\n".join(parts)


# ---------------------------------------------------------------- the layout


WIDTH = 100
_CONTROLS = ("if", "for", "while", "switch")
_WORDS = (*_CONTROLS, "return", "case", "else", "do")
_PREFIXES = frozenset("- + * & ++ --".split())


def layout(words: list[str]) -> str:
    """Return the words as lines: a statement per line, indented by the blocks around it."""
    if words[:2] == ["#", "define"]:
        return f"#define {words[2]} {join_words(words[3:])}"
    lines, depth = list[str](), 0
    for statement in statements(words):
        depth -= statement[0] == "}"
        indent = "    " * depth
        opens = statement[-1] == "{"
        own_line = opens and depth == 0 and statement[0] != "typedef"
        text = join_words(statement[:-1] if own_line else statement, is_head=own_line)
        lines += textwrap.wrap(
            text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        lines += ["{"] if own_line else []
        depth += opens
    return "\n".join(lines)


def statements(words: list[str]) -> Iterator[list[str]]:
    """Yield the statements, and the heads and ends of blocks; lists in braces are no blocks."""
    current, brackets = (
        list[str](),
        list[str](),
    )  # those open: "(", "[", "list", and heads of blocks
    for word, after in zip(words, [*words[1:], ""], strict=True):
        in_block = not brackets or brackets[-1] not in ("(", "[", "list")
        current.append(word)
        if word == "{" and in_block and opens_block(current):
            brackets.append(current[0])
            yield current
            current = []
        elif word in ("(", "[", "{"):
            brackets.append("list" if word == "{" else word)
        elif word == "}" and in_block:
            head = brackets.pop()
            if not (after == "else" or head in ("do", "typedef")):
                yield current
                current = []
        elif word in (")", "]", "}"):
            brackets.pop()
        elif word == ";" and in_block:
            yield current
            current = []


def opens_block(words: list[str]) -> bool:
    """Return whether the brace at the end opens a block, and not a list of values."""
    if words[-2:-1] != [")"]:
        return words[0] in ("{", "else", "do", "}") or words[:2] == ["typedef", "struct"]
    return words[_opening(words, len(words) - 2) - 1] != "HCI_MAKE"


def _opening(words: list[str], closing: int) -> int:
    """Return where the bracket opens that closes there."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += (words[at] == ")") - (words[at] == "(")
        if depth == 0:
            return at
    raise ValueError(f"no opening bracket: {' '.join(words[: closing + 1])}")


def join_words(words: list[str], is_head: bool = False) -> str:
    """Join a statement's words with the spaces between them; all * of a head are pointers'."""
    out, before, glued = list[str](), "", True
    is_call = list[bool]()  # of each open bracket
    after_cast = False  # or another bracket that no name is before
    for word in words:
        is_operand = before.isidentifier() and before not in _WORDS
        is_operand = is_operand or before[:1].isdigit() or before in (")", "]")
        is_prefix = word in _PREFIXES and (not is_operand or (is_head and word == "*"))
        is_postfix = word in ("++", "--") and is_operand
        starts_operand = word.isidentifier() or word[:1].isdigit() or word in ("(", "!", "~")
        if not (
            glued
            or word in (",", ";", ")", "]", ".", "->", "}")
            or is_postfix
            or (word == ":" and words[0] in ("case", "default"))
            or (word == "(" and is_operand)
            or (word == "[" and before != ",")
            or (word == "{" and before == ")" and _is_list(words))
            or (after_cast and starts_operand)
        ):
            out.append(" ")
        out.append(word)
        if word == "(":
            is_call.append(is_operand or before in _CONTROLS)
        after_cast = word == ")" and not is_call.pop()
        glued = is_prefix or word in ("(", "[", ".", "->", "!", "~", "#")
        glued = glued or (word == "{" and _is_list(words))
        before = word
    return "".join(out)


def _is_list(words: list[str]) -> bool:
    """Return whether the braces in a statement are a list's."""
    return words[-1] != "{"


def list_of_needs(target: str, files: Iterable[str]) -> str:
    """Return what a target is made of, as compilers write it for make."""
    files = [*files, os.path.relpath(__file__).replace(os.sep, "/")]
    return f"{target}: {' '.join(files)}\n" + "".join(f"{file}:\n" for file in files)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write kernels.h of halfcl.device.")
    parser.add_argument("--needs", type=Path, help="file for the list of what the text depends on")
    parser.add_argument("target", type=Path, help="file to write")
    parser.add_argument("compiler", nargs=argparse.REMAINDER, help="C compiler and its options")
    options = parser.parse_args()
    preprocessed = preprocess(options.compiler or ["cc"])
    options.target.parent.mkdir(parents=True, exist_ok=True)
    options.target.write_text(kernels(preprocessed.text), encoding="utf-8")
    if options.needs:
        needs = list_of_needs(str(options.target), preprocessed.files)
        options.needs.write_text(needs, encoding="utf-8")


if __name__ == "__main__":
    main()
