"""Draw which part depends on which for docs/project/architecture.md, and check the layers.

    python tools/dependencies.py          the picture, as Mermaid text
    python tools/dependencies.py --write  writes it into docs/project/architecture.md
    python tools/dependencies.py --needs  what each .pxi file of the extension module needs

tests/project/test_architecture.py asserts that there are no circles, and no `problems`.
"""

from __future__ import annotations

import ast
import functools
import keyword
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE, PACKAGE = ROOT / "csrc", ROOT / "src" / "halfcl"
CORE = PACKAGE / "_core"
PAGE = ROOT / "docs" / "project" / "architecture.md"

#: The source of device functions, which a build makes; the engine's tests compile it as C.
MADE = "device/kernels.h"

#: The one file that includes a header by macro; the header is an instruction set's or devices'.
BY_MACRO, OF_DEVICES = "simd/vocabulary.h", "simd/device.h"

#: The folder that all kernels may include, and the families of kernels.
UNDER_KERNELS = ("include", "format", "env", "simd", "exact")
FAMILIES: dict[str, tuple[str, ...]] = {
    "kernels/shared": (),
    "kernels/elementwise": ("kernels/shared",),
    "kernels/functions": ("kernels/shared", "kernels/elementwise"),
    "kernels/folds": ("kernels/shared", "kernels/elementwise"),
    "kernels/vectors": ("kernels/shared", "kernels/folds"),
    "kernels/images": ("kernels/shared",),
    "kernels/intervals": ("kernels/shared", "kernels/functions"),
    "kernels/numbers": ("kernels/shared", "kernels/elementwise"),
    "kernels/order": ("kernels/shared",),
}

#: The folders that each of the engine's folders may include, besides itself.
ENGINE_LAYERS: dict[str, tuple[str, ...]] = {
    "include": (),
    "format": ("include",),
    "env": ("include",),
    "simd": ("include", "format"),
    "exact": ("include", "format"),
    **{family: (*UNDER_KERNELS, *others) for family, others in FAMILIES.items()},
    "run": ("include", "format", "env", "exact"),
    "targets": ("include", "env", "simd", *FAMILIES),
    "device": ("include", "format", "simd", "exact", *FAMILIES),
    "layer": (),
    "tests": ("include", "format", "env", "simd", "exact", "run", "targets", "device"),
}

#: The package's parts from the bottom up: each may import the parts in rows above its own.
PACKAGE_LAYERS: tuple[tuple[str, ...], ...] = (
    ("_support",),
    ("_core",),
    ("_annotations",),
    ("typing",),
    ("_tables",),
    ("_settings", "vectors"),
    ("_opencl",),
    ("reductions", "_images"),
    ("_numpy",),
    ("halfcl",),  # the package itself: the public names
    ("device",),
    ("_anatomy", "_demo", "_drawing", "_installation", "_startup"),
    ("arrays", "audit", "check", "cl", "dask", "interval", "io"),
    ("stability", "testing"),
    ("_speedup", "plots", "safe"),
    ("_command",),
    ("__main__",),
)

#: The rooms of large packages, from the bottom up: each may import the rooms in rows above its own.
#: A room is a sub-package or a loose module. The picture has only the packages.
ROOM_LAYERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "cl": (
        ("_frontend",),
        ("_interpreter", "_translation"),
        ("_devices", "_layer"),
        ("_program",),
        ("__init__", "_command"),
        ("pyopencl",),
    ),
    "cl._frontend": (
        ("attributes", "errors", "types"),
        ("builtins",),
        ("tree",),
        ("arithmetic", "flow", "fusion", "guards", "literals"),
        ("calls", "preprocessing"),
        ("pragmas",),
        ("refusals",),
        ("listing", "parsing"),
        ("source",),
    ),
    "cl._interpreter": (
        ("values",),
        ("groups", "memory"),
        ("contraction",),
        ("findings",),
        ("launching",),
        ("builtins", "checking", "subsets"),
        ("generation",),
        ("kernel",),
    ),
    "arrays": (
        ("_adapter", "_cuda", "_libraries", "_nccl"),
        ("_on_device",),
        ("_cupy", "_jax", "_pyopencl", "_torch"),
        ("__init__",),
    ),
    "audit": (
        ("_records",),
        ("_results",),
        ("_tables", "_targets"),
        ("_families", "_report"),
        ("_output", "_running"),
        ("__init__",),
    ),
    "interval": (
        ("_bounds",),
        ("_arrays", "_reverse"),
        ("_decorated", "_plotting"),
        ("_functions",),
        ("_vectors",),
        ("_protocols",),
        ("_formulas",),
        ("__init__",),
    ),
}

