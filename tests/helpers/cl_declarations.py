"""Constants, macros, structs, empty statements and included files, for the programs of cl_random.

A class that `cl_random.Writer` derives from; and `split`, which puts a part of a program in a file
that it includes.
"""

from pathlib import Path

#: Macros of every program, with names that name themselves and arguments that are macros.
MACROS = """#define NAME_(a, b) a ## b
#define NAME(a, b) NAME_(a, b)
#define CALL(f, ...) f(__VA_ARGS__)
#define ADD(a, b) ((a) + (b))
#define SAME(x) SAME_(x)
#define SAME_(x) x
#define PICK(n, i) NAME(PICK_, n)(i)
#define PICK_2(i) ((i) & 1)
#define PICK_4(i) ((i) & 3)
#define LEAVE_IF(c, how) if (c) how
#define in_half in_half
#define clean_float(x) clean_float(x)
"""


class Declarations:
    """Statements and declarations with initializers, macros, and jumps with nothing after them."""

    def constants(self):
        """Return constants of the program's own, and make them known to its expressions."""
        return "".join(self.constant_variable(k) for k in range(self.random.randint(0, 3)))

    def constant_variable(self, k):
        type_ = self.pick("uchar", "ushort", "uint", "ulong", "half", "float")
        kind = self.pick("scalar", "vector", "array", "vectors", "places")
        name, numbers = f"K{k}", [self.number(type_) for _ in range(4)]
        a, b, c, _ = numbers
        some = ", ".join(numbers[: self.pick(1, 2, 4)])
        texts = {
            "scalar": (f"{type_} {name} = {a}", name),
            "vector": (f"{type_}4 {name} = ({type_}4)({', '.join(numbers)})", f"{name}.z"),
            "array": (f"{type_} {name}[4] = {{{some}}}", f"{name}[PICK(4, in_uchar)]"),
            "vectors": (
                f"{type_}2 {name}[2] = {{({type_}2)({a}, {b}), {c}}}",
                f"{name}[PICK(2, in_ushort)].{self.pick('x', 'y', 'lo', 's1')}",
            ),
            "places": (
                f"{type_} {name}[4] = {{[2] = {a}, {b}, [0] = {c}}}",
                f"{name}[PICK(4, in_ushort)]",
            ),
        }
        declaration, use = texts[kind]
        self.global_values.setdefault(type_, []).append(use)
        return f"constant {declaration};\n"

    def struct_(self, depth, in_loop):
        """Return a block with a struct, whose initializer may leave values out, and a use of it."""
        type_, other = self.pick("uint", "ulong", "half", "float"), self.pick("ushort", "uint")
        name = self.new("s")
        a, b, c = (self.expression(type_, 1) for _ in range(3))
        pair = f"({other}2)({self.expression(other, 1)})"
        values = self.pick(
            f"{{{a}, {pair}, {{({type_}2)({b}, {c})}}}}",
            f"{{.v = {{[1] = ({type_}2)({a}), [0] = ({type_}2)({b})}}, .a = {c}}}",
            f"{{{a}, .v[1] = ({type_}2)({b}, {c})}}",
            f"{{.p = {pair}}}",
            f"{{{a}}}",
        )
        read = self.pick(
            f"{name}.a",
            f"{name}.v[PICK(2, {self.leaf('uchar')})].y",
            f"{name}.v[1].lo",
            f"({type_}){name}.p.x" if type_ == "ulong" else f"{name}.v[0].x",
        )
        names = [v for v in self.variables.get(type_, []) if v not in self.constant]
        use = f"{self.random.choice(names)} = {read};" if names else ";"
        return f"{{ struct {{ {type_} a; {other}2 p; {type_}2 v[2]; }} {name} = {values}; {use} }}"

    def macro_of(self, type_, depth):
        """Return an expression through macros, some of which name themselves."""
        inner = self.expression(type_, depth)
        if type_ in ("half", "float", "uint", "ulong"):
            wrapped = self.pick(f"ADD({inner}, {self.leaf(type_)})", f"SAME(SAME({inner}))",
                                f"CALL(ADD, {inner}, {self.leaf(type_)})")  # fmt: skip
            return f"({wrapped})"
        return f"SAME(SAME_(SAME({inner})))"

    def omitted_of(self, type_, depth):
        """Return a conditional without a middle."""
        integer = self.pick("uchar", "ushort", "uint", "ulong")
        first = self.expression(integer, depth)
        if type_ in ("half", "float"):
            first = f"(uint)({first} & 3)"
        return f"({type_})({first} ?: {self.expression(type_, depth)})"

    def statements_of(self, type_, depth):
        """Return statements in parentheses, which a jump may leave; its condition has none."""
        name, (jump, self.jump) = self.new("q"), (self.jump, "")
        first, second, test = (
            self.expression(type_, depth),
            self.expression(type_, 0),
            self.condition(0),
        )
        leave = f"if ({test}) {jump or f'{name} = {second}'};"
        self.jump = jump
        return f"({{ {type_} {name} = {first}; {leave} {name}; }})"

    def compiler_of(self, type_, depth):
        """Return an integer function of the compiler's own."""
        word, cast = self.pick(("", "uint"), ("l", "ulong"))
        bits = 64 if word else 32
        number = f"({cast})({self.expression(cast, depth)} | 1)"
        name = self.pick(
            f"popcount{word}", f"ffs{word}", f"clz{word}", f"ctz{word}", f"parity{word}",
            f"bswap{bits}", f"bitreverse{bits}",
        )  # fmt: skip
        call = f"__builtin_{name}({number})"
        return f"({type_})({call} & 255)" if type_ in ("half", "float") else f"({type_}){call}"

    def place_(self, depth, in_loop):
        """Return a block that changes an element whose index changes, and gives old values."""
        type_, name, k = self.pick("uint", "half", "float"), self.new("t"), self.new("k")
        values = ", ".join(self.expression(type_, 0) for _ in range(4))
        names = [v for v in self.variables.get(type_, []) if v not in self.constant]
        operator = self.pick("+", "-", "*")
        lines = [
            f"{name}[{k}++ & 3] {operator}= {self.expression(type_, 1)};",
            f"{name}[{k}++ & 3]{self.pick('++', '--')};",
        ]
        if names:
            target = self.random.choice(names)
            lines += [f"{target} = {name}[{k}++ & 3]++;", f"{target} = --{name}[{k}++ & 3];"]
        lines = [self.random.choice(lines) for _ in range(2)]
        read = f" {self.random.choice(names)} = {name}[{k} & 3];" if names else ""
        index = f"uint {k} = {self.expression('uchar', 1)};"
        return f"{{ {type_} {name}[4] = {{{values}}}; {index} {' '.join(lines)}{read} }}"

    def nothing_(self, depth, in_loop):
        """Return a statement that does nothing."""
        return self.pick(
            ";", "{}", "{ ; }", "(void)0;", f"typedef int T{self.new('t')};", "if (0) ;"
        )

    def end_of_block(self, in_loop):
        """Return what may stand at a block's end: a jump, and nothing after it."""
        if self.random.random() < 0.8:
            return ""
        empty = "".join(self.nothing_(0, in_loop) for _ in range(self.pick(1, 2)))
        if in_loop:
            jump = self.pick("break", "continue")
            return f"\nLEAVE_IF({self.condition(1)}, {jump});{empty}"
        return f"\n{empty}"


def split(source, folder, seed):
    """Return a program whose first half, up to a kernel, is in a file of `folder` it includes."""
    kernels = source.split("\nkernel void ")
    half = len(kernels) // 2
    if not half:
        return source
    name = f"part_{seed}.h"
    Path(folder, name).write_text("\nkernel void ".join(kernels[:half]) + "\n")
    return f'#include "{name}"\nkernel void ' + "\nkernel void ".join(kernels[half:])
