"""Numbers of kernels from source: arithmetic and conversions of every type in every mode, against
MPFR, which shares no code with them."""

import itertools
import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from exhaustive import in_turn, one_in

import halfcl as hc
from halfcl import cl
from halfcl.cl._frontend.types import BOOL, DOUBLE, FLOAT, HALF, SCALARS, Vector
from halfcl.cl._interpreter.values import numbers
from halfcl.cl._interpreter.values.lanes import Axes, Ramp

MODES = {
    "rte": gmpy2.RoundToNearest,
    "rtz": gmpy2.RoundToZero,
    "rtp": gmpy2.RoundUp,
    "rtn": gmpy2.RoundDown,
}

#: Bits of the significand, and MPFR's greatest and least exponents (of numbers from 1/2 to 1).
FORMATS = {HALF: (11, 16, -23), FLOAT: (24, 128, -148), DOUBLE: (53, 1024, -1073)}

OPERATIONS = {
    "add": gmpy2.add,
    "subtract": gmpy2.sub,
    "multiply": gmpy2.mul,
    "divide": gmpy2.div,
    "sqrt": gmpy2.sqrt,
    "fma": gmpy2.fma,
}


def context(scalar, mode):
    precision, emax, emin = FORMATS[scalar]
    return gmpy2.context(
        precision=precision, emax=emax, emin=emin, subnormalize=True, round=MODES[mode]
    )


def bits(array):
    """With every NaN the same."""
    result = np.array(array)
    result[np.isnan(result)] = np.nan
    return result.view(f"u{result.itemsize}")


def corners(scalar):
    """Numbers at the ends of the format and of its parts, and where sums and products are hard."""
    precision, emax, emin = FORMATS[scalar]
    least, normal = 2.0**emin / 2, 2.0 ** (emin + precision - 2)
    ulp = 2.0 ** (1 - precision)
    largest = (2 - ulp) * 2.0 ** (emax - 1)
    edges = [0, least, 3 * least, normal - least, normal, normal + least, 1 - ulp / 2, 1, 1 + ulp,
             1.5, 3, 1 / 3, 2 - ulp, ulp, ulp / 2, ulp / 4, 3 * ulp / 2, largest, largest / 2,
             largest * ulp / 2, math.sqrt(normal), math.inf]  # fmt: skip
    return np.array([*edges, *(-x for x in edges), math.nan]).astype(scalar.dtype)


def anything(scalar, count, rng):
    """Random bits; and numbers so near each other that sums, products and quotients are hard."""
    dtype = scalar.dtype
    wild = rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    near = (rng.uniform(-4, 4, count) * 2.0 ** rng.integers(-3, 4, count)).astype(dtype)
    return np.where(rng.random(count) < 0.5, wild, near)


def operands(scalar, count):
    rng = np.random.default_rng(count)
    at_ends = corners(scalar)
    some = [anything(scalar, 800, rng) for _ in range(count)]
    some.append(rng.choice(at_ends, 800))
    columns = [
        np.concatenate([rng.permutation(s) for s in some[k:] + some[:k]]) for k in range(count)
    ]
    if count == 2:
        pairs = np.array(list(itertools.product(at_ends, at_ends)), scalar.dtype)
        columns = [np.concatenate([c, p]) for c, p in zip(columns, pairs.T, strict=True)]
    if count == 3:  # a b - (a b rounded), and its neighbours
        a, b = columns[0][:800], columns[1][:800]
        c = -(a * b)
        more = [a, a, a], [b, b, b], [c, np.nextafter(c, 0 * c), np.nextafter(c, c * 2)]
        columns = [np.concatenate([x, *y]) for x, y in zip(columns, more, strict=True)]
    return columns


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scalar", [FLOAT, DOUBLE], ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_is_correctly_rounded(name, scalar, mode):
    with np.errstate(all="ignore"):
        columns = operands(scalar, {"sqrt": 1, "fma": 3}.get(name, 2))
        got = numbers.native_function(name)(*columns, rounding=mode)
    operation = OPERATIONS[name]
    exact = [[gmpy2.mpfr(float(x), 53) for x in column] for column in columns]
    with context(scalar, mode):
        wanted = [float(operation(*row)) for row in zip(*exact, strict=True)]
    np.testing.assert_array_equal(bits(got), bits(np.array(wanted, scalar.dtype)))
    assert got.dtype == scalar.dtype


@pytest.mark.parametrize("scalar", [FLOAT, DOUBLE], ids=str)
def test_the_modes_differ_and_nothing_is_raised(scalar):
    one, tiny = np.ones(1, scalar.dtype), np.full(1, np.finfo(scalar.dtype).tiny)
    with np.errstate(all="raise"):
        up, down = (numbers.binary("+", scalar, mode)(one, tiny) for mode in ("rtp", "rtn"))
        assert up > one and down == one
        assert numbers.binary("*", scalar, "rtp")(tiny, tiny) > 0
        assert np.isnan(numbers.native_function("sqrt")(-one)).all()


