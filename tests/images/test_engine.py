"""Calls that the engine refuses, although the public functions never make them.

No caller may reach memory that is not the image's.
"""

import pickle

import numpy as np
import pytest

from halfcl import _core

CLAMP_TO_EDGE, REPEAT = 0x1131, 0x1133
NEAREST, LINEAR = 0x1140, 0x1141
SNORM16, UNORM8, U565, I32, HALF, FLOAT = 0x10D1, 0x10D2, 0x10D4, 0x10D9, 0x10DD, 0x10DE
RGBA = (0, 1, 2, 3)


def layout_arguments(**other):
    array = np.zeros((4, 6, 4), np.float16)
    usual = {
        "array": array, "sizes": (6, 4, 1), "steps": (8, 48, 0, 0), "dims": 2, "layers": 0,
        "channel_type": HALF, "channels": 4, "components": RGBA, "border_alpha": 0, "srgb": False,
    }  # fmt: skip
    return {**usual, **other}


@pytest.mark.parametrize(
    "other",
    [
        {"sizes": (7, 4, 1)},
        {"sizes": (6, 5, 1)},
        {"sizes": (6, 4, 2)},
        {"sizes": (0, 4, 1)},
        {"sizes": (2**29, 4, 1)},
        {"sizes": (6, 4)},
        {"sizes": (6.0, 4, 1)},
        {"steps": (-8, 48, 0, 0)},
        {"steps": (8, 2**70, 0, 0)},
        {"steps": (8, 49, 0, 0)},
        {"steps": (8, 48, 0, 8), "layers": 25},
        {"dims": 4},
        {"layers": -1},
        {"channel_type": 0x10DF},
        {"channel_type": 0x1000},
        {"channel_type": U565},
        {"channels": 5},
        {"channels": 2},
        {"components": (0, 1, 2, 4)},
        {"components": (0, 1, 2, -3)},
        {"components": [0, 1, 2, 3]},
        {"border_alpha": 2},
        {"srgb": True},
        {"array": np.zeros((0, 6, 4), np.float16)},
        {"array": np.zeros(95, np.float16)},
    ],
)
def test_layouts_refused(other):
    with pytest.raises(ValueError, match="expected"):
        _core.ImageLayout(**layout_arguments(**other))


@pytest.mark.parametrize(
    "array", [None, [1.0], np.zeros((4, 6, 4), object), np.zeros((4, 6, 4), np.float16).view(">f2")]
)
def test_layouts_of_no_plain_array(array):
    with pytest.raises(TypeError):
        _core.ImageLayout(**layout_arguments(array=array))


def test_negative_steps_stay_within_the_array():
    array = np.arange(12, dtype=np.float16).reshape(3, 4)[::-1]
    usual = layout_arguments(array=array, sizes=(3, 1, 1), steps=(-8, 0, 0, 0), dims=1)
    out = np.empty((3, 4), np.float16)
    where = np.arange(3, dtype=np.int32)[:, np.newaxis]
    _core.read_image(_core.ImageLayout(**usual), None, where, out, "rte")
    np.testing.assert_array_equal(out, array)
    with pytest.raises(ValueError, match="memory"):
        _core.ImageLayout(**{**usual, "sizes": (4, 1, 1)})


@pytest.mark.parametrize(
    ("dtype", "channel_type"),
    [(np.uint8, UNORM8), (np.int16, SNORM16), (np.float16, HALF), (np.float32, FLOAT)],
)
def test_opaque_borders_of_four_channels(dtype, channel_type):
    """No format has opaque borders of four channels."""
    array = np.zeros((3, 4), dtype)
    layout = _core.ImageLayout(
        array, (3, 1, 1), (array.strides[0], 0, 0, 0), 1, 0, channel_type, 4, RGBA, 1, False
    )
    for result in (np.float16, np.float32):
        out = np.empty((2, 4), result)
        _core.read_image(layout, None, np.array([[-1], [3]], np.int32), out, "rte")
        assert out.tolist() == [[0, 0, 0, 1]] * 2


