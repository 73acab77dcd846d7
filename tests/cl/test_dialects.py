"""A third dialect is one record: HIP C++, from docs/project/add_a_dialect.md, run here by g++.

Nothing in its texts is CUDA's alone.
"""

import doctest
import re
from dataclasses import replace

import cuda_host
import numpy as np
import pytest
from cl_kernels import DEVICE_KERNELS, FOLDER, assert_alike
from exhaustive import either, in_modes, one_in, shared_out
from places import ROOT

import halfcl as hc
from halfcl import cl, device
from halfcl._command import main
from halfcl.cl._devices.cuda import OnCuda
from halfcl.device._backends.on_cuda import CudaMachine
from halfcl.device._source.catalogue import forms
from halfcl.device._source.dialects import CUDA, DIALECTS, OPENCL
from halfcl.device._source.kernel_text import ARRAY, Kernel, kernel_text
from halfcl.device._source.reduction_text import _TEXTS, Reduction
from halfcl.device._source.text import source

pytestmark = [pytest.mark.once, pytest.mark.kernels]

by_gxx = pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run HIP C++ on the host")

#: The reserved words and the atomic functions that HIP's headers declare or clang knows, of those
#: that the texts use: amd_device_functions.h, amd_hip_fp16.h, amd_hip_atomic.h, host_defines.h of
#: ROCm 6, and __clang_hip_math.h.
HIP_WORDS = frozenset(
    """
    __HIP_NO_HALF_OPERATORS__ __align__ __attribute__ __builtin_bit_cast __constant__ __device__
    __forceinline__ __global__ __launch_bounds__ __noinline__ __shared__ __syncthreads
    __syncthreads_and __syncthreads_or __threadfence __half __half2float __half_as_ushort
    __half_raw __ushort_as_half __float2half_rn __heq __hge __hgt __hle __hlt __hneu __clzll
    __popcll __umul64hi __double2hiint __double2loint __double_as_longlong
    __longlong_as_double __float_as_int __float_as_uint __int_as_float
    __uint_as_float __dadd_rd __dadd_rn __dadd_ru __dadd_rz __ddiv_rd __ddiv_rn __ddiv_ru
    __ddiv_rz __dmul_rd __dmul_rn __dmul_ru __dmul_rz __dsqrt_rn __dsub_rd __dsub_rn __dsub_ru
    __dsub_rz __fadd_rd __fadd_rn __fadd_ru __fadd_rz __fdiv_rd __fdiv_rn __fdiv_ru __fdiv_rz
    __fma_rd __fma_rn __fma_ru __fma_rz __fmaf_rd __fmaf_rn __fmaf_ru __fmaf_rz __fmul_rd
    __fmul_rn __fmul_ru __fmul_rz __fsqrt_rn __fsub_rd __fsub_rn __fsub_ru __fsub_rz
    __double2float_rd __double2float_rn __double2float_ru __double2float_rz __int2float_rd
    __int2float_rn __int2float_ru __int2float_rz __ll2double_rd __ll2double_rn __ll2double_ru
    __ll2double_rz __ll2float_rd __ll2float_rn __ll2float_ru __ll2float_rz __uint2float_rd
    __uint2float_rn __uint2float_ru __uint2float_rz __ull2double_rd __ull2double_rn
    __ull2double_ru __ull2double_rz __ull2float_rd __ull2float_rn __ull2float_ru __ull2float_rz
    atomicAdd atomicAnd atomicCAS atomicExch atomicMax atomicMin atomicOr atomicXor
    """.split()
)
_WORD = re.compile(r"\b(?:__\w+|atomic[A-Z]\w*)")


@pytest.fixture(scope="module")
def hip():
    """Return the page's dialect."""
    page = (ROOT / "docs" / "project" / "add_a_dialect.md").read_text(encoding="utf-8")
    names = {}
    for example in doctest.DocTestParser().get_examples(page):
        exec(example.source, names)  # with what is printed
    assert "hip" not in DIALECTS
    return names["HIP"]


