"""Half's built-in functions in kernels: of each name, scalars and all widths, beside halfcl's own
functions, which other tests prove. All stand under a pragma that must not touch them."""

import numpy as np
import pytest
from cl_builtins import WIDTHS, Calls, same, values
from exhaustive import shared_out

import halfcl as hc

pytestmark = [shared_out, pytest.mark.once, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

ONE = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi degrees erf
erfc exp exp10 exp2 expm1 fabs floor lgamma log log10 log1p log2 logb radians rint round rsqrt sign
sin sinh sinpi sqrt tan tanh tanpi tgamma trunc""".split()
TWO = """atan2 atan2pi copysign fdim fmax fmin fmod hypot max maxmag min minmag nextafter pow powr
remainder step""".split()
THREE = "clamp fma mad mix smoothstep".split()
#: With scalars beside a vector.
MIXED = {
    "fmax": "vs", "fmin": "vs", "max": "vs", "min": "vs", "step": "sv", "clamp": "vss",
    "mix": "vvs", "smoothstep": "ssv",
}  # fmt: skip
WITH_INT = "ldexp pown rootn".split()
WITH_POINTER = {"fract": "half", "modf": "half", "sincos": "half", "frexp": "int",
                "lgamma_r": "int"}  # fmt: skip
PREDICATES_1 = "isfinite isinf isnan isnormal signbit".split()
PREDICATES_2 = """isequal isgreater isgreaterequal isless islessequal islessgreater isnotequal
isordered isunordered""".split()
ALL_WIDTHS = ("", *WIDTHS)
ITEMS = 97


@pytest.fixture(scope="module")
def calls():
    calls = Calls()
    for n in ALL_WIDTHS:
        half, integer = f"half{n}", f"int{n}"
        for count, names in enumerate((ONE, TWO, THREE), 1):
            for name in names:
                calls.add(name, [half] * count, half)
        for name in WITH_INT:
            calls.add(name, [half, integer], half)
        for name, pointee in WITH_POINTER.items():
            calls.add(name, [half], half, f"{pointee}{n}")
        calls.add("remquo", [half, half], half, integer)
        calls.add("ilogb", [half], integer)
        calls.add("nan", [f"ushort{n}"], half)
        truth = f"short{n}" if n else "int"
        for count, names in enumerate((PREDICATES_1, PREDICATES_2), 1):
            for name in names:
                calls.add(name, [half] * count, truth)
        if n:
            for name, kinds in MIXED.items():
                calls.add(name, [half if k == "v" else "half" for k in kinds], half)
            calls.add("ldexp", [half, "int"], half)
    for n in ("", 2, 3, 4):
        half = f"half{n}"
        calls.add("length", [half], "half")
        calls.add("normalize", [half], half)
        calls.add("dot", [half, half], "half")
        calls.add("distance", [half, half], "half")
    for n in (3, 4):
        calls.add("cross", [f"half{n}"] * 2, f"half{n}")
    return calls


def halves(n, seed):
    return values("half", ITEMS * (n or 1), seed).reshape(ITEMS, -1)


@pytest.mark.parametrize("name", [*ONE, *TWO, *THREE])
def test_elementwise(calls, name):
    count = 1 if name in ONE else 2 if name in TWO else 3
    for n in ALL_WIDTHS:
        arrays = [halves(n, seed) for seed in range(count)]
        wanted = getattr(hc, name)(*arrays, rounding="rte")
        same(calls.run((name, (f"half{n}",) * count, f"half{n}"), *arrays), wanted, (name, n))


@pytest.mark.parametrize("name", [*MIXED, "ldexp"])
def test_scalars_beside_vectors(calls, name):
    for n in WIDTHS:
        kinds = MIXED.get(name, "v")
        arrays = [halves(n if k == "v" else 1, seed) for seed, k in enumerate(kinds)]
        types = tuple(f"half{n if k == 'v' else ''}" for k in kinds)
        if name == "ldexp":
            arrays.append(np.random.default_rng(3).integers(-30, 30, (ITEMS, 1), np.int32))
            types = (*types, "int")
        wanted = getattr(hc, name)(*arrays, rounding="rte")
        same(calls.run((name, types, f"half{n}"), *arrays), wanted, (name, n))


@pytest.mark.parametrize("name", WITH_INT)
def test_beside_integers(calls, name):
    for n in ALL_WIDTHS:
        x = halves(n, 1)
        k = np.random.default_rng(2).integers(-30, 30, x.shape, np.int32)
        wanted = getattr(hc, name)(x, k, rounding="rte")
        same(calls.run((name, (f"half{n}", f"int{n}"), f"half{n}"), x, k), wanted, (name, n))


@pytest.mark.parametrize("name", [*WITH_POINTER, "remquo"])
def test_through_a_pointer(calls, name):
    for n in ALL_WIDTHS:
        arrays = [halves(n, seed) for seed in range(2 if name == "remquo" else 1)]
        wanted = getattr(hc, name)(*arrays, rounding="rte")
        types, pointee = (f"half{n}",) * len(arrays), f"{WITH_POINTER.get(name, 'int')}{n}"
        actual = calls.run((name, types, f"half{n}"), *arrays, pointee=pointee)
        for a, b in zip(actual, wanted, strict=True):
            same(a, b, (name, n))


def test_integers_of_and_for_halves(calls):
    for n in ALL_WIDTHS:
        x = halves(n, 4)
        same(calls.run(("ilogb", (f"half{n}",), f"int{n}"), x), hc.ilogb(x), n)
        codes = x.view(np.uint16)
        actual = calls.run(("nan", (f"ushort{n}",), f"half{n}"), codes)
        assert (actual.view(np.uint16) == hc.nan(codes).view(np.uint16)).all()


@pytest.mark.parametrize("name", [*PREDICATES_1, *PREDICATES_2])
def test_relational(calls, name):
    """Scalars give 1, vectors -1."""
    for n in ALL_WIDTHS:
        arrays = [halves(n, seed) for seed in range(1 if name in PREDICATES_1 else 2)]
        if len(arrays) == 2:
            arrays[1][::3] = arrays[0][::3]
        truths = getattr(hc, name)(*arrays)
        assert truths.any() and not truths.all()
        key = (name, (f"half{n}",) * len(arrays), f"short{n}" if n else "int")
        same(calls.run(key, *arrays), truths.astype(np.int32) * (-1 if n else 1), (name, n))


@pytest.mark.parametrize("name", ["length", "normalize", "dot", "distance", "cross"])
def test_geometric(calls, name):
    for n in (3, 4) if name == "cross" else (1, 2, 3, 4):
        half = f"half{n if n > 1 else ''}"
        arrays = [halves(n, seed) for seed in range(1 if name in ("length", "normalize") else 2)]
        wanted = getattr(hc, name)(*arrays, rounding="rte")
        is_vector = name in ("normalize", "cross")
        key = (name, (half,) * len(arrays), half if is_vector else "half")
        same(calls.run(key, *arrays), wanted.reshape(ITEMS, -1), (name, n))
