"""Check the words of the code: docstrings, names of functions and variables, commit subjects.

Python files are parsed. Cython's are read line by line, and so are comments of C, OpenCL and CUDA.

    python tools/check_words.py                    files outside UNFINISHED, and subjects of commits
    python tools/check_words.py src/halfcl/safe    these files and folders
    python tools/check_words.py --count            how often each rule is broken, per folder

The exit status is 1 if a rule is broken. CONTRIBUTING.md has the rules. ruff checks that docstrings
of functions begin with a verb (D401).
"""

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("setup.py", "src", "csrc", "tests", "tools", "bench", "examples")

#: Files and folders whose words are not rewritten yet.
UNFINISHED: tuple[str, ...] = ()

#: Files that other programs write from checked ones.
GENERATED = ("src/halfcl/_core/native.c", "src/halfcl/device/kernels.h")

#: Commits before this one had other subjects.
OTHER_SUBJECTS_BEFORE = "046b701a4a1445a4b09400f305d95023d8f76b78"

#: First words of fragments: they refer to something that the docstring does not name.
FRAGMENT = re.compile(r"(Of|What|The same|As|Those|Where|Whose|Which|Beside|Besides|Whether)\b")

#: Past participles that do not end in -ed.
PARTICIPLES = frozenset(
    "begun bound built chosen cut done drawn found given gone held hidden kept known laid "
    "left lost made meant met put read said seen sent set shown split spread stood taken "
    "told thrown understood won written".split()
)

#: Functions that may be named so: they change nothing and Python names its own alike, or the word
#: is a verb or a noun, too, or names a form of a formula (compensated, factored); `_unpickled`
#: stands in pickles.
ALLOWED_FUNCTIONS = frozenset(
    "accelerated compensated cut embed factored feed need proceed put read reversed seed set "
    "sorted speed split spread unpickled".split()
)

#: Variables that do not say what they hold.
VAGUE = frozenset("found given it left made said told".split())

#: Vague names that are the right ones, by file: "left" beside "right", say.
ALLOWED_VARIABLES: dict[str, frozenset[str]] = {
    "bench/kernels.py": frozenset({"left"}),
    "bench/roofline.py": frozenset({"left"}),
    "src/halfcl/_core/operators.pxi": frozenset({"left"}),
    "src/halfcl/_core/products.pxi": frozenset({"left"}),
    "src/halfcl/stability/_programs/_rewriting/formulas.py": frozenset({"left"}),
    "src/halfcl/cl/_interpreter/generation/expressions/conditions.py": frozenset({"left"}),
    "src/halfcl/cl/_interpreter/generation/expressions/numbers.py": frozenset({"left"}),
    "src/halfcl/cl/_frontend/parsing/operators.py": frozenset({"left"}),
    "src/halfcl/cl/_translation/cpp/expressions.py": frozenset({"left"}),
    "src/halfcl/cl/_frontend/tree.py": frozenset({"left"}),
    "tools/make_errors_picture.py": frozenset({"left"}),
    "tools/make_ranges_picture.py": frozenset({"left"}),
}

CYTHON = frozenset({".pxd", ".pxi", ".pyx"})
C = frozenset({".c", ".cl", ".cu", ".cuh", ".h"})
CHECKED = frozenset({".py"}) | CYTHON | C

#: A line of Cython that begins a definition; the last name before the parenthesis is its name.
DEFINITION = re.compile(r"\s*(?:async )?(?:def|cdef|cpdef|class) [^=#]*?(\w+)\(")
#: A line of Cython that declares or assigns variables, without "cdef" and types; a loop's line.
ASSIGNMENT = re.compile(
    r"\s*(?:cdef [\w.]+(?: \w+)*?[ *]+)?([\w, *\[\]]+?)(?: = .*| \W?= .*)?|\s*for ([\w, ]+) in .*"
)
COMMENT = re.compile(r"(?:/\*+|//+) *(\S.*)")

SUBJECT = re.compile(r"(?:Merge: |[\w./*, -]+: )\S.*[^.]")
MACHINE_PATH = re.compile(r"(?:^|\s)/(?:home|root|tmp|work|mnt|build)/")


class Breach(NamedTuple):
    """A place where a rule is broken."""

    path: Path
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.rule}: {self.text}"


