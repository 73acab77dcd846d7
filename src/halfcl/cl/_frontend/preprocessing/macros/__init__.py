"""Macros: their definitions, and their expansion as C has it (C99, 6.10.3)."""
