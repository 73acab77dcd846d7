/* The places of coordinates in an image, and weighted sums of texels, in integers.
 *
 * A coordinate is a float or an int32, so a multiple of 2^-149, and so is its product with a
 * size, minus a half. Weights are therefore integers below 2^149 in units of 2^-149, and
 * products of up to 3 weights are below 2^447. Texels are multiples of 2^-149 below 2^128:
 * their sum is an integer below 2^724 in units of 2^-596, and fits 23 limbs. */
#ifndef HALFCL_EXACT_IMAGE_H
#define HALFCL_EXACT_IMAGE_H

#include "halfcl.h"

enum { EXACT_UNIT = 149, WEIGHT_LIMBS = 5 };

/* The two texels on both sides of a coordinate along one dimension, -1 if outside, and the
 * weight of the second one. With NEAREST only the first one is used. */
typedef struct {
    int32_t index[2];
    uint32_t weight[WEIGHT_LIMBS];
} exact_place;

/* coordinate: any float, or an int32. */
exact_place exact_place_of(double coordinate, int32_t size, const halfcl_sampler *sampler);

/* Returns the weight, rounded. */
double exact_weight(const exact_place *place);

/* Returns the sum of 2^dims texels times their weights, over the divisor (an integer below
 * 2^16), rounded to odd. x varies fastest: bit d of a texel's number says which side it is on
 * along dimension d. Texels of weight zero do not count, whatever they are. */
double exact_blend(const double *texels, const exact_place *places, int dims, uint32_t divisor);

#endif
