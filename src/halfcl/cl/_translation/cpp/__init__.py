"""Translation of a program to C++ for devices, in which each operation is the one in the tree.

C++ has no vectors with components by name, no `(float4)(a, b)` and no address spaces, and its
implicit conversions differ from OpenCL C's. So the text is generated from the tree, where all of
that is explicit: functions, variables and statements have their author's names and order, macros
are expanded, comments precede the statements that they belong to. The text starts with
the dialect's functions of half and OpenCL C's vocabulary: `vectors.h`, `numbers.h` and `items.h`
of `device/preludes/cpp`. `Dialect.program` has the words in which dialects differ.

`naming` has the names of types and variables, `values` conversions and constants, `expressions` and
`calls` expressions, `statements` the rest.
"""

from halfcl.cl._translation.cpp.statements import NOWHERE, cpp_text

__all__ = ["NOWHERE", "cpp_text"]
