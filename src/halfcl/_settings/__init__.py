"""What holds for a call beside its arguments, until it is changed: the rounding mode of the region
that it is made in, and how many threads it may use. ``_core`` is told both, and asks nobody."""
