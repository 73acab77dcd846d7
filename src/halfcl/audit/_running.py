"""Run an audit: compare a target's results with correct ones."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._support.arguments.integers import as_int
from halfcl._support.progress import Bar
from halfcl._tables.twins import suggest_spelling
from halfcl.audit._families import conversions, functions, reductions, vectors
from halfcl.audit._records import FunctionReport, ReductionReport
from halfcl.audit._report import Report
from halfcl.audit._results.exact import ROWS
from halfcl.audit._results.properties import ORDERED
from halfcl.audit._targets import find
from halfcl.audit._targets.base import ReductionTarget, Target, TargetError, UnsupportedError
from halfcl.audit._targets.callables import CallablesTarget
from halfcl.audit._targets.calling import TENSORS, CallError, Clock

#: Called with the current function's name, the number of finished parts, and the number of parts.
Progress = Callable[[str, float, int], None]


@dataclass(frozen=True)
class _Part:
    """A part of an audit: a function, a conversion, a function of vectors, or a reduction."""

    name: str
    audit: Callable[..., list[FunctionReport] | list[ReductionReport]]


def run(
    target: str | Target | Callable[..., object],
    functions: Iterable[str] | None = None,
    *,
    full: bool = False,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | bool | None = None,
) -> Report:
    """Audit a library's half functions: compare every result with the correct one.

    Parameters
    ----------
    target : str or Target
        A library by name (`known_targets`), such as ``"torch:cuda"``; callables as
        ``"module:function=exp"``; an object with `Target`'s methods, such as `CallablesTarget`;
        or a function of arrays, which is audited as the function that ``functions`` names, or
        that has its own name.
    functions : iterable of str, optional
        halfcl's names of functions to audit, conversions as ``"convert_half"``; by default all
        of the target.
    full : bool, optional
        Test functions of two halves with all 2**32 pairs instead of a million. Each takes a
        minute or more.
    rng : int, numpy.random.Generator or None, optional
        Seed of the samples, 0 or greater, stored in the report; or a generator or None for a
        random seed.
    progress : bool or callable, optional
        True: show a bar, by tqdm, on a terminal or in a notebook. A callable is called with a name,
        the number of finished functions, and the number of functions.

    Returns
    -------
    Report

    Raises
    ------
    TargetError
        If there is no such target, the target breaks down, or it is a single function whose call
        failed.
    MissingPackageError
        If its library is not installed; the message has the command that installs it.
    ValueError
        If halfcl or the target has no function of a name, ``functions`` is empty, or ``rng`` is
        negative.

    Notes
    -----
    Calls are checked: one that raises, writes to its arguments, or returns wrong shapes or
    dtypes is listed in the report's ``failed``.

    Examples
    --------
    >>> from halfcl import audit
    >>> report = audit.run("numpy", ["sqrt"])
    >>> report["sqrt"].tested, report["sqrt"].verdicts[0]
    (65536, 'correct')
    >>> audit.run(lambda x: 1 / x**0.5, "rsqrt")["rsqrt"].verdicts[0]
    'beyond'
    """
    if isinstance(progress, bool):
        with _bar(progress) as show:
            return run(target, functions, full=full, rng=rng, progress=show)
    names = [functions] if isinstance(functions, str) else functions
    requested = None if names is None else _names(names)
    if requested == ():
        raise ValueError("functions: expected halfcl's names, got none")
    seed = _seed(rng)
    audited = _target(target, requested)
    clock, start = Clock(), time.perf_counter()
    info = audited.describe()
    parts = _select_parts(list(_parts(audited)), requested, info.name)
    reports_of_functions: list[FunctionReport] = []
    reports_of_reductions: list[ReductionReport] = []
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
                    reports_of_reductions.append(report)
                else:
                    reports_of_functions.append(_refuse_nans(report))
        except UnsupportedError as error:
            unsupported[part.name] = str(error)
        except CallError as error:
            failed[part.name] = str(error)
    if progress:
        progress("", len(parts), len(parts))
    if not isinstance(target, (str, Target)) and failed:
        (reason,) = failed.values()  # the only function failed
        vectorize = "numpy.vectorize(function, otypes=[numpy.float16])"
        hint = "" if TENSORS in reason else f"; for a function of numbers use {vectorize}"
        raise TargetError(f"target: expected a function of arrays of float16, got {reason}{hint}")
    own = time.perf_counter() - start - clock.seconds
    return Report(
        info, tuple(reports_of_functions), unsupported, failed,
        halfcl=hc.__version__,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        asked=requested, full=full, seed=seed,
        seconds={"target": round(clock.seconds, 3), "halfcl": round(own, 3)},
        reductions=tuple(reports_of_reductions),
    )  # fmt: skip


@contextmanager
def _bar(is_wanted: bool) -> Iterator[Progress | None]:
    """Provide the function that draws a bar; None where nobody would see one."""
    with Bar(leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}") as bar:
        if bar is None or not is_wanted:
            yield None
        else:
            yield lambda name, done, total: bar(done, total, f"{name:<16}")


@dataclass(frozen=True)
class ErrorsInOrder:
    """A target's function of one half: its report, and its errors at all halves in order.

    errors: in ulps, NaN or infinite for no number. wrong: which results are wrong.
    """

    target: str
    report: FunctionReport
    errors: NDArray[np.float64]
    wrong: NDArray[np.bool_]

    @property
    def x(self) -> NDArray[np.float64]:
        """All halves except NaNs, as doubles."""
        return ORDERED.view(np.float16).astype(np.float64)


def run_in_order(target: str | Target | Callable[..., object], name: str) -> ErrorsInOrder:
    """Audit a function of one half, and return its error at each half, too.

    Raise TargetError if the target does not compute it, and what `run` raises.
    """
    audited = _target(target, (name,))
    report = run(audited, [name])
    if not report.functions:
        reason = next(iter({**report.failed, **report.unsupported}.values()))
        raise TargetError(f"target: {report.target.name}: {reason}")
    with np.errstate(all="ignore"):
        errors, wrong = functions.errors_in_order(name, audited.functions()[name], Clock())
    return ErrorsInOrder(report.target.name, report.functions[0], errors, wrong)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple; raise TypeError for anything else."""
    message = f"functions: expected halfcl's names, got {names!r:.80}"
    try:
        checked = tuple(names)
    except TypeError:
        raise TypeError(message) from None
    if not all(isinstance(name, str) for name in checked):
        raise TypeError(message)
    return checked


