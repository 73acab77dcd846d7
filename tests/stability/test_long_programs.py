"""``python -m halfcl stability`` on programs that take long, stall, or are stopped."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from exhaustive import in_modes, one_in

from halfcl._command.programs import warn_of_passed_options
from halfcl.stability._programs import _testing
from halfcl.stability._programs._analysis.results import Output, Result
from halfcl.stability._programs._recording import stalls
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.tracing import Tracer
from halfcl.stability._programs._running import launching

pytestmark = pytest.mark.once

LAUNCHING = launching.__name__

needs_signal = pytest.mark.skipif(stalls.SIGNAL is None, reason="the system has no such signal")


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", *options, "program.py")

    return run_program


# ------------------------------------------------------------------ what stalls

#: Loops that stall, by name: the setting before the loop, the loop, the line that is named, what is
#: said of it, and whether they are certain to go on forever.
LOOPS = {
    "too small a step": (
        "t = np.float16(1)",
        "while t < 2:\n    y = t * 3\n    t += np.float16(0.0004)",
        "t += np.float16(0.0004)", "t stays 1 in N steps, since the step is less than half an ulp",
        True,
    ),
    "with a counter": (
        "t = np.float16(1); n = 0",
        "while t < 2:\n    t = t + h\n    n += 1",
        "t = t + h", "t stays 1 in N steps, since the step is less than half an ulp", True,
    ),
    "a halfcl scalar": (
        "t = hc.half(1)",
        "while t < 2:\n    t = h + t",
        "t = h + t", "t stays 1 in N steps, since the step is less than half an ulp", True,
    ),
    "an attribute": (
        "class Clock: t = np.float16(2048)\nclock = Clock()",
        "while clock.t < 3000:\n    clock.t += np.float16(1)",
        "clock.t += np.float16(1)",
        "clock.t stays 2048 in N steps, since the step is less than half an ulp", True,
    ),
    "an element": (
        "x = np.ones(2, np.float16)",
        "while x[0] < 2:\n    x[0] += h",
        "x[0] += h", "x stays [1.0, 1.0] in N steps, since the step is less than half an ulp",
        True,
    ),
    "no step": (
        "t = np.float16(1); d = h * h * h",
        "while t < 2:\n    t += d",
        "t += d", "t stays 1 in N steps, since the step is 0", True,
    ),
    "an infinity": (
        "x = np.float16(60000)",
        "while x > 1:\n    x = x * 2",
        "x = x * 2", "x stays inf in N steps", True,
    ),
    "two values": (
        "x = np.float16(1)",
        "while True:\n    y = 3 - x\n    if abs(y - x) < h:\n        break\n    x = y",
        "y = 3 - x", "y repeats 2 values in N steps: ", True,
    ),
    "bisection": (
        "a, b = np.float16(1.709), np.float16(1.71)",
        "while b - a > 1e-4:\n    m = (a + b) / 2\n    if m * m * m < 5:\n        a = m\n"
        "    else:\n        b = m",
        "a = m", "a stays 1.709 in N steps", True,
    ),
    "a change later": (
        "t = np.float16(1); k = 0",
        "while t < 2:\n    k += 1\n    t += h\n    if k > 10**8:\n        t = t + 1",
        "t += h", "t stays 1 in N steps, since the step is less than half an ulp", False,
    ),
    "a change after others": (
        "t = np.float16(1); k = 0",
        "while t < 2:\n    k += 1\n    t += h\n    if k < 10**8:\n        continue\n    t = t + 1",
        "t += h", "t stays 1 in N steps, since the step is less than half an ulp", False,
    ),
    "in a function that it calls": (
        "def step(x): return x + h\nt = np.float16(1)",
        "while t < 2:\n    t = step(t)",
        "t = step(t)", "t stays 1 in N steps", True,
    ),
}  # fmt: skip

#: Loops that only take long.
ENDLESS = {
    "an integer": ("k = 0", "while k < 10**9:\n    k += 1"),
    "a float that grows": ("t = 0.0", "while t < 1e9:\n    t += 0.5"),
    "a limit of passes": (
        "t = np.float16(1); k = 0",
        "while t < 2:\n    t += h\n    k += 1\n    if k > 10**8:\n        break",
    ),
    "for": ("t = np.float16(1)", "for k in range(10**9):\n    t += h"),
    "random": (
        "import random; x = 0.5; t = np.float16(1)",
        "while x < 2:\n    x = random.random()",
    ),
    "waiting": ("import os", "while not os.path.exists('none'):\n    pass"),
}


class Over(Exception):
    """Ends a program after its observation."""


def observe(setting, loop, tmp_path, mode="rte", traced=False):
    """Observe a loop in this process until that has ended; return the answer, and the source."""
    source = (
        f"import numpy as np, halfcl as hc\nh = np.float16(0.0004)\n{setting}\nstart()\n{loop}\n"
    )
    file = tmp_path / "program.py"
    file.write_text(source)
    places, answers = Places("line"), []

    def report(answer):
        answers.append(answer)
        raise Over

    observation = stalls.Observation(places, mode, report)
    names = {"__name__": "__main__", "start": lambda: observation.start(sys._getframe(1))}
    before, tracer = sys.gettrace(), Tracer(places)
    try:
        sys.settrace(None)
        if traced:
            tracer.start()
        with np.errstate(over="ignore"):
            exec(compile(source, file, "exec"), names)
    except Over:
        pass
    finally:
        sys.settrace(before)
    assert tracer.observe is None
    return answers[0], source


@one_in(3)
@pytest.mark.parametrize(("loop", "traced"), in_modes(LOOPS, (False, True)))
def test_loops_that_stall_are_named(loop, traced, tmp_path, monkeypatch):
    monkeypatch.setattr(stalls, "SECONDS", 60.0)
    monkeypatch.setattr(stalls, "_MOST_LINES", 4000)
    setting, text, line, note, is_certain = LOOPS[loop]
    answer, source = observe(setting, text, tmp_path, traced=traced)
    assert source.splitlines()[answer.line - 1].strip() == line and answer.is_observed
    numbers = "".join("N" if c.isdigit() or c == "," else c for c in note)
    start, _, end = note.partition(" in N steps")
    assert answer.note.startswith(f"{start} in ") and numbers
    assert f"steps{end}" in answer.note and answer.is_certain == is_certain
    # Where chance decides, it may go on.
    answer, _ = observe(setting, text, tmp_path, "random", traced)
    assert not answer.is_certain


@pytest.mark.parametrize("loop", ENDLESS)
def test_other_loops_do_not_stall(loop, tmp_path, monkeypatch):
    monkeypatch.setattr(stalls, "SECONDS", 60.0)
    monkeypatch.setattr(stalls, "_MOST_LINES", 4000)
    answer, source = observe(*ENDLESS[loop], tmp_path)
    assert not answer.note and not answer.is_certain and answer.is_observed
    assert "while" in source or ("for" in source and answer.line > 4)


def test_answers_are_read_while_they_are_written(tmp_path):
    whole = '{"file": "x.py", "line": 3, "note": "", "is_observed": true, "is_certain": false}'
    (tmp_path / stalls.ANSWERS).write_text(f"{whole}\n{whole[:20]}")
    assert stalls.read_answers(str(tmp_path)) == [stalls.Answer("x.py", 3, "", True, False)]
    assert stalls.read_answers(str(tmp_path / "none")) == []
    assert json.loads(whole)["line"] == 3


STALLS = """\
import numpy as np
t = np.float16(0)
while t < 2:
    t += np.float16(0.0004)  # guilty
