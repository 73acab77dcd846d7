"""Inputs of the audit: all halves for one argument; hard cases and samples for more.

Hard cases are found by bisection with halfcl's own results: the second argument at which the result
crosses a rounding boundary of half. The hardest of all pairs are listed in hard_pairs.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from halfcl._tables.row import Builtin
from halfcl.audit._results.exact import right
from halfcl.audit._results.mistakes import Array, bits

Columns = tuple[Array, ...]

#: First arguments per chunk of all pairs, each with all 65,536 second ones.
_FIRST_IN_CHUNK = 256

_ALL = np.arange(1 << 16, dtype=np.uint16)
_INFINITY = 0x7C00

#: Zeros, least and greatest numbers of each kind, neighbours of 1, infinities, NaNs.
_SPECIAL = np.array(
    [0x0000, 0x0001, 0x0002, 0x03FF, 0x0400, 0x0401, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x4000,
     0x4200, 0x7BFE, 0x7BFF, 0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0x7FFF], np.uint16,
)  # fmt: skip
SPECIAL = np.concatenate([_SPECIAL, _SPECIAL | 0x8000]).view(np.float16)

_SPECIAL_INTEGERS = np.array(
    [*range(-30, 31), *(s * (2**k + d) for k in range(5, 31) for d in (-1, 0, 1) for s in (1, -1)),
     2**31 - 1, -(2**31)], np.int32,
)  # fmt: skip

#: The least number, the least normal one, one, the greatest, and infinity.
_EDGES = np.array([2.0**-24, 2.0**-14, 1, 65504, np.inf], np.float16)


def chunks(row: Builtin, full: bool, seed: int) -> Iterator[Columns]:
    """Yield the arguments of a function: contiguous arrays, a chunk at a time."""
    rng = np.random.default_rng([seed, *row.name.encode()])
    if row.nin == 1:
        yield (all_values(row.inputs),)
    elif full and row.inputs == "ee":
        yield from all_pairs()
    else:
        yield _unique_rows(_SAMPLES[row.inputs](row, rng))


def is_exhaustive(row: Builtin, full: bool) -> bool:
    """Return whether the arguments are all that exist."""
    return row.nin == 1 or (full and row.inputs == "ee")


def count(row: Builtin, full: bool) -> int:
    """Return the number of chunks."""
    return (1 << 16) // _FIRST_IN_CHUNK if row.nin > 1 and is_exhaustive(row, full) else 1


def all_values(letter: str) -> Array:
    """Return all values of a type of 8 or 16 bits; special ones of wider integers."""
    if letter == "e":
        return _ALL.view(np.float16)
    if letter in "bhBH":
        kind = np.dtype(letter)
        return np.arange(1 << 8 * kind.itemsize).astype(f"u{kind.itemsize}").view(kind)
    return _SPECIAL_INTEGERS


def all_pairs() -> Iterator[Columns]:
    """Yield all 2^32 pairs of halves."""
    second = np.tile(_ALL, _FIRST_IN_CHUNK).view(np.float16)
    for start in range(0, 1 << 16, _FIRST_IN_CHUNK):
        first = np.repeat(_ALL[start : start + _FIRST_IN_CHUNK], 1 << 16)
        yield first.view(np.float16), second.copy()


# ---------------------------------------------------------------- samples


def _pairs(row: Builtin, rng: np.random.Generator) -> Columns:
    """Return more than a million pairs."""
    return _join(
        _grid(rng),
        _everything(SPECIAL, SPECIAL),
        _alike(rng, 1 << 16),
        (_short(rng, 1 << 16), _short(rng, 1 << 16)),
        (_near_one(rng, 1 << 15), _finite(rng, 1 << 15)),
        (_finite(rng, 1 << 17), _power_of_two(rng, 1 << 17)),
        _roots(rng, 1 << 15),
        _legs(rng, 1 << 15),
        *(_at_crossings(row, (_finite(rng, 1 << 15),), rng, place) for place in (0, 1)),
        *_hardest(row),
    )


def _with_integers(row: Builtin, rng: np.random.Generator) -> Columns:
    n = 1 << 19
    return _join(
        (_finite(rng, n), rng.integers(-45, 46, n, np.int32)),
        (_near_one(rng, n), rng.integers(-(2**14), 2**14, n, np.int32)),
        (_short(rng, n), rng.integers(-16, 17, n, np.int32)),
        _everything(SPECIAL, _SPECIAL_INTEGERS),
        _powers(rng, 1 << 15),
        _at_crossings(row, (rng.integers(-40, 41, 1 << 16, np.int32),), rng, 0),
        *_hardest(row),
    )


def _triples(row: Builtin, rng: np.random.Generator) -> Columns:
    n = 1 << 18
    return _join(
        tuple(_finite(rng, n) for _ in "abc"),
        tuple(_short(rng, n) for _ in "abc"),
        (*_alike(rng, n), _unit(rng, n)),
        (_finite(rng, n), _finite(rng, n), _unit(rng, n)),
        _everything(SPECIAL, SPECIAL, SPECIAL),
        *(_at_crossings(row, (_finite(rng, 1 << 16), _unit(rng, 1 << 16)), rng, place)
          for place in (0, 2)),
        _at_crossings(row, (_finite(rng, 1 << 16), _finite(rng, 1 << 16)), rng, 2),
    )  # fmt: skip


#: Functions that draw samples, by the types of the arguments.
_SAMPLES: dict[str, Callable[[Builtin, np.random.Generator], Columns]] = {
    "ee": _pairs,
    "ei": _with_integers,
    "eee": _triples,
}


def _join(*samples: Columns) -> Columns:
    return tuple(np.concatenate(column) for column in zip(*samples, strict=True))


def _unique_rows(columns: Columns) -> Columns:
    """Return each combination of arguments once; it fits into 64 bits."""
    packed = np.zeros(columns[0].size, np.uint64)
    for column in columns:
        packed = packed << np.uint64(8 * column.itemsize) | bits(column)
    packed, unpacked = unique(packed), []
    for column in reversed(columns):
        unpacked.append(packed.astype(f"u{column.itemsize}").view(column.dtype))
        packed = packed >> np.uint64(8 * column.itemsize)
    return tuple(reversed(unpacked))


def unique(words: Array) -> Array:
    """Return unsigned integers, each once; np.unique would hash them, 100 times as slow."""
    ordered = np.sort(words)
    first: Array = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return first


def _everything(*values: Array) -> Columns:
    """Return every combination of values."""
    return tuple(grid.ravel() for grid in np.meshgrid(*values))


def _with_signs(words: NDArray[np.uint16], rng: np.random.Generator) -> NDArray[np.float16]:
    """Return halves of these bits with random signs."""
    signs = rng.integers(0, 2, np.shape(words), np.uint16) << np.uint16(15)
    return (np.asarray(words, np.uint16) | signs).view(np.float16)


def _finite(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Return finite halves of any sign, exponent and significand."""
    return _with_signs(rng.integers(0, _INFINITY, n, np.uint16), rng)


