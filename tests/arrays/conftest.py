"""Fixture of the available libraries of arrays, and a stand-in for CuPy without a GPU."""

import sys

import pytest
from array_libraries import THERE, StandIn, fresh_cupy_adapters


@pytest.fixture(scope="module", params=THERE)
def library(request):
    library = THERE[request.param]
    if not isinstance(library, StandIn):
        yield library
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", library.cupy)
        with fresh_cupy_adapters():
            yield library


@pytest.fixture(autouse=True)
def first_gpu():
    """Make the first GPU current, since JAX leaves another one current where there are several."""
    cuda = getattr(sys.modules.get("cupy"), "cuda", None)
    if "jax" in sys.modules and hasattr(cuda, "is_available") and cuda.is_available():
        cuda.Device(0).use()
