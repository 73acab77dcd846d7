"""``python -m halfcl run --compare``: times, calls and results of a program, plain and accelerated.

How runs are started, ended, and kept from the user's files is tested with `halfcl.stability`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine
from exhaustive import more

from halfcl._speedup.advising import advice
from halfcl._speedup.comparing import Call, Options, Report, fastest_totals
from halfcl._speedup.recording import Total, numpy_name
from halfcl._speedup.reporting import text
from halfcl.stability._programs._analysis.results import Output, Result

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="programs are run by forks"),
]


@pytest.fixture(scope="module")
def command_line():
    """Run a command in a small process of its own; return its status, output and errors."""
    with CommandLine() as run:
        yield run


@pytest.fixture
def compare(tmp_path, monkeypatch, command_line):
    """Return a function that compares the runs of a program with a given source."""
    monkeypatch.chdir(tmp_path)

    def run(source, *arguments, options=()):
        Path("program.py").write_text(source, encoding="utf-8")
        options = ("--compare", "--rounds", "1", *options)
        return command_line("run", *options, "program.py", *arguments)

    return run


@pytest.fixture
def report(compare):
    """Return a function that compares the runs of a program, and returns the report of JSON."""

    def run(source, *arguments, options=()):
        status, output, errors = compare(source, *arguments, options=("--json", *options))
        assert (status, errors) == (0, "")
        return json.loads(output)

    return run


def calls(report):
    """Return the number of calls by name and line, in the program's order."""
    return {(call["name"], call["line"]): call["calls"] for call in sorted_calls(report)}


def sorted_calls(report):
    return sorted(report["calls"], key=lambda call: (call["file"], call["line"], call["name"]))


KEY, OTHER = ("numpy.exp", "program.py", 3), ("numpy.exp", "program.py", 4)

# ------------------------------------------------------------------ the whole report

WHOLE = """\
import sys
import numpy as np
import module

x = np.linspace(0, 1, 1 << 16).astype(np.float16)
for _ in range(3):
    y = module.polynomial(x)
np.save("sums.npy", np.cumsum(y))
open("old.txt", "a").write("more")
print(sys.argv[1:], float(y[-1]), __name__)
"""
MODULE = """\
import numpy as np

def polynomial(x):
    y = x * x
    y += x @ x
    return np.exp(-y)
"""


def test_text(compare):
    """The calls of the program's own files are listed, and what the user has stays."""
    Path("module.py").write_text(MODULE)
    Path("old.txt").write_text("old")
    status, output, errors = compare(WHOLE, "--its", "5")
    assert (status, errors) == (0, "")
    head, plain, accelerated, _, columns, *rows = output.splitlines()
    assert head.startswith("program.py: ")
    assert plain.startswith("plain ") and accelerated.startswith("accelerated ")
    assert columns.split("  ")[0] == "call" and columns.endswith("ratio")
    names = {tuple(row.split()[:3]) for row in rows if row.startswith("numpy.")}
    assert {("numpy.multiply", "module.py:4", "3"), ("numpy.cumsum", "program.py:8", "1")} < names
    assert "results: 2 results with 65538 numbers, the same in both" in output.splitlines()
    assert sorted(os.listdir()) == ["module.py", "old.txt", "program.py"]
    assert Path("old.txt").read_text() == "old"


def test_numbers(report):
    """Times, sizes and types are those of the calls."""
    Path("module.py").write_text(MODULE)
    summary = report(WHOLE)
    assert summary["program"] == "program.py" and summary["rounds"] == 1
    assert summary["ratio"] == summary["plain_seconds"] / summary["accelerated_seconds"]
    (product,) = [call for call in summary["calls"] if call["name"] == "numpy.matmul"]
    assert (product["line"], product["calls"], product["elements"]) == (5, 3, 1 << 16)
    assert product["types"] == ["float16"] and os.path.isabs(product["file"])
    ratio = product["plain_ms"] / product["accelerated_ms"]
    assert product["ratio"] == pytest.approx(ratio, rel=1e-9)
    spent = sum(call["plain_ms"] for call in summary["calls"]) / 1e3
    assert 0 < spent < 20 * summary["plain_seconds"]
    weights = [max(call["plain_ms"], call["accelerated_ms"]) for call in summary["calls"]]
    assert weights == sorted(weights, reverse=True)