def _unit(rng: np.random.Generator, n: int) -> Array:
    """Return numbers from 0 to 1, of any exponent."""
    return rng.integers(0, 0x3C01, n, np.uint16).view(np.float16)


def _near_one(rng: np.random.Generator, n: int) -> Array:
    return (0x3C00 + rng.integers(-256, 257, n)).astype(np.uint16).view(np.float16)


def _short(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Return halves of at most four significant bits, whose results are often exact or ties."""
    numbers = rng.integers(0, 16, n) * np.ldexp(1.0, rng.integers(-24, 13, n))
    return _with_signs(numbers.astype(np.float16).view(np.uint16), rng)


def _power_of_two(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Return powers of two: quotients by them are halves or, small ones, midpoints."""
    return _with_signs(
        np.ldexp(1.0, rng.integers(-24, 16, n)).astype(np.float16).view(np.uint16), rng
    )


def _powers(rng: np.random.Generator, n: int) -> Columns:
    """Return powers of integers, scaled by powers of 2, and exponents: their roots are exact."""
    exponent = rng.integers(1, 9, n)
    base = rng.integers(1, np.floor(4096 ** (1 / exponent)) + 1).astype(np.float64)
    with np.errstate(over="ignore"):
        power = np.ldexp(base**exponent, exponent * rng.integers(-6, 4, n)).astype(np.float16)
    return _with_signs(power.view(np.uint16), rng), exponent.astype(np.int32)


def _roots(rng: np.random.Generator, n: int) -> Columns:
    """Return such powers, and fractions with their exponents as denominators, rounded to half.

    Results have few bits.
    """
    power, exponent = _powers(rng, n)
    return power, (rng.integers(-6, 7, n) / exponent).astype(np.float16)


def _legs(rng: np.random.Generator, n: int) -> Columns:
    """Return legs of right triangles with integer sides, scaled by a power of 2."""
    one, other = rng.integers(0, 32, (2, n))
    scale = np.ldexp(rng.integers(1, 4, n) + 0.0, rng.integers(-24, 6, n))
    legs = np.abs(one**2 - other**2) * scale, 2 * one * other * scale
    with np.errstate(over="ignore"):
        return tuple(_with_signs(leg.astype(np.float16).view(np.uint16), rng) for leg in legs)


def _alike(rng: np.random.Generator, n: int) -> Columns:
    """Return pairs of equal or almost equal magnitudes, of any signs."""
    first = rng.integers(4, _INFINITY - 4, n, np.uint16)
    second = (first + rng.integers(-3, 4, n)).astype(np.uint16)
    return _with_signs(first, rng), _with_signs(second, rng)


def _grid(rng: np.random.Generator) -> Columns:
    """Return every pair of signs and exponents, each with 16 by 16 significands."""
    heads = np.arange(64, dtype=np.uint16) << 10

    def significands() -> NDArray[np.uint16]:
        words = rng.integers(0, 1 << 10, (64, 64, 16), np.uint16)
        words[..., :4] = [0, 1, 0x200, 0x3FF]
        return words

    first = heads[:, None, None] | significands()
    second = heads[None, :, None] | significands()
    pairs = np.broadcast_arrays(first[..., :, None], second[..., None, :])
    return tuple(np.ascontiguousarray(x).ravel().view(np.float16) for x in pairs)


# ---------------------------------------------------------------- hard cases


@cache
def hardest() -> dict[str, tuple[Array, Array]]:
    """Return {function: operands} whose results are closest to rounding boundaries, of all pairs.

    The first operands are bits of halves; the second ones, too, or integers.
    """
    pairs_by_name: dict[str, list[tuple[int, int]]] = {}
    for line in (files("halfcl.audit") / "hard_pairs.txt").read_text("ascii").splitlines():
        if not line.startswith("#"):
            name, x, y, _ = line.split()
            pairs_by_name.setdefault(name, []).append((int(x, 0), int(y, 0)))
    return {name: _operands(pairs) for name, pairs in pairs_by_name.items()}


def _operands(pairs: list[tuple[int, int]]) -> tuple[Array, Array]:
    first, second = zip(*pairs, strict=True)
    return np.array(first, np.uint16), np.array(second, np.int32)


def _hardest(row: Builtin) -> Iterator[Columns]:
    if row.name in hardest():
        first, second = hardest()[row.name]
        halves = row.inputs == "ee"
        yield (
            first.view(np.float16),
            second.astype(np.uint16).view(np.float16) if halves else second,
        )


def _from_order(places: NDArray[np.int32]) -> Array:
    """Return halves by their position in order: 0 is both zeros, -31744 is -inf."""
    size = np.abs(places).astype(np.uint16)
    return np.where(places < 0, size | 0x8000, size).astype(np.uint16).view(np.float16)


def _at_crossings(
    row: Builtin, others: Sequence[Array], rng: np.random.Generator, place: int
) -> Columns:
    """Return arguments on both sides of where the result crosses a midpoint between halves.

    The argument at a place is found by bisection, the others are fixed. Half of the midpoints are
    next to a result: if that hardly depends on the argument, it comes very close to them.
    """
    n = others[0].size

    def arguments(places: NDArray[np.int32]) -> Columns:
        columns = list(others)
        columns.insert(place, _from_order(places))
        return tuple(columns)

    low, high = rng.integers(-_INFINITY + 1, _INFINITY, (2, n), np.int32)
    near = right(row.name, arguments(low))[0]
    targets = np.where(np.arange(n) % 2 == 0, _targets(rng, n), _next_larger(near))

    def is_above(places: NDArray[np.int32]) -> NDArray[np.bool_]:
        above: NDArray[np.bool_] = right(row.name, arguments(places))[0] >= targets
        return above

    lower = is_above(low)
    for _ in range(17):
        middle = (low + high) // 2
        same = is_above(middle) == lower
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return _join(arguments(low), arguments(high))


def _next_larger(results: Array) -> NDArray[np.float16]:
    """Return the halves above results: rounding reaches them from the midpoints on."""
    with np.errstate(all="ignore"):
        return np.nextafter(results, np.float16(np.inf))


def _targets(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Return halves of both signs; every fourth one is where results change their kind.

    A result rounded to nearest reaches them from the midpoint below on.
    """
    half = rng.integers(0, _INFINITY, n, np.uint16).view(np.float16)
    targets = np.where(np.arange(n) // 2 % 4 == 0, rng.choice(_EDGES, n), half)
    signs = rng.choice(np.array([-1, 1], np.float16), n)
    signed: NDArray[np.float16] = np.copysign(targets, signs)
    return signed
