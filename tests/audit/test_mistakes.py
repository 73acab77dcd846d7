"""halfcl.audit finds and classifies mistakes planted into correct results, and no others."""

import json
import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import audit
from halfcl.audit._records import BUCKETS
from halfcl.audit._results import exact, inputs, mistakes, properties
from halfcl.audit._results.exact import ROWS

# see pyproject markers
pytestmark = pytest.mark.once

ALL = np.arange(1 << 16, dtype=np.uint16)
SIGN, INF, NAN = 0x8000, 0x7C00, 0x7E00


def bits(*values):
    return np.array(values, np.float16).view(np.uint16)


def right(name, rounding="rte"):
    """Return halfcl's function as a call of a library that is always correct."""

    def function(*arguments):
        with np.errstate(all="ignore"):
            return getattr(hc, name)(*arguments, rounding=rounding)

    return audit.Call(name, function, rounding)


def results(name, x=ALL):
    """Return the bits of the correct results for all halves, or some."""
    return exact.right(name, (np.asarray(x, np.uint16).view(np.float16),))[0].view(np.uint16)


def result(name, x):
    """Return the bits of the correct result for one number."""
    return int(results(name, bits(x))[0])


def spoil_function(name, spoil):
    """Return a function whose results spoil(arguments' bits, results' bits) replaces."""

    def function(*arguments):
        own = right(name)(*arguments).view(np.uint16).copy()
        changed = spoil(*(np.array(x).view(np.uint16) for x in arguments), own)
        return changed.astype(np.uint16).view(np.float16)

    return audit.Call(name, function)


def run(name, call, **options):
    """Return the report of a function with one result."""
    calls = call if isinstance(call, audit.Call) else spoil_function(name, call)
    report = audit.run(audit.CallablesTarget("planted", {name: calls}), **options)
    assert not report.failed and not report.unsupported
    return report.functions[0]


def check_only(report, kind, count=1, **others):
    """Check that a report has only some mistakes of one kind, and the other findings given."""
    findings = {
        "mistakes": dict(report.mistakes), "wrong": report.wrong,
        "monotonicity": report.monotonicity, "symmetry": report.symmetry,
    }  # fmt: skip
    expected = {"mistakes": {kind: count}, "wrong": count, "monotonicity": 0, "symmetry": 0}
    assert findings == {**expected, **others}
    assert {case.kind for case in report.worst} == {kind}
    assert sum(report.histogram) <= report.tested


def spoil_at(x, value):
    """Return a spoiler that changes the result for one argument."""
    return lambda arguments, results: np.where(arguments == bits(x), value, results)


# ---------------------------------------------------------------- one mistake, and no other


def test_correct_functions():
    for name in ("exp", "cos", "rint", "sin", "lgamma", "atanh"):
        report = run(name, right(name))
        assert (report.wrong, report.monotonicity, report.symmetry) == (0, 0, 0)
        assert report.tested == 1 << 16 and report.exhaustive
        assert report.mistakes == {} and report.worst == () and report.max_ulp <= 0.5
        assert report.verdicts == ("correct", "correct")


def test_finds_wrong_sign_of_zero():
    report = run("sqrt", spoil_at(0, SIGN))
    check_only(report, mistakes.ZERO_SIGN)
    case = report.worst[0]
    assert (case.arguments, case.got, case.right, case.ulps) == ((0,), SIGN, 0, 0.0)
    assert report.verdicts == ("beyond", "beyond")


def test_finds_wrong_sign_of_underflows():
    """OpenCL specifies the sign of an exact zero, but not that of an underflow."""
    report = run("exp", spoil_at(-20, SIGN))
    check_only(report, mistakes.ZERO_SIGN)
    assert report.verdicts == ("within", "within")


def is_subnormal(x):
    return (x & 0x7FFF > 0) & (x & 0x7FFF < 0x0400)


def test_finds_flushed_arguments():
    """All 1023 positive subnormal arguments are taken as zero."""
    report = run("rsqrt", lambda x, y: np.where(is_subnormal(x) & (x < SIGN), INF, y))
    check_only(report, mistakes.ARGUMENT_FLUSHED, 1023)
    assert report.verdicts == ("flushes", "flushes")
    assert report.worst[0].right != INF and report.worst[0].got == INF


def test_finds_flushed_results():
    report = run("exp", lambda x, y: np.where(is_subnormal(y), 0, y))
    flushed = int(is_subnormal(results("exp")).sum())
    check_only(report, mistakes.RESULT_FLUSHED, flushed)
    assert report.verdicts == ("flushes", "flushes")


