"""NumPy's own tests with half in float16's place: `python tools/numpy_tests.py [--all] [file ...]`.

Takes the test files of the NumPy that is installed, puts halfcl.half wherever they say float16
(by name, by character code, in lists of types), and runs them beside what they were. Prints how
many of the tests that pass as they were also pass with half, of those that name float16 and of
the others in the same files; and those that do not, by cause (tests/data/numpy_tests.txt).

--all runs every file that names float16 (minutes); otherwise those of QUICK.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

NUMPY = Path(np.__file__).parent
#: Failures that are known, each with its cause.
KNOWN = Path(__file__).parents[1] / "tests" / "data" / "numpy_tests.txt"

#: What takes a quarter of a minute, together.
QUICK = ("_core/tests/test_half.py", "_core/tests/test_scalar_ctors.py")

#: Texts that name float16 where they are all of a string; and code for it.
CODES = {
    "e": "_half", "f2": "_half", "<f2": "_half", "=f2": "_half", "float16": "_half",
    "half": "_half", ">f2": "_half_swapped",
}  # fmt: skip
#: Strings of character codes, of which one is float16's.
LISTS = {"efdg", "efdgFDG", "efd", "ef", "fdge", "eg", "?bhilqpBHILQPefdgFDG"}

HEADER = (
    "import halfcl as _halfcl; import numpy as _np; _half = _halfcl.half; float16 = half = _half; "
    "_half_swapped = _np.dtype(_half).newbyteorder('>')"
)

PLUGIN = """
import json, os
def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        text = str(report.longrepr).strip().splitlines()[-1] if report.failed else ""
        with open(os.environ["NUMPY_TESTS_OUTCOMES"], "a") as file:
            print(json.dumps([report.nodeid, report.outcome, text]), file=file)
"""


PYTEST = """[pytest]
filterwarnings =
    error
    ignore::pytest.PytestWarning
    ignore:the matrix subclass
"""


# ------------------------------------------------------------------ substitution


@dataclass
class Substitution:
    """A file's text with half in float16's place, and the lines where it was put."""

    text: str
    lines: set[int] = field(default_factory=set)


def _replacement(tokens: list[tokenize.TokenInfo], i: int, importing: bool) -> str | None:
    """What stands for a token; None: itself."""
    token = tokens[i]
    if token.type == tokenize.NAME and token.string in ("float16", "half"):
        after_point = i > 0 and tokens[i - 1].string == "."
        if importing:
            return f"{token.string} as _numpy_{token.string}"
        if after_point and tokens[i - 2].string in ("np", "numpy"):
            return token.string + " and _half"
        return None
    if token.type == tokenize.STRING and token.string[0] in "'\"":
        return _code_of_string(ast.literal_eval(token.string))
    return None


def _code_of_string(text: str) -> str | None:
    if text in CODES:
        return CODES[text]
    if text in LISTS:
        return f"[_half if c == 'e' else c for c in {text!r}]"
    return None


def _is_import(line: str) -> bool:
    return line.lstrip().startswith("from numpy")


def substitute(text: str) -> Substitution:
    """The text of a test file with half in float16's place."""
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    result = Substitution("")
    importing = False
    edits: list[tuple[int, int, int, str]] = []
    for i, token in enumerate(tokens):
        if token.type == tokenize.NEWLINE:
            importing = False
        elif token.string == "from" and _is_import(token.line):
            importing = True
        found = _replacement(tokens, i, importing)
        row, start = token.start
        if found is not None:
            if found.endswith(" and _half"):  # np.float16: the module goes, too
                found, start = "_half", tokens[i - 2].start[1]
            edits.append((row, start, token.end[1], found))
        if not importing and (found is not None or token.string in ("float16", "half")):
            result.lines.add(row)
    for row, start, end, new in sorted(edits, reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    lines.insert(_after_docstring(text), HEADER + "\n")
    result.text = "".join(lines)
    return result


def _after_docstring(text: str) -> int:
    """The line after which code may be put."""
    last = 0
    for node in ast.parse(text).body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            last = node.end_lineno or last
        else:
            break
    return last


def functions_of(text: str, lines: set[int]) -> set[str]:
    """Names of test functions, as in node ids, that contain one of the lines."""
    found = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef) and child.name.startswith("Test"):
                visit(child, f"{prefix}{child.name}::")
            elif isinstance(child, ast.FunctionDef) and child.name.startswith("test"):
                start = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                if any(start <= line <= (child.end_lineno or start) for line in lines):
                    found.add(prefix + child.name)

    visit(ast.parse(text), "")
    return found


