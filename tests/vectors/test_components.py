"""Tests of components by name, in all forms of OpenCL C's section on vector components."""

import itertools
import pydoc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from samples_vectors import NAMES, WIDTHS, check, is_plain, make, split

import halfcl as hc
from halfcl import _core


def spellings(width):
    """Return every name of one to four components in each notation, with its indices."""
    for letters in ("xyzw", "rgba", "0123"):
        prefixes = ("s", "S") if letters == "0123" else ("",)
        for count in range(1, 5):
            for indices in itertools.product(range(min(width, 4)), repeat=count):
                for prefix in prefixes:
                    yield prefix + "".join(letters[i] for i in indices), indices


def long_spellings(width):
    """Return some names of up to 16 components, digits in either case, with their indices."""
    rng = np.random.default_rng(width)
    for count in (2, 3, 4, 8, 16):
        for _ in range(20):
            indices = rng.integers(0, width, count)
            upper = rng.integers(0, 2, count)
            digits = [f"{i:X}" if u else f"{i:x}" for i, u in zip(indices, upper, strict=True)]
            yield rng.choice(["s", "S"]) + "".join(digits), tuple(int(i) for i in indices)
    for count, start, step in itertools.product((2, 4, 8, 16), range(16), (-3, -2, -1, 1, 2, 5)):
        indices = [start + k * step for k in range(count)]
        if all(0 <= i < width for i in indices):
            yield "s" + "".join(f"{i:x}" for i in indices), tuple(indices)


def all_spellings(width):
    """Return indices by name."""
    return dict(spellings(width)) | (dict(long_spellings(width)) if width > 4 else {})


def is_regular(indices):
    return len({b - a for a, b in itertools.pairwise(indices)} - {0}) == 1 and len(
        set(indices)
    ) == len(indices)


def check_read(vectors, name, indices):
    """Check a name on an array of vectors: values, class, and view or copy."""
    want = np.asarray(vectors)[..., list(indices)]
    got = getattr(vectors, name)
    if len(indices) == 1:
        want = want[..., 0]
        if vectors.ndim == 1:
            assert type(got) is hc.half and got == want
        else:
            check(got, want)
            assert np.shares_memory(got, vectors)
        return
    check(got, want, f"half{len(indices)}")
    assert np.shares_memory(got, vectors) == is_regular(indices), name


@pytest.mark.parametrize("width", WIDTHS)
def test_names_read_components(width):
    one, many = make(f"half{width}"), make(f"half{width}", 3)
    for name, indices in all_spellings(width).items():
        check_read(one, name, indices)
        check_read(many, name, indices)


@pytest.mark.parametrize("width", WIDTHS)
def test_names_assign_components(width):
    for name, indices in all_spellings(width).items():
        vectors = make(f"half{width}", 2)
        want = np.asarray(vectors).copy()
        new = -np.arange(1.0, 2 * len(indices) + 1).reshape(2, -1).astype(hc.half)
        if len(set(indices)) < len(indices):
            with pytest.raises(AttributeError, match="repeats"):
                setattr(vectors, name, new.view(getattr(hc, f"half{len(indices)}")))
        elif len(indices) == 1:
            setattr(vectors, name, new[:, 0])
            want[:, indices[0]] = new[:, 0]
        else:
            setattr(vectors, name, new.view(getattr(hc, f"half{len(indices)}")))
            want[:, list(indices)] = new
        check(vectors, want, f"half{width}")


HALVES = {
    2: {"lo": [0], "hi": [1], "even": [0], "odd": [1]},
    4: {"lo": [0, 1], "hi": [2, 3], "even": [0, 2], "odd": [1, 3]},
    8: {"lo": [0, 1, 2, 3], "hi": [4, 5, 6, 7], "even": [0, 2, 4, 6], "odd": [1, 3, 5, 7]},
    16: {"lo": range(8), "hi": range(8, 16), "even": range(0, 16, 2), "odd": range(1, 16, 2)},
}


