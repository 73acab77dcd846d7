"""The command line: ``python -m halfcl`` with ``demo``, ``info``, ``audit`` and others."""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import halfcl as hc
from halfcl import _core, check, demo, numpy_compat, threads
from halfcl.audit import command
from halfcl.constants import FPConfig
from halfcl.extras import MissingPackageError


def info() -> str:
    """What this installation of halfcl runs on.

    Returns
    -------
    str
        Lines of a name and a value: versions, the set of kernels in use and
        those available, the processor's features, the rounding mode in force,
        and the flags of ``HALF_FP_CONFIG``; then what fails because this NumPy
        lacks one of the private parts that halfcl touches, if it does.

    See Also
    --------
    halfcl.device_info : the same facts as a dictionary.

    Examples
    --------
    >>> from halfcl.__main__ import info
    >>> print(info().splitlines()[3])
    rounding mode    rte
    """
    device = hc.device_info()
    config = device["half_fp_config"]
    rows = {
        "halfcl": hc.__version__,
        "NumPy": np.__version__,
        "Python": f"{platform.python_version()} on {device['machine']}",
        "rounding mode": hc.get_rounding(),
        "kernels in use": device["isa"],
        "available": ", ".join(device["available"]),
        "threads": _threads(),
        "CPU features": ", ".join(device["features"]) or "none that the kernels use",
        "HALF_FP_CONFIG": ", ".join(str(flag.name) for flag in FPConfig if flag in config),
    }
    missing = [entry for entry in numpy_compat.ENTRIES if not entry.present]
    rows |= {f"NumPy lacks ({k})": f"{e.name}: {e.without}" for k, e in enumerate(missing, 1)}
    return "\n".join(f"{name:<16} {value}" for name, value in rows.items())


def _threads() -> str:
    """How many a call may use, and what says so."""
    count, reason = threads.default()
    in_force = hc.get_num_threads()
    return f"{in_force} ({reason})" if in_force == count else str(in_force)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {text}")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m halfcl", description=hc.__doc__)
    parser.add_argument("--version", action="version", version=f"halfcl {hc.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    demonstrate = commands.add_parser(
        "demo",
        help="develop a photograph in the four rounding modes, shade its relief, and resample it",
        description="Develop a photograph in half precision in the four rounding modes, shade "
        "its relief from a normal map, and enlarge, rotate and mipmap it: times beside NumPy's "
        "float16, a proven bound on the rounding error or the error itself, and pictures of all.",
    )
    demonstrate.add_argument(
        "--out",
        type=Path,
        default=Path("halfcl-demo"),
        metavar="DIR",
        help="where to write the PNG files (default: ./halfcl-demo)",
    )
    demonstrate.add_argument(
        "--repeat",
        type=_positive,
        default=50,
        metavar="N",
        help="time the steps N times and take the best (default: 50)",
    )

    commands.add_parser(
        "info",
        help="print versions, instruction sets and rounding modes",
        description="Print versions, the kernels in use, CPU features, and HALF_FP_CONFIG.",
    )

    commands.add_parser(
        "check",
        help="compare the functions' results with the right ones on this machine",
        description="Compute every function of one half for all 65,536 halves in all rounding "
        "modes, and compare the results with those of MPFR, of which halfcl has digests.",
    )
    _add_audit(commands)
    _add_kernel(commands.add_parser(
        "kernel",
        help="build OpenCL C, list its kernels, and run them on .npy files",
        description="Build a file of OpenCL C, list its kernels or its rounding modes line by "
        "line, or run a kernel. Exit status: 1 if an argument or file is wrong, 3 if it does not "
        "build, 4 if the kernel did what it must not, 5 if --check or --contract both found "
        "something. Needs pip install 'halfcl[kernels]'.",
    ))  # fmt: skip
    _add_run(commands)
    return parser