def test_finds_flushed_arguments_or_results():
    """sin(x) is x for subnormal x, so that argument or result may have been flushed."""
    report = run("sin", lambda x, y: np.where(is_subnormal(x), x & SIGN, y))
    check_only(report, mistakes.FLUSHED, 2046)
    assert report.verdicts[0] == "flushes"


def test_rounding_that_equals_a_flush():
    """An error of an ulp at one subnormal argument equals the result of zero."""
    x = np.flatnonzero(is_subnormal(ALL) & (results("acos") != result("acos", 0)))[0]
    value = result("acos", 0)
    report = run("acos", lambda a, y: np.where(a == x, value, y))
    assert (report.mistakes, report.verdicts[0]) == ({mistakes.ROUNDING: 1}, "within")


@pytest.mark.parametrize("x", [0.75, -3.5, 1.0])
def test_finds_one_ulp(x):
    """exp is steep: its neighbours are several ulps away, so it stays monotone."""
    wrong = result("exp", x) + 1
    report = run("exp", spoil_at(x, wrong))
    case = report.worst[0]
    assert case.arguments == (int(bits(x)[0]),) and case.got == wrong
    exact_error = hc.ulp_error(np.uint16(wrong).view(np.float16), Fraction(math.exp(x)))
    assert case.ulps == pytest.approx(exact_error, abs=1e-9) and report.max_ulp == case.ulps
    kind = mistakes.ROUNDING if exact_error < 1 else mistakes.INACCURATE
    check_only(report, kind, monotonicity=report.monotonicity)
    assert report.verdicts == ("within", "within")


def test_three_ulps_are_beyond_two():
    wrong = result("exp", 0.75) + 3
    report = run("exp", spoil_at(0.75, wrong))
    assert report.verdicts == ("beyond", "beyond" if report.max_ulp > 3 else "within")
    assert report.beyond[0] == 1 and report.limits == (2.0, 3.0)


def test_finds_nan_for_an_infinity():
    report = run("exp", spoil_at(np.inf, NAN))
    check_only(report, mistakes.NAN_FOR_NUMBER)
    assert report.verdicts == ("beyond", "beyond")


