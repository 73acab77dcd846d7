"""Run a Python program as Python does: a file, a folder, a module, code, or standard input.

Python does this in C, with no way to do something else first. This module does the same: it sets up
the module ``__main__``, ``sys.argv`` and ``sys.path``. Errors, the exit status and standard output
are left to Python; nothing here catches, prints or flushes for the program.
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
from collections.abc import Callable, Container
from functools import partial
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType, TracebackType
from typing import TypeAlias

#: Compiles the source of a file.
Compiler: TypeAlias = Callable[[str | bytes, str], CodeType]

#: The programs that a command line may name.
EXPECTED = "expected script.py, -m module, -c code or - (standard input)"


class ProgramError(Exception):
    """There is no such program; the message says what was expected."""


def compile_source(source: str | bytes, file: str) -> CodeType:
    """Compile the source of a program as Python does."""
    code: CodeType = compile(source, file, "exec", dont_inherit=True)
    return code


def find_program(command: list[str], compiler: Compiler = compile_source) -> Callable[[], None]:
    """Return a function that runs a program, once, in this process.

    command: the program and its arguments, as after ``python``; ProgramError if there is none. The
    function replaces ``__main__``, ``sys.argv`` and the start of ``sys.path``. compiler: compiles
    the program itself; Python's loaders compile modules.
    """
    kind, *arguments = command or [""]
    if kind[:2] in ("-m", "-c") and kind[2:]:  # -mpackage.module
        kind, arguments = kind[:2], [kind[2:], *arguments]
    if not kind or (kind in ("-m", "-c") and not arguments):
        raise ProgramError(f"{EXPECTED}, got nothing")
    if kind == "-m":
        return partial(_run_module, arguments)
    if kind == "-c":
        return partial(_run_code, arguments, compiler)
    if kind == "-":
        source = b"" if sys.stdin is None else sys.stdin.buffer.read()
        return partial(_run_input, source, arguments, compiler)
    if kind.startswith("-"):
        raise ProgramError(f"{EXPECTED}, got {kind}; python's own options come before -m halfcl")
    if kind.endswith(".ipynb"):
        how = "'jupyter nbconvert --to script' makes a script of it"
        raise ProgramError(f"{EXPECTED}, got the notebook {kind}; {how}")
    file = os.path.abspath(kind) if os.name == "nt" else os.path.join(os.getcwd(), kind)
    try:
        if pkgutil.get_importer(file):
            return partial(_run_folder, file, command)
        with open(file, "rb") as stream:  # once, since a pipe cannot be read again
            content = stream.read()
    except (OSError, ValueError) as error:
        raise ProgramError(f"{EXPECTED}; {getattr(error, 'strerror', error)}: {kind!r}") from None
    return partial(_run_file, file, content, command, compiler)


def program_frames(error: BaseException, files: Container[str]) -> TracebackType | None:
    """Return the traceback of an error without the frames that came before the program.

    files: those that called the program, besides this one.
    """
    frames = error.__traceback__
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if file != __file__ and file not in files:
            break
        frames = frames.tb_next
    return frames


def _run_module(arguments: list[str]) -> None:
    _begin(["-m", *arguments[1:]], os.getcwd())
    _run_as_main(arguments[0], alter_argv=True)


def _run_folder(file: str, arguments: list[str]) -> None:
    """Run the module ``__main__`` of a folder or a zip file."""
    _begin(arguments, None)
    sys.path.insert(0, file)
    _run_as_main("__main__", alter_argv=False)


def _run_as_main(name: str, alter_argv: bool) -> None:
    # Python itself calls this. Unlike `runpy.run_module`, it keeps __main__ after the program has
    # ended, for threads and exit handlers.
    runpy._run_module_as_main(name, alter_argv)  # type: ignore[attr-defined]


def _run_code(arguments: list[str], compiler: Compiler) -> None:
    main = _begin(["-c", *arguments[1:]], "")
    code = arguments[0]
    if sys.version_info >= (3, 14):
        code = textwrap.dedent(code)
    if sys.version_info >= (3, 13):  # tracebacks show the code
        linecache.cache["<string>"] = (len(code), None, code.splitlines(True), "<string>")
    exec(compiler(code, "<string>"), vars(main))


def _run_input(source: bytes, arguments: list[str], compiler: Compiler) -> None:
    main = _begin(["-", *arguments], "")
    vars(main).update(__file__="<stdin>", __cached__=None)
    exec(compiler(source, "<stdin>"), vars(main))


def _run_file(file: str, content: bytes, arguments: list[str], compiler: Compiler) -> None:
    main = _begin(arguments, _folder_of(file))
    is_compiled = file.endswith(".pyc") or content.startswith(MAGIC_NUMBER[:2])
    loader = SourcelessFileLoader if is_compiled else SourceFileLoader
    vars(main).update(__loader__=loader("__main__", file), __file__=file, __cached__=None)
    exec(_load_code(content) if is_compiled else compiler(content, file), vars(main))


def _folder_of(file: str) -> str:
    """Return the start of ``sys.path``: the folder of the file that a link refers to."""
    try:
        return os.path.dirname(file if os.name == "nt" else os.path.realpath(file, strict=True))
    except OSError:
        return os.path.dirname(file)


def _begin(arguments: list[str], folder: str | None) -> ModuleType:
    """Install a new ``__main__`` instead of halfcl's, the arguments, and the start of the path."""
    main = ModuleType("__main__")
    vars(main).update(__loader__=BuiltinImporter)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={})
    vars(main).update(__builtins__=builtins)
    sys.modules["__main__"], sys.argv = main, arguments
    if not sys.flags.safe_path:  # otherwise Python has inserted nothing
        del sys.path[0]
        sys.path[:0] = [] if folder is None else [folder]
    return main


def _load_code(content: bytes) -> CodeType:
    if not content.startswith(MAGIC_NUMBER):
        raise RuntimeError("Bad magic number in .pyc file")
    code = marshal.loads(content[16:])
    if not isinstance(code, CodeType):
        raise RuntimeError("Bad code object in .pyc file")
    return code
