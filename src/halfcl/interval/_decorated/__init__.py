"""The array of decorated intervals, and the propagation of decorations."""
