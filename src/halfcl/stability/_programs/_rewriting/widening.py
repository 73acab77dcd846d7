"""Writes lines so that they compute in float32, and variables so that they are float32."""

from __future__ import annotations

import ast
import contextlib
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from halfcl.stability._programs._recording.inputs import RESULT, TOTAL, InputRequest, Inputs
from halfcl.stability._programs._rewriting import formulas
from halfcl.stability._programs._rewriting.sources import Source, header
from halfcl.stability._programs._rewriting.statements import (
    Statement,
    Sum,
    atoms_of,
    base_of,
    creations,
    formulas_in,
    is_plain,
)
from halfcl.stability._programs._running.instrumenting import NARROW, Edit

#: NumPy's functions that compute in the type of their arrays, beyond those of formulas.
_FUNCTIONS = frozenset(
    f"numpy.{name}"
    for name in """average convolve correlate cross cumprod cumsum diff dot ediff1d einsum
    floor_divide fmod gradient inner interp linalg.norm matmul median mod nancumsum nanmean nanstd
    nansum nanvar negative outer percentile prod quantile remainder std tensordot trace trapezoid
    trapz var vdot""".split()
)
_METHODS = frozenset("cumprod cumsum dot max mean min prod std sum trace var".split())
_OPERATORS = (ast.Mod, ast.FloorDiv, ast.MatMult)

#: What an augmented assignment changes.
Target: TypeAlias = ast.Name | ast.Attribute | ast.Subscript

#: Names of types that round to half, as `Inputs` has them.
_HALVES = frozenset({"float16", "half"})


