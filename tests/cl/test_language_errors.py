"""Build errors: all of them, at file, line and column of the user's source."""

import pytest

from halfcl import cl

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

HEAD = "kernel void k(global int *a) {"

#: Source, and the places of its errors.
PLACES = {
    "macros": ("#define BAD(x) nothing(x) + y\n" + HEAD + "\n   a[0] = BAD(3);\n  a[1] = zz;\n}",
               [(3, 11), (3, 11), (4, 10)]),
    "tabs": (HEAD + "\n\t\ta[0] = zz;\n\ta[1] =\tyy;}", [(2, 10), (3, 9)]),
    "lines that end in CR LF": (HEAD + "\r\n  a[0] = zz;\r\n  a[1] = yy;\r\n}", [(2, 10), (3, 10)]),
    "continued lines": (HEAD + "\n  a[0] = 1 + 2 \\\n + 3; a[1] = zz;\n  a[1] = yy;\n}",
                        [(3, 14), (4, 10)]),
    "continued macros": (
        "#define M 1 + \\\n  2\n" + HEAD + "\n  a[0] = M + \\\n    zz;\n  a[1] = yy;\n}",
        [(5, 5), (6, 10)],
    ),
    "comments": ("/* a\n b\n */ " + HEAD + " /* x\n y */ a[0] = zz; // z\n a[1]=yy; }",
                 [(4, 14), (5, 7)]),
    "what is not ASCII": (
        "// é ü 漢字 \u2028\n" + HEAD + "\n  /* é漢 */ a[0] = zz;\n a[1] /*é*/ = yy;\n}",
        [(3, 19), (4, 15)],
    ),
    "trigraphs": ("??=define A 5\nkernel void k(global int *a) ??< a??(0??) = zz; ??>", [(2, 45)]),
    "empty lines": (
        "\n\n\n" + HEAD + "\n\n\n  a[0] = zz;\n" + "\n" * 12 + "  a[1] = yy; }",
        [(7, 10), (20, 10)],
    ),
    "flexible arrays": (
        "struct s {\n  int n;\n  int t[];\n};\nstruct q { struct s s; };\n"
        + HEAD[:-1] + ";\nkernel void f(global struct q *p) { p->s.n = 1; }",
        [(3, 3)],
    ),
    "constants without a length": (
        "\nextern constant int t[];" + HEAD + "a[0] = t[1]; }", [(2, 21)],
    ),
    "directives": (
        "#error wrong\n#if 0\n#error not\n#endif\n#foo\n" + HEAD + " a[0] = 1; }",
        [(1, 2), (5, 2)],
    ),
}  # fmt: skip

REFUSED = {
    "int f(int x) { return x ? f(x - 1) : 0; } " + HEAD + " a[0] = f(3); }": "recursion",
    "int g(int x); int f(int x) { return g(x); } int g(int x) { return f(x); }": "recursion",
    "int g(int x); " + HEAD + " a[0] = g(3); }": "g is called, but has no body",
    HEAD + " goto e; e: a[1] = 2; }": "goto",
    HEAD + " switch (a[0]) { case 1 ... 5: a[1] = 3; } }": "ranges of labels",
    HEAD + " switch (a[0]) { case 0: do { a[1]++; case 1: a[2]++; } while (a[3]); } }": "label",
    HEAD + " __builtin_assume(a[0]++); }": "an assumption with side effects",
    HEAD + " ++(int4)(1, 2, 3, 4); }": "an assignment to a literal, which has no name",
    HEAD + " a[0] = __imag__ a[0]; }": "not supported: __imag__",
    HEAD + " __bf16 x = 1; }": "not supported: type __bf16",
    HEAD + " char c[1ul << 33] = {1}; }": "an array of more than 4,294,967,295 elements",
    HEAD + " char c[1 << 30]; }": "a variable of more than 268,435,456 bytes",
    "constant char c[9] = {[1 << 28] = 1};": "a designator of an element beyond 1,048,576",
    "typedef _Float16 v4 __attribute__((ext_vector_type(4))); v4 f(v4 x);": "not a vector",
    HEAD + " a[0] = ((int4)(1))[7]; }": "index 7",
    "typedef float v5 __attribute__((ext_vector_type(5))); " + HEAD + " v5 v; v.x = 1; }": "vector",
    "kernel void k(read_only pipe int p) {}": "error",
    HEAD + " enqueue_kernel(0, 0, 0, 0); }": "undeclared identifier 'enqueue_kernel'",
    HEAD + " int (^b)(void) = ^{ return 1; }; }": "blocks support disabled",
    "int f(int x, ...) { return x; }": "variadic arguments are not allowed",
    HEAD + " int n = a[0]; int v[n]; v[0] = 1; }": "variable length arrays are not supported",
    "struct S { int x : 3; };": "bit-fields are not supported",
    "int f(int x) { return x; } " + HEAD + " int (*p)(int) = f; }": "pointers to functions",
    "#include <stdio.h>\n" + HEAD + "}": "program.cl:1:10: error: 'stdio.h' file not found",
    HEAD + ' asm("x"); }': "asm",
    HEAD
    + " switch (a[0]) { case 0: do { case 1: a[1]++; } while (a[1] < 3); } }": "a label inside",
    HEAD + " switch (a[0]) { case 0: if (a[1]) { default: a[1]++; } } }": "a label inside",
    HEAD + " long double x; }": "type long double is not supported",
    HEAD + " a[0] = _Generic(1, int: 2); }": "not supported: _Generic",
    HEAD + " a[0] = __builtin_add_overflow(1, 2, a); }": "not supported: __builtin_add",
    "#if 1\n" + HEAD + " a[0] = 1; }": "unterminated conditional directive",
    HEAD + " a[0] = 1;": "expected '}'",
    "/* " + HEAD: "unterminated",
}


