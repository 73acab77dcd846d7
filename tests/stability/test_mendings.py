"""Mendings: lines and variables in float32, measured by runs of changed sources."""

import gc
import itertools
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import half
from halfcl._core import MODES
from halfcl.stability import THRESHOLD, _measures as measures
from halfcl.stability._programs._analysis.blaming import Blame, BlameEntry
from halfcl.stability._programs._analysis.outputs import Output
from halfcl.stability._programs._analysis.results import (
    Judgement,
    NameMatcher,
    Result,
    collect_outputs,
)
from halfcl.stability._programs._analysis.trials import MendingTrial
from halfcl.stability._programs._functions import report_if_unstable
from halfcl.stability._programs._recording.places import Places, Unit
from halfcl.stability._programs._rewriting.mendings import Mender
from halfcl.stability._programs._rewriting.statements import statements
from halfcl.stability._programs._rewriting.widening import WideStatement
from halfcl.stability._programs._running.child import Outcome, Run
from halfcl.stability._programs._running.instrumenting import Edit, Instrumentation

pytestmark = pytest.mark.once

IMPORTS = "import numpy as np, halfcl as hc, math\n"


class Program:
    """A program that assigns its result to ``out``; it runs in this process."""

    def __init__(self, file, text):
        self.file, self.text = str(file), IMPORTS + text
        file.write_text(self.text)

    def run(self, requests=(), edits=(), mode="rte"):
        """Return the variables after a run, and the recorded inputs."""
        instrumentation, scope = Instrumentation(requests, edits), {}
        with (
            instrumentation.patched_functions(),
            hc.accelerated(),
            np.errstate(all="ignore"),
            hc.rounding(mode, builtins=True),
        ):
            exec(instrumentation.compile(self.text, self.file, self.file), scope)
        return scope, instrumentation.recorder.inputs

    def spread(self, edits=()):
        """Return the largest spread of the result in the four modes."""
        runs = [self.run(edits=edits, mode=mode)[0]["out"] for mode in MODES]
        return float(measures.spread(np.asarray(runs, np.float64)).max())

    def mend(self, *lines):
        """Return suggestions and mendings for lines, numbered from the one after the imports."""
        entries = [BlameEntry(Unit(self.file, line + 1), {"out": 1.0}) for line in lines]
        mender = Mender(entries, lambda requests: self.run(requests)[1])
        better = mender.suggestions()
        return better, mender.mendings(better, self.judge, self.judge())

    def judge(self, edits=()):
        """Return the judgement on the result by its spread."""
        spread = self.spread(edits)
        return {"out": Judgement(spread, spread <= THRESHOLD)}


@pytest.fixture
def program(tmp_path):
    """Function that makes a program of a text."""
    return lambda text: Program(tmp_path / "program.py", text)


X = "x = np.linspace(0.01, 0.1, 10).astype(np.float16)\n"
LINES = {
    "call": ("out = max(f(x - np.sin(x)))",
             "out = max(f(np.float16(x - np.sin(np.float32(x)))))"),
    "call in a formula": ("out = f(x - np.sin(x)) * 1",
                          "out = np.float16("
                          "np.float32(f(np.float16(x - np.sin(np.float32(x))))) * 1)"),
    "operand": ("out = np.tanh(x) - np.sin(x) + 0 * x[0]",
                "out = np.float16(np.tanh(np.float32(x)) - np.sin(np.float32(x)) + "
                "0 * np.float32(x[0]))"),
    "halfcl": ("out = y - hc.sin(y)", "out = hc.half(y - np.sin(np.float32(y)))"),
    "list": ("out = [v - np.sin(v) for v in x]",
             "out = [np.float16(v - np.sin(np.float32(v))) for v in x]"),
    "half": ("out = y - np.sin(y)", "out = hc.half(y - np.sin(np.float32(y)))"),
    "cast": ("out = x - np.sin(x).astype(np.float16)",
             "out = np.float16(x - np.sin(np.float32(x)))"),
    "function": ("out = np.cumsum(x - np.sin(x))",
                 "out = np.float16(np.cumsum(x - np.sin(np.float32(x))))"),
    "in place": ("out = x.copy(); out -= np.sin(x)", "out -= np.sin(np.float32(x))"),
    "scalar": ("out = x[3]; out -= np.sin(x[3])",
               "out = np.float16(out - np.sin(np.float32(x[3])))"),
    "attribute": ("b.x -= np.sin(x[3]); out = b.x",
                  "b.x = np.float16(b.x - np.sin(np.float32(x[3])))"),
    "matrix": ("out = (x @ x - np.dot(x, x * x / x))", None),
}  # fmt: skip


