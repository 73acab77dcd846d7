"""halfcl.audit: mistakes that are planted into right results are found, and named; no others."""

import json
import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import audit
from halfcl.audit import (
    _exact as exact,
    _inputs as inputs,
    _mistakes as mistakes,
    _properties as properties,
)
from halfcl.audit._exact import ROWS
from halfcl.audit._report import BUCKETS

# see pyproject markers
pytestmark = pytest.mark.once

ALL = np.arange(1 << 16, dtype=np.uint16)
SIGN, INF, NAN = 0x8000, 0x7C00, 0x7E00


def bits(*values):
    return np.array(values, np.float16).view(np.uint16)


def right(name, rounding="rte"):
    """halfcl's function as a call of a library that is always right."""

    def function(*arguments):
        with np.errstate(all="ignore"):
            return getattr(hc, name)(*arguments, rounding=rounding)

    return audit.Call(name, function, rounding)


def results(name, x=ALL):
    """The right results for all halves, or some: bits."""
    return exact.right(name, (np.asarray(x, np.uint16).view(np.float16),))[0].view(np.uint16)


def result(name, x):
    """The right result for one number: bits."""
    return int(results(name, bits(x))[0])


def planted(name, spoil):
    """A right function, whose results spoil(arguments' bits, results' bits) gives back changed."""

    def function(*arguments):
        own = right(name)(*arguments).view(np.uint16).copy()
        changed = spoil(*(np.array(x).view(np.uint16) for x in arguments), own)
        return changed.astype(np.uint16).view(np.float16)

    return audit.Call(name, function)


def run(name, call, **options):
    """The report of one function of one result."""
    calls = call if isinstance(call, audit.Call) else planted(name, call)
    report = audit.run(audit.CallablesTarget("planted", {name: calls}), **options)
    assert not report.failed and not report.unsupported
    return report.functions[0]


def only(report, kind, count=1, **others):
    """That a report has nothing but some mistakes of a kind, and what is named."""
    found = {
        "mistakes": dict(report.mistakes), "wrong": report.wrong,
        "monotonicity": report.monotonicity, "symmetry": report.symmetry,
    }  # fmt: skip
    expected = {"mistakes": {kind: count}, "wrong": count, "monotonicity": 0, "symmetry": 0}
    assert found == {**expected, **others}
    assert {case.kind for case in report.worst} == {kind}
    assert sum(report.histogram) <= report.tested


def at(x, value):
    """A spoiler: one argument gives another result."""
    return lambda arguments, results: np.where(arguments == bits(x), value, results)


# ---------------------------------------------------------------- one mistake, and no other


def test_nothing_to_find():
    for name in ("exp", "cos", "rint", "sin", "lgamma", "atanh"):
        report = run(name, right(name))
        assert (report.wrong, report.monotonicity, report.symmetry) == (0, 0, 0)
        assert report.tested == 1 << 16 and report.exhaustive
        assert report.mistakes == {} and report.worst == () and report.max_ulp <= 0.5
        assert report.verdicts == ("correct", "correct")


def test_wrong_sign_of_zero():
    report = run("sqrt", at(0, SIGN))
    only(report, mistakes.ZERO_SIGN)
    case = report.worst[0]
    assert (case.arguments, case.got, case.right, case.ulps) == ((0,), SIGN, 0, 0.0)
    assert report.verdicts == ("beyond", "beyond")


def test_sign_of_what_underflows():
    """OpenCL says nothing of the sign there, of an exact zero it does."""
    report = run("exp", at(-20, SIGN))
    only(report, mistakes.ZERO_SIGN)
    assert report.verdicts == ("within", "within")


def is_subnormal(x):
    return (x & 0x7FFF > 0) & (x & 0x7FFF < 0x0400)


def test_flush_of_arguments():
    """All 2046 of them: of exp2m1 and its like the results are subnormal, too."""
    report = run("rsqrt", lambda x, y: np.where(is_subnormal(x) & (x < SIGN), INF, y))
    only(report, mistakes.ARGUMENT_FLUSHED, 1023)
    assert report.verdicts == ("flushes", "flushes")
    assert report.worst[0].right != INF and report.worst[0].got == INF


def test_flush_of_results():
    report = run("exp", lambda x, y: np.where(is_subnormal(y), 0, y))
    flushed = int(is_subnormal(results("exp")).sum())
    only(report, mistakes.RESULT_FLUSHED, flushed)
    assert report.verdicts == ("flushes", "flushes")


