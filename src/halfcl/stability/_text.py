"""Constants and formats of the tables in reports."""

from __future__ import annotations

import math

#: Maximum number of rows of a table.
MOST_ROWS = 10


def format_ulps(spread: float) -> str:
    """Format a spread for a table: without decimals if it is an integer, else with one."""
    if math.isinf(spread) or spread == int(spread):
        return f"{spread:.0f}"
    return f"{spread:.1f}"
