"""Other forms of sums and products of sines and cosines."""
