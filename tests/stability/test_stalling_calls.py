"""Loops that call functions of the program: which are certain to stall, and which are not."""

import ast
import sys
import time
from pathlib import Path

import pytest

from halfcl.stability._programs import _testing
from halfcl.stability._programs._recording import stalls
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.purity import reads
from halfcl.stability._programs._running import launching

pytestmark = pytest.mark.once


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", *options, "program.py")

    return run_program


class Over(Exception):
    """Ends a program after its observation."""


def observe(setting, loop, tmp_path, mode="rte"):
    """Observe a loop in this process until that has ended, and return the answer."""
    file, answers = tmp_path / "program.py", []
    file.write_text(f"import numpy as np\nh = np.float16(0.0004)\n{setting}\nstart()\n{loop}\n")

    def report(answer):
        answers.append(answer)
        raise Over

    observation = stalls.Observation(Places("line"), mode, report)
    names = {"__name__": "__main__", "start": lambda: observation.start(sys._getframe(1))}
    before = sys.gettrace()
    try:
        sys.settrace(None)
        exec(compile(file.read_text(), file, "exec"), names)
    except Over:
        pass
    finally:
        sys.settrace(before)
    return answers[0]


#: A class whose method stalls.
CLOCK = """
class Clock:
    scale = np.float16(1)
    def __init__(self): self.h = h
    def rate(self, x): return self.scale * np.tanh(x) * 0 + 1
    def step(self, x):
        y = self.h * self.rate(x)
        return x + y
    def is_over(self, x): return x > 2
"""

#: Loops that are certain to stall: the setting before the loop, and the loop.
CERTAIN = {
    "pure": ("def step(x): return x + h", "while t < 2:\n    t = step(t)"),
    "locals and branches": (
        "def step(x):\n    y = x\n    for k in range(2):\n        if y > 0:\n            y += h\n"
        "    return y",
        "while t < 2:\n    t = step(t)",
    ),
    "a new array": (
        "def step(x):\n    k = np.zeros(2, np.float16)\n    k[0] = h\n    k += x\n"
        "    return k.max()",
        "while t < 2:\n    t = step(t)",
    ),
    "calls within calls": (
        "K = np.float16(1)\ndef f(x): return K * h * np.tanh(x)\n"
        "def step(x): return x + f(x)",
        "while t < 2:\n    t = step(t)",
    ),
    "a closure": (
        "def of(d):\n    def step(x): return x + d\n    return step\nstep = of(h)",
        "while t < 2:\n    t = step(t)",
    ),
    "in a condition": (
        "def done(x): return x > 2", "while not done(t):\n    t += h",
    ),
    "several values": (
        "def step(x, n): return x + h, n\nn = 3", "while t < n:\n    t, n = step(t, n)",
    ),
    "arrays": (
        "v = np.ones(3, np.float16); w = np.full(3, h)\ndef step(x): return x + w",
        "while v.max() < 2:\n    v = step(v)",
    ),
    "a function as an argument": (
        "def f(t, y): return y * 0\ndef rk2(g, t, y):\n    k = g(t, y)\n"
        "    return y + h * g(t + h, y + k)",
        "while t < 2:\n    t = rk2(f, t, t) + h",
    ),
    "harmless calls": (
        "import io\nseen = []; file = io.StringIO()\ndef log(x):\n    seen.append(x)\n"
        "    print(x, file=file)",
        "while t < 2:\n    t += h\n    log(t)\n    seen.append(t)",
    ),
    "a fixed sequence": (
        "def step(x, k): return x + k",
        "while t < 2:\n    for k in (h, h):\n        t = step(t, k)",
    ),
    "a method": (
        CLOCK + "clock = Clock()", "while t < 2:\n    t = clock.step(t)",
    ),
    "an inherited method": (
        CLOCK + "class Slow(Clock):\n    scale = np.float16(0.5)\nclock = Slow()",
        "while not clock.is_over(t):\n    t = clock.step(t)",
    ),
    "a method of an object's object": (
        CLOCK + "class Run:\n    def __init__(self): self.clock = Clock()\n"
        "    def step(self, x): return self.clock.step(x) + self.clock.h * 0\nrun = Run()",
        "while t < 2:\n    t = run.step(run.clock.step(t))",
    ),
    "its own method": (
        CLOCK + "class Run(Clock):\n    t = np.float16(1)\n    def run(self):\n"
        "        while self.t < 2:\n            self.t = self.step(self.t)",
        "Run().run()",
    ),
    "a method of a dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass Clock:\n    h: object\n"
        "    def step(self, x): return x + self.h\nclock = Clock(h)",
        "while t < 2:\n    t = clock.step(t)",
    ),
    "a method with an array": (
        "class Clock:\n    def __init__(self): self.v = np.full(2, h)\n"
        "    def step(self, x): return x + self.v.max()\nclock = Clock()",
        "while t < 2:\n    t = clock.step(t)",
    ),
}  # fmt: skip

