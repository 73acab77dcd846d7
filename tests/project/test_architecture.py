"""The layers of the architecture: what depends on what, and that there is no circle."""

import importlib.util
import re

import pytest
from places import ROOT


def load():
    """The module tools/dependencies.py."""
    path = ROOT / "tools" / "dependencies.py"
    spec = importlib.util.spec_from_file_location("dependencies", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


house = load()


def test_no_circles():
    assert house.circle(house.engine_edges()) == []
    excepted = {edge for edge in house.EXCEPTIONS if not edge[0].startswith("csrc/")}
    modules = {
        name: {o for o in others if (house.part(name), house.part(o)) not in excepted}
        for name, others in house.package_edges().items()
    }
    assert house.circle(modules) == []
    parts = {
        one: {o for o in others if (one, o) not in house.EXCEPTIONS}
        for one, others in house.parts().items()
    }
    assert house.circle(parts) == []


def test_vocabularies_are_part_of_the_picture():
    """simd/vocabulary.h includes the header of a set, whose name is a macro."""
    headers = house.engine_edges()[house.BY_MACRO]
    assert {"simd/portable.h", "simd/avx2.h", "simd/neon.h", "simd/device.h"} <= headers


def test_layers():
    """Nothing depends on what is above or beside it, except for listed exceptions."""
    assert house.problems() == []


def test_layers_of_rooms():
    """Within a large package, no room depends on one above or beside it."""
    assert house.room_problems() == []


def test_loose_modules():
    """No package has so many loose modules that nobody finds the right one."""
    assert house.crowded_packages() == {}


def test_engine_knows_no_python():
    assert house.includes_of_python() == []


def test_only_the_engine_queries_the_processor():
    """The module queries the engine: Clang 14's __builtin_cpu_supports does not know "f16c"."""
    files = [path for path in house.CORE.iterdir() if path.suffix in (".h", ".pxi", ".pyx")]
    assert files
    assert not [
        path.name for path in files if "__builtin_cpu_supports(" in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("path", house.pxi_files(), ids=lambda path: path.name)
def test_parts_of_the_extension_module(path):
    """A file uses only names of the files that it declares, all of them included before it."""
    order = [other.name for other in house.pxi_files()]
    assert house.needs(path) == house.pxi_edges()[path.name]
    assert house.needs(path) <= set(order[: order.index(path.name)])


def test_all_parts_are_included():
    assert {path.name for path in house.pxi_files()} == {
        path.name for path in house.CORE.glob("*.pxi")
    }


def test_map_names_every_folder():
    """csrc/README.md names the engine's folders, including nested ones."""
    text = (house.ENGINE / "README.md").read_text(encoding="utf-8")
    folders = {
        folder.relative_to(house.ENGINE)
        for path in house.engine_files()
        for folder in path.parents
        if house.ENGINE in folder.parents
    }
    assert len(folders) > 15
    assert [str(f) for f in sorted(folders) if f"`{f.as_posix()}/`" not in text] == []


def test_map_names_existing_files():
    text = (house.ENGINE / "README.md").read_text(encoding="utf-8")
    folders = r"include|format|env|simd|exact|kernels|run|targets|device|tests"
    names = re.findall(rf"`((?:{folders})/[\w./*]+)`", text)
    assert len(names) > 30
    assert [name for name in names if not any(house.ENGINE.glob(name.rstrip("/")))] == []


def test_picture_is_up_to_date():
    page = house.PAGE.read_text(encoding="utf-8")
    assert house.picture() in page, "run tools/dependencies.py --write"


# ---------------------------------------------------------------- the checks find what they are for


def test_loose_files_have_names_of_their_own():
    """Tests put these folders on one path, so that of two files of a name only one is found."""
    folders = ["tests/helpers", "tools", "bench", "bench/unseen", "examples"]
    names = [path.name for folder in folders for path in (ROOT / folder).glob("*.py")]
    assert sorted(names) == sorted({*names})


def test_forward_declaration_closes_circle():
    """a.h includes b.h, which declares a function of a.h without a body."""
    headers = {
        "a.h": """
            #include "b.h"
            #define NEVER(x) static int in_macro(int x);
            static __attribute__((noinline)) int above(int x, int (*f)(int)) /* { */
            {
                return below(x) + f(x);
            }
            """,
        "b.h": """
            typedef int above_type(int x);
            static int above(int x, int (*f)(int));
            static int own(int x);
            bool of_c_file(void);
            ALWAYS_INLINE int below(int x) { return above(x, own); }
            static int own(int x) { return x; }
            """,
    }
    assert house.functions_of(headers["a.h"]) == (set(), {"above"})
    assert house.functions_of(headers["b.h"]) == ({"above"}, {"below", "own"})
    edges = house.declaration_edges(headers)
    assert edges == {"a.h": set(), "b.h": {"a.h"}}
    edges["a.h"].add("b.h")
    assert house.circle(edges) == ["a.h", "b.h", "a.h"]


def test_circles_are_found():
    assert house.circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert house.circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(
    ("one", "other", "allowed"),
    [
        ("csrc/kernels/folds", "csrc/simd", True),
        ("csrc/simd", "csrc/kernels/folds", False),
        ("csrc/kernels/vectors", "csrc/kernels/folds", True),
        ("csrc/kernels/folds", "csrc/kernels/vectors", False),
        ("csrc/format", "csrc/run", False),
        ("_core", "csrc/run", True),
        ("_core", "csrc/kernels/folds", False),
        ("vectors", "csrc/include", False),
        ("reductions", "_opencl", True),
        ("_tables", "_core", True),
        ("_core", "_tables", False),
        ("reductions", "_images", False),  # neighbours
        ("_opencl", "halfcl", False),
        ("unheard_of", "_core", False),
        ("_demo", "unheard_of", False),
    ],
)
def test_rules(one, other, allowed):
    assert house.is_allowed(one, other) is allowed


@pytest.mark.parametrize(
    ("module", "package", "room"),
    [
        ("halfcl.cl._frontend.tree", "cl", "_frontend"),
        ("halfcl.cl._frontend.tree", "cl._frontend", "tree"),
        ("halfcl.cl", "cl", "__init__"),
        ("halfcl.cl.pyopencl", "cl", "pyopencl"),
        ("halfcl.device", "cl", None),
        ("halfcl.clx", "cl", None),
    ],
)
def test_rooms_of_modules(module, package, room):
    assert house.room_of(module, package) == room


def test_defined_names_of_cython(tmp_path):
    """A file defines top-level names: neither fields, locals, comments nor strings."""
    path = tmp_path / "a.pxi"
    path.write_text(
        "# cdef int commented\n"
        "from libc.string cimport memcpy, memset as fill\n"
        'cdef extern from "x.h" nogil:\n'
        "    ctypedef struct Pair:\n"
        "        int field\n"
        "    int c_function(Pair *argument,\n"
        "                   int other) except -1\n"
        "    enum:\n"
        "        NUMBER, OTHER_NUMBER\n"
        "cdef str A = 'cdef int quoted', B = \"b\"\n"
        "cdef dict TABLE = {name: 1 for name in (A, B)}\n"
        "PLAIN = 1\n"
        "ctypedef object (*pointer)(object, int)\n"
        "cdef int function(int x) noexcept nogil:\n"
        "    cdef int local = x\n"
        "    return local\n"
        "cdef class Class:\n"
        "    cdef int member\n"
        "for k in range(3):\n"
        "    pass\n"
    )
    assert house.defined_names(path) == {
        *("memcpy", "fill", "Pair", "c_function", "NUMBER", "OTHER_NUMBER", "A", "B", "TABLE"),
        *("PLAIN", "pointer", "function", "Class"),
    }
