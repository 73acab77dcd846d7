"""Tests of each row of docs/reference/libraries.md, with the libraries that are installed."""

import os
import pkgutil
import re
import subprocess
import sys

import numpy as np
import numpy_calls
import pytest
from exhaustive import one_in
from places import ROOT

import halfcl as hc
from halfcl import half

PAGE = ROOT / "docs" / "reference" / "libraries.md"
if not PAGE.exists():
    pytest.skip("the docs are not beside the tests", allow_module_level=True)

#: The call, the types of its results with half and float16, and an expression in place of a, or "".
TYPE = r"(\w+(?: \([\d.]+\))?)"
ROW = re.compile(rf"^\| `(.+?)` \| {TYPE} \| {TYPE} \| (?:`(.+?)`)? ?\|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))

A = half([1, 2, 4, 0.25, 3, 1])
K = np.array([0, 1, 0, 1, 2, 2])

pytestmark = pytest.mark.filterwarnings("ignore")


#: Libraries that calls need besides those that they name.
NEEDS = {".to_parquet(": "pyarrow", ".interp(": "scipy"}


def modules_of(call):
    """Import and return the libraries that a call names, and the modules in them."""
    for part, needed in NEEDS.items():
        if part in call:
            pytest.importorskip(needed)
    libraries = {}
    for dotted in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+", call):
        root = dotted.partition(".")[0]
        if root not in ("a", "k", "np"):
            libraries[root] = pytest.importorskip(root, minversion=numpy_calls.OLDEST.get(root))
            pkgutil.resolve_name(dotted)
    return libraries


def kind(call, a):
    """Return the dtype of a call's result, or the name of a type without one."""
    names = {**modules_of(call), "np": np, "half": half, "a": a, "k": K}
    result = eval(call, names)
    return str(getattr(result, "dtype", type(result).__name__))


#: Calls whose results with half are those with float16, due to `halfcl._numpy.other_libraries`.
SAME = [
    *(
        f"pandas.Series(a).groupby(k).{name}()"
        for name in """sum mean max min prod var std first last
    cumsum cumprod cummax cummin rank idxmax sem ohlc""".split()
    ),
    "pandas.Series(a).groupby(k).agg(['sum', 'mean'])",
    "pandas.DataFrame({'k': k, 'x': a}).groupby('k').mean()",
    "scipy.fft.fft(a)",
    "scipy.fft.irfftn(scipy.fft.rfftn(a.reshape(2, 3)))",
    "scipy.fft.dct(a[::-2])",
    "scipy.signal.fftconvolve(a, a)",
]

#: Calls whose results with half are those with float32, since pandas' indexes refuse float16.
WIDE = [
    "pandas.Index(a)",
    "pandas.Series(k).groupby(a).sum().reset_index()",
    "pandas.cut(pandas.Series(a), 3).cat.codes",
    "pandas.get_dummies(pandas.Series(a))",
    "pandas.Series(k, index=a).loc[a[1]]",
    "pandas.DataFrame({'x': a, 'y': k}).merge(pandas.DataFrame({'x': a[::-1], 'z': k}))",
]


def numbers(call, a):
    result = eval(call, {**modules_of(call), "np": np, "a": a, "k": K})
    return np.asarray(result, complex if np.iscomplexobj(result) else float)


@one_in(2)
@pytest.mark.parametrize("scale", [1, 0.3, -(2.0**-20)])
@pytest.mark.parametrize(
    ("call", "other"), [*((c, np.float16) for c in SAME), *((c, np.float32) for c in WIDE)]
)
def test_results_are_those_of_other_type(call, other, scale):
    modules_of(call)
    values = (np.append(A[:5], 1 if "cut" in call else np.nan) * scale).astype(half)
    with np.errstate(all="ignore"):
        expected = numbers(call, values.astype(other))
        np.testing.assert_array_equal(numbers(call, values), expected)
        if "scipy" in call:  # pandas does not support other byte orders
            swapped = values.astype(values.dtype.newbyteorder())
            np.testing.assert_array_equal(numbers(call, swapped), expected)


def test_strict_regions():
    """Check that lookups work in strict regions, and that transforms, in float32, raise."""
    pandas = pytest.importorskip("pandas", minversion="3.1")
    with hc.rounding("rtp", strict=True):
        assert pandas.Series(A).groupby(K).sum().tolist() == [5, 2.25, 4]
        assert pandas.Series(K, index=A).loc[4] == 0
        fft = pytest.importorskip("scipy.fft")
        with pytest.raises(TypeError, match="strict region"):
            fft.fft(A)


IMPORTED_BEFORE = """
import numpy as np
import {library}
a = [1, 2, 4, 0.25, 3, 1]
import halfcl as hc
a = hc.half(a)
k = [0, 1, 0, 1, 2, 2]
try:
    print({call})
except (TypeError, RuntimeError) as error:
    print(error)
"""


@one_in(2)
@pytest.mark.parametrize(
    ("library", "call", "result", "error"),
    [
        ("scipy.fft", "scipy.fft.fft(a)[0].real", "11.25", "unsupported data type"),
        ("pandas", "pandas.Series(a).groupby(k).sum().tolist()", "[5.0, 2.25, 4.0]", "No matching"),
    ],
)
def test_library_imported_before_halfcl(library, call, result, error):
    pytest.importorskip(library)
    code = IMPORTED_BEFORE.format(library=library, call=call)
    for setting, expected in (("taught", result), ("plain", error)):
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "HALFCL_NUMPY": setting}
        out = subprocess.check_output(
            [sys.executable, "-c", code], env=os.environ | environment, text=True
        )
        assert out.startswith(expected)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")


def test_there_are_rows():
    tables = re.findall(r"^\| `", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(ROWS) == len(tables) > 60


def in_this_version(cell, call):
    """Return the type in a cell: float64 if the library is older than the version after it."""
    name, _, version = cell.removesuffix(")").partition(" (")
    if not version:
        return name
    (library,) = modules_of(call).values()
    numbers = [[int(n) for n in text.split(".")[:2]] for text in (library.__version__, version)]
    return name if numbers[0] >= numbers[1] else "float64"


@pytest.mark.parametrize(("call", "with_half", "with_float16", "instead"), ROWS)
def test_row_of_table(call, with_half, with_float16, instead):
    modules_of(call)
    with_half, with_float16 = (in_this_version(cell, call) for cell in (with_half, with_float16))
    for a, expected in ((A, with_half), (A.view(np.float16), with_float16)):
        with hc.accelerated():
            if expected == "refused":
                with pytest.raises(Exception):  # noqa: B017  any library's
                    kind(call, a)
            else:
                assert kind(call, a) == expected
    assert bool(instead) == (with_half == "refused")
    if instead:
        kind(call, eval(instead, {"a": A, "np": np}))
