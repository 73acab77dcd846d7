"""``python -m halfcl stability``: a program is called stable where its results were compared."""

from pathlib import Path

import pytest

from halfcl._command import main

pytestmark = pytest.mark.once

#: What each program begins with: it rounds, and x holds two results.
ROUNDS = "import numpy as np\nx = np.float16([1, 2]) / np.float16(3)\n"


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Tests a program that begins with `ROUNDS`: the status, and what was said."""
    monkeypatch.chdir(tmp_path)

    def run(text, *options):
        Path("program.py").write_text(ROUNDS + text, encoding="utf-8")
        status = main(["stability", "--samples", "1", *options, "program.py"])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def numbers_of(out):
    """How many numbers each result has, by the report's table."""
    lines = out[out.index("\nresult ") + 1 :].split("\n\n")[0].splitlines()[1:]
    rows = [line.rsplit(maxsplit=5) for line in lines]
    return {row[0]: int(row[1]) for row in rows}


# ------------------------------------------------------------------ the end of a run


def test_what_python_writes_at_its_end_is_compared(command):
    """Files that nobody closes, objects that end, functions at exit, threads, pools, C's output."""
    pytest.importorskip("ctypes").CDLL(None)
    text = """
import atexit, ctypes, gzip, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

plain = open("open.csv", "w")
plain.write(f"{x[0]},{x[1]}")
packed = gzip.open("packed.csv.gz", "wt")
packed.write(f"{x[0]}")

class Result:
    def __init__(self, value):
        self.value, self.file = value, open("ended.csv", "w")
    def __del__(self):
        self.file.write(f"{self.value}")

cycle = Result(x[0])
cycle.own = cycle
atexit.register(lambda: np.save("exit.npy", x / np.float16(7)))

def work():
    time.sleep(0.05)
    np.save("thread.npy", x)

threading.Thread(target=work).start()
pool = ThreadPoolExecutor(1)
pool.submit(print, "from a pool", x[0])
ctypes.CDLL(None).printf(b"from C %f\\n", ctypes.c_double(float(x[0])))
sys.exit(0)
"""
    status, out, err = command(text)
    assert status == 0, err
    found = numbers_of(out)
    assert {"open.csv": 2, "ended.csv": 1, "exit.npy": 2, "thread.npy": 2, "output": 2}.items() <= (
        found.items()
    )


def test_functions_at_exit_round_in_the_run_s_mode(command):
    text = "import atexit\natexit.register(lambda: np.save('x.npy', (1 + x / 512) - 1))\n"
    status, out, _ = command(text)
    assert status == 1 and "program.py:4" in out[out.index("blame: ") :]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("y = (", "program.py:3: SyntaxError: '(' was never closed"),
        ("import part", "part.py:2: IndentationError: unexpected indent"),
        ("exec('y = (')", "program.py:3: SyntaxError: '(' was never closed"),
        ("np.random.default_rng(1).normal(scale=-1)", "program.py:3: ValueError"),
    ],
)
def test_errors_name_the_program_s_line(command, text, told):
    Path("part.py").write_text("y = 1\n  y\n")
    status, _, err = command(text)
    assert status == 2 and told in err
