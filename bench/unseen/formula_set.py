"""Formulas of a public benchmark set, chosen and given inputs by a rule.

The set is `bench/` of Herbie (https://github.com/herbie-fp/herbie, MIT), at one commit. It is not
kept here: `load` reads it from a local copy, or fetches it with git.

The rule
- Files in the order of their sorted paths, FPCores in the order of their appearance.
- Left out, and counted by reason: formulas without a plain NumPy form (tensors, operators that
  NumPy lacks), those that are constant, formulas with the body of an earlier one, and those whose
  precondition too few halves satisfy.
- Of what remains, each with index % 3 == 0 is held out; the others may be used in development.
- Inputs: 40 points a formula, by a generator with the formula's name as seed. An argument without
  bounds in ``:pre`` is drawn, per point: with even odds uniformly from [-10, 10], or with a random
  sign and a magnitude whose logarithm is uniform over half's normal range. With bounds: with even
  odds uniformly between them, or with a magnitude whose logarithm is uniform over what they allow;
  one in ten is a bound. A point is drawn anew, up to 400 times, until ``:pre`` holds exactly.
- Boxes: six a formula. The first is the domain, the bounds of ``:pre`` or [-10, 10]. Two are a part
  of it, of 1 to 2^-11 per variable. Three lie around a point drawn as above, from x - |x| / 2^k to
  x + |x| / 2^k within the domain, for k from 0 to 8.
"""

import linecache
import math
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import fpcore
import numpy as np
import sources

URL = "https://github.com/herbie-fp/herbie.git"
COMMIT = "1863fcf4fb1e1e103f89e16926d4a9dabbba6366"
FOLDER = "bench"
LICENCE = "MIT"

POINTS, TRIES, BOXES = 40, 400, 6
LARGEST, SMALLEST = 65504.0, 2.0**-14
WIDE = 10.0

sys.setrecursionlimit(20_000)  # for deep formulas


@dataclass
class Formula:
    """A formula with its inputs: a NumPy function, and its truth in MPFR.

    scalar: whether the function takes scalars alone, since it has a loop.
    """

    name: str
    core: fpcore.Core
    source: str
    scalar: bool
    points: np.ndarray = field(repr=False)  # float16, of shape (arguments, POINTS)

    @cached_property
    def function(self):
        """The NumPy function."""
        return compile_source(self.name, self.source)

    @cached_property
    def truths(self):
        """The exact results as doubles, and which of them are known."""
        results, known = (
            np.full(self.points.shape[1], math.nan),
            np.ones(self.points.shape[1], bool),
        )
        for k, point in enumerate(self.points.T):
            try:
                results[k] = fpcore.truth(self.core, point)
            except fpcore.Unknown:
                known[k] = False
        return results, known

    @cached_property
    def domain(self):
        """The bounds of each argument, as halves: those of the precondition, else [-10, 10]."""
        return [(-WIDE, WIDE) if math.isinf(low) and math.isinf(high) else inward(low, high)
                for low, high in fpcore.bounds(self.core)]  # fmt: skip

    def boxes(self):
        """Return the bounds of the boxes: two float16 arrays of shape (arguments, BOXES)."""
        rng = np.random.default_rng(zlib.crc32(f"boxes of {self.name}".encode()))
        pairs = []
        for (low, high), x in zip(self.domain, self.points, strict=True):
            size = (high - low) * 2.0 ** -rng.integers(0, 12, 2)
            start = low + (high - low - size) * rng.uniform(0, 1, 2)
            centre = x[rng.integers(0, x.size, 3)].astype(float)
            radius = np.abs(centre) * 2.0 ** -rng.integers(0, 9, 3)
            least, most = inward(*widest(low, high, self, len(pairs)))
            first = np.array([low, *start, *np.clip(centre - radius, least, most)])
            last = np.array([high, *(start + size), *np.clip(centre + radius, least, most)])
            first, last = first.astype(np.float16), last.astype(np.float16)
            pairs.append((first, np.maximum(first, last)))
        low, high = zip(*pairs, strict=True)
        return np.stack(low), np.stack(high)


