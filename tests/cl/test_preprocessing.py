"""Directives and macros: what clang takes is taken, what it does not is told with its place."""

import os
import time

import numpy as np
import pytest
from exhaustive import either, shared_out

from halfcl import cl
from halfcl.cl._frontend.guards.nesting import recursion_room
from halfcl.cl._frontend.preprocessing.conditions import ConditionError, evaluate, integer_constant
from halfcl.cl._frontend.preprocessing.lexing.lines import Lines

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

KERNEL = "kernel void k(global int *a) { a[0] = 1; }\n"


def diagnose(source, options=""):
    """Line, column, severity and message of all that is said of a program."""
    try:
        diagnostics = cl.Program(source, options).diagnostics
    except cl.BuildError as error:
        diagnostics = error.diagnostics
    return [(d.location.line, d.location.column, d.severity, d.message) for d in diagnostics]


def value(expression, before="", options=""):
    """Return the value of an expression, from an int that a kernel writes."""
    out = np.zeros(1, np.int32)
    text = f"{before}\nkernel void k(global int *a) {{ a[0] = {expression}; }}\n"
    cl.Program(text, options).k(1, None, out)
    return int(out[0])


#: Lines, and what clang says of them: line, column, a part of its message.
ERRORS = {
    "#if FOO(1)": (1, 5, "function-like macro 'FOO' is not defined"),
    "#if 0 && FOO (1)": (1, 10, "function-like macro 'FOO' is not defined"),
    "#if": (1, 4, "expected value in expression"),
    "#define A\n#if A": (2, 6, "expected value in expression"),
    "#if 0\n#elif": (2, 6, "expected value in expression"),
    "#if 1 / 0": (1, 7, "division by zero"),
    "#if 1 % 0": (1, 7, "remainder by zero"),
    "#if 1 2": (1, 7, "not a valid binary operator"),
    "#if (1": (1, 7, "expected ')'"),
    "#if 1.5": (1, 5, "floating point literal"),
    '#if "a"': (1, 5, "invalid token at start"),
    "#if 1, 0": (1, 6, "expected end of line"),
    "#if 09": (1, 6, "invalid digit '9'"),
    "#if 3x": (1, 6, "invalid suffix 'x'"),
    "#if !": (1, 6, "expected value in expression"),
    "#if !defined": (1, 13, "macro name missing"),
    "#if defined(A": (1, 14, "missing ')' after 'defined'"),
    "#if defined 3": (1, 13, "macro name must be an identifier"),
    "#ifdef 3": (1, 8, "macro name must be an identifier"),
    "#if 1\n#else\n#else": (3, 2, "#else after #else"),
    "#if 1\n#else\n#elif 1": (3, 2, "#elif after #else"),
    "#else\n#if 1": (1, 2, "#else without #if"),
    "#define 3": (1, 9, "macro name must be an identifier"),
    "#define defined 3": (1, 9, "'defined' cannot be used as a macro name"),
    "#define A(x": (1, 12, "expected comma in macro parameter list"),
    "#define A(x,) x": (1, 13, "expected identifier in macro parameter list"),
    "#define A(x, x) x": (1, 14, "duplicate macro parameter name 'x'"),
    "#define A(..., x) x": (1, 14, "missing ')' in macro parameter list"),
    "#define A(x) #y": (1, 15, "'#' is not followed by a macro parameter"),
    "#define A(x) ## x": (1, 14, "'##' cannot appear at start"),
    "#define A x ##": (1, 13, "'##' cannot appear at end"),
    "#define A(x, y) x ## y\nA(1, +)": (2, 1, "pasting formed '1+'"),
    "#define A(x, y) x + y\nA(1)": (2, 4, "too few arguments"),
    "#define A(x, y) x + y\nA(1, 2, 3)": (2, 9, "too many arguments"),
    "#define A(x, y, ...) x\nA(1)": (2, 4, "too few arguments"),
    "#define A(x) x\nA(1;": (2, 1, "unterminated function-like macro invocation"),
    "#undef 3": (1, 8, "macro name must be an identifier"),
    "#error a  b": (1, 2, "a  b"),
    "#foo": (1, 2, "invalid preprocessing directive"),
    "#line x": (1, 7, "#line directive requires a positive integer argument"),
    "#line 7\n#error a": (7, 2, "a"),
    "#include": (1, 9, 'expected "FILENAME"'),
    '#include ""': (1, 10, "empty filename"),
    "#include foo": (1, 10, 'expected "FILENAME"'),
    "#include <none.h>": (1, 10, "'none.h' file not found"),
    "_Pragma(3)": (1, 1, "_Pragma takes a parenthesized string literal"),
    "#if __has_include": (1, 18, "missing '(' after '__has_include'"),
    "#if __has_include(3)": (1, 19, 'expected "FILENAME"'),
    '#if __has_include("a.h"': (1, 24, "missing ')' after '__has_include'"),
    "#if _Pragma(": (1, 2, "_Pragma in a directive"),
    "#define P _Pragma(\n#line P": (2, 2, "_Pragma in a directive"),
    "#import <a.h>": (1, 2, "#import is not in OpenCL C"),
    '#include_next "a.h"': (1, 2, "#include_next is not in OpenCL C"),
}


