"""Run NumPy's tests with half in float16's place: `python tools/numpy_tests.py [--all] [file ...]`.

Takes the test files of the NumPy that is installed, puts halfcl.half wherever they say float16
(tools/numpy_substitution.py), and runs them. Those that fail, though they pass as they were, are
to be those of tests/data/numpy_tests.txt, where they stand by cause. Prints what does not agree
with it, and how many tests pass: of those that name float16, and of the others in the same files.

--all runs every file that names float16 (minutes); otherwise those of QUICK. --write FILE keeps
the numbers there, for docs/evidence/numpy_tests.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from numpy_substitution import functions_of, substitute

NUMPY = Path(np.__file__).parent
#: Failures that are known, each with its cause.
KNOWN = Path(__file__).parents[1] / "tests" / "data" / "numpy_tests.txt"

#: The files of the default run, which take some seconds together.
QUICK = ("_core/tests/test_half.py", "_core/tests/test_scalar_ctors.py")

#: Time limits in seconds: of a test, and of all tests of a process.
TEST_LIMIT, LIMIT = 60, 1200

PLUGIN = f"""
import json, os, signal, threading
import pytest

def _stop(*_):
    raise TimeoutError("a test took more than {TEST_LIMIT} seconds")

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm({TEST_LIMIT})
    yield
    signal.alarm(0)

def _write(*what):
    with open(os.environ["NUMPY_TESTS_OUTCOMES"], "a") as file:
        print(json.dumps(what), file=file)

def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(report.longrepr) if report.failed else ""
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        _write(report.nodeid, outcome, " ".join(text.split())[:200])

def pytest_collectreport(report):
    if report.failed:
        _write(report.nodeid, "failed", "collection: " + str(report.longrepr)[-200:])
"""

PYTEST = """[pytest]
filterwarnings =
    error
    ignore::pytest.PytestWarning
    ignore:the matrix subclass
"""


# ------------------------------------------------------------------ running


@dataclass
class Outcome:
    """The outcome of one case of a test."""

    test: str  # file::class::function
    case: str  # what pytest has in brackets
    outcome: str
    message: str

    @property
    def node(self) -> str:
        return self.test + self.case


def _copy(files: list[str], folder: Path, changed: bool) -> None:
    """Copy the folders of tests, and the files, with half substituted if `changed`."""
    for name in {str(Path(file).parent) for file in files}:
        to = folder / _flat(name)
        shutil.copytree(NUMPY / name, to, ignore=shutil.ignore_patterns("__pycache__", "test_*.py"))
        (to / "__init__.py").touch()
    for file in files:
        text = (NUMPY / file).read_text(encoding="utf-8")
        new = substitute(text).text if changed else text
        (folder / _place(file)).write_text(new, encoding="utf-8")
    (folder / "numpy_tests_plugin.py").write_text(PLUGIN)
    (folder / "pytest.ini").write_text(PYTEST)
    shutil.copy(NUMPY / "conftest.py", folder)


def _flat(name: str) -> str:
    return name.replace("/", "_")


def _place(file: str) -> str:
    return f"{_flat(str(Path(file).parent))}/{Path(file).name}"


def _pytest(folder: Path, chosen: list[str], log: Path) -> list[Outcome]:
    """Run tests by their places in the folder, in one process."""
    log.touch()
    environment = {
        **os.environ,
        "NUMPY_TESTS_OUTCOMES": str(log),
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "numpy_tests_plugin", "-p",
         "no:cacheprovider", "-p", "no:xdist", "--assert=plain", "--continue-on-collection-errors",
         "-m", "not slow", *chosen],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=LIMIT,
    )  # fmt: skip
    outcomes = []
    for line in log.read_text().splitlines():
        node, outcome, message = json.loads(line)
        name, bracket, case = node.partition("[")
        place, colons, test = name.partition("::")
        outcomes.append(Outcome(place + colons + test, bracket + case, outcome, message))
    return outcomes


def _groups(files: list[str], tests: dict[str, list[str]]) -> list[list[str]]:
    """Split the tests among processes, into groups of similar size."""
    count = min(os.cpu_count() or 1, len(files))
    groups: list[list[str]] = [[] for _ in range(count)]
    sizes = [0] * count
    for file in sorted(files, key=lambda f: -(NUMPY / f).stat().st_size):
        least = sizes.index(min(sizes))
        sizes[least] += (NUMPY / file).stat().st_size
        groups[least] += tests.get(file) or [_place(file)]
    return groups


def run(files: list[str], changed: bool = True, tests: dict[str, list[str]] | None = None
        ) -> list[Outcome]:  # fmt: skip
    """Return the outcomes of the files' tests, with half or as they are, or only of `tests`."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _copy(files, folder, changed)
        groups = _groups(files, tests or {})
        logs = [folder / f"outcomes{i}" for i in range(len(groups))]
        with ThreadPoolExecutor(len(groups)) as pool:
            parts = pool.map(lambda group, log: _pytest(folder, group, log), groups, logs)
        return [outcome for part in parts for outcome in part]