def _add_audit(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command.add_arguments(commands.add_parser(
        "audit", help=command.HELP, description=command.DESCRIPTION, epilog=command.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ))  # fmt: skip


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        usage="%(prog)s (script.py | -m module | -c code) [arguments]",
        help="run a Python program with NumPy's float16 accelerated",
        description="Run a Python program as python does, after halfcl.accelerate().",
        prefix_chars="\0",  # all that follows is the program's
        add_help=False,
    )
    run.add_argument("program", nargs=argparse.REMAINDER)


def _add_kernel(kernel: argparse.ArgumentParser) -> None:
    add = kernel.add_argument
    add("file", type=Path, help="OpenCL C")
    add("--options", default="", help='of the build: --options="-D N=8"')
    add("--list", action="store_true", help="print the kernels and their parameters")
    add("--listing", action="store_true", help="print the source with the modes in force")
    add("--run", metavar="KERNEL", help="launch this one")
    add("--global", dest="global_size", metavar="X[,Y[,Z]]", help="how many work-items")
    add("--local", dest="local_size", metavar="X[,Y[,Z]]", help="how many in a work-group")
    add(
        "--arg",
        action="append",
        default=[],
        metavar="VALUE",
        help="of each parameter, in order: a number; FILE.npy, where what is written goes back; "
        "zeros:TYPE:SHAPE[:FILE.npy]; local:BYTES",
    )
    add("--rounding", choices=_core.MODES, help="the default rounding mode")
    add("--contract", choices=("never", "always", "both"), default="never", help="a*b + c")
    add("--check", action="store_true", help="look for races and uninitialised reads")
    add("--seconds", type=float, help="a limit")


def _run(options: argparse.Namespace) -> int:
    """The command that was asked for; its exit status."""
    if options.command == "info":
        print(info())
        return 0
    if options.command == "check":
        return 1 if check.run() else 0
    if options.command == "audit":
        return command.run(options)
    if options.command == "kernel":
        return _kernel(options)
    if options.command == "run":
        _run_program(options.program)
        return 0
    demo.run(options.out, options.repeat)
    return 0


def _run_program(program: list[str]) -> None:
    """A script, a module or code with its arguments, as Python runs it, but accelerated."""
    kind, *rest = program or [""]
    if not kind or (kind in ("-m", "-c") and not rest):
        raise SystemExit("halfcl run: expected script.py, -m module or -c code, got nothing")
    if kind in ("-h", "--help"):
        raise SystemExit(
            "usage: python -m halfcl run (script.py | -m module | -c code) [arguments]"
        )
    hc.accelerate()
    if kind == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        main_module = sys.modules["__main__"] = type(sys)("__main__")
        exec(compile(rest[0], "<string>", "exec"), main_module.__dict__)
    else:
        sys.argv, sys.path[0] = program, os.path.dirname(os.path.abspath(kind))
        runpy.run_path(kind, run_name="__main__")


def _kernel(options: argparse.Namespace) -> int:
    if options.run and options.global_size is None:
        raise SystemExit("halfcl kernel: --run needs --global")
    from halfcl.cl import command as kernels  # its packages are an extra

    return kernels.run(options)


def _flush_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_output() -> None:
    """Point standard output nowhere: Python would try again at exit to write what it holds."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after ``python -m halfcl``; by default this process's.

    Returns
    -------
    int
        The exit status: 0; 1 after a message on standard error, if the reader of
        a pipe went away, or if the check found wrong results.

    Raises
    ------
    SystemExit
        If the arguments are wrong, or ask for help or the version.

    Examples
    --------
    >>> from halfcl.__main__ import main
    >>> main(["demo", "--out", "pictures"])  # doctest: +SKIP
    0
    """
    name = "halfcl"
    try:
        try:
            options = _parser().parse_args(arguments)
            name = f"halfcl {options.command}"
            return _run(options)
        finally:
            _flush_output()  # while an error can still be told
    except BrokenPipeError:
        _discard_output()  # whoever read it has seen enough
    except (MissingPackageError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        _discard_output()
    return 1


if __name__ == "__main__":
    sys.exit(main())
