"""``python -m halfcl stability``: tests of whole programs, and the search for blame."""

import os
import pickle
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from exhaustive import LONG, left_out, more
from places import ROOT

import halfcl as hc
from halfcl import half, stability
from halfcl._command import main
from halfcl._core import Experiment, InstructionModes
from halfcl.stability._programs import _testing
from halfcl.stability._programs._analysis.blaming import LEAST_SHARE, Search
from halfcl.stability._programs._analysis.results import digits_of
from halfcl.stability._programs._recording.numbers import parse_numbers
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._running.child import OPERATIONS, OPPOSITE, Outcome, Run

pytestmark = pytest.mark.once

#: The textbook formula in a program with command-line options; its output file exists already.
QUADRATIC = """\
import argparse
import numpy as np

def small_root(b, c):
    root = np.sqrt(b * b - 4 * c)   # guilty
    return (b - root) / 2

parser = argparse.ArgumentParser()
parser.add_argument("--digits", type=int)
n = parser.parse_args().digits
b = np.linspace(2, 20, n).astype(np.float16)
x = small_root(b, np.float16(0.3))
total = np.float16(0)
for v in x:
    if v > 0.0157:                  # branch
        total += v
np.save("roots.npy", x)
print("of", n, "the sum is", total)
"""


#: Its masks differ from run to run, but its output does not.
MASKS = """\
import numpy as np

x = np.linspace(0.1, 3, 40).astype(np.float16)
y = x * x * x / x
z = np.where(y > x * x, x + 1, x)
few = [np.float16(v) > 1 for v in x]
np.save("x.npy", x)
"""


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options, arguments=(), name="program.py", **keywords):
        Path(name).write_text(text, encoding="utf-8")
        return run("stability", *options, name, *arguments, **keywords)

    return run_program


#: Of programs whose other modes do not matter: runs to nearest and one upward.
FEW_MODES = {"modes": ("rte", "rtp")}


def line_with(text, mark):
    return next(k for k, line in enumerate(text.splitlines(), 1) if f"# {mark}" in line)