def test_accelerated_runs_are_faster(report):
    """A product in NumPy's loop takes hundreds of times as long."""
    summary = report(
        "import numpy as np\nx = np.ones((150, 150), np.float16)\nfor _ in range(3): x @ x\n"
    )
    assert summary["ratio"] > 2
    assert summary["calls"][0]["name"] == "numpy.matmul" and summary["calls"][0]["ratio"] > 2


def test_ten_calls_are_shown(compare):
    lines = "\n".join(f"np.exp(x[:{k}])" for k in range(1, 14))
    _, output, _ = compare(f"import numpy as np\nx = np.ones(20, np.float16)\n{lines}\n")
    rows = [line for line in output.splitlines() if line.startswith("numpy.")]
    assert len(rows) == 10
    (others,) = [line for line in output.splitlines() if line.startswith("others")]
    assert others.split()[1:4] == ["17", "places", "17"]


# ------------------------------------------------------------------ results


def test_differences_in_ulps(report):
    """NumPy's running sum stays at 2048; the exact one does not. Ten is an equal number."""
    summary = report(
        "import numpy as np\nx = np.cumsum(np.ones(3000, np.float16))\n"
        "print(x[-1], 'of', 10)\nnp.save('all.npy', x)\n"
    )
    results = {result["name"]: result for result in summary["results"]}
    assert results["output"]["numbers"] == 2 and results["output"]["differing"] == 1
    assert results["all.npy"]["differing"] == 3000 - 2049  # 2049 rounds to 2048
    assert results["output"]["ulps"] == results["all.npy"]["ulps"] == (3000 - 2048) / 2


def test_ulps_are_those_of_numbers_that_are_rounded(compare):
    """An index or a count has no ulps, in an array of integers or in a text; one ulp is no ulps."""
    source = (
        "import numpy as np\nx = np.cumsum(np.ones(3000, np.float16))\n"
        "index = np.searchsorted(x, np.float16([2050, 2500]))\n"
        "np.save('index.npy', index)\nnp.savetxt('index.txt', index, '%d')\n"
        "np.save('halves.npy', x[2049:2051])\nprint(float(x[-1]) / 64)\n"
    )
    _, output, _ = compare(source)
    lines = {line.split(":")[0]: line for line in output.splitlines()}
    assert "index.npy: 2 of 2 numbers differ: 2049 instead of 3000, 2498 instead of 3000" in output
    assert "index.txt: 2 of 2 numbers differ: 2049 instead of 3000, 2498 instead of 3000" in output
    assert lines["output"].startswith("output: 1 of 1 number differs, by up to 476 ulps of half: ")
    assert lines["halves.npy"].startswith("halves.npy: 2 of 2 numbers differ, by up to 2 ulps")
    _, output, _ = compare(source.replace("2049:2051", "2049:2050"))
    assert "halves.npy: 1 of 1 number differs, by up to 1 ulp of half: 2050 instead of" in output


def test_words_that_differ(report):
    """A program may print what it is computed by."""
    summary = report("import halfcl\nprint('fast' if halfcl.accelerated_ufuncs() else 'slow')\n")
    (output,) = summary["results"]
    assert output["difference"] == "it is 'fast', not 'slow'"


