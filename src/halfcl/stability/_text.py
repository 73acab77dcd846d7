"""What tables of text have."""

from __future__ import annotations

import math

#: Rows that a table shows at most.
MOST_ROWS = 10


def in_ulps(spread: float) -> str:
    """A spread as tables have it: whole, unless it is a fraction."""
    if math.isinf(spread) or spread == int(spread):
        return f"{spread:.0f}"
    return f"{spread:.1f}"