print(t)
"""


@needs_signal
def test_first_run_that_stalls_is_stopped(command_with):
    """By default it is stopped once it is certain to stall, long before its limit."""
    begin = time.monotonic()
    status, out, err = command_with({f"{LAUNCHING}._FIRST_QUESTION": 0.2})(STALLS)
    assert (status, out) == (2, "") and time.monotonic() - begin < _testing.FIRST_LIMIT / 2
    assert "program.py: it does not end; it stalls at program.py:4: t += np.float16(0.0004)" in err
    assert "t stays 1 in " in err and err.count("\n") == 1


@needs_signal
def test_time_limit_names_the_line(command):
    status, out, err = command(STALLS, "--timeout", "0.5")
    assert (status, out, err.count("\n")) == (
        2,
        "",
        1,
    ) and "it did not end within 0.5 s; it stalls at program.py:4" in err
    status, _, err = command("import time\ntime.sleep(60)  # here\n", "--timeout", "0.5")
    assert status == 2 and "within 0.5 s; it was at program.py:2: time.sleep(60)" in err


@needs_signal
def test_mode_in_which_a_program_stalls_fails(command_with):
    """A step of 0.6 ulps is enough to nearest, and none toward zero or downward."""
    text = STALLS.replace("float16(0)", "float16(1)").replace("0.0004", "0.0006")
    sooner = {f"{LAUNCHING}._LEAST_QUESTION": 0.2, f"{stalls.__name__}.SECONDS": 0.4}
    command = command_with(sooner)
    status, out, _ = command(text.replace("t < 2", "t < 1.5"), "--samples", "0", "--no-blame")
    assert status == 1 and "unstable: it fails in rtz, rtn" in out
    for mode in ("rtz", "rtn"):
        line = next(line for line in out.splitlines() if line.startswith(f"{mode}: "))
        assert "it does not end; it stalls at program.py:4" in line
        assert "since the step is less than an ulp" in line


@needs_signal
def test_questions_change_nothing(command_with):
    """A run that is asked where it is gives the same result, and its traces stay whole."""
    text = (
        "import time\nimport numpy as np\nt, n = np.float16(0), 0\n"
        "end = time.perf_counter() + 0.25\nwhile time.perf_counter() < end:\n    n += 1\n"
        "for k in range(9): t += np.float16(0.1)\n"
        "print(float(t), k)\n"
    )
    questions = {f"{LAUNCHING}.{name}": 0.1 for name in ("_FIRST_QUESTION", "_LEAST_QUESTION")}
    command = command_with({**questions, f"{_testing.__name__}.LEAST_LIMIT": 1.0})
    status, out, err = command(text, "--samples", "0", "--no-trace")
    assert not err and status == 0 and "stable: 2 numbers" in out


def test_limit_of_other_runs_is_told(command_with):
    """Upward it takes long: the run is stopped, and the report says after what time."""
    command = command_with({f"{_testing.__name__}.LEAST_LIMIT": 0.5})
    text = (
        "import time\nimport numpy as np\nx = np.float16(1) / 3\n"
        "if float(x) > 0.3334: time.sleep(60)\nprint(x)\n"
    )
    status, out, _ = command(text, "--samples", "0", "--no-blame")
    (line,) = [line for line in out.splitlines() if line.startswith("rtp: ")]
    assert status == 1 and "it did not end within" in line
    assert "(10 times a run to nearest, at least 0.5 s; --timeout S changes it)" in line


SLEEPS = """\
import time
import numpy as np
x = np.float16([0.01, 0.03]) + 1 - 1
time.sleep(0.01)
np.save("x.npy", x)
"""


def test_random_runs_that_take_long_are_fewer(command_with):
    """Not if their number or a limit on digits is given; at least four are made."""
    most = {f"{_testing.__name__}._MOST_SECONDS": 0.0, f"{_testing.__name__}._MOST_SHARE": 0.0}
    few = ["--no-trace", "--no-blame"]
    for options, total in (
        (few, 11),
        ([*few, "--samples", "5"], 12),
        ([*few, "--digits", "2"], 17),
    ):
        _, out, _ = command_with(most)(SLEEPS, *options)
        costs = out.splitlines()[-1]
        assert costs.startswith(f"{total} runs in ")
        assert ("4 runs round at random, and not 10" in costs) == (total == 11)
    most[f"{_testing.__name__}._MOST_SECONDS"] = 1000.0
    _, out, _ = command_with(most)(SLEEPS, *few)
    assert out.splitlines()[-1].startswith("17 runs in ")


# ------------------------------------------------------------------ what is stopped

#: Upward it takes long, and tells so in a file.
SLOW = """\
import os, time
import numpy as np
x = np.float16([0.01, 0.03]) + 1 - 1
if float(np.float16(1) / 3) > 0.3334:
    open(os.environ["MARK"], "w").close()
    time.sleep(60)
