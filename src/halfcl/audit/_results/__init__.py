"""Inputs of the audit, correct results, and the comparison of a target's results with them."""
