"""Contraction: a product and a sum in one expression are rounded once; reports of what it changes.

`halfcl.cl._frontend.fusion` has which sums may be fused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import floating_operation
from halfcl.cl._frontend.errors import SourceLocation
from halfcl.cl._frontend.fusion import Fusion
from halfcl.cl._interpreter.values import numbers
from halfcl.cl._interpreter.values.lanes import DEAD, Array, Axes, Mask, Truths

#: How to compute where contraction is allowed: "watched" computes both ways, continues with the
#: separate result, and records where the fused one differs.
Contracting: TypeAlias = Literal["never", "always", "watched"]

#: The values of a program's argument `contract`.
Contract: TypeAlias = Literal["never", "always", "both"]


class _Launch(Protocol):
    recorder: Recorder


class _Run(Protocol):
    """The interface of a running block."""

    axes: Axes
    launch: _Launch

    def item(self, index: int) -> tuple[int, ...]: ...


def make_fma(fusion: Fusion, node: tree.Binary, mode: tree.Mode) -> Callable[..., Array]:
    """Return the operation on a, b and c, in the order of the source, that rounds once."""
    fma = numbers.fma_operation(node.type.element, mode)
    _, _, _, negates_product, negates_addend = fusion

    def operate(a: Array, b: Array, c: Array, **options: Any) -> Array:
        product = np.negative(a) if negates_product else a
        return fma(product, b, np.negative(c) if negates_addend else c, **options)

    return operate if negates_product or negates_addend else fma


class Watch:
    """A place in a program that may be fused and is computed both ways."""

    def __init__(
        self, fusion: Fusion, node: tree.Binary, mode: tree.Mode, product_mode: tree.Mode
    ) -> None:
        self.at = node.operator_at
        self._fusion = fusion
        self._fused = make_fma(fusion, node, mode)
        self._multiply = floating_operation("*", node.type.element, product_mode)
        self._add = floating_operation(node.operator, node.type.element, mode)
        subtracts = node.operator == "-"
        self._is_negated = fusion.negates_product != (subtracts and not fusion.product_is_left)
        product = "-(a*b)" if self._is_negated else "a*b"
        first, second = (product, "c") if fusion.product_is_left else ("c", product)
        self.formula = f"{first} {node.operator} {second}"

    def __call__(self, run: _Run, mask: Mask, a: Array, b: Array, c: Array) -> Array:
        """Compute both ways, record differences, and return the separate result."""
        product = self._multiply(a, b)
        if self._is_negated:
            product = np.negative(product)
        is_left = self._fusion.product_is_left
        separate = self._add(product, c) if is_left else self._add(c, product)
        run.launch.recorder.note(self, run, mask, (a, b, c), separate, self._fused(a, b, c))
        return separate


# ---------------------------------------------------------------- reports


@dataclass(frozen=True, slots=True)
class ContractionDifference:
    """A work-item for which contraction changes a result, with its numbers there.

    Attributes
    ----------
    work_item : tuple of int
        Its global id.
    a, b, c : NumPy scalars
        The factors and the other operand, as they stand in the source.
    separate, fused : NumPy scalars
        The result rounded twice, and rounded once.
    component : int or None
        The component of a vector.
    """

    work_item: tuple[int, ...]
    a: np.floating[Any]
    b: np.floating[Any]
    c: np.floating[Any]
    separate: np.floating[Any]
    fused: np.floating[Any]
    component: int | None = None

    def __str__(self) -> str:
        item = self.work_item[0] if len(self.work_item) == 1 else self.work_item
        part = "" if self.component is None else f", component {self.component}"
        return (
            f"work-item {item}{part}: a = {self.a!s}, b = {self.b!s}, c = {self.c!s}: "
            f"separate {self.separate!s}, fused {self.fused!s}"
        )


@dataclass(frozen=True, slots=True)
class FusedSite:
    """A place in the source where a product and a sum may be one operation.

    Attributes
    ----------
    location : SourceLocation or None
        The place of the sum's operator.
    formula : str
        ``"a*b + c"``, ``"c - a*b"`` and so on.
    items : int
        How many work-items have a different result there, from the same operands, at least once.
    first : ContractionDifference or None
        The first difference that was recorded.
    """

    location: SourceLocation | None
    formula: str
    items: int
    first: ContractionDifference | None

    def __str__(self) -> str:
        if self.first is None:
            return f"{self.location}: {self.formula}: no difference"
        count = "1 work-item" if self.items == 1 else f"{self.items} work-items"
        return f"{self.location}: {self.formula}: differs for {count}; {self.first}"


class Contraction:
    """The effects of contraction on a launch: see `Program`, ``contract="both"``.

    True if anything differs; print it to see all differences.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    sites : tuple of FusedSite
        The places that ran and may be fused, in the order of the text.
    elements : dict of str to array of bool
        Which elements differ at the end of a fused launch, per buffer and image that the kernel
        may write to, by parameter name. Two NaNs do not differ; zeros of different signs do.
    """

    def __init__(
        self, kernel: str, sites: tuple[FusedSite, ...], elements: dict[str, NDArray[np.bool_]]
    ) -> None:
        self.kernel, self.sites, self.elements = kernel, sites, elements

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the source's lines whose results differ."""
        return tuple(sorted({s.location.line for s in self.sites if s.items and s.location}))

    def __bool__(self) -> bool:
        return any(s.items for s in self.sites) or any(e.any() for e in self.elements.values())

    def __repr__(self) -> str:
        counts = [
            f"{np.count_nonzero(elements)} of {elements.size} elements of {name}"
            for name, elements in self.elements.items()
            if elements.any()
        ]
        differing = [str(site) for site in self.sites if site.items]
        head = f"{self.kernel}: contraction changes " + (", ".join(counts) or "no element")
        return "\n".join([head, *differing])


