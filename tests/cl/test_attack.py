"""Hostile input: programs and launches that must not fail with Python's own errors."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from exhaustive import LONG, either, left_out, shared_out

from halfcl import cl
from halfcl._command import main
from halfcl.cl._frontend.guards import nesting


def run(body, before=""):
    """Return what a kernel writes to four ints."""
    out = np.zeros(4, np.int32)
    kernel = "kernel void k(global int *o) { int i = get_global_id(0); " + body + " }"
    cl.Program(before + kernel).k(4, None, out)
    return out.tolist()


def test_many_early_returns_build():
    tests = "".join(f"if (i == {k}) return;" for k in range(1, 300))
    assert run(tests + "o[i] = 7;") == [7, 0, 0, 0]


@pytest.mark.parametrize("text", ["+".join(["i"] * 400), "max(1, " * 180 + "i" + ")" * 180])
def test_long_expressions(text):
    assert run(f"o[i] = {text};")[3] == (1200 if "+" in text else 3)


def test_conditions_nest():
    assert run(f"o[i] = {'!' * 300}i;") == [0, 1, 1, 1]
    assert run(f"o[i] = {'&&'.join(['i'] * 300)};") == [0, 1, 1, 1]


@pytest.mark.parametrize(
    "body",
    [
        "if (i) {" * 120 + "}" * 120,
        "".join(f"for (int a{k} = 0; a{k} < 1; a{k}++)" for k in range(30)) + ";",
        "o[i] = " + "(i ? " * 150 + "7" + " : 3)" * 150 + ";",
        "o[i] = " + "+".join(["i"] * 2000) + ";",
        "o[i] = " + "-+" * 1000 + "i;",
        "o[i] = " + "- +" * 3000 + "i;",
        "o[i] = " + "(int)" * 5000 + "i;",
    ],
)
def test_too_deep_nesting_is_refused(body):
    limit = sys.getrecursionlimit()
    with pytest.raises(cl.BuildError, match=r"^program.cl:1:\d+: .*nested too deeply"):
        run(body)
    assert sys.getrecursionlimit() == limit


#: What ends the process where clang has a stack of 8 MB, and what is twice as much.
DEEPER = {
    "terms": lambda n: "o[0] = " + "+".join(["i"] * n) + ";",
    "ifs": lambda n: "if (i) " * (n // 2) + ";",
    "commas": lambda n: "o[0] = (" + ",".join(["i"] * n) + ");",
    "commas without parentheses": lambda n: ",".join(["i"] * n) + ";",
    "conditional operators": lambda n: "o[0] = " + "i ? i : " * n + "i;",
    "others": lambda n: "o[0] = " + "i ? " * n + "i" + " : i" * n + ";",
    "else": lambda n: "if (i) ;" + "else if (i) ;" * n,
    "sizes": lambda n: "o[0] = " + "sizeof " * n + "i;",
    "prefixes in parentheses": lambda n: "o[0] = " + ("~" * 700 + "(") * 20 + "i" + ")" * 20 + ";",
    "labels": lambda n: "".join(f"l{k}: " for k in range(n // 2)) + ";",
    "components": lambda n: "int4 v; o[0] = v" + ".xy" * (n // 2) + ".x;",
    "pointers": lambda n: "int " + "*" * n + "q;",
    "dimensions": lambda n: "int q" + "[1]" * 2000 + ";",
}


@shared_out
@pytest.mark.parametrize("text", either(list(DEEPER), list(DEEPER)[1::4]))
@pytest.mark.parametrize("count", either([14_000, 40_000], [14_000], some=[14_000]))
def test_nesting_deeper_than_the_stack_is_refused(text, count):
    with pytest.raises(
        cl.BuildError,
        match=r"^program.cl:1:\d+: .*(nested too deeply|nested types|supported here)",
    ):
        run(DEEPER[text](count))


def test_long_flat_sources_build():
    table = ", ".join(str(n % 7) for n in range(20_000))
    assert run("o[i] = t[i + 9999];", f"constant int t[] = {{{table}}};") == [3, 4, 5, 6]
    assert run("o[i]++;" * 1_000) == [1_000] * 4
    assert run("int j = 0;" + "if (i > 1) { j += 2; } else j++;" * 300 + "o[i] = j;")[3] == 600
    assert run("o[i] = " + "".join(f"i == {k} ? {k + 5} : " for k in range(1200)) + "0;")[3] == 8


def test_builds_begin_with_little_stack():
    """Threads have what their program gives them; and where memory is short, less must do."""
    results, text = [], "o[i] = " + "+".join(["i"] * 400) + ";"
    before = threading.stack_size(1 << 18)
    try:
        thread = threading.Thread(target=lambda: results.append(run(text)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert results == [[0, 400, 800, 1200]]


def test_builds_with_less_memory():
    """Threads get their program's stack; with little memory, smaller stacks must do."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 29,) * 2);"
    code += (
        "from halfcl import cl; import halfcl.cl._frontend.parsing.stack as s; s._STACK = 1 << 40;"
    )
    code += "print(cl.Program('kernel void k() {}'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "<halfcl.cl.Program program.cl: k>\n", done.stderr


