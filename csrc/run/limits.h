/* Determines which calls may be split over threads. halfcl.h has the functions that set
 * this. */
#ifndef HALFCL_RUN_LIMITS_H
#define HALFCL_RUN_LIMITS_H

#include <stdatomic.h>

#include "halfcl.h"

/* One less than the number of elements from which on splitting may pay. */
extern atomic_size_t halfcl_always_whole;

/* The argument of halfcl_set_grain: 0, or the elements of a part. */
extern atomic_size_t halfcl_forced_grain;

/* Returns whether a call of so many elements needs a closer check: it may be split, or has
 * none. This is one comparison, since most calls are small. */
static inline bool halfcl_is_unusual(size_t elements)
{
    return elements - 1 >= atomic_load_explicit(&halfcl_always_whole, memory_order_relaxed);
}

static inline bool halfcl_may_split(size_t elements)
{
    return elements > 0 && halfcl_is_unusual(elements);
}

#endif
