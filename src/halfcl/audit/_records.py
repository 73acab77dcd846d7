"""The findings of an audit: targets, functions, reductions, wrong results, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

#: Upper ends of the histogram's buckets, in ulps; one more bucket counts larger errors.
BUCKETS: tuple[float, ...] = (0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

#: Halves per bin of a curve, and the position of the first half in order: -31744 is -inf, 0 both
#: zeros, 31744 +inf.
BIN, FIRST_PLACE = 32, -31744

#: Verdicts by OpenCL's limits. "correct": no result is wrong. "within" the limit. "flushes": within
#: it except for flushed subnormal numbers, which a device without CL_FP_DENORM may flush. "beyond"
#: the limit. "open": some are wrong, and OpenCL sets no limit.
Verdict = Literal["correct", "within", "flushes", "beyond", "open"]


@dataclass(frozen=True)
class TargetInfo:
    """The audited target: name, library with version, device, and other facts."""

    name: str
    library: str
    version: str
    device: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One wrong result.

    Arguments and results are bits, of the types in the function's report. exact is the exact
    result, and ulps the error against it; None if there is none.
    """

    arguments: tuple[int, ...]
    got: int
    right: int
    kind: str
    exact: float | None = None
    ulps: float | None = None


@dataclass(frozen=True)
class FunctionReport:
    """The findings for one function, one of several results, or a conversion.

    Attributes
    ----------
    name, result : str
        halfcl's name, and the name of one of several results, or "".
    spelled : str
        The expression that was called.
    rounding : str
        The mode of the correct results.
    types, result_type : tuple of str, str
        NumPy's names of the dtypes of arguments and result.
    tested, wrong : int
        Numbers of results.
    exhaustive : bool
        Whether every possible input was tested.
    max_ulp, mean_ulp : float
        Errors against the exact results, for results that are numbers and should be.
    histogram : tuple of int
        Numbers of errors up to each of BUCKETS, and of larger ones.
    mistakes : dict of str to int
        Numbers of wrong results by kind.
    monotonicity : int
        Steps to the next input that change the result in the wrong direction.
    symmetry : int
        Inputs whose result contradicts that of -x, or of (y, x).
    limits : pair of float or None
        In ulps, of the full and the embedded profile; None for no limit, or none in ulps.
    beyond : pair of int
        Results beyond each limit.
    verdicts : pair of str
        "correct", "within", "flushes", "beyond" or "open".
    worst : tuple of Case
        Some of the wrong results, the worst first.
    curve : tuple of float or None
        For functions of one half: the largest error in each bin of 32 neighbouring halves from
        -inf to +inf. None for bins that were not tested.
    curve_mistakes : tuple of int
        Bins where NaNs and infinities are wrong.
    """

    name: str
    spelled: str
    types: tuple[str, ...]
    result_type: str
    result: str = ""
    rounding: str = "rte"
    exhaustive: bool = False
    tested: int = 0
    wrong: int = 0
    max_ulp: float = 0.0
    mean_ulp: float = 0.0
    histogram: tuple[int, ...] = field(default=(), repr=False)
    mistakes: Mapping[str, int] = field(default_factory=dict)
    monotonicity: int = 0
    symmetry: int = 0
    limits: tuple[float | None, float | None] = (None, None)
    beyond: tuple[int, int] = (0, 0)
    verdicts: tuple[Verdict, Verdict] = ("correct", "correct")
    worst: tuple[Case, ...] = field(default=(), repr=False)
    curve: tuple[float | None, ...] = field(default=(), repr=False)
    curve_mistakes: tuple[int, ...] = field(default=(), repr=False)

    @property
    def label(self) -> str:
        """The name, with the result's name if there are several, such as "sincos.sine"."""
        return f"{self.name}.{self.result}" if self.result else self.name

    @property
    def is_beyond(self) -> bool:
        """True if a result is beyond the limits of OpenCL's full profile."""
        return self.verdicts[0] == "beyond"


