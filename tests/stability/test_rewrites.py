"""Better formulas: identities hold, exact values are exact, and suggestions are measured."""

import ast
import contextlib
import copy
import io
import itertools
import random
import types
from decimal import Decimal, localcontext

import gmpy2
import numpy as np
import pytest
from exhaustive import either, one_in

import halfcl as hc
from halfcl import half
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting import exact, formulas
from halfcl.stability._programs._rewriting.suggestions import suggestions
from halfcl.stability._programs._running.instrumenting import Instrumentation

pytestmark = pytest.mark.once

FUNCTIONS = {"np": "numpy", "hc": "halfcl", "math": "math", "special": "scipy.special",
             "erf": "math.erf", "half": "numpy.float16"}  # fmt: skip


def parse(text):
    return ast.parse(text, mode="eval").body


def value(formula, values):
    def atom(node):
        return node.value if isinstance(node, ast.Constant) else values[node.id]

    return exact.evaluate(formula, atom)


#: Reductions have arrays as arguments, with an axis or without.
OF_ARRAYS = ("mean", "sum", "total", "dot")
AXES = (
    [],
    [ast.keyword("axis", ast.Constant(1))],
    [ast.keyword("axis", ast.Constant(0)), ast.keyword("keepdims", ast.Constant(True))],
)


def with_axis(tree, axis):
    """Return one side of a rewrite with an axis in place of `**K`."""
    bound = ast.Call(ast.Name("dict", ast.Load()), [], axis)
    return formulas._Substitution({"K": bound}).visit(copy.deepcopy(tree))


@one_in(2)
@pytest.mark.parametrize("rewrite", formulas.REWRITES, ids=lambda r: r.before)
def test_rewrites_hold(rewrite):
    """Both sides of each identity are equal where they are defined, for each axis."""
    rng, tried = random.Random(1), 0
    axes = AXES if "**K" in rewrite.before else [[]]
    sides = [[with_axis(tree, axis) for tree in rewrite.trees] for axis in axes]
    for k in range(either(200, 30)):
        before, after = sides[k % len(sides)]
        values = {name: rng.uniform(0.01, 0.9) for name in "ABCD"}
        if any(name in rewrite.before for name in OF_ARRAYS):
            shape = (3, 3) if "**K" in rewrite.before else (5,)
            values = {
                name: np.reshape([rng.uniform(0.1, 2) for _ in range(np.prod(shape))], shape)
                for name in "ABCD"
            }
            values["N"] = float(np.prod(shape))
        if rewrite.before == "log(exp(A) / B)" or "arccosh" in rewrite.after:
            values["A"] = rng.uniform(1, 3)
        one, other = value(before, values), value(after, values)
        if not np.isnan(one).any():
            tried += 1
            np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-14)
    assert tried >= either(10, 3)


#: MPFR's, by the names here.
MPFR = {
    "arccos": gmpy2.acos, "arcsin": gmpy2.asin, "arctan": gmpy2.atan, "cbrt": gmpy2.cbrt,
    "cos": gmpy2.cos, "cosh": gmpy2.cosh, "exp": gmpy2.exp, "exp2": gmpy2.exp2,
    "expm1": gmpy2.expm1, "hypot": gmpy2.hypot, "log": gmpy2.log, "log10": gmpy2.log10,
    "log1p": gmpy2.log1p, "log2": gmpy2.log2, "power": lambda x, y: x**y, "sin": gmpy2.sin,
    "sinh": gmpy2.sinh, "sqrt": gmpy2.sqrt, "tan": gmpy2.tan, "tanh": gmpy2.tanh, "abs": abs,
    "fma": lambda x, y, z: x * y + z, "half": lambda x: x,
    "logaddexp": lambda x, y: gmpy2.log(gmpy2.exp(x) + gmpy2.exp(y)),
    "arccosh": gmpy2.acosh, "arcsinh": gmpy2.asinh, "arctanh": gmpy2.atanh, "erf": gmpy2.erf,
    "erfc": gmpy2.erfc, "maximum": max, "minimum": min,
}  # fmt: skip


