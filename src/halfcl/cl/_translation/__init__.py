"""A program's own source as source for a real device, in which each operation on halves is right.

How it works: the tree that `_parsing` makes tells of each operator, conversion, literal and call
what it is and in which mode; its places tell where it stands. `expressions` and `builtins` go
through the tree, and note what is to change as edits of single tokens (`edits`): `a + b` becomes
`hc_add_rtp(a, b)` by words before, between and behind. `rewriting` makes these edits in the text
as its author wrote it. What has no edit stays as it is, with its comments, macros and lines. A use
of a macro is replaced by what it stands for only if an edit lies inside of it. `device.opencl` and
`prelude` write the functions that are called, in front of it.

With fp16=False halves are their bits: `half` is a macro for `ushort`, so that declarations stay.

Conditions of the preprocessor are settled: a device has other macros than this package.
CUDA C++ is another language, and is written from the tree: see `cuda`.

What cannot be translated so that the bits are the interpreter's is refused, by name and line.
"""

from halfcl.cl._translation.cuda import NOWHERE, cuda_text
from halfcl.cl._translation.images import (
    computes_samplers,
    has_inexact_samplers,
    is_computed,
    takes_samplers,
    uses as uses_of_images,
)
from halfcl.cl._translation.target import NEEDS
from halfcl.cl._translation.teams import needs_one_team, uses_teams
from halfcl.cl._translation.translating import translate, translated

__all__ = [
    "NEEDS",
    "NOWHERE",
    "computes_samplers",
    "cuda_text",
    "has_inexact_samplers",
    "is_computed",
    "needs_one_team",
    "takes_samplers",
    "translate",
    "translated",
    "uses_of_images",
    "uses_teams",
]
