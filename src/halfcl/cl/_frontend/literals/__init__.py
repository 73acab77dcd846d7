"""Values of literals in source text."""
