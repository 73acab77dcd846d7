"""Runs of a function in regions that round in different ways."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from types import CodeType, FrameType
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl._core import HALF_DTYPE, Experiment, are_new_halves, half
from halfcl.stability._array_comparisons import ComparisonRecorder, find_divergences
from halfcl.stability._observing.libraries import is_to_show, library_folders
from halfcl.stability._observing.nonfinite import NotFinite, NotFiniteRecorder
from halfcl.stability._sites import CodeLocation, Finder, Located, Site, describe, find_site

#: One result of a run: a half array or scalar, or a wider one.
Result: TypeAlias = NDArray[Any] | np.generic
Results: TypeAlias = tuple[Result, ...]

#: The exact results as an argument: numbers, a tuple of them, or a function that returns these.
Truth: TypeAlias = ArrayLike | Sequence[ArrayLike] | Callable[..., Any]

#: Code is always run twice in the same mode if no argument or result has more elements than this;
#: with more elements only if the results look random.
_ALWAYS_REPEATED = 4096


@dataclass(frozen=True)
class Promotion(Located):
    """A step that promoted half to another type, which no rounding mode of halfcl governs.

    Attributes
    ----------
    location : CodeLocation
        Where: ``.location.file``, ``.location.line``, ``.location.source``.
    dtype : str
        The type that half was promoted to.
    """

    location: CodeLocation
    dtype: str

    def __str__(self) -> str:
        return f"not governed by any mode: half becomes {self.dtype} at {self.location}"


@dataclass(frozen=True)
class BranchDivergence(Located):
    """A comparison that some runs decide differently from the run to nearest.

    Attributes
    ----------
    location : CodeLocation
        Where: ``.location.file``, ``.location.line``, ``.location.source``.
    elements, of : int
        How many elements differ, out of how many; the totals if the comparison runs more than once.
    runs : tuple of str
        The runs in which they differ: modes, "operations 1", "random 1", and "exact" for the
        shadow.
    """

    location: CodeLocation
    elements: int
    of: int
    runs: tuple[str, ...]

    def __str__(self) -> str:
        how_many = f"{self.elements} of {self.of}" if self.of > 1 else "a"
        verb = "comparisons diverge" if self.of > 1 else "comparison diverges"
        return f"{how_many} {verb} at {self.location} ({', '.join(self.runs)})"


def _as_half(argument: object) -> object:
    """Return an argument as the function receives it: float16 as half, arrays read-only."""
    if not isinstance(argument, np.ndarray):
        if isinstance(argument, np.float16) and not isinstance(argument, half):
            return half(argument)
        return argument
    if argument.dtype.type is np.float16:
        view = (argument if argument.dtype.isnative else argument.astype(np.float16)).view(
            HALF_DTYPE
        )
    else:
        view = argument.view()
    view.flags.writeable = False
    return view


def _copy(argument: object) -> object:
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _as_half_if_governed(result: object) -> object:
    """Return float16 as half while NumPy is accelerated, since regions govern it then."""
    is_float16 = isinstance(result, np.ndarray | np.float16) and result.dtype.type is np.float16
    return _as_half(result) if is_float16 and hc.accelerated_ufuncs() else result


def is_half(thing: object) -> TypeGuard[NDArray[Any] | half]:
    """Tell whether an object is a half array or scalar."""
    return thing.dtype.type is half if isinstance(thing, np.ndarray) else isinstance(thing, half)


class Task:
    """A function and its arguments, which run in regions that round in different ways."""

    def __init__(
        self, function: Callable[..., object], args: Iterable[object], copies: bool = False
    ):
        if not callable(function):
            raise TypeError(f"f: expected a function, got {type(function).__name__}")
        if hasattr(function, "pure"):  # a kernel of halfcl.cl
            function = function.pure()
        self.function = function
        self.name = str(getattr(function, "__name__", None) or type(function).__name__)
        self.args = tuple(map(_as_half, args))
        self.copies = copies  # whether runs get copies of arguments: if the function writes to them
        self.several = False  # whether it returns several results
        self._promotions: dict[Site, str] = {}

    @property
    def named_args(self) -> tuple[tuple[str, object], ...]:
        """The arguments with the function's names for them; "" if it is not written in Python."""
        code = getattr(self.function, "__code__", None)
        names: tuple[str, ...] = ()
        if isinstance(code, CodeType):
            is_bound = hasattr(self.function, "__self__")
            names = code.co_varnames[int(is_bound) : code.co_argcount]
        return tuple(zip_longest(names[: len(self.args)], self.args, fillvalue=""))

    def record_promotion(self, dtype: str) -> None:
        """Record the site of a promotion; an Experiment calls this with the new type."""
        if dtype != "float16" or not hc.accelerated_ufuncs():  # otherwise regions govern it, too
            self._promotions.setdefault(find_site(sys._getframe(1), RUNNER), dtype)

    def new_recorder(self) -> ComparisonRecorder[Site]:
        """Return a recorder for the comparisons of one run."""
        return ComparisonRecorder(Finder(RUNNER), _is_to_show)

    def new_not_finite_recorder(self) -> NotFiniteRecorder[Site]:
        """Return a recorder for what makes infinities and NaNs in one run."""
        return NotFiniteRecorder(Finder(RUNNER), _is_to_show)

    def describe_not_finite(
        self, recorder: NotFiniteRecorder[Site]
    ) -> tuple[NotFinite[CodeLocation], ...]:
        """Return what made infinities and NaNs, in the order of their first occurrences."""
        return tuple(
            NotFinite(
                describe(one.location, self.name),
                one.operation,
                one.operands,
                one.reason,
                one.count,
            )
            for one in recorder.records
        )

    def divergences(
        self,
        runs: Sequence[tuple[str, ComparisonRecorder[Site]]],
        by_shadows: Mapping[Site, Sequence[int]],
    ) -> tuple[BranchDivergence, ...]:
        """Return where runs, or shadows, decide differently from the first run."""
        logs = [(name, recorder.logs) for name, recorder in runs]
        counts = {one.location: (one.elements, one.of, one.runs) for one in find_divergences(logs)}
        for site, (elements, of) in by_shadows.items():
            differing, total, names = counts.get(site, (0, 0, ()))
            counts[site] = max(differing, elements), max(total, of), (*names, "exact")
        return tuple(
            BranchDivergence(describe(site, self.name), *count) for site, count in counts.items()
        )

    @property
    def promotions(self) -> tuple[Promotion, ...]:
        """The steps that promoted half to another type, in the order of their first runs."""
        return tuple(
            Promotion(describe(site, self.name), dtype) for site, dtype in self._promotions.items()
        )

    def run(self, region: Experiment) -> Results:
        """Return the results of one run."""
        return self.run_all([region])[0]

    def run_all(self, regions: Sequence[Experiment]) -> list[Results]:
        """Return the results of a run in each region; all have the same shapes."""
        try:
            values = _call(self, regions)
        except ValueError as error:
            if self.copies or "read-only" not in str(error):
                raise
            self.copies = True
            values = _call(self, regions)
        if are_new_halves(values):  # the usual case needs no further checks
            return [(value,) for value in values]
        if _are_new_tuples(values):
            self.several = True
            return values
        if not self.copies and any(_share_memory(a, b) for a, b in combinations(values, 2)):
            # The function returns an array that it reuses, or one of its arguments.
            self.copies = True
            values = _call(self, regions)
        self.several = isinstance(values[0], tuple | list)
        runs = [(v,) if is_half(v) else self._check_results(v) for v in values]
        for other in runs[1:]:
            self.check_shapes(runs[0], other)
        return runs

    def _check_results(self, value: object) -> Results:
        """Return the results as a tuple; raise TypeError unless they are allowed."""
        several = value if isinstance(value, tuple | list) else (value,)
        results: tuple[Any, ...] = tuple(map(_as_half_if_governed, several))
        if not results:
            raise TypeError(f"f: {self.name}: expected half arrays or scalars, got an empty tuple")
        for result in results:
            if not is_half(result):
                self._raise_unless_promoted(result)
        return results

    def _raise_unless_promoted(self, result: object) -> None:
        expected = f"f: {self.name}: expected half arrays or scalars, or a tuple of them"
        if result is None:
            raise TypeError(f"{expected}, got NoneType; end the function with a return")
        if not isinstance(result, np.ndarray | np.generic):
            raise TypeError(
                f"{expected}, got {type(result).__name__}; use halfcl.half(x) for arguments "
                "and results"
            )
        if result.dtype.kind != "f":
            raise TypeError(f"{expected}, got {result.dtype}")
        if self._promotions:  # the report lists them
            return
        if result.dtype.type is np.float16:
            raise TypeError(
                f"{expected}, got float16, whose operators are NumPy's and ignore the mode; "
                "use x.view(halfcl.half), or call halfcl.accelerate(), so that modes govern float16"
            )
        raise TypeError(
            f"{expected}, got {result.dtype}, and no promotion from half was recorded; "
            "use halfcl.convert(x, half) for arguments and results"
        )

    def check_shapes(self, one: Results, other: Results) -> None:
        """Raise ValueError unless two runs have results of the same shapes."""
        shapes = [tuple(np.shape(result) for result in results) for results in (one, other)]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"f: {self.name}: expected results of the same shapes in every rounding, "
                f"got {shapes[0]} and {shapes[1]}"
            )

    def check_repeats(self, results: Results) -> None:
        """Raise ValueError unless another run to nearest gives the same results."""
        again = self.run(Experiment("rte", casts=True))
        self.check_shapes(results, again)
        if not all(map(_have_same_bits, results, again)):
            raise ValueError(
                f"f: {self.name}: expected the same results from two runs in one rounding mode, "
                "got different ones: it draws random numbers, or keeps state between calls; pass "
                "the random numbers as an argument"
            )

    def check_repeats_if_suspect(self, runs: Sequence[Results]) -> None:
        """Call check_repeats, but with many elements only if the results look random."""
        sizes = [x.size for x in (*self.args, *runs[0]) if isinstance(x, np.ndarray)]
        if max(sizes, default=0) <= _ALWAYS_REPEATED or any(
            _look_random(results) for results in zip(*runs, strict=True)
        ):
            self.check_repeats(runs[0])


