"""Tests of numpy.einsum of half, and of accelerated float16."""

import itertools
import math

import numpy as np
import pytest
import reductions_oracle as exact
from any_halves import any_halves, bits
from numpy.testing import assert_array_equal

import halfcl as hc
from halfcl import half

#: Subscripts, and shapes of arrays.
CALLS = (
    ("ij,jk", (3, 4), (4, 5)), ("ij,jk->ki", (3, 4), (4, 5)), ("ij,kj->ik", (3, 4), (5, 4)),
    ("i,i->", (30,), (30,)), ("i,i", (4,), (4,)), ("i,i->i", (9,), (9,)), ("i,j->ij", (4,), (3,)),
    ("i,j->ji", (4,), (3,)), ("ij,ij->i", (4, 6), (4, 6)), ("ij,ij->j", (4, 6), (4, 6)),
    ("ij,ij->", (4, 6), (4, 6)), ("ij,ji->", (4, 6), (6, 4)), ("ij->j", (4, 6)), ("ij->", (4, 6)),
    ("ij->ji", (4, 6)), ("ijk->kj", (3, 4, 5)), ("ii", (5, 5)), ("ii->i", (5, 5)),
    ("iij->j", (4, 4, 3)), ("iji,jk->ik", (3, 2, 3), (2, 5)), ("iii->i", (3, 3, 3)),
    ("ij,j->i", (4, 6), (6,)), ("j,ij->i", (6,), (4, 6)), ("nij,njk->nik", (2, 3, 4), (2, 4, 5)),
    ("nij,njk->kni", (2, 3, 4), (2, 4, 5)), ("nij,njk->ink", (2, 3, 4), (2, 4, 5)),
    ("nij,nj->ni", (2, 3, 4), (2, 4)), ("nj,njk->nk", (2, 4), (2, 4, 5)),
    ("nij,nij->n", (2, 3, 4), (2, 3, 4)), ("ij,kl->ijkl", (2, 3), (4, 2)),
    ("ij,kl->li", (2, 3), (4, 2)), ("ij,k->k", (2, 3), (4,)), ("ij,jk->", (3, 4), (4, 5)),
    ("abc,bcd->ad", (2, 3, 4), (3, 4, 5)), ("abc,cdb->da", (2, 3, 4), (4, 5, 3)),
    ("ij,ij->ij", (3, 4), (1, 4)), ("ij,ij->i", (1, 4), (3, 4)), ("ij,ij->i", (3, 1), (3, 4)),
    ("...j,jk->...k", (2, 3, 4), (4, 5)), ("...j,...j->...", (2, 3, 4), (3, 4)),
    ("i...,i->...", (4, 2), (4,)), ("...,...", (2, 3), (3,)), (" i j , j ->i", (3, 4), (4,)),
    (",ij->ij", (), (3, 4)), ("ij,->", (3, 4), ()), ("i->i", (4,)), ("...->...", (3, 4)),
)  # fmt: skip


def exact_einsum(subscripts, arrays, mode):
    """Return sums of products over all labels that the result lacks, rounded, as doubles."""
    wide = [exact.fractions(x.astype(half)) for x in arrays]
    example = np.einsum(subscripts, *(np.ones(x.shape) for x in arrays))
    inputs, _, wanted = subscripts.replace(" ", "").partition("->")
    parts = inputs.split(",")
    dots = max(x.ndim - len(p.replace("...", "")) for p, x in zip(parts, wide, strict=True))
    hidden = "ABCDEFG"[:dots]
    parts = [
        p.replace("...", hidden[dots - (x.ndim - len(p.replace("...", ""))) :])
        for p, x in zip(parts, wide, strict=True)
    ]
    if "->" in subscripts:
        wanted = wanted.replace("...", hidden)
    else:
        joined = "".join(parts)
        wanted = hidden + "".join(
            sorted(c for c in set(joined) - set(hidden) if joined.count(c) == 1)
        )
    sizes = {}
    for part, x in zip(parts, wide, strict=True):
        for label, n in zip(part, x.shape, strict=True):
            sizes[label] = max(n, sizes.get(label, 1))
    summed = [c for c in sizes if c not in wanted]
    result = np.empty([sizes[c] for c in wanted])
    for index in itertools.product(*(range(sizes[c]) for c in wanted)):
        at = dict(zip(wanted, index, strict=True))
        total = 0
        for inner in itertools.product(*(range(sizes[c]) for c in summed)):
            at.update(zip(summed, inner, strict=True))
            total += math.prod(
                x[tuple(min(at[c], n - 1) for c, n in zip(part, x.shape, strict=True))]
                for part, x in zip(parts, wide, strict=True)
            )
        result[index] = exact.round_to(total, "half", mode)
    assert result.shape == np.shape(example)
    return result


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0].replace(" ", ""))
def test_einsum_is_rounded_once(kind, call):
    """Check numbers whose sums in double or float are not exact."""
    subscripts, *shapes = call
    arrays = [any_halves(k, shape).view(kind) for k, shape in enumerate(shapes)]
    for mode in exact.MODES:
        want = exact_einsum(subscripts, arrays, mode)
        for each in (arrays, [x.copy(order="F") for x in arrays]):
            with hc.rounding(mode), np.errstate(all="ignore"):
                got = np.einsum(subscripts, *each)
            assert got.dtype == kind and isinstance(got, np.ndarray) == (want.ndim > 0)
            assert got.shape == want.shape
            assert np.array_equal(got.astype(float), want)
            out = np.zeros(want.shape, kind)
            with hc.rounding(mode), np.errstate(all="ignore"):
                assert np.einsum(subscripts, *each, out=out) is out
            assert np.array_equal(bits(out), bits(np.asarray(got)))


