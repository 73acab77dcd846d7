"""Expansion of macros, token by token, and what it says of places, lines and limits."""

import random
import re
import shutil
import subprocess
from itertools import pairwise

import numpy as np
import pytest
from exhaustive import either, shared_out

from halfcl import cl
from halfcl.cl._frontend.guards import nesting
from halfcl.cl._frontend.preprocessing import preprocess
from halfcl.cl._frontend.preprocessing.lexing.tokens import NOWHERE, lex
from halfcl.cl._frontend.preprocessing.options import parse_options

pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

SELECT = "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
KERNEL = "kernel void k(global int *a) { a[0] = 1; }\n"


def tokens_of(source, options=""):
    """Return the tokens of a preprocessed source; no error may be reported."""
    text = preprocess(source, "k.cl", parse_options(options))
    assert [d for d in text.diagnostics if d.severity == "error"] == []
    return [token.text for token in lex(text.text)]


# ---------------------------------------------------------------- beside another preprocessor

OBJECTS = [f"m{k}" for k in range(5)]
#: Names, numbers of parameters, and whether further ones may follow.
FUNCTIONS = [("f0", 1, False), ("f1", 2, False), ("f2", 1, True), ("f3", 0, False)]
ATOMS = ["a", "b", "1", "2.5e+3", "+", "-", "x", '"s\\n"', "'c'", "<", ".", "y9"]


class Drawing:
    """Draws a program of macros."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def call(self, parameters, depth):
        name, count, is_variadic = self.draw.choice(FUNCTIONS)
        count += self.draw.randint(0, 2) if is_variadic else 0
        arguments = (
            " ".join(p for p in self.pieces(parameters, depth - 1) if p not in ("(", ")", ","))
            for _ in range(count)
        )
        return f"{name}{self.draw.choice(('', '', ' '))}({', '.join(arguments)})"

    def pieces(self, parameters, depth):
        result = []
        for _ in range(self.draw.randint(0, 6)):
            kind = self.draw.random()
            if parameters and kind < 0.35:
                result.append(self.draw.choice(parameters))
            elif kind < 0.5:
                result.append(self.draw.choice(OBJECTS))
            elif kind < 0.62:
                result.append(self.draw.choice(FUNCTIONS)[0])
            elif kind < 0.75 and depth:
                result.append(self.call(parameters, depth))
            elif kind < 0.8:
                result.append(f"({' '.join(self.pieces(parameters, 0))})")
            elif kind < 0.805:
                result.append(self.draw.choice("(),"))
            else:
                result.append(self.draw.choice(ATOMS))
        return result

    def replacement(self, parameters, is_variadic):
        names = [*parameters, *(["__VA_ARGS__"] if is_variadic else [])]
        result, before = [], ""
        for piece in self.pieces(names, 1):
            if re.fullmatch(r"\w+", before + piece) and before and self.draw.random() < 0.15:
                result.append("##")
            before = piece
            if piece in names and self.draw.random() < 0.15:
                piece, before = "#" + self.draw.choice(("", " ")) + piece, ""
            result.append(piece)
        if is_variadic and self.draw.random() < 0.3:
            result += [",", "##", "__VA_ARGS__"]
        if is_variadic and self.draw.random() < 0.2:
            result.append(f"__VA_OPT__({' '.join(self.pieces(names, 0))})")
        return " ".join(result)

    def definition(self):
        if self.draw.random() < 0.45:
            return f"#define {self.draw.choice(OBJECTS)} {self.replacement([], False)}"
        name, count, is_variadic = self.draw.choice(FUNCTIONS)
        names = ["p", "q"][:count]
        shown = ", ".join([*names, *(["..."] if is_variadic else [])])
        return f"#define {name}({shown}) {self.replacement(names, is_variadic)}"

    def use(self):
        text = " ".join(self.pieces([], 3))
        while self.draw.random() < 0.3 and " " in text:
            at = self.draw.choice([k for k, c in enumerate(text) if c == " "])
            between = self.draw.choice(("\n", "\\\n", "/* x */", "/* a\nb */", " // c\n"))
            text = text[:at] + between + text[at + 1 :]
        return text

    def program(self):
        lines = []
        for _ in range(self.draw.randint(2, 8)):
            lines.append(self.definition())
            if self.draw.random() < 0.1:
                lines.append(f"#undef {self.draw.choice(OBJECTS)}")
            if self.draw.random() < 0.15:
                lines += [self.draw.choice(("#if 1", "#ifdef m1")), self.use(), "#else", "zz"]
                lines.append("#endif")
            if self.draw.random() < 0.3:
                lines.append(self.use())
        return "\n".join([*lines, self.use(), self.use(), ""])


def expand_with_gcc(programs, folder):
    """Return GCC's texts; None of programs that it finds an error in, or crashes at."""
    lines = []
    for number, program in enumerate(programs):
        (folder / f"p{number}.h").write_text(program)
        names = [*OBJECTS, *(name for name, _, _ in FUNCTIONS)]
        lines += [f"@@{number}@@", *(f"#undef {name}" for name in names)]
        lines.append(f'#include "p{number}.h"')
    command = ["gcc", "-E", "-P", "-undef", "-x", "c", "-std=c99", "-I", str(folder), "-"]
    text = "\n".join([*lines, ""])
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    wrong = {int(number) for number in re.findall(r"p(\d+)\.h:[\d:]+ error:", done.stderr)}
    texts = re.split(r"@@ ?\d+ ?@@", done.stdout)[1:]
    if done.returncode in (0, 1):
        assert len(texts) == len(programs)
        return [None if number in wrong else text for number, text in enumerate(texts)]
    if len(programs) == 1:
        return [None]
    half = len(programs) // 2
    return expand_with_gcc(programs[:half], folder) + expand_with_gcc(programs[half:], folder)