def test_flush_of_either():
    """sin(x) is x there: nothing tells which was taken as zero."""
    report = run("sin", lambda x, y: np.where(is_subnormal(x), x & SIGN, y))
    only(report, mistakes.FLUSHED, 2046)
    assert report.verdicts[0] == "flushes"


def test_rounding_that_looks_like_a_flush():
    """One ulp at one subnormal argument whose result is as good as that of zero."""
    x = np.flatnonzero(is_subnormal(ALL) & (results("acos") != result("acos", 0)))[0]
    value = result("acos", 0)
    report = run("acos", lambda a, y: np.where(a == x, value, y))
    assert (report.mistakes, report.verdicts[0]) == ({mistakes.ROUNDING: 1}, "within")


@pytest.mark.parametrize("x", [0.75, -3.5, 1.0])
def test_one_ulp(x):
    """exp is steep: its neighbours are several ulps away, so it stays monotone."""
    wrong = result("exp", x) + 1
    report = run("exp", at(x, wrong))
    case = report.worst[0]
    assert case.arguments == (int(bits(x)[0]),) and case.got == wrong
    exact_error = hc.ulp_error(np.uint16(wrong).view(np.float16), Fraction(math.exp(x)))
    assert case.ulps == pytest.approx(exact_error, abs=1e-9) and report.max_ulp == case.ulps
    kind = mistakes.ROUNDING if exact_error < 1 else mistakes.INACCURATE
    only(report, kind, monotonicity=report.monotonicity)
    assert report.verdicts == ("within", "within")


def test_three_ulps_are_beyond_two():
    wrong = result("exp", 0.75) + 3
    report = run("exp", at(0.75, wrong))
    assert report.verdicts == ("beyond", "beyond" if report.max_ulp > 3 else "within")
    assert report.beyond[0] == 1 and report.limits == (2.0, 3.0)


def test_nan_for_an_infinity():
    report = run("exp", at(np.inf, NAN))
    only(report, mistakes.NAN_FOR_NUMBER)
    assert report.verdicts == ("beyond", "beyond")


