"""What a kernel does with its images and samplers, and who does it on a device.

Writes, and reads at integers or floats counted in texels, stay the author's text: a device does
them, of a half by way of a float. Where a sampler filters, or coordinates are normalised, OpenCL
leaves open how exact weights and places are. So where a program has such a sampler, or one that it
is given, samplers are numbers in the text, and its functions compute places and weights in integers
as halfcl does. They read the texels at integers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from halfcl.cl import _builtins as builtins, _tree as tree
from halfcl.cl._calls import iterate_nodes
from halfcl.cl._header import SAMPLER_BITS
from halfcl.cl._translation.target import Target
from halfcl.cl._types import SAMPLER, Opaque
from halfcl.device._declarations import resource


class Uses(NamedTuple):
    """By a kernel's parameter, the calls that it comes to as an image, and as a sampler; and those
    that a sampler of the source comes to, by its bits."""

    of_images: dict[str, list[tree.BuiltinCall]]
    of_samplers: dict[str, list[tree.BuiltinCall]]
    of_constants: dict[int, list[tree.BuiltinCall]]


def uses(kernel: tree.Function) -> Uses:
    """What a kernel, and what it calls, does with its parameters."""
    nodes = list(iterate_nodes(kernel))
    owners: dict[int, set[str | int]] = {
        id(p): {p.name} for p in kernel.parameters if isinstance(p.type, Opaque)
    }
    for node in nodes:
        if isinstance(node, tree.Variable) and node.type == SAMPLER:
            bits = _bits_of(node.declaration.initial)
            owners.setdefault(id(node.declaration), set()).update(bits)
    known = -1
    while known != (known := sum(map(len, owners.values()))):
        for node in nodes:
            for variable, given in _handed(node):
                owners.setdefault(id(variable), set()).update(_owners_of(given, owners))
    found = Uses(defaultdict(list), defaultdict(list), defaultdict(list))
    for node in nodes:
        if not isinstance(node, tree.BuiltinCall):
            continue
        for argument in node.arguments:
            for owner in _owners_of(argument, owners):
                if isinstance(owner, int):
                    found.of_constants[owner].append(node)
                else:
                    is_sampler = argument.type == SAMPLER
                    (found.of_samplers if is_sampler else found.of_images)[owner].append(node)
    return Uses(dict(found.of_images), dict(found.of_samplers), dict(found.of_constants))


def _owners_of(node: tree.Node | None, owners: dict[int, set[str | int]]) -> Collection[str | int]:
    """The parameters, or the bits of samplers, that an expression may be."""
    if isinstance(node, tree.Variable) and isinstance(node.type, Opaque):
        return owners.get(id(node.declaration), ())
    return _bits_of(node)


def _bits_of(node: tree.Node | None) -> Collection[int]:
    """Of a sampler that is a constant."""
    if not isinstance(node, tree.Reinterpretation) or node.type != SAMPLER:
        return ()
    return (int(node.operand.value),) if isinstance(node.operand, tree.Literal) else ()


def _handed(node: tree.Node) -> list[tuple[tree.Declaration, tree.Expression | None]]:
    """Parameters and variables, and what they are given."""
    if isinstance(node, tree.Call):
        return list(zip(node.function.parameters, node.arguments, strict=True))
    if isinstance(node, tree.Declare):
        return [(variable, variable.initial) for variable in node.variables]
    return []


def check_parameters(target: Target, function: tree.Function) -> None:
    """Refuses images that compilers of devices end at: Intel's (2026.2) aborts."""
    for parameter in function.parameters:
        if parameter.type == Opaque("image1d_array_t"):
            target.refuse(parameter, "image1d_array_t")


def computes_samplers(program: tree.Program, are_given: bool = True) -> bool:
    """Whether a program's samplers are numbers: a kernel is given one, or there is one that devices
    need not do alike. are_given: whether launches give numbers."""
    return (are_given and takes_samplers(program)) or has_inexact_samplers(program)


def takes_samplers(program: tree.Program) -> bool:
    """Whether a kernel has a parameter that is one."""
    kernels = (f for f in program.functions.values() if f.is_kernel)
    return any(p.type == SAMPLER for kernel in kernels for p in kernel.parameters)


def has_inexact_samplers(program: tree.Program) -> bool:
    """Whether a sampler of the source filters, or has normalised coordinates."""
    bodies = [f.body for f in program.functions.values() if f.body is not None]
    nodes = (node for body in bodies for node in tree.walk(body))
    return any(map(_is_inexact, (*nodes, *(c.initial for c in program.constants))))


def _is_inexact(node: tree.Node | None) -> bool:
    samplers = map(builtins.sampler, _bits_of(node))
    return any(s.is_linear or s.normalized_coords for s in samplers)


def is_computed(node: tree.BuiltinCall) -> bool:
    """Whether the text reads, where samplers are numbers; else the device does."""
    first = node.arguments[0]
    is_of_numbers = node.name in ("read_imagef", "read_imageh")
    is_read_only = isinstance(first, tree.Variable) and first.declaration.access in (
        "",
        "read_only",
    )
    return is_read_only and (is_of_numbers or len(node.arguments) > 2)


def image_text(helpers: Collection[str]) -> list[str]:
    """The functions that read, and samplers as numbers."""
    if "images" not in helpers:
        return []
    names = [f"#undef {n}\n#define {n} {bits}" for n, bits in SAMPLER_BITS.items()]
    read = [resource(f"preludes/{name}.h") for name in ("images", "opencl_images")]
    return [*read, *names, "#define sampler_t uint"]
