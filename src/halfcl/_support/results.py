"""What functions of arrays give."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: An array; of one without axes what NumPy gives for it.
Result: TypeAlias = NDArray[Any] | np.generic
#: One, or several in a row.
Results: TypeAlias = Result | tuple[Result, ...]