@pytest.mark.parametrize("width", HALVES)
@pytest.mark.parametrize("name", ["lo", "hi", "even", "odd"])
def test_halves(width, name):
    indices = tuple(HALVES[width][name])
    check_read(make(f"half{width}"), name, indices)
    check_read(make(f"half{width}", 2, 3), name, indices)
    vectors = make(f"half{width}", 2)
    want = np.asarray(vectors).copy()
    setattr(vectors, name, 100)
    want[:, list(indices)] = 100
    check(vectors, want, f"half{width}")


def test_nested_halves():
    """Every chain of halves down to scalars consists of views of the same memory."""
    for chain in itertools.product(("lo", "hi", "even", "odd"), repeat=4):
        vector, indices = make("half16"), np.arange(16)
        part = vector
        for name in chain:
            part = getattr(part, name)
            indices = indices[list(HALVES[len(indices)][name])]
        assert part == indices[0] + 1
        part = vector
        for name in chain[:-1]:
            part = getattr(part, name)
        setattr(part, chain[-1], -1)  # part is a view: the vector has changed
        assert np.flatnonzero(np.asarray(vector) == -1).tolist() == indices.tolist()


def test_halves_of_three():
    """Halves are those of four components, of which the last reads 0 and is not stored."""
    vector = hc.half3(1, 2, 3)
    check(vector.lo, np.array([1, 2], hc.half), "half2")
    check(vector.hi, np.array([3, 0], hc.half), "half2")
    check(vector.even, np.array([1, 3], hc.half), "half2")
    check(vector.odd, np.array([2, 0], hc.half), "half2")
    check(make("half3", 2).hi, np.array([[3, 0], [6, 0]], hc.half), "half2")
    vector.hi = hc.half2(7, 8)
    vector.odd = hc.half2(5, 6)
    check(vector, np.array([1, 5, 7], hc.half), "half3")
    vector.hi = 9
    check(vector, np.array([1, 5, 9], hc.half), "half3")
    assert np.shares_memory(vector.lo, vector) and np.shares_memory(vector.even, vector)


ILLEGAL = [
    ("half2", "z", "beyond"), ("half2", "b", "beyond"), ("half3", "w", "beyond"),
    ("half3", "a", "beyond"), ("half2", "s2", "beyond"), ("half4", "s4", "beyond"),
    ("half8", "s8", "beyond"), ("half8", "sF", "beyond"), ("half4", "xyzs", "no such"),
    ("half4", "x12w", "mixes"), ("half4", "xg", "mixes"), ("half4", "rgbx", "mixes"),
    ("half4", "s0x", "mixes"), ("half4", "xyzwx", "components, got 5"),
    ("half4", "xxxxxxx", "components, got 7"), ("half16", "s01234", "components, got 5"),
    ("half16", "s0123456789abcdef0", "components, got 17"), ("half4", "s", "no such"),
    ("half4", "X", "no such"), ("half4", "RGBA", "no such"), ("half4", "lo2", "no such"),
    ("half4", "Lo", "no such"), ("half4", "s0S1", "no such"), ("half16", "sg", "mixes"),
    ("half4", "foo", "no such"), ("half4", "xx_", "no such"), ("half4", "", "no such"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "reason"), ILLEGAL)
def test_illegal_names(kind, name, reason):
    for vectors in (make(kind), make(kind, 3)):
        before = np.asarray(vectors).copy()
        with pytest.raises(AttributeError, match=reason):
            getattr(vectors, name)
        with pytest.raises(AttributeError, match=reason):
            setattr(vectors, name, 1)
        assert not hasattr(vectors, name)
        check(vectors, before, kind)


