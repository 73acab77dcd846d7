/* Geometric functions. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/vectors/geometric.h"

/* clang-format off */
HALFCL_FAMILY(vectors,
    GEOMETRIC_KERNELS)
/* clang-format on */

#endif