class WideStatement:
    """A statement of a program, and how to write it in float32."""

    def __init__(self, statement: Statement):
        self._source, self._node = statement.source, statement.node
        self._file = statement.source.file
        self._formulas = [
            node for root in header(self._node) for node in formulas_in(root, self._operands)
        ]
        self._places = [(self._file, self._source.number(node)) for node in self._formulas]
        self._target: Target | None = None
        if isinstance(self._node, ast.AugAssign) and is_plain(self._node.target):
            self._target = self._node.target

    def requests(self) -> Iterator[InputRequest]:
        """Yield requests for its inputs."""
        for node in self._formulas:
            atoms = atoms_of(node, self._operands)
            named = tuple((_name(self._source, atom), self._source.number(atom)) for atom in atoms)
            yield InputRequest(self._file, self._source.number(node), named)
        if self._target is not None and isinstance(self._node, ast.AugAssign):
            number = self._source.number(self._node.value)
            yield InputRequest(self._file, number, total=ast.unparse(self._target))

    def edits(self, inputs: Inputs) -> tuple[Edit, ...]:
        """Return the changes that compute the statement in float32; none if nothing is half."""
        if self._target is not None and isinstance(self._node, ast.AugAssign):
            edits = self._augmented_edits(self._node, self._target, inputs)
            return _with_imports(self._source, edits)
        largest = [node for root in header(self._node) for node in self._largest_formulas(root)]
        pairs = [(node, self._rewrite(node, inputs)) for node in largest]
        with contextlib.suppress(ValueError):  # Before 3.12, f-strings cannot have all quotes.
            changed = (self._edit(node, new) for node, new in pairs if new is not node)
            return _with_imports(self._source, changed)
        return ()

    def _largest_formulas(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield the formulas in an expression that are inside no other formula."""
        if self._operands(node) is not None:
            yield node
            return
        for part in _expressions_in(node):
            yield from self._largest_formulas(part)

    def wide_edits(self, inputs: Inputs) -> tuple[Edit, ...]:
        """Return the change that also keeps the assigned value in float32; none for others."""
        node = self._node
        is_formula = isinstance(node, ast.Assign) and self._operands(node.value) is not None
        if not (is_formula or isinstance(node, ast.AugAssign)):
            return ()
        assert isinstance(node, ast.Assign | ast.AugAssign)
        wide, is_wide = self._widen(node.value, inputs)
        is_half = self._types(node.value, inputs) & _HALVES
        edits = (self._edit(node.value, wide),) if is_wide and is_half else ()
        return _with_imports(self._source, edits)

    @property
    def variable(self) -> str:
        """The variable or attribute that has the result; empty if there is none."""
        node = self._node
        if not isinstance(node, ast.Assign) or self._operands(node.value) is None:
            return ""
        target = node.targets[0]
        is_one = len(node.targets) == 1 and isinstance(target, ast.Name | ast.Attribute)
        return ast.unparse(target) if is_one and is_plain(target) else ""

    def _augmented_edits(
        self, node: ast.AugAssign, target: Target, inputs: Inputs
    ) -> Iterator[Edit]:
        """Yield the change of an augmented assignment; arrays round when they are stored."""
        place = self._file, self._source.number(node.value)
        types = inputs.types.get(place, {})
        totals = types.get(TOTAL, set())
        if not totals & _HALVES:
            return
        value, is_wide = self._widen(node.value, inputs)
        if not is_wide:
            value = self._cast("numpy.float32", value)
        text = ast.unparse(target)
        total = ast.parse(text, mode="eval").body
        narrow = _narrow(_half_of(totals), ast.BinOp(total, node.op, value))
        visits = inputs.visits.get(place, [])
        if any(np.ndim(visit.values.get(TOTAL, 0.0)) for visit in visits):
            edit = self._edit(node, ast.AugAssign(target, node.op, value))
            yield replace(edit, narrowing=f"{text}[...] = {ast.unparse(narrow)}")
        else:
            yield self._edit(node, ast.Assign([target], narrow, lineno=0))

    def _edit(self, node: ast.AST, new: ast.AST) -> Edit:
        """Return a change whose new source rounds with functions of `NARROW`."""
        run = shown = ast.unparse(new)
        for full, name in NARROW.items():
            shown = shown.replace(name, self._source.spell(full))
        return Edit(self._file, self._source.number(node), shown, narrowing=run)

    # ------------------------------------------------------------ expressions

    def _operands(self, node: ast.AST) -> Sequence[ast.expr] | None:
        """Return the operands of an operation that computes in float32 for float32; else None."""
        names = self._source.functions
        operation = formulas.operation_of(node, names)
        if operation is not None:
            name, full = operation.function
            library = full.partition(".")[0]
            is_only_there = library == "math" or (library == "halfcl" and not hasattr(np, name))
            return None if is_only_there else operation.operands
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            is_text = isinstance(node.left, ast.JoinedStr | ast.Constant)
            return None if is_text else (node.left, node.right)
        return _called_operands(node, names) if isinstance(node, ast.Call) else None

    def _types(self, node: ast.expr, inputs: Inputs) -> set[str]:
        """Return the types that a formula or an input had."""
        own = inputs.types.get((self._file, self._source.number(node)), {}).get(RESULT, set())
        name = _name(self._source, node)
        for types in (inputs.types.get(place, {}) for place in self._places):
            own = own | types.get(name, set())
        return own

    def _rewrite(self, node: ast.expr, inputs: Inputs) -> ast.expr:
        """Return an expression whose formulas compute in float32 and round once."""
        if self._operands(node) is not None:
            results = self._types(node, inputs)
            wide, is_wide = self._widen(node, inputs)
            if is_wide and results & _HALVES:
                return _narrow(_half_of(results), wide)
        return self._rewrite_parts(node, inputs)

    def _rewrite_parts(self, node: ast.expr, inputs: Inputs) -> ast.expr:
        """Return an expression with the formulas inside it in float32; itself if none is."""
        parts = {}
        for part in _expressions_in(node):
            new = self._rewrite(part, inputs)
            if new is not part:
                parts[id(part)] = new
        return _with_parts(node, parts) if parts else node

    def _widen(self, node: ast.expr, inputs: Inputs) -> tuple[ast.expr, bool]:
        """Return an expression in float32, and whether it is float32."""
        operands = self._operands(node)
        if operands is None:
            new = self._rewrite_parts(node, inputs)
            is_half = self._types(node, inputs) & _HALVES
            return (self._cast("numpy.float32", new), True) if is_half else (new, False)
        if formulas.is_cast_to_half(node, self._source.functions):
            wide, is_wide = self._widen(operands[0], inputs)
            return (wide, True) if is_wide else (self._cast("numpy.float32", wide), True)
        new_parts = {id(part): self._widen(part, inputs) for part in operands
                     if self._operands(part) is not None}  # fmt: skip
        for part in operands:  # one float32 operand makes the others float32
            if id(part) not in new_parts:
                has_wide = any(is_wide for _, is_wide in new_parts.values())
                new_parts[id(part)] = (
                    (self._rewrite_parts(part, inputs), False)
                    if has_wide
                    else self._widen(part, inputs)
                )
        whole = _with_parts(node, {key: wide for key, (wide, _) in new_parts.items()})
        return self._numpy_call(whole), any(is_wide for _, is_wide in new_parts.values())

    def _numpy_call(self, node: ast.expr) -> ast.expr:
        """Return a call of a halfcl function as one of NumPy's, which computes in float32."""
        names = self._source.functions
        operation = formulas.operation_of(node, names)
        if operation is None or not isinstance(node, ast.Call):
            return node
        name, full = operation.function
        if full.partition(".")[0] != "halfcl":
            return node
        function = ast.parse(self._source.spell(f"numpy.{name}"), mode="eval").body
        return ast.Call(function, node.args, node.keywords)

    def _cast(self, full: str, node: ast.expr) -> ast.expr:
        name = ast.parse(self._source.spell(full), mode="eval").body
        return ast.Call(name, [node], [])


def _with_imports(source: Source, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return changes, and those that import what they name."""
    changes = tuple(edits)
    return (*dict.fromkeys(new for edit in changes for new in source.import_edits(edit.text)),
            *changes)  # fmt: skip


def _name(source: Source, node: ast.expr) -> str:
    return f"w{source.number(node)}"


def _narrow(full: str, node: ast.expr) -> ast.expr:
    """Return an expression rounded to a type, in the mode of the run."""
    return ast.Call(ast.Name(NARROW[full], ast.Load()), [node], [])


def _half_of(types: set[str]) -> str:
    return "halfcl.half" if "half" in types else "numpy.float16"


def _called_operands(node: ast.Call, names: Mapping[str, str]) -> Sequence[ast.expr] | None:
    full = formulas.qualified_name(node.func, names)
    words = {word.arg for word in node.keywords}
    if words & {"dtype", "out", None} or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    if full in _FUNCTIONS:
        return node.args
    is_method = not full and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
    if is_method and isinstance(node.func, ast.Attribute):
        return (node.func.value, *node.args)
    return None


def _expressions_in(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the outermost expressions inside a node."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield part
        else:
            yield from _expressions_in(part)


_Node = TypeVar("_Node", bound=ast.AST)


def _with_parts(node: _Node, parts: Mapping[int, ast.expr]) -> _Node:
    """Return a copy of a tree with some of its parts replaced, by their ids."""

    def copy_of(value: object) -> object:
        if isinstance(value, list):
            return [copy_of(part) for part in value]
        if not isinstance(value, ast.AST):
            return value
        return parts[id(value)] if id(value) in parts else _with_parts(value, parts)

    new = copy.copy(node)
    for name, value in ast.iter_fields(node):
        setattr(new, name, copy_of(value))
    return new


# ---------------------------------------------------------------- variables


class WideVariable:
    """A variable that sums accumulate in, and how to create it as float32."""

    def __init__(self, own: Sum):
        self.name = base_of(own.target)
        self._source = own.source
        self._creations = list(creations(own, self.name))

    def requests(self) -> Iterator[InputRequest]:
        """Yield requests for the types of its values."""
        for node in self._creations:
            yield InputRequest(self._source.file, self._source.number(node.value))

    def edits(self, inputs: Inputs) -> tuple[Edit, ...]:
        """Return the changes that create it as float32; none if it is not half."""
        edits = []
        for node in self._creations:
            number = self._source.number(node.value)
            types = inputs.types.get((self._source.file, number), {}).get(RESULT, set())
            if types & _HALVES:
                edits.append(Edit(self._source.file, number, self._wide_source(node.value)))
        return _with_imports(self._source, edits)

    def _wide_source(self, value: ast.expr) -> str:
        """Return the source of a value as float32: with another type, or a cast."""
        names = self._source.functions
        float32 = self._source.spell("numpy.float32")
        types = [part for part in _type_places(value) if formulas.is_half_type(part, names)]
        if not types:
            return f"{float32}({ast.unparse(value)})"
        writer = _TypeWriter({ast.dump(part) for part in types}, float32)
        return ast.unparse(writer.visit(copy.deepcopy(value)))


def _type_places(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions in a call where a type may be: what is called, and arguments."""
    if isinstance(value, ast.Call):
        yield value.func
        yield from value.args
        yield from (word.value for word in value.keywords)


class _TypeWriter(ast.NodeTransformer):
    """Replaces types, given as dumps of their expressions, by float32."""

    def __init__(self, types: set[str], float32: str):
        self._types, self._float32 = types, float32

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace a type, or the types in a node."""
        if isinstance(node, ast.expr) and ast.dump(node) in self._types:
            return ast.parse(self._float32, mode="eval").body
        changed: ast.AST = self.generic_visit(node)
        return changed
