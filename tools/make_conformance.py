"""Write the table of operations in docs/reference/intervals.md, from halfcl.interval's docstrings.

    python tools/make_conformance.py          the table
    python tools/make_conformance.py --write  writes it into docs/reference/intervals.md

tests/interval/test_docs.py asserts that it is up to date.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from halfcl import interval
from halfcl.interval._decorated import decorations
from halfcl.interval._functions import elementwise as functions, reductions, relations
from halfcl.interval._vectors import geometric

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "intervals.md"
MARKS = "<!-- operations -->\n", "<!-- end -->"

#: The standard's names that are not ours in camel case, or a note on functions that it lacks.
NAMES = {
    "hull": "convexHull",
    "from_values": "numsToInterval, textToInterval",
    "to_text": "intervalToText, intervalToExact",
    "sum": "beside the standard: sums of intervals",
    "dot": "beside the standard: dot products",
    "matmul": "beside the standard: matrix products",
    "rsqrt": "rSqrt",
    "log1p": "logp1",
    "is_nai": "isNaI",
    **{f"{name}pi": f"{name}Pi" for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **dict.fromkeys(("not_equal", "cbrt", "erf", "erfc"), "beside the standard"),
    **dict.fromkeys(
        ("degrees", "radians", "clamp", "step", "fdim", "ldexp", "compoundn", "mix"),
        "beside the standard",
    ),
    **dict.fromkeys(
        ("mean_value", "taylor", "range_of", "roots", "solve", "vector"),
        "beside the standard: formulas on boxes",
    ),
    **dict.fromkeys(reductions.FUNCTIONS, "beside the standard: sums of intervals"),
    **dict.fromkeys(geometric.FUNCTIONS, "beside the standard: vectors of intervals"),
}


def standard_name(name: str) -> str:
    """Return the name that IEEE 1788 has for a function's operation."""
    first, *others = name.split("_")
    return NAMES.get(name, first + "".join(word.capitalize() for word in others))


def accuracy(function: object) -> str:
    """Return the accuracy that the docstring states on a line of its own; relations are exact."""
    text = inspect.getdoc(function) or ""
    match = re.search(r"Accuracy: (.*?)(?:[;.]|\n|$)", text)
    if match is None and function not in relations.FUNCTIONS.values():
        raise ValueError(
            f"{function.__name__}: docstring: expected a line 'Accuracy: ...', got none"
        )
    return match[1] if match else "exact"


def domain(name: str) -> str:
    """Return where the function is defined and continuous, by its decorations."""
    if name in decorations.RULES:
        return decorations.RULES[name].domain
    sets = ("intersection", "hull")
    return "trv at best" if name in functions.FUNCTIONS or name in sets else ""


def operations() -> dict[str, object]:
    """Return the public functions except those that draw."""
    public = {name: getattr(interval, name) for name in interval.__all__}
    return {n: f for n, f in public.items() if inspect.isroutine(f) and f is not interval.plot_band}


def table() -> str:
    lines = ["| function | IEEE 1788 | accuracy | defined and continuous on |", "|---|---|---|---|"]
    for name, function in operations().items():
        cells = (f"`{name}`", standard_name(name), accuracy(function), domain(name))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the current table."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return f"{before}{MARKS[0]}{table()}{MARKS[1]}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(table())