#: A note on errors of functions that branch on what they get.
_ABOUT_BRANCHES = (
    "halfcl: the function gets whole arrays; numpy.where(condition, x, y) chooses for each "
    "element, and numpy.vectorize(function) calls it for each"
)

#: A note on TypeErrors of functions that get lists.
_ABOUT_LISTS = "halfcl: the function gets lists as they are; halfcl.half([1, 2]) is an array"


def _call(task: Task, regions: Sequence[Experiment]) -> list[Any]:
    """Return the value of the function in each region.

    `find_site` searches frames up to this one: RUNNER is its code.
    """
    function, args, copies = task.function, task.args, task.copies
    values = []
    for region in regions:
        if copies:
            args = tuple(map(_copy, task.args))
        try:
            value = region.call(function, args)
        except ValueError as error:
            if "truth value of an array" in str(error):  # NumPy's words
                error.add_note(_ABOUT_BRANCHES)
            raise
        except TypeError as error:
            if any(isinstance(argument, list | tuple) for argument in args):
                error.add_note(_ABOUT_LISTS)
            raise
        values.append(_copy_results(value) if copies else value)
    return values


RUNNER = _call.__code__


def _is_own(frame: FrameType) -> bool:
    """Return whether a frame is the function's own, or the one that calls it."""
    return frame.f_code is RUNNER or not frame.f_code.co_filename.startswith(library_folders())


