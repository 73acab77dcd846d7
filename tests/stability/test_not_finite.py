"""Records of what first made an infinity or a NaN, in reruns and in reports of programs."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import half, stability
from halfcl.stability._observing.libraries import is_to_show
from halfcl.stability._observing.nonfinite import NotFinite, NotFiniteRecorder

pytestmark = pytest.mark.once

INF = np.float16("inf")


def program_runner(run):
    """Return a function that tests a program with a given source, in few modes, without blame."""

    def run_program(text):
        Path("program.py").write_text(text, encoding="utf-8")
        usual = ("--samples", "0", "--no-blame", "--no-trace")
        return run("stability", *usual, "program.py", modes=("rte", "rtp"))

    return run_program


@pytest.mark.parametrize(
    ("operation", "operands", "reason", "text"),
    [
        ("cast", (-1e10,), "overflow", "overflow of a cast of -1e10"),
        ("cast", (70000,), "overflow", "overflow of a cast of 70000"),
        ("cast", (np.float32(1e30),), "overflow", "overflow of a cast of 1e30"),
        ("subtract", (INF, INF), "invalid", "inf - inf"),
        ("add", (INF, -INF), "invalid", "inf + (-inf)"),
        ("multiply", (np.float16(0), INF), "invalid", "0 * inf"),
        ("divide", (np.float16(1), np.float16(0)), "divide by zero", "1 / 0"),
        ("multiply", (np.float16(300), np.float16(300)), "overflow", "overflow of 300 * 300"),
        ("pow", (np.float16(0.1), np.float16(-9)), "overflow", "overflow of 0.1 ** -9"),
        ("log", (np.float16(0),), "divide by zero", "log of 0"),
        ("acos", (np.float16(2),), "invalid", "arccos of 2"),
        ("exp", (np.float16(12),), "overflow", "overflow of exp of 12"),
        ("fmod", (np.float16(1), np.float16(0)), "invalid", "fmod of 1 and 0"),
        ("add_reduce", (), "overflow", "overflow in a sum"),
        ("dot", (), "invalid", "NaN in a sum of products"),
        ("overflow encountered in exp", (), "overflow", "overflow encountered in exp"),
    ],
)
def test_words(operation, operands, reason, text):
    assert NotFinite("here", operation, operands, reason).text == text


def record_run(function, is_ignored=lambda frame: False):
    recorder = NotFiniteRecorder(lambda frame: frame.f_code.co_name, is_ignored)
    with hc.accelerated(), recorder.watching(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hc._core.Experiment("rte", not_finite=recorder.record).call(function, ())
    return recorder.records, [str(one.message) for one in caught]


def test_records_keep_the_first_operands_and_count():
    def work():
        for k in (0, 1, 2):
            np.log(np.array([1, 0, 0], np.float16))
            np.float16(300 + k) * np.full(3, 300, np.float16)

    records, messages = record_run(work)
    assert [(one.text, one.count) for one in records] == [
        ("log of 0", 3), ("overflow of 300 * 300", 3)
    ]  # fmt: skip
    assert {one.location for one in records} == {"work"}
    assert messages[:2] == ["divide by zero encountered in log", "overflow encountered in multiply"]


def test_wider_numbers_are_recorded_in_words_of_numpy():
    def work():
        x = np.exp(np.array([800.0]))
        return x - x

    records, messages = record_run(work)
    words = ["overflow encountered in exp", "invalid value encountered in subtract"]
    assert [one.text for one in records] == messages == words


def test_sums_are_recorded_once():
    def work():
        return np.full(10, 60000, np.float16).sum(), np.full(10, 60000, half).sum()

    records, _ = record_run(work)
    assert records and {one.reason for one in records} == {"overflow"}


def test_nan_that_becomes_an_integer_is_no_origin():
    assert record_run(lambda: np.array([np.nan]).astype(int))[0] == []


def test_ignored_exceptions_of_wider_numbers_stay_ignored():
    recorder = NotFiniteRecorder(lambda frame: "here", lambda frame: False)
    with np.errstate(all="ignore"), recorder.watching():
        np.log(np.zeros(2))
    with np.errstate(divide="raise"), recorder.watching(), pytest.raises(FloatingPointError):
        np.log(np.zeros(2))
    assert recorder.records == []


def test_warnings_stay_errors_where_the_program_asks_for_that():
    recorder = NotFiniteRecorder(lambda frame: "here", lambda frame: False)
    with recorder.watching(), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in log"):
            np.log(np.zeros(2))


# ---------------------------------------------------------------- rerun


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_rerun_shows_what_was_first_not_finite():
    def work(x):
        y = x * x
        return y - y

    result = stability.rerun(work, half([300, 1]))
    assert [one.text for one in result.not_finite] == ["overflow of 300 * 300", "inf - inf"]
    assert result.not_finite[0].location.expression == "x * x"
    assert "first not finite: overflow of 300 * 300 at test_not_finite.py:" in repr(result)
    assert "first not finite: log of 0" in repr(stability.rerun(np.log, half([0, 1])))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_rerun_of_scalars():
    def work(x):
        for _ in range(3):
            x = x * x
        return x

    result = stability.rerun(work, half(20))
    assert [one.text for one in result.not_finite] == ["overflow of 400 * 400"]
    assert stability.rerun(lambda x: x + np.inf, half([1, 2])).not_finite == ()
    assert "first not finite" not in repr(stability.rerun(np.exp, half([1, 2])))


# ---------------------------------------------------------------- programs

CROSS_ENTROPY = """
import warnings
import numpy as np
warnings.simplefilter("ignore")
z = np.array([-3, 0.5, 9, 12], np.float16)
t = np.array([0, 1, 1, 1], np.float16)
p = 1 / (1 + np.exp(-z))
loss = -(t * np.log(p) + (1 - t) * np.log(1 - p))
print(loss.mean())
"""

CAUSAL_MASK = """
import warnings
import numpy as np
warnings.simplefilter("ignore")
s = np.arange(9).reshape(3, 3).astype(np.float16)
for layer in range(3):
    s = s + np.triu(np.ones((3, 3), np.float16), 1) * -1e10
