"""Classes beside NumPy's arrays that its functions accept: their base, and the functions' table."""