# ------------------------------------------------------------------ running


@dataclass
class Outcomes:
    """What came of a run: by test function, the outcomes of its cases in order."""

    cases: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, node: str, outcome: str, text: str) -> None:
        self.cases.setdefault(node.partition("[")[0], []).append((outcome, text))


def _copy(files: list[str], folder: Path, changed: bool) -> dict[str, set[str]]:
    """The files' folders of tests; of each file, the functions that name float16."""
    named = {}
    for name in sorted({str(Path(file).parent) for file in files}):
        to = folder / name.replace("/", "_")
        shutil.copytree(NUMPY / name, to, ignore=shutil.ignore_patterns("__pycache__", "test_*.py"))
        (to / "__init__.py").touch()
    for file in files:
        text = (NUMPY / file).read_text(encoding="utf-8")
        substitution = substitute(text)
        named[_place(file)] = functions_of(text, substitution.lines)
        new = substitution.text if changed else text
        (folder / _place(file)).write_text(new, encoding="utf-8")
    return named


def _place(file: str) -> str:
    path = Path(file)
    return f"{str(path.parent).replace('/', '_')}/{path.name}"


def _run(files: list[str], changed: bool, only_named: bool) -> tuple[Outcomes, dict[str, set[str]]]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        named = _copy(files, folder, changed)
        (folder / "numpy_tests_plugin.py").write_text(PLUGIN)
        (folder / "pytest.ini").write_text(PYTEST)
        shutil.copy(NUMPY / "conftest.py", folder)
        log = folder / "outcomes"
        log.touch()
        chosen = [
            f"{place}::{name}" for place, names in named.items() for name in sorted(names)
        ] if only_named else list(named)  # fmt: skip
        environment = {
            **os.environ,
            "NUMPY_TESTS_OUTCOMES": str(log),
            "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        }
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "numpy_tests_plugin", "-p",
             "no:cacheprovider", "-p", "no:xdist", "--continue-on-collection-errors",
             "-m", "not slow", *chosen],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        outcomes = Outcomes()
        for line in log.read_text().splitlines():
            outcomes.add(*json.loads(line))
        return outcomes, named


@dataclass
class Result:
    """Of the tests that pass with float16: how many there are, and those that fail with half."""

    named: int = 0
    others: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    failed_named: int = 0

    def add(self, node: str, is_named: bool, message: str | None) -> None:
        self.named += is_named
        self.others += not is_named
        if message is not None:
            self.failures[node] = message
            self.failed_named += is_named


def compare(files: list[str], only_named: bool = False) -> Result:
    """Run the files as they are and with half."""
    usual, named = _run(files, False, only_named)
    changed, _ = _run(files, True, only_named)
    result = Result()
    for function, cases in usual.cases.items():
        place, _, name = function.partition("::")
        for i, (outcome, _) in enumerate(cases):
            if outcome != "passed":
                continue
            got = changed.cases.get(function, [])
            after, text = got[i] if i < len(got) else ("missing", "was not collected")
            message = None if after in ("passed", "skipped") else text
            result.add(f"{function}#{i}", name in named[place], message)
    return result


def files_that_name_float16() -> list[str]:
    """All of the installed NumPy's."""
    found = []
    for path in sorted(NUMPY.glob("**/tests/test_*.py")):
        if "f2py" in path.parts or "typing" in path.parts:
            continue
        if substitute(path.read_text(encoding="utf-8")).lines:
            found.append(path.relative_to(NUMPY).as_posix())
    return found


def known_causes() -> dict[str, str]:
    """Of each failure that is known, why: lines of a cause, its tests indented under it."""
    causes, cause = {}, ""
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            causes[line.strip()] = cause
        elif line and not line.startswith("#"):
            cause = line
    return causes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="such as _core/tests/test_half.py")
    parser.add_argument("--all", action="store_true", help="every file that names float16")
    parser.add_argument("--named", action="store_true", help="only the tests that name float16")
    options = parser.parse_args()
    files = options.files or (files_that_name_float16() if options.all else list(QUICK))
    result = compare(files, options.named)
    causes = known_causes() if KNOWN.exists() else {}
    for node, message in result.failures.items():
        print(f"{causes.get(node.partition('#')[0], 'UNKNOWN')}: {node}: {message}")
    named, others = result.named - result.failed_named, len(result.failures) - result.failed_named
    print(f"tests that name float16: {named} of {result.named} pass with half")
    print(f"other tests of these files: {result.others - others} of {result.others}")
    print(Counter(causes.get(node.partition("#")[0], "UNKNOWN") for node in result.failures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