#: The most modules that lie loose in a package, besides __init__.
MOST_LOOSE_MODULES = 10

#: Dependencies that break the rules; each is to be removed.
EXCEPTIONS: dict[tuple[str, str], str] = {}

Edges = dict[str, set[str]]


# ---------------------------------------------------------------- the engine


def engine_files() -> list[Path]:
    return sorted(p for p in ENGINE.glob("**/*.[ch]") if "build" not in p.relative_to(ENGINE).parts)


def includes(path: Path, pattern: str = r'#include "(.*?)"') -> list[str]:
    return re.findall(pattern, path.read_text(encoding="utf-8"))


def included_file(path: Path, name: str) -> Path:
    """Return the file that an #include names, as the compiler resolves it."""
    for folder in (ENGINE, ENGINE / "include", path.parent):
        if (folder / name).exists():
            return (folder / name).resolve()
    raise FileNotFoundError(f"{path}: #include {name!r}")


@functools.cache
def engine_edges() -> Edges:
    """Return the files of the engine, and those that each includes or declares functions of."""
    edges = {
        str(path.relative_to(ENGINE)): {
            str(included_file(path, name).relative_to(ENGINE))
            for name in includes(path)
            if name != MADE
        }
        for path in engine_files()
    }
    edges[BY_MACRO] |= vocabularies()
    headers = (path for path in engine_files() if path.suffix == ".h")
    texts = {str(path.relative_to(ENGINE)): path.read_text(encoding="utf-8") for path in headers}
    for name, others in declaration_edges(texts).items():
        edges[name] |= others
    return edges


def declaration_edges(headers: Mapping[str, str]) -> Edges:
    """Return the headers that declare functions without a body, and those that define these.

    Such a forward declaration lets two headers call each other, though only one includes the other.
    """
    functions = {name: functions_of(text) for name, text in headers.items()}
    return {
        name: {
            other
            for other, (_, defined) in functions.items()
            if other != name and declared & defined
        }
        for name, (declared, _) in functions.items()
    }


_NOT_C = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)", re.DOTALL)
_HEAD_OF_FUNCTION = re.compile(r"[\w*]\s+\**(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$")


def functions_of(text: str) -> tuple[set[str], set[str]]:
    """Return the static functions that C code only declares, and all functions that it defines.

    A static function must be defined in another header; others are those of C files. Functions
    inside macros do not count.
    """
    declared, defined = set[str](), set[str]()
    depth, start = 0, 0
    text = _ATTRIBUTE.sub("", _NOT_C.sub("", text))
    for match in re.finditer(r"[{};]", text):
        mark = match.group()
        if depth == 0 and mark in "{;":
            statement = text[start : match.start()]
            head = _HEAD_OF_FUNCTION.search(statement)
            if head and not re.search(r"\btypedef\b|=", statement):
                if mark == "{":
                    defined.add(head[1])
                elif re.search(r"\b(?:static|ALWAYS_INLINE)\b", statement):
                    declared.add(head[1])
        depth += (mark == "{") - (mark == "}")
        if depth == 0:
            start = match.end()
    return declared - defined, defined


def vocabularies() -> set[str]:
    """Return the headers of instruction sets that simd/vocabulary.h may stand for."""
    define = r'#define HALFCL_VOCABULARY "(.*?)"'
    sets = (name for path in ENGINE.glob("targets/*.c") for name in includes(path, define))
    return {OF_DEVICES, *sets}


def room(path: str) -> str:
    """Return the folder that holds a file of the engine; for a kernel, its family's."""
    parts = Path(path).parts
    return "/".join(parts[: 2 if parts[0] == "kernels" else 1])


def includes_of_python() -> list[str]:
    """Return the engine's includes of Python's or NumPy's headers; there should be none."""
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path in engine_files()
        for name in includes(path, r'#include [<"](.*?)[>"]')
        if re.match(r"Python\.h|numpy/|cpython/", name)
    ]


