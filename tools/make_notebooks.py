"""Make the notebooks of examples/notebooks from the gallery's scripts.

    python tools/make_notebooks.py           names those that are not up to date
    python tools/make_notebooks.py --write   writes them

The scripts of docs/explanation/gallery_src/notebooks are the sources: Sphinx-Gallery runs them for
the site, and converts them here. Needs the extra `docs`. tests/project/test_notebooks.py asserts
that they are up to date, and runs them as Jupyter does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "docs" / "explanation" / "gallery_src" / "notebooks"
NOTEBOOKS = ROOT / "examples" / "notebooks"


def convert(script: Path) -> str:
    """Return a script as a notebook's text, of which nothing depends on this machine."""
    _, blocks = split_code_and_text_blocks(str(script))
    notebook = jupyter_notebook(blocks, {**DEFAULT_GALLERY_CONF}, str(script.parent))
    notebook["metadata"]["language_info"] = {"name": "python"}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def notebooks() -> Iterator[tuple[Path, str]]:
    """Yield each notebook's path and text."""
    for script in sorted(SCRIPTS.glob("plot_*.py")):
        yield NOTEBOOKS / f"{script.stem.removeprefix('plot_')}.ipynb", convert(script)


def main() -> int:
    stale = [
        (path, text)
        for path, text in notebooks()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        print(path.relative_to(ROOT))
        if "--write" in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return bool(stale) and "--write" not in sys.argv[1:]


if __name__ == "__main__":
    sys.exit(main())
