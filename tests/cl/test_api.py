"""Programs and kernels as objects: built, described, listed, pickled; launched within sizes and
times, by modes, by threads."""

import copy
import doctest
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl, stability
from halfcl.cl._interpreter.launching import launch as launching

ENABLED = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""

IDS = """
kernel void ids(global ulong *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = x - get_global_offset(0) + get_global_size(0) *
        (y - get_global_offset(1) + get_global_size(1) * (z - get_global_offset(2)));
    out[8 * i] = x; out[8 * i + 1] = y; out[8 * i + 2] = z;
    out[8 * i + 3] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
    out[8 * i + 4] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    out[8 * i + 5] = get_local_size(0) + 1000 * get_local_size(1) + 1000000 * get_local_size(2);
    out[8 * i + 6] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
    out[8 * i + 7] = get_work_dim();
}
"""

THIRD = f"""{ENABLED}
kernel void third(global half *out) {{ out[get_global_id(0)] = (half)1 / 3; }}
"""


@pytest.mark.parametrize("name", cl.__all__)
def test_examples_in_docstrings(name):
    things = [getattr(cl, name)]
    if name in ("Kernel", "Program"):
        things += [
            value for key, value in vars(things[0]).items() if key[0] != "_" and callable(value)
        ]
    for thing in things:
        examples = doctest.DocTestFinder(recurse=False).find(thing, globs={})
        runner = doctest.DocTestRunner(
            optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS, verbose=False
        )
        report = []
        for example in examples:
            runner.run(example, out=report.append)
        assert not runner.failures, "".join(report)


def test_the_docstring_says_how_large_blocks_are():
    assert f"in blocks of some {launching.BLOCK} or" in cl.Kernel.__doc__


# ---------------------------------------------------------------- programs


def test_attributes_of_programs():
    program = cl.Program(
        "kernel void a() {} kernel void b(int i) {} void c() {}", "-D X=1", name="t.cl"
    )
    assert [k.name for k in program.kernels] == ["a", "b"]
    assert repr(program) == "<halfcl.cl.Program t.cl: a, b>"
    assert {"a", "b", "kernels"} <= set(dir(program)) and "c" not in dir(program)
    assert program.b is program["b"] and program.b.__name__ == "b"
    assert (program.options, program.contract, program.diagnostics) == ("-D X=1", "never", ())
    with pytest.raises(AttributeError, match=r"name of a kernel \(a, b\), got 'c'"):
        program.c  # noqa: B018
    with pytest.raises(KeyError):
        program["c"]
    assert repr(cl.Program("")) == "<halfcl.cl.Program program.cl: no kernels>"


def test_a_kernel_named_as_an_attribute_is_an_item():
    program = cl.Program("kernel void source(global int *a) { a[0] = 1; }")
    a = np.zeros(1, np.int32)
    program["source"](1, None, a)
    assert isinstance(program.source, str) and a[0] == 1