@pytest.mark.parametrize("name", exact.FUNCTIONS)
def test_exact_functions(name):
    """Values agree with MPFR at 180 bits to 40 digits, and are undefined where MPFR's are."""
    rng = random.Random(name)
    of_two = ("hypot", "logaddexp", "maximum", "minimum", "power")
    count = 3 if name == "fma" else 2 if name in of_two else 1
    near = [0.0, 1.0, -1.0, 0.5, 2.0**-24, 6e-5, 1.5]
    with gmpy2.context(gmpy2.get_context(), precision=180), localcontext(exact._CONTEXT):
        for k in range(either(60, 12)):
            args = [near[k + i] if k + i < len(near) else rng.choice([1, -1]) * rng.uniform(0, 8)
                    for i in range(count)]  # fmt: skip
            args = [float(np.float16(x)) for x in args]
            result = exact._nan_if_undefined(exact.FUNCTIONS[name])(*map(Decimal, args))
            true = MPFR[name](*map(gmpy2.mpfr, args))
            if not gmpy2.is_finite(true) or (name == "power" and args[0] < 0):
                continue  # a NaN, or a pole
            assert result.is_finite(), args
            gap = abs(Decimal(gmpy2.digits(true, 10)[0] and str(true)) - result)
            assert gap <= abs(result) * Decimal("1e-40") + Decimal("1e-45"), args


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("np.exp(x) - 1", "expm1(x)"),
        ("hc.log(x + 1)", "log1p(x)"),
        ("np.square(x) - y ** 2", "(x - y) * (x + y)"),
        ("np.subtract(np.sqrt(x), np.sqrt(y))", "(x - y) / (sqrt(x) + sqrt(y))"),
        ("-b + np.sqrt(b * b - 4 * a * c)", "-(4 * a * c) / (b + sqrt(b * b - 4 * a * c))"),
        ("x.mean() ** 2 - 1", "(mean(x) - 1) * (mean(x) + 1)"),
        ("np.sqrt(y ** 2 + x * x)", "hypot(y, x)"),
        ("1 - np.float16(erf(x))", "erfc(x)"),
        ("1 - special.erf(x).astype('float16')", "erfc(x)"),
        ("math.erf(x) - math.erf(y)", "erfc(y) - erfc(x)"),
        ("np.tan(x) - np.sin(x)", "tan(x) * (2 * (sin(x / 2) * sin(x / 2)))"),
        ("sum(v for v in x)", "exact_sum((v for v in x), axis=0)"),
        (
            "np.exp(x) / np.exp(x).sum(1)",
            "exp(x - max(x, axis=1)) / sum(exp(x - max(x, axis=1, keepdims=True)), axis=1)",
        ),
        ("np.log(np.sum(np.exp(x), axis=None))", "logsumexp(x, axis=None)"),
        ("1 / (1 + np.exp(-half(2) * x))", "exp(minimum(2 * x, 0)) / (1 + exp(-abs(2 * x)))"),
        ("np.log(1 - p)", "log1p(-p)"),
        ("x.mean(axis=0) - y.mean(axis=0)", "mean(x - y, axis=0)"),
        ("2 * x ** 3 - 4 * x ** 2 + x - 7", "((2 * x + -4) * x + 1) * x + -7"),
        ("3 * (1 - np.cos(x / 2)) + y", "3 * (2 * (sin(x / 2 / 2) * sin(x / 2 / 2))) + y"),
    ],
)
def test_formulas_are_recognized(text, expected):
    formula = formulas.without_casts(formulas.canonical_form(parse(text), FUNCTIONS))
    assert expected in [ast.unparse(new) for _, new in formulas.rewrite_once(formula)]


@pytest.mark.parametrize(
    "text",
    [
        "x + y",
        "np.exp(x, out=y) - 1",
        "f(x) + 1",
        "x",
        "np.sum(x)",
        "1 - np.erf(*x)",
        "np.log(np.sum(np.exp(x), axis=f()))",
        "np.exp(x) / np.exp(x).sum(axis=0, initial=1)",
    ],
)
def test_other_formulas_have_no_rewrite(text):
    formula = formulas.canonical_form(parse(text), FUNCTIONS)
    assert not list(formulas.rewrite_once(formula))


# ------------------------------------------------------------------ measured on inputs


def record(file, values):
    """Return a function that runs a program with these variables, and returns inputs."""

    def run(requests):
        instrumentation = Instrumentation(requests)
        with instrumentation.patched_functions(), hc.accelerated(), np.errstate(all="ignore"):
            code = instrumentation.compile(file.read_bytes(), str(file), str(file))
            with contextlib.suppress(NameError, AttributeError):
                exec(code, dict(values))
        return instrumentation.recorder.inputs

    return run


