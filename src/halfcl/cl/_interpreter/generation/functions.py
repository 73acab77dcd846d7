"""Code of a program's functions, and the module with them."""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.flow.jumps import lower_jumps
from halfcl.cl._interpreter import contraction
from halfcl.cl._interpreter.generation import declarations, statements
from halfcl.cl._interpreter.generation.analysis import (
    assigned_variables,
    can_end,
    enclose_after_guards,
    has_node,
)
from halfcl.cl._interpreter.generation.declarations import declare
from halfcl.cl._interpreter.generation.expressions import (
    assignment,
    conditions,
    numbers as expressions,
    places,
)
from halfcl.cl._interpreter.generation.expressions.places import private, store
from halfcl.cl._interpreter.generation.module import Module, Names
from halfcl.cl._interpreter.generation.writer import Writer, function_key

_VALUES = (
    assignment.VALUES
    | conditions.VALUES
    | declarations.VALUES
    | expressions.VALUES
    | places.VALUES
    | statements.VALUES
)


def generate(
    program: tree.Program,
    default: tree.Mode,
    contracting: contraction.Contracting = "never",
    checks: bool = False,
) -> Names:
    """Generate a module: `f_name` for each function, and `constants` for file scope.

    default: the mode before any pragma; None is that of the region in force, with stochastic
    rounding of halves. checks: whether all variables lie in memory, so that all reads are observed.
    """
    module = Module(default, contracting, checks)
    program = lower_jumps(program)
    functions = [_function(module, f) for f in program.functions.values() if f.body]
    source = "\n\n".join([*functions, _constants(module, program.constants)])
    if module.refused:
        raise BuildError(
            [Diagnostic(program.place_of(at), "error", why) for at, why in module.refused]
        )
    namespace = module.names
    namespace["__source__"] = source
    namespace["__variables__"] = module.program_variables
    exec(compile(source, "<OpenCL C>", "exec"), namespace)
    return namespace


def _function(module: Module, function: tree.Function) -> str:
    assert function.body is not None
    body = function.body.statements
    refused, hidden = len(module.refused), len(module.hidden_constants)
    if not module.checks:
        text = _function_of(module, function, enclose_after_guards(body))
        if len(module.refused) == refused:
            return text
        # Nested too deeply, perhaps since statements were enclosed.
        del module.refused[refused:], module.hidden_constants[hidden:]
    return _function_of(module, function, body)


def _function_of(module: Module, function: tree.Function, body: list[tree.Node]) -> str:
    """Return the code of a function with these statements, which may differ from its own."""
    assert function.body is not None
    out = Writer(module, function, _VALUES)
    names = ", ".join(out.name(p) for p in function.parameters)
    out.lines.append(f"def f_{function_key(function)}(run, m, {names}):")
    out.assigned = {id(each) for each in assigned_variables(function.body)}
    out.returns_early = any(
        isinstance(node, tree.Return) for statement in body[:-1] for node in tree.walk(statement)
    ) or (bool(body) and not isinstance(body[-1], tree.Return) and has_node(body[-1], tree.Return))
    if out.returns_early:
        out.line("gone = DEAD")
        if function.result != types.VOID:
            out.line("result = " + out.module.zero(function.result))
    for parameter in function.parameters:
        out.regions[id(parameter)] = 0
        out.line(f"d{out.module.number_of(parameter)} = m")
        if parameter.in_memory:
            _parameter_to_memory(out, parameter)
    statements.sequence(out, body)
    if function.result != types.VOID and can_end(function):
        if module.checks:
            out.line("run.without_value = m")
        out.line("return " + ("result" if out.returns_early else module.zero(function.result)))
    elif out.returns_early:
        out.line("return result" if function.result != types.VOID else "return None")
    elif not body or not isinstance(body[-1], tree.Return):
        out.line("return None")
    return "\n".join(out.lines)


def _parameter_to_memory(out: Writer, parameter: tree.Declaration) -> None:
    name = out.name(parameter)
    value = out.new("t")
    out.line(f"{value} = {name}")
    private(out, name, parameter.name, parameter.type.size)
    store(out, name, value, parameter.type, parameter.at)


def _constants(module: Module, declarations: list[tree.Declaration]) -> str:
    """Write the function that initializes constants at file scope and in functions."""
    out = Writer(module, None, _VALUES)
    out.lines.append("def constants(run, m):")
    for declaration in [*declarations, *module.hidden_constants]:
        out.line(f"global {out.name(declaration)}")
        declare(out, declaration)
    out.line("return None")
    return "\n".join(out.lines)
