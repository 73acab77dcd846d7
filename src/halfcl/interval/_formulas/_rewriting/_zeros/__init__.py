"""Common zeros of dividends and divisors in several variables, and functions without them."""
