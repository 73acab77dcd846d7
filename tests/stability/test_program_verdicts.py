"""``python -m halfcl stability``: it calls a program stable only if all results were compared."""

import re
from pathlib import Path

import pytest
from command_line import MODES

from halfcl.stability._programs._analysis.texts import differing_lines, drop_lines

pytestmark = pytest.mark.once

#: The beginning of each program: it rounds, and x contains two results.
ROUNDS = "import numpy as np\nx = np.float16([1, 2]) / np.float16(3)\n"


def program_runner(run):
    """Return a function that tests a program which begins with `ROUNDS`.

    Most results are found alike in all modes: it runs to nearest and once upward.
    """

    def run_program(text, *options, **keywords):
        Path("program.py").write_text(ROUNDS + text, encoding="utf-8")
        keywords = {"modes": ("rte", "rtp"), **keywords}
        return run("stability", "--samples", "0", *options, "program.py", **keywords)

    return run_program


def numbers_of(out):
    """Return the number of elements of each result in the report's table."""
    lines = out[out.index("\nresult ") + 1 :].split("\n\n")[0].splitlines()[1:]
    rows = [re.match(r"(.+?)  +(\d+)  ", line) for line in lines]
    return {row[1]: int(row[2]) for row in rows}


# ------------------------------------------------------------------ the end of a run


def test_output_at_exit_is_compared(command):
    """Open files, finalised objects, atexit functions, threads, pools, and output of C."""
    pytest.importorskip("ctypes").CDLL(None)
    text = """
import atexit, ctypes, gzip, io, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

plain = open("open.csv", "w")
plain.write(f"{x[0]},{x[1]}")
packed = gzip.open("packed.csv.gz", "wt")
packed.write(f"{x[0]}")

class Own(io.FileIO):
    pass

own = io.BufferedWriter(Own("own.csv", "w"))
own.write(str(x[0]).encode())

class Result:
    def __init__(self, value):
        self.value, self.file = value, open("ended.csv", "w")
    def __del__(self):
        self.file.write(f"{self.value}")

cycle = Result(x[0])
cycle.own = cycle
atexit.register(lambda: np.save("exit.npy", x / np.float16(7)))

def generator():
    file = open("generator.csv", "w")
    try:
        yield
    finally:
        file.write(f"{x[0]}")  # modules keep their variables until then

waiting = generator()
next(waiting)

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
    assert numbers_of(out) == {
        "open.csv": 2, "ended.csv": 1, "exit.npy": 2, "thread.npy": 2, "output": 2,
        "generator.csv": 1, "packed.csv.gz": 1, "own.csv": 1,
    }  # fmt: skip


def test_atexit_functions_round_in_mode_of_run(command):
    text = "import atexit\natexit.register(lambda: np.save('x.npy', (1 + x / 512) - 1))\n"
    status, out, _ = command(text)
    assert status == 1 and "program.py:4" in out[out.index("blame: ") :]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y = (", "program.py:3: SyntaxError: '(' was never closed"),
        ("import part", "part.py:2: IndentationError: unexpected indent"),
        ("exec('y = (')", "program.py:3: SyntaxError: '(' was never closed"),
        ("np.random.default_rng(1).normal(scale=-1)", "program.py:3: ValueError"),
    ],
)
def test_errors_name_line_of_program(command, text, message):
    Path("part.py").write_text("y = 1\n  y\n")
    status, _, err = command(text)
    assert status == 2 and message in err


# ------------------------------------------------------------------ nothing is compared


#: Programs that output nothing that can be compared, and parts of the error.
NOTHING = [
    {
        "np.save('empty.npy', x[:0])": "empty.npy: it contains no numbers",
        "from halfcl import stability\nstability.watch('y', x[:0])": "y: it contains no numbers",
        "open('names.csv', 'w').write('a,b')": "names.csv: it contains no numbers",
        "import pickle\npickle.dump(x, open('x.pkl', 'wb'))": "x.pkl: its format is not read",
        "np.save('o.npy', x.astype(object))": "o.npy: it contains Python objects",
        "np.save('x.npy', x)\nopen('x.npy', 'r+b').truncate(130)": "x.npy: it is damaged",
    },
    {
        "print('done')": "output: it contains no numbers",
        "import sys\nprint(x, file=sys.stderr)": "standard error is not compared",
        "np.savez('x.npz')": "x.npz: its format is not read",
        "sys.exit(3)": "exit status: it is not a result",
    },
    {"print(object(), x)": "a path or an address on every line"},
]


@pytest.mark.parametrize("lines", NOTHING)
def test_output_without_numbers_is_an_error(command, lines):
    status, out, err = command("\n".join(lines))
    assert (status, out) == (2, "") and err.count("\n") == 1, out
    assert not [message for message in lines.values() if message not in err], err


def test_watched_variable_without_numbers_is_an_error(command):
    status, _, err = command("y = {}\nprint(x)", "--watch", "y", "--watch", "output")
    assert status == 2 and "--watch y: expected numbers" in err


def test_differing_words_are_unstable(command):
    status, out, _ = command("print('small' if x[0] < 0.3334 else 'large')", "--no-blame")
    assert status == 1 and "unstable: its words differ in rtp" in out


# ------------------------------------------------------------------ all of the result is compared


def test_formats_of_files(command):
    text = """
