"""What tests of NumPy's functions on halves share."""

import numpy as np
import pytest

import halfcl as hc


@pytest.fixture(params=["half", "float16"])
def kind(request):
    """The dtype; float16 is accelerated."""
    if request.param == "half":
        yield np.dtype(hc.half)
    else:
        with hc.accelerated():
            yield np.dtype(np.float16)
