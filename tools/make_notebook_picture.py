"""Draw docs/pictures/notebook.png: results of halfcl as a notebook shows them.

python tools/make_notebook_picture.py

Needs nbconvert, ipykernel and Pillow, and Chromium on the path.
"""

import tempfile
from pathlib import Path

import nbformat
from make_program_pictures import ROOT, draw
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor

CELLS = """
import numpy as np
import halfcl as hc
from halfcl import half, stability
from halfcl.interval import Interval

def root(b, c):
    return (b - np.sqrt(b * b - 4 * c)) / 2

b, c = half([3, 30, 100]), half(1)
---
stability.rerun(root, b, c)
---
stability.blame(root, b, c)
---
Interval(b) / 3
---
y, x = np.mgrid[:100, :240]
light = half(np.stack([x / 200, y / 100, 1 - x / 240], axis=-1))
hc.io.Picture(dict(zip("RGB", np.moveaxis(light, -1, 0))))
"""


def main():
    """Execute the cells, and draw them in the style of JupyterLab."""
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in CELLS.split("---")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    ExecutePreprocessor(kernel_name="python3").preprocess(notebook)
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    path = ROOT / "docs" / "pictures" / "notebook.png"
    with tempfile.TemporaryDirectory() as name:
        draw(page, path, Path(name), colours=None)
    print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
