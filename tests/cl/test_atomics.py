"""Atomic functions, against a loop over the items in Python."""

import re

import cl_c11_atomics
import cuda_host
import numpy as np
import pytest
from exhaustive import one_in

from halfcl import cl

ITEMS = 300


def wrap(x, dtype):
    return int(np.array(x & 0xFFFFFFFF, np.uint32).view(dtype))


OPERATIONS = {
    "add": lambda old, x: old + x,
    "sub": lambda old, x: old - x,
    "min": min,
    "max": max,
    "and": lambda old, x: old & x,
    "or": lambda old, x: old | x,
    "xor": lambda old, x: old ^ x,
    "xchg": lambda old, x: x,
}


def one_by_one(operation, memory, where, *operands):
    """Memory afterwards, and what each item has found."""
    dtype, memory, old_values = memory.dtype, memory.tolist(), []
    for place, *values in zip(where.tolist(), *(x.tolist() for x in operands), strict=True):
        old_values.append(memory[place])
        memory[place] = wrap(operation(memory[place], *values), dtype)
    return memory, old_values


def random_integers(rng, size, dtype):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, size, dtype, endpoint=True)


@one_in(2)
@pytest.mark.parametrize("addresses", [1, 7, 1000])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_all_operations(dtype, addresses):
    rng = np.random.default_rng(addresses)
    type_ = "int" if dtype is np.int32 else "uint"
    kernels = "".join(
        f"""kernel void k_{p}_{name}(global T *m, global const int *w, global T *x, global T *o)
            {{ int i = get_global_id(0); if (w[i] >= 0) o[i] = {p}_{name}(m + w[i], x[i]); }}
        kernel void k_{p}_{name}_unused(global T *m, global const int *w, global T *x, global T *o)
            {{ int i = get_global_id(0); if (w[i] >= 0) {p}_{name}(m + w[i], x[i]); }}"""
        for name in OPERATIONS
        for p in ("atomic", "atom")
    ).replace("T ", f"{type_} ")
    program = cl.Program(kernels)
    for name, operation in OPERATIONS.items():
        where = rng.integers(-1, addresses, ITEMS).astype(np.int32)
        active = where >= 0
        x, memory = (random_integers(rng, n, dtype) for n in (ITEMS, addresses))
        wanted, olds = one_by_one(operation, memory, where[active], x[active])
        for kernel in (f"atomic_{name}", f"atom_{name}"):
            got, out = memory.copy(), np.zeros(ITEMS, dtype)
            getattr(program, f"k_{kernel}")(ITEMS, None, got, where, x, out)
            assert (got.tolist(), out[active].tolist()) == (wanted, olds), kernel
            assert not out[~active].any()
            got = memory.copy()
            getattr(program, f"k_{kernel}_unused")(ITEMS, None, got, where, x, out)
            assert got.tolist() == wanted, kernel


@pytest.mark.parametrize("addresses", [1, 3, 50])
@pytest.mark.parametrize("expects_one", [True, False])
def test_compare_and_exchange(addresses, expects_one):
    rng = np.random.default_rng(addresses)
    program = cl.Program(
        """kernel void k(global int *m, global int *w, global int *c, global int *x, global int *o)
        { int i = get_global_id(0); o[i] = atomic_cmpxchg(m + w[i], c[i], x[i]); }"""
    )
    for _ in range(20):
        where = rng.integers(0, addresses, ITEMS).astype(np.int32)
        expected, x, memory = (
            rng.integers(0, 3, n).astype(np.int32) for n in (ITEMS, ITEMS, addresses)
        )
        if expects_one:
            expected = where % 3
        wanted, olds = one_by_one(
            lambda old, c, x: x if old == c else old, memory, where, expected, x
        )
        out = np.zeros(ITEMS, np.int32)
        program.k(ITEMS, None, memory, where, expected, x, out)
        assert (memory.tolist(), out.tolist()) == (wanted, olds)