IMPORTS = "import numpy as np, halfcl as hc, math\n"


def suggest(tmp_path, text, line, **values):
    """Return the suggestions for a line of a program, which begins after its imports."""
    file = tmp_path / "program.py"
    file.write_text(IMPORTS + text)
    return suggestions([Unit(str(file), line + 1)], record(file, values))


X = np.linspace(0.001, 0.2, 100).astype(np.float16)


def test_errors_of_suggestion_are_measured(tmp_path):
    """Errors over all modes agree with those against MPFR."""
    (suggestion,) = suggest(tmp_path, "y = np.exp(x) - 1\n", 1, x=X)
    assert (suggestion.line, suggestion.name, suggestion.after) == (2, "expm1", "np.expm1(x)")
    worst = {suggestion.before: 0.0, suggestion.after: 0.0}
    for mode, text in itertools.product(("rte", "rtz", "rtp", "rtn"), worst):
        with hc.rounding(mode, builtins=True):
            got = eval(text, {"np": np, "x": X.view(half)})
        for x, y in zip(X.tolist(), np.asarray(got).astype(float).tolist(), strict=True):
            true = float(gmpy2.expm1(x))
            ulp = 2.0 ** (max(np.frexp(min(abs(true), abs(y)) or true)[1], -13) - 11)
            worst[text] = max(worst[text], abs(y - true) / ulp)
    assert suggestion.old.worst == pytest.approx(worst[suggestion.before], rel=0.5)
    assert suggestion.new.worst == pytest.approx(worst[suggestion.after], rel=0.05)
    assert (
        suggestion.old.worst > 100 and suggestion.new.worst <= 1 and suggestion.old.count == len(X)
    )


def test_suggestion_has_errors_for_each_input(tmp_path):
    """The largest and the mean error of all modes bound those that are drawn."""
    (suggestion,) = suggest(tmp_path, "y = np.exp(x) - 1\n", 1, x=X)
    drawn = suggestion.by_input
    assert drawn.name == "x" and set(drawn.inputs) <= set(X.astype(float))
    assert max(drawn.old) == suggestion.old.worst and max(drawn.new) == suggestion.new.worst
    assert np.mean(drawn.old) >= suggestion.old.mean


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("y = np.exp(x) - np.exp(z)\n", {"x": X, "z": X[::-1].copy()}),  # two inputs vary
        ("y = (x * x).mean() - x.mean() ** 2\n", {"x": X + 9}),  # not elementwise
        ("y = np.exp(x) - 1\n", {"x": np.float16(0.001)}),  # one value
    ],
)
def test_other_suggestions_have_no_errors_by_input(tmp_path, text, values):
    assert all(one.by_input is None for one in suggest(tmp_path, text, 1, **values))


def test_suggestion_for_a_later_line(tmp_path):
    """The blamed line is right as it is, but a later line that uses it is not."""
    text = (
        "def f(b, c):\n    root = np.sqrt(b * b - 4 * c)\n    n = 3\n    return (b - root) / 2\n"
        "f(b, c)\n"
    )
    values = {"b": np.linspace(2, 20, 9).astype(np.float16), "c": np.float16(0.3)}
    (suggestion,) = suggest(tmp_path, text, 2, **values)
    assert (suggestion.line, suggestion.after) == (5, "4 * c / (b + root) / 2")
    # no suggestion if an operand changes in between, also by a store
    assert not suggest(tmp_path, text.replace("n = 3", "b = b + 3"), 2, **values)
    assert not suggest(tmp_path, text.replace("n = 3", "b[0] = 3"), 2, **values)


def test_definitions_on_lines_before(tmp_path):
    """A blamed line is rewritten together with the lines that define its variables."""
    text = (
        "for k in range(2):\n    e = np.exp(z)\n    s = e.sum(axis=1, keepdims=True)\n"
        "    p = e / s\n"
    )
    z = np.linspace(1, 15, 24).astype(np.float16).reshape(4, 6)
    (suggestion,) = suggest(tmp_path, text, 4, z=z)
    assert suggestion.name == "the largest exponent subtracted"
    assert "np.max(z, axis=1, keepdims=True)" in suggestion.after
    assert suggestion.new.worst < 3 and suggestion.old.worst == 65536
    x = np.random.default_rng(1).uniform(9, 11, 200).astype(np.float16)
    moments = "a = (x * x).mean()\nm = x.mean()\nv = a - m * m\n"
    (suggestion,) = suggest(tmp_path, moments, 3, x=x)
    assert suggestion.after == "np.mean((x - m) * (x - m))"
    # no definition has the value of a variable that changes before its use
    changed = text.replace("    s =", "    e[0] = 1\n    s =")
    assert all("z" not in each.after for each in suggest(tmp_path, changed, 5, z=z))


