"""Translation of a program's source for a real device, on which each half operation is then right.

The tree from `_frontend` gives the kind and the mode of each operator, conversion, literal and
call, and its place in the text. `expressions` and `builtins` walk the tree and record the changes
as edits of single tokens (`editing`): `a + b` becomes `hc_add_rtp(a, b)` by words before, between
and behind the tokens. `editing.rewriting` applies the edits to the author's text. Code without an
edit stays as it is, with its comments, macros and lines. A use of a macro is replaced by its
expansion only if an edit lies inside of it. `device.opencl` and `prelude` write the called
functions in front of the text.

With fp16=False halves are their bits: `half` is a macro for `ushort`, so that declarations stay.

A function that no kernel calls is not parsed to a tree, and only declared in the text.

Preprocessor conditions are resolved, since a device has other macros than this package. Included
files are part of the text (`editing.including`). Functions that a text calls often are not inlined
(`texts.inlining`). C++ is another language, and is generated from the tree: see `cpp`.

Code that cannot be translated with bit-identical results is refused, with its name and line.
"""

from halfcl.cl._translation.cpp import NOWHERE, cpp_text
from halfcl.cl._translation.images import (
    computes_samplers,
    has_inexact_samplers,
    is_computed,
    takes_samplers,
    uses as uses_of_images,
)
from halfcl.cl._translation.result import (
    DeviceCall,
    FloatFunctions,
    Translation,
    check_float_functions,
)
from halfcl.cl._translation.sub_groups import (
    most_items_of,
    needs_one_sub_group,
    needs_row,
    uses_sub_groups,
)
from halfcl.cl._translation.target import NEEDS
from halfcl.cl._translation.translating import translate, translate_parsed

__all__ = [
    "NEEDS",
    "NOWHERE",
    "DeviceCall",
    "FloatFunctions",
    "Translation",
    "check_float_functions",
    "computes_samplers",
    "cpp_text",
    "has_inexact_samplers",
    "is_computed",
    "most_items_of",
    "needs_one_sub_group",
    "needs_row",
    "takes_samplers",
    "translate",
    "translate_parsed",
    "uses_of_images",
    "uses_sub_groups",
]
