"""Types for editors and type checkers: the stub, and `inspect.signature`."""

import ast
import importlib.util
import inspect
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from exhaustive import left_out
from places import ROOT, TESTS
from type_checkers import command_of, run_mypy

import halfcl as hc

HERE = TESTS / "data"


def make_stubs():
    """Return the generator as a module."""
    spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "tools" / "make_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_stub(path):
    return (Path(hc.__file__).parent / path).read_text(encoding="utf-8")


def names_in_stub(text):
    """Return the public names that a stub declares or exports, each of them once."""
    declared = re.findall(r"^(?:class |def )?(\w+)[:(]", text, re.M)
    exported = re.findall(r"^from .* import (\w+) as \1$", text, re.M)
    names = [name for name in (*declared, *exported) if not name.startswith("_")]
    assert len(set(names)) == len(names)
    return set(names)


def test_stubs_are_up_to_date():
    for path, text in make_stubs().stubs().items():
        assert read_stub(path) == text, "build the package again"


def test_editors_offer_the_names_of_dir():
    """Jedi, which IPython and other editors run, reads the source besides the stub."""
    jedi = pytest.importorskip("jedi")
    offered = {c.name for c in jedi.Script("import halfcl as hc\nhc.").complete()}
    public = {name for name in offered if not name.startswith("_")}
    assert public | {"__version__"} == set(dir(hc)) | set(hc._PARTS)


def test_words_are_not_offered():
    """The words that name a vector's components are too many for an editor's list."""
    jedi = pytest.importorskip("jedi")
    offered = {c.name for c in jedi.Script("import halfcl as hc\nhc.half4(1).").complete()}
    assert {"x", "lo", "reshape"} <= offered and not {"xy", "wzyx", "rgb"} & offered


def test_stub_declares_the_names_of_dir():
    """Names by rule come from the stub's `__getattr__`, so that editors do not offer them."""
    without_extras = set(dir(hc)) | set(hc._PARTS)
    assert names_in_stub(read_stub("__init__.pyi")) | {"__version__"} == without_extras


def test_stub_of_vectors_declares_all_vectors():
    assert names_in_stub(read_stub("vectors/__init__.pyi")) == {
        *hc.vectors.__all__,
        *hc.vectors.TYPES,
    }


def test_stub_of_vectors_has_the_names_of_all():
    names = re.search(r"^__all__ = (\[.*?\])", read_stub("vectors/__init__.pyi"), re.M | re.S)[1]
    assert sorted(ast.literal_eval(names)) == sorted(hc.vectors.__all__)


def test_stub_of_the_extension_declares_what_there_is():
    names = [
        name for name in names_in_stub(read_stub("_core/__init__.pyi")) if not name.startswith("_")
    ]
    assert len(names) > 90
    assert [name for name in names if not hasattr(hc._core, name)] == []


# ---------------------------------------------------------------- a type checker's view


def mypy(*files):
    """Return {(file, line): codes} of the errors that mypy finds."""
    result = run_mypy(*files, folder=HERE)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    errors = {}
    for file, line, code in re.findall(r"^(\S+):(\d+): error: .*\[(.*)\]$", result.stdout, re.M):
        errors.setdefault((file, int(line)), set()).add(code)
    return errors


def announced_errors(file):
    """Return {(file, line): codes} of the errors that a file's comments announce."""
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    return {
        (file, number): {line.rpartition("  # ")[2]}
        for number, line in enumerate(lines, 1)
        if "  # " in line
    }


FILES = ("typing_example.py", "typing_errors.py")

by_mypy = left_out("ten seconds of mypy; .ci/run has it among what editors are told")
by_pyright = left_out("ten seconds of Pyright; .ci/run has it among what editors are told")


@pytest.fixture(scope="module")
def mypy_errors(matrix):
    """Return the errors that mypy finds in all files, of which each run reads NumPy's types."""
    return mypy(*FILES, str(matrix[0]))


@pytest.fixture(scope="module")
def pyright_errors(matrix):
    """Return the errors that Pyright finds in all files."""
    return pyright(*FILES, str(matrix[0]))


