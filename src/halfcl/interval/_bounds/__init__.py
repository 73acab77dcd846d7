"""Functions of bounds: each bound of a result is exact, then rounded outward once."""
