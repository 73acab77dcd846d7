"""Sub-groups of kernels, here and on a device."""

import numpy as np

import halfcl as hc
from halfcl import cl

SUB_GROUPS = """
#pragma OPENCL EXTENSION all : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
float sum(float x);
__attribute__((overloadable)) uint lane(void);
float sum(float x) { return sub_group_reduce_add(x); }
__attribute__((overloadable)) uint lane(void) { return get_sub_group_local_id(); }
kernel void k(global float *f, global half *h, global long *n) {
    size_t i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    n[i] = lane() + 100 * get_sub_group_id() + 10000 * get_num_sub_groups();
    n[i] += (long)get_sub_group_size() << 32 | (long)get_max_sub_group_size() << 48;
    f[i] = sum(f[i]) + sub_group_scan_exclusive_max(f[i]);
    h[i] = sub_group_scan_inclusive_add(h[i]) + sub_group_shuffle_down(h[i], 3u);
    h[i] -= sub_group_scan_exclusive_min(h[i]) * sub_group_broadcast(h[i], 1);
    if (get_group_id(0) < 5) n[i] += sub_group_non_uniform_scan_inclusive_mul(n[i] | 1);
    f[i] += sub_group_shuffle_up(f[i], 2u) + sub_group_broadcast((float4)(f[i], i, 1, 2), 0).y;
    n[i] ^= sub_group_scan_exclusive_add((char)i) + sub_group_shuffle_xor((ushort)i, 5u);
    n[i] += sub_group_any(h[i] > 1) + 2 * sub_group_all(f[i] > 0) + sub_group_reduce_min(-(long)i);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}
"""

#: Two sub-groups of a group, of which one calls.
ONE_SUB_GROUP = """kernel void k(global int *a) {
    int i = get_global_id(0);
    if (get_sub_group_id() == 0) a[i] = sub_group_reduce_add(i);
}"""

SIZES = [None, 1, 8, 64]
GROUPS = [((96,), (32,)), ((70,), (35,)), ((12, 6), (4, 2)), ((51,), (17,))]


def assert_alike(size, items, group, **device):
    """device: of cl.Program, there."""
    count = int(np.prod(items))
    rng = np.random.default_rng(5)
    inputs = rng.normal(size=count).astype("f4"), rng.normal(size=count).astype("f2")
    results = []
    for more in ({}, device):
        arrays = [*(x.copy() for x in inputs), np.zeros(count, "i8")]
        cl.Program(SUB_GROUPS, **more).k(items, group, *arrays, sub_group_size=size)
        results.append([x.tobytes() for x in arrays])
    assert results[0] == results[1]


def assert_one_sub_group_alike(**device):
    """One alone may go its own way; of several in a group none may. The program there."""
    results = []
    for more in ({}, device):
        program = cl.Program(ONE_SUB_GROUP, "-cl-std=CL3.0" if not more else "", **more)
        results.append(np.zeros(32, np.int32))
        program.k(32, 16, results[-1])
    assert results[0].tolist() == results[1].tolist()
    return program


# ---------------------------------------------------------------- every function of every type

_DTYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "long": "i8", "ulong": "u8", "half": hc.half, "float": "f4", "double": "f8",
}  # fmt: skip
_KINDS = ("reduce", "scan_inclusive", "scan_exclusive")
_OPERATIONS = ("add", "mul", "min", "max", "and", "or", "xor")
_UNIFORM = ("add", "min", "max")