def test_assigned_values():
    pos = hc.half4(1, 2, 3, 4)
    pos.xw = hc.half2(5, 6)
    check(pos, np.array([5, 2, 3, 6], hc.half), "half4")
    pos.wx = hc.half2(7, 8)
    check(pos, np.array([8, 2, 3, 7], hc.half), "half4")
    pos.xyz = hc.half3(3, 5, 9)
    check(pos, np.array([3, 5, 9, 7], hc.half), "half4")
    pos.zw = 1.5  # a scalar widens
    check(pos, np.array([3, 5, 1.5, 1.5], hc.half), "half4")
    pos.xy = np.array([1, 2], np.float16)  # a plain array as NumPy would
    check(pos, np.array([1, 2, 1.5, 1.5], hc.half), "half4")
    before = np.asarray(pos).copy()
    with pytest.raises(ValueError, match=r"half4\.xy: expected a vector of 2, got half4"):
        pos.xy = hc.half4(1)
    with pytest.raises(ValueError, match=r"half4\.x: expected a scalar, got half2"):
        pos.x = hc.half2(1)
    with pytest.raises(TypeError, match=r"half4\.xy: expected elements of type half, got float2"):
        pos.xy = hc.float2(1)
    with pytest.raises(ValueError):
        pos.xy = np.ones(3, hc.half)
    check(pos, before, "half4")


def test_overlapping_assignment():
    """Components are assigned as if all were read first."""
    for name, other in [("xyzw", "wzyx"), ("xyz", "yzw"), ("yzw", "xyz"), ("xzy", "yxz")]:
        vectors = make("half4", 5)
        indices = ["xyzw".index(letter) for letter in name]
        want = np.asarray(vectors).copy()
        want[:, indices] = want[:, ["xyzw".index(letter) for letter in other]].copy()
        setattr(vectors, name, getattr(vectors, other))
        check(vectors, want, "half4")
    vector = hc.half4(1, 2, 3, 4)
    vector.xyzw += vector.wzyx
    check(vector, np.array([5, 5, 5, 5], hc.half), "half4")


def test_specification_transpose():
    """OpenCL C's example transposes a 4 by 4 matrix by .even, .odd, .lo and .hi."""
    matrix = make("half4", 4)
    x = hc.half16(*matrix)
    t = hc.half16(0)
    t.even = x.lo
    t.odd = x.hi
    x.even = t.lo
    x.odd = t.hi
    rows = np.stack([x.lo.lo, x.lo.hi, x.hi.lo, x.hi.hi])
    check(rows, np.ascontiguousarray(np.asarray(matrix).T), "half4")


def test_interleave():
    even, odd = hc.half4(0, 2, 4, 6), hc.half4(1, 3, 5, 7)
    stereo = hc.half8(0)
    stereo.even, stereo.odd = even, odd
    check(stereo, np.arange(8, dtype=hc.half), "half8")


@pytest.mark.parametrize("step", [(1, 2), (-1, 1), (3, -1)])
def test_strided(step):
    """Components are right if vectors, or their components, are not adjacent in memory."""
    base = np.arange(6 * 8, dtype=hc.half).reshape(6, 8)
    plain = base[:: step[0], :: step[1]][:, :4]
    vectors = plain.view(hc.half4)
    for name, indices in spellings(4):
        if len(indices) in (2, 3):
            check_read(vectors, name, indices)
    vectors.zx = hc.half2(-1, -2)
    assert (plain[:, 2] == -1).all() and (plain[:, 0] == -2).all()


def test_empty():
    vectors = hc.half4(np.zeros((0, 4), hc.half))
    check(vectors.wzyx, np.zeros((0, 4), hc.half), "half4")
    check(vectors.xzy, np.zeros((0, 3), hc.half), "half3")
    check(vectors.y, np.zeros(0, hc.half))
    check(hc.half3(np.zeros((2, 0, 3), hc.half)).hi, np.zeros((2, 0, 2), hc.half), "half2")
    vectors.xy = 1


@pytest.mark.parametrize("kind", NAMES)
def test_types(kind):
    """Components of each type are of its own family; read-only memory stays read-only."""
    scalar, _ = split(kind)
    vectors = make(kind, 2)
    check(vectors.yx, np.asarray(vectors)[:, [1, 0]], f"{scalar}2")
    check(vectors.xyxy, np.asarray(vectors)[:, [0, 1, 0, 1]], f"{scalar}4")
    assert is_plain(vectors.y) and vectors.y.dtype == vectors.dtype
    vectors.y = 3
    assert (vectors[:, 1] == 3).all()
    vectors.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        vectors.x = 1
    with pytest.raises(ValueError, match="read-only"):
        vectors.yx[0, 0] = 1


