"""Options of commands that run a program several times, in processes of their own."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path


def add_run_options(parser: argparse.ArgumentParser, limit: str) -> None:
    """Add the options on the runs' time, random numbers and files.

    limit: the default time limit of a run, in words.
    """
    add = parser.add_argument
    add("--seed", type=count, metavar="N",
        help="seed the program's random numbers in each run")  # fmt: skip
    add("--timeout", type=seconds, metavar="S",
        help=f"time limit of a run in seconds (default: {limit})")  # fmt: skip
    add("--folder", type=_folder, metavar="PATH", help="folder that runs work in, each with "
        "its own layer over it (default: the working folder)")  # fmt: skip
    add("--also", type=_folder, action="append", default=[], metavar="PATH", help="another folder "
        "whose files the program changes: each run has its own layer over it; may be given several "
        "times")  # fmt: skip
    add("--allow-write", type=_existing, action="append", default=[], metavar="PATH",
        help="let the program change the original file or folder; may be given several "
        "times")  # fmt: skip


def count(text: str) -> int:
    """Return an argument that is a number from 0 to 10000."""
    if not text.isdecimal() or not text.isascii() or int(text) > 10_000:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 10000, got {text!r}")
    return int(text)


def number(text: str, most: float, expected: str) -> float:
    """Return an argument that is a number over 0; expected: its description for an error."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= most:
        raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")
    return value


def seconds(text: str) -> float:
    """Return an argument that is a time in seconds."""
    return number(text, 1e6, "seconds, over 0 and at most 1000000")


def _folder(text: str) -> str:
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"expected a folder that exists, got {text!r}")
    return text


def _existing(text: str) -> str:
    if not os.path.exists(text):
        raise argparse.ArgumentTypeError(
            f"expected a file or folder that exists, got {text!r}; name the folder of a new file"
        )
    return text


# ---------------------------------------------------------------- options behind the program

#: Limit on the program's files that are searched for an option.
_MOST_FILES = 200


def warn_of_passed_options(
    command: str, program: Sequence[str], parser: argparse.ArgumentParser
) -> None:
    """Warn on standard error of options behind the program that look like the command's own.

    There is no warning of an option that the program's source mentions. program: the program and
    its arguments, as after ``python``.
    """
    name = " ".join(program[: 1 + (program[0] == "-m")])
    own = {option for option in parser._option_string_actions if option.startswith("--")}
    passed = [word.partition("=")[0] for word in program[len(name.split()) :]]
    wanted = dict.fromkeys(option for option in passed if option in own - {"--help"})
    for option in _not_mentioned(list(wanted), program) if wanted else ():
        print(
            f"{command}: {option} after {name} is passed to the program; write it before {name}",
            file=sys.stderr,
        )


def _not_mentioned(options: Collection[str], program: Sequence[str]) -> list[str]:
    """Return the options that no source file of a program mentions."""
    rest = list(options)
    for file in islice(_source_files(program), _MOST_FILES):
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        rest = [option for option in rest if option not in text]
    return rest


def _source_files(program: Sequence[str]) -> Iterator[Path]:
    """Yield the source files of a program: its own, and those beside it."""
    path = Path(program[0])
    if program[0] == "-m":
        try:
            spec = importlib.util.find_spec(program[1])
        except (ImportError, AttributeError, ValueError):
            return
        if spec is None or not spec.origin:
            return
        path = Path(spec.origin)
    if path.is_dir():
        yield from sorted(path.rglob("*.py"))
    else:
        yield path
        yield from sorted(path.parent.glob("*.py"))