def test_arithmetic_takes_arrays_as_they_lie():
    rng = np.random.default_rng(3)
    for scalar in (FLOAT, DOUBLE):
        x = rng.normal(size=(4, 70)).astype(scalar.dtype)
        for y in (x[:, :1], x[:1], x[::-1, ::-1], np.asfortranarray(x), x[2:3, 3:4]):
            add = numbers.binary("+", scalar, "rtp")
            whole = np.ascontiguousarray(np.broadcast_to(y, x.shape))
            np.testing.assert_array_equal(add(x, y), add(x.copy(), whole))
        unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(scalar.dtype)
        unaligned[...] = x.reshape(-1)
        np.testing.assert_array_equal(add(unaligned, unaligned), add(x, x).reshape(-1))


# ---------------------------------------------------------------- conversions


def samples(scalar):
    rng = np.random.default_rng(7)
    if scalar.is_floating:
        whole = np.array([0.5, 1.5, 2.5, 127.5, 128, 255.5, 2**31, 2**63, 2**64 - 2**11, 65519.5])
        with np.errstate(all="ignore"):
            whole = np.concatenate([whole, -whole]).astype(scalar.dtype)
        return np.concatenate([corners(scalar), anything(scalar, 300, rng), whole])
    if scalar == BOOL:
        return np.array([False, True])
    info = np.iinfo(scalar.dtype)
    near = [info.min, info.min + 1, -1, 0, 1, info.max - 1, info.max]
    for power in range(1, info.bits):
        near += [2**power + k for k in (-1, 0, 1)]
        near += [2**power + 2 ** (power - m) + k for m in (11, 12, 24, 25, 53, 54) if power >= m
                 for k in (-1, 0, 1)]  # fmt: skip
    near += [-x for x in near]
    kept = [x for x in near if info.min <= x <= info.max]
    wild = rng.integers(info.min, info.max, 300, scalar.dtype, endpoint=True)
    return np.concatenate([np.array(kept, scalar.dtype), wild])


