"""Random OpenCL C kernels whose results are defined to the last bit, and a runtime to run them.

Only what is exact or correctly rounded everywhere: integers that wrap (unsigned, or of less than
int), shifts by less than the width, divisions by what is not 0, + - * / and sqrt of half and
float without contraction, fma of float, comparisons, conversions whose values fit. NaNs are
written as one.

How exact / and sqrt are, OpenCL C leaves to profiles and options. That Intel's runtime rounds them
correctly, as halfcl does, is no assumption: `OPERATIONS` of each type are compared with exact
results.
"""

import random
import re

from cl_declarations import MACROS, Declarations

INTEGERS = ("uchar", "ushort", "uint", "ulong")
FLOATING = ("half", "float")
SIGNED = {"uchar": "char", "ushort": "short", "uint": "int", "ulong": "long"}

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
"""


#: Kernels o_half, o_float and o_double: of three numbers an item six results.
OPERATIONS = HEAD + "".join(
    f"""kernel void o_{t}(global const {t} *x, global {t} *y) {{
    size_t i = get_global_id(0);
    {t} a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    y += 6 * i;
    y[0] = a + b; y[1] = a - b; y[2] = a * b; y[3] = a / b; y[4] = sqrt(a); y[5] = fma(a, b, c);
}}
"""
    for t in ("half", "float", "double")
)


class Writer(Declarations):
    """One program: statements over variables a0.. of each type, in and out of work-item i."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = {}  # by type
        self.constant = {}  # loops' counters, which nobody assigns
        self.functions = []
        self.global_values = {}  # uses of the program's constants, by type
        self.count = 0
        self.depth = 0
        self.jump = ""  # what may leave an expression's statements

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, type_):
        if type_ in FLOATING:
            value = self.random.choice((0.0, 1.0, -1.5, 0.1, 3.75, -0.0625, 1000.0, 0.001))
            return f"({type_}){value}{'h' if type_ == 'half' else 'f'}"
        return f"({type_}){self.random.choice((0, 1, 2, 3, 7, 100, 255, 40000, 123456789))}u"

    def leaf(self, type_):
        known = self.variables.get(type_, []) + self.global_values.get(type_, [])
        if known and self.random.random() < 0.75:
            return self.random.choice(known)
        return self.number(type_)

    def expression(self, type_, depth):
        if depth == 0:
            return self.leaf(type_)
        kinds = ["leaf", "binary", "binary", "binary", "ternary", "convert", "call", "vector"]
        kinds += ["truths", "macro", "omitted", "statements", "compiler"]
        return getattr(self, self.random.choice(kinds) + "_of")(type_, depth - 1)

    def leaf_of(self, type_, depth):
        return self.leaf(type_)

    def binary_of(self, type_, depth):
        a, b = self.expression(type_, depth), self.expression(type_, depth)
        if type_ in FLOATING:
            if type_ == "float" and self.random.random() < 0.15:
                return f"fma({a}, {b}, {self.expression(type_, depth)})"
            if self.random.random() < 0.05:
                return f"sqrt({a})"
            return f"({a} {self.operator(a)} {b})"
        operator = self.pick("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
        if operator in ("/", "%"):
            return f"({type_})({a} {operator} ({type_})({b} | 1))"
        if operator in ("<<", ">>"):
            bits = {"uchar": 7, "ushort": 15, "uint": 31, "ulong": 63}[type_]
            return f"({type_})({'(uint)' if bits < 31 else ''}{a} {operator} ({b} & {bits}))"
        if operator in "+-*" and type_ in ("uchar", "ushort"):  # promoted to int
            return f"({type_})((uint){a} {operator} (uint){b})"
        return f"({type_})({a} {operator} {b})"

    def operator(self, left):
        """Return an operator for floating numbers.

        Intel's optimizer computes (0.0h / x) * y as 0 where x is 0, rather than NaN.
        """
        operator = self.pick("+", "-", "*", "/")
        return "*" if operator == "/" and ")0.0" in left else operator

    def condition(self, depth):
        type_ = self.pick(*INTEGERS, *FLOATING)
        a, b = self.expression(type_, depth), self.expression(type_, depth)
        test = f"({a} {self.pick('<', '>', '<=', '>=', '==', '!=')} {b})"
        if depth and self.random.random() < 0.3:
            return f"({test} {self.pick('&&', '||')} {self.condition(depth - 1)})"
        return f"!{test}" if self.random.random() < 0.1 else test

    def ternary_of(self, type_, depth):
        yes, no = self.expression(type_, depth), self.expression(type_, depth)
        return f"({self.condition(depth)} ? {yes} : {no})"

    def convert_of(self, type_, depth):
        if type_ in FLOATING:
            source = self.pick(*INTEGERS, *FLOATING)
            if source in ("uint", "ulong") and type_ == "half":  # may not fit
                return f"(half)({self.expression(source, depth)} & 1023)"
            return f"({type_}){self.expression(source, depth)}"
        source = self.pick(*INTEGERS)
        inner = self.expression(source, depth)
        signed = SIGNED[source] if self.random.random() < 0.5 else source
        return f"({type_})({signed}){inner}"

    def call_of(self, type_, depth):
        fitting = [f for f in self.functions if f[1] == type_]
        if not fitting:
            return self.binary_of(type_, depth)
        name, _, parameters = self.random.choice(fitting)
        return f"{name}({', '.join(self.expression(p, depth) for p in parameters)})"

    def vector_of(self, type_, depth):
        """A component of an operation on vectors."""
        width = self.pick(2, 3, 4)
        vectors = [
            f"(({type_}{width})({', '.join(self.expression(type_, 0) for _ in range(width))}))"
            for _ in range(2)
        ]
        operator = self.operator(vectors[0]) if type_ in FLOATING else self.pick(*"+*^&")
        first = f"{vectors[0]}.{''.join(self.pick(*'xyzw'[:width]) for _ in range(2))}"
        second = f"{vectors[1]}.{self.pick('xy', 'yx', 'lo')}"
        return f"({first} {operator} {second}).{self.pick('x', 'y', 's0', 's1', 'hi', 'lo')}"

    def whole_vector(self, type_, width):
        """Often all of one number or constant: what is known before it runs goes other ways."""
        if self.random.random() < 0.6:
            part = self.number(type_) if self.random.random() < 0.6 else self.expression(type_, 0)
            return f"(({type_}{width})({part}))"
        parts = ", ".join(self.expression(type_, 0) for _ in range(width))
        return f"(({type_}{width})({parts}))"

    def truth_vector(self, type_, width, depth):
        """Return a vector of signed integers of the type's size: a comparison, or made of such."""
        a, b = self.whole_vector(type_, width), self.whole_vector(type_, width)
        kind = self.pick("compare", "compare", "not", "logic", "select", "ternary")
        known = self.variables.get(type_, [])
        if kind == "logic" and known:  # Intel's has 1 for the true of constants in a constant
            b = f"(({type_}{width})({self.random.choice(known)}))"
        elif kind == "logic":
            kind = "compare"
        if kind == "compare" or (type_ in FLOATING and kind in ("not", "logic")):
            return f"({a} {self.pick('<', '>', '<=', '>=', '==', '!=')} {b})"
        if kind == "not":
            return f"(!{self.truth_vector(type_, width, depth - 1) if depth > 0 else a})"
        if kind == "logic":
            return f"({a} {self.pick('&&', '||')} {b})"
        if depth <= 0:
            return f"({a} < {b})"
        inner = [self.truth_vector(type_, width, depth - 1) for _ in range(3)]
        if kind == "select":
            return f"select({', '.join(inner)})"
        return f"({inner[0]} ? {inner[1]} : {inner[2]})"

    def truths_of(self, type_, depth):
        """A component, or whether any or all are true."""
        width = self.pick(2, 3, 4)
        source = self.pick(*INTEGERS, *FLOATING)
        vector = self.truth_vector(source, width, depth)
        whole = "xyzw"[:width]
        first = "".join(self.pick(*whole) for _ in range(2))
        expression = self.pick(
            f"{vector}.{self.pick(*whole)}", f"{vector}.{first}.y", f"any({vector})",
            f"all({vector}.{first})", f"(-{vector}).{first}.hi",
        )  # fmt: skip
        return f"({type_}){'(int)' if type_ in FLOATING else ''}{expression}"

    # ------------------------------------------------------------ statements

    def new(self, type_):
        self.count += 1
        return f"{type_[0]}{self.count}"

    def statement(self, depth, in_loop):
        kinds = ["assign"] * 4 + ["compound"] * 3 + ["declare"] * 2 + ["nothing"]
        if depth:
            kinds += ["if"] * 3 + ["loop"] * 2 + ["switch", "array", "vectors", "struct"]
        kinds += ["place"]
        if in_loop:
            kinds += ["leave"]
        before, self.jump = self.jump, self.pick("break", "continue") if in_loop else ""
        text = getattr(self, self.random.choice(kinds) + "_")(depth, in_loop)
        self.jump = before
        return text

    def block(self, depth, in_loop, statements=3):
        saved = {t: list(v) for t, v in self.variables.items()}
        count = self.random.randint(1, statements)
        text = "\n".join(self.statement(depth, in_loop) for _ in range(count))
        text += self.end_of_block(in_loop)
        self.variables = saved
        return text

    def target(self):
        type_ = self.random.choice([t for t, v in self.variables.items() if v])
        names = [v for v in self.variables[type_] if v not in self.constant]
        return (type_, self.random.choice(names)) if names else ("uint", self.sink)

    def assign_(self, depth, in_loop):
        type_, name = self.target()
        return f"{name} = {self.expression(type_, 2)};"

    def compound_(self, depth, in_loop):
        type_, name = self.target()
        if type_ in FLOATING:
            if self.random.random() < 0.2:
                return f"{name}{self.pick('++', '--')};"
            return f"{name} {self.pick('+', '-', '*', '/')}= {self.expression(type_, 2)};"
        if self.random.random() < 0.2:
            return f"{self.pick('++', '--')}{name};"
        other = self.pick(*INTEGERS)
        operator = self.pick("+", "-", "&", "|", "^")
        return f"{name} {operator}= {self.expression(other, 2)};"

    def declare_(self, depth, in_loop):
        type_ = self.pick(*INTEGERS, *FLOATING)
        value = self.expression(type_, 2)
        name = self.new(type_)
        self.variables.setdefault(type_, []).append(name)
        return f"{type_} {name} = {value};"

    def if_(self, depth, in_loop):
        text = f"if ({self.condition(2)}) {{\n{self.block(depth - 1, in_loop)}\n}}"
        if self.random.random() < 0.5:
            text += f" else {{\n{self.block(depth - 1, in_loop)}\n}}"
        return text

    def loop_(self, depth, in_loop):
        """Each has a counter of its own, which ends it."""
        self.count += 1
        name = f"n{self.count}"
        self.constant[name] = True
        limit = f"({self.expression('uchar', 1)} & 3) + {self.random.randint(0, 3)}"
        head = f"uint {name} = 0; uint l{name} = {limit};"
        self.variables.setdefault("uint", []).append(name)
        body = self.block(depth - 1, True)
        self.variables["uint"].remove(name)
        kind = self.pick("for", "while", "do")
        if kind == "for":
            return f"{{ {head} for (; {name} < l{name}; ++{name}) {{\n{body}\n}} }}"
        if kind == "while":
            return f"{{ {head} while ({name}++ < l{name}) {{\n{body}\n}} }}"
        return f"{{ {head} do {{\n{body}\n}} while (++{name} < l{name}); }}"

    def leave_(self, depth, in_loop):
        return f"if ({self.condition(1)}) {self.pick('break', 'continue')};"

    def switch_(self, depth, in_loop):
        """A break leaves the switch, a continue the loop that it is in."""
        sections = []
        for label in self.random.sample(range(5), 3):
            end = self.pick("break;", "", "continue;" if in_loop else "break;")
            sections.append(f"case {label}: {{\n{self.block(depth - 1, False)}\n}} {end}")
        if self.random.random() < 0.6:
            at = self.random.randint(0, 3)
            sections.insert(at, f"default: {{\n{self.block(depth - 1, False)}\n}}")
        return f"switch ({self.expression('uint', 2)} % 5) {{\n" + "\n".join(sections) + "\n}"

    def array_(self, depth, in_loop):
        type_ = self.pick(*INTEGERS, *FLOATING)
        self.count += 1
        name = f"t{self.count}"
        values = ", ".join(self.expression(type_, 1) for _ in range(4))
        kind, target = self.target()
        index = [f"[{self.expression('uchar', 1)} & 3]" for _ in range(2)]
        value = self.expression(type_, 2)
        read = f"{name}{index[1]}"
        if kind in INTEGERS and type_ in FLOATING:
            read = f"({read} > 0)"  # its value may not fit
        text = f"{{ {type_} {name}[4] = {{{values}}}; {name}{index[0]} = {value};"
        return f"{text} {target} = ({kind}){'(uchar)' if type_ in INTEGERS else ''}{read}; }}"

    def vectors_(self, depth, in_loop):
        type_ = self.pick(*INTEGERS, *FLOATING)
        self.count += 1
        name = f"v{self.count}"
        values = ", ".join(self.expression(type_, 1) for _ in range(4))
        parts = self.random.sample("xyzw", 2)
        text = f"{{ {type_}4 {name} = ({type_}4)({values});"
        text += f" {name}.{''.join(parts)} = {name}.{self.pick('lo', 'hi', 'even', 'odd', 'wx')};"
        if self.random.random() < 0.5:
            text += f" if ({self.condition(1)}) {name}.{self.pick(*'xyzw')} ="
            text += f" {self.expression(type_, 1)};"
        names = [v for v in self.variables.get(type_, []) if v not in self.constant]
        if names:
            text += f" {self.random.choice(names)} = {name}.{self.pick(*'xyzw')};"
        return text + " }"

    # ------------------------------------------------------------ programs

    def function(self, k):
        result = self.pick(*INTEGERS, *FLOATING)
        parameters = [self.pick(*INTEGERS, *FLOATING) for _ in range(self.random.randint(1, 3))]
        names = [f"p{i}" for i in range(len(parameters))]
        self.variables = {}
        for type_, name in zip(parameters, names, strict=True):
            self.variables.setdefault(type_, []).append(name)
        self.sink = "sink"
        body = self.block(2, False)
        if self.random.random() < 0.5:
            body += f"\nif ({self.condition(1)}) return {self.expression(result, 2)};\n"
            body += self.block(1, False)
        declared = ", ".join(f"{t} {n}" for t, n in zip(parameters, names, strict=True))
        text = f"{result} f{k}({declared}) {{\nuint sink = 0;\n{body}\n"
        text += f"return {self.expression(result, 2)};\n}}\n"
        self.functions.append((f"f{k}", result, parameters))
        return text

    def program(self):
        constants = self.constants()
        uses, self.global_values = self.global_values, {}  # they need variables of the kernel
        functions = [self.function(k) for k in range(self.random.randint(0, 2))]
        self.global_values = uses
        self.variables = {"uint": ["i"], **{t: [f"in_{t}"] for t in ("half", "float", "ulong")}}
        self.variables |= {"uchar": ["in_uchar"], "ushort": ["in_ushort"]}
        self.constant = {"i": True}
        self.sink = "sink"
        body = "\n".join(self.statement(2, False) for _ in range(self.random.randint(2, 5)))
        outs = "\n".join(
            f"{t}_out[i] = {self.clean(t, self.expression(t, 2))};" for t in (*INTEGERS, *FLOATING)
        )
        declared = ", ".join(f"global {t} *{t}_out" for t in (*INTEGERS, *FLOATING))
        return (
            f"{constants}{''.join(functions)}kernel void k({declared}) {{\n"
            "uint i = get_global_id(0), sink = 0;\n"
            "uchar in_uchar = i * 37; ushort in_ushort = i * 4099;\n"
            "ulong in_ulong = i * 0x9E3779B97F4A7C15ul;\n"
            "half in_half = (half)(int)(i - 7) * 0.37h;\n"
            "float in_float = (float)(int)(i - 5) * 1.1f;\n"
            f"{body}\n{outs}\nuint_out[i] += sink;\n}}\n"
        )

    @staticmethod
    def clean(type_, expression):
        if type_ in INTEGERS:
            return expression
        return f"clean_{type_}({expression})"


CLEAN = "".join(f"{t} clean_{t}({t} x) {{ return x == x ? x : ({t})9.5f; }}\n" for t in FLOATING)


def program_of(seeds):
    """Source of kernels k0, k1, ... by seed, each with a buffer for each of the types."""
    kernels = []
    for seed in seeds:
        text = Writer(seed).program().replace("kernel void k(", f"kernel void k{seed}(")
        text = re.sub(r"\bf(\d+)\(", rf"f{seed}_\1(", text)
        kernels.append(re.sub(r"\bK(\d+)\b", rf"K{seed}_\1", text))
    return HEAD + CLEAN + MACROS + "".join(kernels)
