"""Runs a program in its own process, and protects the files of the user from it."""
