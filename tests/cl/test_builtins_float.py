"""Built-in functions of float and double in kernels: exact ones beside Python's exact numbers,
float's others beside MPFR rounded once, double's within a few units in the last place."""

import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from cl_builtins import DTYPES, Calls, nearest, same, values
from exhaustive import one_in

from halfcl.cl._interpreter.builtins.numeric import floats
from halfcl.cl._interpreter.builtins.numeric.floats import Accuracy

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

ITEMS = 150
TYPES = ("float", "double")
NAN, INF = math.nan, math.inf


def half_away(x):
    whole = math.floor(abs(Fraction(x)) + Fraction(1, 2))
    return math.copysign(float(whole), x)


def whole(function):
    """Return a function that gives an int as one that gives a float with signed zeros."""
    return lambda x, t: x if not math.isfinite(x) else math.copysign(float(function(x)), x)


def of_sizes(choose, otherwise):
    def function(x, y, t):
        a, b = abs(x), abs(y)
        return x if choose(a, b) else y if choose(b, a) else otherwise(x, y, t)

    return function


def fmax(x, y, t):
    return y if math.isnan(x) else x if math.isnan(y) else max(x, y)


def fmin(x, y, t):
    return y if math.isnan(x) else x if math.isnan(y) else min(x, y)


def logb(x, t):
    if x == 0 or not math.isfinite(x):
        return -INF if x == 0 else abs(x)
    return float(math.frexp(x)[1] - 1)


def ilogb(x, t):
    if x == 0:
        return -(2**31)
    return math.frexp(x)[1] - 1 if math.isfinite(x) else 2**31 - 1


def frexp(x, t):
    return math.frexp(x) if math.isfinite(x) else (x, 0)


def fract(x, t):
    if math.isnan(x) or math.isinf(x) or x == 0:
        return (math.nan if math.isnan(x) else math.copysign(0.0, x)), x
    below = math.floor(x)
    part = nearest(Fraction(x) - below, t)
    one_less = 1 - 2.0 ** (-24 if t == "float" else -53)
    return min(part, one_less), math.copysign(float(below), x)


def fmod(x, y, t):
    return NAN if math.isinf(x) or y == 0 or math.isnan(x + y) else math.fmod(x, y)


def remquo(x, y, t):
    if math.isinf(x) or y == 0 or math.isnan(x) or math.isnan(y):
        return NAN, 0
    if math.isinf(y):
        return x, 0
    quotient = round(Fraction(x) / Fraction(y))  # ties to even
    bits = abs(quotient) & 127
    sign = -1 if (math.copysign(1, x) != math.copysign(1, y)) else 1
    return nearest(Fraction(x) - quotient * Fraction(y), t, sign=x), sign * bits


def exactly(function):
    """Rounded to nearest, of finite arguments; of others as doubles do it."""

    def round_exactly(*arguments):
        *numbers, t = arguments
        if not all(map(math.isfinite, numbers)):
            with np.errstate(all="ignore"):
                return float(function(*map(np.float64, numbers)))
        with np.errstate(all="ignore"):
            zero = float(function(*map(np.float64, numbers)))
        return nearest(function(*map(Fraction, numbers)), t, zero)

    return round_exactly


def ldexp(x, n, t):
    return x if not math.isfinite(x) else nearest(Fraction(x) * Fraction(2) ** n, t, x)


def nextafter(x, y, t):
    if math.isnan(x) or math.isnan(y) or x == y:
        return y if x == y else NAN
    dtype = DTYPES[t]
    code = np.array(x, dtype).view(f"i{dtype().itemsize}")
    if x == 0:
        return float(math.copysign(np.array(1, code.dtype).view(dtype), y))
    return float((code + (1 if (y > x) == (x > 0) else -1)).astype(code.dtype).view(dtype))


def sqrt(x, t):
    if x <= 0 or not math.isfinite(x):
        return NAN if x < 0 else x
    with gmpy2.context(precision=400):
        return nearest(Fraction(*gmpy2.sqrt(gmpy2.mpfr(x)).as_integer_ratio()), t)


