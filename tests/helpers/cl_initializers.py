"""Random initializers: kernels that declare an object in every form that C has, and write it out.

Objects are numbers, vectors, arrays, structs and unions, nested; initializers have braces or not,
fewer elements than members, designators, ranges, strings, vectors and whole structs. Each kernel
writes its object's numbers as doubles. `program_of(seeds, C)` has C's alone, to be compiled by a C
compiler.
"""

import random

LEAVES = 64  # at most, of one object

#: What initializers may have: OpenCL's vectors, halves, and empty braces for numbers, which some
#: compilers lack.
ALL = frozenset(("vectors", "halves", "empty"))
C = frozenset[str]()

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATING = ("float", "double", "half")
WIDTHS = (2, 3, 4, 8, 16)
#: Members of unions, all of four bytes, so that the first has all bits.
OVERLAID = ("int", "uint", "float", "char[4]", "short[2]", "{ushort, uchar, uchar}")
OVERLAID_IN_CL = (*OVERLAID, "half[2]", "uchar4", "short2", "half2")
CONSTANT, LOCAL, ANY = "constant", "private const", "private"

HALVES = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
HEAD = f"{HALVES}#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
C_HEAD = """\
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint;
typedef unsigned long ulong;
#define constant static const
"""


class Scalar:
    def __init__(self, name):
        self.name = name

    def leaves(self, path):
        yield path


class Vector:
    def __init__(self, element, width):
        self.element, self.width = Scalar(element), width
        self.name = f"{element}{width}"

    def leaves(self, path):
        return (f"{path}.s{k:x}" for k in range(self.width))


class Array:
    def __init__(self, element, length):
        self.element, self.length = element, length

    def leaves(self, path):
        for k in range(self.length):
            yield from self.element.leaves(f"{path}[{k}]")


class Record:
    """fields: names and types; a name of None is of an unnamed record."""

    def __init__(self, tag, fields, is_union=False):
        self.tag, self.fields, self.is_union = tag, fields, is_union
        self.name = f"{'union' if is_union else 'struct'} {tag}"

    def leaves(self, path):
        for name, type_ in self.fields[: 1 if self.is_union else None]:
            yield from type_.leaves(f"{path}.{name}" if name else path)


def declare(type_, name):
    """Return a declaration."""
    if isinstance(type_, Array):
        return declare(type_.element, f"{name}[{type_.length}]")
    return f"{type_.name} {name}"