class Recorder:
    """Records where results of a launch differ."""

    def __init__(self) -> None:
        self._items: dict[Watch, NDArray[np.bool_]] = {}  # of the running block
        self._counts: dict[Watch, int] = {}
        self._first: dict[Watch, ContractionDifference] = {}

    def note(
        self,
        watch: Watch,
        run: _Run,
        mask: Mask,
        operands: tuple[Array, Array, Array],
        separate: Array,
        fused: Array,
    ) -> None:
        self._counts.setdefault(watch, 0)
        differs = differing_elements(separate, fused)
        if mask is DEAD or not differs.any():
            return
        of_items = differs.any(axis=0) if differs.ndim == 2 else differs
        if of_items.size == 1:
            of_items = np.ones(run.axes.count, bool)
        if mask is not None:
            of_items = of_items & mask
        if not of_items.any():
            return
        if watch not in self._first:
            index = int(np.flatnonzero(of_items)[0])
            self._first[watch] = _difference(run, index, differs, (*operands, separate, fused))
        items = self._items.setdefault(watch, np.zeros(run.axes.count, bool))
        items |= of_items

    def end_block(self) -> None:
        for watch, items in self._items.items():
            self._counts[watch] += int(np.count_nonzero(items))
        self._items = {}

    def sites(self, place_of: Callable[[int], SourceLocation | None]) -> tuple[FusedSite, ...]:
        """Return the fused sites in the order of the text, with several default modes merged."""
        together: dict[tuple[int, str], list[Watch]] = {}
        for watch in sorted(self._counts, key=lambda w: w.at):
            together.setdefault((watch.at, watch.formula), []).append(watch)
        result = []
        for (at, formula), watches in together.items():
            count = sum(self._counts[w] for w in watches)
            # _first is in the order of recording.
            first = next((self._first[w] for w in self._first if w in watches), None)
            result.append(FusedSite(place_of(at), formula, count, first))
        return tuple(result)


def _difference(
    run: _Run, index: int, differs: Truths, values: tuple[Array, ...]
) -> ContractionDifference:
    component = None
    if differs.ndim == 2:
        column = differs[:, index if differs.shape[1] > 1 else 0]
        component = int(np.flatnonzero(column)[0])

    def element(value: Array) -> np.floating[Any]:
        if value.ndim == 2:
            value = value[component if len(value) > 1 else 0]
        number: np.floating[Any] = value[index if len(value) > 1 else 0]
        return number

    a, b, c, separate, fused = map(element, values)
    return ContractionDifference(run.item(index), a, b, c, separate, fused, component)


def differing_elements(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which elements have different bits; two NaNs count as equal."""
    size = one.dtype.itemsize
    if one.dtype.kind != "f":
        bytes_of = [np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (one, other)]
        differs = (bytes_of[0] != bytes_of[1]).reshape(-1, size).any(axis=1)
        return np.asarray(differs.reshape(one.shape))
    differs = one.view(f"u{size}") != other.view(f"u{size}")
    if differs.any():
        differs &= ~(np.isnan(one) & np.isnan(other))
    return np.asarray(differs)
