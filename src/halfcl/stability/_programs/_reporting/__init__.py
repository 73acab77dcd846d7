"""Presents the report of a test as text and as a page with pictures."""
