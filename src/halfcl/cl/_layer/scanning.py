"""A first look at a text and the files that it may include: most have no halves and no modes.

It is coarse, and needs no preprocessor, which would first have to be imported: a word anywhere in a
file that may be included, in whatever branch, or a file that is not found, makes `translating`
look closely.
"""

from __future__ import annotations

import os
import re
import stat

TYPE_CHECKING = False

if TYPE_CHECKING:
    from halfcl.cl._layer.protocol import Fields

_WORDS = re.compile(rb"half|fp16|fprounding|ROUNDING_MODE|__has_include")
_SPLICE = re.compile(rb"\\[ \t\v\f\r]*\n")
_INCLUDE = re.compile(rb"^[ \t]*(?:#|%:|\?\?=)[ \t]*include(.*)$", re.MULTILINE)
_OPERAND = re.compile(rb'[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
_FOLDER = re.compile(rb'(?:^|\s)-I\s*(?:"([^"]*)"|\'([^\']*)\'|(\S+))')
_MARK = "header:"

#: How much is read of all files.
_MOST_BYTES = 16 << 20


#: What the functions of halfcl in front of a text begin with.
_OWN = re.compile(rb"^#define HCI_FUNCTION ", re.MULTILINE)


def is_translation(request: Fields) -> bool:
    """Return whether a text has halfcl's functions already, as `halfcl.cl.translate` returns it."""
    return _OWN.search(request.get("source", b"")) is not None


def is_free_of_halves(request: Fields) -> bool:
    """Return whether neither a text nor a file that it may include has any of the words."""
    options = request.get("options", b"")
    headers = {key.removeprefix(_MARK) for key in request if key.startswith(_MARK)}
    texts = [value for key, value in request.items() if key.startswith(_MARK)]
    if any(map(_WORDS.search, (options, *texts))):
        return False
    folders = [os.fsdecode(a or b or c) for a, b, c in _FOLDER.findall(options)]
    waiting = [(text, "") for text in (request.get("source", b""), *texts)]
    done: set[str] = set()
    size = 0
    while waiting:
        text, folder = waiting.pop()
        text = _SPLICE.sub(b"", text)
        size += len(text)
        if size > _MOST_BYTES or _WORDS.search(text):
            return False
        for directive in _INCLUDE.finditer(text):
            operand = _OPERAND.match(directive[1])
            if operand is None:  # a macro names it
                return False
            name = os.fsdecode(operand[1] or operand[2])
            if name in headers:
                continue
            path = _find(name, [folder, *folders] if operand[1] else folders)
            data = None if path is None else _read(path)
            if path is None or data is None:
                return False
            if path not in done:
                done.add(path)
                waiting.append((data, os.path.dirname(path)))
    return True


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