import json
record = np.zeros(2, [("a", "f2"), ("b", [("c", "f2", 2), ("name", "U3")])])
record["a"] = x
np.save("record.npy", record)
np.savez("mixed.npz", x=x, objects=np.array([None, {}], object), record=record)
with open("two.npy", "wb") as file:
    np.save(file, x)
    np.save(file, x * x)
json.dump({"mean": float(x[0]), "all": x.tolist()}, open("x.json", "w"))
np.savetxt("x.txt", x)
np.savetxt("x.tsv.gz", x, delimiter="\\t")
np.save("wide.npy", x.astype(np.float32))
open("latin.csv", "wb").write("gr\\xf6\\xdfe;1,5".encode("latin-1"))
"""
    status, out, err = command(text)
    assert status == 0, out + err
    assert numbers_of(out) == {
        "record.npy: a": 2, "record.npy: b, c": 4, "mixed.npz: x": 2, "mixed.npz: record, a": 2,
        "mixed.npz: record, b, c": 4, "two.npy": 2, "two.npy: 2": 2, "x.json": 3, "x.txt": 2,
        "x.tsv.gz": 2, "wide.npy": 2, "latin.csv": 2,
    }  # fmt: skip
    assert "wide.npy: is float32; operations in this type follow no rounding mode" in out
    assert "not compared" not in out  # all other files are equal in all runs


def test_results_with_one_name_are_all_compared(command):
    text = """
from halfcl import stability
stability.watch("output", (1 + x / 512) - 1)
open("output", "w").write(f"{x[0]}")
print(x)
"""
    status, out, _ = command(text, "--no-blame", "--watch", "output")
    assert status == 1 and numbers_of(out) == {
        "output": 1, "output, watched": 2, "output, printed": 2,
    }  # fmt: skip


def test_text_is_read_in_its_encoding(command):
    text = """
for encoding in ("utf-16", "utf-8-sig", "ascii"):
    with open(f"{encoding}.csv", "w", encoding=encoding) as file:
        file.write(f"x,{x[0]}\\n")
"""
    status, out, err = command(text)
    assert status == 0, out + err
    assert numbers_of(out) == {"utf-16.csv": 1, "utf-8-sig.csv": 1, "ascii.csv": 1}


def test_report_lists_numbers_below_smallest_half(command):
    """Numbers that are twice as large in some runs can agree in ulps of half."""
    text = "print(1e-12 * float(x[0] - np.float16(.333)), x)"
    options = ["--no-blame", "--samples", "4"]
    status, out, _ = command(text, *options)
    assert status == 0 and "output: 1 number smaller than all halves agree in no digit" in out


def test_numbers_after_long_output(command):
    text = "print('x' * (1 << 20))\nprint((1 + x / 512) - 1)"
    status, out, _ = command(text, "--no-blame")
    assert status == 1 and numbers_of(out) == {"output": 2}


def test_report_lists_differing_unread_files(command):
    text = """