def divide(x, y, t):
    with np.errstate(all="ignore"):
        plain = float(np.float64(x) / np.float64(y))
    both = math.isfinite(x) and math.isfinite(y) and y
    return nearest(Fraction(x) / Fraction(y), t, plain) if both else plain


def fdim(x, y, t):
    if math.isnan(x) or math.isnan(y):
        return NAN
    if not math.isfinite(x - y):
        return x - y if x > y and not (math.isfinite(x) and math.isfinite(y)) else (
            nearest(Fraction(x) - Fraction(y), t) if x > y else 0.0)  # fmt: skip
    return nearest(Fraction(x) - Fraction(y), t) if x > y else 0.0


def fma(x, y, z, t):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    return nearest(Fraction(x) * Fraction(y) + Fraction(z), t, x * y + z)


#: Arguments as doubles and the type's name; two results where one goes through a pointer.
EXACT = {
    "ceil": whole(math.ceil),
    "floor": whole(math.floor),
    "rint": whole(round),
    "round": whole(half_away),
    "trunc": whole(math.trunc),
    "fabs": lambda x, t: abs(x),
    "copysign": lambda x, y, t: math.copysign(x, y),
    "fmax": fmax,
    "fmin": fmin,
    "max": lambda x, y, t: y if x < y else x,
    "min": lambda x, y, t: y if y < x else x,
    "maxmag": of_sizes(lambda a, b: a > b, fmax),
    "minmag": of_sizes(lambda a, b: a < b, fmin),
    "clamp": lambda x, a, b, t: fmin(fmax(x, a, t), b, t),
    "step": lambda edge, x, t: 0.0 if x < edge else 1.0,
    "sign": lambda x, t: 0.0 if math.isnan(x) else x if x == 0 else math.copysign(1.0, x),
    "logb": logb,
    "ilogb": ilogb,
    "frexp": frexp,
    "modf": lambda x, t: (NAN, NAN) if math.isnan(x) else math.modf(x),
    "fract": fract,
    "fmod": fmod,
    "remainder": lambda x, y, t: remquo(x, y, t)[0],
    "remquo": remquo,
    "nextafter": nextafter,
    "ldexp": ldexp,
    "sqrt": sqrt,
    "fdim": fdim,
    "fma": fma,
    "mad": fma,
    "native_divide": divide,
    "native_recip": lambda x, t: divide(1.0, x, t),
}
#: fmax and its kin may give either zero of two.
EITHER_ZERO = ("fmax", "fmin", "max", "min", "maxmag", "minmag", "clamp")
INTEGER_RESULTS = ("ilogb", "frexp", "remquo")
ORDERED = ("clamp",)
NOT_NAN = ("max", "min", "clamp", "step")


def precisely(function):
    """MPFR's number, exactly."""

    def call(*arguments):
        with gmpy2.context(precision=300):
            number = function(*map(gmpy2.mpfr, arguments))
            return (
                float(number)
                if not gmpy2.is_finite(number)
                else Fraction(*number.as_integer_ratio())
            )

    return call


def pi():
    return gmpy2.const_pi(300)


def tanpi(x):
    """Its poles have the signs that the standard gives them."""
    if x % 1 == 0.5:
        return gmpy2.mpfr("inf") * (1 if math.floor(x) % 2 == 0 else -1)
    return gmpy2.tan(pi() * x)


_mpfr = {name: getattr(gmpy2, name) for name in
         """acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 hypot
         log log10 log1p log2 sin sinh sqrt tan tanh""".split()}  # fmt: skip

