"""Integer functions in kernels: all eight types and all widths, beside Python's integers."""

import numpy as np
import pytest
from cl_builtins import DTYPES, INTEGERS, WIDTHS, Calls, same, values
from exhaustive import shared_out

from halfcl import cl
from halfcl.cl._frontend.types import INT
from halfcl.cl._interpreter import builtins
from halfcl.cl._interpreter.values.lanes import Axes, Ramp

pytestmark = [shared_out, pytest.mark.once]

ALL_WIDTHS = ("", *WIDTHS)
ITEMS = 61


def limits(element):
    info = np.iinfo(DTYPES[element])
    return int(info.min), int(info.max), info.bits


def wrap(n, element):
    low, _, bits = limits(element)
    n &= (1 << bits) - 1
    return n - (1 << bits) if low and n >> (bits - 1) else n


def saturate(n, element):
    low, high, _ = limits(element)
    return min(max(n, low), high)


def pattern(n, element):
    return n & ((1 << limits(element)[2]) - 1)


def rotate(a, b, t):
    bits = limits(t)[2]
    count, code = b % bits, pattern(a, t)
    return wrap(code << count | code >> (bits - count), t)


#: Of Python's integers, and the type's name.
FUNCTIONS = {
    "abs": lambda a, t: abs(a),
    "abs_diff": lambda a, b, t: abs(a - b),
    "add_sat": lambda a, b, t: saturate(a + b, t),
    "sub_sat": lambda a, b, t: saturate(a - b, t),
    "hadd": lambda a, b, t: (a + b) >> 1,
    "rhadd": lambda a, b, t: (a + b + 1) >> 1,
    "clz": lambda a, t: limits(t)[2] - pattern(a, t).bit_length(),
    "popcount": lambda a, t: bin(pattern(a, t)).count("1"),
    "max": lambda a, b, t: max(a, b),
    "min": lambda a, b, t: min(a, b),
    "mul_hi": lambda a, b, t: a * b >> limits(t)[2],
    "mad_hi": lambda a, b, c, t: wrap((a * b >> limits(t)[2]) + c, t),
    "mad_sat": lambda a, b, c, t: saturate(a * b + c, t),
    "rotate": rotate,
    "clamp": lambda a, b, c, t: min(max(a, b), c),
    "mul24": lambda a, b, t: wrap(a * b, t),
    "mad24": lambda a, b, c, t: wrap(a * b + c, t),
}
ONLY_32 = ("mul24", "mad24")
UPSAMPLE = {"char": "short", "uchar": "ushort", "short": "int", "ushort": "uint", "int": "long",
            "uint": "ulong"}  # fmt: skip


def widths_of(name, element):
    """Scalars, three components, and in turn one of the other widths."""
    turn = list(FUNCTIONS).index(name) + INTEGERS.index(element)
    return "", 3, (2, 4, 8, 16)[turn % 4]


def count_of(name):
    return FUNCTIONS[name].__code__.co_argcount - 1


def types_of(name):
    return ("int", "uint") if name in ONLY_32 else INTEGERS


def result_of(name, element):
    return "u" + element.lstrip("u") if name in ("abs", "abs_diff") else element


def as_unsigned(element):
    return "u" + element.lstrip("u")


@pytest.fixture(scope="module")
def calls():
    calls = Calls()
    for name in FUNCTIONS:
        for t in types_of(name):
            for n in widths_of(name, t):
                calls.add(name, [f"{t}{n}"] * count_of(name), f"{result_of(name, t)}{n}")
    for n in ALL_WIDTHS:
        for t, wide in UPSAMPLE.items():
            calls.add("upsample", [f"{t}{n}", f"{as_unsigned(t)}{n}"], f"{wide}{n}")
        for t in INTEGERS:
            if n:
                for name, count in (("max", 1), ("min", 1), ("clamp", 2)):
                    calls.add(name, [f"{t}{n}", *[t] * count], f"{t}{n}")
            calls.add("bitselect", [f"{t}{n}"] * 3, f"{t}{n}")
            if not t.startswith("u"):
                calls.add("any", [f"{t}{n}"], "int")
                calls.add("all", [f"{t}{n}"], "int")
    return calls


def numbers(element, n, seed):
    return values(element, ITEMS * (n or 1), seed).reshape(ITEMS, -1)


def arguments(name, element, n, count):
    arrays = [numbers(element, n, seed) for seed in range(count)]
    if name == "clamp":  # of low <= high
        arrays[1:] = np.minimum(*arrays[1:]), np.maximum(*arrays[1:])
    if name in ONLY_32:  # of 24 bits
        arrays[:2] = [a >> 8 for a in arrays[:2]]
    return arrays