def test_random_numbers_are_not_blamed_on_acceleration(compare):
    source = (
        "import numpy as np\nx = np.float16(1) / 3\nprint(x, np.random.normal(size=3))\n"
        "np.save('r.npy', np.random.default_rng().normal(size=5))\n"
    )
    _, output, _ = compare(source)
    assert "results: 1 result with 1 number, the same in both" in output
    assert "output: 3 of 4 numbers not compared: plain runs differ already" in output
    assert "r.npy: not compared: plain runs differ from each other" in output
    _, alone, _ = compare("import numpy as np\nprint(np.random.normal(size=3))")
    assert "results: none could be compared" in alone.splitlines()
    _, output, _ = compare(source, options=("--seed", "0"))
    assert "results: 2 results with 9 numbers, the same in both" in output


def test_unread_files(compare):
    """Pictures and the like are compared as a whole."""
    source = (
        "import numpy as np\nx = np.cumsum(np.ones(3000, np.float16))\n"
        "open('same.bin', 'wb').write(bytes(4))\nopen('x.bin', 'wb').write(x.tobytes())\n"
    )
    _, output, _ = compare(source)
    assert "x.bin: differs accelerated; not compared number by number: " in output
    assert "same.bin" not in output


# ------------------------------------------------------------------ calls


def test_names_of_calls(report):
    """Functions, methods, operators and indices, however they are written."""
    summary = report(
        "import numpy as np\nfrom numpy import exp as e\n"
        "x = np.arange(6, dtype=np.float16).reshape(2, 3)\n"
        "f = getattr(np, 'log1p'); f(e(x))\n"
        "y = -x + (2 - x)\n"
        "y **= 2; y[0] -= 1\n"
        "x[x < 2] = 0\n"
        "abs(x), round(x[0, 0], 1), np.add.reduce(x), np.linalg.norm(x[0])\n"
        "(x\n   .sum(axis=0)\n   .max())\n"
    )
    assert calls(summary) == {
        ("numpy.arange", 3): 1, ("numpy.ndarray.reshape", 3): 1,
        ("numpy.exp", 4): 1, ("numpy.log1p", 4): 1,
        ("numpy.add", 5): 1, ("numpy.subtract", 5): 1, ("numpy.negative", 5): 1,
        ("numpy.ndarray.__getitem__", 6): 1, ("numpy.ndarray.__setitem__", 6): 1,
        ("numpy.power", 6): 1, ("numpy.subtract", 6): 1,
        ("numpy.less", 7): 1, ("numpy.ndarray.__setitem__", 7): 1,
        ("numpy.absolute", 8): 1, ("numpy.add.reduce", 8): 1, ("numpy.linalg.norm", 8): 1,
        ("numpy.ndarray.__getitem__", 8): 2, ("numpy.round", 8): 1,
        ("numpy.ndarray.sum", 10): 1, ("numpy.ndarray.max", 11): 1,
    }  # fmt: skip


def test_nested_calls_count_once(report):
    """A call inside another one counts with that; in recursion and generators each one counts."""
    summary = report(
        "import numpy as np\nx = np.float16([1, 2, 3])\n"
        "np.apply_along_axis(lambda v: np.exp(v) + 1, 0, x)\n"
        "def down(k):\n    return x if k == 0 else np.sqrt(down(k - 1))\n"
        "down(5)\n"
        "def roots():\n    for v in range(3):\n        yield np.cbrt(x)\n"
        "list(roots())\n"
    )
    assert calls(summary) == {
        ("numpy.float16", 2): 1, ("numpy.apply_along_axis", 3): 1,
        ("numpy.sqrt", 5): 5, ("numpy.cbrt", 9): 3,
    }  # fmt: skip


def test_calls_of_threads_and_after_errors(compare, report):
    source = (
        "import threading, numpy as np\nx = np.ones(100, np.float16)\n"
        "def work():\n    for _ in range(50):\n        np.exp(x)\n"
        "threads = [threading.Thread(target=work) for _ in range(3)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "try:\n    x + np.ones(7, np.float16)\nexcept ValueError:\n    np.sqrt(x)\n"
    )
    summary = calls(report(source))
    assert summary["numpy.exp", 5] == 150 and summary["numpy.sqrt", 11] == 1
    assert "The times of 4 threads add up." in compare(source)[1]


