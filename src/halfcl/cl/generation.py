"""From tree to Python: each function of a program becomes one over all work-items of a block.

The first two arguments are the run of a block and the mask of active items (`lanes`); values are
as `numbers` and `integers` have them. Statements that some items leave (break, continue,
return) take these out of the mask `m`, and what follows runs if any are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from halfcl.cl import builtins, contraction, lanes, memory, numbers, pointers, tree, types
from halfcl.cl.errors import BuildError, Diagnostic
from halfcl.cl.integers import of_truth
from halfcl.cl.nesting import is_deep
from halfcl.cl.types import Array, Opaque, Pointer, Record, Scalar, Vector

#: What all generated code knows.
_NAMES: dict[str, Any] = {
    "DEAD": lanes.DEAD,
    "NULL": pointers.NULL,
    "step": pointers.step,
    "narrow": lanes.narrow,
    "split": lanes.split,
    "union": lanes.union,
    "without": lanes.without,
    "rejoin": lanes.rejoin,
    "blend": lanes.blend,
    "blend_vectors": lanes.blend_vectors,
    "blend_records": memory.blend_records,
    "inverted": numbers.inverted,
    "both": numbers.both,
    "either": numbers.either,
    "truth": numbers.truth,
    "of_truth": of_truth,
    "component": numbers.component,
    "swizzle": numbers.swizzle,
    "splat": numbers.splat,
    "assembled": numbers.assembled,
    "replaced": numbers.replaced,
}

_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


def generate(
    program: tree.Program,
    default: tree.Mode,
    contracting: contraction.Contracting = "never",
    checks: bool = False,
) -> dict[str, Any]:
    """The names of a module: of each function `f_name`, of `constants` what is at file scope.

    default: the mode before any pragma; None is that of the region in force, where halves are
    rounded at random. checks: all variables lie in memory, so that all reads of them are seen.
    """
    module = _Module(default, contracting, checks)
    source = [(f.at, module.function(f)) for f in program.functions.values() if f.body]
    source.append((0, module.constants(program.constants)))
    codes = [] if module.refused else [module.compiled(at, text) for at, text in source]
    if module.refused:
        raise BuildError(
            [Diagnostic(program.place_of(at), "error", why) for at, why in module.refused]
        )
    namespace = module.names
    namespace["__source__"] = "\n\n".join(text for _, text in source)
    for code in codes:
        exec(code, namespace)
    return namespace


class _Module:
    """What functions share: the objects that their code names."""

    def __init__(
        self, default: tree.Mode, contracting: contraction.Contracting, checks: bool
    ) -> None:
        self.default, self.contracting, self.checks = default, contracting, checks
        self.names: dict[str, Any] = dict(_NAMES)
        self._bound: dict[Any, str] = {}
        self.numbers: dict[int, int] = {}
        self.refused: list[tuple[int, str]] = []  # where and why
        self.variables = 0
        self.hidden_constants: list[tree.Declaration] = []  # those in functions

    def bind(self, hint: str, key: Any, make: Callable[[], Any]) -> str:
        """A name for an object, one for equal keys."""
        key = (hint, key)
        if key not in self._bound:
            name = f"{hint}_{len(self._bound)}_"  # no variable's: these end with a digit
            self._bound[key] = name
            self.names[name] = make()
        return self._bound[key]

    def dtype(self, dtype: Any) -> str:
        return self.bind("dtype", dtype, lambda: dtype)

    def number_of(self, declaration: tree.Declaration) -> int:
        return self.numbers.setdefault(id(declaration), len(self.numbers))

    def new_number(self) -> int:
        """Of a variable in memory."""
        self.variables += 1
        return self.variables

    def function(self, function: tree.Function) -> str:
        return _Function(self, function).text()

    def compiled(self, at: int, text: str) -> Any:
        try:
            return compile(text, "<OpenCL C>", "exec")
        except SyntaxError as error:  # Python nests 20 loops, and 100 blocks
            if "too many" not in str(error):
                raise
            self.refused.append((at, f"not supported: nested too deeply ({error.msg})"))

    def constants(self, declarations: list[tree.Declaration]) -> str:
        writer = _Function(self, None)
        writer.lines.append("def constants(run, m):")
        for declaration in [*declarations, *self.hidden_constants]:
            writer.line(f"global {writer.name(declaration)}")
            writer.declare(declaration)
        writer.line("return None")
        return "\n".join(writer.lines)


def _needs_blend_by_type(type_: Any) -> str:
    if isinstance(type_, Pointer):
        return "run.blend_pointers"
    if isinstance(type_, Vector):
        return "blend_vectors"
    return "blend_records" if isinstance(type_, Record) else "blend"


class _Function:
    def __init__(self, module: _Module, function: tree.Function | None) -> None:
        self.module, self.function = module, function
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.region: list[int] = [0]  # the innermost one is last
        self.regions: dict[int, int] = {}  # of declarations
        self.targets: list[_Target] = []  # of break and continue
        self.returns_early = False

    # ------------------------------------------------------------ writing

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def temporary(self, value: str) -> str:
        if value.isidentifier() or value.lstrip("-").isdigit():
            return value
        name = self.new("t")
        self.line(f"{name} = {value}")
        return name

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        self.line(head)
        self.indent += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.indent -= 1

    @contextmanager
    def inner_region(self) -> Iterator[None]:
        """Where fewer items may be active."""
        self.count += 1
        self.region.append(self.count)
        yield
        self.region.pop()

    def bind(self, hint: str, key: Any, make: Callable[[], Any]) -> str:
        return self.module.bind(hint, key, make)

    # ------------------------------------------------------------ functions

    def text(self) -> str:
        function = self.function
        assert function is not None and function.body is not None
        names = ", ".join(self.name(p) for p in function.parameters)
        self.lines.append(f"def f_{function_key(function)}(run, m, {names}):")
        statements = function.body.statements
        self.returns_early = any(
            isinstance(node, tree.Return)
            for statement in statements[:-1]
            for node in tree.walk(statement)
        ) or (
            bool(statements)
            and not isinstance(statements[-1], tree.Return)
            and _has(statements[-1], tree.Return)
        )
        if self.returns_early:
            self.line("gone = DEAD")
            if function.result != types.VOID:
                self.line("result = " + self.zero(function.result))
        for parameter in function.parameters:
            self.regions[id(parameter)] = 0
            self.line(f"d{self.module.number_of(parameter)} = m")
            if parameter.in_memory:
                self.parameter_to_memory(parameter)
        self.sequence(statements)
        if self.returns_early:
            self.line("return result" if function.result != types.VOID else "return None")
        elif not statements or not isinstance(statements[-1], tree.Return):
            self.line("return None")
        return "\n".join(self.lines)

    def parameter_to_memory(self, parameter: tree.Declaration) -> None:
        name = self.name(parameter)
        value = self.new("t")
        self.line(f"{value} = {name}")
        self.private(name, parameter.name, parameter.type.size)
        self.store(name, value, parameter.type, parameter.at)

    def private(self, name: str, hint: str, size: int) -> None:
        """Memory of its own: what is not recursive needs it once for each item."""
        self.line(f"{name} = run.private({hint!r}, {size}, {self.module.new_number()})")

    def temporary_memory(self, size: int) -> str:
        name = self.new("p")
        self.private(name, "temporary", size)
        return name

    def name(self, declaration: tree.Declaration) -> str:
        return f"{_ascii(declaration.name)}_{self.module.number_of(declaration)}"

    def zero(self, type_: Any) -> str:
        """What variables hold before anything is assigned."""
        if isinstance(type_, Scalar):
            return "0" if not type_.is_floating else self.literal(type_, 0.0)
        if isinstance(type_, Vector):

            def make() -> Any:
                return np.zeros((type_.width, 1), type_.dtype)

            return self.bind("zeros", type_, make)
        if isinstance(type_, Record):
            return self.bind("zeros", id(type_), lambda: np.zeros((1, type_.size), np.uint8))
        if type_ == types.EVENT:
            return "0"
        return "NULL" if isinstance(type_, Pointer) else "None"

    def literal(self, type_: Any, value: Any) -> str:
        if isinstance(type_, Pointer):
            return "NULL"
        if not type_.is_floating:
            return str(int(value))
        key = (type_, value if value == value else "nan", np.signbit(value))
        return self.bind("c", key, lambda: numbers.constant(type_, value))

    # ------------------------------------------------------------ statements

    def sequence(self, statements: list[tree.Node]) -> None:
        """What follows a statement that items may leave runs if some are left."""
        depth = self.indent
        for index, statement in enumerate(statements):
            self.statement(statement)
            if isinstance(statement, tree.Return | tree.Break | tree.Continue):
                break  # what follows is never reached
            if index + 1 < len(statements) and _may_leave(statement):
                self.indent = depth  # once there are none, there are none later
                self.line("if m is not DEAD:")
                self.indent += 1
        self.indent = depth

    def statement(self, node: Any) -> None:
        _STATEMENTS[type(node)](self, node)

    def block(self, node: tree.Block) -> None:
        self.sequence(node.statements)

    def declarations(self, node: tree.Declare) -> None:
        for declaration in node.variables:
            self.declare(declaration)

    def declare(self, declaration: tree.Declaration, has_initial: bool = True) -> None:
        name, type_ = self.name(declaration), declaration.type
        if declaration.space == "constant" and self.function is not None:
            self.module.hidden_constants.append(declaration)
            return
        if self.is_stored(declaration):
            initial = declaration.initial if has_initial else None
            self.declare_in_memory(name, declaration, initial)
            return
        self.regions.setdefault(id(declaration), self.region[-1])
        value = self.zero(type_)
        if declaration.initial is not None and has_initial:
            if _mentions(declaration.initial, declaration):
                self.line(f"{name} = {value}")
            value = self.value(declaration.initial)
        self.line(f"{name} = {value}")
        self.line(f"d{self.module.number_of(declaration)} = m")

    def declare_in_memory(
        self, name: str, declaration: tree.Declaration, initial: tree.Expression | None
    ) -> None:
        hint, size = declaration.name, declaration.type.size
        if declaration.space == "constant":
            self.line(f"{name} = run.constant({hint!r}, {size})")
        elif declaration.space == "local":
            self.line(f"{name} = run.local({hint!r}, {size}, {self.module.new_number()})")
        else:
            self.private(name, hint, size)
        if isinstance(initial, tree.InitialValues):
            self.line(f"run.clear({name})")
        if initial is not None:
            self.initialise(name, initial, declaration.type)
        if declaration.space == "constant":
            self.line(f"run.seal({name})")

    def initialise(self, pointer: str, initial: Any, type_: Any) -> None:
        if isinstance(initial, tree.Text) and isinstance(type_, Array):
            text = initial.value[: type_.size].ljust(type_.size, b"\0")
            row = self.bind("row", text, lambda: np.frombuffer(text, np.uint8)[np.newaxis])
            self.line(f"run.store_record({pointer}, {row}, {type_.size}, m, {initial.at})")
            return
        if not isinstance(initial, tree.InitialValues):
            self.store(pointer, self.value(initial), type_, initial.at)
            return
        for offset, part in initial.parts:
            at = self.temporary(f"step({pointer}, {offset}, 1)")
            self.initialise(at, part, part.type)

    def evaluate(self, node: tree.Evaluate) -> None:
        if isinstance(node.expression, tree.BuiltinCall):
            value = self.builtin_call(node.expression, is_used=False)
        else:
            value = self.value(node.expression)
        if not value.isidentifier() and "(" in value:
            self.line(value)

    def choose(self, node: tree.If) -> None:
        truth = self.condition(node.condition)
        leaves = _may_leave(node)
        before, yes, no = self.new("m"), self.new("m"), self.new("m")
        self.line(f"{before} = m")
        self.line(f"{yes}, {no} = split(m, {truth})")
        for mask, branch in ((yes, node.yes), (no, node.no)):
            if branch is None:
                continue
            if leaves:
                self.line(f"{mask}_after = {mask}")
            with self.indented(f"if {mask} is not DEAD:"), self.inner_region():
                self.line(f"m = {mask}")
                self.statement(branch)
                if leaves:
                    self.line(f"{mask}_after = m")
        if leaves:
            no_after = f"{no}_after" if node.no is not None else no
            self.line(f"m = rejoin({before}, {yes}, {yes}_after, {no}, {no_after})")
        else:
            self.line(f"m = {before}")

    def loop(self, node: tree.Loop) -> None:
        if node.start is not None:
            self.statement(node.start)
        target = _Target(self.new("m"), self.new("k") if _continues(node.body) else None, True)
        self.line(f"{target.before} = m")
        gone_before = self.new("g")
        if self.returns_early:
            self.line(f"{gone_before} = gone")
            self.line("gone = DEAD")
        self.targets.append(target)
        with self.indented("while True:"), self.inner_region():
            self.line(f"run.tick({node.at})")
            if not node.checks_last:
                self.leave_unless(node.condition)
            if target.skipped:
                self.line(f"{target.skipped} = DEAD")
            self.statement(node.body)
            if target.skipped:
                self.line(f"m = union(m, {target.skipped})")
            if _may_leave(node.body, loops=True) or target.skipped:
                self.line("if m is DEAD: break")
            if node.step is not None:
                self.statement(tree.Evaluate(node.step.at, node.step))
            if node.checks_last:
                self.leave_unless(node.condition)
        self.targets.pop()
        self.line(f"m = {target.before}")
        if self.returns_early:
            self.line("m = without(m, gone)")
            self.line(f"gone = union(gone, {gone_before})")

    def leave_unless(self, condition: Any) -> None:
        if condition is None:
            return
        self.line(f"m = narrow(m, {self.condition(condition)})")
        self.line("if m is DEAD: break")

    def switch(self, node: tree.Switch) -> None:
        value = self.temporary(self.value(node.value))
        target = _Target(self.new("m"), None, False, self.new("b"))
        self.line(f"{target.before} = m")
        self.line(f"{target.broken} = DEAD")
        rest, active = self.new("m"), self.new("m")
        self.line(f"{rest} = m")
        equal = self.bind(
            "eq", node.value.type, lambda: numbers.binary("==", node.value.type, "rte")
        )
        masks = []
        for section in node.sections:
            mask = self.new("m")
            self.line(f"{mask} = DEAD")
            for label in section.values:
                found = self.new("m")
                with self.indented(f"if {rest} is not DEAD:"):
                    self.line(f"{found}, {rest} = split({rest}, {equal}({value}, {label}))")
                    self.line(f"{mask} = union({mask}, {found})")
            masks.append(mask)
        for section, mask in zip(node.sections, masks, strict=True):
            if section.is_default:
                self.line(f"{mask} = union({mask}, {rest})")
                self.line(f"{rest} = DEAD")
        self.line(f"{active} = DEAD")
        for variable in node.variables:  # a label may jump over its declaration
            if variable.space == "private":
                self.declare(variable, has_initial=False)
        self.targets.append(target)
        for section, mask in zip(node.sections, masks, strict=True):
            self.line(f"{active} = union({active}, {mask})")
            with self.indented(f"if {active} is not DEAD:"), self.inner_region():
                self.line(f"m = {active}")
                self.sequence(section.statements)
                self.line(f"{active} = m")
        self.targets.pop()
        self.line(f"m = union(union({active}, {target.broken}), {rest})")
        if not any(
            _may_leave(s, switches=True) for section in node.sections for s in section.statements
        ):
            self.line(f"m = {target.before}")

    def leave_loop(self, node: tree.Break) -> None:
        target = self.targets[-1]
        if not target.is_loop:
            self.line(f"{target.broken} = union({target.broken}, m)")
        self.line("m = DEAD")

    def next_turn(self, node: tree.Continue) -> None:
        target = next(t for t in reversed(self.targets) if t.is_loop)
        self.line(f"{target.skipped} = union({target.skipped}, m)")
        self.line("m = DEAD")

    def leave_function(self, node: tree.Return) -> None:
        value = self.value(node.value) if node.value is not None else "None"
        if not self.returns_early:
            self.line(f"return {value}")
            return
        assert self.function is not None
        if node.value is not None:
            self.line(f"result = {self.blended(node.value.type, 'False', value, 'result')}")
        self.line("gone = union(gone, m)")
        self.line("m = DEAD")

    # ------------------------------------------------------------ memory

    def load(self, pointer: str, type_: Any, at: int) -> str:
        if type_ == types.EVENT:
            type_ = types.LONG
        if isinstance(type_, Scalar):
            return f"run.load({pointer}, {self.module.dtype(type_.dtype)}, m, {at})"
        if isinstance(type_, Vector):
            dtype = self.module.dtype(type_.dtype)
            return f"run.load_vector({pointer}, {dtype}, {type_.width}, m, {type_.align}, {at})"
        if isinstance(type_, Record):
            return f"run.load_record({pointer}, {type_.size}, m, {at})"
        return f"run.load_pointer({pointer}, m, {at})"

    def store(self, pointer: str, value: str, type_: Any, at: int) -> None:
        if type_ == types.EVENT:
            type_ = types.LONG
        if isinstance(type_, Scalar):
            self.line(f"run.store({pointer}, {value}, {self.module.dtype(type_.dtype)}, m, {at})")
        elif isinstance(type_, Vector):
            shape = f"{self.module.dtype(type_.dtype)}, {type_.width}, m, {type_.align}"
            self.line(f"run.store_vector({pointer}, {value}, {shape}, {at})")
        elif isinstance(type_, Record):
            self.line(f"run.store_record({pointer}, {value}, {type_.size}, m, {at})")
        else:
            self.line(f"run.store_pointer({pointer}, {value}, m, {at})")

    def pointer_to(self, node: Any) -> str:
        """The address of an expression that lies in memory."""
        if isinstance(node, tree.Dereference):
            return self.value(node.pointer)
        if isinstance(node, tree.Variable):
            return self.name(node.declaration)
        if isinstance(node, tree.Member):
            base = self.pointer_to(node.base)
            return base if node.field.offset == 0 else f"step({base}, {node.field.offset}, 1)"
        if isinstance(node, tree.Swizzle):
            offset = node.indices[0] * node.type.element.size
            return f"step({self.pointer_to(node.base)}, {offset}, 1)"
        if isinstance(node, tree.Text):
            return self.bind("text", node.value, lambda: pointers.text_pointer(node.value))
        if isinstance(node, tree.InitialValues) and isinstance(node.type, Array):
            return self.value(node)  # a literal, which lies in memory
        value = self.temporary(self.value(node))  # a temporary object's
        name = self.temporary_memory(node.type.size)
        self.store(name, value, node.type, node.at)
        return name

    def is_stored(self, declaration: tree.Declaration) -> bool:
        """Whether a variable lies in memory."""
        if declaration.is_parameter or not self.module.checks:
            return declaration.in_memory
        return declaration.in_memory or isinstance(declaration.type, Scalar | Vector | Pointer)

    def is_in_memory(self, node: Any) -> bool:
        while isinstance(node, tree.Member | tree.Swizzle):
            node = node.base
        if isinstance(node, tree.Variable):
            return self.is_stored(node.declaration)
        return isinstance(node, tree.Dereference)

    # ------------------------------------------------------------ assignment

    def assign(self, target: Any, value: str) -> None:
        """value: a name, or used once."""
        if isinstance(target, tree.Swizzle):
            self.assign_components(target, value)
        elif is_packed(target):
            shape = f"{self.module.dtype(target.type.dtype)}, {target.type.width}"
            pointer = self.pointer_to(target)
            self.line(f"run.store_packed({pointer}, {value}, {shape}, m, {target.at})")
        elif self.is_in_memory(target):
            self.store(self.pointer_to(target), value, target.type, target.at)
        else:
            assert isinstance(target, tree.Variable)
            self.assign_variable(target.declaration, value)

    def assign_variable(self, declaration: tree.Declaration, value: str) -> None:
        name = self.name(declaration)
        if self.regions.get(id(declaration)) != self.region[-1]:
            declared = f"d{self.module.number_of(declaration)}"
            value = self.blended(declaration.type, declared, value, name)
        self.line(f"{name} = {value}")

    def blended(self, type_: Any, declared: str, new: str, old: str) -> str:
        if type_ == types.EVENT:
            type_ = types.LONG
        if isinstance(type_, Opaque):
            return new
        blend = _needs_blend_by_type(type_)
        dtype = f", {self.module.dtype(type_.dtype)}" if isinstance(type_, Scalar | Vector) else ""
        return f"{blend}(m, {declared}, {new}, {old}{dtype})"

    def assign_components(self, target: tree.Swizzle, value: str) -> None:
        base, indices = target.base, target.indices
        vector = base.type
        if self.is_in_memory(base):
            pointer = self.temporary(self.pointer_to(base))
            value = self.temporary(value)
            for k, index in enumerate(indices):
                if index >= vector.width:
                    continue
                part = value if len(indices) == 1 else f"component({value}, {k})"
                at = f"step({pointer}, {index * vector.element.size}, 1)"
                self.store(at, part, vector.element, target.at)
            return
        assert isinstance(base, tree.Variable)
        dtype = self.module.dtype(vector.dtype)
        old = self.name(base.declaration)
        if max(indices) >= vector.width:  # .hi of three components: nobody sees the last one
            kept = tuple(k for k, i in enumerate(indices) if i < vector.width)
            if not kept:
                return
            value = value if len(indices) == 1 else f"swizzle({value}, {kept})"
            indices = tuple(indices[k] for k in kept)
        new = f"replaced({old}, {indices}, {value}, {vector.width}, {dtype})"
        self.assign_variable(base.declaration, new)

    # ------------------------------------------------------------ expressions

    def value(self, node: Any) -> str:
        try:
            return self.shallow(_VALUES[type(node)](self, node))
        except NotImplementedError as why:
            self.module.refused.append((node.at, f"not supported: {why}"))
            return "None"

    def shallow(self, text: str) -> str:
        return self.temporary(text) if is_deep(text) else text

    def condition(self, node: Any) -> str:
        """A bool, or an array of them."""
        return self.shallow(self.truth_of(node))

    def truth_of(self, node: Any) -> str:
        if _compares_scalars(node):
            return self.compared(node)
        if isinstance(node, tree.Logical):
            return self.logical(node)
        if isinstance(node, tree.Unary) and node.operator == "!" and isinstance(node.type, Scalar):
            inner = self.condition(node.operand)
            return f"inverted({inner})"
        if isinstance(node.type, Pointer):
            return f"run.is_not_null({self.value(node)})"
        return f"truth({self.value(node)})"

    def literal_value(self, node: tree.Literal) -> str:
        return self.literal(node.type, node.value)

    def text_value(self, node: tree.Text) -> str:
        return self.pointer_to(node)

    def variable(self, node: tree.Variable) -> str:
        declaration = node.declaration
        if not self.is_stored(declaration):
            return self.name(declaration)
        if isinstance(declaration.type, Array):
            return self.name(declaration)
        return self.load(self.name(declaration), declaration.type, node.at)

    def unary(self, node: tree.Unary) -> str:
        if isinstance(node.operand.type, Pointer) or (
            node.operator == "!" and isinstance(node.type, Scalar)
        ):
            return f"of_truth(inverted({self.condition(node.operand)}))"
        number: Any = node.operand.type
        operate = self.bind(
            "u", (node.operator, number), lambda: numbers.unary(node.operator, number)
        )
        return f"{operate}({self.value(node.operand)})"

    def mode(self, mode: tree.Mode, type_: Any) -> tree.Mode:
        chosen = self.module.default if mode is None else mode
        return chosen if chosen or getattr(type_, "element", None) == types.HALF else "rte"

    def operation(self, symbol: str, type_: Any, mode: tree.Mode) -> str:
        chosen = self.mode(mode, type_)
        key = (symbol, type_.element, chosen if type_.is_floating else None)
        return self.bind("op", key, lambda: numbers.binary(symbol, type_.element, chosen))

    def compared(self, node: tree.Binary) -> str:
        left, right = self.operands(node.left, node.right)
        if isinstance(node.left.type, Pointer):
            return f"run.compare({node.operator!r}, {left}, {right})"
        return f"{self.operation(node.operator, node.left.type, 'rte')}({left}, {right})"

    def operands(self, *nodes: Any) -> list[str]:
        """In order: what is emitted for one must not change what an earlier one has read."""
        found: list[str] = []
        for node in nodes:
            start = len(self.lines)
            value = self.value(node)
            if len(self.lines) > start:
                emitted, self.lines[start:] = self.lines[start:], []
                found = [self.temporary(earlier) for earlier in found]
                self.lines += emitted
            found.append(value)
        return found

    def binary(self, node: tree.Binary) -> str:
        vector = node.left.type
        if node.operator in _COMPARISONS or node.operator in ("&&", "||"):
            if not isinstance(vector, Vector):
                return f"of_truth({self.compared(node)})"
            dtype = types.truth_of(vector).dtype
            make = numbers.vector_comparison if node.operator in _COMPARISONS else None
            operate = self.bind(
                "cmp",
                (node.operator, vector.element),
                lambda: (
                    make(node.operator, vector.element, dtype)
                    if make
                    else numbers.vector_logic(node.operator, dtype)
                ),
            )
        else:
            fusion = self.module.contracting != "never" and contraction.fusible(node)
            if fusion:
                return self.contracted(node, fusion)
            operate = self.operation(node.operator, node.type, node.rounding)
        left, right = self.operands(node.left, node.right)
        return f"{operate}({left}, {right})"

    def contracted(self, node: tree.Binary, fusion: contraction.Fusion) -> str:
        """A sum of a product: fused, or computed both ways."""
        product, is_left = fusion.product, fusion.product_is_left
        factors = [product.left, product.right]
        values = self.operands(
            *([*factors, fusion.addend] if is_left else [fusion.addend, *factors])
        )
        if not is_left:
            values = [*values[1:], values[0]]
        mode, type_ = self.mode(node.rounding, node.type), node.type
        if self.module.contracting == "always":
            key = (type_.element, mode, *fusion[2:])
            operate = self.bind("fma", key, lambda: contraction.fused(fusion, node, mode))
            return f"{operate}({', '.join(values)})"
        product_mode = self.mode(product.rounding, type_)
        watch = self.bind(
            "watch", id(node), lambda: contraction.Watch(fusion, node, mode, product_mode)
        )
        name = self.new("t")
        self.line(f"{name} = {watch}(run, m, {', '.join(values)})")
        return name

    def pointer_step(self, node: tree.PointerStep) -> str:
        pointer, index = self.operands(node.pointer, node.index)
        size = node.sign * node.type.pointee.size
        return pointer if index == "0" else f"step({pointer}, {index}, {size})"

    def pointer_difference(self, node: tree.PointerDifference) -> str:
        left, right = self.operands(node.left, node.right)
        return f"run.difference({left}, {right}, {node.left.type.pointee.size})"

    def is_safe(self, node: tree.Node) -> bool:
        """Whether it does no harm to evaluate it for items that do not ask for it."""
        return all(
            isinstance(found, _HARMLESS)
            and not (isinstance(found, tree.Variable) and self.is_stored(found.declaration))
            for found in tree.walk(node)
        )

    def logical(self, node: tree.Logical) -> str:
        """Of the right operand only what is reached is evaluated."""
        left = self.condition(node.left)
        combine = "both" if node.operator == "&&" else "either"
        if self.module.contracting != "watched" and self.is_safe(node.right):
            return f"{combine}({left}, {self.condition(node.right)})"
        before, found = self.new("m"), self.new("t")
        first = self.temporary(left)
        self.line(f"{before} = m")
        wanted = first if node.operator == "&&" else f"inverted({first})"
        self.line(f"m = narrow(m, {wanted})")
        self.line(f"{found} = {first}")
        with self.indented("if m is not DEAD:"), self.inner_region():
            right = self.condition(node.right)
            self.line(
                f"{found} = {'both' if node.operator == '&&' else 'either'}({first}, {right})"
            )
        self.line(f"m = {before}")
        return found

    def logical_value(self, node: tree.Logical) -> str:
        return f"of_truth({self.logical(node)})"

    def conditional(self, node: tree.Conditional) -> str:
        truth = self.condition(node.condition)
        before, yes, no, found = self.new("m"), self.new("m"), self.new("m"), self.new("t")
        is_void = node.type == types.VOID
        self.line(f"{before} = m")
        self.line(f"{yes}, {no} = split(m, {truth})")
        self.line(f"{found} = None")
        for mask, branch, is_first in ((yes, node.yes, True), (no, node.no, False)):
            with self.indented(f"if {mask} is not DEAD:"), self.inner_region():
                self.line(f"m = {mask}")
                value = self.value(branch)
                if is_void:
                    self.line(value if "(" in value else "pass")
                elif is_first:
                    self.line(f"{found} = {value}")
                else:
                    value = self.temporary(value)
                    blended = self.blended(node.type, before, value, found)
                    self.line(f"{found} = {value} if {yes} is DEAD else {blended}")
        self.line(f"m = {before}")
        return found

    def comma(self, node: tree.Comma) -> str:
        self.evaluate(tree.Evaluate(node.at, node.first))
        return self.value(node.second)

    def conversion(self, node: tree.Conversion) -> str:
        source: Any = node.operand.type
        target: Any = node.type
        if isinstance(source, Pointer) or source == target:
            return self.value(node.operand)
        mode = self.mode(node.rounding, target) if target.is_floating else "rtz"
        if target == types.BOOL:
            return f"of_truth({self.condition(node.operand)})"
        if isinstance(node.operand, tree.Literal):
            made = numbers.conversion(source, target, mode)(
                numbers.constant(source, node.operand.value)
            )
            return self.literal(target, made if type(made) is int else float(made[0]))
        key = (source, target, mode)
        convert = self.bind("to", key, lambda: numbers.conversion(source, target, mode))
        return f"{convert}({self.value(node.operand)})"

    def splat(self, node: tree.Splat) -> str:
        return f"splat({self.value(node.operand)}, {self.module.dtype(node.type.dtype)})"

    def reinterpretation(self, node: tree.Reinterpretation) -> str:
        operand: Any = node.operand
        source: Any = operand.type
        target: Any = node.type
        if isinstance(operand, tree.Literal) and isinstance(target, Pointer | Opaque):
            if target == types.SAMPLER:
                return self.bind(
                    "sampler", operand.value, lambda: builtins.sampler(int(operand.value))
                )
            if operand.value == 0:
                return self.zero(target)
        value = self.value(node.operand)
        if isinstance(target, Scalar | Vector) and isinstance(source, Scalar | Vector):
            operate = self.bind(
                "as", (source, target), lambda: builtins.reinterpretation(source, target)
            )
            return f"{operate}({value})"
        if isinstance(source, Pointer) and isinstance(target, Scalar):
            convert = self.bind(
                "to", (types.LONG, target), lambda: numbers.conversion(types.LONG, target, "rtz")
            )
            return f"{convert}(run.address({value}))"
        if isinstance(source, Scalar) and isinstance(target, Pointer):
            convert = self.bind(
                "to", (source, types.LONG), lambda: numbers.conversion(source, types.LONG, "rtz")
            )
            return f"run.pointer_at({convert}({value}), m)"
        return value

    def vector_literal(self, node: tree.VectorLiteral) -> str:
        vector: Any = node.type
        parts = self.operands(*node.parts)
        dtype = self.module.dtype(vector.dtype)
        if len(parts) == 1 and isinstance(node.parts[0].type, Scalar):
            return f"splat({parts[0]}, {dtype})"
        widths = tuple(part.type.width for part in node.parts)
        return f"assembled(({', '.join(parts)},), {widths}, {dtype})"

    def initial_values(self, node: tree.InitialValues) -> str:
        name = self.temporary_memory(node.type.size)
        self.line(f"run.clear({name})")
        self.initialise(name, node, node.type)
        return name if isinstance(node.type, Array) else self.load(name, node.type, node.at)

    def swizzle(self, node: tree.Swizzle) -> str:
        if self.is_in_memory(node) and len(node.indices) == 1:
            return self.load(self.pointer_to(node), node.type, node.at)
        if self.module.checks and self.is_in_memory(node):
            return self.components(node)
        value = self.value(node.base)
        last = node.base.type.width - 1  # .hi of three components has one that is undefined
        indices = tuple(min(i, last) for i in node.indices)
        if isinstance(node.type, Scalar):
            return f"component({value}, {indices[0]})"
        return f"swizzle({value}, {indices})"

    def components(self, node: tree.Swizzle) -> str:
        """Each read by itself: the others may not be defined."""
        type_ = node.type
        parts = [
            self.temporary(self.value(tree.Swizzle(node.at, type_.element, node.base, (index,))))
            for index in node.indices
        ]
        dtype = self.module.dtype(type_.dtype)
        return f"assembled(({', '.join(parts)},), {(1,) * len(parts)}, {dtype})"

    def member(self, node: tree.Member) -> str:
        if self.is_in_memory(node):
            pointer = self.pointer_to(node)
        else:
            value = self.temporary(self.value(node.base))
            pointer = self.temporary_memory(node.base.type.size)
            self.store(pointer, value, node.base.type, node.at)
            pointer = f"step({pointer}, {node.field.offset}, 1)"
        if is_packed(node):
            dtype = self.module.dtype(node.type.dtype)
            return f"run.load_packed({pointer}, {dtype}, {node.type.width}, m, {node.at})"
        return pointer if isinstance(node.type, Array) else self.load(pointer, node.type, node.at)

    def dereference(self, node: tree.Dereference) -> str:
        pointer = self.value(node.pointer)
        return pointer if isinstance(node.type, Array) else self.load(pointer, node.type, node.at)

    def address(self, node: tree.AddressOf) -> str:
        return self.pointer_to(node.target)

    def assignment(self, node: tree.Assignment) -> str:
        value = self.value(node.value)
        target: Any = node.target
        if isinstance(target, tree.Variable) and not self.is_stored(target.declaration):
            self.assign(target, value)
            return self.name(target.declaration)
        value = self.temporary(value)
        self.assign(target, value)
        return value

    def compound(self, node: tree.CompoundAssignment) -> str:
        target: Any = node.target
        computed: Any = node.computed
        if self.is_in_memory(target) and not isinstance(target, tree.Variable):
            target = self.pinned(target)
        operand: Any = tree.Conversion(node.at, computed, target, node.rounding)
        if target.type == computed:
            operand = target
        result: Any = tree.Binary(
            node.at, computed, node.operator, operand, node.value,
            node.rounding, node.contracts, node.operator_at,
        )  # fmt: skip
        if target.type != computed:
            result = tree.Conversion(node.at, target.type, result, node.rounding)
        return self.assignment(tree.Assignment(node.at, node.type, target, result))

    def pinned(self, target: Any) -> Any:
        """The same place, its address computed once."""
        if isinstance(target, tree.Swizzle | tree.Member) and not isinstance(
            target.base, tree.Variable
        ):
            base = self.pinned(target.base)
            if isinstance(target, tree.Swizzle):
                return tree.Swizzle(target.at, target.type, base, target.indices)
            return tree.Member(target.at, target.type, base, target.field)
        if isinstance(target, tree.Dereference):
            name = self.temporary(self.value(target.pointer))
            return tree.Dereference(
                target.at, target.type, _Named(target.at, target.pointer.type, name)
            )
        return target

    def increment(self, node: tree.Increment) -> str:
        target: Any = node.target
        if self.is_in_memory(target) and not isinstance(target, tree.Variable):
            target = self.pinned(target)
        old = self.value(target)
        if not node.is_prefix:
            name = self.new("t")
            self.line(f"{name} = {old}")
            old = name
        type_: Any = node.type
        if isinstance(type_, Pointer):
            new = f"step({old}, {node.step}, {type_.pointee.size})"
        else:
            computed = types.INT if type_ == types.BOOL else type_
            operate = self.operation("+" if node.step > 0 else "-", computed, node.rounding)
            new = f"{operate}({old}, {self.literal(computed, 1)})"
            if type_ == types.BOOL:
                new = f"of_truth(truth({new}))"
        if node.is_prefix:
            new = self.temporary(new)
        self.assign(target, new)
        return new if node.is_prefix else old

    def named(self, node: _Named) -> str:
        return node.name

    def call(self, node: tree.Call) -> str:
        arguments = self.operands(*node.arguments)
        name = self.new("t")
        self.line(f"{name} = f_{function_key(node.function)}(run, {', '.join(['m', *arguments])})")
        return name

    def builtin_call(self, node: tree.BuiltinCall, is_used: bool = True) -> str:
        arguments = self.operands(*node.arguments)
        signature = tuple(argument.type for argument in node.arguments)
        converts = node.name.startswith("convert_half")
        mode = self.mode(node.rounding, node.type if converts else None)
        operate = self.bind(
            node.name,
            (signature, mode),
            lambda: builtins.find(node.name, signature, node.type, mode),
        )
        found = self.module.names[operate]
        if isinstance(found, builtins.OfRun):
            arguments = ["run", "m", str(node.at), *arguments]
        call = f"{operate}({', '.join(arguments)})"
        if not isinstance(found, builtins.Effect):
            return call
        if not is_used:
            return call.replace(operate, f"{operate}.unused", 1)
        name = self.new("t")
        self.line(f"{name} = {call}")
        return name


class _Named(tree.Expression):
    """A value that has a name already."""

    def __init__(self, at: int, type_: Any, name: str) -> None:
        super().__init__(at, type_)
        self.name = name


class _Target:
    """What break and continue refer to."""

    def __init__(
        self, before: str, skipped: str | None, is_loop: bool, broken: str | None = None
    ) -> None:
        self.before, self.skipped, self.is_loop, self.broken = before, skipped, is_loop, broken


def _compares_scalars(node: Any) -> bool:
    return (
        isinstance(node, tree.Binary)
        and node.operator in _COMPARISONS
        and not isinstance(node.left.type, Vector)
    )


def is_packed(node: Any) -> bool:
    """Whether it is a number in a structure that keeps no alignment."""
    if not isinstance(node.type, Scalar | Vector):
        return False
    while isinstance(node, tree.Member):
        align = node.type.align
        if node.field.offset % align or node.base.type.align % align:
            return True
        node = node.base
    return False


def function_key(function: tree.Function) -> str:
    """What its name in generated code ends with."""
    return f"{_ascii(function.name)}_{function.at}_"  # no variable's name ends so


def _ascii(name: str) -> str:
    """clang takes characters in names that Python does not: $, and others than Python's letters."""
    return name if name.isascii() and name.isidentifier() else "_"


