"""Kernels that reduce arrays, in OpenCL C and CUDA C++."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from halfcl.device._declarations import resource
from halfcl.device._text import cuda_internals, opencl_internals

#: What the texts of kernels call of the engine's.
_ROOTS = (
    "convert_float", "bin_special", "sum_start", "sum_take", "sum_units", "sum_total",
    "product_start", "product_take", "product_units", "product_total", "round_sum", "round_few",
    "round_variance",
)  # fmt: skip

#: What is written: the states of chunks, which another kernel finishes; states; or numbers, by
#: NumPy's letter.
AS = {"bins": 0, "states": 1, "e": 2, "f": 3, "d": 4}

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
}

#: So many elements of a group have room in bins of 32 bits: sums, and products.
FEW = (1 << 16, 1 << 14)


@dataclass(frozen=True)
class Reduction:
    """One kernel.

    layout: how the array lies, "rows" or "columns", or "finish" of bins; result: of AS; wide,
    where, group, lanes, few: as preludes/reductions.h has it.
    """

    layout: Literal["rows", "columns", "finish"]
    statistic: str
    result: str
    wide: bool
    where: bool
    group: int
    lanes: int
    few: bool

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
            "RESULT": AS[self.result],
        }  # fmt: skip
        return "\n".join(f"#define HCR_{name} {int(value)}" for name, value in values.items())

    def _text(self, language: str) -> list[str]:
        names = (f"reductions_{language}", "reductions", f"reductions_{self.layout}")
        return [self._defined(), *(resource(f"preludes/{name}.h") for name in names)]

    def opencl(self, fp16: bool) -> str:
        return "\n".join([*opencl_internals(_ROOTS, fp16), *self._text("opencl")])

    def cuda(self) -> str:
        text = "\n".join([*cuda_internals(_ROOTS), *self._text("cuda")])
        return text.replace("HCR_KERNEL", 'extern "C" __global__ void')
