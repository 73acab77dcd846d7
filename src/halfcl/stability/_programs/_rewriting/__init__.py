"""Finds the formulas on lines to blame, and measures rewrites of them."""
