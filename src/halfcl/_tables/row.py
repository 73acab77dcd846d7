"""The rows of the tables: a function, its kernel, limits and properties."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from halfcl._core import MODES
from halfcl.typing import RoundingMode

#: The effect of a region's rounding mode on a function. An operator follows it; a
#: built-in follows it only under ``builtins=True``; "exact" results need no rounding.
Governed = Literal["operator", "builtin", "exact"]

#: The rule of a NumPy ufunc for a half among other types: compute in their common dtype; accept a
#: half and any integer; or NumPy's own rule, for arguments that are truth values, say.
Promotion = Literal["common", "integer", "numpy"]


#: Symmetries of a function: f(-x) is -f(x), or f(x); f(y, x) is f(x, y).
Symmetry = Literal["", "odd", "even", "commutative"]

#: Arguments for which OpenCL leaves the result unspecified: zeros of different signs; a zero; any
#: NaN; any infinity; an infinity beside a NaN; zero and negative integers; a third argument below
#: the second; a second one that is not above the first; a third one outside [0, 1].
Unspecified = Literal[
    "zeros", "zero", "nans", "infinities", "mixed", "poles", "bounds", "edges", "weights"
]

#: The least positive number, and intervals on which functions increase or decrease.
TINY = 2.0**-24
EVERYWHERE, NEGATIVE, POSITIVE = (-inf, inf), (-inf, -TINY), (TINY, inf)


@dataclass(frozen=True)
class Domain:
    """An interval of numbers that a function is defined on; finite ends belong to a closed one."""

    low: float = -inf
    high: float = inf
    is_closed: bool = False

    def __str__(self) -> str:
        opening = "[" if self.is_closed and self.low > -inf else "("
        closing = "]" if self.is_closed and self.high < inf else ")"
        return f"{opening}{self.low:g}, {self.high:g}{closing}"


ALL_NUMBERS = Domain()
FROM_ZERO, ABOVE_ZERO = Domain(0, inf, is_closed=True), Domain(0, inf)
FROM_ONE, ABOVE_MINUS_ONE = Domain(1, inf, is_closed=True), Domain(-1, inf)
UNIT, INSIDE_UNIT = Domain(-1, 1, is_closed=True), Domain(-1, 1)


@dataclass(frozen=True)
class PerComponent:
    """A limit in ulp that grows with a vector's number of components, n: constant + factor * n."""

    constant: float
    factor: float

    def of(self, components: int) -> float:
        return self.constant + self.factor * components

    def __str__(self) -> str:
        factor = f"{self.factor:g}n" if self.factor != 1 else "n"
        return f"{self.constant:g} + {factor} ulp" if self.constant else f"{factor} ulp"


@dataclass(frozen=True)
class AbsoluteError:
    """A limit that grows with n and the operands: (constant + factor * n) max^2 2^-10.

    Here max is the largest magnitude among the components.
    """

    constant: float
    factor: float = 0

    def of(self, components: int) -> float:
        return self.constant + self.factor * components

    def __str__(self) -> str:
        if not self.factor:
            return f"an absolute error of {self.constant:g} max^2 2^-10"
        sign = "-" if self.constant < 0 else "+"
        return f"an absolute error of ({self.factor:g}n {sign} {abs(self.constant):g}) max^2 2^-10"


#: An error that OpenCL allows: in ulp; in words, where it is not in ulp; None: unspecified.
Limit = float | PerComponent | AbsoluteError | str | None


@dataclass(frozen=True)
class Builtin:
    """One row: a function that halfcl defines or gives NumPy a half loop for.

    kernel, types: the engine's kernel and its signature in NumPy's letters ("ee>e").
    numpy: the NumPy ufuncs that get this kernel as their loop for half (those that this
        NumPy has); numpy_types: the signatures of more kernels of that name that they get.
    public: whether ``halfcl.<name>`` is a function.
    ulp: the accuracy of the result: 0.5 is correctly rounded in every mode, 0 exact.
    opencl: whether OpenCL has the function.
    limit: the error that OpenCL allows for half in the full profile; embedded: in the embedded
        profile.
    parameters: the names of the arguments; by default x, y or a, b, c.
    results: the names of several results.
    identity: the result of an empty reduction; neutral: the start of other reductions in rte,
        rtz, rtp and rtn, if that differs.
    reduce: the kernel that reduces many elements.
    promotion: the rule of the NumPy ufuncs for half among other types.
    signature: that of a generalised ufunc, "(n),(n)->()".
    increasing, decreasing: for functions of one argument, the largest interval on which they never
        fall, or rise.
    symmetry: the symmetry of functions with one result.
    open: arguments for which OpenCL leaves the result unspecified; halfcl's is one of several.
    domain: for functions of one argument, the numbers on which they are real; poles: those without
        a value inside the domain, in words.
    derivatives: a formula for each argument (see `formulas`); second_derivatives: by the first and
        first argument, the first and second, the second and second.
    formula: the function from others, for arithmetics that do not have it.
    """

    name: str
    kernel: str
    types: str
    governed: Governed
    summary: str
    numpy: tuple[str, ...] = ()
    numpy_types: tuple[str, ...] = ()
    public: bool = True
    ulp: float = 0.5
    opencl: bool = True
    limit: Limit = None
    embedded: Limit = None
    section: str = "Operators"
    spec: str = ""
    parameters: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    edge_cases: str = ""
    example: str = ""
    identity: float | None = None
    neutral: tuple[float, float, float, float] | None = None
    reduce: str = ""
    promotion: Promotion = "common"
    signature: str = ""
    increasing: tuple[float, float] | None = None
    decreasing: tuple[float, float] | None = None
    symmetry: Symmetry = ""
    open: tuple[Unspecified, ...] = ()
    domain: Domain = ALL_NUMBERS
    poles: str = ""
    derivatives: tuple[str, ...] = ()
    second_derivatives: tuple[str, ...] = ()
    formula: str = ""

    @property
    def inputs(self) -> str:
        """The letters of the arguments."""
        return self.types.split(">")[0]

    @property
    def outputs(self) -> str:
        """The letters of the results."""
        return self.types.split(">")[1]

    @property
    def is_smooth(self) -> bool:
        """True for a function of one argument that is smooth inside its domain."""
        return self.nin == 1 and bool(self.second_derivatives)

    @property
    def nin(self) -> int:
        return len(self.inputs)

    @property
    def argument_names(self) -> tuple[str, ...]:
        return self.parameters or tuple("abc" if self.nin == 3 else "xy"[: self.nin])

    @property
    def modes(self) -> tuple[RoundingMode, ...]:
        """The modes in which the function has a ufunc of its own."""
        return ("rte",) if self.governed == "exact" else MODES
