"""Types of the results of array functions."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: An array, or NumPy's scalar in place of an array without axes.
Result: TypeAlias = NDArray[Any] | np.generic
#: One result, or several as a tuple.
Results: TypeAlias = Result | tuple[Result, ...]
