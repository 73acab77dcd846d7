"""The example of a library that depends on halfcl optionally (docs/howto/depend.md)."""

import subprocess
import sys
import tomllib

import numpy as np
import pytest
from exhaustive import left_out
from packaging.requirements import Requirement
from places import ROOT
from type_checkers import run_mypy

import halfcl as hc

FOLDER = ROOT / "examples" / "depending"
GUIDE = (ROOT / "docs" / "howto" / "depend.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.once


@pytest.fixture
def luma(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER / "src")
    import luma

    return luma


def run(code):
    """Run code in a process of its own, which finds the library; return what it prints."""
    code = f"import sys; sys.path.insert(0, {str(FOLDER / 'src')!r})\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, hc.half])
def test_brightness_keeps_the_dtype(luma, dtype):
    picture = np.linspace(0, 1, 12).reshape(2, 2, 3).astype(dtype)
    bright = luma.brightness(picture)
    assert bright.dtype == np.dtype(dtype) and bright.shape == (2, 2)
    exact = picture.astype(float) @ np.array(luma.WEIGHTS)
    np.testing.assert_allclose(bright.astype(float), exact, atol=2e-3)


def test_both_kinds_of_halves_are_found(luma):
    kinds = [luma.holds_halves(np.ones(2, dtype)) for dtype in (hc.half, np.float16, np.float32)]
    assert kinds == [True, True, False]


def test_shrink_rounds_as_named(luma):
    numbers = np.array([0.1, 1 / 3, -2.7])
    for mode in hc.MODES:
        assert np.array_equal(luma.shrink(numbers, mode), hc.convert(numbers, rounding=mode))


def test_importing_the_library_imports_no_halfcl():
    assert run("import luma; print('halfcl' in sys.modules)") == "False\n"


def test_without_halfcl_all_else_works_and_the_error_names_the_command():
    printed = run(
        "sys.modules['halfcl'] = None\n"
        "import luma, numpy as np\n"
        "print(luma.brightness(np.ones((1, 3), np.float16)))\n"
        "try:\n    luma.shrink(np.ones(3))\nexcept ImportError as error:\n    print(error)"
    )
    assert printed == '[1.]\nshrink needs halfcl: pip install "luma[half]"\n'


def test_the_extra_that_errors_name_exists():
    extras = PROJECT["project"]["optional-dependencies"]
    (requirement,) = map(Requirement, extras["half"])
    assert requirement.name == "halfcl" and requirement.specifier.contains(hc.__version__)
    assert PROJECT["project"]["dependencies"] == ["numpy>=2.0"]


def test_it_does_not_accelerate_for_its_users():
    assert "accelerate" not in (FOLDER / "src" / "luma" / "__init__.py").read_text(encoding="utf-8")


def check_types(path):
    """Return what mypy says of a file or a folder in its strict mode; empty if nothing is wrong."""
    done = run_mypy(path)
    return done.stdout if done.returncode else ""


@left_out("seconds of mypy; .ci/run has it among what editors are told")
def test_its_types_pass_a_strict_checker():
    assert check_types(FOLDER / "src" / "luma") == ""


@left_out("seconds of mypy; .ci/run has it among what editors are told")
def test_types_of_the_guide_are_those_of_a_strict_checker(tmp_path):
    """The module passes; halfcl's expressions in the table have the types that stand there."""
    (module,) = [text for text in GUIDE.split("```python\n") if text.startswith("from __future__")]
    path = tmp_path / "module.py"
    path.write_text(module.split("```")[0], encoding="utf-8")
    expressions = {
        "halfcl.exp(x)": "dtype[halfcl._core.half]]",
        "halfcl.convert(x, halfcl.half)": "dtype[halfcl._core.half]]",
        "halfcl.convert(anything, halfcl.half)": "Any",
        "halfcl.sum(x)": "halfcl._core.half",
        "halfcl.half([1, 2])": "dtype[halfcl._core.half]]",
        "halfcl.half(1)": "halfcl._core.half",
        "np.array([1, 2], dtype=halfcl.half)": "dtype[halfcl._core.half]]",
    }
    lines = "".join(f"    reveal_type({expression})\n" for expression in expressions)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n\ndef look(x: NDArray[half], anything: NDArray[Any]) -> None:\n")
        file.write(f"    import halfcl\n\n{lines}")
    done = run_mypy(path)
    assert done.returncode == 0, done.stdout
    revealed = [line for line in done.stdout.splitlines() if "Revealed" in line]
    for line, text in zip(revealed, expressions.values(), strict=True):
        assert line.endswith(f'{text}"')


def test_the_guide_shows_the_same_project():
    shown = tomllib.loads(GUIDE.split("```toml\n")[1].split("```")[0])["project"]
    assert shown.items() <= PROJECT["project"].items()