np.save("x.npy", x)
"""


def test_budget_gives_a_partial_report(command, monkeypatch, tmp_path):
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    begin = time.monotonic()
    status, out, err = command(SLOW, "--budget", "3", "--no-trace")
    lines = out.splitlines()
    assert lines[0].startswith("partial report: the budget of 3 s ended the test after ")
    assert status == 1 and "x.npy" in out and not err and time.monotonic() - begin < 50
    done, expected = map(int, re.search(r"after (\d+) of some (\d+) runs$", lines[0]).groups())
    assert 3 < done < expected and "blame: " not in out
    worst = next(line.split() for line in lines if line.startswith("worst"))
    assert {"rte", "rtz", "rtn"} <= set(worst)


def test_budget_that_ends_early(command):
    status, out, err = command("import time\ntime.sleep(60)\n", "--budget", "0.5")
    assert (status, out) == (2, "") and "the budget of 0.5 s ended before it did" in err
    with pytest.raises(SystemExit):
        from halfcl._command import main

        main(["stability", "--budget", "0", "x"])


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
def test_interrupt_gives_a_partial_report(tmp_path):
    """The first Ctrl-C ends the runs in other roundings, and the report has what is known."""
    mark, scratch = tmp_path / "mark", tmp_path.with_name(f"{tmp_path.name}-scratch")
    scratch.mkdir()
    (tmp_path / "program.py").write_text(SLOW)
    options = ["--allow-write", str(tmp_path / "mark"), "--no-trace", "program.py"]
    mark.touch()
    old = mark.stat().st_mtime_ns
    process = subprocess.Popen(
        [sys.executable, "-m", "halfcl", "stability", *options], cwd=tmp_path, text=True,
        env={**os.environ, "TMPDIR": str(scratch), "MARK": str(mark)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while mark.stat().st_mtime_ns == old and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(1)  # for the runs before and beside it
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out.startswith("partial report: Ctrl-C ended the test after ") and "x.npy" in out
    assert (process.returncode, err) == (1, "") and not list(scratch.iterdir())


# ------------------------------------------------------------------ distances


def test_infinities_and_numbers_have_distances_of_their_own():
    def output(*values, text=""):
        return Output((np.array(values, np.float16),), text)

    one, other = output(1, np.inf, 2), output(1 + 2**-9, 3, 2)
    result = Result("x", [("rte", one), ("rtp", other)], one)
    assert result.distances(one, other) == (2, 65536)
    assert result.distances(one, one) == (0, 0)
    nan = output(1, np.nan, 2)
    assert result.distances(nan, nan) == (0, 0) and result.distances(one, nan) == (0, 65536)
    assert result.distances(one, output(1, np.inf)) == (0, 65536)
    assert result.distances(one, None) == (0, 65536)


EIGHT = """\
import numpy as np
np.seterr(over="ignore")
x = np.linspace(0.01, 0.2, 20).astype(np.float16)
a = (1 + x) - 1
b = 1 - np.cos(x)
c = np.exp(x) - 1
d = np.sqrt(1 + x) - np.sqrt(1 - x)
e = (x * x + 1) - x * x * 2 - 1
f = np.log(1 + x * x)
g = np.exp(x * 60) * np.exp(x * 60)
h = (x + 3) * (x - 3) + 9
for n in "abcdefgh":
    np.save(n + ".npy", globals()[n])
