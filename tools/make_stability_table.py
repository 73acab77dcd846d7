"""Write the tables in docs/evidence/stability.md on how well reruns detect bad results.

    python tools/make_stability_table.py          prints them
    python tools/make_stability_table.py --write  writes them into the page

tests/stability/corpus has the programs, and what they are to give by MPFR (gmpy2).
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "evidence" / "stability.md"
sys.path.insert(0, str(ROOT / "tests" / "stability" / "corpus"))

#: The marks around the tables.
BEGIN, END = "<!-- made by tools/make_stability_table.py -->\n", "<!-- end -->\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    options = parser.parse_args()
    import measure

    text = "\n".join(measure.tables())
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
        PAGE.write_text(pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