def test_attributes_of_kernels():
    source = f"""{ENABLED}
    struct S {{ int a; float4 b; }};
    kernel void k(global const half4 *a, constant struct S *b, local float *c, half d, uint3 e,
                  struct S f, read_only image2d_t g, write_only image3d_t h, sampler_t i,
                  global uchar *restrict volatile j) {{}}"""
    source = source.replace(
        ENABLED, ENABLED + "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    )
    kernel = cl.Program(source, "-w").k
    assert [tuple(a) for a in kernel.args] == [
        ("a", "const half4*", "global", "none"),
        ("b", "S*", "constant", "none"),
        ("c", "float*", "local", "none"),
        ("d", "half", "private", "none"),
        ("e", "uint3", "private", "none"),
        ("f", "S", "private", "none"),
        ("g", "image2d_t", "global", "read_only"),
        ("h", "image3d_t", "global", "write_only"),
        ("i", "sampler_t", "private", "none"),
        ("j", "uchar*", "global", "none"),
    ]
    assert repr(kernel).startswith("<halfcl.cl.Kernel k(global const half4* a, constant S* b, ")
    assert "read_only image2d_t g" in repr(kernel)


def test_programs_and_kernels_pickle_by_source():
    program = cl.Program(THIRD, "-D X", "both", "third.cl")
    for obtained in (
        pickle.loads(pickle.dumps(program)),
        copy.deepcopy(program),
        pickle.loads(pickle.dumps(program.third))._program,
    ):
        assert (obtained.source, obtained.options, obtained.contract, obtained.name) == (
            program.source, "-D X", "both", "third.cl"
        )  # fmt: skip
        out = np.zeros(2, hc.half)
        obtained.third(2, None, out)
        assert (out == hc.half(1) / 3).all()


def test_diagnostics_are_warnings_too():
    source = "#pragma OPENCL SELECT_ROUNDING_MODE rtz\nkernel void k(global int *a) { int x; }"
    with pytest.warns(cl.BuildWarning, match=r"k\.cl:1:1: warning: SELECT_ROUNDING_MODE") as caught:
        program = cl.Program(source, name="k.cl")
    assert len(caught) == len(program.diagnostics) >= 1 and caught[0].filename == __file__
    assert {d.severity for d in program.diagnostics} == {"warning"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pickle.loads(pickle.dumps(program)).diagnostics == program.diagnostics
        assert cl.Program(source, "-w").diagnostics == ()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((b"",), TypeError, "argument source: expected a str, got bytes"),
        (("", 1), TypeError, "argument options: expected a str, got int"),
        (("", "-cl-std=CL9"), ValueError, "argument options"),
        (("", "-unknown"), ValueError, "argument options"),
        (("", "-D 'a"), ValueError, "argument options"),
        (("", "", "maybe"), ValueError, "argument contract: expected never, always or both"),
        (("", "", None), TypeError, "argument contract: expected a str, got NoneType"),
        (("", "", "never", 3), TypeError, "argument name: expected a str, got int"),
    ],
)
def test_bad_arguments_of_programs(arguments, error, message):
    with pytest.raises(error, match=f"^Program: {message}"):
        cl.Program(*arguments)


def test_source_that_is_no_unicode_does_not_build():
    with pytest.raises(cl.BuildError, match="Program: argument source: expected text, got 'utf-8'"):
        cl.Program("\ud800")


def test_errors_pickle():
    with pytest.raises(cl.BuildError) as caught:
        cl.Program("kernel void k() { x; y; }", name="t.cl")
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.diagnostics == caught.value.diagnostics and str(error).count("t.cl:1:") == 2


# ---------------------------------------------------------------- listings


def test_listings():
    source = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
half other(half a) { return a; }
#pragma OPENCL SELECT_ROUNDING_MODE rtn
half used(half a) { return a + 1; }

