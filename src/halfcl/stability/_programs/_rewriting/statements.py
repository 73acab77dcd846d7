"""Finds the formulas and sums on a line to blame, and in statements that use its results."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from halfcl.stability._programs._recording.inputs import TOTAL, InputRequest
from halfcl.stability._programs._rewriting import formulas
from halfcl.stability._programs._rewriting.sources import (
    Block,
    Loop,
    Source,
    header,
    last_line,
    names_in,
    read_source,
    stored_names,
)

#: Limits on the statements after a blamed one that are searched for uses of its result, on those
#: before it that are searched for definitions of its variables, and on the definitions of these.
_MOST_AFTER, _MOST_BEFORE = 6, 24
#: Definitions may have definitions of their own, to this depth.
DEPTH = 2


@dataclass(frozen=True)
class Formula:
    """A formula in a program: an expression that consists of operators and known functions.

    line: of its statement. node: its number in the source. tree: the formula, in which names stand
    for the inputs. atoms: the inputs' expressions, by name. nodes: their numbers. functions: full
    names of its functions, by their short ones. definitions: formulas of inputs that are variables,
    from statements before, by name. total: the target of an augmented assignment whose operator
    belongs to the formula, while the expression is its second operand; empty for others. statement:
    the number of the statement.
    """

    source: Source
    line: int
    node: int
    expression: ast.expr
    tree: ast.expr
    atoms: Mapping[str, ast.expr]
    nodes: Mapping[str, int]
    functions: Mapping[str, str]
    definitions: Mapping[str, Formula]
    statement: int
    total: str = ""

    def requests(self) -> Iterator[InputRequest]:
        """Yield requests for its inputs, and for those of its definitions."""
        own = tuple(each.node for each in self.all_definitions())
        nodes = tuple(self.nodes.items())
        yield InputRequest(self.source.file, self.node, nodes, self.total, own)
        for each in self.definitions.values():
            yield from each.requests()

    def all_definitions(self) -> Iterator[Formula]:
        """Yield its definitions and theirs."""
        for each in self.definitions.values():
            yield each
            yield from each.all_definitions()


@dataclass(frozen=True)
class Sum:
    """A statement that adds a term to a sum each time that it runs.

    node: the number of the term. target: the variable, element or attribute that it assigns to.
    total: what contains the sum before: the target, or the element before it in y[k + 1] = y[k] +
    dy. sign: of the term. is_used: whether the program reads the sum before it is complete.
    statement: the number of the statement. loop: that of the loop that adds all terms, or None.
    is_in_place: whether it is an augmented assignment, which changes an array.
    """

    source: Source
    line: int
    node: int
    term: ast.expr
    target: str
    total: str
    sign: int
    is_used: bool
    statement: int
    loop: int | None
    is_in_place: bool

    def requests(self) -> Iterator[InputRequest]:
        """Yield a request for its terms and the sums before them."""
        yield InputRequest(self.source.file, self.node, total=self.total)


@dataclass(frozen=True)
class Statement:
    """A statement, with the formulas and sums in it; index: its place in its block."""

    source: Source
    block: Block
    index: int
    formulas: tuple[Formula, ...]
    sums: tuple[Sum, ...]

    @property
    def node(self) -> ast.stmt:
        """The statement in the tree."""
        return self.block.statements[self.index]

    def contains(self, line: int) -> bool:
        """Return whether a line is one of the statement's, or of a compound one's header."""
        return self.node.lineno <= line <= last_line(self.node)


def statements(file: str, line: int) -> list[Statement]:
    """Return the statements on a line, and the next ones that use their results.

    There are none without a source. Of the next statements, only formulas with the result count.
    """
    source = read_source(file)
    result: list[Statement] = []
    if source is None:
        return result
    for block, k in source.statements_at(line):
        result.append(_read_statement(source, block, k))
        result += _uses(source, block, k)
    return result


def _read_statement(source: Source, block: Block, k: int) -> Statement:
    node = block.statements[k]
    own = tuple(_formulas_of(source, block, k))
    return Statement(source, block, k, own, tuple(_sums(source, block, node)))


def _uses(source: Source, block: Block, k: int) -> Iterator[Statement]:
    """Yield the statements after one that use its result, until it changes."""
    target = _assigned_name(block.statements[k])
    if not target:
        return
    for n in range(k + 1, min(k + 1 + _MOST_AFTER, len(block.statements))):
        own = tuple(
            each
            for each in _formulas_of(source, block, n)
            if any(_is_defined_at(each, name, target, block.statements[k]) for name in each.atoms)
        )
        if own:
            yield Statement(source, block, n, own, ())
        if target in stored_names(block.statements[n]):
            return


def _is_defined_at(formula: Formula, name: str, target: str, statement: ast.stmt) -> bool:
    definition = formula.definitions.get(name)
    atom = formula.atoms[name]
    is_target = isinstance(atom, ast.Name) and atom.id == target
    return is_target and definition is not None and definition.line == statement.lineno


def _assigned_name(node: ast.stmt) -> str:
    """Return the variable that a statement assigns to; empty for any other statement."""
    target: ast.expr | None = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else ""


# ---------------------------------------------------------------- formulas


def _formulas_of(source: Source, block: Block, k: int) -> Iterator[Formula]:
    for root in header(block.statements[k]):
        for node in formulas_in(root, lambda part: operands_of(part, source.functions)):
            yield _read_formula(source, block, k, node, DEPTH)
    statement = block.statements[k]
    is_augmented = isinstance(statement, ast.AugAssign) and is_plain(statement.target)
    if is_augmented and isinstance(getattr(statement, "op", None), formulas.ARITHMETIC):
        yield _augmented_formula(source, block, k, statement)


def _augmented_formula(source: Source, block: Block, k: int, node: ast.stmt) -> Formula:
    """Return the formula of an augmented assignment, with the operator and the target."""
    assert isinstance(node, ast.AugAssign)
    value = _read_formula(source, block, k, node.value, DEPTH)
    target = ast.unparse(node.target)
    total = ast.parse(target, mode="eval").body
    name = next((own for own, atom in value.atoms.items() if ast.unparse(atom) == target), TOTAL)
    tree = formulas.combine(node.op, ast.Name(name, ast.Load()), value.tree)
    return replace(value, tree=tree, atoms={**value.atoms, name: total}, total=target)


#: Returns the operands of an expression that is an operation; None for others.
Operands = Callable[[ast.AST], Sequence[ast.expr] | None]


def operands_of(node: ast.AST, functions: Mapping[str, str]) -> Sequence[ast.expr] | None:
    """Return the operands of a formula's operation; None for any other expression."""
    operation = formulas.operation_of(node, functions)
    return None if operation is None else operation.operands


