"""A Python program run as Python runs it: a file, a folder, a module, code, standard input.

What Python does before it runs a program and once that has ended is in C, where it cannot be
asked for with something done first. So this does the same: the module ``__main__``,
``sys.argv`` and ``sys.path``. Errors, the exit status and standard output are left to Python
itself; nothing here catches, prints or flushes what is the program's.
"""

from __future__ import annotations

import builtins
import linecache
import marshal
import os
import pkgutil
import runpy
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType

#: What a command line may name.
EXPECTED = "expected script.py, -m module, -c code or - (standard input)"


class ProgramError(Exception):
    """There is no such program: what was expected, and what came."""


def find_program(given: list[str]) -> Callable[[], None]:
    """What runs a program, once, in this process.

    Parameters
    ----------
    given : list of str
        As after ``python``: the program, and its arguments.

    Returns
    -------
    callable
        It replaces ``__main__``, ``sys.argv`` and the start of ``sys.path``.

    Raises
    ------
    ProgramError
        If there is none.

    Examples
    --------
    >>> from halfcl._support.main_programs import find_program
    >>> run = find_program(["-c", "print(2)"])
    """
    kind, *arguments = given or [""]
    if kind[:2] in ("-m", "-c") and kind[2:]:  # -mpackage.module
        kind, arguments = kind[:2], [kind[2:], *arguments]
    if not kind or (kind in ("-m", "-c") and not arguments):
        raise ProgramError(f"{EXPECTED}, got nothing")
    if kind == "-m":
        return partial(_run_module, arguments)
    if kind == "-c":
        return partial(_run_code, arguments)
    if kind == "-":
        source = b"" if sys.stdin is None else sys.stdin.buffer.read()
        return partial(_run_input, source, arguments)
    if kind.startswith("-"):
        raise ProgramError(f"{EXPECTED}, got {kind}; python's own options come before -m halfcl")
    file = os.path.abspath(kind) if os.name == "nt" else os.path.join(os.getcwd(), kind)
    try:
        if pkgutil.get_importer(file):
            return partial(_run_folder, file, given)
        with open(file, "rb") as stream:  # once, since what comes through a pipe is gone then
            content = stream.read()
    except (OSError, ValueError) as error:
        raise ProgramError(f"{EXPECTED}; {getattr(error, 'strerror', error)}: {kind!r}") from None
    return partial(_run_file, file, content, given)


def _run_module(arguments: list[str]) -> None:
    _begin(["-m", *arguments[1:]], os.getcwd())
    _run_as_main(arguments[0], alter_argv=True)


def _run_folder(file: str, arguments: list[str]) -> None:
    """Of a folder or a zip file the module ``__main__``."""
    _begin(arguments, None)
    sys.path.insert(0, file)
    _run_as_main("__main__", alter_argv=False)


def _run_as_main(name: str, alter_argv: bool) -> None:
    # What Python itself calls, in a way that `runpy.run_module` is not: __main__ stays when it
    # has ended, for threads and for what runs at exit.
    runpy._run_module_as_main(name, alter_argv)  # type: ignore[attr-defined]


def _run_code(arguments: list[str]) -> None:
    main = _begin(["-c", *arguments[1:]], "")
    code = arguments[0]
    if sys.version_info >= (3, 14):
        code = textwrap.dedent(code)
    if sys.version_info >= (3, 13):  # where tracebacks show it
        linecache.cache["<string>"] = (len(code), None, code.splitlines(True), "<string>")
    exec(_compiled(code, "<string>"), vars(main))


def _run_input(source: bytes, arguments: list[str]) -> None:
    main = _begin(["-", *arguments], "")
    vars(main).update(__file__="<stdin>", __cached__=None)
    exec(_compiled(source, "<stdin>"), vars(main))


def _run_file(file: str, content: bytes, arguments: list[str]) -> None:
    main = _begin(arguments, _folder_of(file))
    is_compiled = file.endswith(".pyc") or content.startswith(MAGIC_NUMBER[:2])
    loader = SourcelessFileLoader if is_compiled else SourceFileLoader
    vars(main).update(__loader__=loader("__main__", file), __file__=file, __cached__=None)
    exec(_unpacked(content) if is_compiled else _compiled(content, file), vars(main))


def _folder_of(file: str) -> str:
    """What ``sys.path`` begins with: where the file is, not a link to it; a pipe is nowhere."""
    try:
        return os.path.dirname(file if os.name == "nt" else os.path.realpath(file, strict=True))
    except OSError:
        return os.path.dirname(file)


def _begin(arguments: list[str], folder: str | None) -> ModuleType:
    """A new ``__main__`` in the place of halfcl's, arguments, and the path to search first."""
    main = ModuleType("__main__")
    vars(main).update(__loader__=BuiltinImporter)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={})
    vars(main).update(__builtins__=builtins)
    sys.modules["__main__"], sys.argv = main, arguments
    if not sys.flags.safe_path:  # there, python has put nothing before all others
        del sys.path[0]
        sys.path[:0] = [] if folder is None else [folder]
    return main


def _compiled(source: str | bytes, file: str) -> CodeType:
    code: CodeType = compile(source, file, "exec", dont_inherit=True)
    return code


def _unpacked(content: bytes) -> CodeType:
    if not content.startswith(MAGIC_NUMBER):
        raise RuntimeError("Bad magic number in .pyc file")
    code = marshal.loads(content[16:])
    if not isinstance(code, CodeType):
        raise RuntimeError("Bad code object in .pyc file")
    return code
