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