@by_mypy
def test_type_checker(mypy_errors):
    """mypy accepts all of one file, and rejects every call in the other."""
    assert len(announced_errors("typing_errors.py")) > 10
    errors = {place: codes for place, codes in mypy_errors.items() if place[0] in FILES}
    assert errors == announced_errors("typing_errors.py")


def pyright(*files):
    """Return {(file, line)} of the errors that Pyright finds, which editors run."""
    command = [*command_of("basedpyright"), "--level", "error", "--outputjson"]
    result = subprocess.run(
        [*command, "--pythonpath", sys.executable, *files],
        cwd=HERE, capture_output=True, text=True,
    )  # fmt: skip
    return {
        (Path(error["file"]).name, error["range"]["start"]["line"] + 1)
        for error in json.loads(result.stdout)["generalDiagnostics"]
        if error["severity"] == "error"
    }


@by_pyright
def test_editors_view(pyright_errors):
    """Pyright accepts and rejects the same lines."""
    errors = {place for place in pyright_errors if place[0] in FILES}
    assert errors == announced_errors("typing_errors.py").keys()


#: Values, and functions of one. Which of them a function accepts depends on the type alone.
VALUES = """
1.5
2
True
half(1)
np.float16(1)
np.float32(1)
np.int8(1)
np.uint8(1)
np.int16(1)
np.int64(1)
np.bool_(True)
"1"
b"1"
1j
None
Fraction(1, 3)
[1.5, 2]
[1, 2]
[True, False]
(1, 2)
[[1, 2], [3, 4]]
[half(1), half(2)]
[np.float16(1)]
["1", "2"]
[1j]
{1: 2.0}
{1.5}
np.ones(2, half)
np.ones(2, np.float16)
np.ones(2, np.float32)
np.ones(2, np.float64)
np.ones(2, np.bool_)
np.ones(2, np.int8)
np.ones(2, np.uint8)
np.ones(2, np.int16)
np.ones(2, np.uint16)
np.ones(2, np.int32)
np.ones(2, np.int64)
np.ones(2, np.complex128)
[np.ones(2, half)]
[np.ones(2)]
hc.half2(1)
vectors.char2(1)
vectors.uchar2(1)
memoryview(np.ones(2, np.float16))
Interval(1)
""".strip().splitlines()
FUNCTIONS = """
hc.exp(x)
hc.frexp(x)
hc.ilogb(x)
hc.isnan(x)
hc.add(1, x)
hc.isless(x, x)
hc.fma(x, 1, x)
hc.sum(x)
hc.cumsum(x)
hc.vdot(x, 1)
hc.length(x)
hc.pown(1.5, x)
hc.from_unorm8(x)
hc.nan(x)
hc.any(x)
hc.parse(x)
half(x)
hc.convert(x)
""".strip().splitlines()

#: Calls about which type checkers are wrong. To them a vector is an array of any type, and so is a
#: list of numbers to conversions.
KNOWN = {
    **dict.fromkeys(("hc.half2(1)", "vectors.char2(1)", "vectors.uchar2(1)"), (
        "hc.pown(1.5, x)", "hc.from_unorm8(x)", "hc.nan(x)", "hc.any(x)", "hc.parse(x)"
    )),
    "[1j]": ("half(x)", "hc.convert(x)"),
    "np.ones(2, np.complex128)": ("hc.convert(x)",),
    "None": ("hc.convert(x)",),
}  # fmt: skip


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    """Return a file with calls of all functions of all values, and those that run, by line."""
    head = (
        "from fractions import Fraction\n\nimport numpy as np\n\nimport halfcl as hc\n"
        "from halfcl import half, vectors\nfrom halfcl.interval import Interval\n"
    )
    lines, calls, names = head.splitlines(), {}, {}
    exec(head, names)
    for number, value in enumerate(VALUES):
        lines.append(f"x{number} = {value}")
        for call in FUNCTIONS:
            lines.append(call.replace("x)", f"x{number})").replace("(x,", f"(x{number},"))
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                    eval(call, {**names, "x": eval(value, names)})
                calls[len(lines)] = value, call, True
            except (TypeError, ValueError):
                calls[len(lines)] = value, call, False
    path = tmp_path_factory.mktemp("matrix") / "calls.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path, calls