def _calls(type_, step):
    """All that a work-item may compute of its x; or one in so many, of each type others.

    Of float and double together all, and of halves: their texts are their own."""
    is_floating = type_ in ("half", "float", "double")
    operations = _OPERATIONS[:4] if is_floating else _OPERATIONS
    calls = [
        f"sub_group_{'' if operation in _UNIFORM else 'non_uniform_'}{kind}_{operation}(x)"
        for kind in _KINDS for operation in operations
    ]  # fmt: skip
    calls += [f"sub_group_{name}" for name in (
        "shuffle(x, (uint)(3 * i))", "shuffle_xor(x, 3u)", "shuffle_up(x, i & 3u)",
        "shuffle_down(x, i & 7u)", "broadcast(x, 2u)", f"broadcast(({type_}3)(x, 1, 2), 1u).x",
        "broadcast_first(x)", "rotate(x, (int)i - 5)", "rotate(x, 1)",
        "clustered_rotate(x, (int)i, 4u)", "clustered_rotate(x, -1, 2u)",
        "non_uniform_all_equal(x)", f"non_uniform_all_equal(({type_})get_sub_group_id())",
    )]  # fmt: skip
    calls += [
        f"intel_sub_group_shuffle_{way}({a}, {b}, i % 75)"
        for way in ("up", "down")
        for a, b in (("x", f"({type_})i"), (f"({type_}2)(1, x)", f"({type_}2)(x)"))
    ]
    calls = [f"{c}.y" if f"({type_}2)" in c else c for c in calls]
    calls += [
        f"sub_group_clustered_reduce_{operation}(x, {size}u)"
        for operation in operations for size in (1, 2, 4)
    ]  # fmt: skip
    if type_ == "int":
        calls += [
            f"sub_group_{fold}_logical_{operation}(x & {bits}{more})"
            for operation in ("and", "or", "xor") for bits in (1, 64)
            for fold, more in [(f"non_uniform_{kind}", "") for kind in _KINDS]
            + [("clustered_reduce", ", 4u")]
        ]  # fmt: skip
    if is_floating:
        step = 1 if type_ == "half" else min(step, 2)
    return calls[list(_DTYPES).index(type_) % step :: step]


_BALLOTS = """kernel void ballots(global const uint4 *in, global uint4 *out) {
    uint i = get_global_id(0); uint4 x = in[i]; out += i * 11;
    out[0] = sub_group_ballot((int)(x.x & 1)); out[1] = sub_group_ballot((int)x.y < 0);
    out[2] = get_sub_group_eq_mask(); out[3] = get_sub_group_ge_mask();
    out[4] = get_sub_group_gt_mask(); out[5] = get_sub_group_le_mask();
    out[6] = get_sub_group_lt_mask();
    out[7] = (uint4)(sub_group_inverse_ballot(x), sub_group_ballot_bit_extract(x, i),
        sub_group_ballot_bit_extract(x, 127u), sub_group_elect());
    out[8] = (uint4)(sub_group_ballot_bit_count(x), sub_group_ballot_inclusive_scan(x),
        sub_group_ballot_exclusive_scan(x), sub_group_ballot_find_lsb(x));
    out[9] = (uint4)(sub_group_ballot_find_msb(x), sub_group_ballot_find_lsb((uint4)(0)),
        sub_group_ballot_find_msb((uint4)(0)), sub_group_ballot_find_msb((uint4)(0, i, 0, 0)));
    out[10] = (uint4)(sub_group_ballot_find_lsb((uint4)(0, 0, 0, 6)),
        sub_group_ballot_bit_count((uint4)(~0u)), sub_group_ballot_find_lsb((uint4)(0, 2, 0, 0)),
        sub_group_ballot_bit_extract((uint4)(5, 0, 8, 0), i + 64));
}
"""


def assert_ballots_alike(size, items, group, **device):
    inputs = np.random.default_rng(3).integers(0, 1 << 32, (items, 4)).astype(np.uint32)
    inputs[1], inputs[2] = 0, 0xFFFFFFFF
    outs = []
    for more in ({}, device):
        outs.append(np.zeros((items, 44), np.uint32))
        program = cl.Program(_BALLOTS, "-cl-std=CL3.0", **more)
        program.ballots(items, group, inputs, outs[-1], sub_group_size=size)
    assert outs[0].tolist() == outs[1].tolist()


def work_groups(type_):
    """The functions of work-groups, and how many of them: of x, i being the item's number."""
    names = [f"{kind}_{operation}(x)" for kind in _KINDS for operation in _UNIFORM]
    names += ["broadcast(x, 5)", "broadcast(x, 1, 2)", "broadcast(x, 2, 1, 1)"]
    names += ["any(x > 700)", "any(x > 9000)", "all(x < 9000)", "all((int)x < 0)"]
    lines = "".join(f"    out[{k}] = work_group_{name};\n" for k, name in enumerate(names))
    return (
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        f"kernel void k(global const {type_} *in, global {type_} *out) {{\n"
        "    size_t i = get_global_linear_id();\n"
        f"    {type_} x = in[i]; out += i * {len(names)};\n{lines}}}"
    ), len(names)


