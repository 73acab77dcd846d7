"""Every function of halfcl propagates the shadow, or the docs name it as one that ends it."""

import itertools
import re

import numpy as np
import pytest
from places import ROOT

import halfcl as hc
from halfcl import half, half4, stability
from halfcl._tables import TABLE
from halfcl.audit._results.exact import DOUBLES
from halfcl.stability._shadow._numbers import doubledouble as dd

pytestmark = pytest.mark.once

X = half([[0.31, 0.71, 0.45, 0.2], [0.11, 0.9, 0.6, 0.35], [0.5, 0.15, 0.33, 0.77],
          [0.8, 0.4, 0.21, 0.9]])  # fmt: skip
#: Types of integer arguments, by the letters of the table.
INTEGERS = {"b": np.int8, "B": np.uint8, "h": np.int16, "H": np.uint16, "i": np.int32,
            "q": np.int64}  # fmt: skip


OF_MATRICES = {"matmul", "vecdot", "vecmat", "matvec"}


def calls():
    """Yield functions that return halves, with their functions in doubles and types."""
    for row in TABLE:
        names = [(hc, row.name)] if row.public else []
        for module, name in names + [(np, name) for name in row.numpy]:
            for types in (row.types, *(row.numpy_types if module is np else ())):
                if "e" in types.split(">")[1] and hasattr(module, name):
                    f, wide = getattr(module, name), DOUBLES.get(row.name)
                    yield pytest.param(
                        f, f if name in OF_MATRICES else wide, types, id=f"{module.__name__}.{name}"
                    )


def operands(types):
    """Yield halves and small integers as arguments."""
    for k, letter in enumerate(types.split(">")[0]):
        yield X + half(0.05 * k) if letter == "e" else np.full(X.shape, 2, INTEGERS[letter])


def keep_halves(f, types):
    """Return f of a third of its half arguments, so that they differ from shadows.

    It returns half results only.
    """

    def whole(*args):
        thirds = [x / 3 if x.dtype == half else x for x in args]
        result = f(*thirds)
        several = result if isinstance(result, tuple) else (result,)
        kept = [x for x, letter in zip(several, types.split(">")[1], strict=True) if letter == "e"]
        return tuple(kept) if len(kept) > 1 else kept[0]

    return whole


@pytest.mark.parametrize(("f", "in_doubles", "types"), list(calls()))
def test_function_propagates_the_shadow(f, in_doubles, types):
    """The shadow agrees with the function in doubles."""
    args = list(operands(types))
    with np.errstate(all="ignore"):
        report = stability.rerun(keep_halves(f, types), *args)
        several = report if isinstance(report, tuple) else (report,)
        for one in several:
            assert one.whole and one.exact is not None, one.reason
            assert not one.reason
        if in_doubles is None or len(several) > 1:
            return
        wide = [np.asarray(x, float) / 3 if x.dtype == half else x.astype(float) for x in args]
        want = in_doubles(*wide)
    want = want[0] if isinstance(want, tuple) else want
    assert np.allclose(several[0].exact, want, rtol=1e-9, atol=1e-12, equal_nan=True)


#: Functions without a row in DOUBLES, or with special shadows.
OTHERS = {
    "round": (hc.round, lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), [-2.5, 0.4, 7.5]),
    "modf": (lambda x: hc.modf(x)[0], lambda x: np.modf(x)[0], [-2.5, 0.4, 7.3]),
    "integral": (lambda x: np.modf(x)[1], lambda x: np.modf(x)[1], [-2.5, 0.4, 7.3]),
    "frexp": (lambda x: hc.ldexp(*hc.frexp(x)), lambda x: x, [-2.5, 0.4, 6.004]),
    "logb": (hc.logb, lambda x: np.floor(np.log2(np.abs(x))), [-2.6, 0.4, 7.3]),
    "remquo": (
        lambda x: hc.remquo(x, half(0.7))[0],
        lambda x: x - 0.7 * np.rint(x / 0.7),
        [-2.5, 0.4, 7.3],
    ),
    "maxmag": (lambda x: hc.maxmag(x, half(-1)), lambda x: np.where(abs(x) > 1, x, -1), [-2, 0.4]),
    "minmag": (lambda x: hc.minmag(x, half(-1)), lambda x: np.where(abs(x) > 1, -1, x), [-2, 0.4]),
    "step": (lambda x: hc.step(half(0.5), x), lambda x: (x >= 0.5) * 1.0, [0.2, 1.4, 7]),
    "divmod": (lambda x: np.divmod(x, half(0.7))[1], lambda x: x % 0.7, [2.5, 7.3]),
    "select": (
        lambda x: hc.select(x, x * 3, x > 0.5), lambda x: np.where(x > 0.5, 3 * x, x), [0.2, 1.4],
    ),
    "norm": (lambda x: hc.norm(x) + x, lambda x: np.sqrt((x * x).sum()) + x, [0.2, 1.4]),
    "sumsq": (lambda x: hc.sumsq(x) + x, lambda x: (x * x).sum() + x, [0.2, 1.4]),
    "vdot": (lambda x: hc.vdot(x, x) + x, lambda x: (x * x).sum() + x, [0.2, 1.4]),
    "matmul": (lambda x: hc.matmul(x, x) + x, lambda x: x @ x + x, [0.2, 1.4]),
    "unorm": (lambda x: hc.from_unorm8(np.uint8(3)) + x, lambda x: 3 / 255 + x, [0.2]),
    "convert": (hc.convert_half_rtp, lambda x: x, [0.2, 1.4]),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_shadow_agrees_with_doubles(name):
    f, in_doubles, x = OTHERS[name]
    x = half(x)
    report = stability.rerun(lambda x: f(x / 3), x)
    assert report.whole and np.allclose(report.exact, in_doubles(x.astype(float) / 3), rtol=1e-12)


