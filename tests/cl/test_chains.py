"""Chains of else if, and of ?:, however long: what Python's elif does for each work-item."""

import gc
import random
import sysconfig
import tracemalloc

import numpy as np
import pytest
from exhaustive import either, shared_out

from halfcl import cl
from halfcl.cl._frontend.guards.nesting import DEEPEST, DEEPEST_BLOCKS

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

ITEMS = 48


class Writer:
    """A random function of a work-item's number, as OpenCL C and as Python."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.c, self.python = [], []
        self.loops = 0

    def line(self, indent, c, python):
        self.c.append(c)
        if python:
            self.python.append("    " * indent + python)

    def test(self):
        """A condition in both; some have effects, which are due only where they are reached."""
        k, m = self.random.randrange(8), self.random.randrange(2, 6)
        pick = self.random.randrange(6)
        if pick == 0:
            return f"(y = y + {m}) % {m + 1} == 0", f"(y := y + {m}) % {m + 1} == 0"
        if pick == 1:
            return f"x % 3 && (y = y + 1) % {m}", f"x % 3 and (y := y + 1) % {m}"
        if pick == 2:
            return (
                f"x > {40 * k} || !((x = x + {m}) & 1)",
                f"x > {40 * k} or not (x := x + {m}) & 1",
            )
        if pick == 3:
            return f"x % {m} == 0", f"x % {m} == 0"
        return f"(i & 7) == {k}", f"(i & 7) == {k}"

    def body(self, indent, depth, in_loop):
        self.python.append("    " * indent + "pass")
        for _ in range(self.random.randrange(1, 4)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent, depth, in_loop):
        a, b = self.random.randrange(1, 30), self.random.randrange(100)
        pick = self.random.random()
        if depth and pick < 0.35:
            self.chain(indent, depth - 1, in_loop)
        elif depth and pick < 0.5:
            self.loops += 1
            j = f"j{self.loops}"
            self.line(
                indent, f"for (int {j} = 0; {j} < {a % 5}; {j}++) {{", f"for {j} in range({a % 5}):"
            )
            self.body(indent + 1, depth - 1, True)
            self.line(indent, "}", "")
        elif pick < 0.6 and in_loop:
            word = self.random.choice(["break", "continue"])
            self.line(indent, f"{word};", word)
        elif pick < 0.65:
            self.line(indent, "return x + y;", "return x + y")
        elif pick < 0.8:
            self.choice(indent)
        else:
            self.line(indent, f"x = (x * {a} + {b}) & 1023;", f"x = (x * {a} + {b}) & 1023")

    def chain(self, indent, depth, in_loop):
        c, python = self.test()
        self.line(indent, f"if ({c}) {{", f"if {python}:")
        self.body(indent + 1, depth, in_loop)
        braces = ""
        for _ in range(self.random.choice([0, 1, 2, 3, 9])):
            c, python = self.test()
            brace = self.random.choice(["", "", "{ "])
            braces += " }" if brace else ""
            self.line(indent, f"}} else {brace}if ({c}) {{", f"elif {python}:")
            self.body(indent + 1, depth, in_loop)
        if self.random.random() < 0.5:
            self.line(indent, "} else {", "else:")
            self.body(indent + 1, depth, in_loop)
        self.line(indent, "}" + braces, "")

    def choice(self, indent):
        count = self.random.randrange(1, 6)
        tests = [self.test() for _ in range(count)]
        values = [self.random.randrange(500) for _ in range(count)]
        c = "".join(f"({t}) ? {v} : " for (t, _), v in zip(tests, values, strict=True))
        python = "".join(f"{v} if ({t}) else " for (_, t), v in zip(tests, values, strict=True))
        self.line(indent, f"x = {c}x + y;", f"x = {python}x + y")

    def function(self):
        while len(self.c) < 40:
            self.statement(1, 3, False)
        c = "\n".join(["int f(int i) { int x = i, y = 0;", *self.c, "return x * 7 + y; }"])
        python = ["def f(i):", "    x, y = i, 0", *self.python, "    return x * 7 + y"]
        namespace = {}
        exec("\n".join(python), namespace)
        return c, namespace["f"]


def run(source, items=ITEMS, check=False):
    """Return the value of f for each item."""
    out = np.zeros(items, np.int32)
    kernel = "kernel void k(global int *o) { int i = get_global_id(0); o[i] = f(i); }"
    cl.Program(f"{source}\n{kernel}").k(items, None, out, check=check)
    return out.tolist()


@shared_out
@pytest.mark.parametrize("seed", range(either(24, 8)))
def test_random_chains(seed):
    c, f = Writer(seed).function()
    assert run(c, check=seed % 8 == 0) == [f(i) for i in range(ITEMS)], c


def chain(count, leave="r = {}; "):
    """Each k of fewer than count takes its own branch."""
    branches = (f"if (i == {k}) {{ {leave.format(3 * k)} }}" for k in range(count))
    return " else ".join(branches)


def test_more_branches_than_may_nest():
    assert DEEPEST < 600
    wanted = [3 * i for i in range(600)] + [7] * 3
    assert run(f"int f(int i) {{ int r; {chain(600)} else r = 7; return r; }}", 603) == wanted
    assert DEEPEST_BLOCKS < 150
    wanted = [3 * i for i in range(150)] + [7] * 3
    assert run(f"int f(int i) {{ int r = 7; {chain(150)} return r; }}", 153) == wanted
    assert run(f"int f(int i) {{ {chain(150, 'return {};')} return 7; }}", 153) == wanted


def test_more_branches_in_a_loop():
    """Branches at multiples of 3 break, others continue; who takes none comes to the loop's end."""
    leave = "r = {}; if (i % 3) continue; break;"
    body = f"int r = 7, n; for (n = 0; n < 4; n++) {{ {chain(150, leave)} r += i; }}"
    wanted = [3 * i * 10 + (4 if i % 3 else 0) for i in range(150)]
    wanted += [(7 + 4 * i) * 10 + 4 for i in range(150, 160)]
    assert run(f"int f(int i) {{ {body} return r * 10 + n; }}", 160) == wanted