def assert_work_groups_alike(type_, **device):
    source, count = work_groups(type_)
    rng = np.random.default_rng(4)
    inputs = rng.normal(0, 300, 120).astype("f4").astype(_DTYPES[type_])
    if np.dtype(inputs.dtype).kind not in "iu":
        inputs[[3, 70]] = -0.0, np.inf
    outs = []
    for more in ({}, device):
        outs.append(np.zeros((len(inputs), count), inputs.dtype))
        cl.Program(source, "-cl-std=CL3.0", **more).k((12, 5, 2), (6, 5, 2), inputs, outs[-1])
    wrong = [k for k in range(count) if not _are_same(*(o[:, k] for o in outs))]
    assert not wrong


def every_function(step):
    """A kernel for each type, k_TYPE."""
    kernels = [SUB_GROUPS.partition("float sum")[0]]
    for type_ in _DTYPES:
        calls = _calls(type_, step)
        lines = "".join(f"    out[{k}] = {call};\n" for k, call in enumerate(calls))
        kernels.append(
            f"kernel void k_{type_}(global const {type_} *in, global {type_} *out) {{\n"
            f"    uint i = get_global_id(0); {type_} x = in[i]; out += i * {len(calls)};\n{lines}}}"
        )
    return "\n".join(kernels)


def assert_all_alike(size, step=1, **device):
    programs = [cl.Program(every_function(step), **more) for more in ({}, device)]
    items, rng = 72, np.random.default_rng(9)
    for type_, dtype in _DTYPES.items():
        calls = _calls(type_, step)
        inputs = rng.integers(0, 256, (items, np.dtype(dtype).itemsize), np.uint8).view(dtype)[:, 0]
        if np.dtype(dtype).kind not in "iu":  # one NaN leaves little to compare
            inputs = rng.normal(0, 2, items).astype("f4").astype(dtype)
            inputs[[3, 40]] = -0.0, np.inf
        outs = [np.zeros((items, len(calls)), dtype) for _ in programs]
        for program, out in zip(programs, outs, strict=True):
            program[f"k_{type_}"](items, 36, inputs, out.reshape(-1), sub_group_size=size)
        wrong = {calls[k] for k in range(len(calls)) if not _are_same(*(o[:, k] for o in outs))}
        assert not wrong, f"{type_}: {sorted(wrong)}"


def assert_vectors_alike(**device):
    """Vectors of every type and width, of which several components are exchanged at once."""
    head, items, starts = SUB_GROUPS.partition("float sum")[0], 48, {2: 0, 3: 2, 4: 5, 8: 9, 16: 17}
    lines = [
        f"    vstore{n}(intel_sub_group_shuffle(vload{n}(i, in + {items * start}), (5 * i) & 7u), "
        f"i, out + {items * start});\n"
        for n, start in starts.items()
    ]
    kernels = [
        f"kernel void v_{type_}(global const {type_} *in, global {type_} *out) {{\n"
        f"    uint i = get_global_id(0);\n{''.join(lines)}}}"
        for type_ in _DTYPES
    ]
    program = cl.Program("\n".join([head, *kernels]), **device)
    rng, i = np.random.default_rng(12), np.arange(items)
    for type_, dtype in _DTYPES.items():
        inputs = rng.integers(0, 100, items * 33).astype(dtype)
        out = np.zeros_like(inputs)
        program[f"v_{type_}"](items, 24, inputs, out, sub_group_size=8)
        for n, start in starts.items():
            part = slice(items * start, items * (start + n))
            right = inputs[part].reshape(items, n)[i // 8 * 8 + 5 * i % 8]
            assert (out[part].reshape(items, n) == right).all(), (type_, n)


def _are_same(a, b):
    """By bits, but for NaNs."""
    if a.dtype.kind in "iu":
        return a.tobytes() == b.tobytes()
    wide = [np.asarray(x).astype("f8") for x in (a, b)]
    return all(
        (x == y and np.signbit(x) == np.signbit(y)) or (x != x and y != y)
        for x, y in zip(*wide, strict=True)
    )
