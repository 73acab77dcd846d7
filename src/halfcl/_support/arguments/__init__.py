"""Checks and conversions of arguments: byte order, integers, masks, and promised values."""