#: Function and where its arguments lie.
IN_DOUBLE = {
    **{name: (_mpfr[name], (-1, 1)) for name in ("acos", "asin", "atanh")},
    **{name: (_mpfr[name], (-9, 9)) for name in
       "asinh atan cbrt cos cosh erf erfc exp exp10 exp2 expm1 sin sinh tan tanh".split()},
    **{name: (_mpfr[name], (0.01, 900)) for name in "log log10 log1p log2".split()},
    "acosh": (_mpfr["acosh"], (1, 50)),
    "acospi": (lambda x: gmpy2.acos(x) / pi(), (-1, 1)),
    "asinpi": (lambda x: gmpy2.asin(x) / pi(), (-1, 1)),
    "atanpi": (lambda x: gmpy2.atan(x) / pi(), (-9, 9)),
    "atan2": (gmpy2.atan2, (-9, 9), (-9, 9)),
    "atan2pi": (lambda y, x: gmpy2.atan2(y, x) / pi(), (-9, 9), (-9, 9)),
    "cospi": (lambda x: gmpy2.cos(pi() * x), (-9, 9)),
    "sinpi": (lambda x: gmpy2.sin(pi() * x), (-9, 9)),
    "tanpi": (tanpi, (-9, 9)),
    "degrees": (lambda x: x * 180 / pi(), (-9, 9)),
    "radians": (lambda x: x * pi() / 180, (-900, 900)),
    "hypot": (gmpy2.hypot, (-9, 9), (-9, 9)),
    "lgamma": (lambda x: gmpy2.lgamma(x)[0], (0.1, 30)),
    "lgamma_r": (lambda x: gmpy2.lgamma(x)[0], (-5, 5)),
    "tgamma": (gmpy2.gamma, (-5, 25)),
    "pow": (lambda x, y: x**y, (0.01, 30), (-9, 9)),
    "powr": (lambda x, y: x**y, (0.01, 30), (-9, 9)),
    "pown": (lambda x, n: x**n, (-9, 9), "int"),
    "rootn": (lambda x, n: gmpy2.sign(x) * abs(x) ** (1 / n), (0.01, 90), "int"),
    "rsqrt": (gmpy2.rec_sqrt, (0.01, 90)),
    "mix": (lambda x, y, a: x + (y - x) * a, (-9, 9), (-9, 9), (0, 1)),
    "smoothstep": (
        lambda a, b, x: (t := min(max((x - a) / (b - a), 0), 1)) * t * (3 - 2 * t),
        (-9, -1), (1, 9), (-9, 9),
    ),
    "sincos": (gmpy2.sin, (-9, 9)),
}  # fmt: skip
FAST = "cos divide exp exp2 exp10 log log2 log10 powr recip rsqrt sin sqrt tan".split()


def shape_of(name, t):
    """Argument types, and what is behind the pointer."""
    function = EXACT.get(name)
    count = function.__code__.co_argcount - 1 if function else len(IN_DOUBLE[name]) - 1
    count = {"fdim": 2, "fma": 3}.get(name, count)
    arguments = [t] * count
    if name in ("ldexp", "pown", "rootn"):
        arguments[1] = "int"
    pointee = {"frexp": "int", "remquo": "int", "lgamma_r": "int", "modf": t, "fract": t,
               "sincos": t}.get(name)  # fmt: skip
    return arguments, ("int" if name == "ilogb" else t), pointee


@pytest.fixture(scope="module")
def calls():
    calls = Calls()
    for t in TYPES:
        for name in [*EXACT, *IN_DOUBLE]:
            if name.startswith("native") and t == "double":
                continue
            arguments, result, pointee = shape_of(name, t)
            for n in ("", 3):
                types = [f"{a}{n}" for a in arguments]
                calls.add(name, types, f"{result}{n}", pointee and f"{pointee}{n}")
        calls.add("nan", ["uint" if t == "float" else "ulong"], t)
        for n in ("", 2, 3, 4):
            v = f"{t}{n}"
            for name in ("dot", "distance"):
                calls.add(name, [v, v], t)
            calls.add("length", [v], t)
            calls.add("normalize", [v], v)
            if n in (3, 4):
                calls.add("cross", [v, v], v)
    for name in FAST:
        count = 2 if name in ("divide", "powr") else 1
        for prefix in ("native_", "half_", ""):
            if prefix or name not in ("divide", "recip"):
                calls.add(prefix + name, ["float4"] * count, "float4")
    return calls


def call(calls, name, t, arrays, n=""):
    arguments, result, pointee = shape_of(name, t)
    key = (name, tuple(f"{a}{n}" for a in arguments), f"{result}{n}")
    actual = calls.run(key, *arrays, pointee=pointee and f"{pointee}{n}")
    return actual if pointee else [actual]