def test_finds_nan_for_a_number():
    report = run("erf", spoil_at(1, 0x7C01))
    check_only(report, mistakes.NAN_FOR_NUMBER, symmetry=1)
    assert (report.worst[0].ulps, report.curve_mistakes) == (None, ((0x3C00 + 31744) // 32,))


def test_finds_number_for_a_nan():
    report = run("log", spoil_at(-1, 0))
    check_only(report, mistakes.NUMBER_FOR_NAN)
    assert report.verdicts[0] == "beyond"


def test_finds_infinity_for_the_greatest():
    """An infinity counts as 65536: it may be within a limit, but never for exact functions."""
    x = ALL[results("exp") < INF]
    largest = max(x[x < SIGN])
    report = run("exp", lambda a, y: np.where(a == largest, INF, y))
    check_only(report, mistakes.INFINITY_FOR_NUMBER)
    assert report.verdicts[0] == "beyond"  # exp is 65152 there: 12 ulps from 65536
    report = run("fabs", spoil_at(-65504, INF))
    check_only(report, mistakes.INFINITY_FOR_NUMBER, symmetry=1)
    assert report.verdicts[0] == "beyond"


def test_finds_greatest_for_an_infinity():
    report = run("exp", spoil_at(20, 0x7BFF))
    check_only(report, mistakes.NUMBER_FOR_INFINITY, monotonicity=1)
    assert report.verdicts[0] == "beyond"


def test_finds_lost_monotonicity():
    """A step of one ulp back between equal results is an error of one ulp."""
    y = results("tanh")
    x = next(x for x in range(0x4000, 0x4800) if y[x - 1] == y[x] == y[x + 1])
    report = run("tanh", lambda a, b: np.where((a & 0x7FFF) == x, b - 1, b))
    assert (report.monotonicity, report.symmetry, report.wrong) == (2, 0, 2)
    assert set(report.mistakes) <= {mistakes.ROUNDING, mistakes.INACCURATE}


def test_finds_lost_oddness():
    wrong = result("sin", -0.25) + 1
    report = run("sin", spoil_at(-0.25, wrong))
    assert (report.symmetry, report.wrong, report.monotonicity) == (1, 1, 0)


def test_finds_lost_evenness():
    wrong = result("cosh", -1.25) + 1
    report = run("cosh", spoil_at(-1.25, wrong))
    assert (report.symmetry, report.wrong) == (1, 1)


def test_finds_lost_commutativity():
    """A wrong result at (1, inf) with a correct one at (inf, 1) counts for both orders."""
    report = run("hypot", lambda x, y, z: np.where((x == bits(1)) & (y == INF), 0x7BFF, z))
    first, second = next(inputs.chunks(ROWS["hypot"], False, 0))
    planted_pairs = np.sum((first == 1) & (second == np.inf))
    swapped_pairs = np.sum((second == 1) & (first == np.inf))
    check_only(
        report, mistakes.NUMBER_FOR_INFINITY, planted_pairs, symmetry=planted_pairs + swapped_pairs
    )
    assert planted_pairs and swapped_pairs


def test_commutativity_of_a_function_with_one_buffer():
    """The second call overwrites the results of the first one."""
    buffer = np.empty(1 << 21, np.float16)

    def function(x, y):
        view = buffer[: x.size]
        view[:] = hc.hypot(x, y)
        mistakes.bits(view)[(x == 1) & (y == 3)] += 1
        return view

    report = audit_one("hypot", function)["hypot"]
    assert report.wrong == 1 and report.symmetry == 2


def test_finds_wrong_bools_and_integers():
    calls = {
        "isnan": audit.Call("f", lambda x: np.isnan(x) | (x == 1)),
        "ilogb": audit.Call("f", lambda x: np.where(x == 2, 0, right("ilogb")(x)).astype(np.int32)),
    }
    report = audit.run(audit.CallablesTarget("mine", calls))
    for function in report.functions:
        check_only(function, mistakes.VALUE, symmetry=0)
        assert function.verdicts[0] == "beyond" and sum(function.histogram) == 0
    assert report["ilogb"].worst[0].got == 0 and report["ilogb"].worst[0].right == 1


def test_finds_one_wrong_result_of_two():
    def sincos(x):
        sine, cosine = right("sincos")(x)
        return sine, np.where(x == 0, np.float16(2), cosine)

    report = audit.run(audit.CallablesTarget("mine", {"sincos": sincos}))
    assert report["sincos.sine"].wrong == 0
    assert report["sincos.cosine"].wrong == 2 and report["sincos.cosine"].max_ulp == 1024


def test_calls_in_other_rounding_modes():
    """A call with another mode is compared in that mode."""
    for rounding in hc.MODES:
        assert run("exp", right("exp", rounding)).wrong == 0
        other = audit.Call("exp", right("exp", rounding).function)
        assert (run("exp", other).wrong == 0) == (rounding == "rte")


# ---------------------------------------------------------------- several arguments


def test_finds_one_wrong_pair():
    """A special pair, which the sample always has, is wrong."""

    def spoil(x, y, z):
        return np.where((x == INF) & (y == 0), 0, z)

    report = run("pow", spoil)
    assert report.mistakes.keys() == {mistakes.INACCURATE} and report.wrong >= 1
    assert report.worst[0].arguments == (INF, 0) and report.worst[0].ulps == -1024


def test_finds_flushed_sums():
    """add(subnormal, y) is add(0, y), also where the error is less than an ulp."""

    def flush(x):
        return np.where(is_subnormal(x), x & SIGN, x).astype(np.uint16).view(np.float16)

    def add(x, y):
        return right("add")(flush(x.view(np.uint16)), flush(y.view(np.uint16)))

    report = run("add", audit.Call("add", add))
    assert set(report.mistakes) <= set(mistakes.FLUSHES)
    assert report.verdicts[0] == "flushes" and report.wrong > 1000


@shared_out
@pytest.mark.parametrize("name", either(["fmax", "fmin", "maxmag", "minmag", "clamp"], ["maxmag"]))
def test_zeros_of_extrema_are_unspecified(name):
    """The library may choose which zero is larger, and nothing else."""
    report = run(name, lambda *columns: np.where(columns[-1] == SIGN, 0, columns[-1]))
    assert report.tested > 7e5 and set(report.mistakes) <= {mistakes.ZERO_SIGN}
    either = run(name, lambda x, *others: np.where(
        (others[-1] & 0x7FFF == 0) & np.logical_or.reduce([x != y for y in others[:-1]]),
        SIGN ^ others[-1], others[-1],
    ))  # fmt: skip
    assert all(0 not in c.arguments or SIGN not in c.arguments for c in either.worst)


def test_exponents_of_zero_and_nan_are_unspecified():
    """OpenCL's FP_ILOGB0 and FP_ILOGBNAN may be either of two numbers."""

    def ilogb(x):
        exponents = right("ilogb")(x)
        return np.where((x == 0) | np.isnan(x), np.int32(-(2**31)), exponents)

    report = run("ilogb", audit.Call("ilogb", ilogb))
    assert report.wrong == 0 and report.tested == 2 * (31744 + 1) - 2
    report = run("ilogb", audit.Call("ilogb", lambda x: np.where(x == 1, 1, ilogb(x))))
    check_only(report, mistakes.VALUE)


def test_signalling_nans_may_become_nans():
    def hypot(x, y):
        signalling = mistakes.is_signalling(x) | mistakes.is_signalling(y)
        return np.where(signalling, np.float16(np.nan), right("hypot")(x, y))

    assert run("hypot", audit.Call("hypot", hypot)).wrong == 0


def test_chunks_of_all_pairs():
    """All pairs are tested in chunks; one chunk is checked."""
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
        ["pown"],
    ),
)
def test_samples_have_all_kinds(name):
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
@pytest.mark.parametrize("name", either(["multiply", "divide", "pow", "hypot", "atan2"], ["pow"]))
def test_samples_have_hard_cases(name):
    """Thousands of results are closer to a rounding boundary than a thousandth of an ulp."""
    (columns,) = inputs.chunks(ROWS[name], False, 0)
    results = exact.right(name, columns)
    (numbers,) = exact.exact(name, columns, results)
    finite = np.isfinite(results[0]) & (results[0] != 0)
    error = np.abs(hc.ulp_error(results[0][finite], numbers[finite]))
    assert np.sum(np.abs(error - 0.5) < 0.001) > 4 * 0.002 * error.size / 2
    rounded_up = (results[0] == np.inf) & np.isfinite(columns[0]) & (numbers < 65600)
    assert rounded_up.any() or name == "atan2"


