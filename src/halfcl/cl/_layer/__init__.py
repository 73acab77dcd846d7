"""The Python side of OpenCL's layer (`csrc/layer`): the translator process beside a program.

The layer starts `__main__` at the first build that needs it, sends the text, options and device,
and builds the answer. `protocol` has the messages, `serving` answers them, from `cache` if
possible, else by `translating`. All but `translating` and what it imports use Python's own library
alone, so that a cached answer need not wait until halfcl is imported.
"""
