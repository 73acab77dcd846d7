"""Targets by name, callables, conversions and vectors; and their failures."""

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exhaustive import either, in_turn, one_in, shared_out

import halfcl as hc
from halfcl import audit, testing
from halfcl._command import main
from halfcl.audit._families import conversions, vectors
from halfcl.audit._results import exact, mistakes
from halfcl.audit._results.exact import ROWS
from halfcl.audit._targets import numpy_float16

# see pyproject markers
pytestmark = pytest.mark.once


def halfcl_function(name, rounding="rte"):
    """Return halfcl's own function in one mode, without warnings."""

    def function(*arguments):
        return exact.right(name, arguments, rounding)[0]

    return function


class CustomTarget:
    """A target with these functions, conversions and functions of vectors."""

    def __init__(self, functions=None, converted=(), of_vectors=None):
        self._parts = functions or {}, converted, of_vectors or {}

    def describe(self):
        return audit.TargetInfo("own", "halfcl", hc.__version__, "here")

    def functions(self):
        return self._parts[0]

    def conversions(self):
        return self._parts[1]

    def vectors(self):
        return self._parts[2]


# ---------------------------------------------------------------- NumPy


@shared_out
def test_audit_of_numpy():
    """NumPy's functions compute in float and round once more, or have kernels of a few ulps."""
    names = list(audit._targets.find("numpy").functions())
    assert {"exp", "pow", "modf", "ldexp", "isnan", "hypot", "fmax", "nextafter"} <= set(names)
    selected = [n for n in names if ROWS[n].nin == 1 and n != "rsqrt"]
    selected += ["add", "pow", *either(["multiply", "divide", "fmod", "isless"], [])]
    report = audit.run("numpy", [*selected, "convert_half", "convert_int", "convert_float"])
    assert not report.failed and not report.unsupported
    exact = {"add", "multiply", "divide", "sqrt", "fmod", "rint", "isless", "degrees"}
    for name in exact.intersection(selected):
        assert report[name].wrong == 0, name
    for function in report.functions:
        assert function.max_ulp < 5 and function.tested > 200, function.label
        if function.name.startswith("convert"):
            assert function.wrong == 0, function.label
    assert report.target.version == np.__version__
    assert report["exp"].spelled == "np.exp" and report["pow"].spelled == "np.power"


def test_accelerated_numpy_is_refused():
    with (
        hc.accelerated(),
        pytest.raises(audit.TargetError, match=r"call halfcl.decelerate\(\) first"),
    ):
        audit.run("numpy", ["exp"])


def test_counts_of_wrong_results_of_numpy():
    """The number of wrong results equals a count without the audit."""
    report = audit.run("numpy", ["exp", "sin"])
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for name in ("exp", "sin"):
        with np.errstate(all="ignore"):
            differ = getattr(np, name)(x).view(np.uint16) != halfcl_function(name)(x).view(
                np.uint16
            )
        assert report[name].wrong == np.sum(differ & ~np.isnan(halfcl_function(name)(x)))


# ---------------------------------------------------------------- conversions


@one_in(3)
@shared_out
@in_turn
@pytest.mark.parametrize("source", numpy_float16.NUMBER_TYPES)
@pytest.mark.parametrize("rounding", either(hc.MODES, hc.MODES[:2]))
def test_conversions_to_half(source, rounding):
    def convert(x):
        with np.errstate(all="ignore"):
            return hc.convert(x, np.float16, rounding=rounding)

    one = audit.Conversion("f", convert, rounding, source=source)
    report = audit.run(CustomTarget(converted=[one])).functions[0]
    assert (report.wrong, report.verdicts[0]) == (0, "correct") and report.tested >= 256
    assert report.exhaustive == (np.dtype(source).itemsize <= 2)
    other = "rtp" if rounding != "rtp" else "rtz"
    wrong = audit.Conversion("f", convert, other, source=source)
    report_of_wrong = audit.run(CustomTarget(converted=[wrong])).functions[0]
    exact_all = np.dtype(source).itemsize == 1  # nothing to round
    assert (report_of_wrong.wrong == 0) == exact_all
    if np.dtype(source).itemsize > 2:
        assert {mistakes.ROUNDING} <= set(report_of_wrong.mistakes)


