"""docs/reference/libraries.md: each line of its tables, with the libraries that are installed."""

import pkgutil
import re

import numpy as np
import numpy_calls
import pytest
from places import ROOT

import halfcl as hc
from halfcl import half

PAGE = ROOT / "docs" / "reference" / "libraries.md"
if not PAGE.exists():
    pytest.skip("the docs are not beside the tests", allow_module_level=True)

#: Call, types with half and with float16, and what to give in place of a, if anything.
ROW = re.compile(r"^\| `(.+?)` \| (\w+) \| (\w+) \| (?:`(.+?)`)? ?\|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))

A = half([1, 2, 4, 0.25, 3, 1])
K = np.array([0, 1, 0, 1, 2, 2])

pytestmark = pytest.mark.filterwarnings("ignore")


#: What some calls need beside the library that they name.
NEEDS = {".to_parquet(": "pyarrow", ".interp(": "scipy"}


def modules_of(call):
    """The libraries that a call names, with the modules of theirs that it names."""
    for part, needed in NEEDS.items():
        if part in call:
            pytest.importorskip(needed)
    found = {}
    for dotted in re.findall(r"[A-Za-z_]\w*(?:\.\w+)+", call):
        root = dotted.partition(".")[0]
        if root not in ("a", "k", "np"):
            found[root] = pytest.importorskip(root, minversion=numpy_calls.OLDEST.get(root))
            pkgutil.resolve_name(dotted)
    return found


def kind(call, a):
    """The dtype of what a call gives, or the name of a type that has none."""
    names = {**modules_of(call), "np": np, "half": half, "a": a, "k": K}
    result = eval(call, names)
    return str(getattr(result, "dtype", type(result).__name__))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")


def test_there_are_rows():
    tables = re.findall(r"^\| `", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(ROWS) == len(tables) > 60


@pytest.mark.parametrize(("call", "with_half", "with_float16", "instead"), ROWS)
def test_a_row(call, with_half, with_float16, instead):
    modules_of(call)
    for a, expected in ((A, with_half), (A.view(np.float16), with_float16)):
        with hc.accelerated():
            if expected == "refused":
                with pytest.raises(Exception):  # noqa: B017  each library's own
                    kind(call, a)
            else:
                assert kind(call, a) == expected
    assert bool(instead) == (with_half == "refused")
    if instead:
        kind(call, eval(instead, {"a": A, "np": np}))