def test_nan_for_a_number():
    report = run("erf", at(1, 0x7C01))
    only(report, mistakes.NAN_FOR_NUMBER, symmetry=1)
    assert (report.worst[0].ulps, report.curve_mistakes) == (None, ((0x3C00 + 31744) // 32,))


def test_number_for_a_nan():
    report = run("log", at(-1, 0))
    only(report, mistakes.NUMBER_FOR_NAN)
    assert report.verdicts[0] == "beyond"


def test_infinity_for_the_greatest():
    """Within a limit of an ulp and more, since it counts as 65536; not of what must be right."""
    x = ALL[results("exp") < INF]
    largest = max(x[x < SIGN])
    report = run("exp", lambda a, y: np.where(a == largest, INF, y))
    only(report, mistakes.INFINITY_FOR_NUMBER)
    assert report.verdicts[0] == "beyond"  # exp is 65152 there: 12 ulps from 65536
    report = run("fabs", at(-65504, INF))
    only(report, mistakes.INFINITY_FOR_NUMBER, symmetry=1)
    assert report.verdicts[0] == "beyond"


def test_greatest_for_an_infinity():
    report = run("exp", at(20, 0x7BFF))
    only(report, mistakes.NUMBER_FOR_INFINITY, monotonicity=1)
    assert report.verdicts[0] == "beyond"


def test_lost_monotonicity():
    """A step of one ulp back, where neighbours share a result: it is no more than that."""
    y = results("tanh")
    x = next(x for x in range(0x4000, 0x4800) if y[x - 1] == y[x] == y[x + 1])
    report = run("tanh", lambda a, b: np.where((a & 0x7FFF) == x, b - 1, b))
    assert (report.monotonicity, report.symmetry, report.wrong) == (2, 0, 2)
    assert set(report.mistakes) <= {mistakes.ROUNDING, mistakes.INACCURATE}


def test_lost_oddness():
    wrong = result("sin", -0.25) + 1
    report = run("sin", at(-0.25, wrong))
    assert (report.symmetry, report.wrong, report.monotonicity) == (1, 1, 0)


def test_lost_evenness():
    wrong = result("cosh", -1.25) + 1
    report = run("cosh", at(-1.25, wrong))
    assert (report.symmetry, report.wrong) == (1, 1)


def test_lost_commutativity():
    """Wrong where (x, y) is (1, inf), and right the other way round: both orders are named."""
    report = run("hypot", lambda x, y, z: np.where((x == bits(1)) & (y == INF), 0x7BFF, z))
    first, second = next(inputs.chunks(ROWS["hypot"], False, 0))
    at_it = np.sum((first == 1) & (second == np.inf))
    turned = np.sum((second == 1) & (first == np.inf))
    only(report, mistakes.NUMBER_FOR_INFINITY, at_it, symmetry=at_it + turned)
    assert at_it and turned


def test_lost_commutativity_of_a_function_with_one_buffer():
    """Its first results are gone when the second call is done."""
    buffer = np.empty(1 << 21, np.float16)

    def function(x, y):
        found = buffer[: x.size]
        found[:] = hc.hypot(x, y)
        mistakes.bits(found)[(x == 1) & (y == 3)] += 1
        return found

    report = mine("hypot", function)["hypot"]
    assert report.wrong == 1 and report.symmetry == 2


def test_wrong_truths_and_integers():
    calls = {
        "isnan": audit.Call("f", lambda x: np.isnan(x) | (x == 1)),
        "ilogb": audit.Call("f", lambda x: np.where(x == 2, 0, right("ilogb")(x)).astype(np.int32)),
    }
    report = audit.run(audit.CallablesTarget("mine", calls))
    for function in report.functions:
        only(function, mistakes.VALUE, symmetry=0)
        assert function.verdicts[0] == "beyond" and sum(function.histogram) == 0
    assert report["ilogb"].worst[0].got == 0 and report["ilogb"].worst[0].right == 1


def test_one_of_two_results():
    def sincos(x):
        sine, cosine = right("sincos")(x)
        return sine, np.where(x == 0, np.float16(2), cosine)

    report = audit.run(audit.CallablesTarget("mine", {"sincos": sincos}))
    assert report["sincos.sine"].wrong == 0
    assert report["sincos.cosine"].wrong == 2 and report["sincos.cosine"].max_ulp == 1024


def test_another_rounding_mode():
    """A call that says so is compared in its own mode."""
    for rounding in hc.MODES:
        assert run("exp", right("exp", rounding)).wrong == 0
        other = audit.Call("exp", right("exp", rounding).function)
        assert (run("exp", other).wrong == 0) == (rounding == "rte")


# ---------------------------------------------------------------- several arguments


def test_one_wrong_pair():
    """At a pair that the sample has for its own sake: a special one."""

    def spoil(x, y, z):
        return np.where((x == INF) & (y == 0), 0, z)

    report = run("pow", spoil)
    assert report.mistakes.keys() == {mistakes.INACCURATE} and report.wrong >= 1
    assert report.worst[0].arguments == (INF, 0) and report.worst[0].ulps == -1024


def test_flushed_sums():
    """add(subnormal, y) as add(0, y): where that is off by less than an ulp, too."""

    def flush(x):
        return np.where(is_subnormal(x), x & SIGN, x).astype(np.uint16).view(np.float16)

    def add(x, y):
        return right("add")(flush(x.view(np.uint16)), flush(y.view(np.uint16)))

    report = run("add", audit.Call("add", add))
    assert set(report.mistakes) <= set(mistakes.FLUSHES)
    assert report.verdicts[0] == "flushes" and report.wrong > 1000


@shared_out
@pytest.mark.parametrize(
    "name", either(["fmax", "fmin", "maxmag", "minmag", "clamp"], ["maxmag", "clamp"])
)
def test_zeros_are_left_open(name):
    """Which zero is larger is the library's to choose; nothing else is."""
    report = run(name, lambda *columns: np.where(columns[-1] == SIGN, 0, columns[-1]))
    assert report.tested > 7e5 and set(report.mistakes) <= {mistakes.ZERO_SIGN}
    either = run(name, lambda x, *others: np.where(
        (others[-1] & 0x7FFF == 0) & np.logical_or.reduce([x != y for y in others[:-1]]),
        SIGN ^ others[-1], others[-1],
    ))  # fmt: skip
    assert all(0 not in c.arguments or SIGN not in c.arguments for c in either.worst)


def test_exponents_of_zero_and_nan_are_left_open():
    """OpenCL's FP_ILOGB0 and FP_ILOGBNAN may be either of two numbers."""

    def ilogb(x):
        found = right("ilogb")(x)
        return np.where((x == 0) | np.isnan(x), np.int32(-(2**31)), found)

    report = run("ilogb", audit.Call("ilogb", ilogb))
    assert report.wrong == 0 and report.tested == 2 * (31744 + 1) - 2
    report = run("ilogb", audit.Call("ilogb", lambda x: np.where(x == 1, 1, ilogb(x))))
    only(report, mistakes.VALUE)


def test_signalling_nans_may_give_nans():
    def hypot(x, y):
        signalling = mistakes.is_signalling(x) | mistakes.is_signalling(y)
        return np.where(signalling, np.float16(np.nan), right("hypot")(x, y))

    assert run("hypot", audit.Call("hypot", hypot)).wrong == 0


def test_full():
    """All pairs of one chunk; the rest is the same again."""
    row = ROWS["pow"]
    chunk = next(iter(inputs.chunks(row, True, 0)))
    assert inputs.count(row, True) * chunk[0].size == 1 << 32
    assert inputs.is_exhaustive(row, True) and not inputs.is_exhaustive(row, False)
    first, second = (x.view(np.uint16).reshape(-1, 1 << 16) for x in chunk)
    assert (second == ALL).all() and (first == np.arange(len(first))[:, None]).all()


# ---------------------------------------------------------------- inputs


@shared_out
@pytest.mark.parametrize(
    "name",
    either(
        "add pow atan2 hypot fmod pown rootn ldexp fma mix smoothstep".split(),
        "pow pown mix".split(),
    ),
)
def test_samples(name):
    (columns,) = inputs.chunks(ROWS[name], False, 0)
    again = next(inputs.chunks(ROWS[name], False, 0))
    assert all(np.array_equal(x.view(np.uint16), y.view(np.uint16))
               for x, y in zip(columns, again, strict=True) if x.dtype == np.float16)  # fmt: skip
    assert columns[0].size > 9e5
    words = [x.view(np.uint16) for x in columns if x.dtype == np.float16]
    if len(columns) == 2 and len(words) == 2:
        heads = np.unique((words[0] >> 10).astype(np.uint32) << 6 | words[1] >> 10)
        assert heads.size == 64 * 64  # every pair of signs and exponents
    for word in words:
        assert np.unique(word).size > 60_000
        for special in (0, SIGN, 1, 0x3FF, 0x400, 0x7BFF, INF, 0x7C01, 0x7E00):
            assert (word == special).any()


@shared_out
@pytest.mark.parametrize(
    "name", either(["multiply", "divide", "pow", "hypot", "atan2"], ["divide", "pow"])
)
def test_hard_cases(name):
    """Results next to where half rounds: thousands closer than a thousandth of an ulp, by far more
    than chance has, ties and edges among them."""
    (columns,) = inputs.chunks(ROWS[name], False, 0)
    found = exact.right(name, columns)
    (numbers,) = exact.exact(name, columns, found)
    finite = np.isfinite(found[0]) & (found[0] != 0)
    error = np.abs(hc.ulp_error(found[0][finite], numbers[finite]))
    assert np.sum(np.abs(error - 0.5) < 0.001) > 4 * 0.002 * error.size / 2
    rounded_up = (found[0] == np.inf) & np.isfinite(columns[0]) & (numbers < 65600)
    assert rounded_up.any() or name == "atan2"


# ---------------------------------------------------------------- what is right


@pytest.mark.parametrize("name", [r.name for r in ROWS.values() if r.ulp and r.outputs[0] == "e"])
def test_every_rounded_function_has_exact_numbers(name):
    """Else errors are counted from the right half, and are off by half an ulp."""
    assert exact.has_double(name), "needs a line in DOUBLES of src/halfcl/audit/_exact.py"


def test_exact_numbers_are_those_of_mpfr():
    rng = np.random.default_rng(0)
    x = rng.choice(ALL[:INF], 300).view(np.float16)
    for name, of_mpfr in {"exp": gmpy2.exp, "cbrt": gmpy2.cbrt, "tgamma": gmpy2.gamma,
                          "erfc": gmpy2.erfc, "exp10": gmpy2.exp10}.items():  # fmt: skip
        (numbers,) = exact.exact(name, (x,), exact.right(name, (x,)))
        with gmpy2.context(precision=200):
            for one, number in zip(x, numbers, strict=True):
                true = of_mpfr(gmpy2.mpfr(float(one)))
                if 2.0**-24 < true < 65504:
                    assert abs(true - gmpy2.mpfr(float(number))) < true * 2**-40, (name, one)


def test_exact_numbers_stay_on_their_side():
    """tanh(10) is below 1, whatever a double says; exp(20) is beyond all halves."""
    x = np.array([10, 20], np.float16)
    (numbers,) = exact.exact("tanh", (x,), exact.right("tanh", (x,)))
    assert (numbers <= 1).all() and (numbers > 0.999).all()
    (numbers,) = exact.exact("exp", (x,), exact.right("exp", (x,)))
    assert numbers[1] == pytest.approx(math.exp(20))


# ---------------------------------------------------------------- counts


def test_histogram_and_mean():
    report = run("exp", at(0.75, result("exp", 0.75) + 6))
    counted = dict(zip((*BUCKETS, math.inf), report.histogram, strict=True))
    assert counted[8] == 1 and counted[1] == counted[2] == counted[4] == 0
    assert sum(report.histogram) == np.isfinite(results("exp").view(np.float16)).sum()
    assert counted[0] == 3  # exp of 0, -0 and -inf is exact
    assert 0.1 < report.mean_ulp < 0.25


def test_curve():
    report = run("exp", at(0.75, result("exp", 0.75) + 6))
    assert len(report.curve) == 2 * 31744 // 32 + 1
    place = (int(bits(0.75)[0]) + 31744) // 32
    assert report.curve[place] == float(f"{report.max_ulp:.3g}")
    assert max(x for k, x in enumerate(report.curve) if k != place) <= 0.5
    assert report.curve_mistakes == ()


def test_order_of_halves():
    values = properties.ORDERED.view(np.float16)
    assert values.size == 2 * 31745 and (np.diff(values[1:-1].astype(float)) >= 0).all()
    assert properties.PLACES[0] == -31744 and properties.PLACES[-1] == 31744


def test_facts_of_the_rows():
    """halfcl's own results rise, fall and are symmetric where the table says so."""
    for row in ROWS.values():
        if row.inputs == "e" and len(row.outputs) == 1 and not row.signature:
            got = exact.right(row.name, (ALL.view(np.float16),))[0]
            assert properties.lost_monotonicity(row, got) == 0, row.name
            assert properties.lost_symmetry(row, got) == 0, row.name
        if row.increasing or row.decreasing:
            assert row.inputs == "e"
        if row.symmetry == "commutative" and not row.open:
            x, y = inputs._alike(np.random.default_rng(0), 1000)
            others = (x,) * (row.nin - 2)
            one, other = (exact.right(row.name, (*p, *others))[0] for p in ((x, y), (y, x)))
            assert mistakes.differing(one, other).size == 0, row.name


# ---------------------------------------------------------------- reports


def report_of_numpy():
    return audit.run("numpy", ["exp", "atan2", "modf", "isnan", "convert_half"])


def test_json():
    report = report_of_numpy()
    text = report.to_json()
    assert audit.Report.from_json(text) == report
    assert audit.Report.from_json(text).to_json() == text
    assert json.loads(text)["version"] == 1
    assert report["modf.fraction"].result == "fraction"
    with pytest.raises(KeyError, match="no function 'sin' in the report of numpy"):
        report["sin"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a report of an audit: Expecting value"),
        ("[]", "not a report of an audit: "),
        ("{}", "not a report of an audit: 'version'"),
        ('{"version": 99}', "version 1 was expected, got 99"),
        ('{"version": 1}', "not a report of an audit: 'target'"),
        ("[" * 100_000, "not a report of an audit: "),
    ],
)
def test_no_report(text, message):
    with pytest.raises(audit.ReportError, match=message):
        audit.Report.from_json(text)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("verdicts", ["good", "bad"], r"verdicts \['good', 'bad'\]"),
        ("verdicts", [], r"verdicts \[\]"),
        ("wrong", None, "wrong is None"),
        ("max_ulp", "5", "max_ulp is '5'"),
        ("mistakes", [1], "no attribute 'items'"),
        ("mistakes", {"an ulp off or more": None}, "an ulp off or more is None"),
    ],
)
def test_no_function_of_a_report(field, value, message):
    data = json.loads(audit.run(np.sqrt).to_json())
    data["functions"][0][field] = value
    with pytest.raises(audit.ReportError, match=f"not a report of an audit: .*{message}"):
        audit.Report.from_json(json.dumps(data))


