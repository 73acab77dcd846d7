"""Public functions of intervals."""
