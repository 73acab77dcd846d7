"""Built-in functions of numbers: math, integer, geometric, relational, and conversions."""
