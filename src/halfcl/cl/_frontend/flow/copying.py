"""Copies of programs, for passes that change a tree that others keep."""

from __future__ import annotations

import copy
from typing import Any

from halfcl.cl._frontend import tree


class Copier:
    """Copies functions; variables that they declare are copied once each, others are kept."""

    def __init__(self) -> None:
        self._functions: dict[int, tree.Function] = {}
        self._declarations: dict[int, tree.Declaration] = {}

    def program(self, program: tree.Program) -> tree.Program:
        """Return a program with copies of all functions."""
        functions = {key: self._function(f) for key, f in program.functions.items()}
        return tree.Program(functions, program.place_of, program.constants)

    def _function(self, function: tree.Function) -> tree.Function:
        known = self._functions.get(id(function))
        if known is None:
            known = self._functions[id(function)] = copy.copy(function)
            known.parameters = [self._declare(p) for p in function.parameters]
            known.body = self._copy(function.body)
        return known

    def _declare(self, declaration: tree.Declaration) -> tree.Declaration:
        known = self._declarations.get(id(declaration))
        if known is None:
            known = self._declarations[id(declaration)] = copy.copy(declaration)
            known.initial = self._copy(declaration.initial)
        return known

    def _copy(self, value: Any) -> Any:
        """Copy nodes, also those in lists and tuples; other values are kept."""
        if isinstance(value, list | tuple):
            return type(value)(self._copy(each) for each in value)
        if not isinstance(value, tree.Node):
            return value
        node: Any = copy.copy(value)
        for name in tree.slots_of_nodes(value):
            setattr(node, name, self._copy(getattr(value, name)))
        if isinstance(node, tree.Declare | tree.Switch):
            node.variables = [self._declare(each) for each in node.variables]
        elif isinstance(node, tree.Variable):
            node.declaration = self._declarations.get(id(node.declaration), node.declaration)
        elif isinstance(node, tree.Call):
            node.function = self._function(node.function)
        return node