# ---------------------------------------------------------------- correct results


@pytest.mark.parametrize("name", [r.name for r in ROWS.values() if r.ulp and r.outputs[0] == "e"])
def test_every_rounded_function_has_exact_numbers(name):
    """Without them errors are measured from the correct half, half an ulp off."""
    assert exact.has_double(name), "needs a line in DOUBLES of src/halfcl/audit/_results/exact.py"


def test_exact_numbers_equal_mpfrs():
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


def test_exact_numbers_are_clamped():
    """tanh(10) is below 1, even if its double is 1; exp(20) is beyond all halves."""
    x = np.array([10, 20], np.float16)
    (numbers,) = exact.exact("tanh", (x,), exact.right("tanh", (x,)))
    assert (numbers <= 1).all() and (numbers > 0.999).all()
    (numbers,) = exact.exact("exp", (x,), exact.right("exp", (x,)))
    assert numbers[1] == pytest.approx(math.exp(20))


# ---------------------------------------------------------------- counts


def test_histogram_and_mean():
    report = run("exp", spoil_at(0.75, result("exp", 0.75) + 6))
    counted = dict(zip((*BUCKETS, math.inf), report.histogram, strict=True))
    assert counted[8] == 1 and counted[1] == counted[2] == counted[4] == 0
    assert sum(report.histogram) == np.isfinite(results("exp").view(np.float16)).sum()
    assert counted[0] == 3  # exp of 0, -0 and -inf is exact
    assert 0.1 < report.mean_ulp < 0.25


def test_curve():
    report = run("exp", spoil_at(0.75, result("exp", 0.75) + 6))
    assert len(report.curve) == 2 * 31744 // 32 + 1
    place = (int(bits(0.75)[0]) + 31744) // 32
    assert report.curve[place] == float(f"{report.max_ulp:.3g}")
    assert max(x for k, x in enumerate(report.curve) if k != place) <= 0.5
    assert report.curve_mistakes == ()


def test_order_of_halves():
    values = properties.ORDERED.view(np.float16)
    assert values.size == 2 * 31745 and (np.diff(values[1:-1].astype(float)) >= 0).all()
    assert properties.PLACES[0] == -31744 and properties.PLACES[-1] == 31744


def test_properties_in_the_table():
    """halfcl's own results have the monotonicity and symmetry that the table states."""
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
            assert mistakes.find_differences(one, other).size == 0, row.name


# ---------------------------------------------------------------- reports


def audit_numpy():
    return audit.run("numpy", ["exp", "atan2", "modf", "isnan", "convert_half"])