def operands(name, t):
    count = len(shape_of(name, t)[0])
    arrays = [values(t, ITEMS, 10 + seed) for seed in range(count)]
    if name in ("remquo", "remainder", "fmod"):
        arrays[0][::3] = (np.abs(arrays[1]) * 2.5)[::3]
        arrays[0][1::3] = (arrays[1] * 127.75)[1::3]  # 128 has no bits among the lowest seven
    if name == "fma" or name == "mad":  # sums that nearly cancel, and ties
        arrays[2][::2] = -(arrays[0] * arrays[1])[::2]
        arrays[2][1::4] = (arrays[0] * arrays[1] * DTYPES[t](2.0**-24))[1::4]
    if name in NOT_NAN:
        arrays = [np.where(np.isnan(a), a.dtype.type(1), a) for a in arrays]
    if name in ORDERED:
        arrays[1:] = np.minimum(*arrays[1:]), np.maximum(*arrays[1:])
    if name == "ldexp":
        arrays[1] = np.random.default_rng(5).integers(-300, 300, ITEMS, np.int32)
    return arrays


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("t", TYPES)
def test_exact_or_correctly_rounded(calls, name, t):
    if name.startswith("native") and t == "double":
        return
    arrays = operands(name, t)
    rows = [[int(x) if a.dtype.kind == "i" else float(x) for x in a] for a in arrays]
    wanted = [EXACT[name](*row, t) for row in zip(*rows, strict=True)]
    wanted = list(zip(*wanted, strict=True)) if isinstance(wanted[0], tuple) else [wanted]
    for n in ("", 3):
        actual = call(calls, name, t, [a.reshape(-1, n or 1) for a in arrays], n)
        for part, exact in zip(actual, wanted, strict=True):
            exact = np.array(exact).astype(part.dtype).reshape(part.shape)
            if name in EITHER_ZERO:
                part, exact = part + 0, exact + 0
            same(part, exact, (name, t, n))


def in_double(name):
    function, *spans = IN_DOUBLE[name]
    return precisely(function), spans


@pytest.mark.parametrize("name", IN_DOUBLE)
def test_float_is_rounded_once(calls, name):
    function, spans = in_double(name)
    arrays = draw("float", spans)
    exact = [function(*map(float, row)) for row in zip(*arrays, strict=True)]
    wanted = [nearest(e, "float", 1) if isinstance(e, Fraction) else e for e in exact]
    actual = call(calls, name, "float", [a.reshape(-1, 3) for a in arrays], 3)[0]
    same(actual + 0, np.array(wanted, np.float32).reshape(actual.shape) + 0, name)


@one_in(2)
@pytest.mark.parametrize("name", IN_DOUBLE)
def test_double_is_as_good_as_numpy(calls, name):
    function, spans = in_double(name)
    arrays = draw("double", spans)
    actual = call(calls, name, "double", arrays)[0].ravel()
    bound = {"tgamma": 10, "lgamma": 40, "lgamma_r": 40, "mix": 60, "smoothstep": 20, "rootn": 10}
    for row, result in zip(zip(*arrays, strict=True), actual.tolist(), strict=True):
        exact = function(*map(float, row))
        if isinstance(exact, Fraction):
            least = 2.0**-60 if name.endswith("pi") else 2.0**-54 if "gamma" in name else 0
            unit = max(math.ulp(float(exact)), least)
            assert abs(Fraction(result) - exact) <= bound.get(name, 4) * Fraction(unit), (row, name)
        else:
            assert result == exact or (math.isnan(result) and math.isnan(exact)), (row, name)


