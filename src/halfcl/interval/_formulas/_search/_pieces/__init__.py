"""Pieces of boxes, and where they are cut."""
