"""Compares plain and accelerated runs of a program: ``python -m halfcl run --compare``.

`comparing` conducts the comparison, in the processes of `halfcl.stability._programs`, which also
keeps the user's files apart and compares results. `running` is one run in its process. For the rows
of calls, `rewriting` instruments the source of the program, and `recording` times its NumPy calls.
`advising` says why a call gains nothing, and `reporting` presents the report.
"""
