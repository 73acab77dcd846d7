"""The uses of a kernel's images and samplers, and who samples them on a device.

Writes, and reads at integers or at floats counted in texels, stay the author's text: the device
executes them, halves by way of floats. Where a sampler filters, or coordinates are normalised,
OpenCL does not fix the precision of weights and places. So if a program has such a sampler, or a
sampler parameter, samplers are numbers in the text, and its functions compute places and weights in
integers as halfcl does. They read the texels at integers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.calls import iterate_nodes
from halfcl.cl._frontend.literals.samplers import sampler_of
from halfcl.cl._frontend.preprocessing.header import SAMPLER_BITS
from halfcl.cl._frontend.types import SAMPLER, Opaque
from halfcl.cl._translation.target import Target
from halfcl.device._source.declarations import resource

#: Beginning of the macro that defines the functions of a kind of image.
_OF_KIND = "HCI_OF_"


class Uses(NamedTuple):
    """The calls that use each image parameter, each sampler parameter, and each sampler constant.

    Constants are keyed by their bits.
    """

    of_images: dict[str, list[tree.BuiltinCall]]
    of_samplers: dict[str, list[tree.BuiltinCall]]
    of_constants: dict[int, list[tree.BuiltinCall]]


def uses(kernel: tree.Function) -> Uses:
    """Return how a kernel and its callees use its parameters."""
    nodes = list(iterate_nodes(kernel))
    owners: dict[int, set[str | int]] = {
        id(p): {p.name} for p in kernel.parameters if isinstance(p.type, Opaque)
    }
    for node in nodes:
        if isinstance(node, tree.Variable) and node.type == SAMPLER:
            bits = _bits_of(node.declaration.initial)
            owners.setdefault(id(node.declaration), set()).update(bits)
    known = -1
    while known != (known := sum(map(len, owners.values()))):  # until nothing is added
        for node in nodes:
            for variable, argument_ in _bindings_of(node):
                owners.setdefault(id(variable), set()).update(_owners_of(argument_, owners))
    result = Uses(defaultdict(list), defaultdict(list), defaultdict(list))
    for node in nodes:
        if not isinstance(node, tree.BuiltinCall):
            continue
        for argument in node.arguments:
            for owner in _owners_of(argument, owners):
                if isinstance(owner, int):
                    result.of_constants[owner].append(node)
                else:
                    is_sampler = argument.type == SAMPLER
                    (result.of_samplers if is_sampler else result.of_images)[owner].append(node)
    return Uses(dict(result.of_images), dict(result.of_samplers), dict(result.of_constants))


def _owners_of(node: tree.Node | None, owners: dict[int, set[str | int]]) -> Collection[str | int]:
    """Return the parameters, or the bits of samplers, that an expression may refer to."""
    if isinstance(node, tree.Variable) and isinstance(node.type, Opaque):
        return owners.get(id(node.declaration), ())
    return _bits_of(node)


def _bits_of(node: tree.Node | None) -> Collection[int]:
    """Return the bits of a constant sampler."""
    if not isinstance(node, tree.Reinterpretation) or node.type != SAMPLER:
        return ()
    return (int(node.operand.value),) if isinstance(node.operand, tree.Literal) else ()


def _bindings_of(node: tree.Node) -> list[tuple[tree.Declaration, tree.Expression | None]]:
    """Return parameters and variables with their arguments and initial values."""
    if isinstance(node, tree.Call):
        return list(zip(node.function.parameters, node.arguments, strict=True))
    if isinstance(node, tree.Declare):
        return [(variable, variable.initial) for variable in node.variables]
    return []


def check_parameters(target: Target, function: tree.Function) -> None:
    """Note the kinds of images; refuse those with which Intel's compiler (2026.2) aborts.

    It aborts where such an image needs functions of the text.
    """
    for parameter in function.parameters:
        if isinstance(parameter.type, Opaque) and parameter.type.is_image:
            target.helpers.add(f"{_OF_KIND}{parameter.type}")
        if parameter.type == Opaque("image1d_array_t") and target.is_intel:
            target.refuse(parameter, "image1d_array_t, with which Intel's compiler aborts")


def computes_samplers(
    program: tree.Program, are_given: bool = True, is_linked: bool = False
) -> bool:
    """Return whether a program's samplers are numbers.

    They are if a kernel has a sampler parameter, or if functions use a sampler that devices may
    treat differently. are_given: whether launches pass numbers; is_linked: see `takes_samplers`.
    """
    return (are_given and takes_samplers(program, is_linked)) or has_inexact_samplers(program)


def takes_samplers(program: tree.Program, is_linked: bool = False) -> bool:
    """Return whether a kernel has a sampler parameter.

    is_linked: whether other programs may call all functions, and have functions that it calls:
    then any function counts, so that all programs agree.
    """
    takers = (f for f in program.functions.values() if f.is_kernel or is_linked)
    return any(p.type == SAMPLER for function in takers for p in function.parameters)


def has_inexact_samplers(program: tree.Program) -> bool:
    """Return whether a sampler filters, or has normalised coordinates.

    Only samplers that functions use count: headers have others.
    """
    bodies = [f.body for f in program.functions.values() if f.body is not None]
    return any(_is_inexact(node) for body in bodies for node in tree.walk(body))


def _is_inexact(node: tree.Node) -> bool:
    samplers = map(sampler_of, _bits_of(_value_of(node)))
    return any(s.is_linear or s.normalized_coords for s in samplers)


def _value_of(node: tree.Node) -> tree.Node | None:
    """Return the initial value of a sampler's variable; other nodes themselves."""
    if isinstance(node, tree.Variable) and node.type == SAMPLER:
        return node.declaration.initial
    return node


def filters(kernel: tree.Function) -> bool:
    """Return whether a kernel's samplers may filter, if samplers are numbers.

    So may those that the text does not know.
    """
    return any(
        isinstance(node, tree.BuiltinCall)
        and node.builtin.family == "image read"
        and is_computed(node)
        and any(_may_filter(a) for a in node.arguments if a.type == SAMPLER)
        for node in iterate_nodes(kernel)
    )


def _may_filter(sampler: tree.Expression) -> bool:
    return not _bits_of(_value_of(sampler)) or _is_inexact(sampler)


def is_computed(node: tree.BuiltinCall) -> bool:
    """Return whether the text samples itself if samplers are numbers; else the device does."""
    first = node.arguments[0]
    is_of_numbers = node.name in ("read_imagef", "read_imageh")
    is_read_only = isinstance(first, tree.Variable) and first.declaration.access in (
        "",
        "read_only",
    )
    return is_read_only and (is_of_numbers or len(node.arguments) > 2)


def image_text(helpers: Collection[str]) -> list[str]:
    """Return the functions that read images, samplers as numbers, and colours."""
    own = ["#define HCI_COLORS"] if "colors" in helpers else []
    colors = [*own, resource("preludes/opencl/colors.h")]
    if "images" not in helpers:
        return colors if own else []
    names = [f"#undef {n}\n#define {n} {bits}" for n, bits in SAMPLER_BITS.items()]
    kinds = [f"#define {name}" for name in sorted(helpers) if name.startswith(_OF_KIND)]
    read = [resource(f"preludes/{name}.h") for name in ("images", "opencl/images")]
    return [*colors, *kinds, *read, *names, "#define sampler_t uint"]
