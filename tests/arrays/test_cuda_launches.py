"""Launches on CUDA devices, with a driver of Python's in CUDA's place, which needs no GPU.

Arrays lie on the host, as a library's on a device would; kernels are NumPy's.
"""

import ctypes

import numpy as np
import pytest

import halfcl as hc
from halfcl import _core

_LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p,
)  # fmt: skip
_DEVICE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))


class Driver:
    """The driver's two functions; `kernel` computes, and launches are recorded."""

    def __init__(self):
        self.launches, self.device, self.error = [], 0, 0
        self.kernel = None
        self.functions = _LAUNCH(self.launch), _DEVICE(self.get_device)

    def launch(self, function, *arguments):
        *sizes, shared, stream, parameters, _ = arguments
        self.launches.append((function, tuple(sizes), shared, stream))
        if self.kernel is not None and not self.error:
            self.kernel(parameters)
        return self.error

    def get_device(self, device):
        device[0] = self.device
        return 0


@pytest.fixture
def driver():
    driver = Driver()
    addresses = (ctypes.cast(f, ctypes.c_void_p).value for f in driver.functions)
    before = _core.set_cuda_driver(*addresses)
    yield driver
    _core.set_cuda_driver(*before)


class Array:
    """An array of a library without DLPack's exchange functions."""

    def __init__(self, host, device=0):
        self.host, self.device = host, device


