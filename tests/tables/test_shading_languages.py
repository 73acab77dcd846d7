"""The map from shading languages, held to halfcl, to doubles and to a compiler of shaders."""

import itertools
import operator
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from places import ROOT

import halfcl as hc
from halfcl import cl
from halfcl._tables.twins import LANGUAGES, SHADING, suggest_in_kernel
from halfcl.audit._targets.devices.cuda_sources import CONVERSIONS, FUNCTIONS
from halfcl.device._source.dialects import CUDA

sys.path.append(str(ROOT / "tools"))

import make_shading_map

pytestmark = pytest.mark.once

#: Numbers for the table's calls: signs differ, as remainders do then.
NUMBERS = {
    "x": hc.half(2.6), "y": hc.half(-0.7), "z": hc.half(-1.3), "t": hc.half(0.7),
    "a": hc.half(0.5), "b": hc.half(4), "n": np.uint16(0x3C01),
    "v": hc.half3(1, 2, -0.5), "w": hc.half3(0.6, -0.8, 0.1),
}  # fmt: skip


def clamp(x, low, high):
    return min(max(x, low), high)


def hermite(a, b, x):
    t = clamp((x - a) / (b - a), 0, 1)
    return t * t * (3 - 2 * t)


#: What each name of a shading language means, in doubles.
MEANINGS = {
    "lerp": lambda a, b, t: a + (b - a) * t, "mix": lambda a, b, t: a + (b - a) * t,
    "saturate": lambda x: clamp(x, 0, 1), "clamp": clamp,
    "step": lambda edge, x: float(x >= edge), "smoothstep": hermite,
    "min": min, "fmin": min, "max": max, "fmax": max, "abs": abs, "fabs": abs, "sign": np.sign,
    "round": np.rint, "roundEven": np.rint, "rint": np.rint,
    "frac": lambda x: x - np.floor(x), "fract": lambda x: x - np.floor(x),
    "fmod": np.fmod, "mod": lambda x, y: x - y * np.floor(x / y),
    "mad": lambda x, y, z: x * y + z, "fma": lambda x, y, z: x * y + z, "rcp": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / np.sqrt(x), "inversesqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.power, "powr": np.power, "asin": np.arcsin, "acos": np.arccos,
    "atan2": np.arctan2, "dot": np.dot, "cross": np.cross, "length": np.linalg.norm,
    "distance": lambda v, w: np.linalg.norm(v - w),
    "normalize": lambda v: v / np.linalg.norm(v),
    "reflect": lambda v, w: v - 2 * np.dot(w, v) * w,
    "asuint16": lambda x: np.float16(x).view(np.uint16), "float16BitsToUint16": None,
    "asfloat16": lambda n: np.uint16(n).view(np.float16), "uint16BitsToFloat16": None,
}  # fmt: skip


def arguments_of(call):
    """Return a call's name and its arguments, as doubles."""
    name, inside = re.fullmatch(r"(\w+)\((.*)\)", call).groups()
    words = [word.strip().removesuffix("hf") for word in inside.split(",")]
    plain = {name: np.asarray(value).astype(float) for name, value in NUMBERS.items()}
    plain["n"] = NUMBERS["n"]
    return name, [plain[word] if word in plain else float(word) for word in words]


def meaning(call):
    """Return a call's result in doubles, or None if the table of meanings leaves it out."""
    if not re.fullmatch(r"\w+\(.*\)", call):
        return None
    name, arguments = arguments_of(call)
    if name == "atan" and len(arguments) == 2:
        name = "atan2"
    function = MEANINGS.get(name, getattr(np, name, None) if name not in MEANINGS else None)
    return None if function is None else np.asarray(function(*arguments), float)


@pytest.mark.parametrize("row", SHADING, ids=lambda row: row[0])
def test_call_of_halfcl_has_the_meaning_of_each_language(row):
    own, *calls = row
    got = np.asarray(eval(own, {"hc": hc, "np": np, **NUMBERS})).astype(float)
    for call in filter(None, calls):
        exact = meaning(call)
        if exact is not None:
            np.testing.assert_allclose(got, exact, rtol=2**-10, atol=2**-10, err_msg=call)


