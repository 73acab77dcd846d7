"""A library of arrays: each that is there, and what stands for CuPy without a GPU."""

import sys

import pytest
from array_libraries import THERE, StandIn, reload_cuda_adapters


@pytest.fixture(scope="module", params=THERE)
def library(request):
    found = THERE[request.param]
    if not isinstance(found, StandIn):
        yield found
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", found.cupy)
        with reload_cuda_adapters():
            yield found


@pytest.fixture(autouse=True)
def first_gpu():
    """JAX leaves another GPU current than the first, where there are several."""
    cuda = getattr(sys.modules.get("cupy"), "cuda", None)
    if "jax" in sys.modules and hasattr(cuda, "is_available") and cuda.is_available():
        cuda.Device(0).use()