def _has(node: tree.Node, kind: type) -> bool:
    return any(isinstance(found, kind) for found in tree.walk(node))


def _mentions(node: tree.Node, declaration: tree.Declaration) -> bool:
    return any(
        isinstance(n, tree.Variable) and n.declaration is declaration for n in tree.walk(node)
    )


def _may_leave(node: tree.Node, loops: bool = False, switches: bool = False) -> bool:
    """Whether items that come in may not come out at its end.

    loops: seen from the loop that it is the body of, whose breaks count; switches likewise.
    """
    if isinstance(node, tree.Return | tree.Continue):
        return True
    if isinstance(node, tree.Break):
        return not switches
    if isinstance(node, tree.Loop):
        return _has(node, tree.Return)
    if isinstance(node, tree.Switch):
        return any(_may_leave(s, switches=True) for part in node.sections for s in part.statements)
    if isinstance(node, tree.Expression):
        return False
    return any(_may_leave(child, loops, switches) for child in node.children())


def _continues(node: tree.Node) -> bool:
    """Whether a continue in it is of the loop that it is the body of."""
    if isinstance(node, tree.Continue):
        return True
    if isinstance(node, tree.Loop | tree.Expression):
        return False
    return any(_continues(child) for child in node.children())


_HARMLESS = (
    tree.Literal, tree.Variable, tree.Unary, tree.Binary, tree.Logical, tree.Conversion,
    tree.Splat, tree.Swizzle, tree.VectorLiteral,
)  # fmt: skip