def test_modules_that_were_compiled_before(report):
    """Python's own copies of compiled modules are neither used nor changed."""
    Path("module.py").write_text(MODULE)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "."], check=True)
    (kept,) = Path("__pycache__").iterdir()
    before = kept.read_bytes()
    summary = calls(
        report("import module, numpy as np\nmodule.polynomial(np.ones(9, np.float16))\n")
    )
    assert summary["numpy.exp", 6] == 1
    assert kept.read_bytes() == before


def test_packages_and_code(command_line, tmp_path, monkeypatch):
    """Modules with relative imports and the code of -c are instrumented, too."""
    monkeypatch.chdir(tmp_path)
    Path("package").mkdir()
    Path("package/inner.py").write_text(MODULE)
    code = "import numpy as np\n{}polynomial(np.ones(9, np.float16))\n"
    Path("package/__main__.py").write_text("from . import inner\n" + code.format("inner."))
    options = ("run", "--compare", "--rounds", "1", "--json")
    module = json.loads(command_line(*options, "-m", "package")[1])
    assert (calls(module)["numpy.exp", 6], calls(module)["numpy.ones", 3]) == (1, 1)
    code = json.loads(command_line(*options, "-c", code.format("from package.inner import *\n"))[1])
    assert (calls(code)["numpy.exp", 6], calls(code)["numpy.ones", 3]) == (1, 1)


#: What Python does with expressions and statements that the instrumentation replaces or leaves.
SEMANTICS = '''\
"""Its docstring."""
from __future__ import annotations
import asyncio, inspect, sys, threading, warnings
from functools import lru_cache, partial
import numpy as np
from numpy import sum

class Base:
    def __init__(self, n: list[int] = [1][0]): self.n = n; self.__own = [1, 2, 3]
    def f(self): self.__own[0] += 1; self.n += 2; return self.__own[0] + self.n
class Derived(Base):
    def __init__(self): super().__init__(4)
    def f(self): return super().f() * 2
print(Derived().f(), __doc__, sys.argv[1:], __name__)

total = [0]
def visit(depth):
    if depth: total[0] += visit(depth - 1)
    else: total[0] = 100
    return depth
visit(4); print("the old value counts", total)
order = []
def note(x): order.append(x); return x
values = {1: 2}
values[note(1)] += note(5); values[note(2)] = note(6)
note(7) + note(8) * note(9); print(order, values)
a, i = [5, 6, 7], 0
a[i], i = i, a[i]
a[1:2] = [3, 4]; a[::2] += [1, 1] if False else []
print(a, i, a[-1:], a[slice(1, 2)])

def caller(): return inspect.currentframe().f_back.f_lineno
print(caller(), inspect.stack()[0].lineno)
def scope():
    q = 1; d = {}; q += 2; d["k"] = 1; d["k"] += 1
    return sorted(locals())
print(scope(), [name for name in globals() if "halfcl" in name])
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
print(deep(400), [*map(lambda k: k * 2, range(3))])

x = np.arange(12, dtype=np.float16).reshape(3, 4)
view = x[1:, ::2]; view += 1; x[..., None]; x[0, 1:3] = [7, 8]; x[x > 9] *= 2
y = x.copy(); y @= np.eye(4, dtype=np.float16); same = y; same -= 1
print(x.tolist(), same is y, y.sum(), ~np.array([1]), 1 < 2 < 3, (x < 3).any(), not x[0, 0])
match x[0].tolist():
    case [0.0, *rest] if rest[0] > 1: print("a list", rest)
match Derived():
    case Base(n=4): print("a class")
match {"k": 1}:
    case {"k": 1, **rest}: print("a mapping", rest)

async def numbers():
    for k in range(3): yield k + np.float16(1)
async def gather(): return [k async for k in numbers()]
print(asyncio.run(gather()))
def talk():
    answer = yield 1
    yield (yield answer + 1) * 2
talker = talk(); print(next(talker), talker.send(3), talker.send(5))
print([k := 3, k + 1], {**{"a": 1}}, f"{x[0, 0]:.2f} {'%d' % 3}", "%s" % (x[0],), b"%d" % 3)
pair = 1,; pair += 2,; text = "a"; text += "b"; text *= 2; print(pair, text)
one = {1}; alias = one; one |= {2}; print(alias)
n: list[int] = [3]; n[0]: int = 4; print(n, __annotations__)
def measure(x: np.ndarray[int], *, k: dict["a", 3] = None) -> list[5]: pass
print(measure.__annotations__)

for wrong in ("1 / 0", "np.ones(3) + np.ones(4)", "'a' + 1", "[][3]", "-{}", "None()"):
    try: eval(wrong)
    except Exception as error: print(type(error).__name__, error)
try:
    1 + \\
        None
except TypeError as error: print(error, error.__traceback__.tb_lineno)
class Deferred:
    __array_ufunc__ = None
    def __radd__(self, other): return "radd"
print(x + Deferred(), (x == None).any(), divmod(x[0], 3)[0], round(x[0, 1], 1), sum(x), max(1, 2))
print(np.vectorize(lambda v: v + 1)(x[0]), np.ma.masked_less(x, 3).mean())
print(partial(np.exp, x[0, :1])())
@lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(30), (lambda q, *r, **k: q[0] + len(r))([1], 2, *[3], z=4))
b = c = np.zeros(2); b[0] = c[1] = 3; del a[0]; print(b, a)
print(*[1, 2], sep="", **{"end": "!\\n"})
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    def warn(): warnings.warn("mind", stacklevel=2)
    warn()
print(caught[0].lineno, threading.current_thread().name)
exec("d = [1]; d[0] += 1; print(d)")
'''

