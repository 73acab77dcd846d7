"""Write the table of built-in functions in docs/reference/opencl.md, from halfcl's table.

    python tools/make_opencl_map.py          the table
    python tools/make_opencl_map.py --write  writes it into docs/reference/opencl.md

tests/project/test_site.py asserts that it is up to date.
"""

from __future__ import annotations

from pathlib import Path

from tables_in_pages import print_or_write

from halfcl._tables import TABLE, Builtin

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "opencl.md"
MARKS = "<!-- builtins -->\n", "<!-- end -->"

#: A word for what sets a function's rounding mode.
GOVERNED = {"operator": "every region", "builtin": "nearest", "exact": "-"}

#: Operators have no names in OpenCL; the channels' conversions are parts of its image functions.
OPERATORS = {
    "add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y", "negative": "-x",
}  # fmt: skip


def opencl_form(row: Builtin) -> str:
    """Return the call in OpenCL C, where results after the first come through pointers."""
    if row.name in OPERATORS:
        return OPERATORS[row.name]
    if row.section == "Normalized":
        return "in `write_image`" if row.name.startswith("to_") else "in `read_image`"
    pointers = [f"*{name.replace(' ', '_')}" for name in row.results[1:]]
    return f"{row.name}({', '.join([*row.argument_names, *pointers])})"


def halfcl_form(row: Builtin) -> str:
    """Return the call in halfcl, where several results are a tuple."""
    call = f"hc.{row.name}({', '.join(row.argument_names)})"
    return f"{call} -> {', '.join(row.results)}" if len(row.results) > 1 else call


def limit(row: Builtin) -> str:
    """Return the error that OpenCL allows in the full profile."""
    if row.limit is None:
        return "left open"
    if isinstance(row.limit, int | float):
        return {0: "0 ulp", 0.5: "correctly rounded"}.get(row.limit, f"{row.limit:g} ulp")
    return str(row.limit)


def line(row: Builtin) -> str:
    form = opencl_form(row)
    cells = [
        form if "`" in form else f"`{form}`",
        f"`{halfcl_form(row)}`",
        "exact" if row.ulp == 0 else "correctly rounded",
        limit(row),
        GOVERNED[row.governed],
        row.spec,
    ]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def table() -> str:
    """Return the table with a line for each function that OpenCL has too."""
    titles = "OpenCL C", "halfcl", "result", "OpenCL allows", "rounding mode", "section"
    head = f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|\n"
    return head + "".join(f"{line(row)}\n" for row in TABLE if row.public and row.opencl)


if __name__ == "__main__":
    print_or_write(PAGE, MARKS, table())