_STATEMENTS: dict[type, Callable[[_Function, Any], None]] = {
    tree.Block: _Function.block,
    tree.Declare: _Function.declarations,
    tree.Evaluate: _Function.evaluate,
    tree.If: _Function.choose,
    tree.Loop: _Function.loop,
    tree.Switch: _Function.switch,
    tree.Break: _Function.leave_loop,
    tree.Continue: _Function.next_turn,
    tree.Return: _Function.leave_function,
}

_VALUES: dict[type, Callable[[_Function, Any], str]] = {
    tree.Literal: _Function.literal_value,
    tree.Text: _Function.text_value,
    tree.Variable: _Function.variable,
    tree.Unary: _Function.unary,
    tree.Binary: _Function.binary,
    tree.PointerStep: _Function.pointer_step,
    tree.PointerDifference: _Function.pointer_difference,
    tree.Logical: _Function.logical_value,
    tree.Conditional: _Function.conditional,
    tree.Comma: _Function.comma,
    tree.Conversion: _Function.conversion,
    tree.Splat: _Function.splat,
    tree.Reinterpretation: _Function.reinterpretation,
    tree.VectorLiteral: _Function.vector_literal,
    tree.InitialValues: _Function.initial_values,
    tree.Swizzle: _Function.swizzle,
    tree.Member: _Function.member,
    tree.Dereference: _Function.dereference,
    tree.AddressOf: _Function.address,
    tree.Assignment: _Function.assignment,
    tree.CompoundAssignment: _Function.compound,
    tree.Increment: _Function.increment,
    tree.Call: _Function.call,
    tree.BuiltinCall: _Function.builtin_call,
    _Named: _Function.named,
}
