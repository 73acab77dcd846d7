"""NumPy's side: what NumPy's functions beyond ufuncs need to take halves, and NumPy's float16
replaced and put back. ``compat`` is the only door to what is private in NumPy."""