def test_double_rounding_is_found():
    """A conversion by way of float is wrong just beside ties."""

    def through_float(x):
        with np.errstate(all="ignore"):
            return x.astype(np.float32).astype(np.float16)

    call = audit.Conversion("f", through_float, source="float64")
    report = audit.run(CustomTarget(converted=[call])).functions[0]
    assert set(report.mistakes) == {mistakes.ROUNDING, mistakes.INFINITY_FOR_NUMBER}
    assert report.wrong > 60_000 and report.max_ulp < 0.5001
    assert report.name == "convert_half(double)"


@pytest.mark.parametrize("source", ["float32", "float64"])
def test_finds_nans_that_become_infinities(source):
    """A NaN with low bits only becomes an infinity when truncated to half's ten bits."""
    low = {"float32": 13, "float64": 42}[source]

    def truncate(x):
        with np.errstate(all="ignore"):
            halves = x.astype(np.float16)
        payload = mistakes.bits(x) & ((1 << np.finfo(source).nmant) - 1)
        halves[np.isnan(x) & (payload >> low == 0)] = np.inf
        return halves

    call = audit.Conversion("cut_off", truncate, source=source)
    report = audit.run(CustomTarget(converted=[call])).functions[0]
    assert dict(report.mistakes) == {mistakes.NUMBER_FOR_NAN: 2 * low}
    assert report.verdicts == ("beyond", "beyond")


def test_finds_flushed_loads():
    """Simulate vload_half on a device without subnormal numbers."""

    def load(x):
        wide = x.astype(np.float32)
        return np.where(mistakes.is_subnormal(x), np.copysign(np.float32(0), wide), wide)

    call = audit.Conversion("f", load, source="float16", destination="float32")
    report = audit.run(CustomTarget(converted=[call])).functions[0]
    assert report.mistakes == {mistakes.ARGUMENT_FLUSHED: 2046}
    assert report.verdicts[0] == "flushes" and report.name == "convert_float(half)"


@pytest.mark.parametrize("destination", ["int8", "uint8", "int32", "int64"])
def test_conversions_to_integers(destination):
    """Numbers beyond an integer's range are tested for saturating conversions only."""
    nearest = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}
    limits = np.iinfo(destination)
    for saturate in (False, True):
        for rounding in hc.MODES:

            def convert(x, rounding=rounding, saturate=saturate):
                with np.errstate(all="ignore"):
                    integers = nearest[rounding](x.astype(np.float64))
                    converted = hc.convert(x, destination, rounding=rounding, saturate=saturate)
                fits = (integers >= float(limits.min)) & (integers <= float(limits.max))
                return converted if saturate else np.where(fits, converted, 77).astype(destination)

            call = audit.Conversion("f", convert, rounding, source="float16",
                                    destination=destination, saturate=saturate)  # fmt: skip
            report = audit.run(CustomTarget(converted=[call])).functions[0]
            assert report.wrong == 0 and (report.tested == 1 << 16) == saturate
    x = conversions._inputs(call, np.random.default_rng(0))
    assert np.isnan(x).any()


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "convert_half(float)"),
        ({"rounding": "rtz"}, "convert_half_rtz(float)"),
        ({"source": "float16", "destination": "int32", "rounding": "rtz"}, "convert_int(half)"),
        (
            {"source": "float16", "destination": "uint8", "saturate": True},
            "convert_uchar_sat_rte(half)",
        ),
    ],
)
def test_names_of_conversions(fields, name):
    assert conversions.name(audit.Conversion("f", abs, **fields)) == name


# ---------------------------------------------------------------- vectors


