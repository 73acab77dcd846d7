"""The audit itself: what a target gives beside what is right."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

import halfcl as hc
from halfcl._support.integers import as_int
from halfcl._support.names import renamed
from halfcl.audit import (
    _conversions as conversions,
    _functions as functions,
    _reductions as reductions,
    _vectors as vectors,
)
from halfcl.audit._calling import CallError, Clock
from halfcl.audit._exact import ROWS
from halfcl.audit._report import FunctionReport, ReductionReport, Report
from halfcl.audit._targets import find
from halfcl.audit._targets.base import Reducing, Target, TargetError, UnsupportedError
from halfcl.audit._targets.callables import CallablesTarget

#: Called with what is audited, how many parts of the whole audit are done, and how many there are.
Progress = Callable[[str, float, int], None]


@dataclass(frozen=True)
class _Part:
    """A function, a conversion, a function of vectors, or a reduction."""

    name: str
    audit: Callable[..., list[FunctionReport] | list[ReductionReport]]


@renamed(seed="rng")
def run(
    target: str | Target | Callable[..., object],
    functions: Iterable[str] | None = None,
    *,
    full: bool = False,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> Report:
    """Audit a library's half functions: every result beside the right one.

    Parameters
    ----------
    target : str or Target
        A library by name (`known_targets`), as ``"torch:cuda"``; callables as
        ``"module:function=exp"``; an object with `Target`'s methods, as `CallablesTarget`; or a
        function of arrays, which is audited as the one that ``functions`` names, or as what its
        own name says.
    functions : iterable of str, optional
        halfcl's names of those to audit, conversions as ``"convert_half"``; by default all that
        the target has.
    full : bool, optional
        Functions of two halves on all 2**32 pairs, not on a million. A minute or more each.
    rng : int, numpy.random.Generator or None, optional
        Of the samples: a seed from 0, which the report keeps; a generator or None gives one.
    progress : callable, optional
        Called with a name, how many functions are done, and how many there are.

    Returns
    -------
    Report

    Raises
    ------
    TargetError
        If there is no such target, it cannot go on, or it is a function whose only call failed.
    MissingPackageError
        If its library is not installed; says by which command it is.
    ValueError
        If halfcl or the target has no function of a name, no name is given, or ``rng`` is
        negative.

    Notes
    -----
    What the functions get and what they give is checked: a call that raises, writes to its
    arguments, or gives other shapes or dtypes than it should is in the report's ``failed``.

    Examples
    --------
    >>> from halfcl import audit
    >>> report = audit.run("numpy", ["sqrt"])
    >>> report["sqrt"].tested, report["sqrt"].verdicts[0]
    (65536, 'correct')
    >>> audit.run(lambda x: 1 / x**0.5, "rsqrt")["rsqrt"].verdicts[0]
    'beyond'
    """
    names = [functions] if isinstance(functions, str) else functions
    asked = None if names is None else _names(names)
    if asked == ():
        raise ValueError("functions: expected halfcl's names, got none")
    seed = _seed(rng)
    audited = _target(target, asked)
    clock, start = Clock(), time.perf_counter()
    info = audited.describe()
    parts = _chosen(list(_parts(audited)), asked, info.name)
    found: list[FunctionReport] = []
    reduced: list[ReductionReport] = []
    unsupported: dict[str, str] = {}
    failed: dict[str, str] = {}
    for done, part in enumerate(parts):
        step = partial(_tell, progress, part.name, done, len(parts))
        step(0, 1)
        try:
            with np.errstate(all="ignore"):
                reports = part.audit(clock, full=full, seed=seed, progress=step)
            for report in reports:
                if isinstance(report, ReductionReport):
                    reduced.append(report)
                else:
                    found.append(_refuse_nans(report))
        except UnsupportedError as error:
            unsupported[part.name] = str(error)
        except CallError as error:
            failed[part.name] = str(error)
    if progress:
        progress("", len(parts), len(parts))
    if not isinstance(target, (str, Target)) and failed:
        (reason,) = failed.values()  # there is one function, and nothing of it was tested
        raise TargetError(
            f"target: expected a function of arrays of float16, got {reason}; numpy.vectorize("
            "function, otypes=[numpy.float16]) makes one of a function of numbers"
        )
    own = time.perf_counter() - start - clock.seconds
    return Report(
        info, tuple(found), unsupported, failed,
        halfcl=hc.__version__,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        asked=asked, full=full, seed=seed,
        seconds={"target": round(clock.seconds, 3), "halfcl": round(own, 3)},
        reductions=tuple(reduced),
    )  # fmt: skip


def _names(names: Iterable[str]) -> tuple[str, ...]:
    wrong = f"functions: expected halfcl's names, got {names!r:.80}"
    try:
        found = tuple(names)
    except TypeError:
        raise TypeError(wrong) from None
    if not all(isinstance(name, str) for name in found):
        raise TypeError(wrong)
    return found


def _target(target: object, asked: tuple[str, ...] | None) -> Target:
    if isinstance(target, str):
        return find(target)
    if isinstance(target, Target):
        return target
    if not callable(target):
        raise TypeError(
            "target: expected a name, a function, or an object with Target's methods, "
            f"got {target!r}"
        )
    own = str(getattr(target, "__name__", target))
    names = asked or (own,)
    if len(names) != 1 or names[0] not in ROWS:
        raise ValueError(
            f"functions: expected one of halfcl's names, that of what {own} is meant to be, "
            f"got {', '.join(names)}"
        )
    return CallablesTarget(own, {names[0]: target})


def _tell(
    progress: Progress | None, name: str, before: int, parts: int, done: int, total: int
) -> None:
    if progress:
        progress(name, before + done / total, parts)


def _parts(target: Target) -> Iterator[_Part]:
    for name, call in target.functions().items():
        if (call.computes or name) not in ROWS:
            raise TargetError(f"functions(): expected halfcl's names, got {name!r}")
        yield _Part(name, partial(functions.audit, name, call))
    for conversion in target.conversions():
        yield _Part(conversions.name(conversion), partial(conversions.audit, conversion))
    for name, call in target.vectors().items():
        if name not in ROWS:
            raise TargetError(f"vectors(): expected halfcl's names, got {name!r}")
        yield _Part(name, partial(vectors.audit, name, call))
    for name, call in (target.reductions() if isinstance(target, Reducing) else {}).items():
        if name not in reductions.EXACT:
            known = ", ".join(reductions.EXACT)
            raise TargetError(f"reductions(): expected some of {known}, got {name!r}")
        yield _Part(name, partial(reductions.audit, name, call))


def _seed(rng: int | np.random.Generator | None) -> int:
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**32))
    seed = as_int("rng", rng)
    if seed < 0:
        raise ValueError(f"rng: expected an integer from 0, got {seed}")
    return seed


def _chosen(parts: list[_Part], wanted: tuple[str, ...] | None, target: str) -> list[_Part]:
    """Those of some names; a conversion's are that of all such, and its own."""
    if wanted is None:
        return parts
    for name in wanted:
        if not any(name in _names_of(part) for part in parts):
            known = name in {*ROWS, *reductions.EXACT} or hasattr(hc, name.partition("(")[0])
            owner = f"the target {target}" if known else "halfcl"
            raise ValueError(f"functions: {owner} has no function {name!r}")
    return [part for part in parts if _names_of(part) & set(wanted)]


def _names_of(part: _Part) -> set[str]:
    return {part.name, part.name.partition("(")[0]}


def _refuse_nans(report: FunctionReport) -> FunctionReport:
    """A function that gives nothing but NaN is not wrong: it is not that function."""
    if report.wrong and report.result_type == "float16" and not sum(report.histogram):
        raise CallError(f"{report.spelled}: every result is NaN or infinite")
    return report