def test_deepest_allowed_nesting_builds():
    def blocks(count):
        return "if (i)\n" * count + "o[i]++;"

    def loops(count):
        return "".join(f"for (int a{k} = 0; a{k} < i; a{k}++)\n" for k in range(count)) + "o[i]++;"

    assert run(blocks(95)) == [0, 1, 1, 1]
    assert run(f"if (i < 2) {{ {loops(20)} }}") == [0, 1, 0, 0]
    for body, line in (blocks(200), 96), (loops(40), 21):
        with pytest.raises(cl.BuildError, match=rf"^program.cl:{line}:\d+: .*nested too deeply$"):
            run(body)


def test_calls_nest():
    def functions(count):
        calls = (f"int f{k}(int x) {{ return f{k - 1}(x) + 1; }}" for k in range(1, count))
        return "int f0(int x) { return x; }" + "".join(calls)

    assert run("o[i] = f89(i);", functions(90)) == [89, 90, 91, 92]
    with pytest.raises(cl.BuildError, match="calls of functions nested too deeply"):
        run("o[i] = f299(i);", functions(300))


@pytest.mark.parametrize("name", ["a$b", "゛", "class", "None", "m", "run", "gone", "t1"])
def test_names_that_python_does_not_allow(name):
    before = f"struct {name} {{ int {name}; }}; int {name}(int {name}) {{ return {name} + 1; }}"
    assert run(f"int z{name} = {name}(i); o[i] = z{name};", before) == [1, 2, 3, 4]


@pytest.mark.parametrize("size", ["2*2", "(4)", "((2)+(2))", "4u", "04", "0x4", "1 << 2"])
def test_required_sizes_are_expressions(size):
    program = cl.Program(
        f"#define N {size}\nkernel __attribute__((reqd_work_group_size(N, 1, 1)))"
        "void k(global int *o) { o[get_global_id(0)] = get_local_size(0); }"
    )
    out = np.zeros(8, np.int32)
    program.k(8, None, out)
    assert out.tolist() == [4] * 8


def test_required_sizes_that_are_not_known():
    with pytest.raises(cl.BuildError, match=r"not supported: reqd_work_group_size\(N,1,1\)"):
        cl.Program("enum { N = 4 }; kernel __attribute__((reqd_work_group_size(N,1,1))) void k(){}")


@pytest.mark.parametrize("word", ["if", "ifdef", "ifndef", "define", "undef", "if 0\n#elif"])
def test_directives_without_operands(word):
    wanted = "macro name missing" if "def" in word else "expected value in expression"
    with pytest.raises(cl.BuildError, match=rf"program.cl:\d:\d: error: {wanted}"):
        cl.Program(f"#{word}\n#endif\n")


def test_a_pragma_without_words_is_nothing():
    assert run("o[i] = 1;", "#pragma\n") == [1] * 4


def test_a_file_that_includes_itself(tmp_path):
    (tmp_path / "r.h").write_text('#include "r.h"\n#include "r.h"\n')
    with pytest.raises(cl.BuildError, match="#include nested too deeply"):
        cl.Program('#include "r.h"', f"-I {tmp_path}")


def test_conversion_of_as_type_result():
    """The conversion's text starts like the reinterpretation's."""
    assert run("float f = as_int(1.0f); o[i] = f == 1065353216.0f;") == [1] * 4
    assert run("float f = as_int(2.0f) + 1; o[i] = f == 1073741824.0f;") == [1] * 4
    assert run("o[i] = as_short((short)-2);") == [-2] * 4
    assert run("uchar c = as_int(1.5f) >> 20; o[i] = c;") == [0x3FC & 255] * 4


