"""Write the table of float functions in docs/howto/translate.md, from the table of built-ins.

    python tools/make_float_functions.py          the table
    python tools/make_float_functions.py --write  writes it into docs/howto/translate.md

tests/project/test_site.py asserts that it is up to date.
"""

from __future__ import annotations

from pathlib import Path

from tables_in_pages import print_or_write

from halfcl.cl._frontend.builtins import TABLE, Builtin

PAGE = Path(__file__).resolve().parent.parent / "docs" / "howto" / "translate.md"
MARKS = "<!-- float functions -->\n", "<!-- end -->"

#: Kinds of functions, in the order of the table: their bits, "exact", and "device".
KINDS = {
    "own": ("OpenCL fixes them", "the device's own function", "the same"),
    "text": ("OpenCL fixes them, devices differ", "the text's own function, the host's bits",
             "the same"),
    "double": ("OpenCL leaves them open", "the text's own function, the host's bits",
               "the device's own"),
    "": ("OpenCL leaves them open", "refused", "the device's own"),
}  # fmt: skip


def kind_of(row: Builtin) -> str:
    """Return the kind of a function; those that are another function are made of doubles."""
    return row.device if row.device in KINDS else "double"


def name_of(row: Builtin) -> str:
    """Return the name, once for both prefixes native_ and half_."""
    return row.name.replace("native_", "native_/half_")


def table() -> str:
    """Return the table with a line for each kind of function."""
    rows = [
        row
        for row in TABLE.values()
        if row.family in ("math", "geometric") and not row.name.startswith("half_")
    ]
    lines = ["| functions | results | `exact` | `device` |", "|---|---|---|---|"]
    for kind, words in KINDS.items():
        names = sorted(f"`{name_of(row)}`" for row in rows if kind_of(row) == kind)
        lines.append(f"| {' | '.join([' '.join(names), *words])} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print_or_write(PAGE, MARKS, table())