@pytest.mark.parametrize("name", PLACES)
def test_places_of_errors(name):
    source, wanted = PLACES[name]
    with pytest.raises(cl.BuildError) as caught:
        cl.Program(source)
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert [(d.location.line, d.location.column) for d in errors] == wanted
    assert {d.location.file for d in errors} == {"program.cl"}


def test_places_in_included_files(tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\nint g(int x) { return Q(x); }\n')
    (tmp_path / "b.h").write_text("#pragma once\nint f(int x) { return x + ww; }\n")
    with pytest.raises(cl.BuildError) as caught:
        cl.Program('#include "a.h"\n#include "none.h"\n' + HEAD + " a[0] = zz; }", f"-I {tmp_path}")
    assert [str(d.location) for d in caught.value.diagnostics] == [
        "program.cl:2:10", f"{tmp_path}/b.h:2:27", f"{tmp_path}/a.h:2:23", "program.cl:3:39",
    ]  # fmt: skip


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_not_supported_is_refused_with_its_line(source):
    with pytest.raises(cl.BuildError) as caught:
        cl.Program(source)
    assert REFUSED[source] in str(caught.value)
    assert all(d.location is not None for d in caught.value.diagnostics)


def test_a_hundred_errors_are_all_reported():
    text = HEAD + "".join(f"a[{n}] = z{n};\n" for n in range(100)) + "}"
    with pytest.raises(cl.BuildError) as caught:
        cl.Program(text)
    assert len(caught.value.diagnostics) == 100


def test_options_define_and_warn():
    text = HEAD + " a[0] = F(3) + N + M; if (a[1] = 2) a[1] = 1; }"
    program = cl.Program(text, "-D 'F(x)=((x)+1)' -DN=8 -D M")
    assert [d.location.column for d in program.diagnostics] == [text.index("= 2") + 1]
    assert cl.Program(text, "-D 'F(x)=((x)+1)' -DN=8 -D M -w").diagnostics == ()
    with pytest.raises(cl.BuildError):
        cl.Program(text, "-D 'F(x)=((x)+1)' -DN=8 -D M -Werror")


ENABLE = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"
HALVES = "kernel void k(global half *h, global half2 *v) {"

#: What compiles with half enabled, and what the message says that it is not.
WITHOUT_HALF = {
    HALVES + " h[0] = h[1]; }": "requires cl_khr_fp16. Use vector data",
    HALVES + " float x = h[1]; }": "requires cl_khr_fp16. Use vector data load",
    HALVES + " float x = 1.5h; }": "half precision constant requires cl_khr_fp16",
    HALVES + " half x; }": "declaring variable of type '__private half' is not allowed",
    HALVES + " float x = (half)2; }": "casting to type 'half' is not allowed",
    HALVES + " v[0] = v[0] + v[1]; }": "arithmetic with half requires cl_khr_fp16",
    HALVES + " v[0] = -v[0]; }": "arithmetic with half requires cl_khr_fp16",
    "half f(void) { return 1; }": "declaring function return value of type 'half' is not allowed",
    "kernel void k(half x) {}": "declaring function parameter of type '__private half'",
    "#define H(x) x##h\nkernel void k(global float *a) { a[0] = H(1.5); }": "half precision",
}


@pytest.mark.parametrize("source", WITHOUT_HALF)
def test_errors_about_disabled_half_have_a_remedy(source):
    for disabled in (source, ENABLE.replace("enable", "disable") + "\n" + source):
        with pytest.raises(cl.BuildError) as caught:
            cl.Program(disabled)
        assert all(f"add {ENABLE} to the source" in str(d) for d in caught.value.diagnostics)
        assert WITHOUT_HALF[source] in str(caught.value)
    cl.Program(ENABLE + "\n" + source)


def test_other_errors_have_no_half_remedy():
    for before in ("", ENABLE + "\n"):
        with pytest.raises(cl.BuildError) as caught:
            cl.Program(before + HALVES + " float *x = h; v[0] = z; int y = v[0] + (float2)(1); }")
        assert len(caught.value.diagnostics) == 3 and "cl_khr_fp16" not in str(caught.value)
