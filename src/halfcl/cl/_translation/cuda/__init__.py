"""A program as CUDA C++, in which each operation is the one that its tree says.

C++ has no vectors with components by name, no `(float4)(a, b)` and no address spaces, and what it
converts unasked is not what OpenCL C does. So the text is written from the tree, where all of that
is said in words: functions, variables and statements have their author's names and order, macros
are what they stand for, comments stand before the statements that they stood at. In front of it
stand `device.cuda`'s functions of half, and OpenCL C's vocabulary: `cuda_vectors.h`,
`cuda_numbers.h` and `cuda_items.h` of `device/preludes`.

`naming` has the names of types and variables, `values` conversions and constants, `expressions`
and `calls` expressions, `statements` the rest.
"""

from halfcl.cl._translation.cuda.statements import NOWHERE, cuda_text

__all__ = ["NOWHERE", "cuda_text"]