@pytest.mark.parametrize(
    "f", [hc.nextup, hc.nextdown, lambda x: np.nextafter(x, half(7)), lambda x: hc.nextafter(x, -x)]
)
def test_shadow_moves_as_far_as_the_half(f):
    x = half([0.1, 0.3, 1.7, 2.0**-22, 2047])
    report = stability.rerun(lambda x: f(x / 3), x)
    step = f(x / 3).astype(float) - (x / 3).astype(float)
    assert step.all() and np.allclose(report.exact, x.astype(float) / 3 + step, rtol=1e-12)
    assert report.stable.all()
    ends = half([65504, np.inf, np.nan])
    assert np.array_equal(stability.rerun(f, ends).exact, f(ends).astype(float), equal_nan=True)


def test_ulp_and_nan_have_exact_shadows():
    """Both depend on the half only."""
    for f in (hc.ulp, np.spacing):
        report = stability.rerun(lambda x, f=f: f(x / 3), X)
        assert np.array_equal(report.exact, f(X / 3).astype(float)) and report.stable.all()
    report = stability.rerun(lambda x: x * hc.nan(np.uint16(1)), X)
    assert np.isnan(report.exact).all() and report.whole


# ------------------------------------------------------------------ vectors

V = X[0].view(half4)
W = X.view(half4)


def write_components(v):
    w = v / 3
    w.x = 0.1
    w.yz = v.wx / 7
    w[3] += v.s1
    return w


def write_elements(v):
    w = v / 3
    w[..., 0] = 0.1
    w[..., 1:3] = v[..., [3, 0]] / 7
    w[..., 3] += v[..., 1]
    return w


VECTORS = {
    "arithmetic": (lambda v: v / 3 + v * half(0.1) - 1 / v, lambda v: v / 3 + v * 0.1 - 1 / v),
    "components": (lambda v: (v / 3).wzyx + v.x, lambda v: v[::-1] / 3 + v[0]),
    "halves": (lambda v: (v / 3).lo + v.even, lambda v: v[:2] / 3 + v[::2]),
    "one": (lambda v: (v / 3).s2 * v, lambda v: v[2] / 3 * v),
    "write_components": (write_components, write_elements),
    "made": (
        lambda v: half4(v.x / 3, 0.1, v.zw / 7), lambda v: np.r_[v[0] / 3, 0.1, v[2:] / 7],
    ),
    "broadcast": (lambda v: half4(v.x / 3) * v, lambda v: v[0] / 3 * v),
    "functions": (lambda v: hc.exp(v / 3) + hc.mix(v, v / 3, 0.5),
                  lambda v: np.exp(v / 3) + (v + v / 3) / 2),
    "geometric": (
        lambda v: hc.normalize(v / 3) * hc.dot(v / 3, v) + hc.length(v),
        lambda v: v / np.sqrt(v @ v) * (v @ v / 3) + np.sqrt(v @ v),
    ),
    "cross": (
        lambda v: hc.cross(v / 3, v.wzyx),
        lambda v: np.r_[np.cross(v[:3] / 3, v[::-1][:3]), 0],
    ),
    "select": (
        lambda v: hc.select(v / 3, v / 7, v > 0.4), lambda v: np.where(v > 0.4, v / 7, v / 3),
    ),
    "where": (lambda v: np.where(v > 0.4, v / 3, v), lambda v: np.where(v > 0.4, v / 3, v)),
    "shuffle": (lambda v: hc.shuffle(v / 3, hc.ushort4(3, 0, 1, 1)), lambda v: v[[3, 0, 1, 1]] / 3),
    "shuffle2": (
        lambda v: hc.shuffle2(v / 3, v, hc.ushort4(3, 0, 5, 1)),
        lambda v: np.r_[v / 3, v][[3, 0, 5, 1]],
    ),
    "index": (lambda v: (v / 3)[1] * v, lambda v: v[1] / 3 * v),
    "type": (lambda v: v / 3 if isinstance(v, half4) else v, lambda v: v / 3),
    "closure": (lambda v: v * V / 3, lambda v: v * v / 3),
    "view": (lambda v: (v / 3).view(half4), lambda v: v / 3),
    "copy": (lambda v: (v / 3).copy() + abs(-v), lambda v: v / 3 + v),
}  # fmt: skip


