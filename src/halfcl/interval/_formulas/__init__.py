"""Enclosures, ranges and roots of formulas, computed with intervals between doubles."""
