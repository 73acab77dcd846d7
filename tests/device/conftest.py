"""Fixtures of places that reduce arrays of halves: devices, and CUDA's text compiled by g++.

The latter needs no device, but a second a kernel, so that it runs with the exhaustive proofs only.
"""

import contextlib

import cuda_host
import pytest
from device_places import REAL, WHY_NONE, Gxx, Planned, if_long
from exhaustive import EXHAUSTIVE


@contextlib.contextmanager
def gxx_in_place_of_cupy(kind):
    """Compile CUDA C++ with g++, in CuPy's place, for GPUs with slow or fast doubles."""
    if cuda_host.GXX is None:
        pytest.skip(f"needs g++ to run CUDA C++ on the host; {WHY_NONE}")
    doubles = cuda_host.doubles_are_fast() if kind == IN_DOUBLE else contextlib.nullcontext()
    with doubles, cuda_host.in_place_of_cupy():
        import cupy

        yield Gxx(cupy)


IN_FLOAT, IN_DOUBLE = "g++", "g++, doubles"
PLACES = [*(r for r in REAL if r), *([IN_FLOAT, IN_DOUBLE] if EXHAUSTIVE else [])]


@pytest.fixture(scope="module", params=PLACES or [None],
                ids=lambda p: p if isinstance(p, str) else type(p).__name__)  # fmt: skip
def place(request):
    if request.param is None:
        pytest.skip(f"HALFCL_TEST_EXHAUSTIVE=1 was not asked for, by g++; {WHY_NONE}")
    if not isinstance(request.param, str):
        yield request.param
        return
    with gxx_in_place_of_cupy(request.param) as gxx:
        yield gxx


@pytest.fixture(params=[IN_FLOAT, IN_DOUBLE])
def gxx_plan(request):
    """A place that compiles with g++, whether proofs are exhaustive or not; for a few calls."""
    with gxx_in_place_of_cupy(request.param) as gxx:
        yield Planned(gxx, True)


@pytest.fixture(scope="module", params=if_long(["items", "lanes"], ["lanes"]))
def plan(request, place):
    return Planned(place, request.param == "lanes")


@pytest.fixture(scope="module")
def one_plan(place):
    return Planned(place, True)
