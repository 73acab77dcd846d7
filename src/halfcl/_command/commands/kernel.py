"""The command ``python -m halfcl kernel``, which lists and runs kernels of an OpenCL C file."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from halfcl import _core
from halfcl._command.shared import UserError, add_json
from halfcl._support.files import is_same
from halfcl.device._source.dialects import languages_of_programs

DESCRIPTION = """\
Build a file of OpenCL C, list its kernels or its rounding modes line by line, run a kernel, compare
what a device makes of it, or translate all for a device, with halfcl's functions in place of what
devices round otherwise.
Needs pip install "halfcl[kernels]"."""
EPILOG = """\
examples:
  python -m halfcl kernel shade.cl --list
  python -m halfcl kernel shade.cl --run shade --global 512,512 \\
      --arg in.npy --arg zeros:half:512,512:out.npy --arg 0.5
  python -m halfcl kernel shade.cl --run shade --global 512,512 --compare NVIDIA ...
  python -m halfcl kernel shade.cl --translate opencl -o out.cl

exit status: 0; 2 if an argument, a file or a package is wrong or missing, 3 if the program does
not build, 4 if the kernel did what it must not, 5 if --check, --contract both or --compare
found something"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    add = parser.add_argument
    add("file", type=Path, help="OpenCL C")
    add("--options", default="", help='build options: --options="-D N=8"')
    add("--extensions", action="append", default=[], metavar="NAME", help="enable an extension "
        "without a pragma: cl_khr_fp16")  # fmt: skip
    add("--list", action="store_true", help="print the kernels and their parameters")
    add("--listing", action="store_true", help="print the source with the modes in force")
    add("--run", metavar="KERNEL", help="launch this one")
    add("--global", dest="global_size", metavar="X[,Y[,Z]]", help="number of work-items")
    add("--local", dest="local_size", metavar="X[,Y[,Z]]", help="size of a work-group")
    add(
        "--arg",
        action="append",
        default=[],
        metavar="VALUE",
        help="of each parameter, in order: a number; FILE.npy, where what is written goes back; "
        "zeros:TYPE:SHAPE[:FILE.npy], where TYPE is half, float4 ...; local:BYTES",
    )
    add("--rounding", choices=_core.MODES, help="the default rounding mode")
    add("--contract", choices=("never", "always", "both"), default="never", help="a*b + c")
    add("--check", action="store_true", help="look for races and uninitialised reads")
    add("--timeout", type=float, metavar="S", help="time limit in seconds")
    add("--compare", metavar="PLATFORM[:DEVICE]", help="run it (--run) on an OpenCL device, too, "
        "translated and as it is written: tell what differs, and write no file")  # fmt: skip
    add("--translate", choices=languages_of_programs(), help="write the source for a "
        "device: --rounding fixes the default mode, else the macro HC_MODE says it")  # fmt: skip
    add("--no-fp16", action="store_true", help="halves as bits in ushort, for devices without "
        "cl_khr_fp16 (--translate)")  # fmt: skip
    add("--float-functions", choices=("exact", "device"), default="exact", help="functions of "
        "float that OpenCL leaves open: refused or the host's bits (exact, the default), or the "
        "device's own (--translate)")  # fmt: skip
    add("-o", dest="out", default="-", metavar="FILE", help="where --translate writes (default: -, "
        "which is standard output)")  # fmt: skip
    add_json(parser, "the list of kernels")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if wrong := _contradiction(options):
        raise UserError(wrong)
    status: int = import_module("halfcl.cl._command").run(options)  # its packages are an extra
    return status


def _contradiction(options: argparse.Namespace) -> str | None:
    if options.run and options.global_size is None:
        return "--run needs --global"
    if options.compare is not None and not options.run:
        return "--compare needs --run"
    if options.compare is not None and (options.check or options.timeout is not None):
        return "--compare takes no --check and no --timeout"
    if options.json and (options.run or options.listing):
        return "--json is of --list alone"
    if options.translate and (options.run or options.list or options.listing or options.json):
        return "--translate is for itself"
    if options.translate and options.contract == "both":
        return "--translate takes --contract never or always"
    if not options.translate and (options.no_fp16 or options.out != "-"):
        return "--no-fp16 and -o are of --translate alone"
    if not options.translate and options.float_functions != "exact":
        return "--float-functions is of --translate alone"
    if is_same(options.out, options.file):
        return f"-o: expected another file than the source, got {options.out}; name a new file"
    return None
