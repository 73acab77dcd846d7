"""Benchmarks for asv, over the definitions of bench/: the history of halfcl's own speed.

bench/ compares with peers in one process; this compares commits: ``asv run``, ``asv compare``.
"""
