"""Errors in units of the last place: ulp_error, ulps_between, allowed_ulp."""

from halfcl._opencl.ulps.allowed import allowed_ulp
from halfcl._opencl.ulps.errors import ulp_error, ulps_between

__all__ = ["allowed_ulp", "ulp_error", "ulps_between"]
