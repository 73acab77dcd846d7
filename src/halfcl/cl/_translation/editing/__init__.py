"""Edits of a source's text, as its author wrote it."""