@shared_out
@pytest.mark.parametrize(
    "name", either(["length", "distance", "normalize", "dot", "cross"], ["distance", "cross"])
)
def test_functions_of_vectors(name):
    widths = (3, 4) if name == "cross" else (2, 3, 4, 16)
    call = audit.Call(f"hc.{name}", halfcl_function(name), widths=widths)
    report = audit.run(CustomTarget(of_vectors={name: call}))
    assert [f.label for f in report.functions] == [f"{name}.half{width}" for width in widths]
    for function, width in zip(report.functions, widths, strict=True):
        assert function.wrong == 0 and function.tested >= 6 * vectors._COUNT
        assert len(function.types) == width * ROWS[name].nin
        assert function.max_ulp <= 0.5


def test_finds_overflow_in_naive_lengths():
    """Squares in half overflow and underflow: infinities, zeros and large errors are found."""

    def length(x):
        with np.errstate(all="ignore"):
            return np.sqrt((x * x).sum(axis=1, dtype=np.float16))

    call = audit.Call("f", length, widths=(3,))
    report = audit.run(CustomTarget(of_vectors={"length": call})).functions[0]
    assert {mistakes.INFINITY_FOR_NUMBER, mistakes.INACCURATE} <= set(report.mistakes)
    assert report.limits[0] == 1.75 and report.verdicts == ("beyond", "open")
    case = report.worst[0]
    assert len(case.arguments) == 3 and case.right != case.got


def test_limits_of_dot_products():
    """The absolute limit for sums of products in half is counted here by its formula."""

    def dot(x, y):
        with np.errstate(all="ignore"):
            return (x * y).sum(axis=1, dtype=np.float16)

    call = audit.Call("f", dot, widths=(4,))
    report = audit.run(CustomTarget(of_vectors={"dot": call})).functions[0]
    assert report.mistakes[mistakes.INACCURATE] and report.max_ulp > 1000  # of sums that cancel
    halves = vectors._vectors(2, 4, np.random.default_rng([0, 4, *b"dot"]))
    with np.errstate(invalid="ignore"):  # signalling NaNs, which Arm reports
        x, y = (v.astype(float) for v in halves)
    got, right = dot(*(v.astype(np.float16) for v in (x, y))), halfcl_function("dot")(*(
        v.astype(np.float16) for v in (x, y)
    ))  # fmt: skip
    greatest = np.maximum(np.abs(x).max(axis=1), np.abs(y).max(axis=1))
    with np.errstate(all="ignore"):
        error = np.abs(got - (x * y).sum(axis=1))
        numbers = np.isfinite(got) & np.isfinite(right) & (got.astype(float) != right)
        beyond = np.sum(numbers & (error > 7 * greatest**2 * 2.0**-10))
    others = sum(report.mistakes.get(kind, 0) for kind in mistakes.NOT_NUMBERS)
    zeros = report.mistakes[mistakes.ZERO_SIGN]
    assert beyond > 100 and beyond + others - 2 <= report.beyond[0] <= beyond + others + zeros


def test_finds_one_wrong_component():
    """Only the last component of normalize is wrong; the case has the whole vector."""

    def normalize(x):
        vectors_ = halfcl_function("normalize")(x).copy()
        vectors_[:, -1] = np.where(vectors_[:, -1] == 1, np.float16(0.5), vectors_[:, -1])
        return vectors_

    report = audit.run(
        CustomTarget(of_vectors={"normalize": audit.Call("f", normalize, widths=(2,))})
    )
    case = report.functions[0].worst[0]
    vector = np.array(case.arguments, np.uint16).view(np.float16)
    assert (case.got, case.right) == (0x3800, 0x3C00) and vector[1] > 0
    assert halfcl_function("normalize")(vector)[1] == 1


