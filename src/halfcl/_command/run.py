"""``python -m halfcl run``: a Python program with NumPy's float16 accelerated.

What Python does before it runs a program and once that has ended is in C, where it cannot be
asked for with something done first. So this does the same: the module ``__main__``,
``sys.argv`` and ``sys.path``. Errors, the exit status and standard output are left to Python
itself; nothing here catches, prints or flushes what is the program's.
"""

from __future__ import annotations

import argparse
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
from types import CodeType, ModuleType, TracebackType

import halfcl as hc
from halfcl._command.status import DONE, USER_ERROR
from halfcl._numpy.children import VARIABLE as CHILDREN

HELP = "run a Python program with NumPy's float16 accelerated"
DESCRIPTION = """\
Run a Python program as python does, after halfcl.accelerate(children=True): Python processes that
it starts are accelerated, too; with --no-children, or HALFCL_ACCELERATE=0 in the environment, those
alone that are forked from it, or ask for it."""
EPILOG = """\
examples:
  python -m halfcl run script.py --its options
  python -m halfcl run -m package.module
  python -m halfcl run -c 'import numpy as np; print(np.float16([1]) / 3)'
  python -m halfcl run --no-children script.py

exit status: the program's own, as python has it; 2 if there is none"""

_EXPECTED = "expected script.py, -m module, -c code or - (standard input)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments: all that follows is the program's, but for --help at once."""
    parser.usage = "%(prog)s [--no-children] (script.py | -m module | -c code | -) [arguments]"
    parser.prefix_chars = "\0"
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(print_help=parser.print_help)


def run(options: argparse.Namespace) -> int | Callable[[], int]:
    """The program, to be called when nothing but Python's own is around it; or a status."""
    without_children = options.program[:1] == ["--no-children"]
    if without_children:
        del options.program[0]
    program = _program(options)
    return program if isinstance(program, int) else partial(_run, program, without_children)


def _program(options: argparse.Namespace) -> int | Callable[[], None]:
    """What runs it; or the status of a mistake."""
    kind, *arguments = options.program or [""]
    if kind in ("-h", "--help"):
        options.print_help()
        raise SystemExit(DONE)
    if kind[:2] in ("-m", "-c") and kind[2:]:  # -mpackage.module
        kind, arguments = kind[:2], [kind[2:], *arguments]
    if not kind or (kind in ("-m", "-c") and not arguments):
        return _told(f"{_EXPECTED}, got nothing")
    if kind == "-m":
        return partial(_run_module, arguments)
    if kind == "-c":
        return partial(_run_code, arguments)
    if kind == "-":
        source = b"" if sys.stdin is None else sys.stdin.buffer.read()
        return partial(_run_input, source, arguments)
    if kind.startswith("-"):
        return _told(f"{_EXPECTED}, got {kind}; python's own options come before -m halfcl")
    file = os.path.abspath(kind) if os.name == "nt" else os.path.join(os.getcwd(), kind)
    try:
        if pkgutil.get_importer(file):
            return partial(_run_folder, file, options.program)
        with open(file, "rb") as stream:  # once, since what comes through a pipe is gone then
            content = stream.read()
    except (OSError, ValueError) as error:
        return _told(f"{_EXPECTED}; {getattr(error, 'strerror', error)}: {kind!r}")
    return partial(_run_file, file, content, options.program)


def _told(message: str) -> int:
    print(f"halfcl run: {message}", file=sys.stderr)
    return USER_ERROR


def _run(program: Callable[[], None], without_children: bool) -> int:
    if without_children:
        os.environ[CHILDREN] = "0"  # also where it was 1: what is asked for here comes last
    hc.accelerate(children=True)
    try:
        program()
    except SystemExit:
        raise
    except BaseException as error:
        _leave_out_own_frames(error)
        raise
    return DONE


def _leave_out_own_frames(error: BaseException) -> None:
    """When Python tells of it. Stops by the keyboard, exit statuses and all else stay Python's."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    hook = getattr(sys, "excepthook", sys.__excepthook__)

    def tell(kind: type[BaseException], told: BaseException, all: TracebackType | None) -> None:
        sys.excepthook = hook
        if told is error:
            sys.last_traceback = all = frames
            told.with_traceback(frames)
        hook(kind, told, all)

    sys.excepthook = tell


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
