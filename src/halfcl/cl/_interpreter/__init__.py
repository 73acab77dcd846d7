"""The interpreter: runs a program's tree on NumPy arrays, block by block."""