// a comment
#define TWICE(x) _Pragma("OPENCL SELECT_ROUNDING_MODE rtp") x = x + x
kernel void k(global half *a)
{
    #pragma OPENCL FP_CONTRACT OFF

    a[0] = used(a[0]); TWICE(a[0]);
    a[1] = "}"[0];
}
kernel void after() {}
"""
    program = cl.Program(source)
    rows = program.listing().splitlines()
    assert rows[0].split() == ["rounding", "contract", "line"]
    assert len(rows) == 1 + len(source.splitlines())
    assert [row.split()[:3] for row in rows if "half used" in row] == [["rtn", "on", "5"]]
    assert [row.split()[:3] for row in rows if "half other" in row] == [["(rte)", "on", "3"]]
    listed = {
        int(words[0 if words[0].isdigit() else 2]): row
        for row in program.k.listing().splitlines()[1:]
        if (words := row.replace("rtn rtp", "rtn+rtp").split())
    }
    assert sorted(listed) == [5, *range(9, 16)]
    assert listed[13].split()[:4] == ["rtn", "rtp", "off", "13"]
    assert listed[14].split()[:3] == ["rtp", "off", "14"]
    assert listed[15].split()[:3] == ["rtp", "on", "15"]
    assert listed[12].strip() == "12"


# ---------------------------------------------------------------- sizes


def launch(sizes, local, offset, kernel=None):
    out = np.zeros((int(np.prod(sizes)), 8), np.uint64)
    (kernel or cl.Program(IDS).ids)(sizes, local, out, offset=offset)
    return out


@pytest.mark.parametrize(
    ("sizes", "local", "offset"),
    [
        ((6,), (2,), None),
        ((6, 4), (3, 2), (10, 20)),
        ((4, 3, 5), (2, 3, 1), (1, 2, 3)),
        ((100, 90, 3), (10, 3, 1), (7, 0, 0)),
        ((5, 1, 2), (1, 1, 2), None),
    ],
)
def test_ids_and_sizes_of_work_items(sizes, local, offset):
    out = launch(sizes, local, offset)
    shape = sizes + (1,) * (3 - len(sizes))
    group = np.array(local + (1,) * (3 - len(sizes)))
    start = np.array((offset or (0,) * len(sizes)) + (0,) * (3 - len(sizes)))
    ids = np.stack([i.ravel() for i in np.indices(shape[::-1])][::-1], axis=1)
    weights = np.array([1, 100, 10000])
    np.testing.assert_array_equal(out[:, :3], ids + start)
    np.testing.assert_array_equal(out[:, 3], ids % group @ weights)
    np.testing.assert_array_equal(out[:, 4], ids // group @ weights)
    assert (out[:, 5] == group @ np.array([1, 1000, 1000000])).all()
    assert (out[:, 6] == shape // group @ weights).all() and (out[:, 7] == len(sizes)).all()


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [(512, 256), (100, 100), (257, 1), (514, 2), ((1000, 6), 250), ((3, 4, 5), 3), (np.int8(9), 9)],
)
def test_default_local_size(sizes, chosen):
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    assert (launch(sizes, None, None)[:, 5] == chosen + 1001000).all()


def test_the_required_local_size():
    kernel = cl.Program(
        IDS.replace("kernel void", "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void")
    ).ids
    assert (launch((8, 4), None, None, kernel)[:, 5] == 1002004).all()
    assert (launch((8, 4), (4, 2), None, kernel)[:, 5] == 1002004).all()
    for sizes, local in (((8, 4), (2, 2)), ((8,), None), ((8,), (4,)), ((6, 4), None)):
        with pytest.raises(ValueError, match=r"^ids: argument (local|global)_size: "):
            launch(sizes, local, None, kernel)


@pytest.mark.parametrize("where", ["declaration", "definition"])
def test_the_required_local_size_of_a_declared_kernel(where):
    size = "__attribute__((reqd_work_group_size(4, 1, 1)))"
    fronts = [f"kernel {size if where == one else ''} void k(global int *o)" for one in
              ("declaration", "definition")]  # fmt: skip
    kernel = cl.Program(f"{fronts[0]};\n{fronts[1]} {{ o[get_global_id(0)] = 1; }}").k
    with pytest.raises(ValueError, match=r"^k: argument local_size: "):
        kernel(8, 2, np.zeros(8, np.int32))
    kernel(8, 4, np.zeros(8, np.int32))


@pytest.mark.parametrize(
    ("sizes", "local", "offset", "error", "message"),
    [
        (0, None, None, ValueError, "argument global_size: expected 1 or more, got 0"),
        ((4, -1), None, None, ValueError, "argument global_size: expected 1 or more"),
        ((1, 1, 1, 1), None, None, ValueError, "argument global_size: .*one to three, got 4"),
        ((), None, None, ValueError, "argument global_size: "),
        (2.0, None, None, TypeError, "argument global_size: .* got 2.0"),
        ("8", None, None, TypeError, "argument global_size: "),
        (None, None, None, TypeError, "argument global_size: "),
        (8, 3, None, ValueError, "argument local_size: expected work-groups that divide"),
        (8, 16, None, ValueError, "argument local_size: expected work-groups that divide"),
        (8, 0, None, ValueError, "argument local_size: expected 1 or more"),
        (8, (2, 2), None, ValueError, "argument local_size: expected as many numbers"),
        ((8, 8), 2, None, ValueError, "argument local_size: expected as many numbers"),
        (8, 2, -1, ValueError, "argument offset: expected 0 or more"),
        (8, 2, (1, 1), ValueError, "argument offset: expected as many numbers"),
        (8, 2, 0.5, TypeError, "argument offset: "),
        (8, 2, 1 << 63, ValueError, "argument global_size: expected global ids below"),
        (1 << 22, 1 << 21, None, ValueError, "argument local_size: expected work-groups of at"),
    ],
)
def test_bad_sizes(sizes, local, offset, error, message):
    out = np.zeros(8, np.uint64)
    with pytest.raises(error, match=f"^ids: {message}"):
        cl.Program(IDS).ids(sizes, local, out, offset=offset)
    assert not out.any()


def test_four_thousand_million_work_items_go_block_by_block():
    """None of them is waited for: the limit ends it."""
    program = cl.Program("kernel void k(global int *a) { if (get_global_id(0) == 0) a[0] += 1; }")
    a = np.zeros(1, np.int32)
    with pytest.raises(cl.LaunchError, match="longer than its limit"):
        program.k((1 << 16, 1 << 16), None, a, timeout=0.05)
    assert a[0] > 0
    with pytest.raises(cl.LaunchError, match="longer than its limit"):
        program.k((1 << 31, 3, 1 << 31), None, a, timeout=0.05)


# ---------------------------------------------------------------- rounding


def test_the_default_mode_of_a_launch():
    program, out = cl.Program(THIRD), np.zeros(1, hc.half)
    for mode in ("rte", "rtz", "rtp", "rtn"):
        program.third(1, None, out, rounding=mode)
        assert out[0] == hc.divide(hc.half(1), hc.half(3), rounding=mode)
        with hc.rounding(mode):
            program.third(1, None, out)
            assert out[0] == hc.divide(hc.half(1), hc.half(3), rounding=mode)
            program.third(1, None, out, rounding="rtz")
            assert out[0] == hc.divide(hc.half(1), hc.half(3), rounding="rtz")


def test_launch_uses_only_the_mode_of_a_region():
    source = f"""{ENABLED}
    kernel void k(global half *out, global float *f) {{
        out[0] = exp(out[0]); f[0] = out[1];
    }}"""
    out, f = np.full(2, 0.3, hc.half), np.zeros(1, np.float32)
    with hc.rounding("rtp", builtins=True, strict=True):
        cl.Program(source).k(1, None, out, f)
    assert out[0] == hc.exp(hc.half(0.3)) != hc.exp(hc.half(0.3), rounding="rtp")
    assert f[0] == np.float32(hc.half(0.3))


def test_pragma_overrides_default_mode():
    source = THIRD.replace("kernel", "#pragma OPENCL SELECT_ROUNDING_MODE rtp\nkernel")
    out = np.zeros(1, hc.half)
    cl.Program(source).third(1, None, out, rounding="rtn")
    assert out[0] == hc.divide(hc.half(1), hc.half(3), rounding="rtp")


@pytest.mark.parametrize("uses_groups", [False, True])
@pytest.mark.parametrize(
    ("sizes", "local"), [((60,), (5,)), ((12, 10), (3, 2)), ((4, 4, 6), (2, 1, 3))]
)
def test_a_mode_for_each_work_group(uses_groups, sizes, local):
    """In the order of their ids."""
    source = f"""{ENABLED}
    kernel void k(global half *out) {{
        size_t i = get_global_id(0) + get_global_size(0) *
            (get_global_id(1) + get_global_size(1) * get_global_id(2));
        {"size_t l = get_local_id(0);" if uses_groups else ""}
        out[i] = (half)1 / 3 - (half)2 / 3;
    }}"""
    counts = [g // n for g, n in zip(sizes, local, strict=True)]
    rng = np.random.default_rng(1)
    names = np.array(["rte", "rtz", "rtp", "rtn"])
    modes = names[rng.integers(0, 4, counts[::-1])]
    out = np.zeros(sizes[::-1], hc.half)
    kernel = cl.Program(source).k
    kernel(sizes, local, out, rounding=modes)
    flat = np.zeros(sizes[::-1], hc.half)
    kernel(sizes, local, flat, rounding=modes.ravel().tolist())
    assert (out == flat).all()
    for index in np.ndindex(*out.shape):
        mode = str(modes[tuple(i // n for i, n in zip(index, local[::-1], strict=True))])
        a, b = (hc.divide(hc.half(n), hc.half(3), rounding=mode) for n in (1, 2))
        assert out[index] == hc.subtract(a, b, rounding=mode)


def test_modes_of_many_groups_keep_blocks():
    n = 1 << 18
    out = np.zeros(n, hc.half)
    modes = ["rtn"] * (n // 512) + ["rtp"] * (n // 512)
    program = cl.Program(THIRD)

    def best_time(rounding):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            program.third(n, 256, out, rounding=rounding)
            times.append(time.perf_counter() - start)
        return min(times)

    one_mode, many_modes = best_time("rte"), best_time(modes)
    assert (out[: n // 2] < out[n // 2 :]).all()
    assert many_modes < 20 * one_mode  # group by group it is 400 times


@pytest.mark.parametrize(
    ("rounding", "error"),
    [
        ("up", ValueError), (3, TypeError), (["rte"], ValueError), (["rte", "up"], ValueError),
        (["rte", None], TypeError), ([["rte"], ["rte"], ["rte"]], ValueError), (b"rte", TypeError),
        ([["rte"], ["rte", "rtz"]], TypeError),
    ],
)  # fmt: skip
def test_bad_modes(rounding, error):
    out = np.zeros(4, hc.half)
    with pytest.raises(error, match=r"^third: argument rounding: expected "):
        cl.Program(THIRD).third(4, 2, out, rounding=rounding)
    assert not out.any()


# ---------------------------------------------------------------- limits

ENDLESS = cl.Program("""
kernel void endless(global int *a) { a[0] = 1;
    for (;;) a[1] += 1; }