def test_each_name_has_a_meaning_here():
    """Only constructs that are no calls, and the second spelling of two functions, have none."""
    without = {call for _, *calls in SHADING for call in calls if call and meaning(call) is None}
    assert without == {
        "1.0hf / x", "1.0h / x", "float16BitsToUint16(x)", "uint16BitsToFloat16(n)",
        "as_type<ushort>(x)", "as_type<half>(n)",
    }  # fmt: skip


def test_names_that_halfcl_lacks_are_answered():
    for own, *calls in SHADING:
        for call in filter(None, calls):
            name = call.partition("(")[0]
            if name.isidentifier() and not hasattr(hc, name) and not hasattr(np, name):
                with pytest.raises(AttributeError) as caught:
                    getattr(hc, name)
                assert str(caught.value).endswith(own), name


def hint(name):
    """Return the call that the error of a name that halfcl lacks names."""
    with pytest.raises(AttributeError) as caught:
        getattr(hc, name)
    return str(caught.value).rpartition(" is ")[2]


@pytest.mark.parametrize("intrinsic", FUNCTIONS, ids=lambda intrinsic: intrinsic.name)
def test_names_of_cuda_are_answered(intrinsic):
    numbers = dict(zip("xyz", hc.half([0.7, -3, 0.1]), strict=True))
    arguments = list(numbers.values())[: len(intrinsic.inputs)]
    function = getattr(hc, intrinsic.computes, None) or getattr(np, intrinsic.computes)
    got = eval(hint(intrinsic.name), {"hc": hc, **numbers})
    np.testing.assert_array_equal(got, function(*arguments))


def test_conversions_of_cuda_are_answered_with_their_mode():
    x = np.float64(1) / 3
    for conversion in CONVERSIONS:
        if conversion.output in "ef" and conversion.inputs in "fd":
            got = eval(hint(conversion.name), {"hc": hc, "np": np, "x": x})
            assert got == hc.convert(x, hc.half, rounding=conversion.mode), conversion.name
    assert hint("__half2float") == "hc.convert(x, np.float32)"
    modes = {"_rn": "", "_rz": ', rounding="rtz"', "_ru": ', rounding="rtp"'}
    for ending, mode in {**modes, "_rd": ', rounding="rtn"', "": ""}.items():
        assert hint("__float2half" + ending) == f"hc.convert(x, hc.half{mode})"


@pytest.mark.parametrize("name", ["eq", "gt", "ge", "lt", "le"])
def test_comparisons_of_cuda_are_those_of_python(name):
    for x, y in itertools.product(hc.half([1, 2, np.nan]), repeat=2):
        got = eval(hint(f"__h{name}"), {"hc": hc, "x": x, "y": y})
        assert bool(got) == getattr(operator, name)(float(x), float(y)), (x, y)


def test_words_of_others_name_what_is_there():
    for name in ("f16vec2", "vec3", "__half", "__half2", "float16_t"):
        assert eval(hint(name), {"hc": hc}), name
    for name in ("half4x4", "half2x3"):
        with pytest.raises(AttributeError, match=r"an array of two axes, v @ m\.T its product"):
            getattr(hc, name)