def test_layouts_are_not_pickled():
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(_core.ImageLayout(**layout_arguments()))


SAMPLER = (False, CLAMP_TO_EDGE, NEAREST)
WHERE = np.zeros((2, 2), np.float32)
PLACES = np.zeros((2, 2), np.int32)


def colors(dtype=np.float16, shape=(2, 4)):
    return np.full(shape, 7, dtype)


@pytest.mark.parametrize(
    ("sampler", "coordinates", "out", "mode", "error"),
    [
        (SAMPLER, WHERE.astype(np.float64), colors(), "rte", TypeError),
        (SAMPLER, WHERE.astype(">f4"), colors(), "rte", ValueError),
        (SAMPLER, WHERE[:, :1].copy(), colors(), "rte", ValueError),
        (SAMPLER, WHERE[0], colors(), "rte", ValueError),
        (SAMPLER, np.zeros((2, 4), np.float32)[:, ::2], colors(), "rte", ValueError),
        (SAMPLER, WHERE.tolist(), colors(), "rte", TypeError),
        (SAMPLER, None, colors(), "rte", TypeError),
        (SAMPLER, WHERE, colors(shape=(3, 4)), "rte", ValueError),
        (SAMPLER, WHERE, colors(shape=(2, 3)), "rte", ValueError),
        (SAMPLER, WHERE, colors(np.int32), "rte", TypeError),
        (SAMPLER, WHERE, colors(np.float64), "rte", TypeError),
        (SAMPLER, WHERE, colors(">f2"), "rte", ValueError),
        (SAMPLER, WHERE, colors(), "up", ValueError),
        (None, WHERE, colors(), "rte", TypeError),
        ((False, REPEAT, NEAREST), WHERE, colors(), "rte", ValueError),
        ((False, 7, NEAREST), WHERE, colors(), "rte", ValueError),
        ((False, REPEAT), WHERE, colors(), "rte", ValueError),
    ],
)
def test_reads_refused(sampler, coordinates, out, mode, error):
    layout = _core.ImageLayout(**layout_arguments())
    with pytest.raises(error):
        _core.read_image(layout, sampler, coordinates, out, mode)
    assert (out == 7).all()


def test_linear_integers_are_refused():
    array = np.zeros((4, 6, 4), np.int32)
    layout = _core.ImageLayout(
        **layout_arguments(array=array, steps=(16, 96, 0, 0), channel_type=I32)
    )
    with pytest.raises(ValueError, match="filter"):
        _core.read_image(layout, (False, CLAMP_TO_EDGE, LINEAR), WHERE, colors(np.int32), "rte")


@pytest.mark.parametrize(
    ("coordinates", "wrong", "mode", "error"),
    [
        (WHERE, colors(), "rte", TypeError),
        (PLACES.astype(np.int64), colors(), "rte", TypeError),
        (PLACES[:, :1].copy(), colors(), "rte", ValueError),
        (PLACES, colors(shape=(1, 4)), "rte", ValueError),
        (PLACES, colors(shape=(2, 8))[:, ::2], "rte", ValueError),
        (PLACES, colors(np.int32), "rte", TypeError),
        (PLACES, None, "rte", TypeError),
        (PLACES, colors(), "up", ValueError),
    ],
)
def test_writes_refused(coordinates, wrong, mode, error):
    arguments = layout_arguments()
    layout = _core.ImageLayout(**arguments)
    with pytest.raises(error):
        _core.write_image(layout, coordinates, wrong, mode)
    assert not arguments["array"].any()


def test_read_only():
    arguments = layout_arguments()
    arguments["array"].flags.writeable = False
    with pytest.raises(ValueError, match="written"):
        _core.write_image(_core.ImageLayout(**arguments), PLACES, colors(), "rte")
    out = colors()
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out"):
        _core.read_image(_core.ImageLayout(**arguments), None, PLACES, out, "rte")
