#include "exact/image.h"

#include <math.h>

#include "format/half.h"

/* ------------------------------------------------------------ places */

/* A coordinate in units of 2^-149, in two's complement. */
enum { FIXED_LIMBS = 8, UNIT_LIMB = EXACT_UNIT / 32, UNIT_BIT = EXACT_UNIT % 32 };
typedef struct {
    uint32_t limb[FIXED_LIMBS];
} fixed;

static void fixed_negate(fixed *x)
{
    uint64_t carry = 1;
    for (int k = 0; k < FIXED_LIMBS; ++k) {
        carry += (uint32_t)~x->limb[k];
        x->limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void fixed_multiply(fixed *x, uint32_t factor)
{
    uint64_t carry = 0;
    for (int k = 0; k < FIXED_LIMBS; ++k) {
        carry += (uint64_t)x->limb[k] * factor;
        x->limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void fixed_add(fixed *x, int bit, uint32_t value)
{
    uint64_t carry = (uint64_t)value << bit % 32;
    for (int k = bit / 32; k < FIXED_LIMBS; ++k) {
        carry += x->limb[k];
        x->limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Clears all bits from `bit` on. */
static void fixed_cut(fixed *x, int bit)
{
    x->limb[bit / 32] &= ((uint32_t)1 << bit % 32) - 1;
    for (int k = bit / 32 + 1; k < FIXED_LIMBS; ++k)
        x->limb[k] = 0;
}

/* For |x| < 2^33. */
static fixed fixed_of(double x)
{
    fixed result = {{0}};
    int exponent;
    uint64_t significand = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    int bit = exponent - 53 + EXACT_UNIT;
    if (bit < 0) { /* the bits shifted out are zero */
        significand >>= -bit;
        bit = 0;
    }
    fixed_add(&result, bit, (uint32_t)significand);
    fixed_add(&result, bit + 32, (uint32_t)(significand >> 32));
    if (x < 0)
        fixed_negate(&result);
    return result;
}

static int64_t fixed_floor(const fixed *x)
{
    uint64_t low = (uint64_t)x->limb[UNIT_LIMB + 1] << 32 | x->limb[UNIT_LIMB];
    uint64_t high = (uint64_t)x->limb[UNIT_LIMB + 3] << 32 | x->limb[UNIT_LIMB + 2];
    return (int64_t)(low >> UNIT_BIT | high << (64 - UNIT_BIT));
}

static bool repeats(const halfcl_sampler *sampler)
{
    return sampler->addressing == HALFCL_ADDRESS_REPEAT ||
           sampler->addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
}

/* Replaces a coordinate from 0 to 2 by its distance from the nearest even integer. */
static void mirror(fixed *x)
{
    if (fixed_floor(x) >= 1) {
        fixed_negate(x);
        fixed_add(x, EXACT_UNIT, 2);
    }
}

/* Returns the coordinate in texels, minus a half if the filter needs it. */
static fixed among_texels(double coordinate, int32_t size, const halfcl_sampler *sampler)
{
    fixed x = fixed_of(coordinate);
    if (sampler->addressing == HALFCL_ADDRESS_REPEAT)
        fixed_cut(&x, EXACT_UNIT);
    if (sampler->addressing == HALFCL_ADDRESS_MIRRORED_REPEAT) {
        fixed_cut(&x, EXACT_UNIT + 1);
        mirror(&x);
    }
    if (sampler->normalized)
        fixed_multiply(&x, (uint32_t)size);
    if (sampler->filter == HALFCL_LINEAR) {
        fixed_negate(&x);
        fixed_add(&x, EXACT_UNIT - 1, 1);
        fixed_negate(&x);
    }
    return x;
}

static int32_t index_of(int64_t i, int32_t size, halfcl_addressing addressing)
{
    bool below = i < 0, above = i >= size;
    if (!below && !above)
        return (int32_t)i;
    switch (addressing) {
    case HALFCL_ADDRESS_CLAMP_TO_EDGE:
    case HALFCL_ADDRESS_MIRRORED_REPEAT:
        return below ? 0 : size - 1;
    case HALFCL_ADDRESS_REPEAT:
        return below ? size - 1 : 0;
    default:
        return -1;
    }
}

exact_place exact_place_of(double coordinate, int32_t size, const halfcl_sampler *sampler)
{
    const double huge = 0x1p32; /* beyond all int32; floats there are even */
    exact_place place = {{0, 0}, {0}};
    bool nan = isnan(coordinate);
    if (repeats(sampler) && !(fabs(coordinate) < huge))
        coordinate = 0;
    else if (nan && sampler->addressing == HALFCL_ADDRESS_CLAMP_TO_EDGE)
        return place;
    else if (nan || fabs(coordinate) > huge)
        coordinate = coordinate > huge ? huge : -huge;
    fixed x = among_texels(coordinate, size, sampler);
    int64_t i = fixed_floor(&x);
    place.index[0] = index_of(i, size, sampler->addressing);
    place.index[1] = index_of(i + 1, size, sampler->addressing);
    if (sampler->filter == HALFCL_LINEAR) {
        fixed_cut(&x, EXACT_UNIT);
        memcpy(place.weight, x.limb, sizeof place.weight);
    }
    return place;
}

double exact_weight(const exact_place *place)
{
    double weight = 0;
    for (int k = 0; k < WEIGHT_LIMBS; ++k)
        weight = weight * 0x1p-32 + place->weight[k];
    return ldexp(weight, 32 * (WEIGHT_LIMBS - 1) - EXACT_UNIT);
}

/* ------------------------------------------------------------ sums */

enum { SUM_LIMBS = 24 };
typedef struct {
    uint32_t limb[SUM_LIMBS];
} texel_sum;

static void texel_sum_multiply(texel_sum *x, const uint32_t *weight)
{
    texel_sum product = {{0}};
    for (int i = 0; i < SUM_LIMBS; ++i) {
        uint64_t carry = 0;
        if (x->limb[i] == 0)
            continue;
        for (int k = 0; i + k < SUM_LIMBS && (k < WEIGHT_LIMBS || carry); ++k) {
            carry += (uint64_t)x->limb[i] * (k < WEIGHT_LIMBS ? weight[k] : 0);
            carry += product.limb[i + k];
            product.limb[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    *x = product;
}

static void texel_sum_add(texel_sum *x, const texel_sum *y)
{
    uint64_t carry = 0;
    for (int k = 0; k < SUM_LIMBS; ++k) {
        carry += (uint64_t)x->limb[k] + y->limb[k];
        x->limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Subtracts y from x, modulo 2^768; returns whether y is greater. */
static bool texel_sum_subtract(texel_sum *x, const texel_sum *y)
{
    uint64_t borrow = 0;
    for (int k = 0; k < SUM_LIMBS; ++k) {
        uint64_t rest = (uint64_t)x->limb[k] - y->limb[k] - borrow;
        x->limb[k] = (uint32_t)rest;
        borrow = rest >> 63;
    }
    return borrow != 0;
}

/* Divides, and returns whether there is a remainder. */
static bool texel_sum_divide(texel_sum *x, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int k = SUM_LIMBS - 1; k >= 0; --k) {
        rest = rest << 32 | x->limb[k];
        x->limb[k] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return rest != 0;
}

/* Returns x 2^-unit, rounded to odd; more: whether x has a part beyond its last bit. */
static double texel_sum_to_double(const texel_sum *x, int unit, bool more)
{
    int top = SUM_LIMBS - 1;
    while (top > 0 && x->limb[top] == 0)
        --top;
    if (x->limb[top] == 0)
        return 0;
    uint64_t below = top > 0 ? x->limb[top - 1] : 0, last = top > 1 ? x->limb[top - 2] : 0;
    int shift = __builtin_clz(x->limb[top]);
    uint64_t high = ((uint64_t)x->limb[top] << 32 | below) << shift | last << shift >> 32;
    more |= (uint32_t)(last << shift) != 0 || (high & 0x7ff) != 0;
    for (int k = 0; k < top - 2; ++k)
        more |= x->limb[k] != 0;
    return ldexp((double)(high >> 11 | more), 32 * (top - 1) - shift + 11 - unit);
}

/* Returns a texel's magnitude in its unit, 2^-149. */
static texel_sum texel_sum_of(double texel)
{
    texel_sum x = {{0}};
    int exponent;
    uint64_t significand = (uint64_t)ldexp(frexp(fabs(texel), &exponent), 53);
    int bit = exponent - 53 + EXACT_UNIT;
    if (bit < 0) {
        significand >>= -bit;
        bit = 0;
    }
    uint32_t *limb = x.limb + bit / 32;
    uint64_t low = (significand & UINT32_MAX) << bit % 32;
    uint64_t high = (significand >> 32) << bit % 32;
    limb[0] = (uint32_t)low;
    high += low >> 32;
    limb[1] = (uint32_t)high;
    limb[2] = (uint32_t)(high >> 32);
    return x;
}

/* The weights of the first and the second texel along a dimension: 1 minus the weight of the
 * place, and that. */
typedef struct {
    uint32_t limb[2][WEIGHT_LIMBS];
    bool zero; /* whether the second one is 0 */
} weights;

static weights weights_of(const exact_place *place)
{
    weights w;
    uint32_t any = 0;
    uint64_t borrow = 0;
    for (int k = 0; k < WEIGHT_LIMBS; ++k) {
        uint64_t one = k == UNIT_LIMB ? (uint64_t)1 << UNIT_BIT : 0;
        uint64_t rest = one - place->weight[k] - borrow;
        w.limb[0][k] = (uint32_t)rest;
        w.limb[1][k] = place->weight[k];
        borrow = rest >> 63;
        any |= place->weight[k];
    }
    w.zero = any == 0;
    return w;
}

double exact_blend(const double *texels, const exact_place *places, int dims, uint32_t divisor)
{
    weights w[3];
    texel_sum sums[2] = {{{0}}, {{0}}}; /* of positive texels and of negative ones */
    double special = 0;
    for (int d = 0; d < dims; ++d)
        w[d] = weights_of(&places[d]);
    for (int corner = 0; corner < 1 << dims; ++corner) {
        double texel = texels[corner];
        bool counts = texel != 0;
        for (int d = 0; d < dims; ++d)
            counts &= !(corner >> d & 1 && w[d].zero);
        if (!counts)
            continue;
        if (!isfinite(texel)) {
            special += texel;
            continue;
        }
        texel_sum term = texel_sum_of(texel);
        for (int d = 0; d < dims; ++d)
            texel_sum_multiply(&term, w[d].limb[corner >> d & 1]);
        texel_sum_add(&sums[texel < 0], &term);
    }
    if (special != 0) /* or NaN */
        return isnan(special) ? NAN : special;
    bool negative = texel_sum_subtract(&sums[0], &sums[1]);
    if (negative) {
        texel_sum zero = {{0}};
        texel_sum_subtract(&zero, &sums[0]);
        sums[0] = zero;
    }
    bool more = texel_sum_divide(&sums[0], divisor);
    double size = texel_sum_to_double(&sums[0], EXACT_UNIT * (dims + 1), more);
    return negative ? -size : size;
}