@pytest.mark.parametrize("lines", ERRORS)
def test_errors_of_directives_and_macros(lines):
    closing = "" if lines.startswith("#if 1\n#el") and lines.count("#") < 3 else "\n#endif"
    source = lines + (closing if "#if" in lines else "") + "\n" + KERNEL
    line, column, message = ERRORS[lines]
    errors = [d for d in diagnose(source) if d[2] == "error"]
    assert any(d[:2] == (line, column) and message in d[3] for d in errors), errors


WARNINGS = {
    "#define A 1\n#define A 2": (2, 9, "'A' macro redefined"),
    "#define A 1+2\n#define A 1 + 2": (2, 9, "'A' macro redefined"),
    "#define A(x) x\n#define A(y) y": (2, 9, "'A' macro redefined"),
    "#define M_PI 3": (1, 9, "'M_PI' macro redefined"),
    "#undef __FILE__": (1, 8, "undefining builtin macro"),
    "#define A\n#undef A B": (2, 10, "extra tokens at end of #undef directive"),
    "#if 1\n#endif A": (2, 8, "extra tokens at end of #endif directive"),
    "#define A+3": (1, 10, "requires whitespace after the macro name"),
    "#define A defined B\n#if A\n#endif": (2, 5, "macro expansion producing 'defined'"),
    "#warning look  here": (1, 2, "look  here"),
    "#if 0\n#elifdef A\n#endif": (2, 2, "'#elifdef'"),
    "#if 0\nit's\n#endif\n/* /* */": (4, 4, "within block comment"),
    "#define A 1 \\ \n": (1, 14, "backslash and newline separated by space"),
    "\xa0": (1, 1, "treating Unicode character as whitespace"),
}


@pytest.mark.parametrize("lines", WARNINGS)
def test_warnings_of_directives_and_macros(lines):
    messages = diagnose(lines + "\n" + KERNEL)
    line, column, message = WARNINGS[lines]
    assert len(messages) == 1 and messages[0][2] == "warning", messages
    assert messages[0][:2] == (line, column) and message in messages[0][3], messages
    with pytest.raises(cl.BuildError):
        cl.Program(lines + "\n" + KERNEL, "-Werror")


