"""Running a function again and again, each time rounded in another way."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._core import HALF_DTYPE, Experiment, are_new_halves, half
from halfcl.stability._sites import Finder, Place, Placed, Site, describe, find_site
from halfcl.stability._truths import Truths, parted

#: What a run gives: its results, each a half array or scalar, or a wider one.
Result: TypeAlias = NDArray[Any] | np.generic
Results: TypeAlias = tuple[Result, ...]

#: With no more elements than these, anywhere, code is always run twice in the same mode; with more
#: if its results look odd.
_ALWAYS_REPEATED = 4096


@dataclass(frozen=True)
class Leaving(Placed):
    """A step that turned half into another type, which no rounding mode of halfcl governs.

    Attributes
    ----------
    place : Place
        Where: ``.place.file``, ``.place.line``, ``.place.source``.
    dtype : str
        What half turned into.
    """

    place: Place
    dtype: str

    def __str__(self) -> str:
        return f"not governed by any mode: half becomes {self.dtype} at {self.place}"


@dataclass(frozen=True)
class Parting(Placed):
    """A comparison that some runs decide otherwise than the one to nearest.

    Attributes
    ----------
    place : Place
        Where: ``.place.file``, ``.place.line``, ``.place.source``.
    elements, of : int
        How many elements of how many go another way; of a comparison that is made many times,
        those of all times.
    runs : tuple of str
        The runs that they do it in: modes, "operations 1", "random 1", and "exact", which is the
        shadow.
    """

    place: Place
    elements: int
    of: int
    runs: tuple[str, ...]

    def __str__(self) -> str:
        how_many = f"{self.elements} of {self.of}" if self.of > 1 else "a"
        verb = "comparisons go" if self.of > 1 else "comparison goes"
        return f"{how_many} {verb} another way at {self.place} ({', '.join(self.runs)})"


def _as_half(argument: object) -> object:
    """An argument as it is handed over: float16 as half, arrays read-only."""
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


def _copied(argument: object) -> object:
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _governed(result: object) -> object:
    """float16 as half where regions govern it: while NumPy is accelerated."""
    is_float16 = isinstance(result, np.ndarray | np.float16) and result.dtype.type is np.float16
    return _as_half(result) if is_float16 and hc.accelerated_ufuncs() else result


def is_half(thing: object) -> TypeGuard[NDArray[Any] | half]:
    """Whether it is a half array or scalar."""
    return thing.dtype.type is half if isinstance(thing, np.ndarray) else isinstance(thing, half)


class Task:
    """A function with its arguments, run in regions that round in various ways."""

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
        self.copies = copies  # of arguments and results: needed where the function writes
        self.several = False  # whether it returns several results
        self._left: dict[Site, str] = {}

    def note_leaving(self, dtype: str) -> None:
        """What an Experiment calls where half turns into another type."""
        if dtype != "float16" or not hc.accelerated_ufuncs():  # else regions govern it, too
            self._left.setdefault(find_site(sys._getframe(1), RUNNER), dtype)

    def truths(self) -> Truths[Site]:
        """What notes the comparisons of one run."""
        return Truths(Finder(RUNNER))

    def partings(
        self, runs: Sequence[tuple[str, Truths[Site]]], of_shadows: Mapping[Site, Sequence[int]]
    ) -> tuple[Parting, ...]:
        """Where runs, or shadows, decide otherwise than the first run, in the order of lines."""
        noted = [(name, truths.found) for name, truths in runs]
        found = {one.place: (one.elements, one.of, one.runs) for one in parted(noted)}
        for site, (elements, of) in of_shadows.items():
            most, all_of_it, names = found.get(site, (0, 0, ()))
            found[site] = max(most, elements), max(all_of_it, of), (*names, "exact")
        return tuple(Parting(describe(site, self.name), *what) for site, what in found.items())

    @property
    def left(self) -> tuple[Leaving, ...]:
        """The steps that left half, as they came."""
        found = [Leaving(describe(site, self.name), dtype) for site, dtype in self._left.items()]
        return tuple(found)

    def run(self, region: Experiment) -> Results:
        """The results of one run."""
        return self.run_all([region])[0]

    def run_all(self, regions: Sequence[Experiment]) -> list[Results]:
        """The results of a run in each region, all of the same shapes."""
        try:
            values = _call(self, regions)
        except ValueError as error:
            if self.copies or "read-only" not in str(error):
                raise
            self.copies = True
            values = _call(self, regions)
        if are_new_halves(values):  # the rule: nothing more is to be looked at
            return [(value,) for value in values]
        if _are_new_tuples(values):
            self.several = True
            return values
        if not self.copies and any(_share_memory(a, b) for a, b in combinations(values, 2)):
            # It writes where it has written before, or gives back what it was given.
            self.copies = True
            values = _call(self, regions)
        self.several = isinstance(values[0], tuple | list)
        runs = [(v,) if is_half(v) else self._checked(v) for v in values]
        for other in runs[1:]:
            self.check_shapes(runs[0], other)
        return runs

    def _checked(self, value: object) -> Results:
        """What the function returned, if it is what it should be."""
        several = value if isinstance(value, tuple | list) else (value,)
        results: tuple[Any, ...] = tuple(map(_governed, several))
        if not results:
            raise TypeError(f"f: {self.name} returned no results: expected half arrays")
        for result in results:
            if not is_half(result):
                self._check(result)
        return results

    def _check(self, result: object) -> None:
        expected = f"f: {self.name}: expected half arrays or scalars, or a tuple of them"
        if not isinstance(result, np.ndarray | np.generic):
            raise TypeError(
                f"{expected}, got {type(result).__name__}; halfcl.half(x) makes an argument half"
            )
        if result.dtype.kind != "f":
            raise TypeError(f"{expected}, got {result.dtype}")
        if self._left:  # which the report tells
            return
        if result.dtype.type is np.float16:
            raise TypeError(
                f"{expected}, got float16, whose operators are NumPy's and follow no mode; "
                "x.view(halfcl.half) is the same as half, and halfcl.accelerate() lets modes "
                "govern float16"
            )
        raise TypeError(
            f"{expected}, got {result.dtype}, and no step that made it of half; "
            "halfcl.convert(x, half) makes arguments and results half"
        )

    def check_shapes(self, one: Results, other: Results) -> None:
        """ValueError unless both have results of the same shapes."""
        shapes = [tuple(np.shape(result) for result in results) for results in (one, other)]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"f: {self.name}: expected results of the same shapes in every rounding, "
                f"got {shapes[0]} and {shapes[1]}"
            )

    def check_repeats(self, results: Results, mode: str = "rte") -> None:
        """ValueError unless another run in the mode gives the same."""
        again = self.run(Experiment(mode))
        self.check_shapes(results, again)
        if not all(map(_same_bits, results, again)):
            raise ValueError(
                f"f: {self.name}: two runs in the same rounding mode give different results: it "
                "draws random numbers, or keeps something from call to call; hand it its random "
                "numbers as an argument"
            )

    def check_rerun(self, runs: Sequence[Results]) -> None:
        """check_repeats; but of many elements only where most look as if they were random."""
        sizes = [x.size for x in (*self.args, *runs[0]) if isinstance(x, np.ndarray)]
        if max(sizes, default=0) <= _ALWAYS_REPEATED or any(
            _look_random(results) for results in zip(*runs, strict=True)
        ):
            self.check_repeats(runs[0])


def _call(task: Task, regions: Sequence[Experiment]) -> list[Any]:
    """What the function returns in each region. Its own frames are those inside this one."""
    function, args, copies = task.function, task.args, task.copies
    values = []
    for region in regions:
        if copies:
            args = tuple(map(_copied, task.args))
        value = region.call(function, args)
        values.append(_kept(value) if copies else value)
    return values


RUNNER = _call.__code__


def _kept(value: object) -> object:
    """Results that later runs do not change."""
    if isinstance(value, tuple | list):
        return tuple(map(_kept, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def _are_new_tuples(values: Sequence[object]) -> bool:
    """`are_new_halves` of tuples: each place's are, and none is another's."""
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


def _same_bits(one: object, other: object) -> bool:
    """Whether results are the same, NaNs and signs of zero included."""
    a, b = np.asarray(one), np.asarray(other)
    if is_half(a) and is_half(b) and a.shape == b.shape:
        return np.array_equal(a.view(np.uint16), b.view(np.uint16))
    return str(a.dtype) == str(b.dtype) and a.tobytes() == b.tobytes()


def same_but_nans(one: object, other: object) -> bool:
    """Whether results are the same numbers, signs of zero included, but for which NaNs."""
    arrays = np.asarray(one), np.asarray(other)
    if arrays[0].shape != arrays[1].shape:
        return False
    if _same_bits(*arrays):
        return True
    a, b = (x.astype(np.float64) for x in arrays)
    nans = np.isnan(a) & np.isnan(b)
    return bool(np.all(nans | ((a == b) & (np.signbit(a) == np.signbit(b)))))


NOTHING_ROUNDED = "nothing was rounded in half in its thread: its runs had nothing to differ in"


def _given(task: Task) -> Iterator[object]:
    """The arguments, and what the function names."""
    yield from task.args
    if inspect.isfunction(task.function):
        named = inspect.getclosurevars(task.function)
        yield from (*named.nonlocals.values(), *named.globals.values())


def warn_of_nothing(task: Task, results: Results, callers: int = 2) -> None:
    """RuntimeWarning where results were computed, but not in half; callers: up to the user."""
    given = [np.asarray(x).ravel().astype(float) for x in _given(task) if is_half(x)]
    known = np.concatenate([*given, np.zeros(1)])
    if not all(np.isin(np.abs(np.asarray(x).astype(float)), np.abs(known)).all() for x in results):
        warnings.warn(f"f: {task.name}: {NOTHING_ROUNDED}", RuntimeWarning, stacklevel=callers + 2)


def _look_random(results: Sequence[Result]) -> bool:
    """Whether two of three elements differ as if by chance: the first, the middle and the last.

    However unstable code is, two of its four results are often the same, since toward zero is
    down or up, and since what cancels has few bits left. Random numbers hardly ever are.
    """
    last = results[0].size - 1
    if last < 0:
        return False

    values: Sequence[Any] = results  # of any shape: an element by its number
    odd = 0
    for k in (0, last, last // 2):
        odd += len({value.item(k) for value in values}) == len(results)
        if not odd and k == last:
            return False
    return odd > 1
