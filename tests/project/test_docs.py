"""The examples in the documentation run and print what they show; every public name has some."""

import doctest
import importlib
import inspect
import json
import pkgutil
import re
import tomllib

import numpy as np
import numpy.ma  # before halfcl._numpy.masked, which halfcl imports after it
import pytest
from places import ROOT

import halfcl as hc

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(text, name, namespace=None):
    """Run the examples in a text; return how many there are."""
    examples = doctest.DocTestParser().get_doctest(text, dict(namespace or {}), name, None, 0)
    report = []
    with np.printoptions():
        runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
        runner.run(examples, out=report.append)
    assert not runner.failures, "".join(report)
    return len(examples.examples)


def public():
    """Return the names that users call: functions, ufuncs, classes."""
    return [name for name in hc._everything if callable(getattr(hc, name))]


def names_with_docs():
    """Return public names, and one of each family of conversions."""
    conversions = [
        "convert_int",
        "convert_char_sat",
        "convert_half4",
        "convert_half_rtp",
        "convert_float",
        "convert_ulong16_sat_rtn",
        "as_ushort",
        "as_uchar4",
    ]
    return [*public(), *conversions]


def examples():
    """Return each docstring once, by the first name that has it: not by `exp_rtz` too.

    The first line of a ufunc's is NumPy's, with its name.
    """
    texts = {}
    for name in names_with_docs():
        text = inspect.getdoc(getattr(hc, name)) or ""
        texts.setdefault(text.partition("\n")[2], name)
    return {name: text for text, name in texts.items()}


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    run(EXAMPLES[name], name)


def test_docstrings():
    for name in names_with_docs():
        thing = getattr(hc, name)
        text = inspect.getdoc(thing)
        assert text, name
        # A ufunc's first line is NumPy's.
        assert len(text.splitlines()[0]) <= 120 or isinstance(thing, np.ufunc), name
        if isinstance(thing, hc.Function | np.ufunc) or inspect.isroutine(thing):
            for section in ("Returns", "Notes"):
                assert f"\n{section}\n{'-' * len(section)}\n" in text, (name, section)
            assert "Source:" in text, name


def test_functions_have_examples():
    for name in public():
        thing = getattr(hc, name)
        if isinstance(thing, hc.Function) or inspect.isfunction(thing):
            assert ">>> " in inspect.getdoc(thing), name


# Packages that may be missing, which modules import for their arrays.
LIBRARIES = ("cupy", "jax", "pyopencl", "torch")


def test_modules():
    """Docstrings of modules and of their public functions and classes have working examples."""
    for info in pkgutil.walk_packages(hc.__path__, "halfcl."):
        if info.name.endswith(("__main__", "libhalfcl_layer")):  # a library, not a module
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError as error:
            missing = error.__cause__ or error  # halfcl's own error has the command to install it
            assert missing.name in LIBRARIES, info.name
            continue
        assert module.__doc__, info.name
        run(module.__doc__, info.name)
        for name, thing in vars(module).items():
            own = getattr(thing, "__module__", None) == info.name
            if own and not name.startswith("_") and inspect.isroutine(thing):
                assert thing.__doc__, f"{info.name}.{name}"
                run(inspect.getdoc(thing), f"{info.name}.{name}")


def pages():
    return [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
            if path.exists()]  # fmt: skip


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_pages(page, tmp_path, monkeypatch):
    """The python blocks with prompts run, in order, in one namespace, as if a reader typed them."""
    monkeypatch.chdir(tmp_path)
    for folder in ("examples", "examples/depending/src"):  # the pages on them import them
        monkeypatch.syspath_prepend(ROOT / folder)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
    count = run("\n".join(block for block in blocks if ">>>" in block), page.name)
    assert count or page != ROOT / "README.md"
    for block in blocks:
        if ">>>" not in block:
            compile(block, page.name, "exec")