kernel void fine(global int *a) { a[2] = 5; }
""")


def test_time_limit_ends_endless_loops():
    """The limit ends each loop."""
    a = np.zeros(3, np.int32)
    with pytest.raises(
        cl.LaunchError, match=r"^program.cl:3:5: kernel endless: ran longer than its limit, 0.1 s"
    ):
        ENDLESS.endless(4, None, a, timeout=0.1)
    ENDLESS.fine(1, None, a)
    assert a[0] == 1 and a[1] > 1 and a[2] == 5


@pytest.mark.parametrize(
    ("timeout", "error"),
    [(0, ValueError), (-1, ValueError), ("1", TypeError), (float("nan"), ValueError)],
)
def test_bad_limits(timeout, error):
    a = np.zeros(3, np.int32)
    with pytest.raises(error, match=r"^fine: argument timeout: expected a number greater than 0"):
        ENDLESS.fine(1, None, a, timeout=timeout)
    assert not a.any()


def test_ctrl_c_ends_a_launch_and_leaves_all_as_it_was(ctrl_c):
    a = np.zeros(3, np.int32)
    errors = np.geterr()
    with hc.rounding("rtp"):
        timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        with pytest.raises(KeyboardInterrupt):  # the limit would be a LaunchError
            ENDLESS.endless(4, None, a, timeout=20)
        timer.join()
        assert hc.get_rounding() == "rtp" and np.geterr() == errors
    ENDLESS.fine(1, None, a)
    assert a[2] == 5


def test_the_caller_s_errstate_is_neither_heeded_nor_changed():
    source = "kernel void k(global float *a) { a[0] = a[0] / a[1]; a[2] = a[2] * a[2]; }"
    a = np.array([1, 0, 3e38], np.float32)
    with np.errstate(all="raise"):
        before = np.geterr()
        cl.Program(source).k(1, None, a)
        assert np.geterr() == before
    assert np.isinf(a[[0, 2]]).all()


def test_threads_launch_one_kernel_at_once():
    """In modes that have not been generated yet, each on its own buffer."""
    source = f"""{ENABLED}
    kernel void k(global half *a, local half *t) {{
        size_t i = get_global_id(0), l = get_local_id(0);
        t[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        half s = 0;
        for (int k = 0; k <= l; ++k) s += t[k] / 3;
        a[i] = s;
    }}"""
    modes = ["rte", "rtz", "rtp", "rtn"] * 2
    start = np.random.default_rng(0).uniform(0, 1, 20000).astype(hc.half)

    def run(program, mode, out):
        program.k(start.size, 50, out, cl.LocalMemory(100), rounding=mode)

    alone = [start.copy() for _ in modes]
    for mode, out in zip(modes, alone, strict=True):
        run(cl.Program(source), mode, out)
    program, together = cl.Program(source), [start.copy() for _ in modes]
    threads = [
        threading.Thread(target=run, args=(program, mode, out))
        for mode, out in zip(modes, together, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(together, alone)


def test_threads_build_at_once():
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(cl.Program(THIRD + IDS))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(program.kernels) for program in results] == [2] * 4


def test_kernels_call_kernels_and_need_no_arguments():
    source = """
    kernel void inner(global int *a) { a[get_global_id(0)] += 1; }
    kernel void outer(global int *a) { inner(a); inner(a + 1); }
    kernel void nothing() {}"""
    program, a = cl.Program(source), np.zeros(5, np.int32)
    program.outer(4, None, a)
    assert a.tolist() == [1, 2, 2, 2, 1]
    assert program.nothing(7, None) is None and program.nothing.args == ()


# ---------------------------------------------------------------- stability

DRIFT = f"""{ENABLED}
kernel void drift(global const half *x, global half *y) {{
    size_t i = get_global_id(0);
    y[i] = (1 + x[i]) - 1;
}}
kernel void exact(global const half *x, global half *y) {{
    y[get_global_id(0)] = x[get_global_id(0)];
}}
kernel void sums(global half *x, global half *y, global int *z) {{
    x[0] += y[0]; y[0] = x[0] / 3; z[0] = 1;
}}
kernel void integers(global int *x) {{}}
"""


def test_rerun_takes_kernels():
    program = cl.Program(DRIFT)
    x, y = np.array([0.01, 1], hc.half), np.zeros(2, hc.half)
    report = stability.rerun(program.drift, 2, None, x, y, samples=20, rng=1)
    assert report.name == "drift" and report.stable.tolist() == [False, True]
    for mode in ("rte", "rtz", "rtp", "rtn"):
        want = hc.subtract(hc.add(x, 1, rounding=mode), 1, rounding=mode)
        assert (report.values[mode] == want).all()
    assert set(np.unique(report.samples[:, 0])) == {
        report.values["rtn"][0],
        report.values["rtp"][0],
    }
    assert not y.any()
    both = stability.rerun(program.sums, 1, None, x, y, np.zeros(1, np.int32))
    assert len(both) == 2 and x.tolist() == np.array([0.01, 1], hc.half).tolist()


@pytest.mark.parametrize(
    "expression",
    ["exp(x[i])", "sqrt(x[i])", "dot((half2)(x[i], 0.3h), (half2)(0.7h, 0.9h))", "sinpi(x[i])"],
)
def test_stochastic_rounding_of_built_in_functions(expression):
    """But not in the modes, nor where a pragma says one: there they are rounded to nearest."""
    head = """
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        #pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
    """
    body = f"""
        kernel void f(global const half *x, global half *y) {{
            size_t i = get_global_id(0);
            y[i] = {expression};
        }}"""
    x = np.linspace(0.1, 1, 16).astype(hc.half)
    for pragma, is_random in (("", True), ("#pragma OPENCL SELECT_ROUNDING_MODE rtp\n", False)):
        kernel = cl.Program(head + pragma + body).f
        report = stability.rerun(kernel, 16, None, x, np.zeros(16, hc.half), samples=20, rng=1)
        nearest = report.values["rte"].astype(float)
        assert (report.spread == 0).all()
        samples = report.samples.astype(float)
        assert (samples != nearest).any() == is_random
        assert (np.abs(samples - nearest) <= 2.0**-9).all()  # neighbours


SHARED = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global const half *x, global half *y, global ushort *bits) {
    size_t i = get_global_id(0);
    y[i] = x[i] / 3;
    y[i] = x[i] + 1;
    bits[i] ^= 1;
}
kernel void paint(write_only image2d_t out, global half *y) {
    int i = get_global_id(0);
    y[i] /= 3;
    write_imagef(out, (int2)(i, 0), (float4)(y[i]));
}"""


def test_copies_for_reruns_overlap_as_the_arguments_do():
    """Reads of one array see what was stored through another one."""
    f = cl.Program(SHARED).f
    x = np.linspace(0.1, 2, 9).astype(hc.half)
    wanted, before = x.copy(), x.copy()
    f(8, None, wanted[1:], wanted[1:], wanted[1:].view(np.uint16))
    results = f.pure()(8, None, x[1:], x[1:], x[1:].view(np.uint16))
    assert (results == wanted[1:]).all() and not (results == before[1:] / 3 + 1).all()
    assert (x == before).all()
    alone = f.pure()(8, None, x[1:], np.zeros(8, hc.half), np.zeros(8, np.uint16))
    assert (alone == x[1:] + 1).all()


def test_reruns_leave_images_as_they_were():
    form = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.HALF_FLOAT)
    image = hc.Image(np.ones((1, 4, 4), hc.half), form)
    y = np.array([0.1, 0.2, 0.3, 1.5], hc.half)
    report = stability.rerun(cl.Program(SHARED).paint, 4, None, image, y)
    assert (report.values["rte"] == y / 3).all()
    assert (image.array == 1).all() and y[3] == 1.5


