"""Sub-groups of kernels, here and on a device."""

import numpy as np

import halfcl as hc
from halfcl import cl

TEAMS = """
#pragma OPENCL EXTENSION all : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
float sum(float x) { return sub_group_reduce_add(x); }
uint lane(void) { return get_sub_group_local_id(); }
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

#: Two teams of a group, of which one calls.
ONE_TEAM = """kernel void k(global int *a) {
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
        cl.Program(TEAMS, **more).k(items, group, *arrays, sub_group_size=size)
        results.append([x.tobytes() for x in arrays])
    assert results[0] == results[1]


def assert_one_team_alike(**device):
    """One alone may go its own way; of several in a group none may. The program there."""
    results = []
    for more in ({}, device):
        program = cl.Program(ONE_TEAM, "-cl-std=CL3.0" if not more else "", **more)
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
    )]  # fmt: skip
    if is_floating:
        step = 1 if type_ == "half" else min(step, 2)
    return calls[list(_DTYPES).index(type_) % step :: step]


def every_function(step):
    """Return a kernel k_TYPE for each type."""
    kernels = [TEAMS.partition("float sum")[0]]
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


def _are_same(a, b):
    """By bits, but for NaNs."""
    if a.dtype.kind in "iu":
        return a.tobytes() == b.tobytes()
    wide = [np.asarray(x).astype("f8") for x in (a, b)]
    return all(
        (x == y and np.signbit(x) == np.signbit(y)) or (x != x and y != y)
        for x, y in zip(*wide, strict=True)
    )