FUNCTION = "def f(x):\n    calls.append(x)\n    return x * np.float16(1)\n"


@one_in(2)
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("print(1 - np.cos(x), np.exp(x) - 1, file=out)",
         ["2 * (np.sin(x / 2) * np.sin(x / 2))", "np.expm1(x)"]),
        ("out.write(f'{(np.exp(x) - 1)[0]}')", ["np.expm1(x)"]),
        ("y = [np.exp(v) - 1 for v in x]", ["np.expm1(v)"]),
        ("y = {'a': np.sqrt(1 + x) - 1}", ["x / (np.sqrt(x + 1) + 1)"]),
        ("y = dict(key=hc.exp(x) - 1)", ["hc.expm1(x)"]),
        ("if (np.exp(x) - 1 > 0).all(): pass", ["np.expm1(x)"]),
        ("while (np.exp(x) - 1 < 0).any(): pass", ["np.expm1(x)"]),
        ("for v in np.exp(x) - 1: pass", ["np.expm1(x)"]),
        ("y = np.where(x > 0, np.exp(x) - 1, 0)", ["np.expm1(x)"]),
        ("y = (lambda u: 1 - hc.erf(u))(x + 3)", ["hc.erfc(u)"]),
        ("y = (np.exp(x) - 1)[3:]", ["np.expm1(x)"]),
        ("a = np.exp(x) - 1; b = 1 - hc.erf(x + 3)", ["np.expm1(x)", "hc.erfc(x + 3)"]),
        ("y = x + 3; y -= np.sqrt(y * y - np.float16(0.1))", [
            "y = np.float16(0.1) / (y + np.sqrt(y * y - np.float16(0.1)))"]),
        ("y = g(np.exp(f(x)) - 1) - f(x)", ["np.expm1(f(x))"]),
        ("y = 1 - np.cos(f(x))", ["2 * (np.sin((value := f(x)) / 2) * np.sin(value / 2))"]),
        ("y = box.x - np.sqrt(box.x * box.x - 1)",
         ["1 / (box.x + np.sqrt(box.x * box.x - 1))"]),
    ],
)  # fmt: skip
def test_formulas_are_found_wherever_they_are(tmp_path, text, after):
    """In calls, texts, comprehensions, headers, lambdas, with calls and attributes as inputs."""
    calls = []
    box = types.SimpleNamespace(x=np.linspace(9, 20, 9).astype(np.float16))
    values = {"x": X, "out": io.StringIO(), "calls": calls, "g": np.abs, "box": box}
    better = suggest(tmp_path, FUNCTION + text, 4, **values)
    assert [each.after for each in better] == after
    assert len(calls) == text.count("f(x)")  # only by the program itself


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("y = x / 3 + x", {"x": X}),  # already as exact as possible
        ("y = np.exp(x) - 1", {"x": X.astype(np.float32)}),  # wider than half
        ("y = np.exp(x) - 1", {}),  # no inputs
        ("y = np.exp(x) - 1; np = 3", {"x": X}),  # a name that may be something else
        ("y = g(x) - 1", {"x": X}),
        ("y = np.exp(x) - x[0] ** np.nonesuch", {"x": X}),
        ("if x.any():\n    pass", {"x": X}),
        ("y = 'a' + 'b'", {"x": X}),
        ("y = (", {"x": X}),
    ],
)
def test_no_suggestion_without_measured_gain(tmp_path, text, values):
    if text.endswith("("):
        (tmp_path / "program.py").write_text(text)
        assert suggestions([Unit(str(tmp_path / "program.py"), 1)], pytest.fail) == []
    else:
        assert suggest(tmp_path, text, 1, **values) == []