# ---------------------------------------------------------------- the package


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree: ast.AST, modules: Iterable[str]) -> Iterator[str]:
    """Yield the package's modules that code imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module


@functools.cache
def package_edges() -> Edges:
    """Return the package's modules, and the modules that each imports."""
    files = {module_name(path): path for path in sorted(PACKAGE.glob("**/*.py"))}
    return {
        name: set(imports_of(ast.parse(path.read_text(encoding="utf-8")), files)) - {name}
        for name, path in files.items()
    }


def part(module: str) -> str:
    """Return the part of the package that a module belongs to."""
    return module.split(".")[1] if "." in module else module


def room_of(module: str, package: str) -> str | None:
    """Return the room of a package that a module is in; None for modules of other packages."""
    name = f"halfcl.{package}"
    if module == name:
        return "__init__"
    return module.removeprefix(f"{name}.").split(".")[0] if module.startswith(f"{name}.") else None


def room_problems() -> list[str]:
    """Return imports between the rooms of a package that are against its layers."""
    problems = []
    for package, rows in ROOM_LAYERS.items():
        for module, others in package_edges().items():
            for other in sorted(others):
                one, another = room_of(module, package), room_of(other, package)
                if one is None or another in (None, one):
                    continue
                if not rank(one, rows) > rank(another, rows) >= 0:
                    problems.append(f"{package}: {one} depends on {another}: {module}")
    return problems


def crowded_packages() -> dict[str, int]:
    """Return the packages with too many loose modules, and their numbers."""
    loose = Counter(
        ".".join(path.parent.relative_to(PACKAGE).parts)
        for path in PACKAGE.glob("**/*.py")
        if path.name != "__init__.py"
    )
    return {name: n for name, n in loose.items() if n > MOST_LOOSE_MODULES}


# ---------------------------------------------------------------- the extension module

_STRING = re.compile(
    r'"""[\s\S]*?"""' r"|'''[\s\S]*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'"
)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_BLOCK = re.compile(r"(?:cdef |ctypedef )?(?:class|struct|union) (\w+)|def (\w+)")


@functools.cache
def code_of(path: Path) -> str:
    """Return a file's Cython without comments, strings, and line breaks inside brackets."""
    text = re.sub(r"#.*", "", _STRING.sub('""', path.read_text(encoding="utf-8")))
    lines: list[str] = []
    depth = 0
    for line in text.splitlines():
        if depth > 0 and lines:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
    return "\n".join(lines)


def defined_names(path: Path) -> set[str]:
    """Return the names that a file defines at its top level, declares extern or imports."""
    names: set[str] = set()
    inside = 0  # the deepest indentation whose lines declare names of the file
    for line in code_of(path).splitlines():
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if not text or indent > inside:
            continue
        # Names declared extern, and an enum's numbers, are names of the file, too.
        opens = re.match(r"cdef extern|(?:cdef |ctypedef )?enum", text)
        inside = indent + 4 if opens else indent if indent else 0
        names |= names_of(text)
    return names


def names_of(line: str) -> set[str]:
    """Return the names that a line of Cython defines or declares."""
    if match := re.match(r"(?:from \S+ )?c?import (.*)", line):
        return {name.split(" as ")[-1].strip(" ()") for name in match[1].split(",")} - {"*"}
    if line.startswith("cdef extern") or re.match(r"(?:for|if|while|with|try|pass)\b", line):
        return set()
    if match := re.match(_BLOCK, line):
        return {match[1] or match[2]}
    if match := re.search(r"(\w+)\)?\(", line.split("=")[0]):
        return {match[1]}  # a function, or a pointer to one
    while _BRACKETS.search(line):
        line = _BRACKETS.sub("", line)
    line = line.removesuffix(":")
    if not re.match(r"cdef |ctypedef |\w[\w *,]*$|\w+(, \w+)* *(?::.*)?=[^=]", line):
        return set()
    pieces = (piece.split("=")[0].split(":")[0] for piece in line.split(","))
    names = {words[-1] for piece in pieces if (words := re.findall(r"\w+", piece))}
    return names - {"enum", *keyword.kwlist}


def pxi_files() -> list[Path]:
    """Return the files of the extension module, in the order of their inclusion."""
    text = (CORE / "native.pyx").read_text(encoding="utf-8")
    return [CORE / name for name in re.findall(r'^include "(.*?)"', text, re.M)]


