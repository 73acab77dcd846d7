"""Source of kernels that call one function over arrays, in any dialect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halfcl.device._source.catalogue import Form
from halfcl.device._source.dialects import Dialect
from halfcl.device._source.text import source
from halfcl.typing import RoundingMode

#: The kinds of operands: an array; an array of one element, which all work-items use; a number.
ARRAY, ONE, NUMBER = "array", "one", "number"

#: Elements per work-item in wide kernels.
WIDE = 8


@dataclass(frozen=True)
class Kernel:
    """One kernel: a function in a mode, with operands of these kinds.

    width: of vectors, 0 for functions without; wide: whether a work-item has eight elements, from a
    multiple of eight on; whole: whether each work-item has an element.
    """

    form: Form
    mode: RoundingMode
    kinds: tuple[str, ...]
    width: int = 0
    wide: bool = False
    whole: bool = False

    @property
    def inputs(self) -> list[tuple[str, str, str]]:
        """Name, letter and kind of each operand."""
        return list(zip("xyz", self.form.inputs, self.kinds, strict=False))

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """Name and letter of each result."""
        return list(zip("rs", self.form.outputs, strict=False))

    @property
    def function(self) -> str:
        return f"hc_{self.form.name}_{self.mode}"

    def text(self, dialect: Dialect) -> str:
        """Return the kernel's source in a dialect, after that of its function."""
        return f"{source(dialect, [self.form.name])}\n{kernel_text(self, dialect)}"


def kernel_text(kernel: Kernel, dialect: Dialect) -> str:
    """Return the kernel hck(n, operands, results); arrays may be passed with an offset each."""
    packs, long = dialect.packs, dialect.types["Q"]
    parameters = [f"{long} n"]
    for name, letter, kind in kernel.inputs:
        if kind == NUMBER:
            number = dialect.types["H"] if letter == "e" else dialect.array_type(letter)
            parameters.append(f"{number} {name}")
        else:
            parameters.append(_array(dialect, f"const {dialect.array_type(letter)}", name))
    parameters += [
        _array(dialect, dialect.array_type(letter), name) for name, letter in kernel.outputs
    ]
    arrays = [name for name, _, kind in kernel.inputs if kind != NUMBER]
    arrays += [name for name, _ in kernel.outputs]
    starts = [dialect.start.format(name=name) for name in arrays] if dialect.start else []
    if kernel.wide:
        body = [f"{long} i = {packs.first};", "if (i >= n)", "    return;", *_wide(kernel, dialect)]
    else:
        each = _each(kernel, dialect)
        # Without a comparison, compilers for CPUs vectorise better.
        body = [f"{long} i = {dialect.item};", *(each if kernel.whole else dialect.guard(each))]
    return "\n".join([
        *([packs.before if kernel.wide else ""] if packs.before else []),
        f"{dialect.kernel} void hck({', '.join(parameters)})", "{",
        *_indent([*starts, *body]), "}", "",
    ])  # fmt: skip


def _array(dialect: Dialect, type_: str, name: str) -> str:
    """Return the parameters of an array."""
    return f"{dialect.space}{type_} *{name}{dialect.offset.format(name=name)}"


def _each(kernel: Kernel, dialect: Dialect) -> list[str]:
    """Return the statements for one element, or for one vector."""
    if kernel.width < 2:
        arguments = [_element(kernel, name, kind, letter) for name, letter, kind in kernel.inputs]
        return _stores(kernel, arguments, "{name}[i]")
    lines, arguments = list[str](), list[str]()
    for name, _, kind in kernel.inputs:
        loads, argument = dialect.load_vector(kernel.width, name, kind == ARRAY)
        lines += loads
        arguments.append(argument)
    if kernel.form.vectors != "vector":
        return [*lines, *_stores(kernel, arguments, "{name}[i]")]
    call = f"{kernel.function}({', '.join(arguments)})"
    return [*lines, *dialect.store_vector(kernel.width, call)]


def _wide(kernel: Kernel, dialect: Dialect) -> list[str]:
    """Return eight calls between loads and stores; the last, fewer elements go one by one."""
    packs = dialect.packs
    lines, loads, tail, stores, rest = [f"int m = {packs.count};"], [], [], [], []
    inputs = [(name, letter) for name, letter, kind in kernel.inputs if kind == ARRAY]
    for name, letter in (*inputs, *kernel.outputs):
        words = {"name": name, "type": dialect.array_type(letter)}
        element = packs.element.format(**words)
        lines.append(packs.variable.format(**words))
        if (name, letter) in inputs:
            loads.append(packs.load.format(**words))
            tail.append(f"{element} = {name}[i + {packs.within}];")
        else:
            stores.append(packs.store.format(**words))
            rest.append(f"if (k < m) {name}[i + k] = {element};")
    each = ["#pragma unroll", f"for (int k = 0; k < {WIDE}; ++k) {{"]  # constant indices only
    if loads:
        lines += _if_whole(loads, [*each, *_indent(tail), "}"])
    arguments = [
        packs.element.format(name=name) if kind == ARRAY else _element(kernel, name, kind, letter)
        for name, letter, kind in kernel.inputs
    ]
    if dialect.is_in_phases(kernel.form):
        lines += _vector_call(kernel, arguments, packs.element)
    else:
        lines += [*each, *_indent(_stores(kernel, arguments, packs.element)), "}"]
    return [*lines, *_if_whole(stores, [*each, *_indent(rest), "}"])]


def _if_whole(whole: list[str], fewer: list[str]) -> list[str]:
    """Return statements for eight elements, or else for fewer."""
    return [f"if (m == {WIDE}) {{", *_indent(whole), "} else {", *_indent(fewer), "}"]


def _indent(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _element(kernel: Kernel, name: str, kind: str, letter: str) -> str:
    if kind == NUMBER:
        return f"HCI_HALF({name})" if letter == "e" else name
    return f"{name}[{'i' if kind == ARRAY else 0}]"


def _stores(kernel: Kernel, arguments: list[str], element: str) -> list[str]:
    """Return the call and the stores of its results; a second one goes by way of a variable.

    element: template of an array's element.
    """
    call = f"{kernel.function}({', '.join(arguments)})"
    first, second = (element.format(name=name) for name in "rs")
    if len(kernel.outputs) == 1:
        truth = " != 0" if kernel.form.outputs == "?" else ""
        return [f"{first} = {call}{truth};"]
    kind = "hc_half " if kernel.form.outputs[1] == "e" else "int "
    call = f"{kernel.function}({', '.join([*arguments, '&other'])})"
    return [f"{kind}other;", f"{first} = {call};", f"{second} = other;"]


def _vector_call(kernel: Kernel, arguments: list[str], element: str) -> list[str]:
    """Return one call with vectors of eight components."""
    names = [name for name, _, _ in kernel.inputs]
    fill = " ".join(f"{n}_v.s[k] = {a};" for n, a in zip(names, arguments, strict=True))
    result = f"{kernel.function}({', '.join(f'{n}_v' for n in names)})"
    each = f"for (int k = 0; k < {WIDE}; ++k)"
    return [
        f"hc_half{WIDE} {', '.join(f'{n}_v' for n in names)};",
        "#pragma unroll",
        f"{each} {{ {fill} }}",
        f"hc_half{WIDE} r_v = {result};",
        "#pragma unroll",
        f"{each} {element.format(name='r')} = r_v.s[k];",
    ]