@one_in(2)
@pytest.mark.parametrize("name", LINES)
def test_line_in_float32(program, name):
    """A line computes in float32, rounds its result once, and reads as one can write it."""
    text, expected = LINES[name]
    before = (
        X + "y = x.view(hc.half)\ndef f(x): return x\nclass b: x = x[3]\n"
    )  # the line is the fifth
    tested = program(before + text + "\n")
    better, mendings = tested.mend(5)
    (mending,) = mendings
    assert not better and mending.is_all and mending.new <= 2 < 32 < mending.old
    assert mending.title().startswith("program.py:6 alone in float32 mends it: ")
    own = [line for _, _, line in mending.lines]
    assert expected is None or own == [expected]
    if "rtn" not in name:
        compile("\n".join(own), "<text>", "exec")
    true = tested.run()[0]["out"]
    mended = tested.run(edits=wide_edits(tested, 5))[0]["out"]
    assert np.asarray(mended).dtype == np.asarray(true).dtype


def wide_edits(tested, line):
    """Return the edits for a line in float32."""
    lines = [WideStatement(each) for each in statements(tested.file, line + 1)]
    requests = [request for each in lines for request in each.requests()]
    inputs = tested.run(requests)[1]
    return [edit for each in lines for edit in each.edits(inputs)]


def test_mended_line_rounds_in_the_mode_of_the_run(program):
    """A line whose own rounding is guilty is not mended: its result is still half.

    Its variable in float32 is: then the difference on the next line is exact enough.
    """
    tested = program(X + "s = np.sin(x)\nout = np.float32(x - s) * 3\n")
    _, (mending,) = tested.mend(2)
    assert mending.name == "s in float32" and mending.new <= 1 < 500 < mending.old
    assert [line for _, _, line in mending.lines] == ["s = np.sin(np.float32(x))"]
    alone = wide_edits(tested, 2)
    assert tested.spread(alone) > 500


VARIABLES = {
    "array": ("y = np.zeros(400, np.float16)\ny[0] = 1\nfor k in range(399):\n"
              "    y[k + 1] = y[k] - g(y[k])\nout = y\n", 4, "y", "y = np.zeros(400, np.float32)"),
    "scalar": ("h = np.float16\ny = h(1)\nfor k in range(399):\n    y -= g(y)\nout = y\n",
               4, "y", "y = np.float32(1)"),
    "name": ("y = np.zeros(4, dtype='float16') + np.float16(1)\nfor k in range(399):\n"
             "    y = y - g(y)\nout = y\n", 3, "y",
             "y = np.float32(np.zeros(4, dtype='float16') + np.float16(1))"),
    "attribute": ("class C:\n    def __init__(self, y):\n        self.y = y\n    def step(self):\n"
                  "        self.y -= g(self.y)\nc = C(np.float16(1))\n"
                  "for k in range(399): c.step()\nout = c.y\n", 5, "self.y",
                  "self.y = np.float32(y)"),
}  # fmt: skip
STEP = "def g(y): return y * np.float16(0.002)\n"


@one_in(2)
@pytest.mark.parametrize("name", VARIABLES)
def test_variable_in_float32(program, name, monkeypatch):
    """The line that creates a sum is changed if the sum is better in float32."""
    text, line, variable, expected = VARIABLES[name]
    tested = program(text + STEP)
    tested.text = tested.text.replace(IMPORTS, IMPORTS + STEP)
    tested = program(tested.text.removeprefix(IMPORTS))
    monkeypatch.setattr(Mender, "suggestions", lambda self: [])
    _, (mending,) = tested.mend(line + 1)
    assert mending.name == f"{variable} in float32" and mending.is_all
    assert [own for _, _, own in mending.lines] == [expected]


