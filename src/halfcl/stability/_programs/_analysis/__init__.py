"""Compares the outputs of runs, and searches for the units to blame."""
