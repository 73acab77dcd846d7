"""The array of intervals, and what its methods and operators use."""