def aligned_zeros(shape, dtype=np.float16, offset=0):
    """Return zeros whose address is a multiple of 64, plus so many bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 128, np.uint8)
    first = -memory.ctypes.data % 64 + offset
    return memory[first : first + size].view(dtype).reshape(shape)


def read(x):
    return x.host.ctypes.data, x.device, x.host.shape, x.host.strides, x.host.dtype


def make(like, letter, is_in_c_order):
    out = aligned_zeros(like.host.shape, letter)
    return Array(out if is_in_c_order else np.empty_like(like.host, letter))


def value_at(place, kind):
    return ctypes.cast(place, ctypes.POINTER(kind))[0]


def from_address(place, count, dtype):
    address = value_at(place, ctypes.c_uint64)
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8)),
                                 (count * np.dtype(dtype).itemsize,)).view(dtype)  # fmt: skip


class Library:
    """Arrays of a library, with one function: x + y, rounded to half in a mode."""

    def __init__(self, driver, **others):
        self.driver, self.asked, self.many, self.is_number = driver, [], [], {}
        driver.kernel = self.add
        settings = {
            "types": (Array,), "exchange": None, "read": read, "stream": lambda number: 77,
            "is_special": ((lambda x: hasattr(x, "is_special"), lambda x: x.is_special),),
            "make": {"e": lambda like: make(like, "e", True)},
            "make_other": lambda like, letter: make(like, letter, False),
            "find": self.find, "prepare": lambda *arguments: None, **others,
        }  # fmt: skip
        self.arrays = _core.CudaArrays(*settings.values())

    def find(self, ufunc, device, is_number):
        self.asked.append((ufunc, device, is_number))
        if ufunc is not np.add or len(is_number) != 2:
            return None
        function = 1234 + sum(k << i for i, k in enumerate(is_number))
        self.is_number[function] = is_number

        def launch_many(*arguments):
            self.many.append(arguments)

        return _core.ElementwiseKernel(function, 256, self, "ee", "e", 2048, 100_000, launch_many)

    def add(self, parameters):
        count = value_at(parameters[0], ctypes.c_uint64)
        x, y = (
            np.uint16(value_at(parameters[k + 1], ctypes.c_uint16)).view(np.float16) if is_number
            else from_address(parameters[k + 1], count, np.float16)
            for k, is_number in enumerate(self.is_number[self.driver.launches[-1][0]])
        )  # fmt: skip
        from_address(parameters[3], count, np.float16)[:] = hc.add(x, y)

    def call(self, *args, rounding=None, ufunc=np.add):
        return self.arrays.call(ufunc, args, rounding)


@pytest.fixture
def library(driver):
    return Library(driver)


def halves(shape, seed=0, offset=0):
    out = aligned_zeros(shape, offset=offset)
    out[...] = np.random.default_rng(seed).normal(size=shape).astype(np.float16)
    return Array(out)


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4), (1, 9, 1), ()])
def test_arrays_of_one_shape_are_computed(library, shape):
    x, y = halves(shape), halves(shape, 1)
    result = library.call(x, y)
    np.testing.assert_array_equal(result.host, hc.add(x.host, y.host).view(np.float16))
    ((function, sizes, shared, stream),) = library.driver.launches
    assert (function, sizes, shared, stream) == (1234, (1, 1, 1, 256, 1, 1), 0, 77)


def test_blocks_cover_all_elements(library):
    for count, blocks in ((2047, 1), (2048, 1), (2049, 2), (99_999, 49)):
        library.call(halves(count), halves(count))
        assert library.driver.launches[-1][1][0] == blocks


def test_a_kernel_is_looked_for_once(library):
    x = halves(5)
    for _ in range(3):
        library.call(x, x)
        library.call(x, 2.5)
        library.call(1, x)
        assert library.call(x, x, ufunc=np.subtract) is None
    assert library.asked == [
        (np.add, 0, (False, False)), (np.add, 0, (False, True)), (np.add, 0, (True, False)),
        (np.subtract, 0, (False, False)),
    ]  # fmt: skip


@pytest.mark.parametrize("number", [1, 2.5, -0.0, np.float64(0.1), 10**6, 1e-9, np.nan])
@pytest.mark.parametrize("rounding", [None, "rtp"])
def test_numbers_are_rounded_in_the_mode_of_the_call(library, number, rounding):
    x = halves(9)
    with np.errstate(all="ignore"), hc.rounding("rtn"):
        result = library.call(x, number, rounding=rounding)
        half = np.float16(hc.half(number, rounding=rounding or "rtn"))
        np.testing.assert_array_equal(result.host, hc.add(x.host, half).view(np.float16))


def test_any_order_in_memory_is_kept_if_there_are_no_gaps(library):
    x, y = (Array(halves((4, 6), k).host.T) for k in (0, 1))
    result = library.call(x, y)
    np.testing.assert_array_equal(result.host, hc.add(x.host, y.host).view(np.float16))
    assert result.host.strides == x.host.strides


def with_mark():
    x = halves(8)
    x.is_special = True
    return x


OTHERS = {
    "gaps": lambda: (Array(halves(16).host[::2]), halves(8)),
    "a reversed axis": lambda: (Array(halves(8).host[::-1]), halves(8)),
    "a repeated axis": lambda: (Array(np.broadcast_to(halves(1).host, 8)),) * 2,
    "two orders": lambda: (Array(halves((3, 3)).host.T), halves((3, 3))),
    "two shapes": lambda: (halves(8), halves(1)),
    "another type": lambda: (halves(8), Array(aligned_zeros(8, np.float32))),
    "another device": lambda: (Array(halves(8).host, 1), Array(halves(8).host, 1)),
    "two devices": lambda: (halves(8), Array(halves(8).host, 1)),
    "no alignment": lambda: (halves(8, offset=2), halves(8)),
    "no elements": lambda: (halves(0), halves(0)),
    "a special array": lambda: (halves(8), with_mark()),
    "a bool": lambda: (halves(8), True),
    "a text": lambda: (halves(8), "1"),
    "an array of NumPy's": lambda: (halves(8), np.ones(8, np.float16)),
    "numbers alone": lambda: (1.0, 2.0),
    "nothing": lambda: (),
    "one argument": lambda: (halves(8),),
    "many arguments": lambda: (halves(8),) * 40,
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_arguments_are_left_to_others(library, what):
    assert library.call(*OTHERS[what]()) is None
    assert not library.driver.launches


def test_a_region_that_rounds_at_random_is_left_to_others(library):
    x = halves(8)
    seen = []

    def run():
        seen.append(library.call(x, x))
        return hc.half(1)

    hc.stability.rerun(run, samples=2)
    assert None in seen


def test_many_elements_are_launched_by_the_kernels_own_function(library):
    x = halves(100_000)
    result = library.call(x, 2.0)
    ((count, operands, results, stream),) = library.many
    assert (count, stream, results) == (100_000, 77, (result.host.ctypes.data,))
    assert operands == (x.host.ctypes.data, int(np.float16(2).view(np.uint16)))
    assert not library.driver.launches


def test_the_drivers_error_is_raised(library):
    library.driver.error = 700
    with pytest.raises(RuntimeError, match="cuLaunchKernel failed with error 700"):
        library.call(halves(8), halves(8))


def test_without_a_driver_everything_is_left_to_others(library):
    _core.set_cuda_driver(0, 0)
    assert library.call(halves(8), halves(8)) is None
    assert library.arrays.layouts((halves(8),)) is None


# ---------------------------------------------------------------- reductions


def test_layouts_are_those_of_the_arrays(library):
    x, y = halves((4, 6), offset=6), Array(halves((6, 4)).host.T)
    device, layouts, addresses = library.arrays.layouts((x, y))
    assert device == 0
    assert addresses == (x.host.ctypes.data, y.host.ctypes.data)
    assert layouts == (((4, 6), (12, 2), np.float16, 3), ((4, 6), (2, 8), np.float16, 0))
    assert library.arrays.layouts((x, Array(aligned_zeros(8, np.float32)))) is None
    assert library.arrays.layouts((x, np.ones(3, np.float16))) is None
    assert library.arrays.layouts((x, Array(x.host, 1))) is None


def test_launches_take_arrays_by_their_index(library):
    seen = []
    counts = {1: 7, 2: 6}

    def record(parameters):
        count = counts[library.driver.launches[-1][0]]
        seen.append([value_at(parameters[k], ctypes.c_int64) for k in range(count)])

    library.driver.kernel = record
    first, second = (_core.CudaKernel(k, 32 * k, None) for k in (1, 2))
    launches = [
        _core.CudaLaunch(first, (5, 6), [np.uint64(9), 0, 1, np.int64(-3), np.int32(-2)]),
        _core.CudaLaunch(second, (1, 1), [np.uint32(4), 1, 2, np.uint8(8)]),
    ]
    x = halves(8, offset=2)
    bins, out = Array(aligned_zeros(4, np.int64)), Array(aligned_zeros(1))
    library.arrays.run(launches, 0, (x.host.ctypes.data,), (bins, out))
    places = [a.host.ctypes.data for a in (x, bins, out)]
    assert seen[0][:6] == [9, places[0] - 2, 1, places[1], 0, -3]
    assert ctypes.c_int32(seen[0][6]).value == -2
    assert seen[1] == [4, places[1], 0, places[2], 0, 8]
    assert [one[1] for one in library.driver.launches] == [
        (5, 6, 1, 32, 1, 1), (1, 1, 1, 64, 1, 1),
    ]  # fmt: skip
    with pytest.raises(IndexError, match="arrays: expected more than 2, got 2"):
        library.arrays.run(launches[1:], 0, (16, 32), ())
    with pytest.raises(ValueError, match="arguments: expected 32 words at most, got 33"):
        _core.CudaLaunch(first, (1, 1), [0] * 16 + [np.uint64(9)])


def reduction(array, **others):
    from halfcl.reductions._arguments import Call

    return Call("sum", (array,), **others)


def test_reductions_are_prepared_once_for_a_layout(driver):
    asked, sums = [], []

    def prepare(device, key, count):
        asked.append((device, key, count))
        kernel = _core.CudaKernel(1, 32, None)
        launches = [
            _core.CudaLaunch(kernel, (1, 1), [0, 1]), _core.CudaLaunch(kernel, (1, 1), [1, 2]),
        ]  # fmt: skip
        return _core.PreparedReduction(
            launches,
            [lambda like: Array(aligned_zeros(4, np.int64)), lambda like: Array(aligned_zeros(()))],
        )

    library = Library(driver, prepare=prepare)
    driver.kernel = lambda parameters: sums.append(value_at(parameters[0], ctypes.c_uint64))
    for seed in range(3):
        x = halves((4, 6), seed)
        result = library.arrays.reduce(reduction(x))
        assert result.host.shape == () and sums[-2] == x.host.ctypes.data
    library.arrays.reduce(reduction(halves((4, 6), offset=2)))
    library.arrays.reduce(reduction(x, axis=0))
    library.arrays.reduce(reduction(x, axis=False))
    with hc.rounding("rtp"):
        library.arrays.reduce(reduction(x))
    assert len(asked) == 5 and len({repr(one) for one in asked}) == 5
    for wrong in ("", "up", ["rtz"], np.array(["rtz"])):
        with pytest.raises((TypeError, ValueError), match="rounding"):
            library.arrays.reduce(reduction(x, rounding=wrong))
    for others in ({"out": x}, {"initial": 1.0}, {"where": np.ones((4, 6), bool)}, {"dtype": []}):
        before = len(driver.launches)
        assert library.arrays.reduce(reduction(x, **others)) is None
        assert len(driver.launches) == before


# ---------------------------------------------------------------- DLPack's exchange functions


def torch_library(driver):
    torch = pytest.importorskip("torch")
    exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if exchange is None:
        pytest.skip("this PyTorch has no DLPack exchange functions")
    library = Library(driver)
    on_host = 1
    library.arrays = _core.CudaArrays(
        (torch.Tensor,), exchange, None, None, (), {"e": torch.empty_like},
        lambda like, letter: torch.empty_like(like), library.find, None, on_host,
    )  # fmt: skip
    return torch, library


def test_tensors_are_read_by_the_exchange_functions(driver):
    torch, library = torch_library(driver)
    for shape in ((8,), (4, 6), ()):
        x, y = (torch.from_numpy(halves(shape, k).host) for k in (0, 1))
        result = library.call(x, y)
        expected = hc.add(x.numpy(), y.numpy()).view(np.float16)
        np.testing.assert_array_equal(result.numpy(), expected)
    x = torch.from_numpy(halves((4, 6), offset=4).host)
    _, layouts, addresses = library.arrays.layouts((x,))
    assert layouts == (((4, 6), (12, 2), np.float16, 2),)
    assert addresses == (x.data_ptr(),)


def test_tensors_of_other_kinds_are_left_to_others(driver):
    torch, library = torch_library(driver)
    x = torch.from_numpy(halves((4, 4)).host)
    sparse, meta = x.to_sparse(), x.to("meta")
    for other in (sparse, meta, x.bfloat16(), x.to(torch.complex64), x[:, ::2], x.T):
        assert library.call(x, other) is None, other
        assert library.call(other, other) is None or other is not x, other
    assert library.arrays.layouts((sparse,)) is None
    assert not [one for one in library.driver.launches if one[0] != 1234]


def test_tensors_with_gaps_are_copied_and_special_ones_are_not_launched(driver, monkeypatch):
    """Through the adapter, whose tensors lie on CUDA devices."""
    torch, library = torch_library(driver)
    from halfcl.arrays._torch import adapter

    asked = []

    class Arrays:
        own = _core.CudaArrays(
            (torch.Tensor,), torch.Tensor.__dlpack_c_exchange_api__, None, None,
            adapter._SPECIAL, {"e": torch.empty_like}, adapter._make_in_order, library.find,
            None, 1,
        )  # fmt: skip

        def call(self, ufunc, args, rounding):
            asked.append(args)
            return self.own.call(np.add, args, rounding)

    monkeypatch.setattr(adapter, "_ARRAYS", Arrays())
    monkeypatch.setattr(torch.Tensor, "is_cuda", True)
    x = torch.from_numpy(halves((8, 16)).host)
    turned = torch.from_numpy(halves((16, 8), 1).host).T
    for pair, times in (
        ((x, x), 1), ((turned, turned), 1), ((x, turned), 2), ((turned, x), 2),
        ((x[:, ::2], x[:, ::2]), 2), ((x[::2], 0.1), 2), ((x[:1].expand(8, 16), x), 2),
    ):  # fmt: skip
        asked.clear()
        result = adapter.ADAPTER.call_ufunc(hc.add.rte, pair, {}, None)
        right = [v.numpy() if isinstance(v, torch.Tensor) else v for v in pair]
        np.testing.assert_array_equal(result.numpy(), hc.add(*right).view(np.float16))
        assert len(asked) == times
    launched = len(driver.launches)
    gradient = x.clone().requires_grad_()
    for pair in ((gradient, x), (torch._neg_view(x), x), (x, True), (x, x.float())):
        assert Arrays.own.call(np.add, pair, None) is None
    with torch.no_grad():
        assert Arrays.own.call(np.add, (gradient, x), None) is not None
    assert len(driver.launches) == launched + 1
