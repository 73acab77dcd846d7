"""Options of commands that run a program several times, in processes of their own."""

from __future__ import annotations

import argparse
import os


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options on the runs' time, random numbers and files."""
    add = parser.add_argument
    add("--seed", type=count, metavar="N",
        help="seed the program's random numbers in each run")  # fmt: skip
    add("--timeout", type=_seconds, metavar="S",
        help="time limit of a run in seconds (default: 20 times the first's, "
        "at least 60)")  # fmt: skip
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


def _seconds(text: str) -> float:
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
