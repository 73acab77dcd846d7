"""Symmetries of formulas, by which some variables need not be searched."""
