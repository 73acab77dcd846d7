/* Geometric functions of strided vectors. */
#ifndef HALFCL_GEOMETRIC_H
#define HALFCL_GEOMETRIC_H

#include "halfcl.h"

/* The kernels work on blocks of so many vectors, and on those of up to so many components by
 * component: what a block of the usual four components takes stays in L1. */
enum { HALFCL_WIDEST = 16, HALFCL_VECTORS = 256 };

/* Bytes from one vector to the next, and from one component to the next; width: how many
 * components there are: 1 in the output of what gives one result a vector. */
typedef struct {
    char *start;
    ptrdiff_t step, component;
    size_t width;
} halfcl_vectors;

/* Applies a geometric kernel to n vectors of each operand, inputs then output, in the given
 * mode, with the floating-point environment set and restored. The output overlaps no input.
 * Returns the exceptions raised. */
unsigned halfcl_geometric(const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
                          halfcl_rounding mode);

#endif
