"""Source of CUDA C++ kernels that call one of NVIDIA's half intrinsics each; no device is needed.

Names and promised results are those of NVIDIA's cuda_fp16.h.
"""

from __future__ import annotations

from dataclasses import dataclass

from halfcl._tables import twins
from halfcl._tables.types import LETTERS
from halfcl.device._source.dialects import CUDA
from halfcl.typing import RoundingMode

#: CUDA's types by the table's letters.
_TYPES = {**CUDA.types, "d": "double"}

_ARGUMENTS = ("x", "y", "z")


@dataclass(frozen=True)
class Intrinsic:
    """An intrinsic: its name, halfcl's name of what it computes, and its types as in the table."""

    name: str
    computes: str
    types: str

    @property
    def inputs(self) -> str:
        return self.types.split(">")[0]

    @property
    def output(self) -> str:
        return self.types.split(">")[1]

    @property
    def kernel(self) -> str:
        """The name of the kernel that calls it."""
        return f"audited_{self.name.strip('_')}"

    @property
    def source(self) -> str:
        """The kernel; its arguments are the number of elements, the inputs, the result."""
        names = _ARGUMENTS[: len(self.inputs)]
        parameters = [
            "size_t n",
            *(f"const {_TYPES[t]} *{x}" for t, x in zip(self.inputs, names, strict=True)),
            f"{_TYPES[self.output]} *r",
        ]
        call = f"{self.name}({', '.join(f'{x}[i]' for x in names)})"
        return (
            f'extern "C" __global__ void {self.kernel}({", ".join(parameters)})\n{{\n'
            "    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"    if (i < n)\n        r[i] = {call};\n}}\n"
        )


#: All intrinsics that compute a function of halfcl.
FUNCTIONS: tuple[Intrinsic, ...] = tuple(
    Intrinsic(name, computes, types)
    for types, names in twins.CUDA.items()
    for name, computes in names.items()
)

#: CUDA's names of types in conversions.
_NAMES = {"char": "char", "uchar": "uchar", "short": "short", "ushort": "ushort", "int": "int",
          "uint": "uint", "long": "ll", "ulong": "ull"}  # fmt: skip


@dataclass(frozen=True)
class Conversion(Intrinsic):
    """An intrinsic that converts between half and another type, in one of halfcl's modes.

    Conversions to integers saturate; NaN becomes 0, or 2^63 for 64 bits.
    """

    mode: RoundingMode


def _conversions() -> list[Conversion]:
    conversions = [
        Conversion("__float2half_" + ending, "convert", "f>e", mode)
        for ending, mode in twins.CUDA_MODES.items()
    ]
    conversions.append(Conversion("__float2half", "convert", "f>e", "rte"))
    conversions.append(Conversion("__double2half", "convert", "d>e", "rte"))
    conversions.append(Conversion("__half2float", "convert", "e>f", "rte"))
    for opencl, cuda in _NAMES.items():
        letter, is_byte = LETTERS[opencl], is_byte_letter(LETTERS[opencl])
        for ending, mode in twins.CUDA_MODES.items():
            if is_byte and ending != "rz":
                continue
            conversions.append(
                Conversion(f"__half2{cuda}_{ending}", "convert", f"e>{letter}", mode)
            )
            if not is_byte:
                conversions.append(
                    Conversion(f"__{cuda}2half_{ending}", "convert", f"{letter}>e", mode)
                )
    return conversions


def is_byte_letter(letter: str) -> bool:
    """Return whether CUDA converts halves to the type by truncation only, and not back."""
    return letter in "bB"


#: The integers whose conversions treat NaN as OpenCL's saturating ones do.
SATURATING = "bBhHiI"

CONVERSIONS: tuple[Conversion, ...] = tuple(_conversions())


def module(intrinsics: tuple[Intrinsic, ...]) -> str:
    """Return one source with all their kernels."""
    return "#include <cuda_fp16.h>\n\n" + "\n".join(each.source for each in intrinsics)