# ---------------------------------------------------------------- callables


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "my_halves.py").write_text(
        "import numpy as np\n"
        "import halfcl as hc\n"
        "__version__ = '1.2'\n"
        "class Fast:\n"
        "    sqrt = staticmethod(np.sqrt)\n"
        "def exp(x): return hc.exp(x)\n"
        "def radians(x): return x / np.float16(57.3)\n"
        "def shorter(x): return x[1:]\n"
        "def wider(x): return x.astype(np.float32)\n"
        "def raising(x): raise ValueError('no\\nsuch thing')\n"
        "def writing(x):\n    x[0] = 5\n    return hc.exp(x)\n"
        "def nans(x): return np.full_like(x, np.nan)\n"
        "def two(x): return x, x\n"
        "def nothing(x): pass\n"
        "def leaving(x): raise SystemExit(0)\n"
        "def greedy(x): raise MemoryError\n"
        "class Device:\n"
        "    def __array__(self, *a, **k): raise TypeError('call .get()')\n"
        "def elsewhere(x): return Device()\n"
        "number = 3\n"
    )
    (tmp_path / "broken_halves.py").write_text("import no_such_module_at_all\n")
    yield "my_halves"
    sys.modules.pop("my_halves", None)


def test_audit_of_callables(module):
    report = audit.run(f"{module}:exp=exp,Fast.sqrt=sqrt")
    assert [f.label for f in report.functions] == ["exp", "sqrt"]
    assert report["sqrt"].spelled == "my_halves.Fast.sqrt" and report["sqrt"].wrong == 0
    assert (report.target.name, report.target.version) == ("my_halves", "1.2")


WRONG_CALLABLES = {
    "shorter": "my_halves.shorter: expected an array of shape (65536,), got (65535,)",
    "wider": "my_halves.wider: expected an array of float16, got float32",
    "raising": "my_halves.raising: raised ValueError: no",
    "writing": "my_halves.writing: argument 1: expected no writes, got other elements",
    "nans": "my_halves.nans: expected some numbers, got only NaN and infinities",
    "two": "my_halves.two: expected 1 results, got 2",
    "nothing": "my_halves.nothing: expected an array of shape (65536,), got ()",
    "leaving": "my_halves.leaving: raised SystemExit: 0",
    "greedy": "my_halves.greedy: raised MemoryError",
    "elsewhere": "my_halves.elsewhere: expected an array, got Device: TypeError: call .get()",
}


@pytest.mark.parametrize("name", WRONG_CALLABLES)
def test_wrong_callables_are_reported(module, name, capsys):
    """Each failure is one line; other functions are audited nevertheless."""
    report = audit.run(f"{module}:{name}=exp,Fast.sqrt=sqrt")
    assert report.failed == {"exp": WRONG_CALLABLES[name]}
    assert [f.label for f in report.functions] == ["sqrt"] and report.status() == 2
    assert main(["audit", f"{module}:{name}=exp"]) == 2
    out, err = capsys.readouterr()
    assert err == f"halfcl audit: exp: {WRONG_CALLABLES[name]}\n"
    assert "Nothing was audited. 1 failed." in out


WRONG_TARGETS = {
    "nompy": "target: expected one of numpy, torch[:device], ",
    "": "target: expected one of numpy, ",
    "numpy:cpu": "target: expected nothing after numpy, got 'cpu'",
    "my_halves:exp": "target: expected one of numpy",
    "my_halves=exp": 'target: expected "module:function=exp"',
    "my_halves:exp=exq": "target: expected one of halfcl's functions after =, got 'exp=exq'",
    "my_halves:exp=exp,": "target: expected one of halfcl's functions after =, got ''",
    "my_halves:expo=exp": "target: expected a function of 'my_halves', got 'expo'",
    "my_halves:number=exp": "target: expected a function of 'my_halves', got 'number'",
    "no_halves:exp=exp": "target: expected a module that can be imported, got 'no_halves': "
    "ModuleNotFoundError: No module named 'no_halves'",
    "broken_halves:exp=exp": "target: expected a module that can be imported, got 'broken_halves': "
    "ModuleNotFoundError: No module named 'no_such_module_at_all'",
}