@functools.cache
def pxi_edges() -> Edges:
    """Return the files of the extension module, each with the files whose names it uses."""
    names = {path.name: defined_names(path) for path in pxi_files()}
    edges = {}
    for path in pxi_files():
        used = set(_NAME.findall(code_of(path))) - names[path.name]
        edges[path.name] = {
            other for other, defined in names.items() if other != path.name and used & defined
        }
    return edges


def needs(path: Path) -> set[str] | None:
    """Return the files that a .pxi file declares by "# Needs: a.pxi, b.pxi", or "nothing"."""
    match = re.search(r"^# Needs: (.*)$", path.read_text(encoding="utf-8"), re.M)
    return set(re.findall(r"\w+\.pxi", match[1])) if match else None


# ---------------------------------------------------------------- rules


def circle(edges: Edges) -> list[str]:
    """Return one circle among the edges; empty if there is none."""
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for other in sorted(edges.get(node, ())):
            if cycle := visit(other, [*path, node]):
                return cycle
        done.add(node)
        return []

    return next((cycle for node in sorted(edges) if (cycle := visit(node, []))), [])


def parts() -> Edges:
    """Return what each of the engine's folders and the package's parts depends on."""
    edges: Edges = {}
    for path, others in engine_edges().items():
        edges.setdefault(f"csrc/{room(path)}", set()).update(f"csrc/{room(o)}" for o in others)
    for module, others in package_edges().items():
        edges.setdefault(part(module), set()).update(map(part, others))
    sources = [path for kind in ("engine.pxd", "*.pyx", "*.pxi", "*.h") for path in CORE.glob(kind)]
    for path in sources:
        for name in includes(path, r'(?:cdef extern from|#include) "(.*?)"'):
            if (ENGINE / "include" / name).exists():
                edges["_core"].add("csrc/include")
            elif (ENGINE / name).exists():
                edges["_core"].add(f"csrc/{room(name)}")
    return {name: others - {name} for name, others in edges.items()}


def rank(name: str, rows: tuple[tuple[str, ...], ...] = PACKAGE_LAYERS) -> int:
    return next((k for k, row in enumerate(rows) if name in row), -1)


def is_allowed(one: str, other: str) -> bool:
    """Return whether the layers let a part depend on another."""
    if one.startswith("csrc/"):
        return other.removeprefix("csrc/") in ENGINE_LAYERS.get(one.removeprefix("csrc/"), ())
    if other.startswith("csrc/"):
        return one == "_core" and other in ("csrc/include", "csrc/run")
    return rank(one) > rank(other) >= 0


def problems() -> list[str]:
    """Return dependencies against the layers, and exceptions that are no longer needed."""
    edges = {(one, other) for one, others in parts().items() for other in others}
    wrong = {edge for edge in edges if not is_allowed(*edge)}
    return [
        *(f"{one} depends on {other}" for one, other in sorted(wrong - EXCEPTIONS.keys())),
        *(f"EXCEPTIONS: {edge} is gone; remove it" for edge in EXCEPTIONS.keys() - wrong),
    ]


# ---------------------------------------------------------------- the picture


def without_shortcuts(edges: Edges) -> Edges:
    """Return the edges that do not follow from others."""

    def reach(node: str) -> set[str]:
        return set().union(*({o} | reach(o) for o in edges.get(node, ())))

    return {
        node: {o for o in others if not any(o in reach(p) for p in others - {o})}
        for node, others in edges.items()
    }


def picture() -> str:
    """Return the picture as Mermaid text, without arrows that follow from others."""
    allowed = {
        one: {o for o in others if (one, o) not in EXCEPTIONS}
        for one, others in parts().items()
        if one != "csrc/tests"
    }
    lines = [
        f"    {one.replace('/', '_')}[{one}] --> {other.replace('/', '_')}[{other}]"
        for one, others in sorted(without_shortcuts(allowed).items())
        for other in sorted(others)
    ]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


_MARKS = re.compile(r"(<!-- dependencies -->\n).*?(<!-- end -->)", re.S)


def page_with_picture(page: str) -> str:
    return _MARKS.sub(lambda match: f"{match[1]}{picture()}\n{match[2]}", page)


def main() -> None:
    if sys.argv[1:] == ["--needs"]:
        for name, others in pxi_edges().items():
            print(f"{name}: # Needs: {', '.join(sorted(others)) or 'nothing'}")
    elif sys.argv[1:] == ["--write"]:
        PAGE.write_text(page_with_picture(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(picture())


if __name__ == "__main__":
    main()