def compute(function, arrays, element, result):
    rows = zip(*(a.ravel().tolist() for a in arrays), strict=True)
    return np.array([function(*row, element) for row in rows], DTYPES[result])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integer_functions_are_exact(calls, name):
    for t in types_of(name):
        for n in widths_of(name, t):
            arrays = arguments(name, t, n, count_of(name))
            result = result_of(name, t)
            wanted = compute(FUNCTIONS[name], arrays, t, result)
            actual = calls.run((name, (f"{t}{n}",) * len(arrays), f"{result}{n}"), *arrays)
            same(actual, wanted.reshape(actual.shape), (name, t, n))


@pytest.mark.parametrize("name", ["max", "min", "clamp"])
def test_scalars_beside_vectors(calls, name):
    for t in INTEGERS:
        for n in WIDTHS:
            arrays = arguments(name, t, 1, count_of(name))
            arrays[0] = numbers(t, n, 5)
            key = (name, (f"{t}{n}", *(t,) * (len(arrays) - 1)), f"{t}{n}")
            full = [np.broadcast_to(a, (ITEMS, n)) for a in arrays]
            wanted = compute(FUNCTIONS[name], full, t, t)
            same(calls.run(key, *arrays), wanted.reshape(ITEMS, n), key)


def test_upsample(calls):
    for t, wide in UPSAMPLE.items():
        bits = limits(t)[2]
        for n in ALL_WIDTHS:
            high, low = numbers(t, n, 1), numbers(as_unsigned(t), n, 2)
            key = ("upsample", (f"{t}{n}", f"{as_unsigned(t)}{n}"), f"{wide}{n}")
            wanted = [int(h) << bits | int(k) for h, k in zip(high.flat, low.flat, strict=True)]
            same(calls.run(key, high, low), np.array(wanted, DTYPES[wide]).reshape(ITEMS, -1), key)


def test_bitselect(calls):
    for t in INTEGERS:
        for n in ALL_WIDTHS:
            a, b, c = (numbers(t, n, seed) for seed in range(3))
            actual = calls.run(("bitselect", (f"{t}{n}",) * 3, f"{t}{n}"), a, b, c)
            same(actual, a & ~c | b & c, (t, n))


def test_any_and_all_ask_top_bits(calls):
    for t in INTEGERS[::2]:
        for n in ALL_WIDTHS:
            x = numbers(t, n, 6)
            x[::4], x[1::4] = -np.abs(x[::4]) - 1, np.abs(x[1::4]) // 2
            for name, combine in (("any", any), ("all", all)):
                wanted = [[int(combine(v < 0 for v in row))] for row in x.tolist()]
                same(calls.run((name, (f"{t}{n}",), "int"), x), np.array(wanted), (name, t, n))


#: What is the same for all items stays one number, and what differs evenly may.
UNIFORM = """
kernel void k(global long *out, int n) {
    size_t i = get_global_id(0);
    global long *o = out + 24 * i;
    o[0] = abs(n - 9); o[1] = abs_diff((char)n, (char)-100);
    o[2] = add_sat((short)(n + 32760), (short)9);
    o[3] = sub_sat((uint)n, 9u); o[4] = hadd(n, 8); o[5] = rhadd(n, 8); o[6] = clz((ushort)n);
    o[7] = popcount((ulong)-n); o[8] = max(n, -3); o[9] = min((uchar)n, (uchar)3);
    o[10] = mul_hi((long)n << 40, -1l << 40); o[11] = mad_sat((char)n, (char)n, (char)120);
    o[12] = rotate((uchar)n, (uchar)9); o[13] = upsample((char)-n, (uchar)n);
    o[14] = mad24(n, n, 1);
    o[15] = clamp((int)i - 2, 0, 3); o[16] = max((int)i, 2); o[17] = min((int)i, 100);
    o[18] = max((int)i, -1); o[19] = abs((int)i - 3); o[20] = any((int)i - 1);
    o[21] = any((char4)(n)) + 2 * all((int2)(-n)); o[22] = bitselect(n, 12, 6);
    o[23] = select((uchar)n, (uchar)9, (uchar)i);
}
"""


def test_uniform_and_ramp_arguments():
    program, out = cl.Program(UNIFORM), np.zeros((6, 24), np.int64)
    program.k(6, None, out, 5)
    for i in range(6):
        assert out[i].tolist() == [
            4, 105, 32767, 0, 6, 7, 13, 63, 5, 3, -5 << 16, 127, 10, (-5 << 8) + 5, 26,
            min(max(i - 2, 0), 3), max(i, 2), i, i, abs(i - 3), i < 1, 2, 4 + (5 & ~6),
            9 if i else 5,
        ]  # fmt: skip


def test_min_max_of_ramps_with_disjoint_bounds_are_ramps():
    """So that loads by a clamped index stay even: a[clamp(i + 1, 0, n - 1)]."""
    ramp = Ramp(5, (1,), Axes((8,)))  # 5 to 12
    clamp = builtins.find("clamp", (INT, INT, INT), INT, "rte")
    assert clamp(ramp, 0, 100) is ramp and clamp(ramp, 20, 30) == 20
    assert clamp(ramp, 0, 9).tolist() == [5, 6, 7, 8, 9, 9, 9, 9]
