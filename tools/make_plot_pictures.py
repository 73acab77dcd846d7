"""Draw docs/pictures/plots_*.png, by the code of docs/howto/plots.md.

python tools/make_plot_pictures.py [folder]

A picture on the page shows the axes that the code above it names `ax`.
"""

import doctest
import re
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "howto" / "plots.md"
PARTS = re.compile(
    r"^```python\n(?P<code>.*?)^```|^!\[.*?\]\(\.\./pictures/(?P<name>.*?)\)",
    re.DOTALL | re.MULTILINE,
)


def main():
    folder = Path(sys.argv[1]) if sys.argv[1:] else DOCS / "pictures"
    namespace = {}
    for part in PARTS.finditer(PAGE.read_text(encoding="utf-8")):
        if part["name"]:
            namespace["ax"].figure.savefig(folder / part["name"], dpi=110)
            continue
        for example in doctest.DocTestParser().get_examples(part["code"]):
            exec(example.source, namespace)


if __name__ == "__main__":
    main()
