"""Tests that mistakes of newcomers get an answer that says what to write instead."""

import math
import re

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl, interval, io, stability
from halfcl._command import main
from halfcl.interval import Interval

X = np.linspace(0, 1, 4).astype(hc.half)
ENABLED = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"


def write_bytes():
    io.write_exr("unwritten.exr", np.zeros((4, 4, 3), np.uint8))


def assign_floats():
    hc.half4(1, 2, 3, 4).xy = hc.float2(1, 2)


def launch(*args):
    program = cl.Program(ENABLED + "kernel void f(global half *a) { a[get_global_id(0)] = 1; }")
    return program.f(*args)


def build(statement):
    return cl.Program(f"{ENABLED}kernel void f(global half *a) {{ {statement} }}")


HLSL = "RWStructuredBuffer<half> b; [numthreads(8, 1, 1)] void main() { b[0] = 1; }"
CUDA = "__global__ void f(__half *a) { a[threadIdx.x] = 1; }"
METAL = "kernel void f(device half *a [[buffer(0)]]) { a[0] = 1; }"
GLSL = "#version 450\nlayout(local_size_x = 64) in; void main() {}"

#: What is typed, and what the answer holds.
MISTAKES = {
    "array": (lambda: hc.array([1]), "numpy.array with dtype=halfcl.half"),
    "zeros": (lambda: hc.zeros(3), "numpy.zeros with dtype=halfcl.half"),
    "arange": (lambda: hc.arange(3), "numpy.arange with dtype=halfcl.half"),
    "argmax": (lambda: hc.argmax(X), "NumPy has it, numpy.argmax"),
    "lerp": (lambda: hc.lerp(0, 1, X), "mix(a, b, t)"),
    "frac": (lambda: hc.frac(X), "fract(x)[0]"),
    "rcp": (lambda: hc.rcp(X), "divide(1, x)"),
    "rsq": (lambda: hc.rsq(X), "rsqrt(x)"),
    "ulps": (lambda: hc.ulps(X, X), "ulps_between(x, y)"),
    "mode as a name": (lambda: hc.rtp, 'rounding="rtp"'),
    "another case": (lambda: hc.Half(1), "did you mean half?"),
    "misspelt": (lambda: hc.ulp_eror(X, X), "did you mean ulp_error?"),
    "direction": (lambda: hc.exp(X, rounding="up"), "'rtn', got 'up'; they round to nearest"),
    "mode in capitals": (lambda: hc.exp(X, rounding="RTP"), "got 'RTP'; they round to nearest"),
    "mode=": (lambda: hc.exp(X, mode="rtp"), "'mode'; rounding= takes a mode"),
    "swizzle": (lambda: hc.half4(1, 2, 3, 4).xyq, "half4.xyq: no such attribute; components"),
    "literal of doubles": (lambda: hc.half4(np.ones(4)), "use halfcl.convert(x, halfcl.half)"),
    "literal of floats": (lambda: hc.int2(hc.half2(1, 2)), "use halfcl.convert(x, numpy.int32)"),
    "swizzle of floats": (assign_floats, "use halfcl.convert(x, halfcl.half)"),
    "types mixed": (lambda: hc.half2(1, 2) * hc.float2(1, 2), "use halfcl.convert(x, halfcl.half)"),
    "complex": (lambda: hc.half(1j), "expected a real number or its text, got complex"),
    "float of an interval": (lambda: float(Interval(1)), ".inf and .sup are its bounds"),
    "root of an interval": (lambda: math.sqrt(Interval(4)), "np.sqrt(x)"),
    "lower": (lambda: Interval(1).lower, "did you mean inf?"),
    "lo": (lambda: Interval(1).lo, "did you mean inf?"),
    "upper": (lambda: Interval(1).upper, "did you mean sup?"),
    "width": (lambda: Interval(1).width, "did you mean wid?"),
    "midpoint": (lambda: Interval(1).midpoint, "did you mean mid?"),
    "two numbers for a box": (
        lambda: interval.range_of(np.exp, (0, 1)), "Interval(low, high) is one interval"
    ),
    "two numbers for halfcl's function": (
        lambda: interval.range_of(hc.exp, (0, 1)), "Interval(low, high) is one interval"
    ),
    "two roots": (lambda: interval.roots(abs, [0, 1]), "Interval(low, high) is one interval"),
    "sum in a formula": (
        lambda: interval.range_of(lambda x: x.sum(), Interval(0, 1)),
        "or a vector as interval.vector(X)",
    ),
    "no return": (lambda: stability.rerun(lambda x: None, X), "end the function with a return"),
    "a float": (lambda: stability.rerun(lambda x: float(x), X[1]), "for arguments and results"),
    "no number": (lambda: hc.show("pi"), "expected a decimal or hexadecimal number, 2**-25"),
    "no sizes": (lambda: launch(X), "sizes come first, f(global_size, local_size, ...)"),
    "one size": (lambda: launch(4, X), "sizes come first, f(global_size, local_size, ...)"),
    "HLSL": (lambda: cl.Program(HLSL), "this looks like HLSL; halfcl.cl takes OpenCL C"),
    "CUDA": (lambda: cl.Program(CUDA), "this looks like CUDA or HIP"),
    "Metal": (lambda: cl.Program(METAL), "this looks like Metal"),
    "GLSL": (lambda: cl.Program(GLSL), "this looks like GLSL"),
    "lerp in a kernel": (lambda: build("half x = lerp(a[0], a[1], a[2]);"), "is mix(a, b, t)"),
    "intrinsic in a kernel": (lambda: build("half x = __hmul(a[0], a[1]);"), "is x * y"),
    "cast of C++": (lambda: build("half4 x = half4(1, 2, 3, 4);"), "vectors are (half4)(...)"),
    "literal of GLSL": (lambda: build("half x = 0.5hf;"), "have the suffix h: 0.5h"),
    "literal of C++": (lambda: build("half x = 0.5f16;"), "have the suffix h: 0.5h"),
    "path": (lambda: cl.Program("shade.cl"), "path; pathlib.Path('shade.cl').read_text()"),
    "path of folders": (lambda: cl.Program("../a/shade"), "path; pathlib.Path('../a/shade')"),
    "vload": (lambda: hc.vload4(3, X), "it counts vectors of 4, not elements"),
    "bytes for PNG": (
        lambda: io.write_png("unwritten.png", np.zeros((4, 4, 3), np.uint16), transfer="srgb"),
        "halfcl.from_unorm16(x) data's",
    ),
    "many channels": (
        lambda: io.write_exr("unwritten.exr", np.zeros((4, 4, 5), np.float16)),
        "a dict holds any number of channels by their names",
    ),
    "mode of a sampler": (
        lambda: hc.addressing_mode.WRAP,
        "halfcl.addressing_mode: expected one of NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, "
        "MIRRORED_REPEAT, got 'WRAP'",
    ),
    "any of floats": (lambda: hc.any(hc.half2(1, 0)), "HLSL's any(x) is any(x != 0)"),
    "array for an image": (
        lambda: hc.resample(X, (2, 2)), "halfcl.Image(array, halfcl.ImageFormat(order, type))",
    ),
    "text of no number": (lambda: hc.show("pi"), "expected a decimal or hexadecimal number,"),
    "bytes": (
        write_bytes,
        "got uint8; halfcl.io.srgb_decode(x) reads a photograph's codes, halfcl.from_unorm8(x) "
        "data's",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_answer(mistake):
    call, answer = MISTAKES[mistake]
    with pytest.raises(Exception, match=re.escape(answer)):
        call()


def test_branch_on_an_array():
    with pytest.raises(ValueError, match="truth value") as caught:
        stability.rerun(lambda x: x if x > 1 else -x, X)
    assert any("numpy.where(condition, x, y)" in note for note in caught.value.__notes__)


def test_list_in_a_formula():
    with pytest.raises(TypeError) as caught:
        stability.rerun(lambda x: x * x, [1, 2])
    assert any("halfcl.half([1, 2])" in note for note in caught.value.__notes__)
    with pytest.raises(TypeError) as caught:
        stability.rerun(lambda x: x * "a", X)
    assert not hasattr(caught.value, "__notes__")


def test_names_of_python_get_no_hint():
    for name in ("__wrapped__", "_half", "no_name_is_like_this"):
        with pytest.raises(AttributeError, match=f"^module 'halfcl' has no attribute '{name}'$"):
            getattr(hc, name)


def test_convert_makes_halves():
    assert hc.convert(0.1).dtype == hc.half


@pytest.mark.parametrize("values", [[1.5, 2], (1, True), [[1.5, 2], [0.1, 3]], []])
def test_reductions_take_lists(values):
    halves = np.asarray(hc.half(values) if values else [], hc.half)
    for function in (hc.sum, hc.norm, hc.sumsq):
        assert function(values) == function(halves)
    if values:
        assert hc.mean(values) == hc.mean(halves)
    with hc.rounding("rtp"):
        assert hc.sum([0.1, 0.1]) == hc.sum(hc.half([0.1, 0.1]))


def test_command_alone_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code in (0, None)
    assert "run a Python program with NumPy's float16 accelerated" in capsys.readouterr().out


def test_offsets_of_single_halves_count_halves():
    with pytest.raises(IndexError, match=r"^vload_half: argument offset: expected 0 to 3, got 9$"):
        hc.vload_half(9, X)
