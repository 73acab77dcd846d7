"""Functions of vectors and matrices of intervals."""
