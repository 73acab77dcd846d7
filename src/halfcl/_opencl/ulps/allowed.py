"""The function allowed_ulp: OpenCL's limits, from the table."""

from __future__ import annotations

import math
from typing import Literal

from halfcl._tables import TABLE
from halfcl._tables.row import AbsoluteError, Builtin, Limit, PerComponent

_ROWS = {row.name: row for row in TABLE if row.public}


def allowed_ulp(
    name: str, profile: Literal["full", "embedded"] = "full", *, components: int | None = None
) -> float:
    """Return the error that OpenCL allows a function for half, in units of the last place.

    Parameters
    ----------
    name : str
        A function's name, as ``"exp"``; operators have NumPy's names, ``"add"``.
    profile : {"full", "embedded"}, optional
        OpenCL's profile.
    components : int, optional
        For `distance`, `length` and `normalize` in the full profile: the number of components
        of the vectors; the limit grows with it.

    Returns
    -------
    float
        0.5 where correct rounding is demanded (to nearest: in a directed mode that is less
        than 1 ulp), 0 for exact functions, infinity where OpenCL leaves the error to the
        implementation or has no such function.

    Raises
    ------
    ValueError
        If halfcl has no function of the name; the profile is unknown; ``components`` is missing,
        or not a positive number; or the limit is not in ulp, as those of `dot` and `cross`
        in the full profile.

    See Also
    --------
    ulp_error : the error of a result.

    Notes
    -----
    halfcl's own results are correctly rounded, whatever is allowed.

    Source: cl_khr_fp16, Relative Error as ULPs.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.allowed_ulp("exp"), hc.allowed_ulp("exp", "embedded"), hc.allowed_ulp("sqrt")
    (2.0, 3.0, 0.5)
    >>> hc.allowed_ulp("length", components=3)
    1.75
    """
    row = _row(name)
    if profile not in ("full", "embedded"):
        raise ValueError(f"profile: expected 'full' or 'embedded', got {profile!r}")
    return _in_ulp(name, row.limit if profile == "full" else row.embedded, components)


def _row(name: object) -> Builtin:
    if not isinstance(name, str) or name not in _ROWS:
        raise ValueError(f"name: expected one of halfcl's functions, as 'exp', got {name!r}")
    return _ROWS[name]


def _in_ulp(name: str, limit: Limit, components: int | None) -> float:
    if isinstance(limit, AbsoluteError | str):
        raise ValueError(
            f"name: expected a function whose limit is in ulp; of {name!r} it is {limit}"
        )
    if limit is None:
        return math.inf
    if not isinstance(limit, PerComponent):
        return float(limit)
    if components is None or components < 1:
        raise ValueError(
            f"components: expected the number of components, since the limit of {name!r} is "
            f"{limit}, got {components!r}"
        )
    return limit.of(components)