def without_blanks(tokens):
    """Return tokens without blanks in strings, which GCC keeps of macros that are empty."""
    return "".join(tokens).replace(" ", "")


@shared_out
@pytest.mark.skipif(not shutil.which("gcc"), reason="compares with gcc -E, which is not here")
@pytest.mark.parametrize("part", range(either(10, 2)))
def test_random_macros_expand_as_in_gcc(part, tmp_path):
    programs = [Drawing(1000 * part + k).program() for k in range(either(1000, 200))]
    compared = 0
    for program, wanted in zip(programs, expand_with_gcc(programs, tmp_path), strict=True):
        if wanted is None:
            continue
        try:
            text = preprocess(program, "k.cl", parse_options(""))
        except cl.BuildError as error:
            assert "more than" in str(error), program
            continue
        assert not [d for d in text.diagnostics if d.severity == "error"], program
        got = [token.text for token in lex(text.text)]
        assert without_blanks(got) == without_blanks(lex_texts(wanted)), program
        compared += 1
    assert compared > len(programs) * 0.8


def lex_texts(text):
    return [token.text for token in lex(text)]


@shared_out
def test_places_of_random_programs_are_those_of_the_source():
    for seed in range(either(1000, 150)):
        program = Drawing(seed).program()
        try:
            text = preprocess(program, "k.cl", parse_options(""))
        except cl.BuildError:
            continue
        lines, data = program.split("\n"), text.text.encode()
        extents = pairwise([*text.starts, len(data)])
        for (start, end), use in zip(extents, text.uses, strict=True):
            place, token = text.place_of(start), data[start:end].decode().strip()
            rest = "\n".join(lines[place.line - 1 :])[place.column - 1 :]
            assert place.column <= len(lines[place.line - 1]) and not rest[0].isspace()
            if use == NOWHERE:
                assert rest.replace("\\\n", "").startswith(token), (program, token, place)


# ---------------------------------------------------------------- what C's text says