class Kernel:
    """The writer of one kernel."""

    def __init__(self, seed, forms):
        self.rng = random.Random(f"initializers {seed}")
        self.seed, self.forms = seed, forms
        self.records = []  # their definitions
        self.count = 0
        self.place = self.rng.choice((CONSTANT, LOCAL, ANY, ANY, ANY))

    def chance(self, share):
        return self.rng.random() < share

    # ------------------------------------------------------------ types

    def scalar(self):
        return Scalar(self.rng.choice((*INTEGERS, *FLOATING[: 3 if "halves" in self.forms else 2])))

    def type(self, depth=0):
        kinds = ["scalar", "array", "struct", "union"][: 1 if depth > 3 else None]
        kinds += ["vector"] * 2 if "vectors" in self.forms else []
        kind = self.rng.choice(kinds)
        if kind == "scalar":
            return self.scalar()
        if kind == "vector":
            return Vector(self.scalar().name, self.rng.choice(WIDTHS))
        if kind == "array":
            return Array(self.type(depth + 1), self.rng.randint(1, 4))
        return self.union() if kind == "union" else self.struct(depth)

    def new_record(self, fields, is_union=False, named=True):
        self.count += 1
        record = Record(f"R{self.seed}_{self.count}" if named else "", fields, is_union)
        text = " ".join(f"{declare(t, name or '')};" for name, t in fields)
        if named:
            self.records.append(f"{record.name} {{ {text} }};")
        else:
            record.name = f"{'union' if is_union else 'struct'} {{ {text} }}"
        return record

    def member_name(self):
        self.count += 1
        return f"m{self.count}"

    def struct(self, depth):
        fields = [(self.member_name(), self.type(depth + 1)) for _ in range(self.rng.randint(1, 4))]
        if self.chance(0.2):  # an unnamed member
            inner = [(self.member_name(), self.scalar()) for _ in range(self.rng.randint(1, 3))]
            fields.insert(
                self.rng.randint(0, len(fields)), (None, self.new_record(inner, named=False))
            )
        return self.new_record(fields, named=depth == 0 or self.chance(0.8))

    def union(self):
        choices = [
            each
            for each in OVERLAID_IN_CL
            if (each in OVERLAID or "vectors" in self.forms)
            and ("half" not in each or "halves" in self.forms)
        ]
        members = self.rng.sample(choices, self.rng.randint(1, 4))
        return self.new_record([(self.member_name(), self.overlaid(m)) for m in members], True)

    def overlaid(self, text):
        if text.startswith("{"):
            names = text.strip("{}").split(", ")
            return self.new_record([(self.member_name(), Scalar(n)) for n in names])
        if "[" in text:
            name, length = text.strip("]").split("[")
            return Array(Scalar(name), int(length))
        return Vector(text[:-1], int(text[-1])) if text[-1].isdigit() else Scalar(text)

    # ------------------------------------------------------------ values

    def number(self, type_):
        """Return an expression that any scalar may be initialized by."""
        value = self.rng.randint(0, 100)
        kinds = [str(value), f"{value}.75f", f"{value}.5", f"'{chr(97 + value % 26)}'", f"{value}u"]
        if "halves" in self.forms and (self.place != CONSTANT or type_.name in FLOATING):
            kinds.append(f"{value}.25h")
        if type_.name in ("char", "short", "int", "long", "float", "double", "half"):
            kinds += [f"-{value}", f"-{value}.5f"]
        kinds += [f"({value} + 3)", f"(short){value}"]
        if self.place != CONSTANT:
            kinds += ["n", f"(n + {value})", f"(x * {value})", "x"]
        return self.rng.choice(kinds)

    def whole(self, type_):
        """Return an initializer of a variable of a type."""
        if isinstance(type_, Array) or (isinstance(type_, Record) and not self.may_be_whole()):
            return self.braces(type_)
        if isinstance(type_, Record):
            return self.value(type_) if self.chance(0.2) else self.braces(type_)
        return self.braces(type_) if self.chance(0.6) else self.value(type_)

    def may_be_whole(self):
        """Return whether a struct may be the value of an expression."""
        return self.place != CONSTANT

    def value(self, type_):
        """Return an expression of a type, for a member of that type."""
        if isinstance(type_, Scalar):
            return self.number(type_)
        if isinstance(type_, Vector):
            return self.number(type_.element) if self.chance(0.5) else self.vector(type_)
        return f"({type_.name}){self.braces(type_)}"

    def vector(self, type_):
        """Return a vector literal."""
        if self.chance(0.3):
            return f"({type_.name})({self.number(type_.element)})"
        return f"({type_.name})({', '.join(self.components(type_))})"

    def components(self, type_):
        """Return the parts of a vector, of which some may be shorter vectors."""
        parts, missing = [], type_.width
        while missing:
            widths = [w for w in WIDTHS if w < min(missing + 1, type_.width)]
            if widths and self.chance(0.25):
                width = self.rng.choice(widths)
                parts.append(self.vector(Vector(type_.element.name, width)))
                missing -= width
            else:
                parts.append(self.number(type_.element))
                missing -= 1
        return parts

    def letters(self, type_):
        length = self.rng.randint(0, type_.length)
        text = "".join(
            self.rng.choice(["a", "Z", "9", r"\n", r"\\", r"\x41", r"\102", "%"])
            for _ in range(length)
        )
        return '"' + text.replace(r"\x41", r'\x41""') + '"'

    def is_text(self, type_):
        return (
            isinstance(type_, Array)
            and type_.element.__class__ is Scalar
            and (type_.element.name in ("char", "uchar"))
        )

    # ------------------------------------------------------------ braces

    def braces(self, type_):
        """Return an initializer in braces."""
        if self.chance(0.04) and ("empty" in self.forms or isinstance(type_, Array | Record)):
            return "{}"
        if isinstance(type_, Scalar):
            inner = self.number(type_)
            return f"{{{inner}}}" if self.chance(0.9) else f"{{{{{inner}}}}}"
        if isinstance(type_, Vector):
            return f"{{{', '.join(self.components(type_))}}}"
        if self.is_text(type_) and self.chance(0.5):
            text = self.letters(type_)
            return text if self.chance(0.7) else f"{{{text}}}"
        return "{" + ", ".join(self.elements(type_)) + self.rng.choice(["", "", ","]) + "}"

    def elements(self, type_):
        """Return the elements of a list, by members in order, by designators, or both."""
        texts, index, members = [], 0, self.members(type_)
        for _ in range(self.rng.randint(1, len(members) + 1)):
            if self.chance(0.25):
                designator, index = self.designation(type_, members)
                texts.append(designator)
            elif index < len(members):
                is_last = self.chance(0.15)
                texts += self.element(members[index][1], is_last)
                index += 1
                if is_last:  # elided braces with fewer elements end the list
                    break
            if isinstance(type_, Record) and type_.is_union:
                break
        return texts or [self.element(members[0][1])[0]]

    def members(self, type_):
        if isinstance(type_, Array):
            return [(f"[{k}]", type_.element) for k in range(type_.length)]
        return [(f".{name}" if name else None, t) for name, t in type_.fields]

    def element(self, type_, may_stop=False, has_braces=True):
        """Return the elements that initialize a member: one, or several without braces.

        may_stop: whether there may be too few; has_braces: whether the first may be in braces,
        which are those of the member around it if that has none.
        """
        is_aggregate = isinstance(type_, Array | Record)
        if self.is_text(type_) and self.chance(0.3):
            return [self.letters(type_)]
        if is_aggregate and (self.chance(0.4) or not has_braces):
            members = self.members(type_)
            if isinstance(type_, Record) and type_.is_union:
                members = members[:1]
            texts = []
            for _, member in members:
                texts += self.element(member, has_braces=bool(texts))
            return texts[: self.rng.randint(1, len(texts))] if may_stop else texts
        if isinstance(type_, Record) and type_.tag and self.may_be_whole() and self.chance(0.3):
            return [self.value(type_)]
        if has_braces and (is_aggregate or self.chance(0.2)):
            return [self.braces(type_)]
        return [self.value(type_)]

    def designation(self, type_, members):
        """Return a member's designation with its value, and the index of the next member."""
        index = self.rng.randrange(len(members))
        path, member = members[index]
        if path is None:  # a member of an unnamed record
            name, member = self.rng.choice(member.fields)
            path = f".{name}"
        after, depth = index + 1, 1
        if isinstance(type_, Array) and index + 1 < len(members) and self.chance(0.3):
            after = self.rng.randint(index + 2, len(members))
            path = f"[{index} ... {after - 1}]"
        while isinstance(member, Array | Record) and self.chance(0.5):
            name, inner = self.rng.choice(self.members(member))
            if name is None:
                break
            path, member, depth = path + name, inner, depth + 1
        if isinstance(member, Array | Record) or self.chance(0.2):
            text = self.braces(member)
        else:
            text = self.value(member)
        # What follows goes on behind the innermost member; the next is designated, too, then.
        return f"{path} = {text}", after if depth == 1 else len(members)

    # ------------------------------------------------------------ the kernel

    def text(self):
        while True:
            state = self.rng.getstate()
            self.records.clear()
            type_ = self.type()
            leaves = list(type_.leaves("v"))
            if len(leaves) <= LEAVES:
                break
            self.rng.setstate(state)
            self.rng.random()
        initial = self.whole(type_)
        qualifier = {CONSTANT: "constant ", LOCAL: "const ", ANY: ""}[self.place]
        declaration = f"{qualifier}{declare(type_, 'v')} = {initial};"
        outside = ""
        if self.place == CONSTANT and self.chance(0.5):
            outside = declaration.replace(" v", f" v{self.seed}", 1)
            leaves = [leaf.replace("v", f"v{self.seed}", 1) for leaf in leaves]
            declaration = ""
        stores = "\n".join(f"    o[{k}] = (double){leaf};" for k, leaf in enumerate(leaves))
        is_c = "vectors" not in self.forms
        head, space = ("void", "") if is_c else ("kernel void", "global ")
        return "\n".join(
            [
                *self.records,
                outside,
                f"{head} k{self.seed}({space}double *o, int n, float x) {{",
                f"    {declaration}",
                stores,
                "}",
            ]
        )


def program_of(seeds, forms=ALL):
    """Return a source with the kernels `k0`, `k1`, ... of the seeds; in C without vectors."""
    head = HEAD if "vectors" in forms else C_HEAD
    if "halves" not in forms:
        head = head.replace(HALVES, "")
    return head + "\n".join(Kernel(s, forms).text() for s in seeds)


#: Arguments of each kernel: what is behind the output.
ARGUMENTS = (7, 2.5)