def mine(name, call):
    return audit.run(audit.CallablesTarget("mine", {name: call}))


def test_changes_since_a_baseline():
    good = mine("exp", right("exp"))
    bad = mine("exp", planted("exp", at(0.75, 0)))
    assert good.compare(good) == [] and good.status(good) == 0
    worse = {change.what: change for change in bad.compare(good)}
    assert set(worse) == {"wrong", "max_ulp", "monotonicity", mistakes.INACCURATE, "verdict"}
    assert all(change.worse for change in worse.values())
    assert str(worse["wrong"]) == "exp: wrong: 0 -> 1 (worse)"
    assert not any(change.worse for change in good.compare(bad))
    assert (bad.status(), bad.status(good), bad.status(bad), good.status(bad)) == (1, 1, 0, 0)


def test_functions_that_come_and_go():
    one, other = mine("exp", right("exp")), mine("sin", right("sin"))
    assert [(c.label, c.after, c.worse) for c in other.compare(one)] == [
        ("exp", "gone", True), ("sin", "new", False),
    ]  # fmt: skip
    asked = audit.run(audit.CallablesTarget("mine", {"sin": right("sin")}), ["sin"])
    assert [c.label for c in asked.compare(one)] == ["sin"]


def test_worst():
    calls = {
        "exp": planted("exp", at(0.75, 0)),
        "sin": planted("sin", at(0.75, result("sin", 0.75) + 1)),
        "cos": right("cos"),
    }
    report = audit.run(audit.CallablesTarget("mine", calls))
    assert [f.name for f in report.worst()] == ["exp", "sin"]
    assert [f.name for f in report.worst(1)] == ["exp"]