def _target(target: object, requested: tuple[str, ...] | None) -> Target:
    """Return the target that the argument names or is."""
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
    names = requested or (own,)
    if len(names) != 1 or names[0] not in ROWS:
        raise ValueError(
            f"functions: expected one of halfcl's names, that of the function that {own} computes, "
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
    for name, call in (target.reductions() if isinstance(target, ReductionTarget) else {}).items():
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


def _select_parts(
    parts: list[_Part], requested: tuple[str, ...] | None, target: str
) -> list[_Part]:
    """Return the parts with some of these names; a conversion has a general name, and its own."""
    if requested is None:
        return parts
    for name in requested:
        if not any(name in _part_names(part) for part in parts):
            known = name in {*ROWS, *reductions.EXACT} or hasattr(hc, name.partition("(")[0])
            owner = f"the target {target}" if known else "halfcl"
            hint = "" if known else suggest_spelling(name, {*ROWS, *reductions.EXACT})
            raise ValueError(
                f"functions: expected names of functions of {owner}, got {name!r}{hint}"
            )
    return [part for part in parts if _part_names(part) & set(requested)]


def _part_names(part: _Part) -> set[str]:
    return {part.name, part.name.partition("(")[0]}


def _refuse_nans(report: FunctionReport) -> FunctionReport:
    """Raise CallError if a function returns nothing but NaN: it is not that function."""
    if report.wrong and report.result_type == "float16" and not sum(report.histogram):
        raise CallError(f"{report.spelled}: expected some numbers, got only NaN and infinities")
    return report
