/* atan2 and atan2pi on devices: the fast phases of the kernels (kernels/shared/phases.h), and
 * the slow paths, which decide the remaining cases with integers, one call each.
 *
 * In radians an angle of halves is rational only on the axes; in half turns only there and on
 * the diagonals (exact/doubledouble/inverse_trig.c). Other angles, known within 2^-59, differ
 * relatively from every number at which half rounds by 2^-42 or more, as trying every slope has
 * shown; except small angles in radians, which are as near to y / x as that is small. */
#ifndef HALFCL_DEVICE_ANGLES_H
#define HALFCL_DEVICE_ANGLES_H

#include "device/fixed_point.h"
#include "kernels/functions/inverse_trig.h"

/* In units of float's last place. With quotients whose relative error is little more than 2^-24
 * these approximations are within 1.9, as trying every pair of significands has shown. */
enum { ANGLE_SLACK = 2 };

/* atan(k / 8), in units of 2^-64. */
static const uint64_t atan_8ths[] = {
    0x0000000000000000, 0x1fd5ba9aac2f6dc6, 0x3eb6ebf25901bac5,
    0x5bd86507937bc239, 0x76b19c1586ed3da2, 0x8f005d5ef7f59f9b,
    0xa4bc7d1934f70924, 0xb8053e2bc2319e73, 0xc90fdaa22168c234};

/* height / width * 2^-depth <= 1, for significands of 11 bits. */
typedef struct {
    uint64_t height, width;
    int depth;
} slope_of_point;

/* For finite 0 < height <= width. */
ALWAYS_INLINE slope_of_point slope_of(vf height, vf width)
{
    int32_t low = magnitude_bits(height), high = magnitude_bits(width);
    const int32_t fraction = (1 << 23) - 1, one = 1 << 23;
    return (slope_of_point){(uint64_t)((low & fraction) | one) >> FLOAT_CUT,
                            (uint64_t)((high & fraction) | one) >> FLOAT_CUT,
                            (high >> 23) - (low >> 23)};
}

/* Returns the angle of a tangent below 2^-12: it is smaller than the tangent by less than 2^-25
 * of that. If the tangent is no number at which half rounds, it differs from every such number
 * by at least 2^-23 of itself, and the angle lies between the same two; if it is one, the angle
 * lies just below it. So it is truncated, and decreased if that is exact. */
ALWAYS_INLINE extended small_angle(slope_of_point of)
{
    return extended_of(((of.height << 40) - 1) / of.width | 1, -40 - of.depth);
}

/* Returns the arc tangent: that of the nearest multiple c of 1/8, plus the series of the rest,
 * whose tangent is (y - c x) / (x + c y). */
ALWAYS_INLINE extended extended_atan(slope_of_point of)
{
    uint64_t tangent = (of.height << (44 - of.depth)) / of.width;
    uint64_t k = (tangent + ((uint64_t)1 << 40)) >> 41;
    uint64_t y = 8 * of.height, x = of.width << of.depth;
    bool below = y < k * x;
    extended rest = extended_of(below ? k * x - y : y - k * x, 0);
    extended angle =
        odd_series(extended_quotient(rest, extended_of(8 * x + k * of.height, 0)), true);
    return k == 0 ? angle : extended_sum(extended_of(atan_8ths[k], -64), angle, below);
}

/* Returns the angle without its sign if it is a multiple of 1/4 of a half turn; otherwise 2. */
ALWAYS_INLINE vf special_half_turns(vf y, vf x)
{
    vf height = vf_abs(y), width = vf_abs(x);
    bool flat = height == 0 || (width == INFINITY && height < INFINITY);
    bool upright = !flat && (width == 0 || (height == INFINITY && width < INFINITY));
    vf angle = flat ? 0 : upright ? 0.5f : height == width ? 0.25f : 2.0f;
    return vf_sign(x) && angle < 2 ? 1 - angle : angle;
}

/* Returns the angle of a point off the axes; half_turn is a half turn in the unit of the
 * result. */
ALWAYS_INLINE vf plain_angle(vf y, vf x, bool in_half_turns)
{
    const extended inverse_pi = {0xa2f9836e4e441529, -65}, pi = {0xc90fdaa22168c234, -62};
    vf height = vf_abs(y), width = vf_abs(x);
    bool steep = height > width, minus = y < 0;
    slope_of_point of = slope_of(steep ? width : height, steep ? height : width);
    if (of.depth > 12 && !in_half_turns && !steep && x > 0)
        return float_of_extended(small_angle(of), minus);
    extended angle = extended_atan(of), turn = in_half_turns ? extended_of(1, 0) : pi;
    if (in_half_turns)
        angle = extended_product(angle, inverse_pi);
    if (steep)
        angle = extended_sum((extended){turn.size, turn.exponent - 1}, angle, true);
    if (x < 0)
        angle = extended_sum(turn, angle, true);
    return float_of_extended(a_bit_more(angle), minus);
}

NOINLINE vf decide_angle(vf y, vf x, bool in_half_turns)
{
    if (vf_unordered(x, y))
        return NAN;
    vf special = special_half_turns(y, x);
    if (special == 2)
        return plain_angle(y, x, in_half_turns);
    return vf_copysign(in_half_turns ? special : vf_mul(special, FLOAT_PI), y);
}

NOINLINE vf decide_atan2(vf y, vf x)
{
    return decide_angle(y, x, false);
}

NOINLINE vf decide_atan2pi(vf y, vf x)
{
    return decide_angle(y, x, true);
}

#endif