def test_increments_and_floats():
    program = cl.Program(
        """kernel void k(volatile global uint *n, global int *m, global float *f, global float *o) {
            int i = get_global_id(0); uint old = atomic_inc(n); atomic_dec(m); atom_inc(n + 1);
            o[i] = atomic_xchg(f, (float)old); atom_dec(m + i % 2); }"""
    )
    n, m = np.array([5, 0xFFFFFFFF], np.uint32), np.array([0, -(2**31)], np.int32)
    f, out = np.array([0.5], np.float32), np.zeros(4, np.float32)
    program.k(4, None, n, m, f, out)
    assert n.tolist() == [9, 3]
    assert m.tolist() == [-6, 2**31 - 2]
    assert (f.tolist(), out.tolist()) == ([8], [0.5, 5, 6, 7])


def test_local_memory_and_structures():
    program = cl.Program(
        """struct S { float f; int n[2]; };
        kernel void k(global int *o) { local struct S s; local int t; int l = get_local_id(0);
            if (l == 0) { s.n[1] = 0; t = -1; } barrier(1);
            if (l % 3 == 1) atomic_add(&s.n[1], l); atomic_max(&t, l * 7 % 5); barrier(1);
            o[get_global_id(0)] = s.n[1] * 10 + t; }"""
    )
    out = np.zeros(16, np.int32)
    program.k(16, 8, out)
    assert out.tolist() == [(1 + 4 + 7) * 10 + 4] * 16


def test_atomics_through_pointers_into_different_buffers():
    program = cl.Program(
        """kernel void k(global int *a, global int *b, global int *o) { int i = get_global_id(0);
            o[i] = atomic_add(i & 1 ? a : b, i); }"""
    )
    a, b, out = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(6, np.int32)
    program.k(6, None, a, b, out)
    assert (a[0], b[0], out.tolist()) == (9, 6, [0, 0, 0, 1, 2, 4])


def test_addition_of_floats_by_compare_and_exchange():
    program = cl.Program(
        """kernel void k(volatile global int *sum) { float x = get_global_id(0); int old, new;
            do { old = *sum; new = as_int(as_float(old) + x); }
            while (atomic_cmpxchg(sum, old, new) != old); }"""
    )
    total = np.zeros(1, np.float32)
    program.k(100, None, total.view(np.int32))
    assert total[0] == sum(range(100))


def test_a_histogram_of_many_blocks():
    program = cl.Program(
        """kernel void k(global uint *bins, global const uchar *x)
        { atomic_inc(bins + x[get_global_id(0)]); }"""
    )
    x = np.random.default_rng(1).integers(0, 256, 100_000).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    program.k(x.size, None, bins, x)
    assert (bins == np.bincount(x, minlength=256)).all()


def test_constants_are_not_changed():
    program = cl.Program(
        "kernel void k(global const int *a) { atomic_inc((volatile global int *)a); }"
    )
    a = np.zeros(1, np.int32)
    with pytest.raises(cl.LaunchError, match="write to constant global memory 'a'"):
        program.k(1, None, a)
    assert a[0] == 0


# ---------------------------------------------------------------- C11's

VERSIONS = pytest.mark.parametrize("options", ["-cl-std=CL2.0", "-cl-std=CL3.0"])


@VERSIONS
def test_atomics_of_c11(options):
    program = cl.Program(cl_c11_atomics.SOURCE, options)
    assert cl_c11_atomics.results(program) == cl_c11_atomics.EXPECTED
    source = cl_c11_atomics.SOURCE
    assert "atomic_fetch_add(&n[i].count, 3);" in cl.translate(source, options=options)
    with pytest.raises(cl.BuildError, match="atomic_int"):
        cl.Program(source)


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_atomics_of_c11_in_cuda():
    with cuda_host.in_place_of_cupy():
        program = cl.Program(cl_c11_atomics.SOURCE, "-cl-std=CL2.0", device="cuda")
        assert cl_c11_atomics.results(program) == cl_c11_atomics.EXPECTED