def test_pages_name_the_oldest_python():
    """The oldest Python is pyproject.toml's."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        oldest = tomllib.load(file)["project"]["requires-python"].removeprefix(">=")
    for page in pages():
        for version in re.findall(r"Python (3\.\d+) or newer", page.read_text(encoding="utf-8")):
            assert version == oldest, page.name


def sources_with_commands():
    """Return all files in which a reader meets a command of pip."""
    suffixes = (".md", ".py", ".sh", ".yml", ".yaml", ".json")
    folders = ("docs", "src", "tests", "tools", "examples", ".github", ".devcontainer")
    paths = [path for name in folders for path in (ROOT / name).rglob("*")]
    texts = [path for path in [*ROOT.glob("*.md"), *paths] if path.suffix in suffixes]
    return [path for path in texts if path.is_file() and "_build" not in path.parts]


def test_extras_are_quoted_for_every_shell():
    """On Windows cmd takes single quotes for letters of a name; extras exist."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        extras = set(tomllib.load(file)["project"]["optional-dependencies"])
    for path in sources_with_commands():
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"'[.\w]+\[[a-z0-9,]+\]'", text) or "pip install" not in text, path
        for named in re.findall(r'"(?:\.|halfcl)\[([a-z0-9,]+)\]"', text):
            assert set(named.split(",")) <= extras, (path, named)


def test_commands_can_be_typed_in_every_shell():
    """In cmd, and in zsh as macOS has it, a comment after a command is passed on as arguments."""
    folders = [ROOT / "docs" / name for name in ("tutorial", "howto")]
    guides = [path for folder in folders for path in folder.rglob("*.md")]
    blocks = 0
    for page in (*ROOT.glob("*.md"), ROOT / "docs" / "index.md", *guides):
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            blocks += 1
            assert not re.search(r"(^|\s)#", block), (page.name, block)
            assert "'" not in block, (page.name, block)
    assert blocks > 20


def test_readme_is_short():
    """The readme is one screen of promise, one of examples, one table, and links."""
    assert len((ROOT / "README.md").read_bytes()) < 6000


def test_readme_has_the_figures_of_the_evidence():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    evidence = ROOT / "docs" / "evidence"
    audit = json.loads((evidence / "audits" / "torch.json").read_text(encoding="utf-8"))
    (erf,) = (row for row in audit["functions"] if row["name"] == "erf")
    assert f"wrong for {erf['wrong']:,} of all {erf['tested']:,} numbers" in readme
    assert f"by up to {erf['max_ulp']:.0f} ulp" in readme
    table = (evidence / "acceleration.md").read_text(encoding="utf-8").split("<!-- programs -->")[1]
    row = re.search(r"^\| LayerNorm \|(.*)\|$", table, re.MULTILINE)[1].split("|")
    plain, accelerated, _, single, ratio = (float(cell) for cell in row[:5])
    elements = 16385 * 768 / 1e6
    cells = [f"{time / elements:.1f}" for time in (accelerated, plain, single)]
    assert f"a program | {' | '.join(cells)} | | | {ratio:.2f} |" in readme


def test_guide_names_only_unaccelerated_functions():
    guide = (ROOT / "docs" / "howto" / "acceleration.md").read_text(encoding="utf-8")
    names = re.findall(
        r"`(?:np\.)?(\w+)`", re.search(r"It does not speed up (.*?) of float16", guide)[1]
    )
    with hc.accelerated():
        covered = {name.split(".")[-1] for name in hc.accelerated_functions()}
    assert names and covered.isdisjoint(names)


def test_supported_systems_have_run_the_tests():
    """A system that never ran halfcl is named as such, on both pages that list them."""
    for page in ("howto/installing.md", "evidence/platforms.md"):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        (row,) = re.findall(r"^\| systems \| (.*)$", text, re.MULTILINE)
        assert row.startswith("Linux. ") and "Wine" in row and "never run" in row