def test_products_of_matrices_and_many_vectors():
    m, v = hc.half([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), hc.half3([[1, 0, 2], [0, 1, 0]])
    with pytest.raises(AttributeError, match=r"mul\(m, v\) is v @ m.T, its mul\(v, m\) is v @ m;"):
        hc.mul(m, v)
    np.testing.assert_array_equal(hc.half3(v @ m.T).y, [16, 5])
    for each, product in zip(v, v @ m.T, strict=True):
        np.testing.assert_array_equal(product, m @ each)


def test_refraction():
    """The formula that the error has, for a ray that comes in at 30 degrees."""
    v, n, r = hc.half3(0.5, -(0.75**0.5), 0), hc.half3(0, 1, 0), hc.half(0.5)
    formula, _, d = hint("refract").partition(" with d = ")
    names = {"hc": hc, "v": v, "n": n, "r": r}
    got = eval(formula, {**names, "d": eval(d, names)})
    np.testing.assert_allclose(np.float64(got), [0.25, -((1 - 0.0625) ** 0.5), 0], atol=2e-3)


KERNEL = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(half x, half y, half z, half a, half b, half t, ushort n, half3 v, half3 w) {
    half whole;
    %s;
}"""


def test_hints_in_kernels_compile():
    """Each hint of an unknown name is OpenCL C, or a type or address space of it."""
    calls = [call for _, *calls in SHADING for call in calls]
    names = {call.partition("(")[0] for call in calls if call[:1].isalpha() and "(" in call}
    names |= {each.name for each in FUNCTIONS} | {"__float2half", "__float2half_ru", "threadIdx"}
    for name in sorted(names | {"__syncthreads", "blockDim", "gl_LocalInvocationID"}):
        with pytest.raises(cl.BuildError) as caught:
            cl.Program("kernel void f() { no; }".replace("no", name))
        if f"undeclared identifier '{name}'" in str(caught.value):
            sentence = suggest_in_kernel(name)
            assert f"note: {sentence}" in str(caught.value).splitlines()
            cl.Program(KERNEL % sentence.partition(" is ")[2], "-w")


def test_page_has_the_table():
    page = make_shading_map.PAGE.read_text(encoding="utf-8")
    start, end = make_shading_map.MARKS
    assert page.split(start)[1].split(end)[0] == make_shading_map.table()


def test_cuda_names_are_those_that_audits_call():
    listed = set(re.findall(r"`(_*h\w+)\(", make_shading_map.table()))
    assert listed and listed <= {intrinsic.name for intrinsic in FUNCTIONS}


def words(language):
    """Return what the page has of a language beside halfcl's and OpenCL's words, as code."""
    page = make_shading_map.PAGE.read_text(encoding="utf-8").split("## Functions")[0]
    column = 2 + (*LANGUAGES, "CUDA").index(language)
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [code for line in lines for code in re.findall(r"`([^`]+)`", line.split("|")[column])]


def test_words_of_cuda_are_those_of_the_dialect():
    program, listed = CUDA.program, words("CUDA")
    assert {CUDA.types["e"], program.barrier, f"{program.shared} __half tile[64]"} <= set(listed)
    (place,) = (word for word in listed if word.startswith("blockIdx"))
    assert place in re.sub(r"\(unsigned long long\)|[()]", "", CUDA.item)


#: A shader in each language that glslang compiles, and its types of a number and three of them.
#: Its HLSL has no types of 16 bits, so that floats stand for halves there.
SHADERS = {
    "GLSL": ("""#version 460
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer Data { float16_t x, y, z, t, a, b; uint16_t n; f16vec3 v, w; };
        shared float16_t tile[64];
        void main() {
            f16vec4 four = f16vec4(1, 2, 3, 4);
            float16_t number = 0.5hf + four.bgr.x;
            tile[gl_LocalInvocationID.x] = number + float16_t(gl_GlobalInvocationID.x);
            barrier();
            CALLS
        }""", "float16_t", "f16vec3"),
    "HLSL": ("""cbuffer Data { float x, y, z, t, a, b; float3 v, w; };
        groupshared half tile[64];
        [numthreads(1, 1, 1)]
        void main(uint3 i : SV_DispatchThreadID, uint3 j : SV_GroupThreadID) {
            half4 four = half4(1, 2, 3, 4);
            tile[j.x] = four.bgr.x + 0.5h + half(i.x);
            GroupMemoryBarrierWithGroupSync();
            CALLS
        }""", "float", "float3"),
}  # fmt: skip


@pytest.mark.parametrize("language", SHADERS)
def test_a_compiler_of_shaders_knows_the_calls(language, tmp_path):
    compiler = shutil.which("glslangValidator")
    if compiler is None:
        pytest.skip("needs glslangValidator (Debian's glslang-tools)")
    shader, number, three = SHADERS[language]
    assert sum(word in shader for word in words(language)) >= 6
    kinds = {
        "isnan": "bool", "isinf": "bool", "isfinite": "bool", "float16BitsToUint16": "uint16_t",
        "cross": three, "normalize": three, "reflect": three,
    }  # fmt: skip
    column = 1 + LANGUAGES.index(language)
    calls = [row[column] for row in SHADING if row[column]]
    if language == "HLSL":
        calls = [call for call in calls if "16(" not in call]
    lines = [f"{{ {kinds.get(call.partition('(')[0], number)} r = {call}; }}" for call in calls]
    source = tmp_path / "shader.comp"
    source.write_text(shader.replace("CALLS", "\n".join(lines)))
    flags = ["-D", "-e", "main"] if language == "HLSL" else []
    command = [compiler, "-V", "--target-env", "vulkan1.2", *flags, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
