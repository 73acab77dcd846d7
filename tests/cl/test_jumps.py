"""Jumps out of statements in parentheses, a ?: b, and places whose text has side effects.

The C of the kernels is C: gcc says what they do.
"""

import re
import shutil
import subprocess

import cuda_host
import numpy as np
import pytest

from halfcl import cl

pytestmark = [pytest.mark.once, pytest.mark.kernels]

ITEMS = 8

#: Bodies of `void k(int i, int *o)`, which may return early; x is 3 * i.
BODIES = {
    "return": "o[i] = 1 + ({ if (i > 5) { o[i] = -1; return; } i * 2; });",
    "return of nothing": "({ if (i > 2) return; }); o[i] = 7;",
    "break and continue": """for (int n = 0; n < 4; n++) {
        x += ({ if (n == i) continue; if (n > i + 1) break; n; }) + 1; } o[i] = x;""",
    "right of &&": "o[i] = i > 2 && ({ if (i == 3) { o[i] = -2; return; } i & 1; });",
    "right of ||": "o[i] = i > 2 || ({ if (i == 1) return; i & 2; });",
    "choices": "o[i] = i > 1 ? ({ if (i == 2) return; 100; }) : ({ if (!i) return; 7; });",
    "choices without a value": "i > 1 ? ({ if (i == 2) return; o[i] = 5; }) : (void)x; o[i]++;",
    "comma": "o[i] = (x++, ({ if (x == 4) return; x; }), ({ if (x == 7) return; x + 1; }));",
    "nested": """o[i] = ({ int y = ({ if (i == 1) return; i; });
        y + ({ if (y == 2) return; 3; }); });""",
    "condition of a do loop": """int n = 0;
        do { n++; if (n == 2) continue; x += n; } while (({ if (n > 4) return; n < i + 3; }));
        o[i] = x;""",
    "condition of a while loop": """int n = 0;
        while (({ if (n > 5) return; int r = n + 1; r; }) < i) { n++; if (n == 3) continue; x++; }
        o[i] = x + n;""",
    "step of a for loop": """for (int j = 0; j < 5; ({ if (j == i) return; j++; })) {
        if (j == 1) continue; x += j; o[i] = x; }""",
    "start of a for loop": "for (int j = ({ if (i == 3) return; i; }); j < 6; j++) o[i] += j;",
    "conditions of an if": """if (x > 12) x = 1;
        else if (({ if (x == 3) return; x > 6; })) x += 1000;
        else if (({ if (x == 0) return; x > 3; })) x += 50; else x += 5;
        o[i] = x;""",
    "value of a switch": """switch (({ if (i == 2) return; i; })) {
        case 0: x += ({ if (x == 1) break; 3; }); break;
        case 5: x += ({ if (x > 1) break; 3; }); x = 8; break;
        default: x++; }
        o[i] = x;""",
    "break binds to the switch or to the loop": """for (int n = 0; n < 3; n++) {
        switch (n) { case 1: x += ({ if (i & 1) break; if (i == 4) continue; 10; }); default: x++; }
        o[i] += x; }""",
    "arguments": "o[i] = add(({ if (i == 2) return; i; }), x + ({ if (i == 4) return; 1; }));",
    "a place": "o[({ if (i == 1) return; i; })] += ({ if (i == 3) return; 9; });",
    "a structure": """struct S { int a, b; } s = ({ if (i == 2) return; struct S t = {i, x}; t; });
        o[i] = s.a * 10 + s.b;""",
    "several declarations": "int a = ({ if (i == 2) return; i; }), b = a + 1; o[i] = a * b;",
    "values of initializers": """int a[3] = {x, ({ if (i == 6) return; 4; }), 5};
        o[i] = a[0] + a[1] * a[2];""",
    "omitted middle": "o[i] = ((i - 1) ?: 50) + (x++ ?: 7) + x;",
    "omitted middle of another type": "long y = (i - 2) ?: 1l << 40; o[i] = y >> 33 ?: 5;",
    "omitted middles nested": "o[i] = (i & 1) ?: (i & 2) ?: (x -= 3) ?: 77;",
    "omitted middle with a jump": "o[i] = (i & 3) ?: ({ if (i) return; 5; });",
}
FUNCTIONS = """int add(int a, int b) { return a + b * 100; }
int early(int i) { return ({ if (i == 1) return 5; 3; }) + ({ if (i == 2) return 9; 30; }); }
"""
BODIES["functions"] = "o[i] = early(i) + ({ int q = early(i + 1); if (q > 10) return; q; });"


def kernels(head):
    """All bodies as functions k0, k1 and so on, which begin as `head` says."""
    return FUNCTIONS + "\n".join(
        f"{head.format(n=n)} int x = 3 * i; {body} }}" for n, body in enumerate(BODIES.values())
    )


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


HEAD = "kernel void k{n}(global int *o) {{ int i = get_global_id(0);"


def results(program, **settings):
    outs = []
    for n in range(len(BODIES)):
        outs.append(np.zeros(ITEMS, np.int32))
        program[f"k{n}"](ITEMS, None, outs[-1], **settings)
    return [out.tolist() for out in outs]


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

ENABLED = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
PLACES = """int bump(global int *n) { return n[0]++; }
kernel void k(global half *h, global float *f, global int *n, local half *l) {
    global half *p = h;
    l[0] = 1;
    *p++ += 1.5h;
    *p++ *= n[1] ?: 3;
    p[n[0]++ - 3] -= f[n[1]]++;
    h[5] = h[4]++ + 1;
    h[6] = n[2] ?: 2.5h;
    h[7] = (n[0]--) ?: 7.5h;
    n[0]++;
    half4 v = (half4)(1, 2, 3, 4), *q = &v;
    (*q++).xz += h[3];
    --q;
    q[bump(n) - 4].w *= 2;
    h[10] = v.x + v.z;
    h[11] = v.w;
    float g = f[2]++;
    f[3] += g;
    f[bump(n + 3)] += 0.5h;
    f[5] = --f[bump(n + 3) + 2];
    int c = 5;
    c += h[bump(n + 3)];
    n[4] = c;
    l[bump(n + 3) - 4] += 0.25h;
    h[13] = l[0];
    bool b = h[1];
    b++;
    n[5] = b;
    b--;
    n[5] += 10 * b;
    h[14] += h[1] * h[n[2]++];
}
"""


def after_places(program, mode):
    h = np.arange(16).astype(np.float16) / 7
    f, n = (np.arange(8) / 3).astype(np.float32), np.array([3, 1, 0, 1, 0, 0], np.int32)
    program.k(1, 1, h, f, n, cl.LocalMemory(64), rounding=mode)
    return h, f, n


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