@pytest.mark.parametrize("name", VECTORS)
def test_shadow_of_vectors(name):
    f, in_doubles = VECTORS[name]
    report = stability.rerun(f, V)
    assert report.whole, report.reason
    assert np.allclose(report.exact, in_doubles(V.astype(float).view(np.ndarray)), rtol=1e-9)


def test_shadow_of_arrays_of_vectors():
    def f(v):
        w = v / 3
        w.x = 0.1
        w.yz = v.wx / 7
        w[3] += v[1]
        return w + hc.length(v)[:, None]

    report = stability.rerun(f, W)
    wide = W.astype(float).view(np.ndarray)
    want = wide / 3
    want[:, 0] = 0.1
    want[:, 1:3] = wide[:, [3, 0]] / 7
    want[3] += wide[1]
    want += np.sqrt((wide * wide).sum(-1))[:, None]
    assert report.whole and np.allclose(report.exact, want, rtol=1e-9)
    report = stability.rerun(lambda x: (x.view(half4) / 3).x + hc.dot(x.view(half4), W), X)
    assert np.allclose(report.exact, wide[:, 0] / 3 + (wide * wide).sum(-1))
    report = stability.rerun(lambda v: np.full(3, 0.1, half4).view(half4) + v / 3, V)
    assert np.allclose(report.exact, 0.1 + wide[0] / 3) and report.whole


def test_shadow_decides_comparisons_of_vectors():
    n = half4(3, 200, 30, 300)
    report = stability.rerun(lambda n: hc.select(-n, n, np.arctan(n + 1) - np.arctan(n) > 0), n)
    assert report.exact.tolist() == n.tolist()
    assert report.verdict.tolist() == ["stable", "off", "stable", "off"]
    assert report.divergences[0].elements == 2 and report.divergences[0].of == 4


@pytest.mark.parametrize("width", [2, 3, 4, 8, 16])
def test_shadow_of_vectors_of_all_widths(width):
    kind = getattr(hc, f"half{width}")
    x = half(np.linspace(0.1, 2, width))

    def f(v):
        w = kind(*v) / 3
        w.s1 = w[0] * 7
        return w

    report = stability.rerun(f, x)
    want = x.astype(float) / 3
    want[1] = want[0] * 7
    assert report.whole and np.allclose(report.exact, want)


# ------------------------------------------------------------------ the list in the docs


def test_docs_name_functions_that_end_the_shadow():
    """The docs name all other public functions that take or return halves."""
    page = (ROOT / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w*]+)", page.split("What ends it:")[1].split("\n\n")[0]))
    families = tuple(name.rstrip("*") for name in named if name.endswith("*"))
    carried = {
        "half", "convert", "sum", "mean", "prod", "std", "var", "cumsum", "norm", "sumsq", "vdot",
        "matmul", "select", "shuffle", "shuffle2", *(f"half{n}" for n in (2, 3, 4, 8, 16)),
    }  # fmt: skip
    of_table = {row.name for row in TABLE if row.public}
    takes_none = {
        "FPConfig", "Function", "Image", "ImageFormat", "MissingPackageError", "Sampler",
        "accelerate", "accelerated", "accelerated_functions", "accelerated_ufuncs", "decelerate",
        "allowed_ulp", "finfo", "get_num_threads", "set_num_threads", "num_threads", "rounding",
        "get_rounding", "processor_info", "ulp_error", "ulps_between", "vec_step", "mipmaps",
            "show",
    }  # fmt: skip
    functions = {
        name for name in hc.__all__
        if callable(getattr(hc, name)) and not name.startswith(("get_image", "HALF_", "M_"))
        and not isinstance(getattr(hc, name), (half, float))
    }  # fmt: skip
    enums = {"addressing_mode", "channel_order", "channel_type", "filter_mode", "mem_object_type"}
    remaining = functions - of_table - carried - takes_none - enums - named
    assert not {name for name in remaining if not name.startswith(families)} and not (
        named & carried
    )


@pytest.mark.parametrize(
    "f",
    [
        lambda x: hc.bitselect(x / 3, x, x),
        lambda x: x * hc.parse("0.1") / 3,
        lambda x: hc.vload_half(0, x[0] / 3) * x,
        lambda x: (x / 3).view(np.uint16).view(half) * 1,
    ],
)
def test_functions_that_end_the_shadow_say_so(f):
    """The shadow is not said to be whole unless it is right."""
    report = stability.rerun(f, X)
    assert not report.whole or np.allclose(report.exact, f(X).astype(float), rtol=2.0**-9)


def test_each_function_of_the_table_has_a_shadow():
    """The shadow depends on the function's name, or also on the half result."""
    from halfcl.stability._shadow.ufuncs import BY_VALUE

    rounding = {row.name for row in TABLE if "e" in row.outputs and "e" in row.inputs}
    names = {n for row in TABLE if row.name in rounding for n in (row.name, *row.numpy)}
    known = {*dd.UFUNCS, *BY_VALUE, *OF_MATRICES}
    assert not (names & {row.name for row in TABLE if row.public}) - known
    assert len(list(itertools.islice(calls(), 200))) > 100
