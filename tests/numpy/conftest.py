"""Fixtures of both types that NumPy's functions compute with halfcl's kernels."""

import numpy as np
import pytest

import halfcl as hc
from halfcl import half


@pytest.fixture(params=["half", "accelerated float16"])
def kind(request):
    """The scalar types half and, while accelerated, float16."""
    if request.param == "half":
        yield half
        return
    with hc.accelerated():
        yield np.float16