def test_large_arrays_are_sampled(tmp_path):
    """Elementwise formulas of arrays of one shape are measured on samples; sums are not."""
    values = {"x": np.resize(X, (300, 400)), "v": np.resize(X, 400), "h": np.float16(0.01)}
    (suggestion,) = suggest(tmp_path, "y = np.exp(x) - np.exp(h)", 1, **values)
    assert "expm1" in suggestion.after and 100 <= suggestion.old.count <= 256
    assert suggest(tmp_path, "y = np.exp(x) - np.exp(v)", 1, **values) == []
    assert suggest(tmp_path, "y = (x * x).mean() - x.mean() ** 2", 1, **values) == []


def test_byte_order_of_inputs(tmp_path):
    (suggestion,) = suggest(tmp_path, "y = np.exp(x) - 1", 1, x=X.astype(">f2"))
    assert suggestion.after == "np.expm1(x)"


def test_recursion_does_not_mix_inputs(tmp_path):
    """Inputs belong to one call of a function, also if a later input calls it again."""
    text = (
        "def f(k):\n    x = np.float16(k) / np.float16(64)\n"
        "    return np.sqrt(1 + x) - np.sqrt(1 + 0 * (f(k - 1) if k else x))\nf(30)\n"
    )
    (suggestion,) = suggest(tmp_path, text, 3)
    assert suggestion.old.count == 31 and suggestion.name.startswith("conjugate")


def test_visits_are_drawn_from_the_whole_run(tmp_path):
    """Also the last of many visits are measured."""
    text = "for k in range(20000):\n    y = 1 - np.cos(np.float16(k // 15000) / np.float16(99))\n"
    (suggestion,) = suggest(tmp_path, text, 2)
    assert suggestion.old.worst > 10  # before, both are 0


def suggest_for_sum(tmp_path, body, terms):
    """Return the suggestions for a sum in a loop with these terms."""
    text = f"total = np.float16(0)\nfor v in x:\n{body}\n"
    return suggest(tmp_path, text, 3, x=terms)


@pytest.mark.parametrize("text", ["total += v", "total = total + v", "total = v + total"])
def test_suggestions_for_sums_in_loops(tmp_path, text):
    """Suggest an exact sum, or a compensated one if the loop uses the partial sums."""
    terms = np.random.default_rng(1).uniform(0, 1, 500).astype(np.float16)
    (suggestion,) = suggest_for_sum(tmp_path, f"    {text}", terms)
    assert (
        suggestion.name == "an exact sum" and suggestion.new.worst <= 1 < 10 < suggestion.old.worst
    )
    true = float(terms.astype(float).sum())
    plain = np.float16(0)
    for term in terms:
        plain += term
    assert (
        suggestion.old.worst >= abs(float(plain) - true) / 2.0**-2 - 1
    )  # ulps of numbers from 256 to 512
    (suggestion,) = suggest_for_sum(tmp_path, f"    {text}\n    max(total, 0)", terms)
    assert suggestion.name == "a compensated sum" and suggestion.new.worst <= 2
    assert not suggest_for_sum(tmp_path, f"    {text}", terms[:2])