#: Sources, and their tokens by C99, 6.10.3.
EXPANSIONS = {
    "a macro that names itself in another's argument": (
        "#define CAT_(a, b) a ## b\n#define CAT(a, b) CAT_(a, b)\n#define third CAT(third, _rte)\n"
        "third third",
        "third_rte third_rte",
    ),
    "6.10.3.5, example 3": (
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
        "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n"
        "#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n"
        "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
        "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\n"
        "char c[2][6] = { str(hello), str() };",
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);"
        "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"
        'int i[] = { 1, 23, 4, 5, }; char c[2][6] = { "hello", "" };',
    ),
    "6.10.3.5, example 5": (
        "#define t(x,y,z) x ## y ## z\n"
        "int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
        "int j[] = { 123, 45, 67, 89, 10, 11, 12, };",
    ),
    "6.10.3.5, example 7": (
        "#define debug(...) fprintf(stderr, __VA_ARGS__)\n"
        "#define showlist(...) puts(#__VA_ARGS__)\n"
        'debug("Flag"); debug("X = %d\\n", x); showlist(The first, second, and third items.);',
        'fprintf(stderr, "Flag"); fprintf(stderr, "X = %d\\n", x);'
        'puts("The first, second, and third items.");',
    ),
    "## that makes ##": (
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
        "#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);",
        'char p[] = "x ## y";',
    ),
    "__VA_OPT__": (
        "#define f(x, ...) g(x __VA_OPT__(,) __VA_ARGS__)\n#define E\n"
        "f(1) f(1,) f(1, 2, 3) f(1, E)",
        "g(1) g(1) g(1, 2, 3) g(1)",
    ),
    "the comma before no arguments": (
        "#define f(x, ...) g(x, ## __VA_ARGS__)\n#define h(...) g(1, ## __VA_ARGS__)\n"
        "f(1) f(1, ) f(1, 2) h()",
        "g(1) g(1, ) g(1, 2) g(1, )",
    ),
    "tokens that must not join": (
        "#define m -\n#define d .\n#define e\n#define s /\n-m m- d.. +e+ s/ 1/**/d s*",
        "- - - - . . . + + / / 1 . / *",
    ),
    "__COUNTER__ in arguments": (
        "#define f(x) x x\nf(__COUNTER__) __COUNTER__ f(__COUNTER__)",
        "0 0 1 2 2",
    ),
    "__LINE__ in calls of several lines": (
        "#define l __LINE__\n#define f(x) x __LINE__\nf(\n__LINE__\n) l\nf(l\n)",
        "4 5 5 6 7",
    ),
    "_Pragma of others": ('#define U _Pragma("unroll 4") for\nU;', "for ;"),
}


@pytest.mark.parametrize("name", EXPANSIONS)
def test_expansions(name):
    source, wanted = EXPANSIONS[name]
    assert tokens_of(source) == lex_texts(wanted)


def test_functions_by_mode():
    """The idiom for which OpenCL defines __ROUNDING_MODE__."""
    text = (
        SELECT + "#define CAT_(a, b) a ## b\n#define CAT(a, b) CAT_(a, b)\n"
        "#define third CAT(third, __ROUNDING_MODE__)\n"
        "int thirdrte() { return 1; } int thirdrtp() { return 2; }\n"
        "kernel void k(global int *a) { a[0] = third();\n"
        "#pragma OPENCL SELECT_ROUNDING_MODE rtp\na[1] = third(); }\n"
    )
    out = np.zeros(2, np.int32)
    cl.Program(text).k(1, None, out)
    assert out.tolist() == [1, 2]


@shared_out
def test_mode_behind_random_pragmas_is_that_of_the_text():
    """In directives and in macros that nest, __ROUNDING_MODE__ is that of the last pragma."""
    draw = random.Random(5)
    before = SELECT + "#define SET(m) PRAGMA(OPENCL SELECT_ROUNDING_MODE m)\n"
    before += "#define PRAGMA(x) _Pragma(#x)\n#define ID(x) x\n#define MODE __ROUNDING_MODE__\n"
    for _ in range(either(300, 60)):
        source, wanted, mode = before, [], "rte"
        for _ in range(draw.randint(1, 12)):
            kind = draw.randint(0, 4)
            if kind < 2:
                mode = draw.choice(("rte", "rtz", "rtp", "rtn"))
                form = "\n#pragma OPENCL SELECT_ROUNDING_MODE {}\n" if kind else "SET({}) "
                source += form.format(mode)
            elif kind == 2:
                other = draw.choice(("rtz", "rtn"))
                source += f"ID(ID(MODE) SET({other}) __ROUNDING_MODE__ a) "
                wanted += [mode, other, "a"]
                mode = other
            else:
                source += draw.choice(("MODE ", "ID(MODE) ", "ID(\n__ROUNDING_MODE__)\n"))
                wanted.append(mode)
        text = preprocess(source, "k.cl", parse_options(""))
        bare = re.sub(r"(?m)^#.*$", "", text.text)
        assert lex_texts(bare) == wanted, source


# ---------------------------------------------------------------- lines


def places_of(source, **options):
    with pytest.raises(cl.BuildError) as caught:
        cl.Program(source, **options)
    return [str(d.location) for d in caught.value.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    "mark", ['#line 70 "x.h"', '# 70 "x.h" 1 3', '#define N 70\n#line N "x.h"']
)
def test_line_directives_number_the_lines_behind_them(mark):
    text = (
        f"{mark}\nkernel void k(global int *a) {{\n a[0] = zz;\n#error b\n#line 9\n#error c\n}}\n"
    )
    assert sorted(set(places_of(text))) == ["x.h:71:9", "x.h:72:2", "x.h:9:2"]