def formulas_in(node: ast.AST, operands: Operands) -> Iterator[ast.expr]:
    """Yield the largest formulas in a tree, and those inside their inputs.

    >>> import ast
    >>> from halfcl.stability._programs._rewriting.statements import formulas_in, operands_of
    >>> tree = ast.parse('np.save("e.npy", 1 - np.cos(f(x + 1)))')
    >>> operands = lambda node: operands_of(node, {"np": "numpy"})
    >>> [ast.unparse(node) for node in formulas_in(tree, operands)]
    ['1 - np.cos(f(x + 1))', 'x + 1']
    """
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.expr) and operands(node) is not None:
        yield node
        parts = [part for atom in atoms_of(node, operands) for part in ast.iter_child_nodes(atom)]
    for part in parts:
        yield from formulas_in(part, operands)


def atoms_of(node: ast.expr, operands: Operands) -> Iterator[ast.expr]:
    """Yield the inputs of a formula, without its constants."""
    parts = operands(node)
    if parts is not None:
        for part in parts:
            yield from atoms_of(part, operands)
    elif not isinstance(node, ast.Constant):
        yield node


def _read_formula(source: Source, block: Block, k: int, node: ast.expr, depth: int) -> Formula:
    atoms, nodes = dict[str, ast.expr](), dict[str, int]()

    def name_atom(atom: ast.expr) -> ast.expr:
        number = source.number(atom)
        name = source.name_of(atom) if is_pure(atom, source.functions) else f"a{number}"
        atoms.setdefault(name, atom)
        nodes.setdefault(name, number)
        return ast.Name(name, ast.Load())

    tree = formulas.canonical_form(node, source.functions, name_atom)
    functions = dict(formulas.functions_in(node, source.functions))
    definitions = {}
    for name, atom in atoms.items():
        if isinstance(atom, ast.Name) and depth:
            definition = _definition(source, block, k, atom.id, depth)
            if definition is not None:
                definitions[name] = definition
    return Formula(
        source, block.statements[k].lineno, source.number(node), node, tree, atoms, nodes,
        functions, definitions, source.number(block.statements[k]),
    )  # fmt: skip