e = np.exp(s - s.max(axis=1, keepdims=True))
np.save("w.npy", e / e.sum(axis=1, keepdims=True))
"""

IN_FLOAT32 = """
import warnings
import numpy as np
warnings.simplefilter("ignore")
x = np.float16([300, 2]) / np.float16(3)
y = np.exp(x.astype(np.float32))
print((y - y).astype(np.float16))
"""

IN_THREAD = """
import threading
import warnings
import numpy as np
warnings.simplefilter("ignore")
results = []
def work():
    results.append(np.log(np.zeros(3)) + np.log(np.zeros(3, np.float16)))
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(np.float16(1) / np.float16(3), results[0])
"""


@one_in(2)
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (CROSS_ENTROPY, "np.log(1 - p))", "(log of 0)"),
        (CAUSAL_MASK, "* -1e10", "(overflow of a cast of -1e10, 3 times)"),
        (IN_FLOAT32, "y = np.exp", "(overflow encountered in exp)"),
        (IN_THREAD, "results.append", "(divide by zero encountered in log)"),
    ],
    ids=["cross entropy", "causal mask", "in float32", "in a thread"],
)
def test_report_names_the_line_and_the_operation(command, text, line, words):
    _, out, _ = command(text)
    title, first = out[out.index("what first made an infinity") :].splitlines()[:2]
    assert title == "what first made an infinity or a NaN, in the run to nearest:"
    number = next(k for k, source in enumerate(text.splitlines(), 1) if line in source)
    assert first.startswith(f"  program.py:{number}: ") and first.endswith(f"   {words}"), first


def test_infinities_on_the_way_to_finite_results_are_not_shown(command):
    text = "import numpy as np\nx = np.float16([1, 2, 3]) / 7\nprint(1 / np.exp(x * 100))\n"
    assert "an infinity or a NaN" not in command(text)[1]


# ---------------------------------------------------------------- what only shows results

#: Zero in some runs, and infinite or not.
ERRORS = """
import warnings
import matplotlib.pyplot as plt
import numpy as np
warnings.simplefilter("ignore")
x = np.linspace(0.1, 1, 30).astype(np.float16)
y = x / 7 * 7 - x
z = 1 / y
"""

SHOWN = (
    ERRORS.replace("import matplotlib.pyplot as plt\n", "")
    + """
print(y)                               # prints
print(f"{y}", repr(y))                 # prints
print(np.array2string(y))              # prints
np.save("z.npy", np.where(y > 0, 1, 2))  # compares
"""
)

DRAWN = (
    ERRORS
    + """
plt.scatter(x, z, c=y)                 # draws
plt.plot(x, z)                         # draws
plt.savefig("a.png")                   # draws
np.save("z.npy", np.where(y > 0, 1, 2))  # compares
"""
)


def comparisons_of(text, command):
    """Return the report's part on comparisons."""
    return command(text)[1].partition("comparisons of arrays")[2].partition("\n\n")[0]


def test_comparisons_to_print_are_no_branches(command):
    part = comparisons_of(SHOWN, command)
    assert "# compares" in part and "# prints" not in part


def test_comparisons_to_draw_are_no_branches(command_beside_figure):
    part = comparisons_of(DRAWN, command_beside_figure)
    assert "# compares" in part and "# draws" not in part


def test_library_that_shows_results_is_between_the_program_and_the_frame():
    """Code that such a library calls back is the program's again."""
    seen = {}

    def is_own(frame):
        return frame.f_code.co_filename == __file__

    def note(x):
        seen["print"] = is_to_show(sys._getframe(1), is_own)
        seen["own"] = is_to_show(sys._getframe(), is_own)
        return "x"

    np.array2string(np.array([1.5]), formatter={"float_kind": note})
    assert seen == {"print": True, "own": False}
    assert not is_to_show(None, is_own)
