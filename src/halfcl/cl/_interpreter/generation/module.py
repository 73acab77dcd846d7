"""The module of a program's functions: the objects that generated code refers to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import Pointer, Record, Scalar, Vector
from halfcl.cl._interpreter import contraction, subsets
from halfcl.cl._interpreter.memory import access as memory, pointers
from halfcl.cl._interpreter.values import integers, lanes, numbers

#: The namespace of a module: functions, and the objects that they refer to.
Names: TypeAlias = dict[str, Any]

#: Names available in all generated code.
_NAMES: Names = {
    name: getattr(module, name)
    for module, names in (
        (lanes, "DEAD narrow split union without merge_branches blend blend_vectors"),
        (pointers, "NULL step"),
        (memory, "blend_records"),
        (subsets, "select_items subset_of"),
        (integers, "int_from_truth"),
        (numbers, "logical_not logical_and logical_or stripe_and truth copy_value component"),
        (numbers, "swizzle splat join_components replace_components"),
    )
    for name in names.split()
}


class Module:
    """The objects that generated code refers to, and the refused places."""

    def __init__(
        self, default: tree.Mode, contracting: contraction.Contracting, checks: bool
    ) -> None:
        self.default, self.contracting, self.checks = default, contracting, checks
        self.names: Names = dict(_NAMES)
        self._bound: dict[tuple[str, object], str] = {}
        self.numbers: dict[int, int] = {}
        self.refused: list[tuple[int, str]] = []  # where and why
        self.variables = 0
        self.alone: dict[int, bool] = {}  # functions: see `analysis.acts_alone`
        #: Constants in functions, and their static variables.
        self.hidden_constants: list[tree.Declaration] = []
        #: Variables in global memory, and their names.
        self.program_variables: list[tuple[tree.Declaration, str]] = []

    def bind(self, hint: str, key: object, make: Callable[[], object]) -> str:
        """Return a name for an object, the same for equal keys."""
        hint_and_key = (hint, key)
        if hint_and_key not in self._bound:
            name = f"{hint}_{len(self._bound)}_"  # names of variables end with a digit
            self._bound[hint_and_key] = name
            self.names[name] = make()
        return self._bound[hint_and_key]

    def dtype(self, dtype: types.DType) -> str:
        return self.bind("dtype", dtype, lambda: dtype)

    def number_of(self, declaration: tree.Declaration) -> int:
        return self.numbers.setdefault(id(declaration), len(self.numbers))

    def new_number(self) -> int:
        """Return a new number for a variable in memory."""
        self.variables += 1
        return self.variables

    def zero(self, type_: types.Type) -> str:
        """Return the value of variables before their first assignment."""
        if isinstance(type_, Scalar):
            return "0" if not type_.is_floating else self.literal(type_, 0.0)
        if isinstance(type_, Vector):

            def make() -> np.ndarray[Any, Any]:
                return np.zeros((type_.width, 1), type_.dtype)

            return self.bind("zeros", type_, make)
        if isinstance(type_, Record):
            return self.bind("zeros", id(type_), lambda: np.zeros((1, type_.size), np.uint8))
        if type_ == types.EVENT:
            return "0"
        return "NULL" if isinstance(type_, Pointer) else "None"

    def literal(self, type_: Scalar | Pointer, value: int | float) -> str:
        if isinstance(type_, Pointer):
            return "NULL"
        if not type_.is_floating:
            return str(int(value))
        key = (type_, value if value == value else "nan", np.signbit(value))
        return self.bind("c", key, lambda: numbers.constant(type_, value))

    def mode(self, mode: tree.Mode, type_: types.Type | None) -> tree.Mode:
        effective = self.default if mode is None else mode
        return effective if effective or getattr(type_, "element", None) == types.HALF else "rte"

    def conversion(self, source: types.Number, target: types.Number, mode: tree.Mode) -> str:
        key = (source, target, mode)
        return self.bind("to", key, lambda: numbers.conversion(*key))

    def operation(self, symbol: str, type_: types.Number, mode: tree.Mode) -> str:
        effective = self.mode(mode, type_)
        key = (symbol, type_.element, effective if type_.is_floating else None)
        return self.bind("op", key, lambda: numbers.binary(symbol, type_.element, effective))