#: Runs an instrumented program alone.
INSTRUMENT = """\
import sys
from halfcl._speedup.running import MeasuredRun
from halfcl.stability._programs._recording.places import Places
run = MeasuredRun(tuple(sys.argv[1:]), times_calls=True)
run.find_program(Places("line"))()
assert len(run._instrumentation.recorder.totals()) > 20
"""


def test_instrumented_program_does_the_same(tmp_path):
    """Order of evaluation, frames, scopes, annotations and errors stay Python's."""
    program = tmp_path / "program.py"
    program.write_text(SEMANTICS)
    ways = (["program.py", "an", "argument"], ["-c", INSTRUMENT, "program.py", "an", "argument"])
    outputs = []
    for way in ways:
        command = [sys.executable, *way]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout)
    assert outputs[0] == outputs[1] and len(outputs[0].splitlines()) > 30


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.exp, "numpy.exp"), (np.sum, "numpy.sum"), (np.zeros, "numpy.zeros"),
        (np.linspace, "numpy.linspace"), (np.fft.fft, "numpy.fft.fft"),
        (np.linalg.norm, "numpy.linalg.norm"), (np.ones(2).sum, "numpy.ndarray.sum"),
        (np.add.reduce, "numpy.add.reduce"), (np.float16, "numpy.float16"),
        (np.random.normal, "numpy.random.normal"), (np.random.seed, "numpy.random.seed"),
        (np.random.default_rng(0).normal, "numpy.random.Generator.normal"),
        (np.ma.ones(2).mean, "numpy.ma.MaskedArray.mean"), (np.ma.exp, "numpy.ma.exp"),
        (np.vectorize(len), "numpy.vectorize.__call__"), (np.frompyfunc(len, 1, 1), ""),
        (len, ""), ([].append, ""), (json.dumps, ""), (test_ten_calls_are_shown, ""), (dict, ""),
    ],
)  # fmt: skip
def test_name_of_function(function, name):
    assert numpy_name(function) == name


