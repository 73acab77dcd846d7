"""Random texts of OpenCL C, of which most compile and others nearly do.

A text has declarations, statements and expressions of all kinds, by types; then some of its tokens
are changed, and some of its characters.
"""

import random
import re

from places import TESTS

KERNELS = sorted((TESTS / "cl" / "kernels").glob("*.cl"))

HEAD = """\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""
#: Names of each type, which every kernel has.
NAMES = {
    "int": ["i", "a[1]", "s.x", "p[i & 1]", "v.x", "table[i & 3]", "u.i", "*p", "g(i)"],
    "uint": ["n", "as_uint(f)", "(uint)i"],
    "long": ["l", "as_long(d)"],
    "uchar": ["c", "(uchar)n"],
    "float": ["f", "s.y[1]", "m.y", "u.f", "fabs(f)", "(float)h"],
    "half": ["h", "*q", "w.s2", "s.h", "(half)f", "sqrt(h)"],
    "double": ["d", "(double)f"],
    "int4": ["v", "v.wzyx", "(int4)(i, v.xyz)", "s.v", "as_int4(m)", "v.s0123"],
    "float4": [
        "m",
        "convert_float4(v)",
        "(float4)(f)",
        "as_float4(v)",
        "vload4(0, (global float *)p)",
    ],
    "half4": ["w", "w.xxyy", "vload4(0, q)", "convert_half4(v)", "(half4)(h, w.s012)"],
    "global int *": ["p", "p + i", "&p[2]", "(global int *)q", "(i ? p : p + 1)"],
}
TYPES = list(NAMES)
FLOATING = ("float", "half", "double", "float4", "half4")
PARAMETERS = "global int *p, global half *q, int i, uint n, half h, float f, local int *z"
VARIABLES = """\
    long l = i; uchar c = 3; double d = 2.5; int a[4] = {1, 2, 3}; struct S s = {i, {f}, v0, h};
    int4 v = (int4)(i); float4 m = {1, 2, 3, f}; half4 w = (half4)(h); union U u = {.f = 1.5f};
