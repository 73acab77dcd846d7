"""Texts that are refused before or after parsing, although clang takes them."""