def test_line_and_file_in_numbered_text():
    text = '#define S __FILE__[0] * 1000 + __LINE__\n#line 41 "A.h"\n\n'
    out = np.zeros(1, np.int32)
    cl.Program(text + "kernel void k(global int *a) { a[0] = S; }").k(1, None, out)
    assert out[0] == ord("A") * 1000 + 42


def test_lines_of_a_listing_are_those_of_the_source():
    source = f'#line 100 "other.h"\n{KERNEL}'
    assert "   2  kernel void k" in cl.Program(source).listing()


@pytest.mark.parametrize("language", ["opencl"])
def test_translations_build_here(language):
    text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    text += "kernel void k(global half *a) { a[0] = a[0] / 3; }"
    a, b = np.ones(1, np.float16), np.ones(1, np.float16)
    cl.Program(text).k(1, None, a)
    cl.Program(cl.translate(text, language)).k(1, None, b)
    assert a.tobytes() == b.tobytes()


# ---------------------------------------------------------------- limits


def test_text_that_is_not_taken_does_not_count(tmp_path):
    lines = '#ifdef NONE\n"it\'s" /* \n#else */ int f(int x);\n' + "x = y + z; // text\n" * 200_000
    (tmp_path / "long.h").write_text(f"#ifdef LONG\n{lines}#endif\n#endif\n" * 2)
    program = cl.Program('#include "long.h"\n' + KERNEL, f"-I {tmp_path}")
    assert [kernel.name for kernel in program.kernels] == ["k"]


def test_limits_of_includes(tmp_path, monkeypatch):
    (tmp_path / "a.h").write_text("//" + "x" * 1000)
    source = '#include "a.h"\n' * 20 + KERNEL
    assert cl.Program(source, f"-I {tmp_path}").kernels
    monkeypatch.setattr("halfcl.cl._frontend.preprocessing.files.MOST_INCLUDES", 19)
    with pytest.raises(cl.BuildError, match=r"program.cl:20:2: .*more than 19 includes in all"):
        cl.Program(source, f"-I {tmp_path}")
    monkeypatch.setattr("halfcl.cl._frontend.preprocessing.files.MOST_READ", 10_000)
    with pytest.raises(cl.BuildError, match=r"program.cl:10:2: .*10,000 characters in all"):
        cl.Program(source, f"-I {tmp_path}")


def test_limit_of_preprocessed_text(monkeypatch):
    monkeypatch.setattr("halfcl.cl._frontend.preprocessing.writer.LONGEST", 500)
    assert cl.Program("// " + "x" * 1000 + "\n" + KERNEL).kernels
    with pytest.raises(cl.BuildError, match="more than 500 characters after preprocessing"):
        cl.Program(KERNEL + "constant int t[] = {" + "1, " * 200 + "};")
    with pytest.raises(cl.BuildError, match="more than 500 characters after preprocessing"):
        cl.Program(KERNEL + "#define M 1, 2, 3, 4,\nconstant int t[] = {" + "M " * 40 + "};")


def test_replacements_are_measured_before_they_are_made(monkeypatch):
    monkeypatch.setattr(nesting, "MOST_EXPANDED", 1 << 16)
    text = f"#define M(x) {'x ' * 30_000}\nM({'i ' * 30_000})\n"
    with pytest.raises(cl.BuildError, match=r"program.cl:2:1: .*more than 65,536 tokens"):
        cl.Program(text)


def test_functions_that_no_kernel_calls_are_left_to_clang():
    text = "int f(int x) { again: if (x) goto again; return g(x); }\n"
    text = "int g(int x) { return x; }\n" + text
    assert cl.Program(text + KERNEL).kernels
    with pytest.raises(cl.BuildError, match=r"2:30: error: goto is not supported"):
        cl.Program(text + KERNEL.replace("= 1", "= f(1)"))
    with pytest.raises(cl.BuildError, match=r"2:30: error: goto is not supported"):
        cl.Program(text)
    with pytest.raises(cl.BuildError, match="undeclared identifier 'zz'"):
        cl.Program("int f() { return zz; }\n" + KERNEL)


# ---------------------------------------------------------------- what the compiler has


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("defined __has_builtin && defined(__has_attribute)", 1),
        ("__has_builtin(__builtin_expect)", 1),
        ("__has_builtin(__builtin_nothing)", 0),
        ("__has_attribute(always_inline) && __has_attribute(__unused__)", 1),
        ("__has_feature(cxx_rtti) || __has_attribute(none)", 0),
        ("__has_extension(c_static_assert) && !__is_identifier(int)", 1),
    ],
)
def test_questions_to_the_compiler(condition, wanted):
    text = f"#if {condition}\nkernel void yes() {{}}\n#else\n"
    (kernel,) = cl.Program(text + "kernel void no() {}\n#endif\n").kernels
    assert kernel.name == ("yes" if wanted else "no")


