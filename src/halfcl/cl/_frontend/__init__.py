"""The front end: source text to a typed syntax tree."""
