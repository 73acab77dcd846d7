"""Control flow: jumps from inside of expressions, as statements."""
