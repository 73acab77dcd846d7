"""Write the skeleton of a new function of one half: a copy of one that is looked up, renamed.

    python tools/new_function.py exp3m1                  as exp2m1
    python tools/new_function.py exp3m1 --like erfc      as another one

It copies the row of the table, the reference in double-double, the kernel's and the device's
lines, the oracle's line and the edge cases. Then write the new function in its place, from the
oracle on.
CONTRIBUTING.md has the steps.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Place(NamedTuple):
    """Files that name functions, and the text that belongs to one function there.

    pattern: a regular expression in which NAME stands for the function.
    """

    files: str
    pattern: str


_LINES = r"^.*\bNAME(_kernel)?\b.*\n"

PLACES = (
    Place("src/halfcl/_tables/rows/*.py", r'^    _?\w+\(\n        "NAME",(?:.|\n)*?^    \),\n'),
    Place("csrc/exact/functions.h", _LINES),
    Place("csrc/exact/doubledouble/*.c", r"^dd dd_NAME\((?:.|\n)*?^}\n\n?"),
    Place("csrc/kernels/functions/*.h", _LINES),
    Place("csrc/device/functions.def", _LINES),
    Place("tests/helpers/oracle_mpfr.py", _LINES),
    Place("tests/helpers/edge_cases.txt", r"(?:^NAME\(.*\n)+"),
)


def copies(name: str, like: str) -> Iterator[tuple[Path, str]]:
    """Yield the files with a copy of a function's text under a new name."""
    for place in PLACES:
        pattern = re.compile(place.pattern.replace("NAME", like), re.MULTILINE)
        for path in sorted(ROOT.glob(place.files)):
            text = path.read_text(encoding="utf-8")
            copied = pattern.sub(lambda match: match[0] + _rename(match[0], like, name), text)
            if copied != text:
                yield path, copied


def _rename(text: str, like: str, name: str) -> str:
    """Return a text with a function's name replaced, and columns of backslashes kept."""
    result = re.sub(rf"(?<![A-Za-z0-9]){like}(?![A-Za-z0-9])", name, text)
    if not text.endswith("\\\n"):
        return result
    return f"{result[:-2].rstrip():<{len(text) - 2}}\\\n"


def main() -> int:
    """Write the copies; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="the new function's name")
    parser.add_argument("--like", default="exp2m1", help="the function to copy")
    options = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z0-9]*", options.name):
        parser.error(f"name: expected small letters and digits, got {options.name!r}")
    written = dict(copies(options.name, options.like))
    if not any("_tables" in path.parts for path in written):
        parser.error(f"--like: expected a function of the table, got {options.like!r}")
    if not any(path.suffix == ".c" for path in written):
        parser.error(f"--like: expected a function with a reference, got {options.like!r}")
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