def test_more_choices_than_may_nest():
    text = "".join(f"i == {k} ? {3 * k} : " for k in range(600))
    wanted = [3 * k for k in range(600)] + [7] * 3
    assert run(f"int f(int i) {{ return {text} 7; }}", 603) == wanted


def test_choices_that_are_void():
    before = "void put(int *r, int value) { *r += value; }"
    text = "i == 0 ? put(&r, 1) : i == 1 ? put(&r, 2) : i == 2 ? (void)0 : put(&r, 4)"
    source = f"{before} int f(int i) {{ int r = 10; {text}; return r; }}"
    assert run(source, 4) == [11, 12, 10, 14]


def test_later_conditions_run_only_for_remaining_items():
    """Its read is out of bounds for the others."""
    source = "int f(int i) { int r = 0, t[2] = {5, 6}; %s return r; }"
    chosen = "if (i > 3) r = 1; else if (i > 1) r = 2; else if (t[i] == 6) r = 3; else r = 4;"
    assert run(source % chosen, 6) == [4, 3, 2, 2, 1, 1]
    assert run(source % "r = i > 3 ? 1 : i > 1 ? 2 : t[i] == 6 ? 3 : 4;", 6) == [4, 3, 2, 2, 1, 1]


def test_caches_do_not_keep_programs():
    """Caches do not grow by the program, each of which is tens of kilobytes."""
    # A free-threaded Python never frees names and constants of code.
    most = 6000 if sysconfig.get_config_var("Py_GIL_DISABLED") else 1000
    source = (
        "constant int t%d[2] = {1, %d}; kernel void k(global float *o) { o[0] += %d.5f + t%d[1]; }"
    )

    def build(numbers):
        for k in numbers:
            cl.Program(source % (k, k, k, k)).k(1, None, np.zeros(1, np.float32))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = build(range(5))
        assert build(range(5, 20)) - before < 15 * most
    finally:
        tracemalloc.stop()
