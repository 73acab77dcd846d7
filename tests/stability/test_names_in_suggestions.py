"""Suggestions use the program's own names, and say what it has to import."""

import ast
from pathlib import Path

import numpy as np
import pytest

from halfcl.stability._programs import _functions
from halfcl.stability._programs._rewriting import formulas
from halfcl.stability._programs._rewriting.exact import evaluate
from halfcl.stability._programs._rewriting.sources import Source

pytestmark = pytest.mark.once


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", "--samples", "0", "--no-trace", *options, "program.py")

    return run_program


#: Imports of a program: what it calls numpy.expm1 and halfcl.sum, and what it needs for both.
NAMES = {
    "import numpy as np": ("np.expm1", "hc.sum", ["import halfcl as hc"]),
    "import numpy": ("numpy.expm1", "hc.sum", ["import halfcl as hc"]),
    "import numpy, halfcl": ("numpy.expm1", "halfcl.sum", []),
    "from numpy import *": ("expm1", "hc.sum", ["import halfcl as hc"]),
    "from numpy import expm1 as e": ("e", "hc.sum", ["import halfcl as hc"]),
    "from halfcl import *": ("np.expm1", "hc.sum", ["import halfcl as hc", "import numpy as np"]),
    "from halfcl import sum as total": ("np.expm1", "total", ["import numpy as np"]),
    "np = 1\nimport halfcl as h": ("numpy.expm1", "h.sum", ["import numpy"]),
    "def f(hc, np, numpy): pass": (
        "numpy_2.expm1", "halfcl.sum", ["import halfcl", "import numpy as numpy_2"]),
    "": ("np.expm1", "hc.sum", ["import halfcl as hc", "import numpy as np"]),
}  # fmt: skip


@pytest.mark.parametrize("imports", NAMES)
def test_functions_have_the_names_of_the_program(imports):
    expm1, total, lines = NAMES[imports]
    begin = "'Text.'\nfrom __future__ import annotations\n"
    source = Source("program.py", f"{begin}{imports}\nx = 1\n")
    assert (source.spell("numpy.expm1"), source.spell("halfcl.sum")) == (expm1, total)
    text = f"terms = [{expm1}(x)]  # before\ny = {total}(terms)"
    assert list(source.import_lines(text)) == lines
    edits = source.import_edits(text)
    assert [edit.text for edit in edits] == lines
    assert all(source.nodes[edit.node] is source.tree.body[2] for edit in edits)
    assert source.import_lines("x + abs(1)") == () and source.spell("builtins.abs") == "abs"


def test_modules_of_libraries_are_imported_whole():
    source = Source("program.py", "from scipy.special import erf\nx = 1")
    assert source.spell("scipy.special.erf") == "erf"
    assert source.import_lines(f"{source.spell('scipy.special.erfc')}(x)") == (
        "import scipy.special",
    )


#: Reductions of a program, and their formulas.
REDUCTIONS = {
    "np.log(np.sum(np.exp(x), axis=axis))": "log(sum(exp(x), axis=axis))",
    "np.exp(x).sum(self.axis, keepdims=True)": "sum(exp(x), axis=self.axis, keepdims=True)",
    "np.sum(x, axis=k, keepdims=keep)": "sum(x, axis=k, keepdims=keep)",
    "np.mean(x, axis=None, keepdims=False)": "mean(x)",
    "np.max(x, keepdims=True)": "max(x, keepdims=True)",
    "np.logaddexp.reduce(x, axis=k)": "logsumexp(x, axis=k)",
    "np.sum(x, axis=f())": None,
}


@pytest.mark.parametrize("text", REDUCTIONS)
def test_axes_may_be_variables(text):
    tree = ast.parse(text, mode="eval").body
    seen = []
    formula = formulas.canonical_form(tree, {"np": "numpy"}, lambda x: seen.append(x) or x)
    assert ast.unparse(formula) == (REDUCTIONS[text] or text)
    names = {ast.unparse(each) for each in seen}
    assert REDUCTIONS[text] is None or {"x"} < names | {"x", ""}
    assert ("axis" in names) == ("axis=axis" in text) and ("keep" in names) == ("keep)" in text)


@pytest.mark.parametrize(
    ("axis", "after"),
    [
        ("", "logsumexp(x, axis=None)"),
        ("axis=k", "logsumexp(x, axis=k)"),
        ("axis=k, keepdims=True", "logsumexp(x, axis=k, keepdims=True)"),
        ("keepdims=True", "logsumexp(x, keepdims=True, axis=None)"),
    ],
)
def test_rewrites_keep_axes_and_dimensions(axis, after):
    formula = ast.parse(f"log(sum(exp(x){', ' if axis else ''}{axis}))", mode="eval").body
    new = {ast.unparse(each): each for _, each in formulas.rewrite_once(formula)}
    assert after in new
    x, values = np.array([[1.0, 2.0], [0.5, 3.0]]), {"k": 1.0}
    results = [
        evaluate(each, lambda node: x if ast.unparse(node) == "x" else values[ast.unparse(node)])
        for each in (formula, *new.values())
    ]
    assert all(np.allclose(result, results[0]) for result in results)
    assert all(result.shape == results[0].shape for result in results)


#: A program with a star import, whose loop needs halfcl; line 7 has a variable axis.
PROGRAM = """\
'''A program.'''
from __future__ import annotations
from numpy import *
from halfcl.stability import watch
seterr(over="ignore")
def log_sum(x, axis=1):
    return log(sum(exp(x), axis=axis, keepdims=True))
watch("sums", log_sum(array([[10.5, 11.5], [11.0, 3.0]], float16)))
s = float16(0)
for k in range(300):
    s += float16(0.1)
watch("total", s)
"""


def test_report_shows_names_and_imports(command):
    status, out, err = command(PROGRAM)
    assert status == 1, err
    assert "it could be     logaddexp.reduce(x, axis=axis, keepdims=True)   off by" in out
    after = out[out.index("a better formula for program.py:11") :]
    assert "s = hc.sum(terms, axis=0)  # after it   off by" in after
    assert "\n  with            import halfcl as hc\n" in after
    assert "np." not in out and "the better formulas together mend it" in out


def test_functions_under_test_need_no_imports():
    """A changed function finds a library, although its module does not import it."""

    def f():
        s = np.float16(0)
        for _ in range(300):
            s += np.float16(0.1)
        return s

    def calls():
        while True:
            yield f, {}

    text = _functions.report_if_unstable(calls(), 2, 4, "sums")
    assert "import halfcl as hc" in text and "mends it" in text
