"""Places that a reference run does not follow: which results they touch."""

import os
from pathlib import Path

import numpy as np
import pytest

from halfcl.stability._programs._analysis.outputs import Output, output_of_text
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._analysis.touching import mark_later, mark_moved
from halfcl.stability._programs._recording.numbers import FileContents
from halfcl.stability._programs._reference.probing import Mover
from halfcl.stability._programs._reference.written import Written
from halfcl.stability._programs._running.child import Outcome

pytestmark = pytest.mark.once


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        options = ("--samples", "0", "--no-blame", "--no-trace", *options)
        return run("stability", *options, "program.py", modes=("rte", "rtp"))

    return run_program


#: A program with functions of halves at lines 7 and 10; FORKS is the end of it, with forks.
NUMBERS = """\
import numpy as np
import halfcl as hc
from halfcl.stability import watch
x = np.array([1, 2, 3], np.float16) / np.float16(7)
print("before", (1 + x) - 1)
np.save("before.npy", x)
y = np.nextafter(x, np.float16(9))
watch("leaked", y * 3)
watch("free", np.exp(x) - 1)
z = np.spacing(hc.nextup(x * 0 + 1))
watch("cancelled", (z - y) + y)
watch("both", np.concatenate([x, y]))
watch("decision", float(y[0] > 0.1) + x[0])
watch("other way", float(y[0] > 0.1429) + x[0])
print("y", y[0], "x", x.sum())
np.savez("all.npz", x=x, z=z)
"""
FORKS = """\
import multiprocessing
def step(x):
    return np.nextafter(x, np.float16(9))
with multiprocessing.get_context("fork").Pool(1) as pool:
    watch("of fork", pool.apply(step, (x,)))
"""


def decisions(out):
    """Return what decides on each result by the table of a report."""
    lines = out.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("result "))
    assert lines[start].endswith("decided by")
    rows = lines[start + 1 : lines.index("", start)]
    column = lines[start].index("not stable") + len("not stable")
    words = [lines[start].split("  ")[0]]
    assert words == ["result"]
    return {row[: row.index("  ")]: row[column:].strip() for row in rows}


def test_functions_of_halves_touch_what_depends_on_them(command):
    has_forks = hasattr(os, "fork")
    _, out, _ = command(NUMBERS + FORKS * has_forks)
    own = {"of fork": "spread"} if has_forks else {}
    assert decisions(out) == own | {
        "before.npy": "reference", "all.npz: x": "reference", "all.npz: z": "spread",
        "leaked": "spread", "free": "reference", "cancelled": "spread", "decision": "reference",
        "both": "spread for 3 of 6", "other way": "spread", "output": "spread for 1 of 5",
    }  # fmt: skip
    follows = "so the spread decides on results that may depend on it"
    places = [(7, "numpy.nextafter"), (10, "halfcl.nextup"), (10, "numpy.spacing")]
    places += [(19, "numpy.nextafter")] if has_forks else []
    for line, name in places:
        where = f"the reference is not followed at program.py:{line}"
        assert f"{where}, {follows}: {name} needs halves" in out


#: A program that uses bits at line 9, and computes in half at line 10.
BITS = """\
import numpy as np
from halfcl.stability import watch

x = np.array([1, 2, 3], np.float16) / np.float16(7)
print("before", (1 + x) - 1, end=" ")
np.save("before.npy", x)
np.save("changed.npy", x)
watch("twice", x)
bits = x.view(np.uint16)
watch("halves", np.array([1, 2], "f" + str(2)) / 3)
watch("twice", 2 * x)
watch("later", 3 * x)
np.save("changed.npy", 4 * x)
np.save("after.npy", x)
print("after", x)
"""


