"""What functions are tested on: every input of one half, and of more the hardest beside samples.

Hard cases are found: the second argument for which the result crosses a number where half rounds
comes out of a bisection with halfcl's own results. The hardest of all pairs are listed in
hard_pairs.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from halfcl._tables.row import Builtin
from halfcl.audit._exact import right
from halfcl.audit._mistakes import Array, bits

Columns = tuple[Array, ...]

#: A chunk of all pairs: first arguments of this many halves, each with all 65,536.
_FIRST_IN_CHUNK = 256

_ALL = np.arange(1 << 16, dtype=np.uint16)
_INFINITY = 0x7C00

#: Zeros, least and greatest numbers of each kind, what is next to 1, infinities, NaNs.
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
    """The arguments of a function: contiguous arrays, as many together as are tested at a time."""
    rng = np.random.default_rng([seed, *row.name.encode()])
    if row.nin == 1:
        yield (every(row.inputs),)
    elif full and row.inputs == "ee":
        yield from all_pairs()
    else:
        yield _once(_SAMPLES[row.inputs](row, rng))


def is_exhaustive(row: Builtin, full: bool) -> bool:
    """Whether the arguments are all there are."""
    return row.nin == 1 or (full and row.inputs == "ee")


def count(row: Builtin, full: bool) -> int:
    """How many chunks there are."""
    return (1 << 16) // _FIRST_IN_CHUNK if row.nin > 1 and is_exhaustive(row, full) else 1


def every(letter: str) -> Array:
    """All there is of a type of 8 or 16 bits; of wider integers what is special."""
    if letter == "e":
        return _ALL.view(np.float16)
    if letter in "bhBH":
        kind = np.dtype(letter)
        return np.arange(1 << 8 * kind.itemsize).astype(f"u{kind.itemsize}").view(kind)
    return _SPECIAL_INTEGERS


def all_pairs() -> Iterator[Columns]:
    """All 2^32 pairs of halves."""
    second = np.tile(_ALL, _FIRST_IN_CHUNK).view(np.float16)
    for start in range(0, 1 << 16, _FIRST_IN_CHUNK):
        first = np.repeat(_ALL[start : start + _FIRST_IN_CHUNK], 1 << 16)
        yield first.view(np.float16), second.copy()


# ---------------------------------------------------------------- samples


def _pairs(row: Builtin, rng: np.random.Generator) -> Columns:
    """More than a million."""
    return _joined(
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
    return _joined(
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
    return _joined(
        tuple(_finite(rng, n) for _ in "abc"),
        tuple(_short(rng, n) for _ in "abc"),
        (*_alike(rng, n), _unit(rng, n)),
        (_finite(rng, n), _finite(rng, n), _unit(rng, n)),
        _everything(SPECIAL, SPECIAL, SPECIAL),
        *(_at_crossings(row, (_finite(rng, 1 << 16), _unit(rng, 1 << 16)), rng, place)
          for place in (0, 2)),
        _at_crossings(row, (_finite(rng, 1 << 16), _finite(rng, 1 << 16)), rng, 2),
    )  # fmt: skip


#: By the types of the arguments.
_SAMPLES: dict[str, Callable[[Builtin, np.random.Generator], Columns]] = {
    "ee": _pairs,
    "ei": _with_integers,
    "eee": _triples,
}


def _joined(*samples: Columns) -> Columns:
    return tuple(np.concatenate(column) for column in zip(*samples, strict=True))


def _once(columns: Columns) -> Columns:
    """Each combination once: they fit into 64 bits together."""
    packed = np.zeros(columns[0].size, np.uint64)
    for column in columns:
        packed = packed << np.uint64(8 * column.itemsize) | bits(column)
    packed, unpacked = different(packed), []
    for column in reversed(columns):
        unpacked.append(packed.astype(f"u{column.itemsize}").view(column.dtype))
        packed = packed >> np.uint64(8 * column.itemsize)
    return tuple(reversed(unpacked))


def different(words: Array) -> Array:
    """Unsigned integers, each once. np.unique would hash them, which takes 100 times as long."""
    ordered = np.sort(words)
    first: Array = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return first


def _everything(*values: Array) -> Columns:
    """Every combination."""
    return tuple(grid.ravel() for grid in np.meshgrid(*values))


def _signed(words: NDArray[np.uint16], rng: np.random.Generator) -> NDArray[np.float16]:
    signs = rng.integers(0, 2, np.shape(words), np.uint16) << np.uint16(15)
    return (np.asarray(words, np.uint16) | signs).view(np.float16)


def _finite(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Of any sign, exponent and significand."""
    return _signed(rng.integers(0, _INFINITY, n, np.uint16), rng)


def _unit(rng: np.random.Generator, n: int) -> Array:
    """From 0 to 1, of any exponent."""
    return rng.integers(0, 0x3C01, n, np.uint16).view(np.float16)


def _near_one(rng: np.random.Generator, n: int) -> Array:
    return (0x3C00 + rng.integers(-256, 257, n)).astype(np.uint16).view(np.float16)