def draw(t, spans):
    columns = []
    for seed, span in enumerate(spans):
        rng = np.random.default_rng(seed)
        if span == "int":
            columns.append(rng.choice([-5, -3, -2, -1, 1, 2, 3, 4, 7], ITEMS).astype(np.int32))
        else:
            array = rng.uniform(*span, ITEMS).astype(DTYPES[t])
            array[: ITEMS // 5] = np.clip(np.round(array[: ITEMS // 5] * 2) / 2, *span)
            columns.append(array)
    return columns


EDGES = {
    "powr": [((0, 0), NAN), ((INF, 0), NAN), ((1, INF), NAN), ((-1, 2), NAN), ((3, 0), 1),
             ((0, -1), INF), ((-0.0, -3), INF), ((-0.0, 3), 0.0), ((2, NAN), NAN), ((NAN, 0), NAN),
             ((0, -INF), INF), ((1, NAN), NAN)],
    "pow": [((0, 0), 1), ((1, NAN), 1), ((NAN, 0), 1), ((-0.0, -3), -INF), ((-2, 3), -8),
            ((-2, 0.5), NAN), ((-1, INF), 1)],
    "pown": [((-0.0, -3), -INF), ((0, 0), 1), ((-2, 3), -8), ((NAN, 0), 1)],
    "rootn": [((-8, 3), -2), ((-8, 2), NAN), ((0, -3), INF), ((-0.0, -3), -INF), ((-0.0, -2), INF),
              ((-0.0, 2), 0.0), ((-0.0, 3), -0.0), ((5, 0), NAN), ((81, 4), 3), ((-INF, 3), -INF)],
    "sinpi": [((3,), 0.0), ((-3,), -0.0), ((-0.0,), -0.0), ((0.5,), 1), ((1.5,), -1), ((INF,), NAN),
              ((1e30,), 0.0), ((NAN,), NAN)],
    "cospi": [((0.5,), 0.0), ((1.5,), 0.0), ((-0.5,), 0.0), ((1,), -1), ((INF,), NAN)],
    "tanpi": [((1,), -0.0), ((2,), 0.0), ((-1,), 0.0), ((-2,), -0.0), ((0.5,), INF), ((1.5,), -INF),
              ((-0.5,), -INF)],
    "tgamma": [((0,), INF), ((-0.0,), -INF), ((-1,), NAN), ((-INF,), NAN), ((INF,), INF),
               ((5,), 24),
                              ((500,), INF)],
    "lgamma": [((0,), INF), ((-3,), INF), ((INF,), INF), ((-INF,), INF), ((NAN,), NAN),
               ((1,), 0.0)],
    "rsqrt": [((0,), INF), ((-0.0,), -INF), ((-1,), NAN), ((INF,), 0.0), ((4,), 0.5)],
    "atan2": [((0, -1), math.pi), ((-0.0, -1), -math.pi), ((0, 0), 0.0), ((-0.0, 0), -0.0)],
    "hypot": [((INF, NAN), INF), ((3, 4), 5)],
    "exp10": [((2,), 100), ((-INF,), 0.0)],
    "smoothstep": [((0, 1, 0.5), 0.5), ((0, 1, -2), 0.0), ((0, 1, 2), 1)],
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("t", TYPES)
def test_edge_cases_of_the_standard(calls, name, t):
    rows = [row for row, _ in EDGES[name]]
    wanted = np.array([w for _, w in EDGES[name]], DTYPES[t])
    types = shape_of(name, t)[0]
    arrays = [np.array(c, DTYPES[a]) for c, a in zip(zip(*rows, strict=True), types, strict=True)]
    same(call(calls, name, t, arrays)[0].ravel(), wanted, name)


def test_sign_of_gamma_and_cosine(calls):
    x = np.array([0, -0.0, -1, -0.5, -1.5, -2.5, 3, -INF], np.float32)
    signs = call(calls, "lgamma_r", "float", [x])[1].ravel()
    assert signs.tolist() == [0, 0, 0, -1, 1, -1, 1, 1]
    x = draw("float", [(-9, 9)])[0]
    same(call(calls, "sincos", "float", [x])[1].ravel(), np.cos(x.astype(float)), "cos")


def test_nan_keeps_payload(calls):
    for t, code, quiet in (("float", "uint", 0x7FC00000), ("double", "ulong", 0x7FF8 << 48)):
        codes = np.array([0, 1, 77, 0x1FFFFF], DTYPES[code])
        actual = calls.run(("nan", (code,), t), codes).view(codes.dtype).ravel()
        assert [int(c) for c in actual] == [quiet | int(c) for c in codes]


def rounded_root(square, t):
    with gmpy2.context(precision=300):
        return nearest(Fraction(*gmpy2.sqrt(gmpy2.mpfr(square)).as_integer_ratio()), t)


@pytest.mark.parametrize("n", ["", 2, 3, 4])
@pytest.mark.parametrize("t", TYPES)
def test_geometric(calls, t, n):
    rng, width = np.random.default_rng(8), n or 1
    v = f"{t}{n}"
    a, b = (rng.uniform(-4, 4, (40, width)).astype(DTYPES[t]) for _ in "ab")
    exact_a, exact_b = ([[Fraction(float(x)) for x in row] for row in m] for m in (a, b))
    dots = [
        sum(x * y for x, y in zip(p, q, strict=True)) for p, q in zip(exact_a, exact_b, strict=True)
    ]
    lengths = [rounded_root(sum(x * x for x in p), t) for p in exact_a]
    gaps = [
        rounded_root(sum((x - y) ** 2 for x, y in zip(p, q, strict=True)), t)
        for p, q in zip(exact_a, exact_b, strict=True)
    ]
    # Double's sums are rounded at each step.
    bound = 0 if t == "float" else 2.0**-48
    for name, arrays, wanted in (
        ("dot", (a, b), [nearest(d, t) for d in dots]),
        ("length", (a,), lengths),
        ("distance", (a, b), gaps),
    ):
        actual = calls.run((name, (v,) * len(arrays), t), *arrays).ravel().astype(np.float64)
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=bound, err_msg=name)
    units = calls.run(("normalize", (v,), v), a)
    wanted = a / np.linalg.norm(a.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_allclose(units, wanted, rtol=3e-7 if t == "float" else 1e-15)
    if width > 2:
        actual = calls.run(("cross", (v, v), v), a, b)
        wanted = np.cross(a[:, :3].astype(np.float64), b[:, :3].astype(np.float64))
        np.testing.assert_allclose(actual[:, :3], wanted, rtol=1e-6, atol=1e-6)
        assert (actual[:, 3:] == 0).all()


def test_lengths_that_would_overflow(calls):
    for t, top in (("float", 3e38), ("double", 1.5e308)):
        a = np.array(
            [[top / 2, top / 2], [0, 0], [INF, 1], [-INF, INF], [top / 2**800, 0], [top, top]],
            DTYPES[t],
        )
        units = calls.run(("normalize", (f"{t}2",), f"{t}2"), a)
        root = math.sqrt(0.5)
        wanted = [
            [root, root],
            [0, 0],
            [1, 0],
            [-root, root],
            [float(a[4, 0] > 0), 0],
            [root, root],
        ]
        np.testing.assert_allclose(units, wanted, rtol=1e-6)
        length = calls.run(("length", (f"{t}2",), t), a).ravel()
        assert math.isclose(length[0], float(a[0, 0]) * math.sqrt(2), rel_tol=1e-6)
        assert length[1] == 0 and length[2] == INF


@pytest.mark.parametrize("name", FAST)
def test_native_and_half_are_as_exact_as_the_plain_ones(calls, name):
    count = 2 if name in ("divide", "powr") else 1
    arrays = [values("float", 80, seed).reshape(20, 4) for seed in range(count)]
    key = (("float4",) * count, "float4")
    native, halved = (calls.run((p + name, *key), *arrays) for p in ("native_", "half_"))
    same(native, halved, name)
    if name not in ("divide", "recip"):
        same(native, calls.run((name, *key), *arrays), name)


def test_the_table_says_how_exact_each_one_is():
    """All that it calls exact or correctly rounded is tested so, and all else within double."""
    names = {n for n, row in floats.FUNCTIONS.items() if row.accuracy is Accuracy.DOUBLE}
    assert names == set(IN_DOUBLE)
    rest = {n.removeprefix("native_") for n in EXACT}
    assert set(floats.FUNCTIONS) - names - {"nan"} == rest