def test_elements_of_a_literal():
    assert run("o[i] = ((int[]){5, 6, 7, 8})[i];") == [5, 6, 7, 8]


def test_bools_are_incremented_and_decremented():
    assert run("bool b = 0; b--; o[i] = b;") == [1] * 4
    assert run("bool b = i; b++; ++b; o[i] = b;") == [1] * 4
    assert run("bool b = i; b--; o[i] = b;") == [1, 0, 0, 0]


KERNELS = cl.Program(
    "struct s { int a; }; kernel void record(struct s v, global int *o) { o[0] = v.a; }"
    "kernel void vector(int3 v) {} kernel void scratch(local int *l) { l[0] = 1; }"
    "kernel void write(global int *o) { o[get_global_id(0)] = 1; }"
)


def test_arguments_that_are_refused():
    swapped = np.ones(1, np.dtype([("a", ">i4")]))[0]
    with pytest.raises(TypeError, match=r"record: argument 1 \(v\): .*byte order"):
        KERNELS.record(1, None, swapped, np.zeros(1, np.int32))
    with pytest.raises(ValueError, match=r"vector: argument 1 \(v\): expected 3 numbers"):
        KERNELS.vector(1, None, [[1], 2, 3])
    with pytest.raises(cl.LaunchError, match=r"kernel scratch: no memory for local .* 'l'"):
        KERNELS.scratch(1, None, cl.LocalMemory(1 << 62))


def test_progress_is_checked_before_anything_is_written():
    out = np.zeros(4, np.int32)
    with pytest.raises(TypeError, match="write: argument progress: expected a callable"):
        KERNELS.write(4, None, out, progress=3)
    assert not out.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--options=-foo"], "argument options: expected options of clBuildProgram, got -foo"),
        (["--run", "k", "--global", "4,,"], "--global 4,,: expected integers"),
        (["--run", "k", "--global", "4", "--arg", "zeros:int:x"], "--arg zeros:int:x: "),
        (["--run", "k", "--global", "4", "--arg", "zeros:int"], "--arg zeros:int: "),
        (["--run", "k", "--global", "4", "--arg", f"zeros:int:{1 << 50}"], "llocate"),
        (["--run", "x", "--global", "4"], "Program: expected the name of a kernel"),
    ],
)
def test_command_reports_errors(arguments, message, tmp_path, capsys):
    path = tmp_path / "k.cl"
    path.write_text("kernel void k(global int *o) {}")
    assert main(["kernel", str(path), *arguments]) == 2
    assert message in capsys.readouterr().err


def doubling(count, first="i i"):
    lines = (f"#define a{k} a{k - 1} a{k - 1}\n" for k in range(1, count))
    return f"#define a0 {first}\n" + "".join(lines)


GROWING = [
    (f"#define M(x) {'x ' * 2000}\n#define E\n", f"M({'i ' * 1000})"),
    ("#define M(x) x x\n", "M(" * 40 + "i" + ")" * 40),
    (doubling(40), "a39"),
    ("#define M(a, b) a##b\n" + doubling(30), "M(a, 29)"),
]


@pytest.mark.parametrize("most", [1 << 15, *([1 << 20] if LONG else [])])
@pytest.mark.parametrize(("before", "call"), GROWING)
def test_macros_that_grow_without_end(before, call, most, monkeypatch):
    """A token takes microseconds, so that fewer are tried; and once as many as there may be."""
    monkeypatch.setattr(nesting, "MOST_EXPANDED", most)
    with pytest.raises(cl.BuildError, match=rf"program.cl:\d+:58: .* more than {most:,} tokens"):
        run(call + ";", before)


@left_out("some seconds")
def test_macros_that_grow_to_millions_of_tokens():
    """A token takes microseconds, so most runs try fewer tokens, and one as many as allowed."""
    with pytest.raises(cl.BuildError, match=r"program.cl:\d+:58: .* more than 4,194,304 tokens"):
        run("M(" * 40 + "i" + ")" * 40 + ";", "#define M(x) x x\n")


def test_macros_that_grow_a_little():
    assert run("o[i] = 0" + " a7;", doubling(8, "+ i")) == [0, 128, 256, 384]
    assert run("o[i] = M(M(M(i)));", "#define M(x) (x + x + 1)\n") == [7, 15, 23, 31]
    assert run(
        "o[i] = M(i, i) + N(3);", "#define M(x, y) x##1 + y\n#define N(x) #x[0]\n#define i1 2\n"
    )[2] == (2 + 2 + ord("3"))