def test_name_of_objects_that_answer_everything():
    """Attributes of the program's objects are not read, which may run its code."""

    class Anything:
        def __getattr__(self, name):
            raise AssertionError(name)

        __call__ = None

    assert numpy_name(Anything()) == ""


def test_best_of_the_rounds():
    """Each call has its own best round."""
    second = {KEY: Total(2, 30, 4), OTHER: Total(1, 9)}
    best = fastest_totals([{KEY: Total(2, 50, 4)}, second, {KEY: Total(2, 40)}])
    assert (best[KEY].nanoseconds, best[KEY].elements, best[OTHER].nanoseconds) == (30, 4, 9)


def test_numbers_that_differ_in_any_plain_run_are_left_out():
    plain, again, third = (Output((np.array(x),)) for x in ([1.0, 2, 3], [1.0, 2, 3], [1.0, 5, 3]))
    pair = [("plain", plain), ("accelerated", Output((np.array([1.0, 7, 4]),)))]
    result = Result("x", pair, third, again)
    assert result.counted.tolist() == [True, False, True]
    assert [x > 0 for x in result.spread] == [False, False, True]
    assert Result("x", pair, again).counted.all()
    assert Result("x", pair, again, None).is_left_out


@pytest.mark.parametrize(("equal", "is_left_out"), [(0, True), (2, True), (20, False)])
def test_random_arrays_with_elements_that_are_equal_by_chance(equal, is_left_out):
    first, again = np.arange(1000.0), np.arange(1000.0) + 0.5
    again[:equal] = first[:equal]
    outputs = Output((first,)), Output((again,))
    assert (
        Result("x", [("a", outputs[0]), ("b", outputs[0])], outputs[1]).is_left_out == is_left_out
    )
    texts = Output((first,), "\0 " * 1000), Output((again,), "\0 " * 1000)
    result = Result("x", [("a", texts[0]), ("b", texts[0])], texts[1])
    assert result.is_left_out == (equal == 0)  # A text has numbers of several kinds.


# ------------------------------------------------------------------ advice


def call(name="numpy.exp", plain=1.0, accelerated=1.0, elements=1e6, types=("float16",)):
    """Return a call that gains nothing, unless arguments say otherwise."""
    return Call(name, "program.py", 7, 1, 1, plain, accelerated, elements, frozenset(types))


REPLACED = "NumPy's own code runs in both, since halfcl has none for this"


@pytest.mark.parametrize(
    ("gained", "reason"),
    [
        (call(), "NumPy is as fast here"),
        (call("numpy.ndarray.sum"), "NumPy is as fast here"),
        (call("numpy.add.reduce"), "NumPy is as fast here"),
        (call("numpy.take"), REPLACED),
        (call("numpy.ndarray.__getitem__"), REPLACED),
        (call(types=("float64", "int64")), "it computes with other types than float16"),
        (call(types=("half",)), "the arrays are of half, which halfcl computes in both"),
        (call(types=("float16", "float32")), "float16 meets a wider type here"),
        (call("numpy.ndarray.astype", types=("float16", "float32")), "NumPy is as fast here"),
        (call(types=()), "no arrays are computed"),
        (call(elements=20), "the arrays are small"),
        (call("numpy.matmul"), "with --inexact-products they are summed in float32"),
        (call("numpy.matmul", elements=5000), "NumPy is as fast here"),
        (call(accelerated=0.0), "only one of the two kinds of runs calls this"),
        (
            call(accelerated=2.0),
            "NumPy is faster here; a first call also loads what later ones need",
        ),
        (call(accelerated=0.8), None),
        (call(plain=0.001, accelerated=0.001), None),  # a share of the time that does not matter
    ],
)
def test_advice_on_a_call(gained, reason):
    half = call("numpy.sin", 10, 1)
    report = Report(Options(("program.py",)), {}, "", 12.0, 3.0, [half, gained])
    lines = advice(report, 10)
    if reason is None:
        assert lines == []
    else:
        (line,) = lines
        assert line.startswith(f"{gained.name} at program.py:7 gains nothing: ") and reason in line


