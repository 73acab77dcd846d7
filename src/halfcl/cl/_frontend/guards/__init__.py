"""Guards of a build: limits of nesting, a large enough stack, and Ctrl-C."""
