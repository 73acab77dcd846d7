"""Places that arrays of halves are reduced on: devices, wherever one is found; and CUDA's text
without one, by g++."""

import cuda_host
import pytest
from device_places import REAL, WHY_NONE, Gxx, Planned
from exhaustive import either


@pytest.fixture(scope="module", params=[*([r for r in REAL if r]), "g++"],
                ids=lambda p: p if isinstance(p, str) else type(p).__name__)  # fmt: skip
def place(request):
    if request.param != "g++":
        yield request.param
        return
    if cuda_host.GXX is None:
        pytest.skip(f"needs g++ to run CUDA C++ on the host; {WHY_NONE}")
    with cuda_host.in_place_of_cupy():
        import cupy

        yield Gxx(cupy)


@pytest.fixture(scope="module", params=either(["items", "lanes"], ["lanes"]))
def planned(request, place):
    return Planned(place, request.param == "lanes")


@pytest.fixture(scope="module")
def one_plan(place):
    return Planned(place, True)