"""
DECLARATIONS = """\
constant int table[4] = {1, 2, 3, 4};
struct S { int x; float y[2]; int4 v; half h; };
union U { int i; float f; uchar4 b; };
enum E { A0, B0 = 5, C0 };
typedef float real;
int g(int x) { if (x > 3) return x; ; return x - 1; }
"""
#: Statements, and declarations at file scope, that a parser may stumble over; some are errors.
ODD = (TESTS / "helpers" / "cl_texts_statements.txt").read_text().splitlines()
ODD_AT_FILE_SCOPE = (TESTS / "helpers" / "cl_texts_declarations.txt").read_text().splitlines()
#: Characters and ends of lines where no author has them.
ODD_CHARACTERS = [
    "\0", "\ud800", "\udfff", "\r\n", "\r", "\ufeff", "\f", "\v", "??=", "??/\n", "\\\n", "\\\r\n",
    "\\ \n", "\x7f", "\x1a", "\u00e9", "\u2028", "\u2029", "\x85", "\x1c", "\U0001f600", "\\u00e9",
    "\\U0001F600", "\\", "$", "@", "`", "/*", "*/", "//", '"', "'", "#", "##", "<:", "%:",
    "9" * 400, "0x" + "f" * 40, "1e99999", "0x1p99999", "08", "1.5.2", "1h", "1.0hf", "0b2",
    "1'000", "((((", "))))", "[[", "]]", "...", "{{", "}}", "%>",
]  # fmt: skip

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Writer:
    """The writer of one text."""

    def __init__(self, seed):
        self.rng = random.Random(f"texts {seed}")

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, texts):
        return self.rng.choice(texts)

    def literal(self, type_):
        number = self.rng.choice([0, 1, 2, 7, 100, 255, 65504, 1 << 31, (1 << 63) - 1])
        forms = {
            "half": ["1.5h", "0x1p-3h", "65504.0h"], "float": ["1.5f", ".5f", "1e30f", "3."],
            "double": ["1.5", "1e300"], "uint": [f"{number}u", "0xffU"], "long": [f"{number}L"],
        }  # fmt: skip
        return self.pick(forms.get(type_, [str(number), "'a'", "A0"]))

    def expression(self, type_, depth=0):
        """Return an expression of a type, or nearly."""
        if depth > 3 or self.chance(0.3):
            return self.pick(NAMES[type_])
        element = type_.rstrip("4")
        if "*" in type_:
            return f"({self.expression(type_, depth + 1)} + {self.expression('int', depth + 1)})"
        kind = self.rng.randrange(9)
        inner = lambda t=type_: self.expression(t, depth + 1)  # noqa: E731
        if kind == 0:
            text = self.literal(element)
            return text if element == type_ else f"({type_})({text})"
        if kind < 4:
            operators = "+-*/" if type_ in FLOATING else "+ - * / % & | ^ <<".split()
            return f"({inner()} {self.pick(operators)} {inner()})"
        if kind == 4:
            return f"{self.pick('-+' if type_ in FLOATING else '-~+')}{inner()}"
        if kind == 5 and element == type_:
            other = self.pick([t for t in TYPES if "4" not in t and "*" not in t])
            return f"({type_}){inner(other)}"
        if kind == 6 and element == type_:
            compare = self.pick(["<", ">", "==", "!=", "<=", ">="])
            return f"({inner('int')} {compare} {inner('int')} ? {inner()} : {inner()})"
        if kind == 7:
            functions = ["max", "min", "clamp"]
            functions += ["fma", "sqrt", "mix"] if type_ in FLOATING else ["abs", "popcount"]
            function = self.pick(functions)
            count = {"clamp": 3, "fma": 3, "mix": 3, "max": 2, "min": 2}.get(function, 1)
            return f"{function}({', '.join(inner() for _ in range(count))})"
        return f"({inner()}, {inner()})" if element == type_ else inner()

    def statement(self, depth=0):
        kind = self.rng.randrange(10)
        if kind < 2 or depth > 3:
            return self.pick(ODD)
        type_ = self.pick(TYPES[:-1])
        target = self.pick([n for n in NAMES[type_] if not re.search(r"[(]|table|xxyy", n)])
        if kind < 7:
            operator = self.pick(["=", "=", "+=", "-=", "*="])
            return f"{target} {operator} {self.expression(type_)};"
        body = " ".join(self.statement(depth + 1) for _ in range(self.rng.randint(0, 3)))
        condition = self.expression(self.pick(["int", "uint", "float", "half"]))
        return self.pick(
            [
                f"if ({condition}) {{ {body} }} else {{ {self.statement(depth + 1)} }}",
                f"if ({condition}) {self.statement(depth + 1)}",
                f"for (int k = 0; k < 3; ++k) {{ {body} }}",
                f"while ({condition}) {{ {body} break; }}",
                f"do {{ {body} }} while (0);",
                f"{{ {body} }}",
                f"switch (i) {{ case 1: {body} default: {self.statement(depth + 1)} }}",
            ]
        )

    def program(self):
        """Return a text that may compile."""
        share = self.pick([0, 0, 0.3])
        odd = [self.pick(ODD_AT_FILE_SCOPE) for _ in range(2) if self.chance(share)]
        body = "\n    ".join(self.statement() for _ in range(self.rng.randint(1, 4)))
        mode = self.pick(["", "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n"])
        kernel = f"kernel void k({PARAMETERS}) {{ int4 v0 = (int4)(1);\n{VARIABLES}    {body}\n}}\n"
        return "\n".join([HEAD + DECLARATIONS + mode, *odd, kernel])

    def mutate(self, text):
        """Return a text with some tokens deleted, repeated, moved or replaced."""
        tokens = _TOKEN.findall(text)
        for _ in range(self.rng.randint(1, 3)):
            at, other = self.rng.randrange(len(tokens)), self.rng.randrange(len(tokens))
            kind = self.rng.randrange(5)
            if kind == 0:
                tokens[at] = ""
            elif kind == 1:
                tokens[at] *= 2
            elif kind == 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            elif kind == 3:
                tokens[at] = tokens[other]
            else:
                tokens[at] += self.pick(ODD_CHARACTERS)
        return "".join(tokens)


def text_of(seed):
    """Return a text: a random program, or a kernel of the tests, perhaps with changes."""
    writer = Writer(seed)
    text = writer.program()
    if writer.chance(0.15):
        text = writer.pick(KERNELS).read_text()
    if writer.chance(0.4):
        text = writer.mutate(text)
    if writer.chance(0.1):
        text = text.replace("\n", writer.pick(["\r\n", "\r", "\\\n\n", "\n\f"]))
    return text
