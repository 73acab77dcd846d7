"""What a kernel does with its images and samplers, and which of it devices do alike.

Reads and writes stay the author's text: a device does them, of a half by way of a float. Where
coordinates are integers, or floats counted in texels, a texel is itself. Where a sampler filters,
or coordinates are normalised, OpenCL leaves open how exact weights and places are: refused.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from halfcl.cl import _builtins as builtins, _tree as tree
from halfcl.cl._calls import nodes_of
from halfcl.cl._translation.target import Target
from halfcl.cl._types import SAMPLER, Opaque

#: Why a sampler is refused on a device.
INEXACT = "a sampler that filters or has normalised coordinates, which each device does by itself"


class Uses(NamedTuple):
    """By a kernel's parameter, the calls that it comes to as an image, and as a sampler."""

    of_images: dict[str, list[tree.BuiltinCall]]
    of_samplers: dict[str, list[tree.BuiltinCall]]


def uses(kernel: tree.Function) -> Uses:
    """What a kernel, and what it calls, does with its parameters."""
    nodes = list(nodes_of(kernel))
    owners = {id(p): {p.name} for p in kernel.parameters if isinstance(p.type, Opaque)}
    known = -1
    while known != (known := sum(map(len, owners.values()))):
        for node in nodes:
            for variable, given in _handed(node):
                owners.setdefault(id(variable), set()).update(owners.get(id(given), ()))
    images: dict[str, list[tree.BuiltinCall]] = defaultdict(list)
    samplers: dict[str, list[tree.BuiltinCall]] = defaultdict(list)
    for node in nodes:
        if not isinstance(node, tree.BuiltinCall):
            continue
        for argument in node.arguments:
            if isinstance(argument, tree.Variable) and isinstance(argument.type, Opaque):
                found = samplers if argument.type == SAMPLER else images
                for name in owners.get(id(argument.declaration), ()):
                    found[name].append(node)
    return Uses(dict(images), dict(samplers))


def _handed(node: tree.Node) -> list[tuple[tree.Declaration, tree.Declaration]]:
    """Parameters and variables, and what they are given."""
    pairs: list[tuple[tree.Declaration, tree.Expression | None]] = []
    if isinstance(node, tree.Call):
        pairs = list(zip(node.function.parameters, node.arguments, strict=True))
    elif isinstance(node, tree.Declare):
        pairs = [(variable, variable.initial) for variable in node.variables]
    return [(to, given.declaration) for to, given in pairs if isinstance(given, tree.Variable)]


def check_parameters(target: Target, function: tree.Function) -> None:
    """Refuses images that compilers of devices end at: Intel's (2026.2) aborts."""
    for parameter in function.parameters:
        if parameter.type == Opaque("image1d_array_t"):
            target.refuse(parameter, "image1d_array_t")


def check_sampler(target: Target, node: tree.Expression) -> None:
    """Refuses a constant that makes a sampler which devices do not do alike."""
    if not isinstance(node, tree.Reinterpretation) or node.type != SAMPLER:
        return
    if isinstance(node.operand, tree.Literal):
        made = builtins.sampler(int(node.operand.value))
        if made.is_linear or made.normalized_coords:
            target.refuse(node, INEXACT)