@pytest.fixture
def hip_language(hip, monkeypatch):
    """Make it a language of translations and commands, and of what runs through CuPy."""
    monkeypatch.setitem(DIALECTS, "hip", hip)
    monkeypatch.setattr(OnCuda, "dialect", hip)
    monkeypatch.setattr(CudaMachine, "dialect", hip)
    return hip


def foreign_words(text):
    """Return the words of a text that are CUDA's and not HIP's, and others of NVIDIA's."""
    for mode in ("rn", "rz", "ru", "rd"):  # the words that a macro completes
        text += " ".join(f"\n{word}{mode}" for word in re.findall(r"\b(__\w+_)##own", text))
    words = set(_WORD.findall(re.sub(r"__\w+_##", "##", text)))
    names = re.findall(r"(?i)\w*(?:cuda|nvidia|nvrtc|\bptx)\w*|\basm\b\s*\(", text)
    return sorted((words - HIP_WORDS) | set(names))


def test_the_test_of_words_knows_cudas():
    """CUDA's own text has words that are not HIP's."""
    assert {"__CUDA_ARCH__", "cuda_fp16", "__hadd_rn"} <= set(foreign_words(source(CUDA, ["add"])))
    assert foreign_words("__fadd_##own(a) __shfl_##own(b)")[0].startswith("__shfl")


def test_texts_have_no_words_of_cuda(hip):
    assert foreign_words(source(hip)) == []
    for several in forms().values():
        for form in several:
            kernel = Kernel(form, "rte", (ARRAY,) * len(form.inputs), wide=not form.vectors)
            assert foreign_words(kernel_text(kernel, hip)) == []
    for layout in _TEXTS:
        kernel = Reduction(layout, "sum", "e", True, True, 64, 32, False)
        assert foreign_words(kernel.text(hip)) == []


@one_in(3)
@pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")
@pytest.mark.parametrize("stem", sorted({stem for stem, _ in DEVICE_KERNELS}))
def test_translations_have_no_words_of_cuda(hip_language, stem):
    text = cl.translate((FOLDER / f"{stem}.cl").read_text(), "hip")
    assert foreign_words(text) == []
    assert (
        text.startswith("/* Functions of half in HIP C++") and "#include <hip/hip_fp16.h>" in text
    )