def test_calls_of_macros_without_semicolons():
    text = "#define M(x) { o[i] += (x); }\n#define N M\n"
    assert run("M(1) N (2) " * 700, text)[0] == 2100


def test_sources_that_are_too_long():
    with pytest.raises(cl.BuildError, match="a source of more than 16,777,216 characters"):
        cl.Program("/*" + "x" * (1 << 24) + "*/")
    text = "constant int t[] = {" + "1, " * (1 << 20) + "};"
    with pytest.raises(cl.BuildError, match="2,097,152 characters after preprocessing"):
        cl.Program(text)


#: Sources whose time or memory would grow with the square of their length, or beyond all bounds.
GREEDY = {
    "calls in calls": "#define f(x) x\n" + "f(" * 20_000 + "1" + ")" * 20_000,
    "strings of arguments": f"#define f(x) {'#x ' * 30_000}\nf({'a ' * 30_000})",
    "tokens that grow": f"#define f(x) {'x ## ' * 60_000} x\nf(a)",
    "pragmas in a macro": '#define p _Pragma("OPENCL SELECT_ROUNDING_MODE rtz")\n'
    f"#define q {'p ' * 3000}\nq",
    "lines of a backslash": "\\\n" * 20_000 + "int x;",
    "an argument without an end": "#define f(x) x\n" + "f( a " * 200_000,
}


@pytest.mark.parametrize("name", GREEDY)
def test_sources_that_would_take_more_than_linear_time(name, monkeypatch):
    monkeypatch.setattr(nesting, "MOST_EXPANDED", 1 << 18)
    with pytest.raises(cl.BuildError, match=r"not supported: .*more than [\d,]+ (tokens|lines)"):
        cl.Program(SELECT + GREEDY[name])


SELECT = "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"

TABLE = "{1, -2, [5] = 300, 1 + 1, (char)257, 3.9f, 'a', [10] = -4294967295L, [1] = 7}"


@pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")
@pytest.mark.parametrize(("type_", "dtype"), [("int", np.int32), ("uchar", np.uint8)])
def test_tables_are_stored_as_bytes(type_, dtype):
    wanted = np.array([1, 7, 0, 0, 0, 300, 2, 1, 3, 97, 1, 0]).astype(dtype)
    for before, body in ("constant", ""), ("", "private"), ("", "const"):
        table = f"{before or body} {type_} t[12] = {TABLE};"
        got = [
            run(f"{'' if before else table} o[i] = t[4 * {part} + i];", table if before else "")
            for part in range(3)
        ]
        assert np.concatenate(got).tolist() == wanted.tolist()


@pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")
def test_tables_of_structures_and_of_what_is_not_known():
    before = "struct s { char c; short n[2]; float f; bool b; };"
    table = "struct s t[] = {{1, {2, 3}, 4, 5}, {.f = 1.5f, .n = {[1] = -6}}, {7}, {8}, {9}};"
    read = "o[i] = t[i].c + 10 * t[i].n[0] + 100 * t[i].n[1] + 1000 * t[i].f + t[i].b;"
    for constant in ("constant ", ""):
        text = constant + table
        actual = run(read, before + text) if constant else run(text + read, before)
        assert actual == [1 + 20 + 300 + 4000 + 1, -600 + 1500, 7, 8]
    assert run("int t[] = {1, 2, 3, 4, 5, 6, 7, i, [1] = 9}; o[i] = t[7] + t[1];") == [
        9,
        10,
        11,
        12,
    ]


def test_constants_of_64_bits_in_vectors():
    """NumPy accepts Python's ints that fit into a signed integer."""
    low, high = "((ulong2)(255u))", "((ulong2)(0xFFFFFFFFFFFFFFFFul))"
    for text, wanted in {
        f"{low} < {high}": -1, f"{high} < {low}": 0, f"{high} == {high}": -1, f"!{high}": 0,
        f"{high} && {low}": -1, f"{high} && ((ulong2)(0))": 0, f"((ulong2)(0)) || {high}": -1,
        "((long2)(-1)) < ((long2)(0x7FFFFFFFFFFFFFFF))": -1,
        f"({high} ? {high} : {low}) == {low}": 0,
    }.items():  # fmt: skip
        assert run(f"o[i] = ({text}).yx.x;") == [wanted] * 4, text