def _short(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Of four significant bits at most: what they give is often exact, or a tie."""
    numbers = rng.integers(0, 16, n) * np.ldexp(1.0, rng.integers(-24, 13, n))
    return _signed(numbers.astype(np.float16).view(np.uint16), rng)


def _power_of_two(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Quotients by them have as few bits: they are halves or, small ones, halfway between."""
    return _signed(np.ldexp(1.0, rng.integers(-24, 16, n)).astype(np.float16).view(np.uint16), rng)


def _powers(rng: np.random.Generator, n: int) -> Columns:
    """Powers of integers, scaled by those of 2, and their exponents: roots of them are exact."""
    exponent = rng.integers(1, 9, n)
    base = rng.integers(1, np.floor(4096 ** (1 / exponent)) + 1).astype(np.float64)
    with np.errstate(over="ignore"):
        power = np.ldexp(base**exponent, exponent * rng.integers(-6, 4, n)).astype(np.float16)
    return _signed(power.view(np.uint16), rng), exponent.astype(np.int32)


def _roots(rng: np.random.Generator, n: int) -> Columns:
    """Such powers, with fractions whose denominators are their exponents, as far as half has them:
    results have few bits."""
    power, exponent = _powers(rng, n)
    return power, (rng.integers(-6, 7, n) / exponent).astype(np.float16)


def _legs(rng: np.random.Generator, n: int) -> Columns:
    """Of right triangles with integers for sides, scaled by a power of 2."""
    one, other = rng.integers(0, 32, (2, n))
    scale = np.ldexp(rng.integers(1, 4, n) + 0.0, rng.integers(-24, 6, n))
    legs = np.abs(one**2 - other**2) * scale, 2 * one * other * scale
    with np.errstate(over="ignore"):
        return tuple(_signed(leg.astype(np.float16).view(np.uint16), rng) for leg in legs)


def _alike(rng: np.random.Generator, n: int) -> Columns:
    """Magnitudes that are equal or a few units apart, of any signs."""
    first = rng.integers(4, _INFINITY - 4, n, np.uint16)
    second = (first + rng.integers(-3, 4, n)).astype(np.uint16)
    return _signed(first, rng), _signed(second, rng)


def _grid(rng: np.random.Generator) -> Columns:
    """Every pair of signs and exponents, each with 16 by 16 significands, ends among them."""
    heads = np.arange(64, dtype=np.uint16) << 10

    def significands() -> NDArray[np.uint16]:
        found = rng.integers(0, 1 << 10, (64, 64, 16), np.uint16)
        found[..., :4] = [0, 1, 0x200, 0x3FF]
        return found

    first = heads[:, None, None] | significands()
    second = heads[None, :, None] | significands()
    pairs = np.broadcast_arrays(first[..., :, None], second[..., None, :])
    return tuple(np.ascontiguousarray(x).ravel().view(np.float16) for x in pairs)


# ---------------------------------------------------------------- hard cases


@cache
def hardest() -> dict[str, tuple[Array, Array]]:
    """{function: operands} whose results are closest to where half rounds, of all there are.

    The first are bits of halves; the second, too, or integers.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for line in (files("halfcl.audit") / "hard_pairs.txt").read_text("ascii").splitlines():
        if not line.startswith("#"):
            name, x, y, _ = line.split()
            found.setdefault(name, []).append((int(x, 0), int(y, 0)))
    return {name: _operands(pairs) for name, pairs in found.items()}


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


def _ordered(places: NDArray[np.int32]) -> Array:
    """Halves by their place among all: 0 is both zeros, -31744 -inf."""
    size = np.abs(places).astype(np.uint16)
    return np.where(places < 0, size | 0x8000, size).astype(np.uint16).view(np.float16)


def _at_crossings(
    row: Builtin, others: Sequence[Array], rng: np.random.Generator, place: int
) -> Columns:
    """Arguments on both sides of where the result crosses a number halfway between two halves.

    The argument at a place is sought by bisection, the others are given. Half of the numbers are
    next to a result: where that hardly depends on the argument, it comes very close to them.
    """
    n = others[0].size

    def arguments(places: NDArray[np.int32]) -> Columns:
        found = list(others)
        found.insert(place, _ordered(places))
        return tuple(found)

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
    return _joined(arguments(low), arguments(high))


def _next_larger(results: Array) -> NDArray[np.float16]:
    """Above results: these are reached halfway to them."""
    with np.errstate(all="ignore"):
        return np.nextafter(results, np.float16(np.inf))


def _targets(rng: np.random.Generator, n: int) -> NDArray[np.float16]:
    """Halves of both signs, for every fourth one at which results change their kind.

    A result reaches them, rounded to nearest, halfway from the half before.
    """
    half = rng.integers(0, _INFINITY, n, np.uint16).view(np.float16)
    targets = np.where(np.arange(n) // 2 % 4 == 0, rng.choice(_EDGES, n), half)
    signs = rng.choice(np.array([-1, 1], np.float16), n)
    signed: NDArray[np.float16] = np.copysign(targets, signs)
    return signed
