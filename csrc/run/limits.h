/* Which calls may be split over threads. What sets this is in halfcl.h. */
#ifndef HALFCL_RUN_LIMITS_H
#define HALFCL_RUN_LIMITS_H

#include <stdatomic.h>

#include "halfcl.h"

/* One less than the elements from which on it may pay. */
extern atomic_size_t halfcl_always_whole;

/* What halfcl_set_grain was given: 0, or the elements of a part. */
extern atomic_size_t halfcl_forced_grain;

/* Whether a call of so many elements is to be looked at more closely: it may be split, or there
 * are none. One comparison, as most calls are small. */
static inline bool halfcl_is_unusual(size_t elements)
{
    return elements - 1 >= atomic_load_explicit(&halfcl_always_whole, memory_order_relaxed);
}

static inline bool halfcl_may_split(size_t elements)
{
    return elements > 0 && halfcl_is_unusual(elements);
}

#endif
