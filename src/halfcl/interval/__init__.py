"""Interval arithmetic on halves."""