@pytest.mark.parametrize("text", ["__has_builtin", "__has_builtin(", "__has_builtin(3)"])
@pytest.mark.parametrize("around", ["#if {}\n#endif\n", "constant int x = {};\n", "#include {}\n"])
def test_wrong_questions_to_the_compiler(text, around):
    assert places_of(around.format(text) + KERNEL)[0].startswith("program.cl:1:")


# ---------------------------------------------------------------- options

OPTIONS = """-cl-single-precision-constant -cl-denorms-are-zero -cl-opt-disable
-cl-fp32-correctly-rounded-divide-sqrt -cl-strict-aliasing -cl-uniform-work-group-size
-cl-no-subgroup-ifp -cl-mad-enable
-cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math -w
-Werror -cl-std=CL1.1 -cl-std=CL1.2 -cl-std=CL2.0 -cl-std=CL3.0 -cl-kernel-arg-info -g""".split()


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_opencl_3(option):
    assert cl.Program(KERNEL, option).kernels


#: Options, an expression, and its value.
DEFINITIONS = [
    ("-DA", "A", 1),
    ("-D A", "A", 1),
    ("-DA=", "1 A + 1", 2),
    ("-D A=-2 -DB=A*3", "B", -6),
    ("'-DA(x, y)=x - y'", "A(5, 2)", 3),
    ("-D 'A(x)=#x[0]'", "A(7)", ord("7")),
    ("-D 'A=\"b c\"'", "sizeof(A)", 4),
    ('-D A="\\"b\\""', "sizeof(A)", 2),
    ("-D A=1 -D A=2 -D B=A", "B", 2),
    ("-D 'A=3\n+ nothing'", "A", 3),
]


@pytest.mark.parametrize(("options", "expression", "wanted"), DEFINITIONS)
def test_definitions_by_options(options, expression, wanted):
    out = np.zeros(1, np.int32)
    cl.Program(f"kernel void k(global int *a) {{ a[0] = {expression}; }}", options).k(1, None, out)
    assert out[0] == wanted


def test_folders_by_options(tmp_path):
    for folder in ("a", "b c"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder[0]}.h").write_text(f"kernel void {folder[0]}() {{}}\n")
    text = '#include "a.h"\n#include <b.h>\n'
    program = cl.Program(text, f"-I{tmp_path}/a -I '{tmp_path}/b c'")
    assert [kernel.name for kernel in program.kernels] == ["a", "b"]


HALVES = "kernel void k(global half *a) { a[0] = a[0] + 1; }\n"


def test_extensions_by_options():
    out = np.ones(1, np.float16)
    cl.Program(HALVES, "-cl-ext=+cl_khr_fp16").k(1, None, out)
    assert out[0] == 2
    with pytest.raises(cl.BuildError, match="add #pragma OPENCL EXTENSION cl_khr_fp16"):
        cl.Program(HALVES)
    enabled = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    without = "#ifdef cl_khr_fp16\n#error it is\n#endif\n"
    with pytest.raises(cl.BuildError) as caught:
        cl.Program(without + enabled + HALVES, "-cl-ext=-cl_khr_fp16")
    first, second = caught.value.diagnostics
    assert first.severity == "warning" and "-cl-ext has removed" in first.message
    assert second.location.line == 5
    assert cl.Program(without + KERNEL, "-cl-ext=-all,+cl_khr_fp64").kernels
    assert cl.Program(enabled + HALVES, "-cl-ext=-all -cl-ext=+cl_khr_fp16").kernels
    modes = "enum { rte, rtz }; kernel void k(global int *a) { a[0] = __ROUNDING_MODE__; }"
    assert cl.Program(modes, "-cl-ext=+cl_khr_select_fprounding_mode").kernels


@pytest.mark.parametrize(
    "options", ["-foo", "-cl-ext=cl_khr_fp16", "-cl-ext=+cl_none", "x.cl", "-x spir", "-O3", "-I"]
)
def test_unknown_options_are_refused_in_one_sentence(options):
    with pytest.raises(ValueError, match=r"^Program: argument options: .*expected [^;\n]*$"):
        cl.Program(KERNEL, options)