def test_report_of_unchanged_program(command, tmp_path):
    """The report has results, digits, the branch, the line to blame, and a better formula."""
    (tmp_path / "roots.npy").write_bytes(b"mine")
    options = ["--samples", "4", "--html", "page.html"]
    status, out, _ = command(QUADRATIC, *options, arguments=["--digits", "9"])
    assert status == 1
    assert "program.py: unstable: 6 of 11 numbers spread over 32 ulps" in out
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert rows["roots.npy"][1] == "9" and float(rows["roots.npy"][2]) < 1.5
    assert rows["output"][1] == "2"
    branch = f"program.py:{line_with(QUADRATIC, 'branch')}: if v > 0.0157:"
    guilty = f"program.py:{line_with(QUADRATIC, 'guilty')}"
    assert out.count(branch) == 1
    blamed = out[out.index("blame: ") :]
    assert "1 moves 2 of 2 results" in blamed and blamed.count("####") and guilty in blamed
    assert "roots.npy" in next(line for line in blamed.splitlines() if guilty in line)
    assert "4 * c / (b + root) / 2   off by 1." in out
    assert (tmp_path / "roots.npy").read_bytes() == b"mine"
    assert sorted(os.listdir()) == ["page.html", "program.py", "roots.npy"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "4 * c / (b + root) / 2" in page and page.count("<svg") >= 2
    assert page.count('class="guilty"') == 1 and "http" not in page and "src=" not in page


def test_watch_selects_results(command):
    """Select a variable, a watched result, or a file; --digits decides the status."""
    text = (
        "import halfcl as hc, numpy as np\n"
        "from halfcl import stability\n"
        "x = hc.half([0.01, 0.02])\n"
        "good = x / 3\n"
        "for k in range(3):\n"
        "    bad = stability.watch('bad', (1 + x * k) - 1)\n"
        "with open('table.csv', 'w') as file:\n"
        "    file.write('a;b\\n' + ';'.join(map(str, good.tolist())))\n"
    )
    options = ["--samples", "2", "--no-blame", "--no-trace"]
    for watch, status, numbers in (("good", 0, 2), ("bad", 1, 6), ("table.csv", 0, 2)):
        got, out, _ = command(text, *options, "--watch", watch, "--digits", "2", **FEW_MODES)
        assert (got, f"\n{watch} " in out) == (status, True)
        assert next(line for line in out.splitlines() if line.startswith(watch)).split()[1] == (
            str(numbers)
        )
    assert command(text, *options, "--watch", "bad", "--digits", "0.1", **FEW_MODES)[0] == 0
    status, _, err = command(text, *options, "--watch", "none")
    assert status == 2 and "--watch: expected a global variable" in err and "'none'" in err


def test_blame_finds_lines_in_different_perturbations(command):
    """Both lines are to blame, although in some perturbations only one has an effect."""
    text = """import numpy as np
x = np.random.default_rng(3).integers(600, 680, 400).astype(np.float16) / 64  # exact
mean = x.mean()
print((x * x).mean() - mean**2)
"""
    _, out, _ = command(text, "--samples", "2")
    assert "2 move the result" in out
    assert "program.py:3" in out and "program.py:4" in out


FAULTS = {
    "fails": ("import numpy\nraise ValueError('so\\nmuch')", (), "program.py:2: ValueError: so"),
    "ends": ("import sys\nsys.exit(3)", (), "it ended with status 3 (arguments"),
    "rounds nothing": ("import numpy as np\nprint(np.float32(1) / 3)", (), "no operation of it"),
    "says nothing": ("import numpy as np\nnp.float16([1]) / 3", (), "expected numbers that it"),
    "is random": (
        "import numpy as np\nx = np.random.default_rng().random(9)\nprint(np.float16(x) / 3)",
        (), "for another reason than rounding",
    ),
    "is no program": ("x = (", (), "SyntaxError"),
    "leaves": ("import os\nos._exit(3)", (), "left by os._exit with status 3"),
    "is killed": ("import os\nos.kill(os.getpid(), 9)", (), "stopped by SIGKILL"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_untestable_programs_are_errors(command, fault):
    text, options, message = FAULTS[fault]
    status, out, err = command(text, "--samples", "0", *options)
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1
    assert "much" not in err  # only the first line of an error's text


def test_wrong_arguments_of_command(command, capsys):
    for arguments, message in (
        ([], "expected script.py or -m module, got nothing"),
        (["no such file"], "No such file"),
        (["-m", "no_such_module"], "No module named"),
    ):
        assert main(["stability", *arguments]) == 2
        assert message in capsys.readouterr().err
    for option in (["--samples", "-1"], ["--digits", "4"], ["--digits", "nan"], ["--timeout", "0"]):
        with pytest.raises(SystemExit) as error:
            main(["stability", *option, "x"])
        assert error.value.code == 2 and option[0] in capsys.readouterr().err


def test_seed_fixes_random_numbers_but_not_time(command):
    """With --seed random numbers are equal in all runs; only the time is left out."""
    text = (
        "import random, time\nimport numpy as np\n"
        "x = np.random.default_rng().random(9) + np.random.rand(9) + random.random()\n"
        "print(time.perf_counter_ns(), x.astype(np.float16)[:2] / 3)\n"
    )
    status, out, _ = command(text, "--seed", "1", "--samples", "1", **FEW_MODES)
    assert status == 0 and "output: 1 of 3 numbers differ in two runs to nearest" in out


#: Rounds in threads, pools, tasks and another module.
EVERYWHERE = """\
import asyncio, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from beside import one_more

def f(k):
    x = np.float16([0.001 * k] * 3)
    return float(((1 + x) - 1)[0])

def in_thread(k):
    results[k] = f(k)

async def in_task(k):
    return await asyncio.to_thread(f, k)

if __name__ == "__main__":
    results = {1: f(1)}
    thread = threading.Thread(target=in_thread, args=(2,))
    thread.start()
    thread.join()
    with ThreadPoolExecutor() as pool:
        results[3] = pool.submit(f, 3).result()
    results[4] = asyncio.run(in_task(4))
    results[5] = float(one_more(np.float16(0.005)))
    print(input(), [results[k] for k in range(1, 6)], __file__[-10:])
"""


def test_threads_tasks_modules_and_standard_input(tmp_path):
    """All of them round in the mode of the run, and all runs read the same input."""
    (tmp_path / "program.py").write_text(EVERYWHERE)
    (tmp_path / "beside.py").write_text("def one_more(x):\n    return (1 + x) - 1\n")
    ran = subprocess.run(
        [sys.executable, "-m", "halfcl", "stability", "--samples", "0", "program.py"],
        cwd=tmp_path, input="7\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "unstable: 5 of 6 numbers" in ran.stdout
    for k in range(1, 6):
        row = next(line.split() for line in ran.stdout.splitlines() if f"output[{k}]" in line)
        assert float(row[2]) < float(row[3]), k  # toward zero and upward
    guilty = ran.stdout[ran.stdout.index("blame: ") :]
    assert "program.py:8" in guilty and "beside.py:2" in guilty


SUMS = """
import numpy as np

x = np.random.default_rng(0).normal(0, 1, (4_000, 3)).astype(np.float16)
down = x.sum(axis=0)  # three of them
running = np.cumsum(x[:, 0])[-1]
print(*down, running, np.multiply.accumulate(x[:40, 0])[-1], x[:, 0].sum())
"""


def test_sums_round_each_step_as_numpy(command):
    """To nearest, numbers are those that the plain program prints; in other modes they drift."""
    status, out, _ = command(SUMS, "--samples", "0")
    plain = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in out.splitlines() if line.startswith("output[")]
    to_nearest = {row[0]: float(row[1]) for row in rows}
    printed = [float(x) for x in plain.stdout.split()]
    assert status == 1 and set(to_nearest) >= {f"output[{k}]" for k in range(4)}
    assert all(np.isclose(x, printed[int(name[7:-1])], rtol=1e-3) for name, x in to_nearest.items())
    for name, near, _, up, down, *_ in rows[:4]:
        assert float(up) - 40 > float(near) > float(down) + 20, name
    guilty = out[out.index("blame: ") :]
    for mark in ("three of them", "running"):
        assert mark in guilty


COPIES = """
import multiprocessing
import numpy as np

def f(k):
    x = np.float16(k) * np.float16(0.001)
    return float((1 + x) - 1)  # loses

with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(f, range(3)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only forks of the program are followed")
def test_forked_processes_are_blamed(command):
    """Lines that round in forks are recorded and blamed."""
    status, out, _ = command(COPIES, "--samples", "0", **FEW_MODES)
    assert status == 1
    assert f"program.py:{line_with(COPIES, 'loses')}" in out[out.index("blame: ") :]


#: Few runs, of programs whose standard input is what a test is about.
QUICKLY = ["--samples", "0", "--no-trace"]


@pytest.mark.parametrize("kind", ["pipe", *more("file")])
def test_standard_input_read_by_descriptor(tmp_path, kind):
    """A program may read standard input by open(0), as many short programs do."""
    (tmp_path / "program.py").write_text(
        "import numpy as np\nx = np.array(open(0).read().split(), np.float16)\n"
        "print(len(x), np.sqrt(x).sum())\n"
    )
    text = "0.1 " * 100_000  # more than a pipe holds
    (tmp_path / "in.txt").write_text(text)
    with (tmp_path / "in.txt").open() as file:
        source = {"stdin": file} if kind == "file" else {"input": text}
        ran = subprocess.run(
            [sys.executable, "-m", "halfcl", "stability", "--no-blame", *QUICKLY, "program.py"],
            cwd=tmp_path, capture_output=True, text=True, check=False, **source,
        )  # fmt: skip
    assert ran.stderr == "" and "2 numbers" in ran.stdout


def test_standard_input_that_never_ends(tmp_path):
    (tmp_path / "program.py").write_text("import numpy as np\nprint(np.float16(0.1) * 3)\n")
    with subprocess.Popen(
        [sys.executable, "-m", "halfcl", "stability", "--no-blame", *QUICKLY, "program.py"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert "stable: 1 number" in process.stdout.read()
        assert process.wait(60) == 0


def test_files_of_user_stay_unchanged(command, tmp_path):
    """The user's files stay whatever a program does, and each run starts with them."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "in.csv").write_text("0.1 0.2\n")
    (tmp_path / "log.csv").write_text("1\n")
    elsewhere = tmp_path.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    text = (
        "import os, shutil, tempfile\nfrom pathlib import Path\nimport numpy as np\n"
        "here = Path(__file__).resolve().parent\n"
        "x = np.loadtxt('data/in.csv').astype(np.float16) / 3\n"
        "with open('log.csv', 'a') as file:\n    print(float(x[0]), file=file)\n"
        "assert len(open(here / 'log.csv').readlines()) == 2\n"
        "shutil.rmtree(here / 'data')\n"
        "assert not os.path.exists('data') and not (here / 'data').exists()\n"
        "os.makedirs('new/folder')\n"
        "np.savez('new/folder/all.npz', x=x, n=np.arange(3))\n"
        "os.rename('new/folder/all.npz', 'moved.npz')\n"
        f"np.save({str(elsewhere / 'far.npy')!r}, x)\n"
        f"assert np.load({str(elsewhere / 'far.npy')!r}).shape == (2,)\n"
        "with tempfile.NamedTemporaryFile('w+') as file:\n    file.write('x')\n"
        "os.remove(__file__)\n"
    )
    status, out, _ = command(text, "--samples", "0", **FEW_MODES)
    assert status == 0, out
    for name in ("log.csv", "moved.npz: x", "moved.npz: n", str(elsewhere / "far.npy")):
        assert f"\n{name} " in out
    assert sorted(os.listdir()) == ["data", "log.csv", "program.py"]
    assert os.listdir("data") == ["in.csv"] and os.listdir(elsewhere) == []
    assert (tmp_path / "log.csv").read_text() == "1\n"


def test_runs_that_fail_or_print_other_words(command):
    """In some roundings a program fails, ends with another status, or prints other words."""
    text = (
        "import sys\nimport numpy as np\n"
        "third = float(np.float16(1) / np.float16(3))\n"
        "if third > 0.3334: raise SystemExit('too large')\n"
        "print('small', third)\n"
    )
    status, out, _ = command(text, "--samples", "0", "--no-blame", **FEW_MODES)
    assert status == 1 and "rtp: too large" in out and "fails in rtp" in out
    with_status = text.replace("raise SystemExit('too large')", "sys.exit(3)")
    status, out, _ = command(with_status, "--samples", "0", "--no-blame", **FEW_MODES)
    assert status == 1 and "exit status: in rtp there is a value, but none" in out
    text = text.replace("raise SystemExit('too large')", "print('large', third)")
    text = text.replace("print('small', third)", "else: print('small', third)")
    status, out, _ = command(text, "--samples", "0", "--no-blame", **FEW_MODES)
    assert status == 1 and "output: in rtp it is 'large #', not 'small #'" in out


@left_out("seconds: of systems whose processes do not fork")
def test_spawned_runs_equal_forked_runs(command_with):
    name = "halfcl.stability._programs._running.launching.FORKS"
    outs = []
    for forks in (True, False):
        command = command_with({f"{_testing.__name__}.MODES": ("rte", "rtp"), name: forks})
        options = ("--samples", "0", "--no-blame", "--no-trace")
        outs.append(command(QUADRATIC, *options, arguments=["--digits", "9"])[1].splitlines()[:-1])
    assert outs[0] and outs[0] == outs[1]


def test_columns_of_modes_if_one_fails(command):
    """The columns of the other modes keep their places if one run fails."""
    text = (
        "import numpy as np\n"
        "if float(np.float16(1) / np.float16(3)) > 0.3334: raise SystemExit('no')\n"
        "print(float((1 + np.float16(0.0015)) - 1))\n"
    )
    _, out, _ = command(text, "--samples", "0", "--no-blame")
    lines = out.splitlines()
    k = next(k for k, line in enumerate(lines) if line.startswith("worst"))
    ends = {name: lines[k].index(name) + len(name) for name in ("rte", "rtz", "rtp", "rtn")}
    shown = {name: lines[k + 1][:end].split()[-1] for name, end in ends.items()}
    assert lines[k + 1][ends["rtp"] - 1] == " " and "fails in rtp" in lines[0]
    assert float(shown["rte"]) == pytest.approx(2**-9, rel=1e-3)
    assert float(shown["rtz"]) == float(shown["rtn"]) == pytest.approx(2**-10, rel=1e-3)


def test_by_function_and_by_module(command):
    for kind, place, name in (
        ("function", "program.py:4", "small_root"),
        ("module", "program.py", ""),
    ):
        options = ("--by", kind, "--samples", "0")
        _, out, _ = command(QUADRATIC, *options, arguments=["--digits", "9"], **FEW_MODES)
        words = out[out.index("blame: ") :].splitlines()[2].split()
        assert place in words and name in ("", words[-1])


def test_comparisons_of_arrays_are_branches(command, tmp_path):
    """The report counts the elements whose comparison differs, as NumPy computes them."""
    status, out, _ = command(MASKS, "--samples", "2", "--html", "page.html")
    assert status == 0
    x = np.linspace(0.1, 3, 40).astype(np.float16).view(half)
    masks = []
    for mode in ("rte", "rtz", "rtp", "rtn"):
        with hc.rounding(mode):
            masks.append(x * x * x / x > x * x)
    differ = np.any([mask != masks[0] for mask in masks], axis=0).sum()
    line = "z = np.where(y > x * x, x + 1, x)"
    match = re.search(r"(\d+) of 40 at program.py:5: (.*?)   \((.*)\)", out)
    assert match and int(match[1]) >= differ > 0 and match[2] == line
    assert match[3].split(", ")[-1].endswith("at random") and out.count(" at program.py:") == 1
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"{match[1]} of 40" in page and "elements decided differently" in page


# ------------------------------------------------------------------ delta debugging


class FakeRunner:
    """Runner whose outcomes are the chosen units; most: the runs that it makes."""

    def __init__(self, width=1, most=10_000):
        self.width, self.runs, self._most = width, 0, most

    def run_some(self, runs):
        outcomes = []
        for run in runs:
            self.runs += self.runs < self._most
            whole = Outcome(units=list(run.chosen_units), printed=run.mode)
            outcomes.append(None if self.runs >= self._most else whole)
        return outcomes


UNITS = [Unit("x", k + 1) for k in range(400)]


def search(effects, units=UNITS, runner=None, names=None):
    """Search with a function that returns the effects of a set of units on each target."""
    runner = runner or FakeRunner()
    width = len(effects(frozenset(), OPERATIONS))
    names = names or [f"r{k}" for k in range(width)]

    def measure(outcome):
        return tuple(effects(frozenset(outcome.units), outcome.printed))

    blame = Search(runner, Run(("x",)), names, measure).find(units)
    assert blame.runs <= runner.runs
    return blame


@pytest.mark.parametrize("width", [1, 2, 5])
def test_search_finds_all_in_few_runs(width):
    """It finds two lines of four hundred, and a pair of lines without effect alone."""
    lone, pair = {UNITS[17]: 300.0, UNITS[301]: 500.0}, {UNITS[250], UNITS[390]}

    def effects(units, mode):
        return [sum(lone.get(u, 0.0) for u in units) + (400.0 if pair <= units else 0.0)]

    runner = FakeRunner(width)
    blame = search(effects, runner=runner)
    assert blame.total_effect == 1200 and blame.is_complete and not blame.suspects
    assert {e.unit: e.effect for e in blame.entries} == {**lone, **dict.fromkeys(pair, 0.0)}
    assert {e.unit: set(e.partners) for e in blame.entries if e.partners} == {
        u: pair - {u} for u in pair
    }
    assert runner.runs == blame.runs < 80 + 20 * width
    # Units with a small effect compared to others are not blamed.
    lone[UNITS[3]] = 1200 * LEAST_SHARE / 2
    assert UNITS[3] not in {entry.unit for entry in search(effects).entries}


def test_search_shares_runs_between_results():
    """Eight results with a line each, and effects of different sizes, take few runs each."""
    lines = {f"r{k}": UNITS[3 + 11 * k] for k in range(8)}
    sizes = [8.0 * 4**k for k in range(8)]

    def effects(units, mode):
        return [s * (unit in units) for s, unit in zip(sizes, lines.values(), strict=True)]

    blame = search(effects, UNITS[:100])
    expected = {n: {u: s} for (n, u), s in zip(lines.items(), sizes, strict=True)}
    assert blame.by_result() == expected and blame.runs < 90
    one = search(lambda units, mode: effects(units, mode)[:1], UNITS[:100])
    assert blame.runs < 8 * one.runs / 2


def test_infinities_hide_no_other_numbers():
    """A result's infinity has a culprit, and so have its finite numbers and another result."""
    overflows, cancels = UNITS[5], UNITS[9]

    def effects(units, mode):
        return [
            30.0 * (cancels in units),
            65536.0 * (overflows in units),
            12.0 * (cancels in units),
        ]

    blame = search(effects, UNITS[:40], names=["x", "x", "y"])
    assert blame.by_result() == {"x": {overflows: 65536.0, cancels: 30.0}, "y": {cancels: 12.0}}
    assert blame.total_effects == {"x": 65536.0, "y": 12.0}


def test_lines_that_act_in_one_direction_only():
    """Each of two lines moves its result in one perturbation alone."""
    modes = {UNITS[2]: "rtp", UNITS[6]: "rtn"}

    def effects(units, mode):
        return [100.0 * any(modes.get(u) == mode for u in units)]

    assert {e.unit for e in search(effects, UNITS[:30]).entries} == set(modes)


def test_search_that_is_stopped_reports_what_it_has_found():
    big, small = UNITS[100], UNITS[300]

    def effects(units, mode):
        return [5000.0 * (big in units), 900.0 * (small in units)]

    whole = search(effects)
    for most in range(1, whole.runs):
        blame = search(effects, runner=FakeRunner(most=most))
        assert not blame.is_complete and blame.runs <= most
        assert {e.unit for e in blame.entries} <= {big, small}
        if blame.suspects:
            assert {big, small} & {unit for units in blame.suspects for unit in units}
    assert whole.is_complete and len(whole.entries) == 2


def test_search_without_effects_or_units():
    assert search(lambda units, mode: [0.0]).entries == ()
    assert search(lambda units, mode: [0.0], []).entries == ()
    # Where any 200 lines have an effect, and no few of them, not all are listed.
    many = search(lambda units, mode: [7.0 if len(units) > 200 else 0.0])
    assert len(many.entries) <= 8 and many.runs <= 400


def test_random_modes_of_unit_do_not_depend_on_other_units():
    """Then a larger set rounds the units of a smaller set in the same way."""
    from halfcl.stability._programs._recording.places import Places
    from halfcl.stability._programs._running.child import Rounding

    def modes_of_first(chosen):
        return modes_of(OPERATIONS, chosen)

    def modes_of(mode, chosen):
        rounding = Rounding(Run(("x",), mode, 3, frozenset(chosen)), Places("line"))
        source, other = (rounding._mode_source(unit) for unit in (a, b))
        modes = []
        for _ in range(20):
            if callable(other):
                other()
            modes.append(source() if callable(source) else source)
        return modes

    a, b = Unit("x", 1), Unit("x", 2)
    assert modes_of_first([a]) == modes_of_first([a, b])
    assert set(modes_of_first([a])) == {"rtn", "rtp"} and set(modes_of_first([b])) == {"rte"}
    opposite = {"rtn": "rtp", "rtp": "rtn"}
    assert modes_of(OPPOSITE, [a]) == [opposite[mode] for mode in modes_of_first([a])]


@pytest.mark.parametrize("is_lasting", [True, False])
def test_modes_are_found_once_for_each_instruction(is_lasting):
    """A mode that lasts is found once; the instructions of a line count on their own."""
    calls = []
    modes = ["rtp", lambda: "rtn"]  # of the two instructions

    def find(frame):
        calls.append(frame.f_lasti)
        return modes[sorted(set(calls)).index(frame.f_lasti)], is_lasting

    def compute():
        return [(x / 3, x / 3) for _ in range(4)]

    x = half([1, 2])
    region = Experiment("rte", InstructionModes(find))
    results = region.call(compute, ())
    assert len(calls) == 2 if is_lasting else len(calls) >= 8
    assert len(set(calls)) == 2
    for up, down in results:
        assert np.array_equal(up, hc.divide(x, 3, rounding="rtp"))
        assert np.array_equal(down, hc.divide(x, 3, rounding="rtn"))


def test_errors_of_looking_up_a_mode_are_raised():
    def fail(frame):
        raise KeyError("mode")

    x = half(1)
    for find in (fail, lambda frame: "rtp", lambda frame: ("up", True)):
        with pytest.raises((KeyError, ValueError)):
            Experiment("rte", InstructionModes(find)).call(lambda: x / 3, ())
    with pytest.raises(TypeError, match="InstructionModes: cannot be pickled"):
        pickle.dumps(InstructionModes(fail))


# ------------------------------------------------------------------ numbers


def test_digits_are_cadna_s_estimate():
    """Digits are log10(sqrt(N) |mean| / (t s)); equal numbers have all digits, infinities none."""
    runs = np.array([[1.0, 5, np.inf, 1], [1.5, 5, np.inf, np.nan],
                     [0.5, 5, np.inf, 1], [1.0, 5, np.inf, 1]])  # fmt: skip
    s = float(Fraction(1, 2) / 3) ** 0.5  # for the deviations 0, 1/2, 1/2, 0
    expected = np.log10(2 * 1.0 / (3.182446 * s))
    digits = digits_of(runs)
    np.testing.assert_allclose(digits[0], expected, rtol=1e-6)
    assert digits[1] == 11 * np.log10(2) and digits[2] == digits[3] == 0
    assert np.isnan(digits_of(runs[:1])).all() and np.isnan(digits_of(runs[:0])).all()
    tiny = np.array([[0, 2e-12, 6e-8], [0, 1e-12, 6e-8], [6e-8, 3e-12, 6e-8]])
    assert digits_of(tiny)[0] > 2.5 and digits_of(tiny)[1] == 0 and digits_of(tiny)[2] > 3.3


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a 1 b -2.5e-3, [3. 4.]", [1, -0.0025, 3, 4]),
        ("x2 v1.2.3 12ab", []),
        ("1,2;.5\n+7", [1, 2, 0.5, 7]),
        ("nan inf -inf infinite banana", [np.nan, np.inf, -np.inf]),
        ("", []),
    ],
)
def test_numbers_in_text(text, numbers):
    parsed, rest = parse_numbers(text)
    np.testing.assert_array_equal(parsed, numbers)
    assert rest.count("\0") == len(numbers)


def test_watch_returns_its_argument():
    x = half([1, 2])
    assert stability.watch("x", x) is x and stability.watch("y", "no number") == "no number"
    with pytest.raises(TypeError, match="name: expected a str, got int"):
        stability.watch(1, x)


def test_watched_results_without_numbers_are_errors(command):
    text = "import numpy as np\nfrom halfcl import stability\nstability.watch('x', {})\n"
    status, _, err = command(text)
    assert status == 2 and "watch: 'x': expected numbers" in err


# ------------------------------------------------------------------ the page, and the examples


GUIDE = ROOT / "docs" / "howto" / "stability_of_programs.md"


def blocks_of_guide():
    """Return the kind and the text of each block of code."""
    return re.findall(r"^```(\w+)\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.S | re.M)


def test_report_in_guide_is_current(command):
    """The guide quotes the reports of the command for its programs."""
    blocks = blocks_of_guide()
    programs = [text for kind, text in blocks if kind == "python" and ">>>" not in text]
    reports = [text for kind, text in blocks if kind == "text"]
    _, out, _ = command(programs[0], name="roots.py", longer=True)
    assert out[: len(reports[0])] == reports[0]


@left_out("a second, and another test has the report of a program in the guide")
def test_report_of_loss_in_guide_is_current(command):
    blocks = blocks_of_guide()
    loss = next(text for kind, text in blocks if kind == "python" and "np.log(1 - p)" in text)
    shown = next(text for kind, text in blocks if kind == "text" and text.startswith("loss.py"))
    _, out, _ = command(loss, "--no-blame", name="loss.py")
    assert out[: len(shown)] == shown


@left_out("a second, and another test has the report of a program in the guide")
def test_mended_line_in_guide_is_current(command):
    segments, mended = (text for kind, text in blocks_of_guide() if "np.sin(angles)" in text)
    _, out, _ = command(segments, name="segments.py")
    assert mended in out


@pytest.fixture
def example(tmp_path, monkeypatch, capsys):
    """Function that tests an example: status and output."""
    monkeypatch.chdir(tmp_path)

    def run(name, *arguments, options=()):
        status = main(["stability", *options, str(ROOT / "examples" / f"{name}.py"), *arguments])
        return status, capsys.readouterr().out

    return run


OPTIONS = ["--samples", "2", "--no-trace"]


@left_out("some seconds")
def test_statistics(example):
    status, out = example("climate", options=OPTIONS)
    assert status == 1 and "(x * x).mean() - x.mean() ** 2" in out[out.index("blame: ") :]
    assert "np.mean((x - np.mean(x)) * (x - np.mean(x)))   off by" in out
    status, out = example("climate", "--mended", options=OPTIONS)
    assert status == 0, out


@left_out("some seconds")
def test_filter(example):
    status, out = example("soft_light", options=OPTIONS)
    assert status == 1 and "total += rows[k + width] - rows[k]" in out[out.index("blame: ") :]
    assert "a compensated sum" in out
    status, out = example("soft_light", "--mended", options=OPTIONS)
    assert status == 0, out


@pytest.mark.skipif(not LONG, reason="some ten seconds: HALFCL_TEST_LONG=1")
def test_differential_equation(example):
    status, out = example("pendulums", options=OPTIONS)
    assert status == 1 and "a compensated sum" in out
    assert "speed = speed + more_speed" in out[out.index("blame: ") :]
    status, out = example("pendulums", "--mended", options=[*OPTIONS, "--watch", "energy.npy"])
    assert status == 0, out
