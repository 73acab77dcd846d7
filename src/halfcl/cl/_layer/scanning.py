"""A first look at a text and the files that it may include: most have no halves and no modes.

It is coarse, and needs no preprocessor, which would first have to be imported: a word anywhere in a
file that may be included, in whatever branch, or a file that is not found, makes `translating`
look closely.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False

if TYPE_CHECKING:
    from halfcl.cl._layer.protocol import Fields

#: Parts of words that bring halves or modes, or ask for files.
_WORDS = (b"half", b"fp16", b"fprounding", b"ROUNDING_MODE", b"__has_include")
_MARKS_OF_DIRECTIVES = (b"#", b"%:", b"??=")
_BLANKS = b" \t"
_MARK = "header:"

#: How much is read of all files.
_MOST_BYTES = 16 << 20


def is_translation(request: Fields) -> bool:
    """Return whether a text has halfcl's functions already, as `halfcl.cl.translate` returns it."""
    return b"\n#define HCI_FUNCTION " in request.get("source", b"")


def is_free_of_halves(request: Fields) -> bool:
    """Return whether neither a text nor a file that it may include has any of the words."""
    options = request.get("options", b"")
    headers = {key.removeprefix(_MARK) for key in request if key.startswith(_MARK)}
    texts = [value for key, value in request.items() if key.startswith(_MARK)]
    if any(map(_has_word, (options, *texts))):
        return False
    folders = [os.fsdecode(name) for name in _folders_of(options)]
    waiting = [(text, "") for text in (request.get("source", b""), *texts)]
    done: set[str] = set()
    size = 0
    while waiting:
        text, folder = waiting.pop()
        text = _join_continued(text)
        size += len(text)
        if size > _MOST_BYTES or _has_word(text):
            return False
        for operand in _operands_of_includes(text):
            name, is_quoted = _file_of(operand)
            if not name:  # a macro names it
                return False
            if name in headers:
                continue
            path = _find(name, [folder, *folders] if is_quoted else folders)
            data = None if path is None else _read(path)
            if path is None or data is None:
                return False
            if path not in done:
                done.add(path)
                waiting.append((data, os.path.dirname(path)))
    return True


def _join_continued(text: bytes) -> bytes:
    """Join lines that end with a backslash, perhaps with blanks behind it, with the next ones."""
    if b"\\" not in text:
        return text
    pieces: list[bytes] = []
    for line in text.split(b"\n"):
        shown = line.rstrip()
        pieces.append(shown[:-1] if shown.endswith(b"\\") else line + b"\n")
    return b"".join(pieces)


def _has_word(text: bytes) -> bool:
    return any(word in text for word in _WORDS)


def _operands_of_includes(text: bytes) -> list[bytes]:
    """Return what is behind each #include, to the end of its line."""
    operands: list[bytes] = []
    for line in text.split(b"\n") if b"include" in text else ():
        start = line.lstrip(_BLANKS)
        mark = next((mark for mark in _MARKS_OF_DIRECTIVES if start.startswith(mark)), b"")
        directive = start.removeprefix(mark).lstrip(_BLANKS)
        if mark and directive.startswith(b"include"):
            operands.append(directive.removeprefix(b"include"))
    return operands


def _file_of(operand: bytes) -> tuple[str, bool]:
    """Return the name of an included file, and whether it is in quotes; "" for others."""
    start = operand.lstrip(_BLANKS)
    closing = {b'"': b'"', b"<": b">"}.get(start[:1])
    name, end, _ = start[1:].partition(closing) if closing else (b"", b"", b"")
    return os.fsdecode(name) if end else "", closing == b'"'


def _folders_of(options: bytes) -> list[bytes]:
    """Return the folders of -I, which may be in quotes."""
    folders: list[bytes] = []
    rest = options
    while rest:
        before, option, rest = rest.partition(b"-I")
        if not option or (before and not before[-1:].isspace()):
            continue
        rest = rest.lstrip()
        quote = rest[:1] if rest[:1] in (b'"', b"'") and rest.count(rest[:1]) > 1 else b""
        words = [rest[1:].partition(quote)[0]] if quote else rest.split(None, 1)[:1]
        rest = rest[len(words[0]) + 2 * len(quote) :] if words else b""
        folders += words
    return folders


def _find(name: str, folders: list[str]) -> str | None:
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.path.exists(path)), None)


def _read(path: str) -> bytes | None:
    """Return the content of a file; None if it is none, or too long."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return None
