"""The ways through a formula, and their evaluation on pieces."""