def widest(low, high, formula, k):
    """Return the bounds of an argument by its precondition."""
    return fpcore.bounds(formula.core)[k]


def compile_source(name, source):
    """Return the function of a source text; its lines are known to tracebacks."""
    file = f"<formula {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {"np": np, "math": math, "__name__": "unseen_formula"}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def inward(low, high):
    """Return the least and the largest finite half within bounds, as floats."""
    low, high = max(low, -LARGEST), min(high, LARGEST)
    a, b = np.float16(low), np.float16(high)
    a = np.nextafter(a, np.float16(np.inf)) if a < low else a
    b = np.nextafter(b, np.float16(-np.inf)) if b > high else b
    return float(a), float(b)


# ---------------------------------------------------------------- inputs


def draw_argument(rng, low, high):
    """Return a number between bounds, infinite ones included."""
    if math.isinf(low) and math.isinf(high):
        if rng.random() < 0.5:
            return rng.uniform(-WIDE, WIDE)
        return rng.choice([-1, 1]) * draw_magnitude(rng, SMALLEST, LARGEST)
    low, high = max(low, -LARGEST), min(high, LARGEST)
    kind = rng.random()
    if kind < 0.1:
        return low if kind < 0.05 else high
    if kind < 0.55:
        return rng.uniform(low, high)
    side = rng.choice([-1, 1]) if low < 0 < high else (1 if high > 0 else -1)
    near, far = (low, high) if side > 0 else (-high, -low)
    return side * draw_magnitude(rng, max(near, min(SMALLEST, far / 2)), far)


def draw_magnitude(rng, least, most):
    return math.exp(rng.uniform(math.log(least), math.log(most))) if 0 < least < most else most


def draw_points(core, name):
    """Return float16 points of shape (arguments, POINTS); None if too few satisfy `:pre`."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    ranges = fpcore.bounds(core)
    if any(min(high, LARGEST) < max(low, -LARGEST) for low, high in ranges):
        return None
    points = []
    while len(points) < POINTS:
        for _ in range(TRIES):
            point = np.array([draw_argument(rng, *bounds) for bounds in ranges], np.float16)
            if np.isfinite(point).all() and fpcore.holds(core, point):
                points.append(point)
                break
        else:
            return None
    return np.stack(points, axis=1)


# ---------------------------------------------------------------- the set


def all_formulas(snapshot):
    """Return the formulas of the set, and {reason: how many are left out}."""
    formulas, left_out, seen = [], {}, set()

    def leave_out(reason):
        left_out[reason] = left_out.get(reason, 0) + 1

    for path in snapshot.names(FOLDER):
        if not path.endswith(".fpcore"):
            continue
        for k, core in enumerate(fpcore.read(snapshot.text(path))):
            name = f"{path.removeprefix(FOLDER + '/').removesuffix('.fpcore')} {k}: {core.title}"
            try:
                formula = make_formula(name, core, seen)
            except fpcore.NotExpressible as error:
                leave_out(str(error))
            else:
                formulas.append(formula)
    return formulas, left_out


def make_formula(name, core, seen):
    """Return a formula; raise NotExpressible if it is left out."""
    source, scalar = fpcore.numpy_source(core)
    if core.key in seen:
        raise fpcore.NotExpressible("the body of an earlier formula")
    points = draw_points(core, name)
    if points is None:
        raise fpcore.NotExpressible("too few halves satisfy the precondition")
    if not points.size:
        raise fpcore.NotExpressible("no arguments")
    seen.add(core.key)
    return Formula(name, core, source, scalar, points)


def snapshot(folder=None):
    """Return the set's files: of a local copy, or fetched to the system's temporary folder."""
    if folder is None:
        folder = Path(tempfile.gettempdir()) / f"herbie-{COMMIT[:12]}"
        sources.clone(URL, COMMIT, folder)
    return sources.Snapshot(folder, COMMIT)


def load(folder=None, held_out=False):
    """Return the formulas for development, or those held out, and what was left out."""
    formulas, left_out = all_formulas(snapshot(folder))
    return [f for k, f in enumerate(formulas) if (k % 3 == 0) == held_out], left_out
