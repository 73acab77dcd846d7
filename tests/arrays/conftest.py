"""A library of arrays: each that is there, and what stands for CuPy without a GPU."""

import sys

import pytest
from array_libraries import THERE, StandIn

from halfcl._support import foreign
from halfcl.device import _on_cuda


@pytest.fixture(scope="module", params=THERE)
def library(request):
    found = THERE[request.param]
    if not isinstance(found, StandIn):
        yield found
        return
    parts = ("halfcl.arrays._cupy", "halfcl.arrays._cuda")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", found.cupy)
        patch.setitem(_on_cuda._known, 0, "")
        for part in parts:
            patch.delitem(sys.modules, part, raising=False)
        foreign.part_for.cache_clear()
        yield found
    for part in parts:
        sys.modules.pop(part, None)
    foreign.part_for.cache_clear()


@pytest.fixture(autouse=True)
def first_gpu():
    """JAX leaves another GPU current than the first, where there are several."""
    cuda = getattr(sys.modules.get("cupy"), "cuda", None)
    if "jax" in sys.modules and hasattr(cuda, "is_available") and cuda.is_available():
        cuda.Device(0).use()