def test_progress():
    seen = []
    audit.run("numpy", ["exp", "sqrt"], progress=lambda *told: seen.append(told))
    assert seen[0] == ("exp", 0, 2) and seen[-1] == ("", 2, 2)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_threads_make_no_difference():
    def spoil(x, y, z):
        return np.where((x & 0xFF) == 3, z ^ 1, z)

    reports = []
    for count in (1, 3):
        with hc.num_threads(count):
            reports.append(run("pow", spoil))
    assert reports[0] == reports[1] and reports[0].wrong > 1000


def test_full_run(monkeypatch):
    """Every pair of some halves, in chunks, each compared with what is right."""
    halves = np.array([0, 1, 0x3FF, 0x3C00, 0x7BFF, INF, NAN, SIGN, 0xBC00, 0x4200], np.uint16)

    def pairs():
        for first in halves:
            yield np.full(halves.size, first).view(np.float16), halves.view(np.float16)

    monkeypatch.setattr(inputs, "all_pairs", pairs)
    monkeypatch.setattr(inputs, "count", lambda row, full: halves.size)
    seen = []
    report = run("hypot", lambda x, y, z: np.where((x == 0x4200) & (y == 1), z + 2, z), full=True,
                 progress=lambda name, done, total: seen.append(done))  # fmt: skip
    only(report, mistakes.INACCURATE)
    assert report.tested == halves.size**2 and report.exhaustive
    assert seen == sorted(seen) and len(set(seen)) > 9


@shared_out
def test_warnings_are_nobodys_business():
    """Signalling NaNs, overflow and all else, whatever the caller's np.errstate says."""
    calls = {
        "fabs": lambda x: (x.view(np.uint16) & 0x7FFF).view(np.float16),
        "hypot": right("hypot"),
    }
    calls |= {name: right(name) for name in either(("pown", "mix"), ())}
    for threads in (1, 2):
        with np.errstate(all="raise"), hc.num_threads(threads):
            report = audit.run(audit.CallablesTarget("mine", calls))
        assert [f.wrong for f in report.functions] == [0] * len(calls) and not report.failed


def test_a_function_that_is_nan_by_definition():
    report = run("nan", right("nan"))
    assert (report.tested, report.wrong) == (1 << 16, 0)


def test_no_report_says_half_an_ulp_of_a_result_that_is_further_off():
    from halfcl.audit._html import _ulps
    from halfcl.audit._report import ulps

    for error in (0.5 + 2.0**-k for k in range(3, 53)):
        for text in (ulps(error), _ulps(error)):
            assert float(text) > 0.5
    assert float(ulps(0.5)) == float(_ulps(0.5)) == 0.5
