/* Where a coordinate is in an image, and the sum of texels by weights, in integers.
 *
 * A coordinate is a float or an int32, so a multiple of 2^-149, and so is what it becomes
 * times a size and less a half. Weights then are integers below 2^149 in units of 2^-149, their
 * products of up to 3 ones below 2^447. Texels are multiples of 2^-149 below 2^128: their sum
 * is an integer below 2^724 in units of 2^-596, and fits 23 limbs. */
#ifndef HALFCL_EXACT_IMAGE_H
#define HALFCL_EXACT_IMAGE_H

#include "halfcl.h"

enum { EXACT_UNIT = 149, WEIGHT_LIMBS = 5 };

/* Between which two texels along one dimension, -1 where it is outside, and the weight of the
 * second one. NEAREST: the first one alone. */
typedef struct {
    int32_t index[2];
    uint32_t weight[WEIGHT_LIMBS];
} exact_place;

/* coordinate: any float, or an int32. */
exact_place exact_place_of(double coordinate, int32_t size, const halfcl_sampler *sampler);

/* The weight, rounded. */
double exact_weight(const exact_place *place);

/* The sum of 2^dims texels times their weights, over the divisor (an integer below 2^16),
 * rounded to odd. Of x, y and z x goes first: bit d of a texel's number says which side it is
 * on along dimension d. Those of weight zero do not count, whatever they are. */
double exact_blend(const double *texels, const exact_place *places, int dims, uint32_t divisor);

#endif
