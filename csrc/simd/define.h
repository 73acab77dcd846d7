/* The macros by which the headers of instruction sets define the operations of the
 * vocabulary. */
#ifndef HALFCL_SIMD_DEFINE_H
#define HALFCL_SIMD_DEFINE_H

#include "format/half.h"

#define EACH(k, count) for (int k = 0; k < (count); ++k)

/* Defines an operation that is one expression (which may have commas). */
#define OP(type, name, params, ...)                                                            \
    ALWAYS_INLINE type name params                                                             \
    {                                                                                          \
        return __VA_ARGS__;                                                                    \
    }

/* Reads a float that another thread may be writing. */
ALWAYS_INLINE float shared_float(const float *p)
{
    float x;
    __atomic_load(p, &x, __ATOMIC_RELAXED);
    return x;
}

#endif
