"""Measures the errors of formulas on recorded inputs, in all modes, against exact values."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._core import MODES
from halfcl._opencl.ulps.ordinals import ordinals
from halfcl.stability._programs._recording.inputs import Number
from halfcl.stability._programs._rewriting import exact
from halfcl.stability._programs._rewriting.sources import names_in
from halfcl.stability._programs._running.instrumenting import Edit, to_float16
from halfcl.stability._programs._wording import FARTHEST, location, quantity, ulps

Doubles: TypeAlias = NDArray[np.float64]

#: A formula is better if its mean and its worst error are at most this share of the other's.
_SHARE = 0.5
#: The ordinal of infinity: larger distances are not meaningful.
_INFINITY = 31744.0


@dataclass(frozen=True)
class Errors:
    """Errors of results in ulps, over all four modes; count: the results in each mode."""

    worst: float
    mean: float
    count: int

    def is_better_than(self, other: Errors) -> bool:
        """Return whether both the worst and the mean error are at most half as large.

        Nothing is better than correct rounding, whose error is at most an ulp.
        """
        return (
            other.worst > 1
            and self.worst <= _SHARE * other.worst
            and self.mean <= _SHARE * other.mean
        )


#: Limit on the inputs whose errors are drawn, and the least number of distinct ones.
_MOST_DRAWN, _LEAST_DRAWN = 300, 3


@dataclass(frozen=True)
class ErrorsByInput:
    """Errors of a formula and of a better one in ulps, the worst of all modes, for each input.

    name: the source of the input. The inputs rise.
    """

    name: str
    inputs: tuple[float, ...]
    old: tuple[float, ...]
    new: tuple[float, ...]


def errors_by_input(name: str, inputs: Doubles, old: Doubles, new: Doubles) -> ErrorsByInput | None:
    """Return the errors for each input, or for the worst one of each group of neighbours.

    old, new: errors in all modes, a row each; NaN where the exact value is unknown. The result is
    None if few inputs are finite and have known errors.
    """
    worst = np.stack([inputs, old.max(axis=0), new.max(axis=0)])
    worst = worst[:, np.isfinite(worst).all(axis=0)]
    worst = worst[:, np.argsort(worst[0], kind="stable")]
    if np.unique(worst[0]).size < _LEAST_DRAWN:
        return None
    groups = np.array_split(worst, min(worst.shape[1], _MOST_DRAWN), axis=1)
    columns = [group[:, np.argmax(group[1])] for group in groups]
    drawn: list[list[float]] = np.stack(columns, axis=1).tolist()
    return ErrorsByInput(name, *map(tuple, drawn))


@dataclass(frozen=True)
class Suggestion:
    """A better formula for a statement.

    name: that of the rewrite. before, after: the source of both. edits: the changes of the file
    that make it so; none if the program has no place for them. by_input: the errors for each input,
    if the formula has only one that varies. imports: the statements that the program needs besides.
    """

    file: str
    line: int
    name: str
    before: str
    after: str
    old: Errors
    new: Errors
    edits: tuple[Edit, ...] = ()
    by_input: ErrorsByInput | None = None
    imports: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the suggestion as text for a terminal."""
        after = self.after.replace("\n", "\n" + " " * 18)
        imports = "".join(f"\n  with            {line}" for line in self.imports)
        return (
            f"a better formula for {location(self.file, self.line)} ({self.name}), measured on "
            f"{quantity(self.old.count, 'recorded result')} in four modes:\n"
            f"  it is           {self.before}   off by {off(self.old)}\n"
            f"  it could be     {after}   off by {off(self.new)}{imports}"
        )


def off(errors: Errors) -> str:
    """Return errors in words."""
    if errors.worst >= FARTHEST:
        return "all, at worst"
    return f"{ulps(errors.worst)} ulps at worst, {ulps(errors.mean)} in the mean"


