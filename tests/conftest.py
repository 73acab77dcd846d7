"""Fixtures that every test file may use."""

import numpy as np
import pytest

import halfcl as hc


@pytest.fixture(params=["rte", "rtz", "rtp", "rtn"])
def mode(request):
    """Each rounding mode."""
    return request.param


@pytest.fixture(scope="session")
def all_halves():
    """Every bit pattern, in order, as a read-only half array."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    halves.flags.writeable = False
    return halves
