"""Guards of a build: limits of nesting, and Ctrl-C."""