def test_report_in_json():
    report = audit_numpy()
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
        ('{"version": 99}', "expected a report of version 1, got 99"),
        ('{"version": 1}', "not a report of an audit: 'target'"),
        ("[" * 100_000, "not a report of an audit: "),
    ],
)
def test_text_that_is_no_report_is_refused(text, message):
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
def test_fields_of_wrong_types_are_refused(field, value, message):
    data = json.loads(audit.run(np.sqrt).to_json())
    data["functions"][0][field] = value
    with pytest.raises(audit.ReportError, match=f"not a report of an audit: .*{message}"):
        audit.Report.from_json(json.dumps(data))


def audit_one(name, call):
    return audit.run(audit.CallablesTarget("mine", {name: call}))


def test_changes_since_a_baseline():
    good = audit_one("exp", right("exp"))
    bad = audit_one("exp", spoil_function("exp", spoil_at(0.75, 0)))
    assert good.compare(good) == [] and good.status(good) == 0
    worse = {change.what: change for change in bad.compare(good)}
    assert set(worse) == {"wrong", "max_ulp", "monotonicity", mistakes.INACCURATE, "verdict"}
    assert all(change.worse for change in worse.values())
    assert str(worse["wrong"]) == "exp: wrong: 0 -> 1 (worse)"
    assert not any(change.worse for change in good.compare(bad))
    assert (bad.status(), bad.status(good), bad.status(bad), good.status(bad)) == (1, 1, 0, 0)


def test_new_and_missing_functions():
    one, other = audit_one("exp", right("exp")), audit_one("sin", right("sin"))
    assert [(c.label, c.after, c.worse) for c in other.compare(one)] == [
        ("exp", "gone", True), ("sin", "new", False),
    ]  # fmt: skip
    requested = audit.run(audit.CallablesTarget("mine", {"sin": right("sin")}), ["sin"])
    assert [c.label for c in requested.compare(one)] == ["sin"]


def test_worst_functions():
    calls = {
        "exp": spoil_function("exp", spoil_at(0.75, 0)),
        "sin": spoil_function("sin", spoil_at(0.75, result("sin", 0.75) + 1)),
        "cos": right("cos"),
    }
    report = audit.run(audit.CallablesTarget("mine", calls))
    assert [f.name for f in report.worst()] == ["exp", "sin"]
    assert [f.name for f in report.worst(1)] == ["exp"]


def test_progress():
    seen = []
    audit.run("numpy", ["exp", "sqrt"], progress=lambda *arguments: seen.append(arguments))
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


def test_full_audit(monkeypatch):
    """All pairs of some halves are compared, in chunks."""
    halves = np.array([0, 1, 0x3FF, 0x3C00, 0x7BFF, INF, NAN, SIGN, 0xBC00, 0x4200], np.uint16)

    def pairs():
        for first in halves:
            yield np.full(halves.size, first).view(np.float16), halves.view(np.float16)

    monkeypatch.setattr(inputs, "all_pairs", pairs)
    monkeypatch.setattr(inputs, "count", lambda row, full: halves.size)
    seen = []
    report = run("hypot", lambda x, y, z: np.where((x == 0x4200) & (y == 1), z + 2, z), full=True,
                 progress=lambda name, done, total: seen.append(done))  # fmt: skip
    check_only(report, mistakes.INACCURATE)
    assert report.tested == halves.size**2 and report.exhaustive
    assert seen == sorted(seen) and len(set(seen)) > 9


@shared_out
def test_audit_raises_no_floating_point_warnings():
    """No floating-point warnings occur, whatever the caller's np.errstate is."""
    calls = {
        "fabs": lambda x: (x.view(np.uint16) & 0x7FFF).view(np.float16),
        "hypot": right("hypot"),
    }
    calls |= {name: right(name) for name in either(("pown", "mix"), ())}
    for threads in (1, 2):
        with np.errstate(all="raise"), hc.num_threads(threads):
            report = audit.run(audit.CallablesTarget("mine", calls))
        assert [f.wrong for f in report.functions] == [0] * len(calls) and not report.failed


def test_function_that_is_always_nan():
    report = run("nan", right("nan"))
    assert (report.tested, report.wrong) == (1 << 16, 0)


def test_errors_are_not_rounded_to_half_an_ulp():
    from halfcl.audit._output.html import _ulps
    from halfcl.audit._records import ulps

    for error in (0.5 + 2.0**-k for k in range(3, 53)):
        for text in (ulps(error), _ulps(error)):
            assert float(text) > 0.5
    assert float(ulps(0.5)) == float(_ulps(0.5)) == 0.5