def summarise(results: Callable[[], Sequence[Number]], truths: Sequence[Doubles]) -> Errors:
    """Return the errors over the four modes; `results` computes the results in the current one."""
    errors = errors_in_modes(results, truths)
    known = errors[:, ~np.isnan(errors).any(axis=0)]
    if not known.size:
        raise exact.UnsupportedFormula("no results")
    return Errors(float(known.max()), float(known.mean()), known.shape[1])


def errors_in_modes(results: Callable[[], Sequence[Number]], truths: Sequence[Doubles]) -> Doubles:
    """Return the errors of all results in ulps, a row for each mode.

    They are NaN where there is no exact value. `results` computes the results in the current mode.
    """
    rows = []
    for mode in MODES:
        with hc.rounding(mode, builtins=True):
            rows.append(_errors(results(), truths))
    return np.stack(rows)


def _errors(results: Sequence[Number], truths: Sequence[Doubles]) -> Doubles:
    """Return the errors of results; NaN where there is no exact value."""
    values = np.concatenate([np.asarray(x, np.float64).reshape(-1) for x in results])
    true = np.concatenate([truth.reshape(-1) for truth in truths])
    gap = np.abs(_ordinals(values) - _ordinals(true))
    gap = np.where(np.isnan(gap), FARTHEST, np.where(gap > 2 * _INFINITY, FARTHEST, gap))
    return np.where(np.isnan(true), np.nan, gap)


def _ordinals(x: Doubles) -> Doubles:
    return np.clip(ordinals(x), -_INFINITY, _INFINITY)


# ---------------------------------------------------------------- functions of formulas

#: Full names of functions that no library has by their short names.
_FULL_NAMES = {
    "half": "numpy.float16",
    "exact_sum": "halfcl.sum",
    "total": "builtins.sum",
    "logsumexp": "numpy.logaddexp.reduce",
}

#: OpenCL's names of functions.
_OPENCL_NAMES = {
    name: name.replace("arc", "a")
    for name in ("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh")
}


def full_name(name: str, functions: Mapping[str, str]) -> str:
    """Return the full name of a function in a formula.

    functions: full names of the functions of the program's own formula, by short names. Other
    functions come from the libraries of these, if they have them; else from NumPy or halfcl.
    """
    if name in functions or name in _FULL_NAMES:
        return functions.get(name) or _FULL_NAMES[name]
    libraries = [full.rpartition(".")[0] for full in functions.values()]
    for library in dict.fromkeys([*libraries, "numpy", "halfcl"]):
        own = _OPENCL_NAMES.get(name, name) if library == "halfcl" else name
        if library in _LIBRARIES and hasattr(importlib.import_module(library), own):
            return f"{library}.{own}"
    raise exact.UnsupportedFormula(name)


_LIBRARIES = frozenset({"numpy", "halfcl", "math", "scipy.special"})


def _object_named(full: str) -> object:
    """Return the object with a full name such as "numpy.linalg.norm"."""
    parts = full.split(".")
    thing: object = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], 2):
        if not hasattr(thing, part):
            importlib.import_module(".".join(parts[:k]))
        thing = getattr(thing, part)
    return thing


def functions_of(tree: ast.AST) -> Iterable[str]:
    """Return the short names of the functions that a formula calls."""
    return dict.fromkeys(name for name in names_in(tree)
                         if name in exact.FUNCTIONS or name in exact.REDUCTIONS)  # fmt: skip


def namespace(tree: ast.AST, functions: Mapping[str, str]) -> dict[str, object]:
    """Return the functions of a formula by their short names; see `full_name`."""
    objects = {name: _object_named(full_name(name, functions)) for name in functions_of(tree)}
    return objects | ({"half": to_float16} if "half" in objects else {})


def code_of(formula: ast.expr) -> CodeType:
    """Compile a formula."""
    tree = ast.fix_missing_locations(ast.Expression(formula))
    code: CodeType = compile(tree, "<formula>", "eval")
    return code


def as_half(x: Number) -> Number:
    """Round Python's own numbers to half, as an operation with a half does."""
    if isinstance(x, bool | np.bool):
        return x
    return np.float16(x) if isinstance(x, float | int) and not isinstance(x, np.generic) else x
