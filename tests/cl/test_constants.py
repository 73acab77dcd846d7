"""Constant variables: whatever clang takes as a constant is known before a kernel runs.

What such a variable holds is compared with the same expression as a variable of the kernel, which
is computed when it runs, and in CUDA C++.
"""

import re

import cuda_host
import numpy as np
import pytest
from cl_constants import CASES, HEAD, results, source_of
from exhaustive import one_in

from halfcl import MODES, cl

pytestmark = [pytest.mark.once, pytest.mark.kernels]


@pytest.mark.parametrize("declare", ["outside", "inside"])
def test_constants_have_the_values_of_variables(declare):
    constants, variables = (
        cl.Program(source_of(declare), "-w"),
        cl.Program(source_of("private"), "-w"),
    )
    for mode in MODES:
        mine, theirs = results(constants, mode), results(variables, mode)
        for case, a, b in zip(CASES, mine, theirs, strict=True):
            assert a == b, (case, mode)


@one_in(2)
@pytest.mark.parametrize("declare", ["outside", "inside"])
@pytest.mark.parametrize("rounding", [None, "rtn"])
def test_translations_compile(declare, rounding):
    for language in ("opencl", "cuda"):
        cl.translate(source_of(declare), language, rounding=rounding, options="-w")
    cl.translate(source_of(declare), fp16=False, rounding=rounding, options="-w")


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_constants_in_cuda():
    cases = [case for case in CASES if case[1] != "NAN"]  # of any bits
    source = source_of("outside", cases)
    with cuda_host.in_place_of_cupy():
        here, there = cl.Program(source, "-w"), cl.Program(source, "-w", device="cuda")
        for mode in ("rte", "rtp"):
            mine, theirs = (results(p, mode, cases) for p in (here, there))
            for case, a, b in zip(cases, mine, theirs, strict=True):
                assert a == b, (case, mode)


def test_a_value_that_depends_on_the_launch_is_chosen_by_the_macro():
    source = f"{HEAD}constant half X = 1 / 3.0h; kernel void k(global half *o) {{ o[0] = X; }}"
    text = cl.translate(source, fp16=False)
    assert re.search(
        r"X = HC_IN\(choose, HC_MODE\)\(.*0x3555\).*0x3555\).*0x3556\).*0x3555\)", text
    )
    assert "choose" not in cl.translate(source, rounding="rtp")


def test_component_of_a_cast():
    """clang's extent of (half4)(x) lacks the last parenthesis."""
    source = f"""{HEAD}kernel void k(global int *o, int i) {{
        o[0] = (int4)((half4)(1.5h).x, 2, 3, 4).s0 + (float2)(i, 1.5f).x + (int2)(i).y; }}"""
    o = np.zeros(1, np.int32)
    cl.Program(source, "-w").k(1, None, o, 4)
    assert o[0] == 9
    cl.translate(source, fp16=False)