SILENT = {
    "what is defined as before": "#define A  1 /* x */ + 2\n#define A 1 + 2 // y\n",
    "#undef of what is not there": "#undef A\n#undef M_PI\n",
    "branches that are not taken": "#if 0\n#if 1/0\n#elif\n#endif\n#if FOO(1)\n#endif\n"
    '#foo\n#error x\n#include "none"\n it\'s "x\n#endif\n#if 1\n#elif 1/0\n#elif FOO(1)\n#endif\n',
    "directives without a name": "#\n # \n#/* */\n",
    "comments in directives": "/* a */ #/* b */define/* c */A/* d */3 // e\n#if A == 3 /* f\n*/\n"
    "#else // g\n#error\n#endif /* h */\n",
    "a continued directive": "#def\\\nine A 1 \\\n + 2\n#if A != \\\n 3\n#error\n#endif\n",
    "CR LF": "#define A 1 \\\r\n + 2\r\n#if A != 3\r\n#error x\r\n#endif\r\n",
    "a byte order mark": "\ufeff#define A 3\n#if A != 3\n#error\n#endif\n",
    "a continued comment": "// a \\\n zz\n",
    "macros that name each other": "#define A B\n#define B A\n",
    "pragmas of others": "#pragma foo\n#pragma once upon\n#pragma\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_correct_directives_give_no_diagnostics(name):
    assert [d for d in diagnose(SILENT[name] + KERNEL) if "pragma once" not in d[3]] == []


#: Definitions and expressions, with values that clang's preprocessor gives.
VALUES = [
    ("#define A 1 ## 2", "A", 12),
    ("#define A(x, y) x ## y", "A(1, e3) + A(0x, 1F) + A(, 7)", 1000 + 31 + 7),
    ("#define N(x) -x\nconstant int z = 5;", "-N(-z) + -N(z)", -5 + 5),
    ("#define P +\nconstant int z = 5;", "+P z", 5),
    ("#define AB 3", "A\\\nB", 3),
    ("", "1\\\n2", 12),
    ("#define é 3", "é", 3),
    ("#define $c 4\n#define c 5\nconstant int b$c = 6;", "$c * 10 + b$c", 46),
    ("#define e5 nothing\n#define p3 nothing", "1.e5 + 0x1p3", 100008),
    ("#define A()\n#define S(x) #x", "sizeof(S( a   b A() ))", 8),
    ('#define S(x) #x\n#define T(x) S(x)\n#define Q "\\n"', "sizeof(T(Q 'a'))", 9),
    ("#define A(x, ...) f(x, ##__VA_ARGS__)\nint f(int a) { return a; }", "A(7)", 7),
    ("#define A(...) f(__VA_ARGS__)\nint f(int a, int b) { return a * b; }", "A(6, 7)", 42),
    ("#define A(x...) x", "A(1) + 1", 2),
    ("#define A B\n#define B(x) x", "A(3)", 3),
    ("#define A() B\n#define B(x) x", "A()(3)", 3),
    ("#define f(x) f(x + 1)\nint (f)(int x) { return x; }", "f(f(1))", 3),
    ("#define A(x, y) x - y", "A((5, 4),\n#if 1\n2\n#else\n3\n#endif\n)", 2),
    ("#define A+3", "A", 3),
    ("#if 0\n#elifndef A\n#define B 3\n#endif", "B", 3),
    ("#define A\n#if 0\n#elifdef A\n#define B 4\n#endif", "B", 4),
    ("constant int x = 6; constant int y = 3;", "x ^ y", 5),
    ("#define X(a) a ^= 3, a\nint f(int x) { return X(x); }", "f(6)", 5),
    ("", "__LINE__", 2),
    ("#define A 1\n#undef A\n#define A 2", "A", 2),
]


@pytest.mark.parametrize("before, expression, wanted", VALUES)
def test_macros_expand_to(before, expression, wanted):
    assert value(expression, before) == wanted


#: As C has them: https://en.cppreference.com/w/c/preprocessor/conditional
CONDITIONS = {
    "-7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1": 1,
    "1 || 1 / 0": 1,
    "0 && 1 % 0": 0,
    "1 ? 2 : 1 / 0": 2,
    "0 ? 1 : 0 ? 2 : 3": 3,
    "-1 > 0u": 1,
    "(0 ? 1u : -1) > 0": 1,
    "(2 || 3) == 1 && !5 == 0 && ~0 == -1": 1,
    "1 | 2 == 2": 1,
    "2 + 3 * 4 - 10 / 3 << 1": 22,
    "6 & 3 ^ 1 | 8": 11,
    "-8 >> 1": -4,
    "1 << 63 < 0": 1,
    "9223372036854775807 + 1 < 0": 1,
    "18446744073709551615 == -1": 1,
    "0b101 + 010 + 0x1F + 3ull + 4LU": 5 + 8 + 31 + 7,
    "'a' + '\\n' + '\\x41' + '\\101'": 97 + 10 + 65 + 65,
    "'\\xff' < 0": 1,
    "true + false + nothing": 1,
    "0xFFFFFFFFFFFFFFFF / -1 == 1": 1,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(condition):
    """By themselves, and where clang reads them, too, which is to find nothing wrong with them."""
    wanted = CONDITIONS[condition]
    text = f"#if ({condition}) == {wanted}\n#else\n#error no\n#endif\n{KERNEL}"
    assert [d for d in diagnose(text) if d[2] == "error"] == []
    text = f"#if ({condition}) == {wanted + 1}\n#error yes\n#endif\n{KERNEL}"
    assert [d for d in diagnose(text) if d[2] == "error"] == []


def test_invalid_conditions():
    for tokens in (
        "",
        "1 +",
        "( 1",
        "1 )",
        "f ( 1 )",
        "1 ? 2",
        "1 = 2",
        "++ 1",
        '"a"',
        "08",
        "1.5",
    ):
        with pytest.raises(ConditionError):
            evaluate(tokens.split())
    with recursion_room(), pytest.raises(ConditionError, match="nested too deeply"):
        evaluate(["!"] * 100000 + ["1"])
    assert integer_constant("N + 1") is None and integer_constant("1 / 0") is None
    assert integer_constant(" (2 * 3) << 1 ") == 12


def test_joined_lines_keep_places():
    lines = Lines("a\\\nb ??/ \n  ??=c\nd")
    assert lines.text == "ab   #c\nd"
    assert [lines.place(at) for at in (0, 1, 5, 6, 8)] == [(1, 1), (2, 1), (3, 3), (3, 6), (4, 1)]


def test_very_long_lines():
    start = time.process_time()
    assert value("A", "#define A " + "(1) + " * 300 + "1") == 301
    messages = diagnose("#if " + "1 + " * 3000 + "1\n#else\n#error\n#endif\n" + KERNEL)
    assert messages == [] and time.process_time() - start < 5
    text = "/*" + "x" * 100000 + "*/ zz;\n" + KERNEL
    assert diagnose(text)[0][:3] == (1, 100006, "error")


def test_columns_count_characters():
    text = "/* 漢😀 */ #define A(x) x\n/* 漢😀 */ A(1, 2)\n"
    assert diagnose(text)[0][:2] == (2, 15)


def test_nul_is_a_space_that_is_warned_of():
    messages = diagnose("#define A 3\nkernel void k(global int *a) { a[0] \0 = A; }\n")
    assert messages == [(2, 37, "warning", "null character ignored")]


def test_options_define_as_directives_do():
    assert diagnose("#define A 2\n" + KERNEL, "-D A=1")[0][:3] == (1, 9, "warning")
    assert value("A(2)", options="-D 'A(x)=x*3'") == 6
    with pytest.raises(cl.BuildError, match="macro parameter list"):
        cl.Program(KERNEL, "-D 'A(x,=3'")


def test_included_files(tmp_path):
    files = {
        "guard.h": "#ifndef G\n#define G\nint f(int x) { return x; }\n#endif\n",
        "once.h": "\ufeff#pragma once\r\nint g(int x) { return 2 * x; }\r\n",
        "open.h": "\n#if 1\n",
        "wrong.h": "\n  #error in\n#define A 1\n#define A 2\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "latin.h").write_bytes("// \xe9\n".encode("latin1"))
    twice = "".join(f'#include "{name}"\n' for name in ("guard.h", "once.h", "latin.h")) * 2
    assert value("f(1) + g(2)", twice, f"-I {tmp_path}") == 5
    macros = "#define STRING(x) #x\n#define H(x) STRING(x.h)\n#include H(once)\n"
    assert value("g(2)", macros, f"-I {tmp_path}") == 4
    with pytest.raises(cl.BuildError) as caught:
        cl.Program('#include "open.h"\n#include "wrong.h"\n' + KERNEL, f"-I {tmp_path}")
    assert [str(d.location) for d in caught.value.diagnostics] == [
        f"{tmp_path}/open.h:2:2", f"{tmp_path}/wrong.h:2:4", f"{tmp_path}/wrong.h:4:9",
    ]  # fmt: skip


SELECT = "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"


def test_conditions_on_the_mode_are_those_of_the_text_to_clang_too():
    text = SELECT + "#define rte 1\n#define rtz 2\n#pragma OPENCL SELECT_ROUNDING_MODE rtz\n"
    text += "#if __ROUNDING_MODE__ != rtz\n#if NONE(1)\n#endif\n#endif\n" + KERNEL
    assert diagnose(text) == []
    by_operator = text.replace(
        "#pragma OPENCL SELECT_ROUNDING_MODE rtz", '_Pragma("OPENCL SELECT_ROUNDING_MODE rtz")'
    )
    assert diagnose(by_operator) == []
    disabled = "#pragma OPENCL SELECT_ROUNDING_MODE rtz\n#ifdef __ROUNDING_MODE__\n#if NONE(1)\n"
    (warning,) = diagnose(disabled + "#endif\n#endif\n" + KERNEL)
    assert warning[2] == "warning" and "SELECT_ROUNDING_MODE is ignored" in warning[3]


FRAGMENTS = [
    *"# ## #if #ifdef #elif #else #endif #define #undef #include #pragma #error defined".split(),
    *"( ) , A B 1 0x ' \" \\ /* */ // ... __VA_ARGS__ _Pragma __LINE__ ! + ? : < >".split(),
    *"<a> \0 é ?? ??/ % %: A(x) _Pragma( __ROUNDING_MODE__".split(),
    *"#line #elifdef # 3 __VA_OPT__( __has_include __has_builtin( __COUNTER__ A(x, ##__".split(),
    *("\n", "\n", "\n", " ", "\\\n", '"x"'),
]


@shared_out
def test_random_text_never_fails_as_python_does():
    rng = np.random.default_rng(11)
    for _ in range(either(150, 40)):
        words = rng.choice(len(FRAGMENTS), rng.integers(1, 25))
        diagnose("".join(FRAGMENTS[n] + " " * int(rng.integers(2)) for n in words) + "\n" + KERNEL)


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ('__has_include("a.h")', 1),
        ("__has_include(<a.h>)", 1),
        ("__has_include( <b.h> )", 0),
        ('!__has_include("b.h") && __has_include("d/c.h")', 1),
        ("__has_include(NAME) + __has_include(OTHER) == 1", 1),
        ("defined __has_include", 1),
        ("defined(__has_include) && __has_include(<d/c.h>)", 1),
        ('__has_include("d")', 0),
        ("__has_include(HERE)", 0),
    ],
)
def test_has_include(condition, wanted, tmp_path):
    (tmp_path / "d").mkdir()
    for name in ("a.h", "d/c.h"):
        (tmp_path / name).write_text("")
    names = '#define NAME <a.h>\n#define OTHER "b.h"\n#define HERE __FILE__\n'
    text = f"{names}#if {condition}\nconstant int x = 1;\n#else\nconstant int x = 0;\n#endif\n"
    text += "#ifndef __has_include\n#error it is defined\n#endif\n"
    out = np.zeros(1, np.int32)
    program = cl.Program(text + "kernel void k(global int *a) { *a = x; }", f"-I {tmp_path}")
    program.k(1, None, out)
    assert out[0] == wanted


def test_include_relative_to_including_file(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.h").write_text('#if __has_include("b.h")\n#include "b.h"\n#endif\n')
    (tmp_path / "d/b.h").write_text("kernel void there() {}\n")
    program = cl.Program('#include "d/a.h"\n', f"-I {tmp_path}")
    assert [kernel.name for kernel in program.kernels] == ["there"]


@pytest.mark.parametrize(
    "include", ['#include "{}"', "#include <{}>", '#define F "{}"\n#include F']
)
def test_files_without_an_end(include, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(cl.BuildError, match=f"not a regular file: {path}$"):
            cl.Program(include.format(path))
        with pytest.raises(cl.BuildError, match=f"not a regular file: {path}$"):
            cl.Program(f'#if __has_include("{path}")\n#endif')
    assert cl.Program(f'#if !__has_include("{tmp_path}/x")\nkernel void k() {{}}\n#endif').kernels
