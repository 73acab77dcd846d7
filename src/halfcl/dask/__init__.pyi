"""What `halfcl.dask` offers, without Dask's own types, which take a type checker long to read."""

from typing import Any

from halfcl.vectors import Vector

def vectors(x: Any, kind: type[Vector]) -> Any: ...
