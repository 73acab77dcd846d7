"""The search for the range of a formula: boxes that are cut, contracted and decided."""
