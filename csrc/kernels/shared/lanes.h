/* The extremes of the lanes of a vector of words. */
#ifndef HALFCL_KERNELS_SHARED_LANES_H
#define HALFCL_KERNELS_SHARED_LANES_H

#include "simd/simd.h"

ALWAYS_INLINE int16_t greatest_lane(vw words)
{
    int16_t lanes[WORDS], greatest = INT16_MIN;
    vw_store(lanes, words);
    for (size_t k = 0; k < WORDS; ++k)
        greatest = lanes[k] > greatest ? lanes[k] : greatest;
    return greatest;
}

ALWAYS_INLINE int16_t least_lane(vw words)
{
    int16_t lanes[WORDS], least = INT16_MAX;
    vw_store(lanes, words);
    for (size_t k = 0; k < WORDS; ++k)
        least = lanes[k] < least ? lanes[k] : least;
    return least;
}

#endif