def test_lists_of_axes(kind):
    a, b = any_halves(1, (3, 4), 0x4000).view(kind), any_halves(2, (4, 5), 0x4000).view(kind)
    assert np.array_equal(np.einsum(a, [0, 1], b, [1, 2]), a @ b)
    assert np.array_equal(np.einsum(a, [0, 1], b, [1, 2], [2, 0]), (a @ b).T)
    assert np.array_equal(np.einsum(a, [..., 0], b, [0, 1], [..., 1]), a @ b)
    assert np.array_equal(np.einsum(a, [0, 1], [1]), a.sum(0))


def test_three_arrays(kind):
    """Check products of three arrays, in float64 or, with optimize, pair by pair."""
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(-9, 9, (4, 4)).astype(np.float16).view(kind) for _ in "abc")
    for optimize in (False, True):
        got = np.einsum("ij,jk,kl->il", a, b, c, optimize=optimize)
        assert got.dtype == kind and np.array_equal(got, (a @ b) @ c)


def test_views(kind):
    """Check that subscripts without a sum return a writable view."""
    x = any_halves(4, (4, 4), 0x4000).view(kind)
    for subscripts in ("ij->ji", "ij->ij", "...->..."):
        view = np.einsum(subscripts, x)
        assert np.shares_memory(view, x) and view.flags.writeable and view is not x
    np.einsum("ii->i", x)[:] = 7
    assert (np.diag(x) == 7).all()


def test_errors_are_numpys(kind):
    x, line = np.ones((3, 4), kind), np.ones(3, kind)
    for arguments in (
        ("ij,jk", x, x), ("ij", line), ("i", x), ("ij,j", x), ("ij->k", x), ("ij->ii", x),
        ("ii", x), ("i.j", x), ("ij...->ij", x[None]), ("", x), ("ij,", x), (x, [0]), (x,),
        ("i->i", line, line), ("iij", x[None, :2]),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            np.einsum(*arguments)
    with pytest.raises(ValueError, match="at least"):
        np.einsum()
    out = np.zeros((2, 2), kind)
    with pytest.raises(ValueError, match=r"out|shape|broadcast|dimension"):
        np.einsum("ij->i", x, out=out)
    assert not out.any()


def test_empty(kind):
    assert np.einsum("ij,jk", np.ones((3, 0), kind), np.ones((0, 2), kind)).tolist() == [[0, 0]] * 3
    assert np.einsum("ij->i", np.ones((2, 0), kind)).tolist() == [0, 0]


def test_other_operands(kind):
    a = np.ones((3, 4), kind)
    assert np.einsum("ij,j", a, np.ones(4, np.float32)).dtype == np.float32
    assert np.einsum("ij->i", a, dtype=np.float64).dtype == np.float64
    swapped = a.astype(kind.newbyteorder())
    assert np.einsum("ij,ij->i", swapped, a).tolist() == [4, 4, 4]
    assert np.einsum("ij->i", a, order="F").dtype == kind


def test_float16_is_numpys_after_acceleration():
    x = np.array([2048, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], np.float16)
    with hc.accelerated():
        before = hc._core.kernels_run()
        assert np.einsum("i,i->", x, np.ones(7, np.float16)) == 2052
        assert hc._core.kernels_run() == before
    assert type(np.einsum("i->", x)) is np.float16


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@pytest.mark.parametrize("options", [{"order": "F"}, {"casting": "safe"}, {"dtype": None}])
def test_options_that_change_no_number_keep_sums_exact(kind, options):
    x = np.full((6000, 2), 0.25, kind)
    options = {name: kind if name == "dtype" else value for name, value in options.items()}
    with hc.accelerated():
        assert_array_equal(np.einsum("ij->j", x, **options), 1500)
        assert_array_equal(np.einsum("ij,ik->jk", x, x, **options), 375)