def count_cached_names():
    """Return how many names of components are attributes of the classes."""
    return sum(
        isinstance(value, property) and name not in ("T", "mT")
        for kind in hc.vectors.TYPES.values()
        for name, value in vars(kind).items()
    )


def test_number_of_cached_names_is_limited():
    """Any of the 10^19 names of 16 components reads right, and few are cached."""
    v, n = make("half16"), hc.short16(*range(16))
    plain = np.asarray(v)
    for k in range(3000):
        digits = f"{k:04x}"
        got = getattr(v, f"s{digits}")
        assert type(got) is hc.half4 and got.tolist() == [plain[int(d, 16)] for d in digits]
        assert (n.x, v.sf) == (0, 16)
    assert count_cached_names() <= 1024
    v.s0 = 5  # assigning is not reading
    assert v.s0 == 5 and n.s10.tolist() == [1, 0]


def test_names_in_threads():
    names = [f"s{k:03x}{k % 16:x}" for k in range(1500)]
    v = hc.short16(*range(16))

    def read(turn):
        ordered = names[turn * 100 :] + names[: turn * 100]
        return all(getattr(v, name).tolist() == [int(d, 16) for d in name[1:]] for name in ordered)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(8)))
    assert count_cached_names() <= 1024


def test_names_of_subclasses():
    class Point(hc.half4):
        x = 7

    class Other(hc.half4):
        pass

    p = hc.half4(1, 2, 3, 4).view(Point)
    assert p.x == 7 and p.y == 2 and Other(1, 2, 3, 4).x == 1 and p.x == 7
    del Point.x
    assert p.x == 1


def test_core_components_checks_bounds():
    """The function that reads components never reads outside the array."""
    a = np.arange(8, dtype=hc.half).reshape(2, 4)
    assert _core.components(a, 3, -1, 2, np.ndarray).tolist() == [[3, 2], [7, 6]]
    assert _core.components(a, 3, 0, 2, np.ndarray).tolist() == [[3, 3], [7, 7]]
    big = 2**62
    for first, step, count in (
        (4, 1, 1), (-1, 1, 1), (0, 1, 5), (0, 2, 3), (2, 1, 3), (1, -1, 3), (0, 1, 0), (0, 1, -1),
        (big, 1, 1), (0, big, 3), (1, big, 4), (0, -big, 2), (3, -2**63, 2), (0, 1, big),
    ):  # fmt: skip
        with pytest.raises(IndexError, match=r"components: expected places on the last axis"):
            _core.components(a, first, step, count, np.ndarray)
    for array in (np.array(1.0), np.zeros((2, 0))):
        with pytest.raises(IndexError):
            _core.components(array, 0, 1, 1, np.ndarray)
    for kind in (int, None, object, "x", hc.half):
        with pytest.raises(TypeError, match=r"kind: expected numpy\.ndarray"):
            _core.components(a, 0, 1, 1, kind)
        with pytest.raises(TypeError, match=r"kind: expected numpy\.ndarray"):
            _core.separate([1, a], kind)
    for call in (
        lambda: _core.components(None, 0, 1, 1, np.ndarray),
        lambda: _core.is_vector(None, 4, np.dtype("f4")), lambda: _core.is_vector(a, 4, None),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()


def test_completion():
    assert {"x", "w", "r", "a", "s0", "s3", "lo", "odd", "sum"} <= set(dir(hc.half4(0)))
    assert not {"z", "s2"} & set(dir(hc.half2(0)))


def test_help_is_of_what_vectors_add():
    hc.half4(0).wzyx  # noqa: B018  # which adds an attribute to the class
    text = pydoc.plain(pydoc.render_doc(hc.half4))
    assert "Components are attributes" in text and "reshape(" in text
    assert "argpartition(" not in text and "wzyx(" not in text
    assert len(text.splitlines()) < 300
