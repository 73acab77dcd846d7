"""Source of kernels that reduce arrays and multiply matrices, in any dialect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from halfcl.device._source.declarations import prelude
from halfcl.device._source.dialects import Dialect
from halfcl.device._source.text import internals

#: The engine's functions that the kernels call.
_ROOTS = (
    "convert_float", "convert_half_float", "bin_special", "sum_start", "sum_take", "sum_units",
    "sum_total", "product_start", "product_take", "product_units", "product_total", "round_sum",
    "round_few", "round_variance",
)  # fmt: skip

#: The kinds of results: bins of chunks, which another kernel combines; states; or numbers, by
#: NumPy's letter.
AS = {"bins": 0, "states": 1, "e": 2, "f": 3, "d": 4}

#: NumPy's letter by the size of a number.
NUMBERS = {2: "e", 4: "f", 8: "d"}

#: Per statistic: its number, whether it needs the sum, and which sum of products it needs: none, of
#: two arrays, or of squares.
_NONE, TWO, SQUARES = 0, 1, 2
STATISTICS = {
    "sum": (0, True, _NONE),
    "dot": (1, False, TWO),
    "sumsq": (1, False, SQUARES),
    "mean": (2, True, _NONE),
    "var": (3, True, SQUARES),
    "std": (4, True, SQUARES),
    "norm": (5, False, SQUARES),
    "prod": (0, True, _NONE),  # its texts use no sums
}

#: The texts of each layout, to follow the common ones. Arrays are "rows" or "columns", and "finish"
#: combines bins. Elements of products of matrices are computed by "tiles" or one by one as "dots";
#: products in double are "certified" with "facts" of rows and columns. Running sums go along rows
#: or down columns. Products of many halves multiply "factors" and then chunks.
Layout: TypeAlias = Literal[
    "rows", "short rows", "columns", "finish", "tiles", "dots", "certified", "facts",
    "running rows", "running columns", "factors", "finish factors",
]  # fmt: skip
_TEXTS: dict[Layout, tuple[str, ...]] = {
    "rows": ("rows",), "short rows": ("short_rows",), "columns": ("columns",),
    "finish": ("finish",),
    "tiles": ("products/matrices", "products/tiles"),
    "dots": ("products/matrices", "products/dots"),
    "certified": ("products/matrices", "products/facts", "products/certified"),
    "facts": ("products/facts", "products/of_vectors"),
    "running rows": ("running/base", "running/rows"),
    "running columns": ("running/base", "running/columns"),
    "factors": ("product", "factors"), "finish factors": ("product", "finish_factors"),
}  # fmt: skip

#: Rows of at most so many halves are short: for sums, and for products.
SHORT = (128, 64)

#: A work-group of CUDA's kernels for short rows reads at most so many halves.
_TOGETHER = 16384

#: For rows up to this length the text contains the length, so that compilers unroll the loops.
SHORTEST = 16

#: Elements per work-group whose bins fit into 32 bits: for sums, and for products.
FEW = (1 << 16, 1 << 14)


def rows_together(statistic: str, n: int) -> int:
    """Return how many short rows of n halves a work-group reduces, of one array or of two."""
    return _TOGETHER // (2 if STATISTICS[statistic][2] == TWO else 1) // n


@dataclass(frozen=True)
class Reduction:
    """One kernel of a reduction.

    result: a key of AS; wide, where, group, lanes, few, row, begun: see preludes/reductions/base.h.
    """

    layout: Layout
    statistic: str
    result: str
    wide: int
    where: bool
    group: int
    lanes: int
    few: bool
    row: int = 0
    begun: bool = False

    @property
    def products(self) -> int:
        return STATISTICS[self.statistic][2]

    @property
    def has_sum(self) -> bool:
        return STATISTICS[self.statistic][1]

    @property
    def slots(self) -> int:
        """Integers per chunk's bins."""
        return 3 * self.has_sum + 5 * (self.products != _NONE) + self.where + 1

    @property
    def _adds_in_double(self) -> bool:
        """Return whether GPUs with fast doubles add products in double."""
        return self.layout in ("rows", "short rows", "columns") and self.products != _NONE

    def finish_kernel(self, lanes: int, result: str) -> Reduction:
        """Return the kernel that combines this one's bins."""
        return replace(self, layout="finish", lanes=lanes, result=result, few=False, wide=0)

    def _definitions(self) -> str:
        """Return the macros that configure the texts."""
        number, has_sum, products = STATISTICS[self.statistic]
        values = {
            "STATISTIC": number, "SUM": has_sum, "PRODUCTS": products, "WHERE": self.where,
            "WIDE": self.wide, "GROUP": self.group, "LANES": self.lanes, "FEW": self.few,
            "RESULT": AS[self.result], "TOGETHER": rows_together(self.statistic, 1),
            "ROW": self.row, "BEGUN": self.begun, "IN_DOUBLE": self._adds_in_double,
        }  # fmt: skip
        return "\n".join(f"#define HCR_{name} {int(value)}" for name, value in values.items())

    def text(self, dialect: Dialect) -> str:
        """Return the kernel's source in a dialect."""
        files = (f"reductions/{name}.h" for name in ("base", *_TEXTS[self.layout]))
        texts = [prelude(name) for name in (*dialect.reductions, *files)]
        text = "\n".join([*internals(dialect, _ROOTS), self._definitions(), *texts])
        if dialect.reduction_kernel:
            text = text.replace("HCR_KERNEL", dialect.reduction_kernel)
        return text