@pytest.mark.parametrize("name", WRONG_TARGETS)
def test_unknown_targets_are_refused(module, name, capsys):
    with pytest.raises(audit.TargetError) as error:
        audit.run(name)
    assert str(error.value).startswith(WRONG_TARGETS[name]) and "\n" not in str(error.value)
    assert main(["audit", name]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err == f"halfcl audit: {error.value}\n"


@pytest.mark.parametrize("target", [3, None, np])
def test_other_objects_are_no_targets(target):
    with pytest.raises(TypeError, match="target: expected a name, a function, or an object with"):
        audit.run(target)


def test_single_function_as_target():
    assert audit.run(np.sqrt)["sqrt"].wrong == 0
    report = audit.run(halfcl_function("exp"), "exp")
    assert report["exp"].wrong == 0 and report["exp"].tested == 1 << 16
    for function, names, got in ((np.arcsin, None, "arcsin"), (np.sqrt, ["sqrt", "exp"], "sqrt,")):
        with pytest.raises(ValueError, match=rf"functions: expected one of .* computes, got {got}"):
            audit.run(function, names)


def test_functions_of_tensors_are_answered():
    """PyTorch's functions take no arrays; the error has what makes them do so."""

    def erf(x):
        raise TypeError("erf(): argument 'input' (position 1) must be Tensor, not numpy.ndarray")

    with pytest.raises(
        audit.TargetError, match=r"lambda x: function\(torch.from_numpy\(x\)\)"
    ) as caught:
        audit.run(erf)
    assert "vectorize" not in str(caught.value)
    with pytest.raises(AssertionError, match=r"lambda x: function\(torch.from_numpy\(x\)\)"):
        testing.assert_correctly_rounded(erf, "erf")


def test_misspelt_names_are_answered():
    with pytest.raises(audit.TargetError, match=r"got 'pytorch:cpu'; did you mean torch\?$"):
        audit.run("pytorch:cpu")
    with pytest.raises(ValueError, match=r"got 'erff'; did you mean erf\?$"):
        audit.run("numpy", "erff")
    with pytest.raises(audit.TargetError, match=r"got 'nobody'$"):
        audit.run("nobody")


@pytest.mark.parametrize("name", ["torch", "numkong"])
def test_missing_packages_are_reported(name, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, name, None)
    line = f"{name} is needed to audit the target '{name}': pip install {name}"
    with pytest.raises(ImportError, match=line):
        audit.run(name)
    assert main(["audit", name]) == 2
    assert capsys.readouterr().err == f"halfcl audit: {line}\n"


def test_unknown_functions_are_refused(capsys):
    with pytest.raises(ValueError, match="expected names of functions of halfcl, got 'exq'"):
        audit.run("numpy", ["exp", "exq"])
    with pytest.raises(ValueError, match="of functions of the target numpy, got 'tgamma'"):
        audit.run("numpy", "tgamma")
    assert main(["audit", "numpy", "--functions", "exp,exq"]) == 2
    err = capsys.readouterr().err
    assert err == "halfcl audit: functions: expected names of functions of halfcl, got 'exq'\n"
    with pytest.raises(audit.TargetError, match="expected halfcl's names, got 'arcsin'"):
        audit.run(audit.CallablesTarget("mine", {"arcsin": np.arcsin}))


def test_single_function_that_fails_is_an_error():
    """A report without results would look like one without mistakes."""
    for function in (math.sin, lambda x: 1 / 0, lambda x: x.astype("f8"), lambda x, y: x):
        with pytest.raises(audit.TargetError, match="target: expected a function of arrays"):
            audit.run(function, "sin")


def test_unsupported_functions_are_reported():
    """The audit continues, and its status is 0."""

    def raise_unsupported(x):
        raise audit.UnsupportedError("not for half")

    report = audit.run(audit.CallablesTarget("mine", {"exp": raise_unsupported, "sqrt": np.sqrt}))
    assert report.unsupported == {"exp": "not for half"} and report.status() == 0
    assert [f.label for f in report.functions] == ["sqrt"]


def test_lost_device_ends_the_audit():
    def raise_lost(x):
        raise audit.TargetError("the device is lost")

    with pytest.raises(audit.TargetError, match="the device is lost"):
        audit.run(audit.CallablesTarget("mine", {"sqrt": np.sqrt, "exp": raise_lost}))


def test_results_of_dtype_half():
    """Arrays of halfcl's own dtype are accepted like float16."""
    target = audit.CallablesTarget("mine", {"exp": lambda x: hc.exp(x.view(hc.half))})
    with np.errstate(all="ignore"):
        assert audit.run(target)["exp"].wrong == 0


# ---------------------------------------------------------------- the command


def test_command_with_json_and_baseline(module, tmp_path, capsys):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    command = ["audit", f"{module}:radians=radians"]
    assert main([*command, "--json", str(one)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("my_halves 1.2 on ") and "\nradians " in out and "within" in out
    assert main([*command, "--baseline", str(one)]) == 0
    assert "nothing changed" in capsys.readouterr().out
    report = audit.run(audit.CallablesTarget("mine", {"radians": halfcl_function("radians")}))
    other.write_text(report.to_json(), encoding="utf-8")
    assert main([*command, "--baseline", str(other)]) == 1
    assert "radians: wrong: 0 -> " in capsys.readouterr().out


def test_command_beyond_limits(module, capsys):
    assert main(["audit", f"{module}:exp=sin"]) == 1
    out = capsys.readouterr().out
    assert "Beyond OpenCL's limits: sin." in out and "NaN" in out and "\nThe worst:\n  sin(" in out


def test_command_of_several_targets(module, tmp_path, capsys):
    path = tmp_path / "r.json"
    names = [f"{module}:exp=exp", f"{module}:Fast.sqrt=sqrt"]
    assert main(["audit", *names, "--json", str(path)]) == 0
    assert sorted(p.name for p in tmp_path.glob("r*.json")) == [
        "r-my-halves-Fast-sqrt-sqrt.json", "r-my-halves-exp-exp.json",
    ]  # fmt: skip
    assert main(["audit", *names, "--baseline", str(path)]) == 0
    assert capsys.readouterr().out.count("nothing changed") == 2


def test_command_list(capsys):
    assert main(["audit", "--list"]) == 0
    out = capsys.readouterr().out
    assert "torch[:device] " in out and "module:function=exp " in out
    assert main(["audit", "numpy", "--list"]) == 0
    assert "  exp            np.exp\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "halfcl audit: expected a target: one of numpy, "),
        (
            ["numpy", "--functions", ","],
            "halfcl audit: functions: expected halfcl's names",
        ),
        (["numpy", "numpy", "--json", "-"], "halfcl audit: --json -: expected one target, got 2"),
        (["numpy", "--seed", "-1"], "halfcl audit: --seed: expected an integer from 0, got -1"),
        (["numpy", "--html", "."], "halfcl audit: --html: expected a file, not a folder, got ."),
        (
            ["numpy", "--html", "r", "--json", "r"],
            "halfcl audit: --json, --html: expected two",
        ),
        (
            ["leaves:f=exp"],
            "halfcl audit: target: expected a module that can be imported",
        ),
        (["getter:f=exp"], "halfcl audit: target: getter:f: RuntimeError: no f"),
        (
            ["math:exp=exp,exp2=exp"],
            "halfcl audit: target: expected one function for each",
        ),
        (
            ["numpy", "exp", "erf"],
            "halfcl audit: targets: expected libraries, got exp,erf; --functions exp,erf\n",
        ),
        (["numpy", "--baseline", "no.json"], "halfcl audit: [Errno 2] No such file"),
        (["numpy", "--baseline", "bad.json"], "halfcl audit: --baseline bad.json: not a report"),
        (
            ["numpy", "--functions", "exp", "--json", "no/place.json"],
            "halfcl audit: --json: expected a file in a folder that is there, "
            f"got {Path('no/place.json')}",
        ),
    ],
)
def test_command_errors(arguments, line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text("{}")
    (tmp_path / "leaves.py").write_text("exit(0)")
    (tmp_path / "getter.py").write_text("def __getattr__(name): raise RuntimeError('no ' + name)")
    assert main(["audit", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith(line) and err.count("\n") == 1


def test_command_continues_after_unknown_target(capsys):
    """The other targets are audited nevertheless."""
    assert main(["audit", "nobody", "numpy", "--functions", "sqrt"]) == 2
    out, err = capsys.readouterr()
    assert "1 of 1 correctly rounded" in out
    assert err.count("\n") == 1 and "got 'nobody'" in err


def test_command_with_baseline_of_another_target(module, tmp_path, capsys):
    path = tmp_path / "r.json"
    assert main(["audit", f"{module}:Fast.sqrt=sqrt", "--json", str(path)]) == 0
    assert main(["audit", "numpy", "--functions", "sqrt", "--baseline", str(path)]) == 0
    assert f"Since {path}, which is of my_halves: nothing changed" in capsys.readouterr().out


def test_command_says_first_how_to_audit_fewer(monkeypatch, capsys):
    """Before all functions of many are audited; a few, or those asked for, need no such line."""

    def stop(*_, **__):
        raise audit.TargetError("stopped")

    monkeypatch.setattr("halfcl._command.commands.audit.run_audit", stop)
    assert main(["audit", "numpy"]) == 2
    hint, stopped = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        r"halfcl audit: numpy: \d+ functions, which may take a minute; "
        r"--functions \w+,\w+ audits only these", hint,
    ) and stopped == "halfcl audit: stopped"  # fmt: skip
    for arguments in (["numpy", "--functions", "exp"], ["math:exp=exp"]):
        main(["audit", *arguments])
        assert capsys.readouterr().err == "halfcl audit: stopped\n"


def test_json_on_standard_output(capsys):
    """Standard output has the JSON only; the table goes to standard error."""
    assert main(["audit", "numpy", "--functions", "sqrt", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert audit.Report.from_json(out)["sqrt"].wrong == 0
    assert "1 of 1 correctly rounded" in err


@pytest.mark.parametrize(
    "function, arguments",
    [
        ("halfcl.audit._report.Report.__repr__", ["numpy", "--functions", "sqrt"]),
        ("halfcl._command.commands.audit.find", ["numpy", "--list"]),
    ],
)
def test_command_with_closed_pipe(function, arguments, monkeypatch, capsys):
    def raise_lost(*_):
        raise BrokenPipeError

    monkeypatch.setattr(function, raise_lost)
    assert main(["audit", *arguments]) == 1
    assert capsys.readouterr().err == ""


def test_command_without_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["audit", "numpy", "--functions", "sqrt"]) == 0


def test_audit_is_imported_lazily():
    """Importing halfcl does not import the audit; using it does."""
    code = (
        "import sys, halfcl as hc\n"
        "assert not [m for m in sys.modules if m.startswith(('halfcl.audit', 'halfcl.testing'))]\n"
        "assert hc.audit.run and hc.testing.assert_max_ulp\n"
        "assert {'audit', 'testing'} <= set(dir(hc))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------- libraries that are here or not


def test_audit_of_torch():
    """PyTorch 2.11 and 2.15 had 6,586 wrong results of erf on a CPU, by up to 5 ulps."""
    pytest.importorskip("torch", reason="needs PyTorch, and HALFCL_TEST_DEVICES=1")
    report = audit.run("torch", ["erf", "exp", "add", "length", "convert_half(float)"])
    assert not report.failed and report["add"].wrong == 0
    assert report["erf"].spelled == "torch.special.erf" and report["exp"].max_ulp < 2
    assert report["convert_half(float)"].wrong == 0


def test_unknown_torch_device_is_refused():
    pytest.importorskip("torch", reason="needs PyTorch, and HALFCL_TEST_DEVICES=1")
    with pytest.raises(audit.TargetError, match="target: expected a device of torch, got 'moon': "):
        audit.run("torch:moon")


def test_audit_of_numkong():
    pytest.importorskip("numkong", reason="NumKong is not installed")
    report = audit.run("numkong", ["sin", "add"])
    assert report["add"].wrong == 0 and report["sin"].verdicts[0] == "beyond"
