"""Records what a run outputs and does: numbers, figures, variables, steps and processes."""
