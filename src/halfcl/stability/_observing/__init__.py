"""Observes what a run computes: which operations count, and what they make that is not finite."""
