"""The command ``python -m halfcl device``, which prints source text for kernels on devices."""

from __future__ import annotations

import argparse

from halfcl._command.shared import DONE, UserError, names
from halfcl._support import files
from halfcl.device._source.catalogue import forms
from halfcl.device._source.dialects import DIALECTS
from halfcl.device._source.text import source

DESCRIPTION = """\
Write source text of halfcl's functions, in every rounding mode, for kernels to include. Text in
OpenCL C takes halves as half, or as the bits in ushort with --no-fp16."""
EPILOG = """\
examples:
  python -m halfcl device --language opencl --functions add,exp -o halfcl.h
  python -m halfcl device --language opencl --no-fp16 > halfcl.h
  python -m halfcl device --list

exit status: 0; 2 if an argument is wrong or the file cannot be written"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    add = parser.add_argument
    add("--language", choices=tuple(DIALECTS), help="language of the text")
    add("--functions", type=names, metavar="NAME,...", help="only these, with what they depend on; "
        "shorter text builds sooner (default: all)")  # fmt: skip
    add("--no-fp16", action="store_true", help="pass halves as bits in ushort, for devices without "
        "cl_khr_fp16 (OpenCL C)")  # fmt: skip
    add("-o", dest="out", default="-", metavar="FILE", help="file to write (default: -, which is "
        "standard output)")  # fmt: skip
    add("--list", action="store_true", help="print the functions' names instead")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    try:
        text = "\n".join(forms()) + "\n" if options.list else _text(options)
    except ValueError as error:
        raise UserError(error) from None
    if options.out == "-":
        print(text, end="")
    else:
        files.write_text(options.out, text)
    return DONE


def _text(options: argparse.Namespace) -> str:
    if options.language is None:
        raise ValueError(f"expected --language {' or '.join(DIALECTS)}")
    dialect = DIALECTS[options.language]
    if options.no_fp16 and dialect.in_bits is None:
        language = dialect.name.upper()
        raise ValueError(
            f"--no-fp16 is of --language opencl alone: {language} always has {dialect.types['e']}"
        )
    return source(dialect.variant(not options.no_fp16), options.functions)