def test_only_atomic_accesses_are_no_races():
    source = """kernel void k(global atomic_int *a, global int *o) {
        local atomic_int s;
        atomic_store(&s, 3);
        if (atomic_load(a) > 7) atomic_store(a, 1);
        o[get_global_id(0)] = atomic_load(&s) + atomic_fetch_add(a + 1, 1);
        OTHER
    }"""
    o = np.zeros(8, np.int32)
    program = cl.Program(source.replace("OTHER", ""), "-cl-std=CL2.0")
    program.k(8, 4, np.zeros(2, np.int32), o, check=True)
    program = cl.Program(source.replace("OTHER", "*(global int *)a = 3;"), "-cl-std=CL2.0")
    with pytest.raises(cl.CheckError, match="race: global a, byte 0"):
        program.k(8, 4, np.zeros(2, np.int32), o, check=True)
    unset = "kernel void k(global int *o) { local atomic_int s; o[0] = atomic_load(&s); }"
    with pytest.raises(cl.CheckError, match="uninitialized read: local s"):
        cl.Program(unset, "-cl-std=CL2.0").k(1, 1, o, check=True)


@pytest.mark.parametrize("bits", [32, 64])
def test_compilers_functions(bits):
    """Functions of integers against Python's."""
    word, type_ = ("l", "ulong") if bits == 64 else ("", "uint")
    names = [f"{n}{word}" for n in ("popcount", "parity", "ffs", "clz", "ctz")]
    names += [f"bswap{bits}", f"bitreverse{bits}"]
    calls = " ".join(f"o[8 * i + {k}] = __builtin_{name}(x);" for k, name in enumerate(names))
    source = f"""kernel void k(global const {type_} *in, global ulong *o) {{
        size_t i = get_global_id(0); {type_} x = in[i]; {calls} }}"""
    rng = np.random.default_rng(1)
    x = rng.integers(1, 1 << bits, 64, np.uint64) >> rng.integers(0, bits, 64).astype(np.uint64)
    x = np.maximum(x, 1).astype(f"u{bits // 8}")
    numbers = [int(v) for v in x]
    expected = [
        [
            v.bit_count(), v.bit_count() % 2, (v & -v).bit_length(), bits - v.bit_length(),
            (v & -v).bit_length() - 1, int.from_bytes(v.to_bytes(bits // 8, "little"), "big"),
            int(f"{v:0{bits}b}"[::-1], 2), 0,
        ]
        for v in numbers
    ]  # fmt: skip
    programs = [cl.Program(source)]
    text = cl.translate(source)
    if bits == 64:  # NVIDIA's compiler turns 128 bits around
        assert not re.search(r"__builtin_(bswap|bitreverse)64", text)
    for program in programs:
        o = np.zeros(8 * 64, np.uint64)
        program.k(64, None, x, o)
        assert o.reshape(64, 8).tolist() == expected
    if cuda_host.GXX is not None:
        with cuda_host.in_place_of_cupy():
            o = np.zeros(8 * 64, np.uint64)
            cl.Program(source, device="cuda").k(64, None, x, o)
        assert o.reshape(64, 8).tolist() == expected


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
@pytest.mark.parametrize("type_", ["long", "ulong"])
def test_atomics_of_64_bits_in_cuda(type_):
    source = f"""kernel void k(volatile global {type_} *m) {{
        {type_} i = get_global_id(0);
        atom_add(m, i << 33); atom_sub(m + 1, i); atom_min(m + 2, 100 - i); atom_max(m + 3, i);
        atom_and(m + 4, ~(({type_})1 << i)); atom_or(m + 5, ({type_})1 << (i + 40));
        atom_xor(m + 6, i << 35); atom_inc(m + 7); atom_dec(m + 8);
        atom_cmpxchg(m + 9, 7, 1L << 50); atom_xchg(m + 10, ({type_})5 << 40);
    }}"""
    results = []
    with cuda_host.in_place_of_cupy():
        for more in ({}, {"device": "cuda"}):
            m = np.full(11, 7, "i8" if type_ == "long" else "u8")
            cl.Program(source, **more).k(16, 4, m)
            results.append(m.tolist())
    assert results[0] == results[1]