@dataclass(frozen=True)
class ReductionReport:
    """The findings for one reduction of rows of one family and length, in several orders.

    Attributes
    ----------
    name, spelled : str
        The reduction's name, and the expression that was called.
    inputs : str
        The family: "uniform", "normal", "offset", "cancelling" or "large".
    length : int
        Elements per row; 0 for several lengths, see `over_lengths`.
    orders : int
        Orders of the same elements.
    tested, wrong : int
        Numbers of results, in all orders.
    not_numbers : int
        Wrong results that are NaN or infinite and should be numbers, or vice versa.
    max_ulp, mean_ulp : float
        Errors against the exact results, for results that are numbers and should be.
    results, unsteady : int
        Results per order, and how many of them depend on the order.
    most_results : int
        The greatest number of different results of the same elements.
    """

    name: str
    spelled: str
    inputs: str
    length: int
    orders: int
    tested: int
    wrong: int
    not_numbers: int
    max_ulp: float
    mean_ulp: float
    results: int
    unsteady: int
    most_results: int

    @property
    def label(self) -> str:
        """The name and the inputs, such as "sum(uniform, 1024)"."""
        return f"{self.name}({self.inputs}, {self.length})"


def over_lengths(reports: Iterable[ReductionReport]) -> list[ReductionReport]:
    """Return one report for each reduction and family of inputs, over all lengths."""
    groups: dict[tuple[str, str], list[ReductionReport]] = {}
    for each in reports:
        groups.setdefault((each.name, each.inputs), []).append(each)
    return [_join(group) for group in groups.values()]


def _join(group: list[ReductionReport]) -> ReductionReport:
    """Return a report over several lengths; the mean error is the mean of theirs."""
    first = group[0]
    return ReductionReport(
        first.name, first.spelled, first.inputs, 0, first.orders,
        tested=sum(each.tested for each in group),
        wrong=sum(each.wrong for each in group),
        not_numbers=sum(each.not_numbers for each in group),
        max_ulp=max(each.max_ulp for each in group),
        mean_ulp=sum(each.mean_ulp for each in group) / len(group),
        results=sum(each.results for each in group),
        unsteady=sum(each.unsteady for each in group),
        most_results=max(each.most_results for each in group),
    )  # fmt: skip


# ---------------------------------------------------------------- text


def hexadecimal(bits: int, dtype: str) -> str:
    """Return bits as text, with all digits of the dtype.

    Examples
    --------
    >>> from halfcl.audit._records import hexadecimal
    >>> hexadecimal(1, "float16"), hexadecimal(255, "int32")
    ('0x0001', '0x000000ff')
    """
    return f"0x{bits:0{2 * np.dtype(dtype).itemsize}x}"


def number(bits: int, dtype: str) -> str:
    """Return the number that bits represent, with as many digits as distinguish it from neighbours.

    Examples
    --------
    >>> from halfcl.audit._records import number
    >>> number(0x3c01, "float16"), number(0x8000, "float16"), number(0xffffffff, "int32")
    ('1.001', '-0.0', '-1')
    """
    kind = np.dtype(dtype)
    value = np.array(bits, f"u{kind.itemsize}").view(kind)[()]
    return str(float(str(value))) if kind.kind == "f" and math.isfinite(value) else str(value)


def ulps(error: float) -> str:
    """Return an error in ulps as text, in enough digits to distinguish it from half an ulp.

    Examples
    --------
    >>> from halfcl.audit._records import ulps
    >>> ulps(0.5), ulps(0.50003), ulps(0.5000001), ulps(3.25), ulps(12345.6)
    ('0.50000', '0.50003', '0.5000001', '3.250', '1.23e+04')
    """
    if error < 1:
        texts = (f"{error:.{digits}f}" for digits in range(5, 17))
        return next(text for text in texts if float(text) != 0.5 or error == 0.5)
    return f"{error:.3f}" if error < 1000 else f"{error:.3g}"
