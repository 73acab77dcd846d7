"""bench/unseen: FPCores become NumPy functions with truths, and programs become float16."""

import ast
import csv
import importlib.util
import math
import subprocess
import sys
import types

import numpy as np
import pytest
from exhaustive import left_out
from places import ROOT

from halfcl import half, stability
from halfcl.stability._programs._recording.numbers import parse_numbers

pytest.importorskip("gmpy2", reason="the truth needs MPFR")

UNSEEN = ROOT / "bench" / "unseen"


def load(name):
    """Return a module of bench/unseen, which finds its neighbours beside it."""
    spec = importlib.util.spec_from_file_location(name, UNSEEN / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path[:0] = [str(UNSEEN.parent), str(UNSEEN)]
fpcore = load("fpcore")
sources = load("sources")
formula_set = load("formula_set")
measure_formulas = load("measure_formulas")
narrowing = load("narrowing")
program_set = load("program_set")
choose_programs = load("choose_programs")
measure_programs = load("measure_programs")
docs_page = load("docs_page")


def core_of(text):
    (core,) = fpcore.read(text)
    return core


def function_of(text):
    source, scalar = fpcore.numpy_source(core_of(text))
    return formula_set.compile_source("test", source), source, scalar


# ---------------------------------------------------------------- FPCore


def test_reader_skips_comments_and_takes_both_brackets():
    text = '; a comment (with\n(FPCore (x) :name "a; b)" ; more\n (let ([y (+ x 1)]) (* y y)))'
    core = core_of(text)
    assert (core.title, core.arguments) == ("a; b)", ["x"])
    assert core.body == ["let", [["y", ["+", "x", "1"]]], ["*", "y", "y"]]


@pytest.mark.parametrize("text", ["(FPCore (x) x", "(FPCore (x) x))"])
def test_reader_refuses_parentheses_that_do_not_match(text):
    with pytest.raises(ValueError, match="parenthes"):
        fpcore.read(text)


def test_calls_of_earlier_formulas_become_lets():
    text = "(FPCore twice (x) (* 2 x)) (FPCore (y) (twice (twice y)))"
    f = formula_set.compile_source("test", fpcore.numpy_source(fpcore.read(text)[1])[0])
    assert f(3.0) == 12.0
    assert fpcore.truth(fpcore.read(text)[1], [3.0]) == 12.0


#: FPCores, the text that each becomes, and its value at 3.
WRITTEN = {
    "(FPCore (x) (- (sqrt (+ x 1)) (sqrt x)))": ("return np.sqrt(x + 1) - np.sqrt(x)",
                                                 2 - math.sqrt(3)),
    "(FPCore (x) (* (/ 1 3) x))": ("return 1 / 3 * x", 1),
    "(FPCore (x) (* 1/4 x))": ("return 1 / 4 * x", 0.75),
    "(FPCore (x) (* (log 10) x))": ("return math.log(10) * x", 3 * math.log(10)),
    "(FPCore (x) (pow (- x) 2))": ("return (-x) ** 2", 9),
    "(FPCore (x) (- (- 1 x) x 1))": ("return 1 - x - x - 1", -6),
    "(FPCore (x) (if (< 0 x 5) (* 2 x) x))":
        ("return np.where((0 < x) & (x < 5), 2 * x, x)", 6),
    "(FPCore (x) (if (or (== x 1) (not (> x 2))) 1.5 x))":
        ("return np.where((x == 1) | ~(x > 2), 1.5, x)", 3),
    "(FPCore (lambda) (fma lambda 2 1))": ("return lambda_ * 2 + 1", 7),
    "(FPCore (x) (! :precision binary32 (fmax x (fabs -4))))":
        ("return np.fmax(x, abs(-4))", 4),
    "(FPCore (x.re) (let ((x* 1)) (+ x.re x*)))": ("return x_re + x_star", 4),
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_formula_is_written_as_users_do(text):
    line, value = WRITTEN[text]
    f, source, scalar = function_of(text)
    assert source.splitlines()[-1].strip() == line and not scalar
    assert f(np.float64(3)) == pytest.approx(value, rel=1e-15)
    assert f(np.full(2, 3, half)).dtype == half  # constants do not widen halves
    assert fpcore.truth(core_of(text), [3.0]) == pytest.approx(value, rel=1e-15)


def test_let_binds_in_parallel_and_let_star_in_turn():
    for head, value in (("let", 7), ("let*", 9)):
        text = f"(FPCore (x) ({head} ((x (+ x 2)) (y x)) (+ x y 1)))"
        f, *_ = function_of(text)
        assert f(np.float64(2)) == value == fpcore.truth(core_of(text), [2.0])


LOOP = "(FPCore (n) ({} (< i n) ((i 1 (+ i 1)) (s 0 (+ s (/ 1 i)))) s))"


@pytest.mark.parametrize(("head", "value"), [("while", 1 + 1 / 2 + 1 / 3),
                                             ("while*", 1 / 2 + 1 / 3 + 1 / 4)])  # fmt: skip
def test_loops_are_python_loops_of_scalars(head, value):
    f, source, scalar = function_of(LOOP.format(head))
    assert scalar and "while i < n:" in source
    assert f(4.0) == pytest.approx(value, rel=1e-15)
    assert fpcore.truth(core_of(LOOP.format(head)), [4.0]) == pytest.approx(value, rel=1e-16)


def test_loop_without_end_has_no_truth():
    with pytest.raises(fpcore.Unknown):
        fpcore.truth(core_of("(FPCore (x) (while (< 0 1) ((y x y)) y))"), [1.0])


#: FPCores without a plain NumPy form, and why.
INEXPRESSIBLE = {
    "(FPCore ((v 2)) (ref v 0))": "tensor",
    "(FPCore (x) (tgamma x))": "tgamma",
    "(FPCore (x) (sqrt 2))": "constant",
    "(FPCore (x) (+ x 1e400))": "range",
    "(FPCore (x) (+ x unknown))": "unknown",
}


@pytest.mark.parametrize("text", INEXPRESSIBLE)
def test_formula_without_numpy_form_is_refused(text):
    with pytest.raises(fpcore.NotExpressible, match=INEXPRESSIBLE[text]):
        fpcore.numpy_source(core_of(text))


def test_deep_formula_gets_names_and_its_value():
    text = f"(FPCore (x) {'(+ 1 ' * 300}x{')' * 300})"
    f, source, _ = function_of(text)
    assert f(0.5) == 300.5 and source.count("=") > 5


# ---------------------------------------------------------------- truth


def test_truth_survives_cancellation():
    difference = core_of("(FPCore (x) (- (sqrt (+ (* x x) 1)) x))")
    right = 1 / (math.hypot(60000, 1) + 60000)
    assert fpcore.truth(difference, [60000]) == pytest.approx(right, rel=1e-15)
    hyperbolic = core_of("(FPCore (x) (- (cosh x) (sinh x)))")  # needs more bits than the first
    assert fpcore.truth(hyperbolic, [600]) == pytest.approx(math.exp(-600), rel=1e-15)


def test_truth_takes_constants_and_conditions_exactly():
    assert fpcore.truth(core_of("(FPCore (x) (- (* 10 0.1) x))"), [1.0]) == 0
    text = "(FPCore (x) (if (== (+ x 1e-30) x) 1 2))"
    assert fpcore.truth(core_of(text), [1.0]) == 2


def test_truth_beyond_doubles():
    assert fpcore.truth(core_of("(FPCore (x) (/ (exp (* x x)) (exp (* x x))))"), [20000]) == 1
    with pytest.raises(fpcore.Unknown):  # beyond MPFR's numbers, too
        fpcore.truth(core_of("(FPCore (x) (/ (exp (* x x)) (exp (* x x))))"), [60000])
    assert math.isnan(fpcore.truth(core_of("(FPCore (x) (log x))"), [-1]))
    assert fpcore.truth(core_of("(FPCore (x) (/ 1 x))"), [0]) == math.inf
    with pytest.raises(fpcore.Unknown):
        fpcore.truth(core_of("(FPCore (x) (sin (exp (exp x))))"), [20])


def test_truth_of_real_numbers_has_no_division_by_zero():
    """There, enclosures by intervals have no value either; NumPy has one."""
    divides = core_of("(FPCore (x) (atan (/ 1 x)))")
    raises_power = core_of("(FPCore (x n) (pow x n))")
    token = fpcore.OF_REALS.set(True)
    try:
        assert math.isnan(fpcore.truth(divides, [0]))
        assert math.isnan(fpcore.truth(raises_power, [-2, 2]))
        assert fpcore.truth(core_of("(FPCore (x) (pow x 2.0))"), [-2]) == 4
    finally:
        fpcore.OF_REALS.reset(token)
    assert fpcore.truth(divides, [0]) == math.pi / 2 and fpcore.truth(raises_power, [-2, 2]) == 4


@pytest.mark.parametrize(("condition", "bounds"), [
    ("(< 0 x 5)", (0, 5)),
    ("(and (>= x 1) (<= (fabs x) 9))", (1, 9)),
    ("(or (<= -3 x -2) (<= 2 x (* 2 PI)))", (-3, 2 * math.pi)),
    ("(> 710 x)", (-math.inf, 710)),
    ("(== x 7)", (7, 7)),
    ("(< y x)", (-math.inf, math.inf)),
])  # fmt: skip
def test_bounds_of_preconditions(condition, bounds):
    core = core_of(f"(FPCore (x y) :pre {condition} (+ x y))")
    assert fpcore.bounds(core)[0] == bounds


# ---------------------------------------------------------------- the set of formulas

SET = {
    "a.fpcore": '(FPCore (x) :name "one" (+ x 1)) (FPCore (y) :name "same" (+ y 1))'
    '(FPCore (x) :name "two" :pre (< 1 x 2) (- (sqrt (+ x 1)) (sqrt x)))',
    "b/c.fpcore": "(FPCore ((v 2)) (ref v 0)) (FPCore (x) :pre (> x 1e308) x)"
    "(FPCore (x y) (if (< x y) x (exp y))) (FPCore (x) (log x))",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in SET.items():
        place = tmp_path / "bench" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path


def test_every_third_formula_is_held_out(folder):
    """Files are sorted; duplicates and what cannot be expressed are left out before counting."""
    development, left_out = formula_set.load(folder)
    held_out, _ = formula_set.load(folder, held_out=True)
    assert [f.name for f in held_out] == ["a 0: one", "b/c 3: "]
    assert [f.name for f in development] == ["a 2: two", "b/c 2: "]
    assert sorted(left_out.values()) == [1, 1, 1]
    assert {"the body of an earlier formula",
            "too few halves satisfy the precondition"} < left_out.keys()  # fmt: skip


def test_set_from_git(folder, monkeypatch):
    """A work tree, a bare clone and a fetch by URL give the formulas of the plain folder."""
    commit = commit_all(folder)
    monkeypatch.setattr(formula_set, "COMMIT", commit)
    monkeypatch.setattr(formula_set, "URL", folder.as_uri())
    monkeypatch.setattr("tempfile.tempdir", str(folder / "temporary"))
    names = [f.name for f in formula_set.load(folder)[0]]
    assert [f.name for f in formula_set.load()[0]] == names != []


def commit_all(folder):
    """Commit all files of a folder to a new repository, and return the commit."""
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", *identity, *command], cwd=folder, check=True)
    return sources.git(folder, "rev-parse", "HEAD").decode().strip()


def test_points_and_boxes_obey_the_rule(folder):
    (bounded, free), _ = formula_set.load(folder)
    again = formula_set.load(folder)[0][0]
    assert np.array_equal(bounded.points, again.points)
    assert bounded.points.shape == (1, formula_set.POINTS)
    assert ((bounded.points > 1) & (bounded.points < 2)).all() and bounded.domain == [(1.0, 2.0)]
    assert free.domain == [(-10.0, 10.0)] * 2
    assert (np.abs(free.points) > 10).any() and (np.abs(free.points) < 0.01).any()
    for formula in (bounded, free):
        low, high = formula.boxes()
        assert low.shape == (len(formula.core.arguments), formula_set.BOXES)
        assert (low <= high).all() and np.isfinite(low).all() and np.isfinite(high).all()
        for (least, most), a, b in zip(formula.domain, low, high, strict=True):
            assert (a[0], b[0]) == (least, most)
    low, high = bounded.boxes()
    assert (low >= 1).all() and (high <= 2).all()


# ---------------------------------------------------------------- the measure of formulas


def test_measure_finds_bad_results(folder):
    formulas, _ = formula_set.load(folder)
    elements = measure_formulas.measure_reruns(formulas)
    assert elements["error"].size == 2 * formula_set.POINTS and not elements.failures
    runs = stability.rerun(formulas[0].function, formulas[0].points[0].astype(half))
    assert np.array_equal(elements["`.error` > 4 alone"][: formula_set.POINTS], runs.error > 4)
    table = "\n".join(measure_formulas.rerun_table(elements))
    assert "2 formulas, 80 results" in table
    assert all(way in table for way in measure_formulas.WAYS)


def test_measure_of_ranges_compares_with_samples(folder):
    formulas, _ = formula_set.load(folder)
    ranges = measure_formulas.measure_ranges(formulas[:1])
    ratios = np.array(ranges.ratios[0])
    assert ranges.boxes == formula_set.BOXES and ranges.missed == 0
    assert ratios.size + ranges.single == ranges.boxes and (ratios >= 0.9).all()
    assert "enclosures that miss a value: 0" in measure_formulas.range_table(ranges)


def test_measure_counts_enclosures_that_miss(folder):
    formula = formula_set.load(folder)[0][0]
    value = (0.4, np.array([1.0]))  # sqrt(2) - 1 is more
    assert measure_formulas.is_missed(formula, value, 0.0, 0.39)
    assert not measure_formulas.is_missed(formula, value, 0.0, 0.42)
    assert not measure_formulas.is_missed(formula, (np.inf, None), 0.0, 0.39)


@pytest.mark.parametrize("option", [["--worst", "3"], ["--only", "x"], ["--export", "x.py"]])
def test_single_formulas_held_out_are_not_shown(option, capsys):
    with pytest.raises(SystemExit):
        measure_formulas.parse(["--held-out", *option])
    assert "totals" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        measure_formulas.parse(["--reruns"])  # one of the two has to be named


def test_exported_module_has_the_functions(folder):
    formulas, _ = formula_set.load(folder)
    scope = {}
    exec(measure_formulas.export(formulas), scope)
    name, function, domains = scope["FORMULAS"][0]
    assert (name, domains) == ("a 2: two", [(1.0, 2.0)])
    assert function(3.0) == 2 - math.sqrt(3)


# ---------------------------------------------------------------- programs in float16

PROGRAM = '''"""A docstring."""
from __future__ import annotations
import numpy as np
from numpy.linalg import solve
import numpy.random as draw

def slope(t, y: np.float64) -> float:
    return np.cos(t) * y

rng = draw.default_rng(1)
a = np.array([[4.0, 1], [1, 3]], dtype=float)
b = np.zeros(2, "float64") + np.ones(2, float)
x = solve(a, b)
n = np.arange(4)
t = n * 0.1
y = np.empty(4)
y[0] = 1
for k in range(3):
    y[k + 1] = y[k] + 0.1 * slope(t[k], y[k])
noise = rng.normal(size=3)
eps = np.finfo(np.float64).eps
wide = np.sqrt(2)
z = np.fft.fft(y).real
number = float("1.5")
'''


def run_program(text):
    scope = {"__name__": "__main__"}
    exec(compile(text, "program.py", "exec"), scope)
    return scope


def test_program_is_narrowed():
    scope, double = run_program(narrowing.narrow(PROGRAM)), run_program(PROGRAM)
    for name in ("a", "b", "x", "t", "y", "noise", "wide", "z"):
        assert scope[name].dtype == np.float16, name
        assert np.allclose(scope[name], double[name], rtol=0.01)
    assert scope["n"].dtype == np.int64 and scope["eps"] == np.finfo(np.float16).eps
    assert type(scope["number"]) is float and scope["__doc__"] == "A docstring."


def test_narrowed_program_has_its_own_lines():
    """The helpers are no lines of the program, and define no names without an underscore."""
    narrow = narrowing.narrow("import numpy as np\nx = np.ones(2)\n")
    assert narrow.splitlines()[-1] == "x = _half(np.ones(2))"
    assert {k for k in run_program(narrow) if k[0] != "_"} == {"np", "x"}
    assert ast.parse(narrow) and narrowing.HEADER.count("<float16>") == 1


VARIANCE = """\
import numpy as np

def square(v):
    assert v.dtype == np.float16
    return v * v

x = np.linspace(10, 10.5, 8)
v = square(x).mean() - x.mean() ** 2
w = square(x).mean() - x.mean() ** 2
x += x / 3
"""


def line_of(text, start):
    return next(k for k, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def test_one_line_is_mended():
    narrow = narrowing.narrow(VARIANCE)
    before = run_program(narrow)
    after = run_program(narrowing.mend(narrow, line_of(narrow, "v = ")))
    x = np.linspace(10, 10.5, 8).astype(np.float16)
    right = (x * x).astype(float).mean() - x.astype(float).mean() ** 2
    assert after["v"] == np.float16(right) and after["v"].dtype == np.float16
    assert after["w"] == before["w"] != np.float16(right)


def test_changed_array_is_mended_in_place():
    narrow = narrowing.narrow("import numpy as np\nx = np.ones(3)\ny = x\nx += x / 3 / 7\n")
    scope = run_program(narrowing.mend(narrow, line_of(narrow, "x += ")))
    assert scope["x"] is scope["y"] and scope["x"].dtype == np.float16
    assert (scope["x"] == np.float16(1 + 1 / 21)).all()


def test_mending_needs_a_statement():
    with pytest.raises(ValueError, match="lines"):
        narrowing.mend("x = 1\n\ny = 2\n", 2)


# ---------------------------------------------------------------- the set of programs


def test_table_of_programs():
    with open(program_set.TABLE, encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == list(program_set.Program.__dataclass_fields__)
    programs = program_set.read_table()
    sets = [p.set for p in programs]
    assert sets == ["held-out"] * program_set.HELD_OUT + ["development"] * program_set.DEVELOPMENT
    assert len({(p.repository, p.path) for p in programs}) == len(programs)
    for p in programs:
        assert p.licence in ("MIT", "BSD") and len(p.commit) == 40 and len(p.sha256) == 64
        assert sum(p.repository == q.repository for q in programs) <= program_set.MOST


@pytest.fixture
def mirror(tmp_path):
    """A mirror of one repository, whose program imports a module beside it."""
    folder = tmp_path / "owner+name" / "repo"
    (folder / "src").mkdir(parents=True)
    (folder / "LICENSE").write_text("Copyright (c) 2020 A. B.\nPermission is hereby granted, free "
                                    "of charge, to any person", encoding="utf-8")  # fmt: skip
    program = "import numpy as np\nimport beside\nprint(beside.half_of(np.pi))\n" + "#\n" * 60
    (folder / "src" / "program.py").write_text(program, encoding="utf-8")
    module = "import numpy as np\ndef half_of(x):\n    return np.array([x / 2])\n"
    (folder / "src" / "beside.py").write_text(module, encoding="utf-8")
    (folder / "src" / "other.py").write_text("import scipy\n", encoding="utf-8")
    commit = commit_all(folder)
    return tmp_path, sources.Snapshot(folder, commit)


def row_of(snapshot, sha256=None):
    files = program_set.files_of(snapshot, "src/program.py", set(snapshot.names()))
    sha256 = sha256 or program_set.digest(snapshot, files)
    return program_set.Program("01_program", "development", "owner/name", snapshot.commit,
                               "src/program.py", "MIT", "", sha256)  # fmt: skip


def test_programs_are_fetched_in_double_and_in_half(mirror, tmp_path):
    folder, snapshot = mirror
    program_set.fetch([row_of(snapshot)], tmp_path / "out", folder)
    place = tmp_path / "out" / "01_program"
    assert sorted(p.relative_to(place).as_posix() for p in place.rglob("*.py")) == [
        "double/beside.py", "double/program.py", "half/beside.py", "half/program.py"]  # fmt: skip
    outputs = [
        subprocess.run([sys.executable, str(place / kind / "program.py")], check=True, text=True,
                       capture_output=True).stdout for kind in ("double", "half")]  # fmt: skip
    assert outputs == ["[1.57079633]\n", "[1.57]\n"]


def test_changed_program_is_refused(mirror, tmp_path):
    folder, snapshot = mirror
    with pytest.raises(ValueError, match="sha256"):
        program_set.fetch([row_of(snapshot, "0" * 64)], tmp_path / "out", folder)
    assert not (tmp_path / "out").exists()


def test_choice_of_programs(mirror, monkeypatch):
    snapshot = mirror[1]
    rejected = choose_programs.collections.Counter()
    rows = list(choose_programs.accept_programs(snapshot, "owner/name", rejected))
    assert [(row["path"], row["licence"], row["copyright"]) for row in rows] == [
        ("src/program.py", "MIT", "Copyright (c) 2020 A. B.")]  # fmt: skip
    assert rejected == {"short": 2}
    names = set(snapshot.names())
    monkeypatch.setattr(program_set, "LINES", 0)
    reason = choose_programs.why_not_by_text(snapshot, "src/other.py", names)
    assert reason == "no NumPy"


# ---------------------------------------------------------------- the measure of programs


class Output:
    """An output as halfcl's runs have it."""

    def __init__(self, printed):
        numbers, self.text = parse_numbers(printed)
        self.parts = (numbers,)


def values_of(printed):
    return measure_programs.Values(Output(printed), printed)


def test_numbers_are_matched_by_the_words_around_them():
    one, other = (
        values_of("step 1 x 2.5\nend 7.0 s"),
        values_of("step 1 x 2.5\nstep 2 x 2.6\nend 8 s"),
    )
    a, b = measure_programs.match(one, other)
    assert one.numbers[a].tolist() == [1, 2.5, 7] and other.numbers[b].tolist() == [1, 2.5, 8]
    wrapped = values_of("[1.0 2.0\n 3.0]"), values_of("[1.0 2.0 3.0]")
    assert measure_programs.match(*wrapped)[0].size == 3


def test_errors_of_printed_numbers():
    """They are in ulps of halves; differences in the last digit shown are none."""
    half_run = values_of("1.5 2.50 nan 1000.0 7 0.0 2.50")
    error = measure_programs.compare(half_run, values_of("1.0 2.51 3.0 1000.0 7 0.02 2.51562"))
    assert error[:-2].tolist() == [512, 0, measure_programs.FARTHEST, 0, 0]
    assert error[-2] > 1000 and error[-1] == pytest.approx(8, abs=0.1)
    assert np.isnan(measure_programs.compare(half_run, None)).all()


def test_counts_of_a_program():
    values = np.array([1.0, np.nan, 2.0, 3.0, np.nan])
    error = np.array([20.0, measure_programs.FARTHEST, 0.0, 9.0, np.nan])
    flags = np.array([True, False, True, True, False])
    counts = measure_programs.count([("x", values, error, flags, ~flags, np.ones(5, bool))])
    assert counts["not finite"] == counts["not finite, stable"] == 1
    assert (counts["bad"], counts["found"], counts["bad finite"]) == (2, 1, 1)
    assert counts["found by error"] == 1
    assert (counts["flagged"], counts["surely"], counts["unmatched"]) == (3, 2, 1)
    none = measure_programs.count([])
    assert none["numbers"] == 0 and none["worst"] == 0


def test_totals_of_programs():
    row = {"name": "a", "plain": 1.0, "wall": 20.0, "runs": 16, "seconds": 12.0, "of_run": 1.0,
           "stable": False, "guilty": 1, "before": 100.0, "first": True, "set": False, "all": False,
           "worst": 100.0} | dict.fromkeys(measure_programs.COUNTS, 1)  # fmt: skip
    lines = list(measure_programs.totals([row, {"name": "b", "refused": "no report in 600 s"}]))
    text = "\n".join(lines)
    assert "programs: 2, with a report: 1" in text
    assert "the first named line: 100.0 % (1 of 1)" in text and "partners: 0.0 % (0 of 1)" in text
    assert "time over that of a plain run: median 20.0" in text


MARKED = """\
# A page

<!-- measured: programs -->

| old |
<!-- end of programs -->

text
<!-- end of programs -->
"""


def test_totals_are_written_between_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(MARKED)
    table = docs_page.table(["a: 1; b: 2", "  c"], ("figure", ""))
    assert table == ["| figure |  |", "| --- | --- |", "| a | 1; b: 2 |", "| c |  |"]
    docs_page.write(page, "programs", table)
    assert page.read_text() == MARKED.replace("| old |", "\n".join(table) + "\n")
    with pytest.raises(SystemExit, match="expected the marks <!-- measured: ranges -->"):
        docs_page.write(page, "ranges", table)


def test_page_has_the_marks_of_all_measures():
    page = (ROOT / "docs" / "evidence" / "stability.md").read_text(encoding="utf-8")
    for name in ("reruns", "ranges", "programs"):
        block = page.split(f"<!-- measured: {name} -->")[1].split(f"<!-- end of {name} -->")[0]
        assert "|---" in block or "| --- |" in block


def test_summary_of_reruns_has_the_counts_and_the_table(folder):
    formulas, _ = formula_set.load(folder)
    lines = list(measure_formulas.rerun_table(measure_formulas.measure_reruns(formulas)))
    first, empty, *table = measure_formulas.summary_of_reruns(lines)
    assert first.startswith("2 formulas, 80 results") and not empty
    assert len(table) == 2 + len(measure_formulas.WAYS)


LOSSY = """\
import numpy as np

x = np.linspace(10, 10.5, 50)
y = (x * x).mean() - x.mean() ** 2
print("variance", y)
print("mean", x.mean())
print("logarithm", np.log(x.max() * 1e4))
"""


@left_out("some seconds, of a tool that measures")
def test_measure_of_a_program(tmp_path):
    """One number is bad and one not finite; the report finds both, and mending helps the first."""
    for kind, text in (("double", LOSSY), ("half", narrowing.narrow(LOSSY))):
        place = tmp_path / "lossy" / kind / "lossy.py"
        place.parent.mkdir(parents=True)
        place.write_text(text, encoding="utf-8")
    (tmp_path / "lossy" / "script").write_text("lossy.py", encoding="utf-8")
    options = types.SimpleNamespace(rounds=1, search=True, seconds=600)
    row = measure_programs.measure_apart(tmp_path / "lossy", options)
    assert "refused" not in row, row
    assert row["numbers"] == 3 and row["unmatched"] == 0
    assert row["bad"] == 2 and row["not finite"] == 1
    assert row["found finite"] == row["bad finite"] == 1
    assert row["wall"] > 0 and row["plain"] > 0 and not row["stable"]
    line = line_of(narrowing.narrow(LOSSY), "y = ")
    assert any(place.endswith(f"lossy.py:{line}") for place in row["lines"])
    assert row["tried"] >= 2


def test_mended_program_is_nearer_to_the_truth(tmp_path):
    text = LOSSY[: LOSSY.index('print("log')]
    for kind, version in (("double", text), ("half", narrowing.narrow(text))):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "lossy.py").write_text(version, encoding="utf-8")
    half, double = tmp_path / "half" / "lossy.py", tmp_path / "double" / "lossy.py"
    outputs = [measure_programs.outputs_of(measure_programs.outcome_of(p)) for p in (half, double)]
    before, name, index = measure_programs.worst(*outputs, ["output"])
    assert (name, index) == ("output", 0) and before > 16
    lines = {str(half): [line_of(half.read_text(encoding="utf-8"), "y = ")]}
    after = measure_programs.run_mended(half, lines)
    mending = measure_programs.Mending(*outputs[:1], after, outputs[1], ["output"])
    assert mending.worst < before / 2 and mending.share == 1 and mending.confirms(before)
    unchanged = measure_programs.Mending(outputs[0], outputs[0], outputs[1], ["output"])
    assert unchanged.worst == before and not unchanged.confirms(before)
    failed = measure_programs.Mending(outputs[0], None, outputs[1], ["output"])
    assert not failed.confirms(before)