def errors_of_checker(errors, calls):
    """Return the calls that are refused although they run, or accepted although they do not."""
    refused = {line for file, line in errors if file not in FILES}
    return [
        (value, call)
        for line, (value, call, runs) in calls.items()
        if runs == (line in refused) and call not in KNOWN.get(value, ())
    ]


@by_mypy
def test_type_checker_accepts_what_runs(matrix, mypy_errors):
    """A type checker accepts a call if and only if it runs."""
    _, calls = matrix
    assert sum(runs for *_, runs in calls.values()) > 200
    assert errors_of_checker(mypy_errors, calls) == []


@by_pyright
def test_editors_view_accepts_what_runs(matrix, pyright_errors):
    assert errors_of_checker(pyright_errors, matrix[1]) == []


def test_example_runs():
    """The code that the type checker accepts also runs."""
    source = (HERE / "typing_example.py").read_text(encoding="utf-8")
    exec(compile(source, "typing_example.py", "exec"), {"__name__": "typing_example"})


# ---------------------------------------------------------------- inspect.signature

UFUNC = {"casting": "same_kind", "order": "K", "dtype": None, "subok": True}


def rows():
    return [row for row in hc._tables.TABLE if row.public]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_signature_of_a_function(row):
    function = getattr(hc, row.name)
    signature = inspect.signature(function)
    parameters = signature.parameters
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_ONLY]
    assert positional == list(row.argument_names) and len(positional) == function.nin
    assert parameters["rounding"].default is None
    # The function accepts the signature's defaults.
    vectors = np.ones((2, 3), hc.half)
    arguments = [vectors if letter == "e" else 1 for letter in row.inputs]
    keywords = {p.name: p.default for p in parameters.values() if p.default is not p.empty}
    with np.errstate(all="ignore"):
        results = function(*arguments), function(*arguments, **keywords)
    assert [np.asarray(r).tobytes() for r in results] == [np.asarray(results[0]).tobytes()] * 2
    assert keywords.items() >= UFUNC.items()
    for bad in ("rouding", "axes" if row.signature == "" else "where"):
        with pytest.raises(TypeError):
            signature.bind(*arguments, **{bad: None})
        with pytest.raises(TypeError):
            function(*arguments, **{bad: None})
    # The docstring's first line is the signature, shortened.
    first = inspect.getdoc(function).partition("\n")[0]
    assert first == f"{row.name}{str(signature).partition(', casting')[0]}, ...)"


@pytest.mark.parametrize(
    ("names", "parameters"),
    [
        (["convert_int", "convert_half", "convert_uchar_sat", "convert_float4"],
         ["x", "out", "rounding", "where", *UFUNC]),
        (["convert_int4_rtz", "convert_half2_rtn"], ["x", "out", "where", *UFUNC]),
        (["as_half", "as_ushort4"], ["x"]),
        (["vload4", "vload_half", "vloada_half3"], ["offset", "p", "out"]),
        (["vstore4", "vstore_half_rtz"], ["data", "offset", "p"]),
        (["vstore_half", "vstorea_half3"], ["data", "offset", "p", "rounding"]),
        (["select", "bitselect"], ["a", "b", "c", "out", "where"]),
        (["any", "all"], ["x", "axis", "keepdims"]),
    ],
)  # fmt: skip
def test_signatures_of_others(names, parameters):
    for name in names:
        assert list(inspect.signature(getattr(hc, name)).parameters) == parameters


def test_everything_has_a_signature():
    # Before NumPy 2.4 ufuncs have none.
    unknown = (type, np.ufunc) if not hasattr(np.add, "__signature__") else type
    for name in hc._reachable():
        thing = getattr(hc, name)
        if callable(thing) and not isinstance(thing, unknown):
            assert inspect.signature(thing) is not None, name


# ---------------------------------------------------------------- how much is Any


@left_out("seconds; .ci/run has it among what editors are told")
@pytest.mark.skipif(not (ROOT / "tools").exists(), reason="the sources are not beside the tests")
def test_the_share_of_any_does_not_grow():
    """It is to fall below 5 %: lower the bound with it."""
    command = [sys.executable, ROOT / "tools" / "any_share.py", "--most", "2"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["vectors", "reductions", "typing", "testing"])
def test_submodules_can_be_imported(name):
    assert importlib.import_module(f"halfcl.{name}").__name__ == f"halfcl.{name}"