# ------------------------------------------------------------------ causes


@dataclass
class Known:
    """Tests that fail for a known cause; * in a pattern matches any text."""

    cause: str
    pattern: str
    versions: str = ""  # of NumPy, such as "<2.3"

    def __post_init__(self) -> None:
        self.regex = re.compile(".*".join(map(re.escape, self.pattern.split("*"))))

    def matches(self, outcome: Outcome) -> bool:
        return (
            self.regex.fullmatch(outcome.node if "[" in self.pattern else outcome.test) is not None
        )

    def is_of(self, version: str) -> bool:
        if not self.versions:
            return True
        limit, this = (
            tuple(map(int, v.split(".")[:2])) for v in (self.versions.lstrip("<>="), version)
        )
        return this < limit if self.versions[0] == "<" else this >= limit


def known_failures(text: str | None = None, version: str = np.__version__) -> list[Known]:
    """Read the known failures: lines of a cause, with its tests indented under it."""
    known, cause = [], ""
    for line in (text or KNOWN.read_text(encoding="utf-8")).splitlines():
        if line.startswith(" "):
            pattern, _, versions = line.strip().partition("  ")
            known.append(Known(cause, pattern, versions.strip()))
        elif line and not line.startswith("#"):
            cause = line
    return [each for each in known if each.is_of(version)]


@dataclass
class Result:
    """The outcomes of the tests with half, next to the known failures."""

    named: int = 0  # tests that pass with float16: those that name it, and the others
    others: int = 0
    failed_named: int = 0
    failed_others: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    unexpected: list[str] = field(default_factory=list)  # failures, and passes


def compare(files: list[str]) -> Result:
    """Run the files with half, and the tests that fail unexpectedly also without a change."""
    outcomes = run(files)
    known = known_failures()
    failed = [o for o in outcomes if o.outcome == "failed"]
    cause_of = {o.node: k.cause for o in failed for k in known if k.matches(o)}
    unknown = [o for o in failed if o.node not in cause_of]
    fail_anyway = _failures_without_change(files, unknown)
    named = {
        f"{_place(file)}::{name}" for file in files
        for text in [(NUMPY / file).read_text(encoding="utf-8")]
        for name in functions_of(text, substitute(text).lines)
    }  # fmt: skip
    result = Result()
    for o in outcomes:
        if o.outcome not in ("passed", "failed") or o.test in fail_anyway:
            continue
        is_named, has_failed = o.test in named, o.outcome == "failed"
        result.named += is_named
        result.others += not is_named
        result.failed_named += is_named and has_failed
        result.failed_others += has_failed and not is_named
        if o.node in cause_of:
            cause = cause_of[o.node]
            result.causes[cause] = result.causes.get(cause, 0) + 1
        elif has_failed:
            result.unexpected.append(f"fails: {o.node}: {o.message}")
    for k in known:
        passed = [o for o in outcomes if o.outcome == "passed" and k.matches(o)]
        result.unexpected += [f"passes, and is listed as {k.pattern}: {o.node}" for o in passed]
    return result


def _failures_without_change(files: list[str], unknown: list[Outcome]) -> set[str]:
    """Return the unknown failures that also fail without a change."""
    tests: dict[str, list[str]] = {}
    for file in files:
        names = {o.test for o in unknown if o.test.startswith(_place(file) + "::")}
        if names:
            tests[file] = sorted(names)
    if not tests:
        return set()
    return {o.test for o in run(list(tests), False, tests) if o.outcome == "failed"}


def files_that_name_float16() -> list[str]:
    """Return the installed NumPy's test files that name float16."""
    files = []
    for path in sorted(NUMPY.glob("**/tests/test_*.py")):
        if "f2py" in path.parts or "typing" in path.parts:
            continue
        if substitute(path.read_text(encoding="utf-8")).lines:
            files.append(path.relative_to(NUMPY).as_posix())
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="such as _core/tests/test_half.py")
    parser.add_argument("--all", action="store_true", help="every file that names float16")
    parser.add_argument("--write", metavar="FILE", help="keep the numbers, as JSON")
    options = parser.parse_args()
    files = options.files or (files_that_name_float16() if options.all else list(QUICK))
    result = compare(files)
    print(*result.unexpected, sep="\n")
    named, others = result.named - result.failed_named, result.others - result.failed_others
    print(f"tests that name float16: {named} of {result.named} pass with half")
    print(f"other tests of these files: {others} of {result.others}")
    for cause, count in result.causes.items():
        print(f"{count:6} {cause}")
    if options.write:
        numbers = {
            "numpy": np.__version__, "files": len(files), "named": [named, result.named],
            "others": [others, result.others], "causes": result.causes,
        }  # fmt: skip
        Path(options.write).write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    return bool(result.unexpected)


if __name__ == "__main__":
    sys.exit(main())