def test_advice_on_a_call_that_leaves_half():
    """Its conversion may be faster; the program should still know that it left half precision."""
    leaving = call(plain=3.0, accelerated=2.0, types=("float16", "float32"))
    (line,) = advice(Report(Options(("program.py",)), {}, "", 3.0, 2.0, [leaving]), 10)
    assert line.startswith("numpy.exp at program.py:7 gains little: float16 meets a wider type")


def test_advice_joins_calls_with_one_reason():
    few = [call("numpy.take") for _ in range(5)]
    report = Report(Options(("program.py",)), {}, "", 5.0, 5.0, few)
    (line,) = advice(report, 10)
    assert " and 2 more gain nothing: " in line
    assert advice(report, 0) == []


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print(sum(k * k for k in range(1000)))", "no call of NumPy was seen"),
        ("import numpy as np\nx = np.ones(9)\nx + x", "no call on the program's lines computes "
         "with float16, but with float64"),
        ("import halfcl\nhalfcl.accelerate()\nimport numpy as np\nnp.ones(9, np.float16) + 1",
         "the program calls halfcl.accelerate() itself"),
        ("import numpy as np\nx = np.ones(9, np.float16) + 1\nfor k in range(3 * 10**5): k * k",
         "of the plain time passes outside of these calls"),
        ("import os\nif not os.fork(): os._exit(0)\nos.wait()", "its calls in other processes are "
         "not timed one by one"),
    ],
)  # fmt: skip
def test_advice_on_a_program(report, source, reason):
    (line,) = [line for line in report(source)["advice"] if reason in line]
    assert line


def test_program_that_cannot_be_instrumented(compare):
    """Times and results are there all the same."""
    status, output, _ = compare(
        "import numpy as np, builtins\nx = np.ones(3, np.float16) + 1\nprint(x)\n"
        "assert '__halfcl_call__' not in vars(builtins)\n"
    )
    assert status == 0 and "results: 1 result with 3 numbers, the same in both" in output
    assert "its calls could not be timed one by one: program.py:4: AssertionError" in (
        output.replace("\n  ", " ")
    )


# ------------------------------------------------------------------ failures

ONLY = "import halfcl\nif bool(halfcl.accelerated_ufuncs()) is {}:\n    raise ValueError('no')\n"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import sys\nprint('why', file=sys.stderr)\nsys.exit(3)\n",
         ["program.py: fails plain and accelerated: it ended with status 3", "",
          "standard error, plain:", "why"]),
        (ONLY.format(True), ["program.py: fails accelerated: program.py:3: ValueError: no",
                             "program.py: does not fail plain", "",
                             "standard error, accelerated:", "Traceback (most recent call last):"]),
        (ONLY.format(False), ["program.py: fails plain: program.py:3: ValueError: no",
                              "program.py: does not fail accelerated"]),
        ("x = (\n", ["program.py: fails plain and accelerated: program.py:1: "
                     "SyntaxError: '(' was never closed"]),
    ],
)  # fmt: skip
def test_failures(compare, source, lines):
    status, output, errors = compare(source)
    assert (status, errors) == (1, "")
    assert output.splitlines()[: len(lines)] == lines
    assert "child.py" not in output and "main_programs.py" not in output


def test_time_limit(compare):
    status, output, _ = compare("import time\ntime.sleep(60)\n", options=("--timeout", "0.3"))
    assert status == 1
    assert "fails plain and accelerated: it did not end within 0.3 s" in output


