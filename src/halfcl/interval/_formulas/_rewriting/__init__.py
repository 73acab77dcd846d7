"""Other forms of the same formulas, whose ranges in intervals are narrower."""