def test_what_is_written_later_is_touched(command):
    _, out, _ = command(BITS)
    assert "not followed at program.py:9, so the spread decides on results that may" in out
    assert (
        "program.py:10, so the spread decides on results that may depend on it: it computes" in out
    )
    assert decisions(out) == {
        "halves": "spread",
        "before.npy": "reference", "changed.npy": "spread", "after.npy": "spread",
        "twice": "spread for 3 of 6", "later": "spread", "output": "spread for 3 of 6",
    }  # fmt: skip


#: Doubles that are taken for halves: the words before that are compared with the reference.
QUESTION = """\
import numpy as np
from halfcl.stability import watch
x, y = np.float16([1, 2, 3]) / np.float16(7), np.float64(0.1)
watch("before", x)
print("half" if isinstance(y, np.float16) else "wide", x)
watch("after", x)
"""


def test_what_is_written_before_a_question_is_untouched(command):
    _, out, _ = command(QUESTION)
    assert "not followed at program.py:5" in out
    assert decisions(out) == {"before": "reference", "after": "spread", "output": "spread"}


# ------------------------------------------------------------------ parts


def test_probes_move_each_number_both_ways():
    x = np.concatenate([np.linspace(-3, 3, 300), [0.0, 65503.0]])
    ulps = np.maximum(2.0 ** (np.frexp(np.abs(x) + 2.0**-24)[1] - 11), 2.0**-24)
    for name, at_least in (("nextafter", ulps), ("spacing", np.abs(x) / 2)):
        low, high = np.sort([Mover(direction).move(x, name) for direction in (1, -1)], axis=0)
        assert (low <= x - at_least).all() and (x + at_least <= high).all()
        assert np.unique((high - x) / ulps).size > 250  # no two numbers move alike
    nans = Mover(1).move(np.array([np.nan, np.inf]), "nextup")
    assert np.isnan(nans[0]) and np.isinf(nans[1])
    assert Mover(1).move(np.empty((0, 2)), "nextup").shape == (0, 2)


def test_moved_numbers_are_those_with_other_bits():
    one = {"x": Output((np.array([1.0, np.nan, 0.0, 2.0]),)), "gone": Output((np.ones(2),))}
    same = {"x": Output((np.array([1.0, -np.nan, 0.0, 2.0]),)), "gone": Output((np.ones(2),))}
    other = {"x": Output((np.array([1.0, np.nan, -0.0, 2.0]),))}
    marked = mark_moved(one, [same, other])
    assert marked["x"].touched.tolist() == [False, False, True, False]
    assert marked["gone"].touched.tolist() == [True, True]
    words = {"out": output_of_text("a 1 b 2")}, {"out": output_of_text("a 1 c 2")}
    assert mark_moved(words[0], [words[1]])["out"].touched.all()


def test_numbers_of_one_name_keep_their_kinds():
    """A file and a watched result may have the name of standard output."""
    files = FileContents({"x": np.ones(2), "y.npz: a": np.ones(1)}, {"output": "1 2 3"})
    outcome = Outcome(watched={"x": [np.ones(2)] * 2}, printed="4 5", files=files, status=3)
    written = Written({"x": 1}, 1, {"y.npz": b""})
    from halfcl.stability._programs._analysis.results import collect_outputs

    outputs = collect_outputs(outcome)
    marked = mark_later(outputs, outcome, written, lambda x: x)
    assert {name: (~output.touched).sum().item() for name, output in marked.items()} == {
        "x": 0, "y.npz: a": 1, "output": 0, "x, watched": 2, "output, printed": 1, "exit status": 0,
    }  # fmt: skip


def test_words_of_a_touched_result_are_no_difference():
    first, reference = output_of_text("a 1 b 2"), output_of_text("a 1 c 2")
    result = Result("out", [("rte", first), ("rtz", first)], first)
    result.compare_with(reference)
    assert result.reference_difference and result.decided_by == "reference"
    touched = {"out": reference}
    result = Result("out", [("rte", first), ("rtz", first)], first)
    result.compare_with(mark_moved(touched, [{}])["out"])
    assert not result.reference_difference and result.decided_by == "spread" and result.is_stable
