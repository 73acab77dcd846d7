"""Texts of helper functions that translated sources call."""
