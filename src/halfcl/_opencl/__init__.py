"""OpenCL C's functions that are not in the table of functions.

These are conversions and reinterpretation, loads and stores, selection, constants, and errors in
ulps. Many names are made by rule, on first use.
"""
