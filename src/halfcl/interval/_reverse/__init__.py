"""Reverse operations: the numbers at which a function lies in an interval."""