SUMS = {
    "decay": ("y = np.float16(1)\nh = np.float16(0.002)\nfor k in range(300):\n    y += h * -y\n",
              4, lambda s: s["y"], np.exp(300 * np.log(1 - float(np.float16(0.002))))),
    "attribute": ("class C:\n    def __init__(self):\n        self.x = np.float16(0)\n"
                  "    def step(self):\n        self.x += np.float16(0.013)\n"
                  "a, b = C(), C()\nfor k in range(500):\n    a.step()\n    b.step()\n",
                  5, lambda s: s["a"].x, 500 * float(np.float16(0.013))),
    "elements": ("y = np.zeros(2, np.float16)\nfor k in range(500):\n    for i in range(2):\n"
                 "        y[i] -= np.float16(0.013)\n",
                 4, lambda s: s["y"][1], -500 * float(np.float16(0.013))),
    "array": ("y = np.zeros(2, np.float16)\nz = y\nfor k in range(500):\n"
              "    y += np.float16(0.013)\n",
              4, lambda s: s["z"][1], 500 * float(np.float16(0.013))),
    "steps": ("def f(y):\n    return -y\ny = np.zeros(301, np.float16)\ny[0] = 1\n"
              "h = np.float16(0.002)\nfor k in range(300):\n    y[k + 1] = y[k] + h * f(y[k])\n",
              7, lambda s: s["y"][-1], np.exp(300 * np.log(1 - float(np.float16(0.002))))),
    "generator": ("x = np.full(500, 0.013, np.float16)\ny = sum(v for v in x)\n",
                  2, lambda s: s["y"], 500 * float(np.float16(0.013))),
    "exact": ("y = 0\nfor v in np.full(500, 0.013, np.float16):\n    y += v\n",
              3, lambda s: s["y"], 500 * float(np.float16(0.013))),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_suggested_sums_run_and_are_right(tmp_path, name):
    """The program with the suggested source has the right sum, which it did not have before."""
    text, line, result, true = SUMS[name]
    (suggestion,) = suggest(tmp_path, text, line)
    file = str(tmp_path / "program.py")
    ulp = np.spacing(np.float16(true))
    for edits in ((), suggestion.edits):
        scope = {}
        code = Instrumentation((), edits).compile(IMPORTS + text, file, file)
        with hc.accelerated():
            exec(code, scope)
        off = abs(float(result(scope)) - true)
        assert (off > 6 * ulp) if not edits else (off <= 3 * ulp)
    assert suggestion.edits and suggestion.new.worst <= 2


@pytest.mark.parametrize(
    "text",
    ["y[k + 1] = y[k] + dy[k]", "y[k + 1] = dy[k] + y[k]", "now = y[k]; y[k + 1] = now + dy[k]"],
)
def test_suggests_compensated_sum_for_steps_in_array(tmp_path, text):
    """A sum y[k + 1] = y[k] + dy is compensated, since each element is used."""
    dy = np.random.default_rng(1).uniform(0, 1, 500).astype(np.float16)
    y = np.zeros(501, np.float16)
    program = f"for k in range(500):\n    {text}\n"
    (suggestion,) = suggest(tmp_path, program, 2, y=y, dy=dy)
    assert (
        suggestion.name == "a compensated sum"
        and suggestion.new.worst <= 2 < 4 < suggestion.old.worst
    )
    total = "now" if "now" in text else "y[k]"
    assert suggestion.before == f"y[k + 1] = {total} + dy[k]"
    scope = {"y": np.zeros(501, np.float16), "dy": dy, "lost": 0}
    step = suggestion.after.splitlines()[1:]
    loop = "for k in range(500):\n now = y[k]\n" + "".join(f" {line}\n" for line in step)
    exec(loop, scope)  # the suggested code is correct
    true = dy.astype(float).sum()
    assert abs(scope["y"][-1] - true) < 0.2 < 0.9 < abs(float(y[-1]) - true)


@pytest.mark.parametrize(
    "text", ["y[k + 1] = y[k + 1] * 2", "y[k + 1] = x[k] + dy[k]", "y[k + 1] = y[f(k)] + dy[k]"]
)
def test_no_suggestion_for_other_array_assignments(tmp_path, text):
    zeros = {name: np.zeros(9, np.float16) for name in ("x", "y", "dy")}
    program = f"for k in range(5):\n    {text}\n"
    assert suggest(tmp_path, program, 2, f=int, **zeros) == []


#: Statements, the start of the rewrite's name, and a part of the better formula. Their variables
#: are those of `KIND_VALUES`.
KINDS = (
    ("y = np.exp(w) / np.exp(w).sum(axis=-1, keepdims=True)", "the largest", "np.max(w, axis=-1"),
    ("e = np.exp(w); s = e.sum(1, keepdims=True); y = e / s", "the largest", "np.max(w, axis=1"),
    ("y = np.exp(w) / np.exp(w).sum(axis=0)", "the largest", "np.max(w, axis=0, keepdims=True)"),
    ("y = np.exp(big) / np.sum(np.exp(big))", "the largest", "np.sum(np.exp(big - np.max(big)))"),
    ("y = np.log(np.exp(w).sum(axis=1))", "logaddexp", "np.logaddexp.reduce(w, axis=1)"),
    ("k = None; y = np.log(np.sum(np.exp(big), axis=k))", "logaddexp",
     "np.logaddexp.reduce(big, axis=k)"),
    ("k = None; y = np.exp(w) / np.exp(w).sum(k, keepdims=True)", "the largest",
     "np.max(w, axis=k"),
    ("y = np.log(np.sum(np.exp(big)))", "logaddexp", "np.logaddexp.reduce(big, axis=None)"),
    ("y = np.log(np.exp(w) / np.exp(w).sum())", "the largest", "w - "),
    ("y = hc.erf(b) - hc.erf(a)", "difference of erfc", "hc.erfc(a) - hc.erfc(b)"),
    ("y = np.float16(math.erf(b[3])) - np.float16(math.erf(a[3]))", "difference of erfc",
     "np.float16(math.erfc(a[3]) - math.erfc(b[3]))"),
    ("y = [np.float16(1) - np.float16(math.erf(v)) for v in a]", "erfc",
     "np.float16(math.erfc(v))"),
    ("y = 1 / (1 + np.exp(-z))", "logistic function", "np.minimum(z, 0)"),
    ("p = 1 / (1 + np.exp(-z)); y = np.log(1 - p)", "logarithm of the logistic", "np.minimum(-z"),
    ("p = 1 / (1 + np.exp(-z)); y = -(t * np.log(p) + (1 - t) * np.log(1 - p)).mean()",
     "logarithm of the logistic", "np.log1p(np.exp(-np.abs(z)))"),
    ("y = np.log(1 - x)", "log1p", "np.log1p(-x)"),
    ("y = np.log(1 + np.exp(w))", "softplus", "np."),
    ("y = np.sqrt(big * big + 2 * big * big)", "", ""),
    ("y = np.sqrt(big * big + c * c)", "hypot", "np.hypot(big, c)"),
    ("y = np.sqrt((big ** 2).sum())", "norm", "np.max(np.abs(big))"),
    ("y = np.exp(b) - np.exp(a)", "expm1", "np.exp(a) * np.expm1(b - a)"),
    ("y = b ** 2 - a ** 2", "factored", "(b - a) * (b + a)"),
    ("y = np.sqrt(b) - np.sqrt(a)", "conjugate", "(b - a) / (np.sqrt(b) + np.sqrt(a))"),
    ("y = np.tan(x) - np.sin(x)", "half the angle", "np.tan(x) * "),
    ("y = np.cos(x) - np.cos(2 * x)", "sum to product", "np.sin("),
    ("y = np.log(b) - np.log(a)", "log1p", "np.log1p((b - a) / a)"),
    ("q = (a * a).mean(); m = a.mean(); y = q - m ** 2", "deviations",
     "np.mean((a - m) * (a - m))"),
    ("y = np.mean(d * d, 0) - np.mean(d, 0) ** 2", "deviations",
     "np.mean(d, axis=0, keepdims=True)"),
    ("n = len(a); y = np.sum(a * a) / n - (np.sum(a) / n) ** 2", "deviations", "a - np.sum(a) / n"),
    ("y = (a * b).sum() - (a * a).sum()", "sum of differences", "np.sum("),
    ("y = np.sum(b, 0) - np.sum(a, 0)", "sum of differences", "np.sum(b - a, axis=0)"),
    ("y = (np.exp(x) - np.exp(-x)) / 2", "hyperbolic", "np.sinh(x)"),
    ("y = sum(v * v for v in many)", "an exact sum", "hc.sum([v * v for v in many], axis=0)"),
    ("y = sum(many)", "an exact sum", "hc.sum(many, axis=0)"),
)  # fmt: skip

A = np.linspace(2.0, 3.5, 9).astype(np.float16)
KIND_VALUES = {
    "x": X, "a": A, "b": A + np.float16(0.03), "z": np.linspace(-16, 14, 40).astype(np.float16),
    "t": (np.arange(40) % 2).astype(np.float16), "c": np.float16(300),
    "w": np.linspace(1, 14, 24).astype(np.float16).reshape(4, 6),
    "big": np.linspace(180, 400, 9).astype(np.float16),
    "d": (20 + np.arange(24) % 7 / 8).astype(np.float16).reshape(4, 6),
    "many": np.linspace(0, 1, 400).astype(np.float16),
}  # fmt: skip


@one_in(2)
@pytest.mark.parametrize(("text", "name", "after"), KINDS, ids=[kind[0] for kind in KINDS])
def test_every_kind_of_formula_is_suggested(tmp_path, text, name, after):
    """The last expression of the line has a better formula, which measures within a few ulps."""
    text = text.replace("; ", "\n")
    better = suggest(tmp_path, text, text.count("\n") + 1, **KIND_VALUES)
    if not after:
        assert better == []  # the table has nothing for it, or no gain
        return
    (suggestion,) = better
    assert suggestion.name.startswith(name) and after in suggestion.after
    assert suggestion.new.worst <= 24 and suggestion.new.worst < suggestion.old.worst / 2