def is_pure(node: ast.expr, functions: Mapping[str, str]) -> bool:
    """Return whether an expression has equal values wherever its variables have."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            library = formulas.qualified_name(part.func, functions)
            if not library or "random" in library:
                return False
        elif isinstance(part, _IMPURE):
            return False
    return True


#: Expressions that may have effects, or variables of their own.
_IMPURE = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.ListComp,
           ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip


def _definition(source: Source, block: Block, k: int, name: str, depth: int) -> Formula | None:
    """Return the formula that a statement before assigns to a variable.

    There is none if one of its own variables changes in between.
    """
    changed = set[str]()
    for n in range(k - 1, max(-1, k - 1 - _MOST_BEFORE), -1):
        node = block.statements[n]
        stored = stored_names(node)
        if name in stored:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if _assigned_name(node) != name or value is None:
                return None
            if changed & {*names_in(value)} or name in names_in(value):
                return None
            if formulas.operation_of(value, source.functions) is None:
                return None
            return _read_formula(source, block, n, value, depth - 1)
        changed |= stored
    return None


# ---------------------------------------------------------------- sums


def _sums(source: Source, block: Block, node: ast.stmt) -> Iterator[Sum]:
    """Yield the sum that a statement adds to, if any."""
    if isinstance(node, ast.AugAssign):
        if isinstance(node.op, ast.Add | ast.Sub) and is_plain(node.target):
            sign = 1 if isinstance(node.op, ast.Add) else -1
            target = ast.unparse(node.target)
            yield _sum(source, block, node, target, target, node.value, sign, True)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and is_plain(node.targets[0]):
        target = ast.unparse(node.targets[0])
        for total, term, sign in _sides(node.value):
            if ast.unparse(total) == target or _is_step(block, node, total, target):
                yield _sum(source, block, node, target, ast.unparse(total), term, sign, False)
                return


def _sum(
    source: Source, block: Block, node: ast.stmt, target: str, total: str, term: ast.expr,
    sign: int, is_in_place: bool,
) -> Sum:  # fmt: skip
    loop = _summing_loop(block, node, target)
    reads = loop is None or total != target or target in texts_in(term)
    is_used = reads or _reads_elsewhere(loop, target, node)
    number = None if loop is None else source.number(loop)
    return Sum(
        source, node.lineno, source.number(term), term, target, total, sign, is_used,
        source.number(node), number, is_in_place,
    )  # fmt: skip


def is_plain(node: ast.expr) -> bool:
    """Return whether a target can be evaluated again without effects."""
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp,
             ast.Tuple, ast.Slice, ast.operator, ast.unaryop, ast.expr_context)  # fmt: skip
    is_target = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    return is_target and all(isinstance(part, plain) for part in ast.walk(node))


def _summing_loop(block: Block, node: ast.stmt, target: str) -> Loop | None:
    """Return the outermost loop around a statement that does not begin the sum anew."""
    own = base_of(target)
    for loop in block.loops_of(node):
        starts = [
            each
            for each in ast.walk(loop)
            if isinstance(each, ast.Assign)
            and any(ast.unparse(part) == own for part in each.targets)
            and own not in texts_in(each.value)
        ]
        if not starts and own not in texts_in(getattr(loop, "target", ast.Pass())):
            return loop
    return None


def base_of(target: str) -> str:
    """Return the variable of a target: y of y[k + 1]."""
    node = ast.parse(target, mode="eval").body
    while isinstance(node, ast.Subscript):
        node = node.value
    return ast.unparse(node)


def texts_in(tree: ast.AST) -> set[str]:
    """Return the sources of all variables, attributes and elements in a tree."""
    plain = (ast.Name, ast.Attribute, ast.Subscript)
    return {ast.unparse(part) for part in ast.walk(tree) if isinstance(part, plain)}


def _reads_elsewhere(loop: Loop | None, target: str, statement: ast.stmt) -> bool:
    """Return whether a loop reads a sum outside the statement that adds to it."""
    inside = {id(part) for part in ast.walk(statement)}
    own = base_of(target)
    return loop is None or any(
        id(part) not in inside
        and isinstance(part, ast.Name | ast.Attribute)
        and isinstance(part.ctx, ast.Load)
        and ast.unparse(part) == own
        for part in ast.walk(loop)
    )


def _is_step(block: Block, node: ast.stmt, total: ast.expr, target: str) -> bool:
    """Return whether a total is an earlier element of the target's array.

    It may be a variable that the loop sets to this element.
    """
    loops = block.loops_of(node)
    target_tree = ast.parse(target, mode="eval").body
    if not loops or not isinstance(target_tree, ast.Subscript):
        return False
    if isinstance(total, ast.Name):
        total = _assigned_value(loops[-1], total.id)
    return (
        isinstance(total, ast.Subscript)
        and is_plain(total)
        and ast.unparse(total.value) == ast.unparse(target_tree.value)
        and ast.unparse(total) != target
    )


def _assigned_value(loop: Loop, name: str) -> ast.expr:
    """Return the expression that a loop assigns to a variable, if only once; else the variable."""
    values = [
        node.value
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Name) and part.id == name for part in node.targets)
    ]
    return values[0] if len(values) == 1 else ast.Name(name, ast.Load())


def _sides(value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """Yield the total, the addend and its sign, for both orders of a sum or one of a difference."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
        return
    yield value.left, value.right, 1 if isinstance(value.op, ast.Add) else -1
    if isinstance(value.op, ast.Add):
        yield value.right, value.left, 1


def creations(own: Sum, name: str) -> Iterator[ast.Assign]:
    """Yield the assignments that create a variable: in its function, or in the file for others."""
    own_block = next(
        block for block in own.source.blocks
        if any(own.source.number(node) == own.statement for node in block.statements)
    )  # fmt: skip
    for block in own.source.blocks if "." in name else [own_block]:
        for node in block.statements:
            is_own = isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets)
            if is_own and isinstance(node, ast.Assign) and name not in texts_in(node.value):
                yield node
