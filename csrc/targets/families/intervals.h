/* Arithmetic and functions of intervals. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/intervals/arithmetic.h"
#include "kernels/intervals/functions.h"

/* clang-format off */
HALFCL_FAMILY(intervals,
    INTERVAL_FUNCTION_KERNELS
    INTERVAL_KERNELS)
/* clang-format on */

#endif
