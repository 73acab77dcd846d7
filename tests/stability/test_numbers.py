"""Numbers and texts that become halves in whole programs: equal ones stay equal, all are blamed."""

import re
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, stability

pytestmark = pytest.mark.once


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", "--samples", "3", "--no-trace", *options, "program.py")

    return run_program


#: Texts are read at lines 5, 7 and 10; random runs and the search for blame look numbers up again.
PROGRAM = """\
import io, threading
import numpy as np
from halfcl.stability import watch
table = {np.float16(0.1): 1.0, np.float16(1 / 3): 2.0}
steps = np.array(["0.1", "0.3"], dtype="f2")
def read():
    return np.loadtxt(io.StringIO("1001.1 1000.3"), dtype="f2")
values = read()
watch("found", table[np.float16(0.1)] + table[np.float16(1 / 3)] * (steps[0] == np.float16("0.1")))
cast = np.array(["1001.1", "1000.3"]).astype("f2")
watch("read", values[0] - values[1])
watch("cast", cast[0] - cast[1])
thread = threading.Thread(target=lambda: watch("in thread", table[np.float16(0.1)]))
thread.start()
thread.join()
"""


def test_texts_are_blamed_and_equal_numbers_are_equal(command):
    status, out, err = command(PROGRAM)
    assert status == 1, (out, err)
    assert "it fails" not in out and "KeyError" not in out
    assert re.search(r"^found +1 .* 0$", out, re.MULTILINE)
    assert re.search(r"^in thread +1 .* 0$", out, re.MULTILINE)
    assert re.search(r"read: .*program\.py:7 ", out) and re.search(r"cast: .*program\.py:10 ", out)
    exact = {m[1]: float(m[2]) for m in re.finditer(
        r"^(read|cast)\[0\] .* (\S+) +\S+ +\S+ +\S+$", out, re.MULTILINE)}  # fmt: skip
    assert exact == {"read": 0.8, "cast": 0.8}  # the reference keeps the texts' numbers


def test_reruns_round_equal_literals_alike():
    """Functions look numbers up, too."""

    def f(x):
        table = {half(0.1): x, np.float16(0.3): x}
        return table[half(0.1)] + (table[np.float16(0.3)] == x) * np.float16(0.2)

    with hc.accelerated():
        report = stability.rerun(f, half([1, 2, 3]), samples=12, rng=1)
    assert len({x.tobytes() for x in report.samples}) > 1
    assert all((np.asarray(x) > 0).all() for x in report.samples)
