"""Better formulas: identities hold, exact values are exact, and suggestions are measured."""

import ast
import itertools
import os
import random
from decimal import Decimal, localcontext

import gmpy2
import numpy as np
import pytest
from exhaustive import either

from halfcl import half
from halfcl.stability._programs._recording.inputs import Inputs
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting import exact, formulas
from halfcl.stability._programs._rewriting.statements import statements
from halfcl.stability._programs._rewriting.suggestions import suggestions

pytestmark = pytest.mark.once

FUNCTIONS = {"np": "numpy", "hc": "halfcl"}


def parse(text):
    return ast.parse(text, mode="eval").body


def value(formula, values):
    def atom(node):
        return node.value if isinstance(node, ast.Constant) else values[node.id]

    return exact.evaluate(formula, atom)


@pytest.mark.parametrize("rewrite", formulas.REWRITES, ids=lambda r: r.before)
def test_rewrites_hold(rewrite):
    """Both sides of each identity are equal where they are defined."""
    before, after = rewrite.trees
    rng, tried = random.Random(1), 0
    for _ in range(200):
        values = {name: rng.uniform(0.01, 0.9) for name in "ABCD"}
        if "mean" in rewrite.before:
            values = {name: np.array([rng.uniform(0.1, 2) for _ in range(5)]) for name in "ABCD"}
        one, other = value(before, values), value(after, values)
        if not np.isnan(one).any():
            tried += 1
            np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-14)
    assert tried >= 10


#: MPFR's, by the names here.
MPFR = {
    "arccos": gmpy2.acos, "arcsin": gmpy2.asin, "arctan": gmpy2.atan, "cbrt": gmpy2.cbrt,
    "cos": gmpy2.cos, "cosh": gmpy2.cosh, "exp": gmpy2.exp, "exp2": gmpy2.exp2,
    "expm1": gmpy2.expm1, "hypot": gmpy2.hypot, "log": gmpy2.log, "log10": gmpy2.log10,
    "log1p": gmpy2.log1p, "log2": gmpy2.log2, "power": lambda x, y: x**y, "sin": gmpy2.sin,
    "sinh": gmpy2.sinh, "sqrt": gmpy2.sqrt, "tan": gmpy2.tan, "tanh": gmpy2.tanh, "abs": abs,
    "fma": lambda x, y, z: x * y + z,
    "logaddexp": lambda x, y: gmpy2.log(gmpy2.exp(x) + gmpy2.exp(y)),
}  # fmt: skip


@pytest.mark.parametrize("name", exact.FUNCTIONS)
def test_exact_functions(name):
    """Values agree with MPFR at 180 bits to 40 digits, and are undefined where MPFR's are."""
    rng = random.Random(name)
    count = {"fma": 3, "hypot": 2, "logaddexp": 2, "power": 2}.get(name, 1)
    near = [0.0, 1.0, -1.0, 0.5, 2.0**-24, 6e-5, 1.5]
    with gmpy2.context(gmpy2.get_context(), precision=180), localcontext(exact._CONTEXT):
        for k in range(either(60, 24)):
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
        ("2 * x ** 3 - 4 * x ** 2 + x - 7", "((2 * x + -4) * x + 1) * x + -7"),
        ("3 * (1 - np.cos(x / 2)) + y", "3 * (2 * (sin(x / 2 / 2) * sin(x / 2 / 2))) + y"),
    ],
)
def test_formulas_are_recognized(text, expected):
    formula = formulas.canonical_form(parse(text), FUNCTIONS)
    assert expected in [ast.unparse(new) for _, new in formulas.rewrite_once(formula)]


@pytest.mark.parametrize("text", ["x + y", "np.exp(x, out=y) - 1", "f(x) + 1", "x", "np.sum(x)"])
def test_other_formulas_have_no_rewrite(text):
    formula = formulas.canonical_form(parse(text), FUNCTIONS)
    assert not list(formulas.rewrite_once(formula))


# ------------------------------------------------------------------ measured on inputs


def suggest(tmp_path, text, line, **values):
    """Return the suggestions for a line with these inputs."""
    file = tmp_path / "program.py"
    file.write_text(text)
    unit = Unit(str(file), line)
    places = {(s.file, s.line) for s in statements(unit.file, unit.line)}
    inputs = Inputs({place: [values] for place in places}, dict.fromkeys(places, FUNCTIONS))
    return suggestions([unit], lambda wanted: inputs)


X = np.linspace(0.001, 0.2, 100).astype(np.float16)


def test_errors_of_suggestion_are_measured(tmp_path):
    """Errors over all modes agree with those against MPFR."""
    (suggestion,) = suggest(tmp_path, "y = np.exp(x) - 1\n", 1, x=X)
    assert (suggestion.line, suggestion.name, suggestion.after) == (1, "expm1", "np.expm1(x)")
    worst = {suggestion.before: 0.0, suggestion.after: 0.0}
    import halfcl as hc

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


def test_suggestion_for_a_later_line(tmp_path):
    """The blamed line is right as it is, but a later line that uses it is not."""
    text = "def f(b, c):\n    root = np.sqrt(b * b - 4 * c)\n    n = 3\n    return (b - root) / 2\n"
    b = np.linspace(2, 20, 9).astype(np.float16)
    c = np.float16(0.3)
    from halfcl import accelerated

    with accelerated():
        root = np.sqrt(b * b - 4 * c)
    (suggestion,) = suggest(tmp_path, text, 2, b=b, c=c, root=root)
    assert (suggestion.line, suggestion.after) == (4, "4 * c / (b + root) / 2")
    # no suggestion if an operand has changed in between
    assert not suggest(tmp_path, text.replace("n = 3", "b = 3"), 2, b=b, c=c, root=root)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("y = x / 3 + x", {"x": X}),  # already as exact as possible
        ("y = np.exp(x) - 1", {"x": X.astype(np.float32)}),  # wider than half
        ("y = np.exp(x) - 1", {}),  # no inputs
        ("y = np.exp(x) - 1", {"x": X, "exp": 3}),  # a name that formulas use
        ("y = g(x) - 1", {"x": X}),
        ("y = np.exp(x) - x[0] ** np.nonesuch", {"x": X}),
        ("if x:\n    pass", {"x": X}),
        ("np.exp(np.save('x.npy', x)) - 1", {"x": X}),  # only formulas are evaluated
        ("y = np.exp(x) - x.dump('x.npy')", {"x": X}),
        ("y = np.exp(x) - open('x.npy', 'w').write('')", {"x": X}),
        ("y = np.exp(x) - __import__('os').mkdir('x.npy')", {"x": X}),
        ("y = (", {"x": X}),
    ],
)
def test_no_suggestion_without_measured_gain(tmp_path, text, values, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert suggest(tmp_path, text, 1, **values) == []
    assert os.listdir() == ["program.py"]


def suggest_for_sum(tmp_path, body, terms, line=3):
    """Return the suggestions for a sum in a loop with these terms."""
    file = tmp_path / "program.py"
    file.write_text(f"total = 0\nfor v in x:\n{body}\n")
    total, visits = np.float16(0), []
    for term in terms:
        visits.append({"total": total, "v": term})
        total = total + term
    place = str(file), line
    inputs = Inputs({place: visits}, {place: FUNCTIONS})
    return suggestions([Unit(*place)], lambda wanted: inputs)


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
    (suggestion,) = suggest_for_sum(tmp_path, f"    {text}\n    print(total)", terms)
    assert suggestion.name == "a compensated sum" and suggestion.new.worst <= 2
    assert not suggest_for_sum(tmp_path, f"    {text}", terms[:2])