@by_gxx
@shared_out
def test_functions_equal_the_hosts(hip_language):
    """Functions and sums, compiled as HIP C++, have the host's bits."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    y = np.roll(x, 12345)
    with cuda_host.in_place_of_cupy(), np.errstate(all="ignore"):
        import cupy

        functions = device.compile(cupy.cuda.Device(0), ["add", "exp", "fma", "isless"])
        assert functions.machine.dialect is hip_language
        a, b = cupy.asarray(x), cupy.asarray(y)
        arguments = {"add": (x, y), "exp": (x,), "fma": (x, y, x)}
        operands = {1: (a,), 2: (a, b), 3: (a, b, a)}
        for name, mode in [
            *(("add", mode) for mode in either(hc.MODES, ("rtz", "rtp"))),
            *in_modes(["exp", "fma"]),
        ]:
            numbers = arguments[name]
            got = getattr(functions, name)(*operands[len(numbers)], rounding=mode)
            right = getattr(hc, name)(*numbers, rounding=mode).view(np.float16)
            np.testing.assert_array_equal(cupy.asnumpy(got), right, err_msg=f"{name} {mode}")
        assert (cupy.asnumpy(functions.isless(a, b)) == hc.isless(x, y)).all()
        rows = x[:15000].reshape(150, 100)
        got = cupy.asnumpy(functions.sum(cupy.asarray(rows), axis=1, rounding="rtp"))
        np.testing.assert_array_equal(got, hc.sum(rows, axis=1, rounding="rtp").view(np.float16))


@by_gxx
@pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")
@pytest.mark.parametrize("stem", either(sorted({s for s, _ in DEVICE_KERNELS}), ["shading"]))
def test_programs_equal_the_hosts(hip_language, stem):
    text = (FOLDER / f"{stem}.cl").read_text()
    with cuda_host.in_place_of_cupy():
        here, there = cl.Program(text), cl.Program(text, device="hip")
        for name in [name for s, name in DEVICE_KERNELS if s == stem]:
            assert_alike(here, there, stem, name, "rtp")


def test_commands_and_errors_name_it(hip_language, capsys):
    assert main(["device", "--language", "hip", "--functions", "add"]) == 0
    assert "#include <hip/hip_runtime.h>" in capsys.readouterr().out
    assert main(["device", "--language", "hip", "--no-fp16"]) == 2
    assert "HIP always has __half" in capsys.readouterr().err
    with pytest.raises(ValueError, match="expected opencl or cuda or hip, got 'metal'"):
        cl.translate("", "metal")
    with pytest.raises(ValueError, match="fp16: expected True with hip"):
        cl.translate("", "hip", fp16=False)


def test_names_of_a_dialect_are_reserved(hip_language, monkeypatch):
    """A program's variable that the language uses gets another name."""
    words = replace(hip_language.program, reserved=frozenset(["warp"]))
    monkeypatch.setitem(DIALECTS, "hip", replace(hip_language, program=words))
    text = cl.translate(
        "kernel void f(global int *warp, int blockIdx) { *warp = blockIdx; }", "hip"
    )
    assert "int *warp_, int blockIdx," in text
    text = cl.translate("kernel void f(global int *warp, int blockIdx) { *warp = 1; }", "cuda")
    assert "int *warp, int blockIdx_," in text


def test_barriers_and_fences_are_in_the_dialects_words(hip_language, monkeypatch):
    words = replace(hip_language.program, barrier="wait()", fence="order()")
    monkeypatch.setitem(DIALECTS, "hip", replace(hip_language, program=words))
    text = cl.translate(
        """kernel void f() {
        barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_LOCAL_MEM_FENCE); sub_group_barrier(1); }""",
        "hip",
    )
    statements = [line.strip() for line in text.partition("namespace cl {")[2].splitlines()]
    assert statements[-5:-2] == ["wait();", "order();", "wait();"]


def test_dialects_without_words_of_programs_have_no_translations(hip_language, monkeypatch, capsys):
    """They had OpenCL C's text."""
    monkeypatch.setitem(DIALECTS, "hip", replace(hip_language, program=None))
    with pytest.raises(ValueError, match="language: expected opencl or cuda, got 'hip'"):
        cl.translate("", "hip")
    with pytest.raises(SystemExit, match="2"):
        main(["kernel", "k.cl", "--translate", "hip"])
    assert "invalid choice: 'hip'" in capsys.readouterr().err


def test_variants_differ_in_halves_only():
    in_bits = OPENCL.variant(fp16=False)
    assert in_bits is OPENCL.in_bits and OPENCL.variant(fp16=True) is OPENCL
    assert CUDA.variant(fp16=False) is CUDA
    assert "typedef ushort hc_half;" in source(in_bits, ["add"])
    assert "typedef half hc_half;" in source(OPENCL, ["add"])
    assert "the device needs no cl_khr_fp16" in source(in_bits, ["add"])
    assert "the device needs no cl_khr_fp16" not in source(OPENCL, ["add"])


def test_only_work_items_with_an_element_store(hip):
    """A launch has more work-items than elements; without a guard they write behind an array."""
    (form,) = forms()["exp"]
    for dialect in (OPENCL, CUDA, hip):
        for wide in (False, True):
            text = kernel_text(Kernel(form, "rte", (ARRAY,), wide=wide), dialect)
            assert ("if (i < n) {" in text) or ("if (i >= n)\n        return;" in text)
        text = kernel_text(Kernel(form, "rte", (ARRAY,), whole=True), dialect)
        assert "n) " not in text.partition("{")[2]
