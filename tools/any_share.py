"""Measure which share of the package's annotations is Any.

    python tools/any_share.py             the share, by part of the package
    python tools/any_share.py audit       and the places in that part
    python tools/any_share.py --most 5    fails above 5 %, naming the worst files

Counted are the annotations of parameters and results, and of classes' fields, which are parameters
of what makes their objects: all in src/halfcl that is written by hand, .py and .pyi. One is Any if
it has a bare Any where a type could stand: `Any`, `Any | None`, `dict[str, Any]`,
`Callable[..., Any]`, `tuple[Any, ...]`, `*args: Any`; or a name that stands for such a type. An
array of any dtype is a type: `NDArray[Any]`, `np.ndarray[Any, Any]`, as is `np.dtype[Any]`.

mypy's --any-exprs-report counts expressions, of which most are Any by NumPy's and others' types.
"""

import argparse
import ast
import functools
import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "halfcl"

#: Generated files.
MADE = {PACKAGE / x for x in ("__init__.pyi", "_callables.pyi", "vectors/__init__.pyi")}

#: Types in whose brackets Any stands for any shape or scalar type, or for no type.
NO_ANY = {"NDArray", "ndarray", "dtype", "integer", "floating", "Literal"}


#: The kinds of nodes that may be a type.
_TYPES = ast.Subscript | ast.BinOp | ast.Name

#: The kinds of nodes outside expressions. In these nothing has an annotation.
_OUTSIDE = ast.stmt | ast.excepthandler | ast.match_case | ast.arguments | ast.arg


class Place(NamedTuple):
    """An annotation, with its place in a file."""

    path: Path
    line: int
    text: str
    is_any: bool

    @property
    def file(self) -> str:
        return self.path.relative_to(PACKAGE).as_posix()

    @property
    def part(self) -> str:
        """The part of the package that the file belongs to."""
        return self.file.partition("/")[0]


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """Return a file's statements and parameters; to walk all of its tree takes longer."""
    reached: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in reached:
        reached += [child for child in ast.iter_child_nodes(node) if isinstance(child, _OUTSIDE)]
    return reached


def annotations_of(path: Path) -> Iterator[ast.expr]:
    for node in nodes(path):
        if isinstance(node, ast.arg) and node.annotation:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            yield node.returns
        elif isinstance(node, ast.ClassDef):
            yield from (field.annotation for field in node.body if isinstance(field, ast.AnnAssign))


def has_any(node: ast.AST, path: Path) -> bool:
    """Return whether a type, as written in a file, has a bare Any."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):  # a type in quotes
        return has_any(ast.parse(node.value, mode="eval").body, path)
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).rpartition(".")[2] in NO_ANY:
        return False
    if isinstance(node, ast.Attribute):
        return node.attr == "Any"
    if isinstance(node, ast.Name):
        return node.id == "Any" or stands_for_any(node.id, path)
    return any(has_any(part, path) for part in ast.iter_child_nodes(node))


def stands_for_any(name: str, path: Path) -> bool:
    """Return whether a name in a file names a type with a bare Any, defined there or imported."""
    if source := imports(path).get(name):
        return stands_for_any(source[1], source[0])
    value = aliases(path).get(name)
    if value is None or (name, path) in looked_up:  # an alias may refer to itself
        return False
    looked_up.append((name, path))
    try:
        return has_any(value, path)
    finally:
        looked_up.pop()


#: The aliases that are being looked up.
looked_up: list[tuple[str, Path]] = []


@functools.cache
def aliases(path: Path) -> dict[str, ast.expr]:
    """Return the aliases that a file defines by `Name: TypeAlias = type` or `Name = type`."""
    types = {}
    for node in nodes(path):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            types[ast.unparse(node.target)] = node.value or node.target
        elif isinstance(node, ast.Assign) and isinstance(node.value, _TYPES):
            types[ast.unparse(node.targets[0])] = node.value
    return types


@functools.cache
def imports(path: Path) -> dict[str, tuple[Path, str]]:
    """Return a file's imports from the package, each with its file and its name there."""
    return {
        alias.asname or alias.name: (source, alias.name)
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (source := module_file(node.module))
        for alias in node.names
        if source != path
    }


def module_file(name: str | None) -> Path | None:
    """Return the file of one of the package's modules."""
    if name is None or name.partition(".")[0] != PACKAGE.name:
        return None
    path = PACKAGE.parent.joinpath(*name.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)


def places() -> list[Place]:
    files = sorted({*PACKAGE.glob("**/*.py"), *PACKAGE.glob("**/*.pyi")} - MADE)
    return [
        Place(path, node.lineno, ast.unparse(node), has_any(node, path))
        for path in files
        for node in annotations_of(path)
    ]


def share(annotated: Iterable[Place]) -> float:
    """Return the share of annotations that are Any, in per cent."""
    kinds = Counter(place.is_any for place in annotated)
    return 100 * kinds[True] / kinds.total()


def table(annotated: list[Place], group: Callable[[Place], str]) -> list[str]:
    """Return the lines of a table, sorted by the number of Any."""
    total, bare = Counter(map(group, annotated)), Counter(group(p) for p in annotated if p.is_any)
    order = sorted(total, key=lambda name: (-bare[name], name))
    return [f"{bare[k]:5} of {total[k]:5} {100 * bare[k] / total[k]:6.1f} %  {k}" for k in order]


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("part", nargs="?", help="part of the package whose places to show")
    parser.add_argument("--most", type=float, metavar="PERCENT", help="fail if the share is larger")
    args = parser.parse_args()
    gc.disable()  # all trees are kept, and collecting takes as long as parsing
    annotated = places()
    print(*table(annotated, lambda place: place.part), sep="\n")
    print(f"{share(annotated):.1f} % of {len(annotated)} annotations are Any")
    for place in annotated:
        if place.part == args.part and place.is_any:
            print(f"{place.path}:{place.line}: {place.text}")
    if args.most is not None and share(annotated) > args.most:
        worst = table(annotated, lambda place: place.file)[:10]
        sys.exit("\n".join([f"more than {args.most:g} %; the worst files:", *worst]))


if __name__ == "__main__":
    main()
