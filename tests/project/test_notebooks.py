"""Tests of the notebooks in examples/notebooks."""

import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import left_out

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))

#: What each notebook shows besides its pictures.
TABLES = {"audit_a_library": 2, "enclose_a_result": 1, "rounding_lecture": 3}

#: What their texts say, and their cells print.
PRINTED = {"rounding_lecture": ["rte 256.0", "rtz 128.0"]}


def outputs_of(notebook):
    """Return all outputs of a notebook's cells."""
    return [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]


@left_out("the site's build runs the same scripts, and .ci/run these beside it")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_shows_pictures_and_tables(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    outputs = outputs_of(notebook)
    assert not [o for o in outputs if o.get("name") == "stderr"]
    kinds = [kind for o in outputs for kind in o.get("data", ())]
    assert "image/png" in kinds
    assert kinds.count("text/html") >= TABLES.get(path.stem, 0)
    printed = "".join(o.text for o in outputs if o.get("name") == "stdout").splitlines()
    assert set(PRINTED.get(path.stem, ())) <= set(printed)
    assert not list(tmp_path.iterdir())


def test_notebooks_are_those_of_the_gallery():
    pytest.importorskip("sphinx_gallery", reason="the extra docs converts them")
    tool = [sys.executable, ROOT / "tools" / "make_notebooks.py"]
    stale = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert stale.returncode == 0, stale.stdout + stale.stderr
    assert len(NOTEBOOKS) == 5
