"""The rows of the table, by family."""
