"""Write the table of functions in docs/howto/from_shaders.md, from halfcl's tables.

    python tools/make_shading_map.py          the table
    python tools/make_shading_map.py --write  writes it into docs/howto/from_shaders.md

CUDA's names are those that audits call. tests/tables/test_shading_languages.py asserts that the
page is up to date, and what the calls compute.
"""

from __future__ import annotations

import re
from pathlib import Path

from tables_in_pages import print_or_write

from halfcl._tables.twins import LANGUAGES, SHADING
from halfcl.audit._targets.devices.cuda_sources import FUNCTIONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "howto" / "from_shaders.md"
MARKS = "<!-- functions -->\n", "<!-- end -->"

#: CUDA's name of what a call of halfcl computes; the first of several that compute the same.
CUDA: dict[str, str] = {}
for intrinsic in FUNCTIONS:
    CUDA.setdefault(f"hc.{intrinsic.computes}", intrinsic.name)
CUDA["hc.divide(1, x)"] = next(i.name for i in FUNCTIONS if i.computes == "reciprocal")


def cuda_form(own: str) -> str:
    """Return the call in CUDA, or "" if its intrinsics have none."""
    if own in CUDA:
        return f"{CUDA[own]}(x)"
    call = re.fullmatch(r"(hc\.\w+)(\(.*\))", own)
    name = CUDA.get(call[1]) if call else None
    return f"{name}{call[2]}" if call and name else ""


def line(own: str, calls: tuple[str, ...]) -> str:
    cells = [own, *calls, cuda_form(own)]
    return f"| {' | '.join(f'`{cell}`' if cell else '' for cell in cells)} |\n"


def table() -> str:
    """Return the table with a line for each call."""
    titles = "halfcl", *LANGUAGES, "CUDA"
    head = f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|\n"
    return head + "".join(line(own, tuple(calls)) for own, *calls in SHADING)


if __name__ == "__main__":
    print_or_write(PAGE, MARKS, table())