def test_better_formulas_are_tried_together(program):
    """All better formulas are one change; nothing else is tried if they suffice."""
    tested = program(X + "a = 1 - np.cos(x); b = np.exp(x) - 1\nout = [*a, *b]\n")
    better, (mending,) = tested.mend(2)
    assert len(better) == 2 and mending.lines == () and mending.is_all
    assert mending.title().startswith("the better formulas together mend it: ")
    assert tested.spread([edit for each in better for edit in each.edits]) == mending.new


def test_sums_in_one_loop_lose_different_parts(program):
    """Two compensated sums in a loop have names of their own, which the program does not use."""
    tested = program(
        "lost = a = b = np.float16(0)\nfor k in range(500):\n    a += np.float16(0.013) + 0 * b\n"
        "    b += np.float16(0.017) + 0 * a\nout = [a, b]\n"
    )
    better, (mending,) = tested.mend(3, 4)
    assert [each.after.split("  #")[0] for each in better] == ["lost_2 = 0", "lost_3 = 0"]
    assert mending.is_all and mending.new <= 4


def test_several_lines_together(program):
    """Up to three lines are tried together if none alone is enough."""
    tested = program(X + "a = x - np.sin(x)\nb = x - np.arctan(x)\nout = [*a, *b]\n")
    _, (mending,) = tested.mend(2, 3)
    assert mending.title().startswith("a in float32 and b in float32 mend it: ")
    assert [line for _, line, _ in mending.lines] == [3, 4] and mending.new <= 2


def test_nothing_mends(program):
    """Functions that NumPy lacks stay in half, and what is wider is not changed."""
    assert program("out = [np.float64(1) / 3]\n").mend(1) == ([], [])
    assert program("out = hc.erf(hc.half(1)) - hc.half(0.8425)\n").mend(1) == ([], [])


MODULE = """\
import numpy as np

def small(x):
    return x - np.sin(x)
"""
MAIN = """\
import numpy as np
from own import small

x = np.linspace(0.01, 0.1, 10).astype(np.float16)
np.save("small.npy", small(x))
"""


def test_report_says_what_mends_a_module_of_the_program(command, tmp_path):
    """The command changes modules that the program imports, also if Python has compiled them."""
    Path("own.py").write_text(MODULE)
    Path("program.py").write_text(MAIN)
    sys_path = [*sys.path]
    status, out, _ = command(MAIN, "--samples", "2", "--html", "page.html")
    assert sys.path == sys_path and status == 1
    assert "own.py:4 alone in float32 mends it: 407 ulps without, " in out
    assert "\n  own.py:4  return np.float16(x - np.sin(np.float32(x)))\n" in out
    assert Path("own.py").read_text() == MODULE
    page = Path("page.html").read_text(encoding="utf-8")
    assert "What mends it" in page and "np.sin(np.float32(x))" in page


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", *options, "program.py")

    return run_program


def make_cubes(scale):
    def cubes():
        x = np.linspace(0.01, 0.1, 10).astype(np.float16) * scale
        return x - np.sin(x)

    return cubes


def test_functions_of_this_process_are_changed_and_restored():
    """The plugin's functions, also closures, are changed for a run only."""
    cubes = make_cubes(np.float16(1))
    code = cubes.__code__
    report = report_if_unstable(itertools.repeat((cubes, {})), 2, 2, "cubes")
    assert "alone in float32 mends it" in report
    assert "return np.float16(x - np.sin(np.float32(x)))" in report
    assert cubes.__code__ is code
    names = [name for name in vars(__import__("builtins")) if "halfcl" in name]
    assert names == [] and "np" not in vars(__import__("builtins"))
    gc.collect()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("instead", "y = 2 * x"), 6),
        (("before", "x = 4"), 5),
        (("after", "y = 7; y = y + 1"), 8),
    ],
)
def test_edits_of_statements(tmp_path, edit, expected):
    """Statements are replaced, or others stand before or after them."""
    where, text = edit
    source = "x = 3\ny = x + 1\nz = y\n"
    file = str(tmp_path / "own.py")
    scope = {}
    instrumentation = Instrumentation((), [Edit(file, 2, text, where)])
    exec(instrumentation.compile(source, file, file), scope)
    assert scope["z"] == expected
    unchanged = Instrumentation((), [Edit("another.py", 2, text, where)])
    exec(unchanged.compile(source, file, file), scope)
    assert scope["z"] == 4
    assert Places("line").own_file(file) == file


