"""docs/reference/libraries.md: each line of its tables, with the libraries that are installed."""

import os
import pkgutil
import re
import subprocess
import sys

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
TYPE = r"(\w+(?: \([\d.]+\))?)"
ROW = re.compile(rf"^\| `(.+?)` \| {TYPE} \| {TYPE} \| (?:`(.+?)`)? ?\|$", re.MULTILINE)
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
    for dotted in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+", call):
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


#: Calls whose results with half are those with float16: what `halfcl._numpy.peers` lets take half.
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

#: And those of float32, since pandas' indexes refuse float16.
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


@pytest.mark.parametrize("scale", [1, 0.3, -(2.0**-20)])
@pytest.mark.parametrize(
    ("call", "other"), [*((c, np.float16) for c in SAME), *((c, np.float32) for c in WIDE)]
)
def test_the_same_numbers(call, other, scale):
    modules_of(call)
    values = (np.append(A[:5], 1 if "cut" in call else np.nan) * scale).astype(half)
    with np.errstate(all="ignore"):
        expected = numbers(call, values.astype(other))
        np.testing.assert_array_equal(numbers(call, values), expected)
        if "scipy" in call:  # pandas takes no other byte order
            swapped = values.astype(values.dtype.newbyteorder())
            np.testing.assert_array_equal(numbers(call, swapped), expected)


def test_strict_regions():
    """Numbers are looked up in them; transforms, which are float32's, are an error."""
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


@pytest.mark.parametrize(
    ("library", "call", "result", "error"),
    [
        ("pandas", "pandas.Series(a).groupby(k).sum().tolist()", "[5.0, 2.25, 4.0]", "No matching"),
        ("scipy.fft", "scipy.fft.fft(a)[0].real", "11.25", "unsupported data type"),
    ],
)
def test_imported_before_and_left_as_it_is(library, call, result, error):
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
    """The type in a cell: float64 where a library is older than the version beside it."""
    name, _, version = cell.removesuffix(")").partition(" (")
    if not version:
        return name
    (library,) = modules_of(call).values()
    numbers = [[int(n) for n in text.split(".")[:2]] for text in (library.__version__, version)]
    return name if numbers[0] >= numbers[1] else "float64"


@pytest.mark.parametrize(("call", "with_half", "with_float16", "instead"), ROWS)
def test_a_row(call, with_half, with_float16, instead):
    modules_of(call)
    with_half, with_float16 = (in_this_version(cell, call) for cell in (with_half, with_float16))
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