"""


def test_each_result_has_its_line_to_blame(command):
    """Eight formulas have eight guilty lines, although one overflows."""
    status, out, _ = command(EIGHT, "--samples", "3")
    blamed = out[out.index("blame: ") :]
    assert status == 1 and "move 8 of 8 results that disagree" in blamed
    for line, name in enumerate("abcdefgh", 4):
        (row,) = [row for row in blamed.splitlines() if row.startswith(f"  {name}.npy: ")]
        assert row.split()[1] == f"program.py:{line}", row


# ------------------------------------------------------------------ options behind the program


def test_command_warns_of_options_behind_the_program(run_aside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text("import numpy as np\nprint(np.float16([1, 2]) / 3)\n")
    few = ["--samples", "0", "--no-trace", "program.py", "--html", "page.html"]
    status, out, err = run_aside("stability", *few)
    assert status == 0 and "stable: 2 numbers" in out and not Path("page.html").exists()
    assert err == (
        "halfcl stability: --html after program.py is passed to the program; write it before "
        "program.py\n"
    )


@pytest.mark.parametrize(
    ("source", "words", "warned"),
    [
        ("", ["--html", "page.html", "--digits=2"], ["--html", "--digits"]),
        ("", ["--html", "a", "--html", "b"], ["--html"]),
        ("add_argument('--html')", ["--html", "x", "--watch", "y"], ["--watch"]),
        ("", ["--help", "--mine", "html", "-m", "--"], []),
        ("", [], []),
    ],
)
@pytest.mark.parametrize("command_name", ["stability", "run"])
def test_warnings_of_options(command_name, source, words, warned, tmp_path, monkeypatch, capsys):
    import argparse

    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(f"{source}\n")
    parser = argparse.ArgumentParser()
    for option in ("--html", "--digits", "--watch", "--budget"):
        parser.add_argument(option)
    warn_of_passed_options(f"halfcl {command_name}", ["program.py", *words], parser)
    assert capsys.readouterr().err.splitlines() == [
        f"halfcl {command_name}: {option} after program.py is passed to the program; write it "
        "before program.py"
        for option in warned
    ]


def test_warnings_of_options_of_modules_and_folders(tmp_path, monkeypatch, capsys):
    """Files beside the program count as its own."""
    import argparse

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    parser = argparse.ArgumentParser()
    parser.add_argument("--html")
    (tmp_path / "package_of_options").mkdir()
    for name, text in (("__init__", ""), ("__main__", ""), ("options", "'--html'")):
        (tmp_path / "package_of_options" / f"{name}.py").write_text(text)
    for program in (["-m", "package_of_options"], ["package_of_options"]):
        warn_of_passed_options("halfcl stability", [*program, "--html", "x"], parser)
    assert capsys.readouterr().err == ""
    (tmp_path / "package_of_options" / "options.py").write_text("")
    warn_of_passed_options("halfcl stability", ["-m", "package_of_options", "--html"], parser)
    assert "--html after -m package_of_options is passed" in capsys.readouterr().err
    warn_of_passed_options("halfcl stability", ["-m", "no_such_module_here", "--html"], parser)
    warn_of_passed_options("halfcl stability", ["no_such_file.py", "--html"], parser)