def test_half_stays_half():
    """`half` arrays and scalars round to half in the mode of the region."""
    from halfcl.stability._programs._running import instrumenting

    for mode in MODES:
        with hc.rounding(mode, builtins=True):
            x = np.float32([0.1, 0.2])
            narrow = instrumenting.to_float16(x)
            assert narrow.dtype == np.float16
            np.testing.assert_array_equal(narrow.view(half), hc.convert(x, half))
            assert type(instrumenting.to_float16(np.float32(0.1))) is np.float16


# ------------------------------------------------------------------ the order of lines


def entry(line, effects, **mended):
    return BlameEntry(Unit("program.py", line), effects, mended=mended)


def lines_of(entries):
    return [entry.unit.line for entry in entries]


def test_lines_that_mend_come_first_then_those_that_move_far():
    """Next to nothing that is mended, and what is unknown, leave the order to the effects."""
    entries = [
        entry(1, {"x": 900.0}, x=0.0),
        entry(2, {"x": 800.0}),
        entry(3, {"x": 30.0}, x=0.3),
        entry(4, {"x": 20.0}, x=0.9),
        entry(5, {"x": 10.0}, x=0.6),
        entry(6, {"x": 5.0}, x=0.01),
    ]
    for order in itertools.permutations(entries):
        assert lines_of(sorted(order, key=BlameEntry.sorting_key)) == [4, 5, 3, 1, 2, 6]


def test_order_of_each_result_is_its_own():
    """A share counts only for results that the rounding of the line moves."""
    blame = Blame(
        (entry(1, {"x": 90.0, "y": 9.0}), entry(2, {"x": 60.0, "y": 50.0}), entry(3, {"y": 1.0})),
        {"x": 90.0, "y": 60.0}, 3, 10,
    )  # fmt: skip
    measured = {
        Unit("program.py", 1): {"x": 0.0, "y": 0.75},
        Unit("program.py", 2): {"x": 1.0, "y": 0.2},
        Unit("program.py", 3): {"x": 1.0, "y": 0.0},
    }
    sorted_blame = blame.with_mended(measured)
    assert lines_of(sorted_blame.entries) == [2, 1, 3]
    by_result = sorted_blame.by_result()
    assert {name: [unit.line for unit in own] for name, own in by_result.items()} == {
        "x": [2, 1], "y": [1, 2, 3],
    }  # fmt: skip
    assert by_result["y"] == {unit: e.effects["y"] for unit, e in
                              {e.unit: e for e in blame.entries}.items()}  # fmt: skip


#: The result is off since line 4 cancels. In other modes line 3 moves it farther, though to nearest
#: its rounding does nothing.
GUILTY = """x = np.float16(0.1)
u = 1 + x * np.float16(1e-4)
d = (x - np.sin(x)) * np.float16(1000)
out = u * np.float16(200) - np.float16(199) + d
"""


def test_measured_lines_are_sorted_by_what_they_mend(program):
    """A line without a formula of halves is not measured; one with one operation mends nothing."""
    tested = program(GUILTY)
    units = [Unit(tested.file, line) for line in (2, 3, 4)]
    entries = [BlameEntry(unit, {"out": 200.0 / unit.line}) for unit in units]
    mender = Mender(entries, lambda requests: tested.run(requests)[1])
    exact = 0.166583 + 1 + 200 * 1e-5

    def error(edits=()):
        return abs(float(tested.run(edits=edits)[0]["out"]) - exact)

    shares = mender.measure(lambda changes: [{"out": 1 - error(c) / error()} for c in changes])
    assert [unit.line for unit in shares] == [3, 4]
    assert shares[units[1]]["out"] == 0 and shares[units[2]]["out"] > 0.5
    alone = Mender(entries[2:], lambda requests: tested.run(requests)[1])
    assert alone.measure(lambda changes: pytest.fail("one line needs no order")) == {}


