"""The audit of a target's functions, by family: of halves, of vectors, conversions, reductions."""