#: Loops that look alike, and may go on: what repeats may change later.
UNCERTAIN = {
    "an attribute that changes": (
        CLOCK + "clock = Clock(); n = 0",
        "while t < 2:\n    t = clock.step(t)\n    n += 1\n    clock.h = h * (1 + n // 10**8)",
    ),
    "an attribute that another name changes": (
        CLOCK + "clock = Clock(); other = clock; n = 0",
        "while t < 2:\n    t = clock.step(t)\n    n += 1\n    other.h = h * (1 + n // 10**8)",
    ),
    "an attribute of an element": (
        CLOCK + "clock = Clock(); all_clocks = [clock]; n = 0",
        "while t < 2:\n    t = clock.step(t)\n    n += 1\n"
        "    all_clocks[0].h = h * (1 + n // 10**8)",
    ),
    "an attribute of its class": (
        CLOCK + "clock = Clock(); n = 0",
        "while t < 2:\n    t = clock.step(t)\n    n += 1\n    Clock.scale = 1 + n // 10**8",
    ),
    "an attribute that a function changes": (
        CLOCK + "clock = Clock()\ndef other(): setattr(clock, 'h', clock.h)",
        "while t < 2:\n    t = clock.step(t)\n    other()",
    ),
    "a method that is replaced": (
        CLOCK + "clock = Clock(); n = 0",
        "while t < 2:\n    t = clock.step(t)\n    n += 1\n    clock.step = clock.step",
    ),
    "a property": (
        "seen = []\nclass Clock:\n    @property\n    def h(self):\n        seen.append(1)\n"
        "        return h * (len(seen) > 10**8)\n    def step(self, x): return x + self.h\n"
        "clock = Clock()",
        "while t < 2:\n    t = clock.step(t)",
    ),
    "an operator": (
        "seen = []\nclass Clock:\n    def __radd__(self, x):\n        seen.append(1)\n"
        "        return x + h * (len(seen) > 10**8)\nclock = Clock()",
        "while t < 2:\n    t = t + clock",
    ),
    "an attribute that runs code": (
        "seen = []\nclass Clock:\n    def __getattr__(self, name):\n        seen.append(1)\n"
        "        return h * (len(seen) > 10**8)\n    def step(self, x): return x + self.h\n"
        "clock = Clock()",
        "while t < 2:\n    t = clock.step(t)",
    ),
    "a static method with a name of a pure function": (
        "seen = []\nclass Clock:\n    @staticmethod\n    def sum(x):\n        seen.append(1)\n"
        "        return x + h * (len(seen) > 10**8)\nclock = Clock()",
        "while t < 2:\n    t = clock.sum(t)",
    ),
    "an object as an argument": (
        CLOCK + "clock = Clock(); n = 0\ndef step(c, x): return x + c.h",
        "while t < 2:\n    t = step(clock, t)\n    n += 1\n    clock.h = h * (1 + n // 10**8)",
    ),
    "an object in a variable of the method": (
        CLOCK + "class Run:\n    def __init__(self): self.clock = Clock()\n"
        "    def step(self, x):\n        c = self.clock\n        return x + c.h\n"
        "run = Run(); clock = run.clock; n = 0",
        "while t < 2:\n    t = run.step(t)\n    n += 1\n    clock.h = h * (1 + n // 10**8)",
    ),
    "an array of an object": (
        "class Clock:\n    def __init__(self): self.v = np.full(2, h)\n"
        "    def step(self, x): return x + self.v[0]\nclock = Clock(); v = clock.v; n = 0",
        "while t < 2:\n    t = clock.step(t)\n    n += 1\n    v[0] = h * (1 + n // 10**8)",
    ),
    "an array that a method changes": (
        "class Clock:\n    def __init__(self): self.v = np.zeros(2, np.float16)\n"
        "    def step(self, x):\n        v = self.v\n        v += np.float16(1e-7)\n"
        "        return x + h * (v[0] > 1)\nclock = Clock()",
        "while t < 2:\n    t = clock.step(t)",
    ),
    "a global": (
        "n = 0\ndef step(x):\n    global n\n    n += 1\n    return x + h * (n > 10**6)",
        "while t < 2:\n    t = step(t)",
    ),
    "a changed global": (
        "K = 0\ndef step(x): return x + K\ndef other():\n    global K\n    K = 0",
        "while t < 2:\n    t = step(t)\n    other()",
    ),
    "an attribute": (
        "class C: n = 0\ndef step(x):\n    C.n += 1\n    return x + (C.n > 10**6)",
        "while t < 2:\n    t = step(t)",
    ),
    "random numbers": (
        "rng = np.random.default_rng(1)\ndef step(x): return x + h * (rng.random() > 1 - 1e-9)",
        "while t < 2:\n    t = step(t)",
    ),
    "a list that grows": (
        "seen = []", "while t < 2:\n    t += h\n    seen.append(t)\n    if len(seen) > 10**8:\n"
        "        break",
    ),
    "an array changed in place": (
        "v = np.zeros(1, np.float16)\ndef step(x): return x + h * v[0]\n"
        "def other(a): a += 0",
        "while t < 2:\n    t = step(t)\n    other(v)",
    ),
    "an array behind another name": (
        "v = np.zeros(1, np.float16); w = v[:]\ndef step(x): return x + h * v[0]",
        "while t < 2:\n    t = step(t)\n    w[0] = 0",
    ),
    "an array that is written to": (
        "v = np.zeros(1, np.float16)\ndef step(x): return x + h * v[0]",
        "while t < 2:\n    t = step(t)\n    np.multiply(v, 1, out=v)",
    ),
    "an index that moves": (
        "v = np.ones(3000, np.float16); k = 0\ndef step(x): return x + h",
        "while v[0] < 2:\n    k += 1\n    v[k % 3000] = step(v[0])",
    ),
    "a generator": (
        "def numbers():\n    while True:\n        yield h\nall_numbers = numbers()",
        "while t < 2:\n    for k in all_numbers:\n        t = t + k\n        break",
    ),
    "an iterator that ends": (
        "numbers = iter(range(10**8))",
        "while t < 2:\n    t += h\n    try:\n        next(numbers)\n    except StopIteration:\n"
        "        break",
    ),
    "an exit": (
        "import sys\nn = 0", "while t < 2:\n    t += h\n    n += 1\n    if n > 10**8:\n"
        "        sys.exit()",
    ),
    "a function that ends the program": (
        "import sys\nseen = []\ndef log(x):\n    seen.append(x)\n    if len(seen) > 10**8:\n"
        "        sys.exit()",
        "while t < 2:\n    t += h\n    log(t)",
    ),
    "a default that changes": (
        "def step(x, seen=[]):\n    seen.append(1)\n    return x + h * (len(seen) > 10**8)",
        "while t < 2:\n    t = step(t)",
    ),
    "a method": (
        "class Clock:\n    n = 0\n    def step(self, x):\n        self.n += 1\n"
        "        return x + h * (self.n > 10**8)\nclock = Clock()",
        "while t < 2:\n    t = clock.step(t)",
    ),
    "a decorator": (
        "class Counted:\n    def __init__(self, f): self.f, self.n = f, 0\n"
        "    def __call__(self, x):\n        self.n += 1\n        return self.f(x)\n"
        "@Counted\ndef step(x): return x + h",
        "while t < 2:\n    t = step(t)",
    ),
    "another function later": (
        "def step(x): return x + h\ndef other(x): return x + 1\nn = 0",
        "while t < 2:\n    n += 1\n    t = step(t)\n    step = step if n < 10**8 else other",
    ),
    "an impure function as an argument": (
        "seen = []\ndef f(y):\n    seen.append(y)\n    return h * (len(seen) > 10**8)\n"
        "def step(g, y): return y + g(y)",
        "while t < 2:\n    t = step(f, t)",
    ),
    "an argument that is replaced": (
        "seen = []\ndef f(y):\n    seen.append(y)\n    return h * (len(seen) > 10**8)\n"
        "def g(y): return y * 0\ndef step(g, y):\n    g = f\n    return y + g(y)",
        "while t < 2:\n    t = step(g, t)",
    ),
    "an argument": (
        "def step(x, f): return f(x)\nfunctions = [lambda x: x + h]",
        "while t < 2:\n    t = step(t, functions[0])",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def observe_few_lines(monkeypatch):
    monkeypatch.setattr(stalls, "SECONDS", 60.0)
    monkeypatch.setattr(stalls, "_MOST_LINES", 900)
    monkeypatch.setattr(stalls, "_CERTAIN_PASSES", 50)


@pytest.mark.parametrize("loop", CERTAIN)
def test_loops_of_pure_functions_are_certain_to_stall(loop, tmp_path):
    setting, text = CERTAIN[loop]
    setting = f"t = np.float16(1)\n{setting}"
    answer = observe(setting, text, tmp_path)
    assert answer.is_certain and "stays" in answer.note
    answer = observe(setting, text, tmp_path, "random")
    assert not answer.is_certain


@pytest.mark.parametrize("loop", UNCERTAIN)
def test_loops_that_may_go_on_are_not_certain(loop, tmp_path):
    setting, text = UNCERTAIN[loop]
    answer = observe(f"t = np.float16(1)\n{setting}", text, tmp_path)
    assert not answer.is_certain


def test_variables_of_code():
    code = "a.b + f(c, k=d)[e] * g.max() + sum(v * w for v in x.y) + np.exp(z)"
    assert reads(ast.parse(code, mode="eval")) == {
        "a.b", "c", "d", "e", "g", "w", "x.y", "np", "z",
    }  # fmt: skip


@pytest.mark.skipif(stalls.SIGNAL is None, reason="the system has no such signal")
def test_program_whose_function_stalls_is_stopped(command_with, tmp_path):
    """The function lies in another module of the program."""
    command = command_with({f"{launching.__name__}._FIRST_QUESTION": 0.2})
    (tmp_path / "steps.py").write_text(
        "import numpy as np\n\ndef step(t):\n    return t + np.float16(0.0004)\n"
    )
    begin = time.monotonic()
    text = "import numpy as np, steps\nt = np.float16(0)\nwhile t < 2:\n    t = steps.step(t)\n"
    status, _, err = command(text)
    assert status == 2 and time.monotonic() - begin < _testing.FIRST_LIMIT / 4
    assert "program.py: it does not end; it stalls at program.py:4: t = steps.step(t)" in err
