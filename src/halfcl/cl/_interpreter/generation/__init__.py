"""Generation of Python code: each function of a program runs for all work-items of a block.

Its first two arguments are the run of a block and the mask of active items (`lanes`); values are
those of `numbers` and `integers`. Statements that some items leave (break, continue, return) remove
these from the mask `m`; the code after them runs if any remain.
"""

from halfcl.cl._interpreter.generation.functions import generate
from halfcl.cl._interpreter.generation.module import Names
from halfcl.cl._interpreter.generation.writer import function_key

__all__ = ["Names", "function_key", "generate"]
