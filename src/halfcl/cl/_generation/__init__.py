"""From tree to Python: each function of a program becomes one over all work-items of a block.

The first two arguments are the run of a block and the mask of active items (`lanes`); values are
as `numbers` and `integers` have them. Statements that some items leave (break, continue,
return) take these out of the mask `m`, and what follows runs if any are left.
"""

from halfcl.cl._generation.functions import generate
from halfcl.cl._generation.module import Names
from halfcl.cl._generation.writer import function_key

__all__ = ["Names", "function_key", "generate"]
