"""The audit of devices and libraries: kernels, missing packages, code that reproduces results."""

import importlib
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import right_device
from exhaustive import either, in_turn, one_in, shared_out

import halfcl as hc
from halfcl import audit, cl
from halfcl._command import main
from halfcl._tables import TABLE
from halfcl.audit._output import reproducer
from halfcl.audit._records import Case, FunctionReport, TargetInfo
from halfcl.audit._results.exact import ROWS
from halfcl.audit._targets.base import TargetError, UnsupportedError
from halfcl.audit._targets.devices import cuda_sources, opencl_sources
from halfcl.audit._targets.foreign_arrays import calls

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
SECTIONS = ("Operators", "Math", "Common", "Relational")
OPENCL_ROWS = [r for r in TABLE if r.public and r.opencl and r.section in SECTIONS
               and "e" in r.inputs]  # fmt: skip

#: Targets, the module that each needs, and the command that installs it.
NEEDED = {
    "torch": ("torch", "pip install torch"),
    "jax": ("jax", "pip install jax"),
    "jax:gpu": ("jax", "pip install jax"),
    "tensorflow": ("tensorflow", "pip install tensorflow"),
    "numkong": ("numkong", "pip install numkong"),
    "cupy": ("cupy", "pip install cupy-cuda12x"),
    "cuda_fp16": ("cupy", "pip install cupy-cuda12x"),
    "opencl": ("pyopencl", "pip install pyopencl"),
    "opencl:0:1": ("pyopencl", "pip install pyopencl"),
    "device:opencl": ("pyopencl", 'pip install "halfcl[opencl]"'),
    "device:cuda": ("cupy", "pip install cupy-cuda12x"),
}


