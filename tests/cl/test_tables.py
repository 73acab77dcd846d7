"""Integers that differ along one axis alone, in two dimensions: beside NumPy's, item by item."""

import numpy as np
import pytest
from exhaustive import either, in_turn, one_in, shared_out

from halfcl import cl

W, H = 23, 7

TYPES = {
    "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "short": np.int16
}  # fmt: skip

#: In C, and of NumPy's arrays of the type.
EXPRESSIONS = [
    ("(x + 1) % w", lambda x, y, w: np.fmod(x + 1, w)),
    ("(x + w - 1) % w + y", lambda x, y, w: np.fmod(x + w - 1, w) + y),
    ("x / 5 * w - x % 5", lambda x, y, w: x // 5 * w - np.fmod(x, 5)),
    ("w - (x & 6)", lambda x, y, w: w - (x & 6)),
    ("((x ^ 5) | 8) * 3 - ((x ^ 5) | 8)", lambda x, y, w: ((x ^ 5) | 8) * 3 - ((x ^ 5) | 8)),
    ("(x << 3) + (x >> 1)", lambda x, y, w: (x << 3) + (x >> 1)),
    ("y * w + x % 4", lambda x, y, w: y * w + np.fmod(x, 4)),
    ("x % 4 + y % 3 * 100", lambda x, y, w: np.fmod(x, 4) + np.fmod(y, 3) * 100),
    ("(x + y) % 4", lambda x, y, w: np.fmod(x + y, 4)),
    ("x / w + y / 100", lambda x, y, w: x // w + y // 100),
    ("(x % 4) * -3 + y", lambda x, y, w: np.fmod(x, 4) * x.dtype.type(-3 % 2**16) + y),
    ("(x % 4 > 2) + (y == 5) * 2", lambda x, y, w: (np.fmod(x, 4) > 2) + (y == 5) * 2),
    ("(x % 3 - 2) / 2", None),
    ("x % (w - w) + y", None),
    ("x % 9 * 70000 * 70000 * 70000 * 70000", None),
    ("(x % 9 + y) * 0", lambda x, y, w: x * 0),
]


def items(dtype):
    y, x = np.mgrid[:H, :W].astype(dtype)
    return x, y, dtype(W)


def launch(type_, expression, **options):
    source = f"""kernel void f(global {type_} *out, {type_} w) {{
        {type_} x = get_global_id(0), y = get_global_id(1);
        out[get_global_id(1) * {W} + get_global_id(0)] = {expression};
    }}"""
    out = np.zeros((H, W), TYPES[type_])
    cl.Program(source).f((W, H), None, out, W, **options)
    return out


@one_in(2)
@in_turn
@shared_out
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize(("expression", "of_arrays"), EXPRESSIONS)
def test_table_operations_match_item_by_item(type_, expression, of_arrays):
    """Item by item, all values are Python's ints; without exhaustive proofs of every fourth."""
    actual = launch(type_, expression)
    source = f"""kernel void f(global {type_} *out, {type_} w) {{
        {type_} x = get_global_id(0), y = get_global_id(1);
        out[0] = {expression};
    }}"""
    program, one = cl.Program(source), np.zeros(1, TYPES[type_])
    for at in range(0, H * W, either(1, 4)):
        y, x = divmod(at, W)
        program.f((1, 1), None, one, W, offset=(x, y))
        assert one[0] == actual[y, x], (x, y)
    if of_arrays and type_ != "short" and "-3" not in expression:
        np.testing.assert_array_equal(actual, of_arrays(*items(TYPES[type_])))


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("limit", ["3", "17", "-5", "100"])
def test_extremes(name, limit):
    function = {"min": np.minimum, "max": np.maximum}[name]
    x, y, _ = items(np.int32)
    for expression, wanted in (
        (f"{name}(x - 6, {limit}) + y", function(x - 6, int(limit)) + y),
        (f"{name}({limit}, x % 7)", function(int(limit), x % 7)),
        ("clamp(x, 2, 20) * w + clamp(y, 1, 3)", np.clip(x, 2, 20) * W + np.clip(y, 1, 3)),
    ):
        np.testing.assert_array_equal(launch("int", expression), wanted)


@pytest.mark.parametrize("check", [False, True])
def test_loads_and_stores(check):
    source = f"""kernel void f(global const short *in, global short *out, global short4 *out4) {{
        int x = get_global_id(0), y = get_global_id(1), i = y * {W} + x;
        short seen = in[clamp(y - 1, 0, {H - 1}) * {W} + (x + 1) % {W}];
        out[y * {W} + ({W} - 1 - x + 9) % {W}] = seen;
        if (x % 3 == 1)
            out4[y * {W} + x / 3] = (short4)(seen, 1, 2, 3) + ((global const short4 *)in)[x / 8];
    }}"""
    image = np.arange(W * H, dtype=np.int16).reshape(H, W)
    out, out4 = np.zeros_like(image), np.zeros((H, W, 4), np.int16)
    cl.Program(source).f((W, H), None, image, out, out4, check=check)
    x, y, _ = items(int)
    seen = image[np.clip(y - 1, 0, H - 1), (x + 1) % W]
    wanted, wanted4 = np.zeros_like(out), np.zeros_like(out4)
    wanted[y, (W - 1 - x + 9) % W] = seen
    np.testing.assert_array_equal(out, wanted)
    fours = image.reshape(-1)[: W * H // 4 * 4].reshape(-1, 4)
    for i, j in zip(*np.nonzero(x % 3 == 1), strict=True):
        wanted4[i, j // 3] = np.array([seen[i, j], 1, 2, 3]) + fours[j // 8]
    np.testing.assert_array_equal(out4, wanted4)


@pytest.mark.parametrize(
    ("index", "message"),
    [(f"y * {W} + x % 5 * 40", "outside of"), ("x % 5 - 1", "outside of"),
     (f"(x + 9) % {W} + y * {W} + 1", "outside of")],
)  # fmt: skip
def test_accesses_outside_are_errors_unless_inactive(index, message):
    source = f"""kernel void f(global int *out, int is_asked) {{
        int x = get_global_id(0), y = get_global_id(1), i = {index};
        if (is_asked || (i >= 0 && i < {W * H})) out[i] = 1;
    }}"""
    program, out = cl.Program(source), np.zeros(W * H, np.int32)
    program.f((W, H), None, out, 0)
    x, y, _ = items(int)
    places = eval(index, {"x": x, "y": y})
    wanted = np.zeros_like(out)
    wanted[places[(places >= 0) & (places < W * H)]] = 1
    np.testing.assert_array_equal(out, wanted)
    with pytest.raises(cl.LaunchError, match=message):
        program.f((W, H), None, out, 1)


def test_misaligned_accesses_are_errors():
    source = """kernel void f(global char *out) {
        int x = get_global_id(0), y = get_global_id(1);
        *(global int *)(out + x % 5 * 2 + y * 16) = 1;
    }"""
    with pytest.raises(cl.LaunchError, match="misaligned"):
        cl.Program(source).f((W, H), None, np.zeros(400, np.int8))