def breaches(path: Path) -> Iterator[Breach]:
    """Yield the breaches in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in CYTHON | C:
        lines = text.splitlines()
        places = _in_comments(lines) if path.suffix in C else _in_cython(lines, path)
        yield from (Breach(path, *one) for one in places)
        return
    for node in ast.walk(ast.parse(text)):
        for line, rule, text in (
            *_fragments(node),
            *_participles(node),
            *_vague(node, path),
        ):
            yield Breach(path, line, rule, text)


def _fragments(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
        first = (ast.get_docstring(node) or "").partition("\n")[0]
        if FRAGMENT.match(first):
            yield getattr(node, "lineno", 1), "docstring is a fragment", first


def _participles(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    if (
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _is_participle(node.name)
        and not _is_property(node)
    ):
        yield node.lineno, "function is named by a participle", node.name


def _is_participle(name: str) -> bool:
    word = name.strip("_")
    is_participle = word in PARTICIPLES or (word.endswith("ed") and "_" not in word)
    return is_participle and word not in ALLOWED_FUNCTIONS


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        "property" in ast.unparse(x) or ".setter" in ast.unparse(x) for x in node.decorator_list
    )


def _vague(node: ast.AST, path: Path) -> Iterator[tuple[int, str, str]]:
    for target in _targets(node):
        for name in ast.walk(target):
            if isinstance(name, ast.Name) and name.id in VAGUE and not _is_allowed(path, name.id):
                yield name.lineno, "variable does not say what it holds", name.id


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(
        node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.For | ast.comprehension
    ):
        return [node.target]
    return []


def _is_allowed(path: Path, name: str) -> bool:
    return name in ALLOWED_VARIABLES.get(path.relative_to(ROOT).as_posix(), ())


def _in_comments(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the comments of C that begin with a fragment."""
    for number, line in enumerate(lines, 1):
        if (match := COMMENT.search(line)) and FRAGMENT.match(match[1]):
            yield number, "comment is a fragment", match[1]


def _in_cython(lines: list[str], path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the breaches in lines of Cython."""
    yield from _in_comments(lines)
    is_text = False  # within a string of several lines: a docstring, or C
    for number, line in enumerate(lines, 1):
        quotes = line.count('"""')
        if quotes and not is_text and FRAGMENT.match(line.partition('"""')[2]):
            yield number, "docstring is a fragment", line.strip()
        if not quotes and not is_text:
            yield from _names_in_cython(number, line.partition("#")[0].rstrip(), path)
        is_text ^= quotes % 2 == 1


def _names_in_cython(number: int, line: str, path: Path) -> Iterator[tuple[int, str, str]]:
    if match := DEFINITION.match(line):
        if _is_participle(match[1]):
            yield number, "function is named by a participle", match[1]
    elif match := ASSIGNMENT.fullmatch(line):
        for name in re.findall(r"\w+", match[1] or match[2]):
            if name in VAGUE and not _is_allowed(path, name):
                yield number, "variable does not say what it holds", name


def wrong_subjects() -> list[str]:
    """Return the subjects of commits that do not say what changed where.

    Without git, or its history, there are none.
    """
    command = ["git", "log", "--format=%h %s", f"{OTHER_SUBJECTS_BEFORE}.."]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    subjects = [line.partition(" ") for line in result.stdout.splitlines()]
    return [
        f"{commit}: subject is no 'where: what changed': {subject}"
        for commit, _, subject in subjects
        if not SUBJECT.fullmatch(subject) or MACHINE_PATH.search(subject)
    ]


def _files(names: list[str]) -> Iterator[Path]:
    for name in names or FOLDERS:
        path = (ROOT / name).resolve()
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            others = GENERATED if names else GENERATED + UNFINISHED
            if file.suffix in CHECKED and not _is_in(file, others):
                yield file


def _is_in(path: Path, parts: tuple[str, ...]) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return any(name == part or name.startswith(f"{part}/") for part in parts)


def _counts(places: list[Breach]) -> str:
    counts = Counter((place.path.parent, place.rule) for place in places)
    lines = [f"{n:5}  {p.relative_to(ROOT)}: {rule}" for (p, rule), n in sorted(counts.items())]
    return "\n".join([*lines, f"{len(places):5}  in all"])


def main() -> int:
    """Print what breaks the rules; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", help="files and folders")
    parser.add_argument("--count", action="store_true", help="print counts per folder, of all")
    options = parser.parse_args()
    paths = list(FOLDERS) if options.count and not options.paths else options.paths
    places = [breach for path in _files(paths) for breach in breaches(path)]
    if options.count:
        print(_counts(places))
        return 0
    problems = [*map(str, places), *([] if paths else wrong_subjects())]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