def test_rerun_of_functions_that_launch_kernels():
    program = cl.Program(DRIFT)

    def function(x):
        y = np.zeros_like(x)
        program.drift(x.size, None, x, y)
        return y

    x = np.array([0.01, 1], hc.half)
    assert stability.rerun(function, x).stable.tolist() == [False, True]


def test_compare_takes_kernels():
    program = cl.Program(DRIFT)
    x, y = np.array([0.01, 1], hc.half), np.zeros(2, hc.half)
    report = stability.compare([program.drift, program.exact], 2, None, x, y)
    assert [one.name for one in report] == ["drift", "exact"]
    assert not report[0].stable.all() and report[1].stable.all()
    assert report.enclosures == (None, None) and all(report.reasons)


def test_a_kernel_without_results_is_refused():
    with pytest.raises(TypeError, match=r"^integers: expected a parameter that points to half"):
        stability.rerun(cl.Program(DRIFT).integers, 1, None, np.zeros(1, np.int32))


def test_dimension_argument_may_differ_among_items():
    names = "global_size global_id local_size local_id num_groups group_id global_offset".split()
    lines = "".join(
        f"p[{2 * k}][i] = get_{name}(which[i]);"
        f"p[{2 * k + 1}][i] = which[i] == 0 ? get_{name}(0) : which[i] == 1 ? get_{name}(1)"
        f" : get_{name}(2);"
        for k, name in enumerate(names)
    )
    program = cl.Program(
        "kernel void f(global ulong (*p)[16], global const int *which)"
        f"{{ size_t i = get_global_id(0) + 8 * get_global_id(1); {lines} }}"
        "kernel void g(global int *p)"
        "{ p[get_global_id(0)] = get_global_size(get_global_id(0)); }"
    )
    actual = np.zeros((len(names), 2, 16), np.uint64)
    program.f((8, 2), (4, 1), actual, np.arange(16, dtype=np.int32) % 4)
    assert np.array_equal(actual[:, 0], actual[:, 1])
    assert actual[0, 0, :4].tolist() == [8, 2, 1, 1] and actual[1, 0, 9] == 1
    sizes = np.zeros(4, np.int32)
    program.g(4, None, sizes)
    assert sizes.tolist() == [4, 1, 1, 1]