def to_integer(x, mode):
    if mode == "rte":
        return round(x)
    return {"rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor}[mode](x)


def reference(x, target, mode, saturates):
    """None where the standard does not say."""
    if target == BOOL:
        return x != 0
    if target.is_floating:
        exact = gmpy2.mpz(x) if isinstance(x, int) else gmpy2.mpfr(x, 53)
        with context(target, mode):
            return float(gmpy2.mpfr(exact) if isinstance(x, int) else +exact)
    info = np.iinfo(target.dtype)
    if isinstance(x, float) and not math.isfinite(x):
        limit = 0 if math.isnan(x) else int(info.max if x > 0 else info.min)
        return limit if saturates else None
    whole = x if isinstance(x, int) else to_integer(Fraction(x), mode)
    if saturates:
        return min(max(whole, int(info.min)), int(info.max))
    if info.min <= whole <= info.max:
        return whole
    return (whole - int(info.min)) % 2**info.bits + int(info.min) if isinstance(x, int) else None


def plain(array):
    if array.dtype == hc.half:
        array = array.astype(np.float32)
    return [int(x) if isinstance(x, bool) else x for x in array.tolist()]


@one_in(2)
@pytest.mark.parametrize("source", SCALARS.values(), ids=str)
def test_conversions_round_once(source):
    inputs = samples(source)
    exact = plain(inputs)
    for target, mode in itertools.product(SCALARS.values(), MODES):
        choices = (False,) if target.is_floating or target == BOOL else (False, True)
        for saturates in choices:
            with np.errstate(all="ignore"):
                got = numbers.conversion(source, target, mode, saturates)(inputs)
            assert got.dtype == target.dtype, target
            wanted = [reference(x, target, mode, saturates) for x in exact]
            if target.is_floating:
                if source == target:
                    wanted = inputs.astype(np.float64)
                with np.errstate(all="ignore"):
                    actual, hoped = (
                        bits(got),
                        bits(np.array(wanted, np.float64).astype(target.dtype)),
                    )
                np.testing.assert_array_equal(actual, hoped, f"{target} {mode}")
            else:
                wrong = [
                    (x, g, w) for x, g, w in zip(exact, got.tolist(), wanted, strict=True)
                    if w is not None and g != w
                ]  # fmt: skip
                assert not wrong, (target, mode, saturates, wrong[:5])


@pytest.mark.parametrize("target", [FLOAT, DOUBLE, HALF], ids=str)
def test_conversions_of_integers_of_all_items_and_of_ramps(target):
    long = SCALARS["long"]
    convert = numbers.conversion(long, target, "rtp")
    big = 2**62 + 1
    ramp = Ramp(2**60, (3,), Axes((50,)))
    planes = np.arange(2**60, 2**60 + 12, dtype=np.int64).reshape(4, 3)
    of_vectors = numbers.conversion(Vector(long, 4), Vector(target, 4), "rtp")
    with np.errstate(over="ignore"):
        assert float(convert(big)[0]) == reference(big, target, "rtp", False)
        assert plain(convert(ramp)) == [
            reference(2**60 + 3 * i, target, "rtp", False) for i in range(50)
        ]
        wanted = [[reference(int(x), target, "rtp", False) for x in row] for row in planes]
        assert of_vectors(planes).astype(np.float64).tolist() == wanted


# ---------------------------------------------------------------- in programs


def test_the_pragma_governs_float_and_double():
    program = cl.Program("""
        #pragma OPENCL EXTENSION cl_khr_fp64 : enable
        #pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
        #pragma OPENCL SELECT_ROUNDING_MODE rtp
        kernel void up(global float4 *a, global double *d, global const long *whole)
        {
            size_t i = get_global_id(0);
            a[i] = a[i] / 3.0f + (float4)((float)whole[i]);
            d[i] = d[i] / 3 + whole[i];
        }
        """)
    n = 100
    rng = np.random.default_rng(5)
    a, d = rng.normal(size=(n, 4)).astype(np.float32), rng.normal(size=n)
    whole = rng.integers(2**60, 2**62, n)
    wanted_a, wanted_d = np.empty_like(a), np.empty_like(d)
    for i in range(n):
        with context(FLOAT, "rtp"):
            for k in range(4):
                third = gmpy2.div(gmpy2.mpfr(float(a[i, k]), 53), gmpy2.mpfr(3))
                wanted_a[i, k] = gmpy2.add(third, gmpy2.mpfr(int(whole[i])))
        with context(DOUBLE, "rtp"):
            wanted_d[i] = gmpy2.add(gmpy2.div(gmpy2.mpfr(d[i]), 3), gmpy2.mpfr(int(whole[i])))
    program.up(n, None, a, d, whole)
    np.testing.assert_array_equal(a, wanted_a)
    np.testing.assert_array_equal(d, wanted_d)


def test_variables_of_vectors_that_are_the_same_in_all_items_blend_by_item():
    """Components first, even where all of them are one integer before and after."""
    program = cl.Program("""
        kernel void k(global int4 *out, global const int *in, global uchar *truths)
        {
            size_t i = get_global_id(0);
            int4 v = (int4)(3);
            bool b = 0;
            if (i & 1) { v = (int4)(5); b = in[i]; }
            out[i] = v;
            truths[i] = b;
        }
        """)
    out, truths = np.zeros((6, 4), np.int32), np.full(6, 9, np.uint8)
    program.k(6, None, out, np.array([7, 7, 7, 0, 256, 256], np.int32), truths)
    assert out.tolist() == [[3] * 4, [5] * 4] * 3
    assert truths.tolist() == [0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "swizzle", ["wzyx", "xz", "xxxx", "yw", "zyx", "xyz", "yxwz", "wy", "xy", "s3210", "even", "hi"]
)
def test_swizzles(swizzle):
    places = {"even": "xz", "hi": "zw"}.get(swizzle, swizzle)
    indices = [int(c) if c.isdigit() else "xyzw".index(c) for c in places.lstrip("s")]
    width = len(indices)
    program = cl.Program(f"""
        kernel void k(global const short4 *in, global short{width} *out)
        {{ size_t i = get_global_id(0); out[i] = in[i].{swizzle}; }}
        """)
    values = np.arange(40, dtype=np.int16).reshape(10, 4)
    out = np.full((10, 4 if width == 3 else width), -1, np.int16)
    program.k(10, None, values, out)
    np.testing.assert_array_equal(out[:, :width], values[:, indices])
    assert width != 3 or (out[:, 3] == -1).all()


@in_turn
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("type_", ["char", "ushort", "int", "uint", "long", "ulong"])
@pytest.mark.parametrize("function", ["({})", "convert_{}", "convert_{}_sat_rtp"])
def test_constants_out_of_range_convert_as_at_run_time(type_, function):
    """And nobody warns, of either."""
    values = "1e30f -1e30f 1e20f 3e9f -3.5f 300.0f 1e10f -2147483648.0f".split()
    convert = function.format(type_)
    stores = [f"o[{k}] = {convert}({v});" for k, v in enumerate(values)]
    stores += [f"o[{k + 8}] = {convert}(x[{k}]);" for k in range(8)]
    out, inputs = np.zeros(16, np.int64), np.array([float(v[:-1]) for v in values], np.float32)
    text = f"kernel void k(global const float *x, global long *o) {{ {' '.join(stores)} }}"
    cl.Program(text, "-w").k(1, None, inputs, out)
    assert out[:8].tolist() == out[8:].tolist()
