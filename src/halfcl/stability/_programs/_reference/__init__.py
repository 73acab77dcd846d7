"""The reference run: the program once more with wider halves.

In this run `numpy.float16` and `halfcl.half` are a `stand_in` type whose arrays are physically
doubles, so that data moves by NumPy's own machinery. `source` rewrites the program's own code when
it is loaded, and `calls` is what the rewritten code calls. `reading` widens halves that were made
elsewhere. `halfcl_functions` computes halfcl's functions in doubles. `patches` installs all of
these, and removes them. `leaks` records where the program leaves what the run can follow. `run`
makes the run.
"""