@pytest.mark.once
@pytest.mark.parametrize("target", NEEDED)
def test_targets_with_missing_packages(target, monkeypatch, capsys):
    """The error is one line with the command that installs the package; the status is 2."""
    module, command = NEEDED[target]
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    assert main(["audit", target]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1
    assert command in err and target.partition(":")[0] in err


# ---------------------------------------------------------------- OpenCL


def differs(got, right):
    """Return whether any result differs, with all NaNs alike."""
    if got.dtype != np.float16:
        return not np.array_equal(got, right)
    nan = np.isnan(got) & np.isnan(right)
    return not np.array_equal(got.view(np.uint16)[~nan], right.view(np.uint16)[~nan])


def arguments(row, rng):
    """Return all halves, then halves in any order or small integers."""
    makers = {
        "e": lambda: rng.permutation(EVERY),
        "i": lambda: rng.integers(-40, 40, 1 << 16, "i4"),
    }
    return [EVERY, *(makers[letter]() for letter in row.inputs[1:])]


@one_in(3)
@pytest.mark.kernels
@pytest.mark.once
@pytest.mark.parametrize("row", OPENCL_ROWS, ids=lambda row: row.name)
def test_opencl_kernels(row):
    """halfcl runs the kernels for devices: they call the builtins with arguments in order."""
    pytest.importorskip("clang")
    x = arguments(row, np.random.default_rng(7))
    outs = [np.empty(1 << 16, np.uint8 if t == "?" else t) for t in row.outputs]
    cl.Program(opencl_sources.function_kernel(row)).audited(1 << 16, None, *x, *outs)
    with np.errstate(all="ignore"):
        right = getattr(hc, row.name)(*x)
    for got, expected in zip(outs, right if isinstance(right, tuple) else (right,), strict=True):
        assert not differs(got, np.asarray(expected))


@in_turn
@pytest.mark.kernels
@pytest.mark.once
@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("name", ["cross", "dot", "distance", "length", "normalize"])
def test_opencl_vector_kernels(name, width):
    pytest.importorskip("clang")
    if name == "cross" and width == 2:
        pytest.skip("there is no such function")
    row = next(row for row in TABLE if row.name == name and row.public)
    rng = np.random.default_rng(3)
    x = [rng.normal(size=(500, width)).astype(np.float16) for _ in row.inputs]
    right = np.asarray(getattr(hc, name)(*x))
    got = np.zeros(right.size, np.float16)
    program = cl.Program(opencl_sources.vector_kernel(row, width))
    program.audited(500, None, *(v.ravel() for v in x), got)
    assert not differs(got, right.ravel())


@pytest.mark.kernels
@pytest.mark.once
@pytest.mark.parametrize("ending, mode", [("", "rte"), ("_rtz", "rtz"), ("_rtp", "rtp")])
@pytest.mark.parametrize("letter", ["f", "d"])
def test_opencl_store_kernels(letter, ending, mode):
    pytest.importorskip("clang")
    x = np.random.default_rng(5).normal(scale=300, size=4000).astype(letter)
    right = np.asarray(hc.convert(x, np.float16, rounding=mode))
    for text in (
        opencl_sources.store_kernel(letter, ending),
        opencl_sources.conversion_kernel(letter, "e", ending),
    ):
        got = np.zeros(x.size, np.float16)
        cl.Program(text).audited(x.size, None, x, got)
        assert not differs(got, right)


@pytest.fixture
def opencl(monkeypatch):
    """Put a device that is always right in place of pyopencl's."""
    pytest.importorskip("clang")
    module = right_device.pyopencl()
    monkeypatch.setitem(sys.modules, "pyopencl", module)
    return module


#: Some of each kind: one and two results, integers, bools, vectors, conversions, images.
SOME = ["add", "sincos", "dot", "cross", "vstore_half_rtp", "convert_half", "convert_uint_sat_rtn",
        "read_imagef", "write_imagef",
        *either(["exp", "frexp", "ldexp", "isgreater", "vload_half"], [])]  # fmt: skip


@pytest.mark.kernels
@pytest.mark.once
@shared_out
def test_opencl_device(opencl):
    """Audit halfcl as a device, from the choice of the device to the report."""
    report = audit.run("opencl:halfcl:0", SOME)
    assert not report.failed and not report.unsupported
    assert {f.label: f.wrong for f in report.functions if f.wrong} == {}
    assert {f.name.partition("(")[0] for f in report.functions} == set(SOME)
    labels = {f.label for f in report.functions}
    assert labels >= {"sincos.sine", "sincos.cosine", "cross.half3", "dot.half4",
                      "vstore_half_rtp(double)", "convert_half(int)", "convert_uint_sat_rtn(half)",
                      "read_imagef(CL_R)", "write_imagef(CL_RGBA)"}  # fmt: skip
    target = report.target
    assert (target.name, target.library, target.device) == ("opencl:halfcl:0", "halfcl", "halfcl")
    assert target.version and "ROUND_TO_NEAREST" in target.facts["cl_khr_fp16"]


@pytest.mark.kernels
@pytest.mark.once
def test_opencl_device_without_half(opencl, monkeypatch):
    """Core OpenCL's loads, stores and images are audited."""
    monkeypatch.setattr(opencl.Device, "extensions", "cl_khr_byte_addressable_store")
    report = audit.run("opencl")
    modes = ("", "_rte", "_rtz", "_rtp", "_rtn")
    assert [f.label for f in report.functions] == [
        "vload_half(half)", *(f"vstore_half{mode}(float)" for mode in modes),
        "read_imagef(CL_RGBA)", "write_imagef(CL_RGBA)", "read_imagef(CL_R)", "write_imagef(CL_R)",
    ]  # fmt: skip
    assert not any(f.wrong for f in report.functions)
    assert report.target.facts["cl_khr_fp16"].startswith("no")


@pytest.mark.kernels
@pytest.mark.once
def test_opencl_device_that_truncates(opencl, monkeypatch):
    """If write_imagef truncates, its results are compared with truncated ones."""
    from halfcl.audit._targets.devices.opencl_device import Device

    def truncate(self, order, floats):
        return np.asarray(hc.convert(floats, np.float16, rounding="rtz"))

    monkeypatch.setattr(Device, "write_image", truncate)
    report = audit.run("opencl", ["write_imagef"])
    assert [(f.rounding, f.wrong) for f in report.functions] == [("rtz", 0)] * 2


@pytest.mark.kernels
@pytest.mark.once
def test_opencl_device_that_is_lost(opencl, monkeypatch, capsys):
    """The error is one line; the status is 2."""

    def raise_lost(*arguments, **keywords):
        raise opencl.Error("CL_DEVICE_NOT_AVAILABLE")

    monkeypatch.setattr(opencl, "Buffer", raise_lost)
    assert main(["audit", "opencl", "--functions", "exp"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert re.search(r"halfcl failed: .*CL_DEVICE_NOT_AVAILABLE", lines[-1])


@pytest.mark.kernels
@pytest.mark.once
def test_opencl_kernel_that_does_not_build(opencl, monkeypatch):
    """The function is unsupported; the audit continues."""
    monkeypatch.setattr(opencl_sources, "function_kernel", lambda row: "kernel void audited(;")
    report = audit.run("opencl", ["exp", "length"])
    assert set(report.unsupported) == {"exp"}
    assert [f.label for f in report.functions] == ["length.half2", "length.half3", "length.half4"]


@pytest.mark.parametrize("wrong", ["opencl:nobody", "opencl:0:7", "opencl:9"])
def test_unknown_opencl_devices_are_refused(opencl, wrong, capsys):
    assert main(["audit", wrong]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "expected one of 0: halfcl" in err


def test_core_kernels_need_no_half():
    """vload_half and vstore_half need no cl_khr_fp16, so their kernels must not ask for it."""
    for text in (opencl_sources.load_kernel(), opencl_sources.store_kernel("f", "_rtp")):
        assert "#pragma" not in text
    assert "cl_khr_fp64" in opencl_sources.store_kernel("d", "")
    assert "cl_khr_fp16" in opencl_sources.function_kernel(OPENCL_ROWS[0])


def test_opencl_devices_by_number_and_name():
    from halfcl.device import DeviceError
    from halfcl.device._backends.choosing import _find

    every = [SimpleNamespace(name="Big Iron "), SimpleNamespace(name="Small GPU")]
    assert _find(every, "", "device") is every[0]
    assert _find(every, "1", "device") is every[1]
    assert _find(every, "small", "device") is every[1]
    for wanted in ("2", "medium"):
        with pytest.raises(
            DeviceError, match=rf"expected one of 0: Big Iron, 1: Small GPU, got '{wanted}'"
        ):
            _find(every, wanted, "device")


def test_images_are_padded():
    from halfcl.audit._targets.devices.opencl_device import _rows

    assert _rows(np.arange(1025), 4).shape == (2, 1024)
    rows = _rows(np.arange(300, dtype=np.float32), 1)
    assert rows.shape == (2, 256) and rows[1, 44:].sum() == 0
    assert np.array_equal(rows.ravel()[:300], np.arange(300))


# ---------------------------------------------------------------- CUDA


def test_cuda_intrinsics():
    """Each has the types of what it computes, and a kernel of its own."""
    for each in cuda_sources.FUNCTIONS:
        assert each.types == ROWS[each.computes].types, each
    every = (*cuda_sources.FUNCTIONS, *cuda_sources.CONVERSIONS)
    text = cuda_sources.module(every)
    assert len({each.kernel for each in every}) == len(every) == text.count("__global__")
    for each in every:
        inputs = ", ".join(f"{x}[i]" for x in "xyz"[: len(each.inputs)])
        body = text.partition(f" {each.kernel}(")[2].partition("\n}")[0]
        assert f"r[i] = {each.name}({inputs});" in body


def test_cuda_conversions():
    """Their modes and types are those in their names."""
    modes = {"rn": "rte", "rz": "rtz", "rd": "rtn", "ru": "rtp"}
    types = {"float": "f", "double": "d", "half": "e", "int": "i", "uint": "I", "ll": "q",
             "ull": "Q", "short": "h", "ushort": "H", "char": "b", "uchar": "B"}  # fmt: skip
    assert len(cuda_sources.CONVERSIONS) == 57
    for each in cuda_sources.CONVERSIONS:
        source, target, mode = re.fullmatch(r"__(\w+?)2([a-z]+)(?:_(r.))?", each.name).groups()
        assert each.types == f"{types[source]}>{types[target]}"
        assert each.mode == modes[mode or "rn"]


# ---------------------------------------------------------------- libraries of arrays


def test_calls_of_a_library():
    """Functions that a library lacks are left out; those without half are unsupported."""

    def refuse(x):
        raise NotImplementedError("not for Half\nand more")

    library = SimpleNamespace(
        __name__="lib", exp=np.exp, sub=SimpleNamespace(erf=lambda x: x.astype(np.float64)),
        frexp=lambda x: tuple(r.astype("i8") if r.dtype.kind == "i" else r for r in np.frexp(x)),
        sin=refuse,
    )  # fmt: skip
    names = {"exp": "exp", "erf": "sub.erf", "cos": "cos", "frexp": "frexp", "sin": "sin"}
    functions = calls(library, names, np.asarray, np.asarray)
    assert set(functions) == {"exp", "erf", "frexp", "sin"}
    assert functions["erf"].spelled == "lib.sub.erf"
    x = np.float16([0.5, 1, 2])
    assert np.array_equal(functions["exp"](x), np.exp(x))
    assert [r.dtype for r in functions["frexp"](x)] == [np.float16, np.int32]
    with pytest.raises(UnsupportedError, match=r"^expected .* or integers, got float64$"):
        functions["erf"](x)
    with pytest.raises(UnsupportedError, match=r"^not for Half$"):
        functions["sin"](x)


class Duplicates:
    """A target with two functions that compute the same, and two such conversions."""

    def describe(self):
        return TargetInfo("two", "two", "1", "here")

    def functions(self):
        return {
            "right": audit.Call("right", lambda x: np.asarray(hc.tanh(x)), computes="tanh"),
            "wrong": audit.Call("wrong", lambda x: -np.asarray(hc.tanh(-x)) + 0, computes="tanh"),
        }

    def conversions(self):
        def convert(x):
            return np.asarray(hc.convert(x, np.float16))

        for label in ("one", "other"):
            yield audit.Conversion(label, convert, label=label)

    def vectors(self):
        return {}


@pytest.mark.once
def test_functions_that_compute_the_same():
    report = audit.run(Duplicates())
    assert [f.label for f in report.functions] == ["right", "wrong", "one", "other"]
    assert (report["right"].wrong, report["one"].wrong, report["other"].wrong) == (0, 0, 0)
    assert report["wrong"].mistakes == {"wrong sign of zero": 1}  # of -0


@pytest.mark.once
def test_audit_of_reciprocals():
    """The row of reciprocal, which halfcl does not export, is for hrcp and similar functions."""

    class Target(Duplicates):
        def functions(self):
            return {
                "hrcp": audit.Call("hrcp", lambda x: 1 / x, computes="reciprocal"),
                "half": audit.Call("half", lambda x: np.float16(0.5) / x, computes="reciprocal"),
            }

    report = audit.run(Target(), ["hrcp", "half"])
    assert report["hrcp"].wrong == 0 and report["hrcp"].tested == 1 << 16
    assert report["half"].wrong > 60000


# ---------------------------------------------------------------- code that shows a wrong result


@pytest.mark.once
@pytest.mark.parametrize("name", ["exp", "cos", "log10"])
def test_reproducers_print_their_results(name, capsys):
    report = audit.run("numpy", [name])
    if not any(f.label == name and f.wrong for f in report.functions):
        pytest.skip("this NumPy has no wrong result of it")
    function = report[name]
    code = reproducer.code_for(report.target, function)
    got = re.search(r"is (\S+) \(", code)[1]
    with np.errstate(all="ignore"):
        exec(code, {})
    assert np.float16(capsys.readouterr().out.strip("[]\n")) == np.float16(got)


def report_of(
    name, spelled, types=("float16",), result_type="float16", result="", arguments=(0x3C00,)
):
    """Return a report of one wrong result."""
    case = Case(arguments, 0x3C01, 0x3C00, "an ulp off or more", 1.0, 1.0)
    return FunctionReport(name, spelled, types, result_type, result, wrong=1, worst=(case,))


@pytest.mark.parametrize("target, function, lines", [
    ("torch:cuda", report_of("exp", "torch.exp"),
     ["import torch", "print(torch.exp(torch.tensor([1.0], dtype=torch.float16, device='cuda')))"]),
    ("torch", report_of("pown", "torch.pow(x, n)", ("float16", "int32"), arguments=(0x3C00, 7)),
     ["import torch", "x = torch.tensor([1.0], dtype=torch.float16)",
      "n = torch.tensor([7], dtype=torch.int32)", "print(torch.pow(x, n))"]),
    ("jax:cpu", report_of("convert_half(double)", "x.astype(jax.numpy.float16)", ("float64",),
                      arguments=(0x3FF0000000000000,)),
     ["import jax.numpy", "jax.config.update('jax_enable_x64', True)",
      "x = jax.numpy.float64(1.0)", "print(x.astype(jax.numpy.float16))"]),
    ("numpy", report_of("exp", "np.exp"),
     ["import numpy as np", "print(np.exp(np.array([1.0], np.float16)))"]),
    ("torch", report_of("dot", "torch.linalg.vecdot(x, y)", ("float16",) * 4, result="half2",
                    arguments=(0x3C00, 0x4000, 0x3C00, 0x4200)),
     ["import torch.linalg", "x = torch.tensor([[1.0, 2.0]], dtype=torch.float16)",
      "y = torch.tensor([[1.0, 3.0]], dtype=torch.float16)", "print(torch.linalg.vecdot(x, y))"]),
])  # fmt: skip
def test_reproducers_in_python(target, function, lines):
    code = reproducer.code_for(TargetInfo(target, "", "", ""), function)
    assert code.splitlines() == [*lines, "# is 1.001 (0x3c01), should be 1.0 (0x3c00)"]


def kernel_of(code):
    return re.search(r'"""\n(.*)"""', code, re.DOTALL)[1]


@pytest.mark.once
@pytest.mark.parametrize("function, right", [
    (report_of("pow", "pow(x, y)", ("float16",) * 2, arguments=(0x4000, 0x4200)), 8),
    (report_of("sincos", "sincos(x, &second)", result="cosine", arguments=(0,)), 1),
    (report_of("sincos", "sincos(x, &second)", result="sine", arguments=(0,)), 0),
    (report_of("frexp", "frexp(x, &second)", result="mantissa", arguments=(0x4400,)), 0.5),
    (report_of("vstore_half_rtz(float)", "vstore_half_rtz(x, i, r)", ("float32",),
           arguments=(0x3F800001,)), 1),
    (report_of("dot", "dot", ("float16",) * 4, result="half2",
           arguments=(0x3C00, 0x4000, 0x3C00, 0x4200)), 7),
])  # fmt: skip
def test_reproducers_in_opencl(function, right):
    """The kernels, run by halfcl, return the correct result."""
    pytest.importorskip("clang")
    code = reproducer.code_for(TargetInfo("opencl:Some", "Some Platform", "", ""), function)
    assert "if p.name.strip() == 'Some Platform')" in code
    is_of_vectors = function.result.startswith("half")
    inputs = [] if is_of_vectors else [
        np.array([bits], f"u{np.dtype(kind).itemsize}").view(kind)
        for bits, kind in zip(function.worst[0].arguments, function.types, strict=True)
    ]  # fmt: skip
    result = np.zeros(1, np.float16)
    cl.Program(kernel_of(code)).f(1, None, *inputs, result)
    assert result[0] == right
    assert code.count("np.array([0x") == len(inputs)


def test_reproducers_of_vectors_speak_of_a_component():
    function = report_of("normalize", "normalize", ("float16",) * 2, result="half2",
                     arguments=(0x3C00, 0x3C00))  # fmt: skip
    for target in ("opencl:Some", "torch"):
        code = reproducer.code_for(TargetInfo(target, "", "", ""), function)
        assert code.endswith("# a component is 1.001 (0x3c01), should be 1.0 (0x3c00)")


def test_reproducer_in_cuda():
    code = reproducer.code_for(
        TargetInfo("cuda_fp16", "", "", ""), report_of("tanh", "htanh_approx")
    )
    assert "__half2float(htanh_approx(__ushort_as_half(0x3c00)))" in code
    assert code.endswith("// is 1.001 (0x3c01), should be 1.0 (0x3c00)")


def test_reproducers_avoid_nan_arguments():
    """Cases with NaN arguments are avoided; infinite arguments are not."""
    cases = [
        Case((0x7E00,), 0x3C01, 0x3C00, "an ulp off or more", 1.0, 99.0),
        Case((0x3C00,), 0x3C01, 0x3C00, "an ulp off or more", 1.0, 5.0),
        Case((0xFC00,), 0x3C01, 0x3C00, "an ulp off or more", 1.0, -7.0),
    ]
    target = TargetInfo("numpy", "", "", "")
    for count, shown in ((1, "float('nan')"), (2, "1.0"), (3, "float('-inf')")):
        function = FunctionReport(
            "f", "np.f", ("float16",), "float16", wrong=3, worst=tuple(cases[:count])
        )
        assert f"np.array([{shown}]" in reproducer.code_for(target, function)


def test_no_reproducer():
    """Correct functions, unknown targets and images have no reproducer."""
    right = FunctionReport("exp", "torch.exp", ("float16",), "float16")
    assert reproducer.code_for(TargetInfo("torch", "", "", ""), right) == ""
    assert (
        reproducer.code_for(TargetInfo("math:exp", "", "", ""), report_of("exp", "math.exp")) == ""
    )
    assert (
        reproducer.code_for(TargetInfo("opencl", "", "", ""), report_of("i", "read_imagef(CL_R)"))
        == ""
    )


# ---------------------------------------------------------------- what is installed here


@pytest.mark.once
@pytest.mark.parametrize("target, function", [
    ("jax", "sqrt"), ("tensorflow", "sqrt"), ("opencl", "vload_half"), ("cupy", "sqrt"),
    ("cuda_fp16", "hsqrt"),
])  # fmt: skip
def test_installed_libraries(target, function):
    module = {"opencl": "pyopencl", "cuda_fp16": "cupy"}.get(target, target)
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    try:
        report = audit.run(target, [function])
    except TargetError as error:
        pytest.skip(str(error))
    assert [f.wrong for f in report.functions] == [0]
    assert report.target.version and report.target.device