def _is_to_show(frame: FrameType) -> bool:
    """Return whether a frame runs because the function prints or draws something."""
    return is_to_show(frame, _is_own)


def _copy_results(value: object) -> object:
    """Return copies of results, which later runs do not change."""
    if isinstance(value, tuple | list):
        return tuple(map(_copy_results, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def _are_new_tuples(values: Sequence[object]) -> bool:
    """Tell whether all values are tuples of new half arrays, of one length, without repeats."""
    lengths = {len(x) if type(x) is tuple else 0 for x in values}
    if len(lengths) > 1 or 0 in lengths:
        return False
    columns = [list(column) for column in zip(*values, strict=True)]
    arrays = {id(x) for column in columns for x in column}
    return len(arrays) == len(values) * len(columns) and all(map(are_new_halves, columns))


def _share_memory(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.may_share_memory(one, other))
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return any(map(_share_memory, one, other))
    return False


def _have_same_bits(one: object, other: object) -> bool:
    """Tell whether results have the same bits, including NaNs and signs of zero."""
    a, b = np.asarray(one), np.asarray(other)
    if is_half(a) and is_half(b) and a.shape == b.shape:
        return np.array_equal(a.view(np.uint16), b.view(np.uint16))
    return str(a.dtype) == str(b.dtype) and a.tobytes() == b.tobytes()


def equal_up_to_nans(one: object, other: object) -> bool:
    """Tell whether results are equal, including signs of zero; any two NaNs are equal."""
    arrays = np.asarray(one), np.asarray(other)
    if arrays[0].shape != arrays[1].shape:
        return False
    if _have_same_bits(*arrays):
        return True
    a, b = (x.astype(np.float64) for x in arrays)
    nans = np.isnan(a) & np.isnan(b)
    return bool(np.all(nans | ((a == b) & (np.signbit(a) == np.signbit(b)))))


NOTHING_ROUNDED = "nothing was rounded in half in its thread, so its runs cannot differ"


def _inputs(task: Task) -> Iterator[object]:
    """Yield the arguments, and the values of globals and closures that the function refers to."""
    yield from task.args
    if inspect.isfunction(task.function):
        named = inspect.getclosurevars(task.function)
        yield from (*named.nonlocals.values(), *named.globals.values())


def warn_nothing_rounded(task: Task, results: Results, callers: int = 2) -> None:
    """Warn if results were computed, but nothing was rounded in half.

    callers: number of frames between this call and the user's code.
    """
    inputs = [np.asarray(x).ravel().astype(float) for x in _inputs(task) if is_half(x)]
    known = np.concatenate([*inputs, np.zeros(1)])
    if not all(np.isin(np.abs(np.asarray(x).astype(float)), np.abs(known)).all() for x in results):
        warnings.warn(f"f: {task.name}: {NOTHING_ROUNDED}", RuntimeWarning, stacklevel=callers + 2)


def _look_random(results: Sequence[Result]) -> bool:
    """Tell whether two of three elements (first, middle, last) differ in all modes.

    Even in unstable code two of the four results are often equal, since rounding toward zero is
    rounding down or up, and since few bits remain after cancellation. Random numbers are hardly
    ever equal.
    """
    last = results[0].size - 1
    if last < 0:
        return False

    values: Sequence[Any] = results  # results of any shape have item(k)
    odd = 0
    for k in (0, last, last // 2):
        odd += len({value.item(k) for value in values}) == len(results)
        if not odd and k == last:
            return False
    return odd > 1


# ---------------------------------------------------------------- known results


def _widen(x: object) -> object:
    """Return an argument for a function of exact results: halves as doubles, also in lists."""
    if is_half(x):
        return np.asarray(x).astype(np.float64)[()]
    return type(x)(map(_widen, x)) if type(x) is list or type(x) is tuple else x


def as_doubles(x: object, name: str) -> NDArray[np.float64]:
    """Return real numbers as doubles; raise TypeError for anything else.

    >>> from halfcl.stability._runs import as_doubles
    >>> as_doubles([1, 2], "truth")
    array([1., 2.])
    """
    try:
        numbers = np.asarray(x)
        if numbers.dtype.kind not in "fiubO" and not is_half(numbers):
            raise TypeError(f"numbers of {numbers.dtype}")
        if numbers.dtype == object:  # float(None) raises an error, astype does not
            return np.array([float(x) for x in numbers.flat]).reshape(numbers.shape)
        return numbers.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name}: expected real numbers, got {type(x).__name__}: {error}") from None


def exact_results(truth: Truth, task: Task, results: Results) -> tuple[NDArray[np.float64], ...]:
    """Return the exact results for a task, one for each of its results.

    truth: numbers, or a function that is called with the task's arguments, halves as doubles. If
    the task returns a tuple, so does the truth. Raise TypeError unless they are real numbers,
    ValueError if their shapes differ from those of the results.
    """
    exact = truth
    if callable(truth):
        with np.errstate(all="ignore"):
            exact = truth(*map(_widen, task.args))
    if task.several and not (isinstance(exact, tuple | list) and len(exact) == len(results)):
        count = len(exact) if isinstance(exact, tuple | list) else "no tuple"
        raise ValueError(
            f"truth: expected a tuple of {len(results)} exact results, like that of {task.name}, "
            f"got {count}"
        )
    parts: Any = exact if task.several else (exact,)
    wide = []
    for k, (part, result) in enumerate(zip(parts, results, strict=True)):
        name = f"truth[{k}]" if task.several else "truth"
        numbers = as_doubles(part, name)
        if numbers.shape != np.shape(result):
            raise ValueError(
                f"{name}: expected shape {np.shape(result)}, that of the result of {task.name}, "
                f"got {numbers.shape}"
            )
        wide.append(numbers)
    return tuple(wide)
