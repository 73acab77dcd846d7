"""Jumps out of statements in parentheses, a ?: b, and places whose text has side effects.

The C of the kernels is C: gcc says what they do.
"""

import re
import shutil
import subprocess

import cuda_host
import numpy as np
import pytest
from cl_jumps import (
    BODIES,
    ENABLED,
    HEAD,
    ITEMS,
    PLACES,
    SECOND_RESULTS,
    after_places,
    kernels,
    results,
)

from halfcl import cl

pytestmark = [pytest.mark.once, pytest.mark.kernels]


@pytest.fixture(scope="module")
def results_of_c(tmp_path_factory):
    """Return what the bodies leave when gcc has compiled them."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("needs gcc, whose results count")
    calls = "\n".join(
        f"{{ int o[{ITEMS}] = {{0}}; for (int i = 0; i < {ITEMS}; i++) k{n}(i, o);"
        f'for (int i = 0; i < {ITEMS}; i++) printf("%d ", o[i]); printf("\\n"); }}'
        for n in range(len(BODIES))
    )
    folder = tmp_path_factory.mktemp("jumps")
    text = f"#include <stdio.h>\n{kernels('void k{n}(int i, int *o) {{')}\nint main() {{ {calls} }}"
    (folder / "k.c").write_text(text)
    subprocess.run([gcc, "-w", "-o", folder / "k", folder / "k.c"], check=True)
    lines = subprocess.run([folder / "k"], capture_output=True, text=True, check=True).stdout
    return [list(map(int, line.split())) for line in lines.splitlines()]


def test_results(results_of_c):
    for name, mine, theirs in zip(
        BODIES, results(cl.Program(kernels(HEAD))), results_of_c, strict=True
    ):
        assert mine == theirs, name
    assert results(cl.Program(kernels(HEAD)), check=True) == results_of_c


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_results_in_cuda(results_of_c):
    with cuda_host.in_place_of_cupy():
        assert results(cl.Program(kernels(HEAD), device="cuda")) == results_of_c


def test_text_in_opencl_is_the_authors():
    source = kernels(HEAD)
    text = cl.translate(source)
    assert BODIES["right of &&"] in text and BODIES["omitted middles nested"] in text


def test_all_modules_share_variables_of_functions():
    """A pass over the tree makes copies of variables, of which there is one of each."""
    program = cl.Program(
        """kernel void k(global float *o) { static global int n;
        float x = ({ if (n > 2) return; 1.0f; }); n++; o[0] = n / 3.0f * x; }""",
        "-cl-std=CL2.0",
    )
    o = np.zeros(1, np.float32)
    for mode in ("rte", "rtp", "rtn", "rtz"):
        program.k(1, None, o, rounding=mode)
    assert o[0] == np.float32(1)  # of n = 3; the fourth launch has returned before


# ---------------------------------------------------------------- places


def test_places_are_named_once():
    """Exact results of the numbers that are exact, and the counters of all."""
    h, f, n = after_places(cl.Program(ENABLED + PLACES), "rte")
    assert n.tolist() == [5, 1, 1, 5, 5, 1]
    assert (h[0], h[5], h[7], h[11], h[13]) == (1.5, np.float16(4 / 7) + 1, 4, 8, 1.25)
    assert f[1] == np.float32(np.float32(1 / 3) + np.float32(1)) + np.float32(0.5)


@pytest.mark.parametrize("contract", ["never", "always"])
def test_places_in_cuda(contract):
    if cuda_host.GXX is None:
        pytest.skip("needs g++ to run CUDA C++ on the host")
    source = ENABLED + PLACES
    with cuda_host.in_place_of_cupy():
        there = cl.Program(source, contract=contract, device="cuda")
        here = cl.Program(source, contract=contract)
        for mode in ("rte", "rtp"):
            for a, b in zip(after_places(here, mode), after_places(there, mode), strict=True):
                assert a.tobytes() == b.tobytes()


def test_places_in_opencl():
    text = cl.translate(ENABLED + PLACES, fp16=False)
    assert len(re.findall(r"\*hc_place = &\(\*p\+\+\)", text)) == 2
    assert "hc_half hc_old = h[4]" in text


@pytest.mark.parametrize(
    "statement", ["half4 v = h[0]; v[n[0]++] += 1.5h;", "half3 v = h[0]; (*(n[0]++, &v)).hi += 1;"]
)
def test_refused_places(statement):
    source = f"{ENABLED}kernel void k(global half *h, global int *n) {{ {statement} }}"
    cl.Program(source)
    with pytest.raises(cl.BuildError, match=r"not translated: a(n assignment| component)"):
        cl.translate(source)


def test_second_results_in_all_memory():
    source = SECOND_RESULTS
    for fp16 in (False, True):
        assert "hc_fract_to_global_half(x[i], p + 1)" in cl.translate(source, fp16=fp16)
    later = source.replace("global half *p =", "half *p =")
    text = cl.translate(later, options="-cl-std=CL2.0")
    assert "hc_fract_to_generic_half(hc_half x, __generic hc_half *p)" in text
