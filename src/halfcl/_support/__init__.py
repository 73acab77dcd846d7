"""Helpers that every package uses and that use no package of halfcl.

They handle files and tables of text, extra packages, integer arguments and masks, byte order, other
libraries' arrays, processors, and the rules of public names.
"""