def test_failures_as_json(compare):
    status, output, _ = compare("raise SystemExit(4)\n", options=("--json",))
    why = "it ended with status 4"
    failures = {"plain": why, "accelerated": why}
    assert (status, json.loads(output)) == (1, {"program": "program.py", "failures": failures})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--compare"], "got nothing"),
        (["--compare", "-"], "which can be run several times, got standard input"),
        (["--compare", os.devnull], f"which can be run several times, got {os.devnull}"),
        (["--compare", "missing.py"], "No such file or directory: 'missing.py'"),
        (["--compare", "--unknown", "x.py"], "got --unknown; python's own options come before"),
        (["--compare", "--rounds", "0", "x.py"], "--rounds: expected a number from 1 to 10000"),
        (["--rounds", "2", "x.py"], "--rounds: expected --compare before it"),
        (["--json", "x.py"], "--json: expected --compare before it"),
        (["--compare=3", "x.py"], "--compare: ignored explicit argument '3'"),
    ],
)
def test_wrong_arguments(arguments, message, command_line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output, errors = command_line("run", *arguments)
    assert (status, output) == (2, "") and message in errors


# ------------------------------------------------------------------ the environment


@pytest.mark.parametrize(
    "case",
    [
        ([], "it is 'fast True', not 'slow False'"),
        *more((["--no-children"], "it is 'fast False', not 'slow False'")),
    ],
)
def test_input_and_children(case, tmp_path):
    """Each run reads the same input; children are accelerated as their parents are."""
    options, difference = case
    (tmp_path / "program.py").write_text(
        "import halfcl, subprocess, sys\nassert input() == '1'\n"
        "print('fast' if halfcl.accelerated_ufuncs() else 'slow', end=' ')\n"
        "code = 'import numpy, sys; print(\"halfcl\" in sys.modules)'\n"
        "print(subprocess.check_output([sys.executable, '-c', code], text=True))\n"
    )
    command = [sys.executable, "-m", "halfcl", "run", *options, "--compare", "--rounds", "1"]
    result = subprocess.run(
        [*command, "--json", "program.py"], input="1\n", capture_output=True, text=True,
        cwd=tmp_path, env=os.environ | ({} if options else {"HALFCL_ACCELERATE": "1"}),
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    (output,) = json.loads(result.stdout)["results"]
    assert output["difference"] == difference


def test_calls_that_differ_in_number(compare):
    """A sum that rounds differently may end a loop earlier."""
    status, output, _ = compare(
        "import numpy as np\nones = np.ones(3000, np.float16)\n"
        "for _ in range(int(np.cumsum(ones)[-1]) // 1000):\n    np.sqrt(ones)\n"
    )
    (row,) = [line for line in output.splitlines() if line.startswith("numpy.sqrt")]
    assert status == 0 and row.split()[1:5] == ["program.py:4", "2", "/", "3"]


@pytest.mark.parametrize(
    ("plain", "accelerated", "is_clear", "rounds", "verdict"),
    [
        (2.0, 0.5, True, 3, "accelerated 4.0 times as fast"),
        (2.0, 0.5, False, 3, "no clear difference, for runs of one kind often differ as much"),
        (0.002, 0.001, True, 3, "no clear difference, for runs of one kind often differ as much"),
        (0.02, 0.01, True, 1, "no clear difference, for runs of one kind often differ as much"),
        (0.02, 0.01, True, 3, "accelerated 2.0 times as fast"),
        (1.0, 2.0, True, 3, "accelerated 0.50 times as fast, which is slower"),
        (2.0, 1.99, True, 3, "as fast accelerated as plain"),
        (250.0, 1.0, True, 3, "accelerated 250 times as fast"),
    ],
)
def test_verdict(plain, accelerated, is_clear, rounds, verdict):
    options = Options(("program.py",), rounds=rounds)
    report = Report(options, {}, "", plain, accelerated, is_clear=is_clear)
    assert text(report).splitlines()[0] == f"program.py: {verdict}"
