"""The rows of the table, by kind."""