import os, pickle
pickle.dump(x, open("x.pkl", "wb"))
pickle.dump(None, open("same.pkl", "wb"))
open("random.bin", "wb").write(b"\\0" + os.urandom(8))
np.savez("x.npz", objects=np.array([float(x[0]), None], object))
print(x)
"""
    status, out, _ = command(text, "--samples", "1")
    verdict = out.splitlines()[0]
    assert status == 0 and "2 numbers agree in all runs within 32 ulps, off by" in verdict
    assert verdict.endswith("; not compared: 3 results")
    assert "x.pkl: not compared: its format is not read; it differs in rtp, 1 run at random" in out
    assert (
        "x.npz: objects: not compared: it contains Python objects, not numbers; it differs" in out
    )
    assert "random.bin: not compared: its format is not read; it differs in two runs" in out
    assert "same.pkl" not in out
    status, _, err = command(text, "--watch", "x.pkl")
    assert status == 2 and "got another: its format is not read" in err


def test_report_lists_large_files_and_output(command_with):
    command = command_with({"halfcl.stability._programs._recording.numbers.MOST_BYTES": 200})
    text = "print(x[0], ' ' * 300, x)\nnp.save('x.npy', np.tile(x, 50))"
    status, out, _ = command(text)
    assert status == 0 and numbers_of(out) == {"output": 1}
    assert "the rest of output: not compared: " in out and "x.npy: not compared: " in out


def test_report_lists_large_figures(command_beside_figure):
    text = """
import matplotlib.pyplot as plt
from halfcl.stability._programs._recording import figures
figures._remaining = 5
plt.figure(); plt.plot(x)
plt.figure(); plt.plot(np.tile(x, 3))
plt.figure(); plt.plot(x)
"""
    _, out, _ = command_beside_figure(text, "--no-trace")
    assert numbers_of(out) == {"figure 1: line 1, y": 2, "figure 3: line 1, y": 2}
    assert "figure 2: not compared: figures show more than" in out


#: Names that differ from run to run, also to nearest.
CHANGING = ("f'x-{os.getpid()}.npy'", "f'{uuid.uuid4()}.npy'", "f'o/{time.time_ns()}_x.npy'")


def test_files_with_changing_names(command):
    """Such files are matched if two runs to nearest name them differently."""
    text = "import os, time, uuid\nos.makedirs('o', exist_ok=True)\n"
    options = ["--no-blame", "--no-trace"]
    saved = "".join(f"np.save({name}, x)\n" for name in CHANGING)
    status, out, err = command(text + saved, *options)
    assert status == 0 and list(numbers_of(out).values()) == [2, 2, 2], out + err
    losing = f"{text}x = (1 + x / 512) - 1\nnp.save({CHANGING[1]}, x)"
    _, out, _ = command(losing, *options, modes=MODES)
    assert out.startswith("program.py: unstable: 2 of 2 numbers")


def test_file_whose_name_depends_on_rounding(command):
    status, _, _ = command("np.save(f'{int(x[0] * 4096)}.npy', x)", "--no-blame")
    assert status == 1


# ------------------------------------------------------------------ lines that drop out


def test_only_lines_with_path_or_address_are_dropped(command):
    text = """
import json, tempfile
folder = tempfile.mkdtemp()
print("mean", (1 + x / 512) - 1)
print("saved to", folder, x[0])
print(object(), x[0])
print(np.tile(x, 20))
print("last", x[0] * 3)
json.dump({"folder": folder, "x": x.tolist()}, open("x.json", "w"))
"""
    status, out, _ = command(text, "--no-blame")
    assert status == 1 and numbers_of(out) == {"output": 43, "x.json": 2}
    assert "output: 2 lines left out, whose words differ in two runs to nearest" in out
    assert "'saved to " in out and "x.json: 1 line left out" in out


@pytest.mark.parametrize(
    ("one", "other", "lines"),
    [
        ("a \0\nb \0", "a \0\nb \0", set()),
        ("a \0\nat 0x7f \0\nb", "a \0\nat 0x8e \0\nb", {1}),
        ("a \0\n/x/y \0\nb", "a \0\n/x \0 \0\nb", {1}),  # a different number of words
        ("a \0\n\0 at p\nb \0", "a \0 \0 at q b \0", {1}),  # different ends of lines
        ("a at 0x7f0123 \0\nb \0", "a at 0x7f0123 \0\nb \0", {0}),  # equal by chance
        ("0x3555\nb", "0x3555\nb", set()),
        ("a\nb", "a b c", None),
    ],
)
def test_differing_lines(one, other, lines):
    result = differing_lines(one, other)
    assert result == lines
    if lines:
        kept, theirs = (drop_lines(one, result, text) for text in (one, other))
        assert kept[0].split() == theirs[0].split()
        assert kept[1].sum() == theirs[1].sum() == kept[0].count("\0")
        assert kept[1].size == one.count("\0") and theirs[1].size == other.count("\0")
