"""Kernels that reduce arrays and multiply matrices, in OpenCL C and CUDA C++."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from halfcl.device._declarations import resource
from halfcl.device._text import cuda_internals, opencl_internals

#: What the texts of kernels call of the engine's.
_ROOTS = (
    "convert_float", "convert_half_float", "bin_special", "sum_start", "sum_take", "sum_units",
    "sum_total", "product_start", "product_take", "product_units", "product_total", "round_sum",
    "round_few", "round_variance",
)  # fmt: skip

#: What is written: the states of chunks, which another kernel finishes; states; or numbers, by
#: NumPy's letter.
AS = {"bins": 0, "states": 1, "e": 2, "f": 3, "d": 4}

#: That letter, by the size of a number.
NUMBERS = {2: "e", 4: "f", 8: "d"}

#: Of a statistic its number, whether it needs the sum, and of which products it needs one: of two
#: arrays, or of squares.
_NONE, TWO, SQUARES = 0, 1, 2
STATISTICS = {
    "sum": (0, True, _NONE),
    "dot": (1, False, TWO),
    "sumsq": (1, False, SQUARES),
    "mean": (2, True, _NONE),
    "var": (3, True, SQUARES),
    "std": (4, True, SQUARES),
    "norm": (5, False, SQUARES),
    "prod": (0, True, _NONE),  # whose texts use nothing of sums
}

#: The texts of each layout, after what they have in common: of arrays that are "rows" or "columns",
#: and of bins to "finish"; of the elements of products of matrices, by "tiles" or one by one as
#: "dots", or of products in double that are to be "certified" by "facts" of rows and of columns;
#: of running sums along rows, and down columns; of products of many halves, of their "factors" and
#: of chunks.
Layout: TypeAlias = Literal[
    "rows", "short rows", "columns", "finish", "tiles", "dots", "certified", "facts",
    "running rows", "running columns", "factors", "finish factors",
]  # fmt: skip
_TEXTS: dict[Layout, tuple[str, ...]] = {
    "rows": ("rows",), "short rows": ("short_rows",), "columns": ("columns",),
    "finish": ("finish",),
    "tiles": ("matrices", "tiles"), "dots": ("matrices", "dots"),
    "certified": ("matrices", "facts", "certified"), "facts": ("facts", "of_vectors"),
    "running rows": ("running", "running_rows"),
    "running columns": ("running", "running_columns"),
    "factors": ("product", "factors"), "finish factors": ("product", "finish_factors"),
}  # fmt: skip

#: Rows of no more halves are short, and so many halves of them are a group's: of CUDA's sums.
SHORT, TOGETHER = 128, 16384

#: Of rows of no more the text says how many they are, so that compilers write out the loops.
SHORTEST = 16

#: So many elements of a group have room in bins of 32 bits: sums, and products.
FEW = (1 << 16, 1 << 14)


@dataclass(frozen=True)
class Reduction:
    """One kernel.

    result: of AS; wide, where, group, lanes, few, row, begun: as preludes/reductions.h has it.
    """

    layout: Layout
    statistic: str
    result: str
    wide: bool
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
        """Integers that a chunk's bins take."""
        return 3 * self.has_sum + 5 * (self.products != _NONE) + self.where + 1

    def finishing(self, lanes: int, result: str) -> Reduction:
        """The kernel that makes results of this one's bins."""
        return replace(self, layout="finish", lanes=lanes, result=result, few=False, wide=False)

    def _defined(self) -> str:
        number, has_sum, products = STATISTICS[self.statistic]
        values = {
            "STATISTIC": number, "SUM": has_sum, "PRODUCTS": products, "WHERE": self.where,
            "WIDE": self.wide, "GROUP": self.group, "LANES": self.lanes, "FEW": self.few,
            "RESULT": AS[self.result], "TOGETHER": TOGETHER,
            "ROW": self.row, "BEGUN": self.begun,
        }  # fmt: skip
        return "\n".join(f"#define HCR_{name} {int(value)}" for name, value in values.items())

    def _text(self, language: str) -> list[str]:
        own = (f"reductions_{name}" for name in _TEXTS[self.layout])
        names = (f"reductions_{language}", "reductions", *own)
        return [self._defined(), *(resource(f"preludes/{name}.h") for name in names)]

    def opencl(self, fp16: bool) -> str:
        return "\n".join([*opencl_internals(_ROOTS, fp16), *self._text("opencl")])

    def cuda(self) -> str:
        text = "\n".join([*cuda_internals(_ROOTS), *self._text("cuda")])
        return text.replace("HCR_KERNEL", 'extern "C" __global__ void')