def test_report_names_line_first_that_mends(command):
    text = "import numpy as np\n" + GUILTY + "np.save('out.npy', np.array([out]))\n"
    status, out, _ = command(text, "--samples", "4")
    assert status == 1
    rows = out[out.index("blame: ") :].split("\n\n")[0].splitlines()[2:]
    effects, shares, lines = zip(
        *(re.match(r" *(\d+) +#+ +(\d+) % +program\.py:(\d+)", row).groups() for row in rows),
        strict=True,
    )
    assert lines == ("4", "3") and int(effects[0]) < int(effects[1])
    assert int(shares[0]) >= 50 and int(shares[1]) == 0
    assert "program.py:4 alone in float32 mends it: " in out


# ------------------------------------------------------------------ runs of a trial


class Runs:
    """Makes runs whose result depends on the edit and on the mode, and keeps them."""

    width = 2

    def __init__(self, values):
        self.values, self.made = values, []

    def run_some(self, runs):
        self.made += runs
        return [self.run(run) for run in runs]

    def run(self, run):
        text = run.edits[0].text if run.edits else ""
        if text == "fails":
            return Outcome(error="ZeroDivisionError")
        if text == "too late":
            return None
        return Outcome(watched={"x": [np.float16([self.values[text][run.mode]])]})


def trial_of(values, is_known):
    """Return a trial of a result that should be 1, and the runs that it makes."""
    launcher, modes = Runs(values), ("rte", "rtp", "rtn", "rtz")
    runs = [Run(("program.py",), mode=mode) for mode in modes]
    outputs = [(run.mode, collect_outputs(launcher.run(run))["x"]) for run in runs]
    result = Result("x", outputs, outputs[0][1])
    if is_known:
        result.compare_with(Output((np.array([1.0]),)))
    return MendingTrial(NameMatcher({}, {}), [result], runs, launcher), launcher


VALUES = {
    "": {"rte": 1.25, "rtp": 2, "rtn": 0.5, "rtz": 1.25},
    "mends": dict.fromkeys(("rte", "rtp", "rtn"), 1),
    "helps": dict.fromkeys(("rte", "rtp", "rtn"), 1.125),
    "spoils": dict.fromkeys(("rte", "rtp", "rtn"), 3),
}


def edits(text):
    return (Edit("program.py", 1, text),)


def test_trial_needs_one_run_where_exact_values_are_known():
    """All runs are made only where it may mend, and none twice."""
    trial, launcher = trial_of(VALUES, True)
    texts = ["mends", "helps", "spoils", "fails", "too late", "mends"]
    shares = trial.shares([edits(text) for text in texts])
    assert [own.get("x") for own in shares] == [1, 0.5, 0, 0, None, 1]
    assert [run.mode for run in launcher.made] == ["rte"] * 5
    judged = trial.judge(edits("helps"))["x"]
    assert not judged.is_stable and judged.distance == 128 and len(launcher.made) == 5
    assert not trial.judge(edits("fails"))["x"].is_stable and len(launcher.made) == 5
    assert trial.judge(edits("mends"))["x"] == (0, True) and len(launcher.made) == 7
    assert {run.mode for run in launcher.made[5:]} == {"rtp", "rtn"}


def test_trial_needs_all_runs_where_the_spread_decides():
    trial, launcher = trial_of(VALUES, False)
    (shares,) = trial.shares([edits("mends")])
    assert shares["x"] == 1 and sorted(run.mode for run in launcher.made) == ["rte", "rtn", "rtp"]
    assert trial.judge(edits("mends"))["x"] == (0, True) and len(launcher.made) == 3
