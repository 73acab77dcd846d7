"""Code of expressions."""
