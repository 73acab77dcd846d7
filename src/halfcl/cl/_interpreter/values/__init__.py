"""Values of a block's work-items: masks and ramps, integers, and floating numbers."""
