/* Geometric functions of a vector of n halves, and the hypotenuse.
 *
 * Products of halves are exact in float. Their sum is a sum of floats plus the sum of the
 * rounding errors: these nearly always decide how it rounds to half, on which side of a number
 * at which half rounds its root is, and on which side the ratio of a component to that root is.
 * Otherwise integers decide. Everything is a multiple of 2^-48, and no float is subnormal. */
#ifndef HALFCL_DEVICE_GEOMETRY_H
#define HALFCL_DEVICE_GEOMETRY_H

#include "device/wide.h"
#include "kernels/vectors/enclosure.h"

/* A sum, the sum of its rounding errors, and the magnitude of everything added to that. */
typedef struct {
    vf sum, rest, size;
} long_sum;

ALWAYS_INLINE long_sum with_rest(long_sum s, vf rest)
{
    return (long_sum){s.sum, vf_add(s.rest, rest), vf_add(s.size, vf_abs(rest))};
}

ALWAYS_INLINE long_sum with_term(long_sum s, vf term)
{
    vf sum = vf_add(s.sum, term);
    return with_rest((long_sum){sum, s.rest, s.size}, rest_of_sum(s.sum, term, sum));
}

/* The sum in two floats, the second one below a unit of the first one's last place; and a bound
 * of their error. */
typedef struct {
    vf sum, rest, slack;
} near_sum;

/* Each of n errors is added with an error of at most 2^-24 size. The bound is twice that, for
 * errors that are no floats. */
ALWAYS_INLINE near_sum near_sum_of(long_sum s, int n)
{
    vf sum = vf_add(s.sum, s.rest), slack = vf_mul(s.size, (float)(2 * n) * 0x1p-24f);
    return (near_sum){sum, rest_of_sum(s.sum, s.rest, sum), slack};
}

enum { MOST_COMPONENTS = 16 };

ALWAYS_INLINE void widen(vh *a, int n, vf *x)
{
    for (int k = 0; k < n; ++k)
        x[k] = vf_widen(a[k]);
}

/* Integers for the loops of a slow path: if no other long loop reads the floats, compilers can
 * keep these in registers. */
ALWAYS_INLINE void find_units(vf *x, int n, int64_t *units)
{
    for (int k = 0; k < n; ++k)
        units[k] = units_of(x[k]);
}

/* ------------------------------------------------------------ dot products */

/* Returns the product in units of 2^-48. */
ALWAYS_INLINE wide product_of_units(int64_t a, int64_t b)
{
    wide size = wide_product(wide_of(size_of_units(a)), size_of_units(b));
    return (a < 0) != (b < 0) ? wide_negative(size) : size;
}

ALWAYS_INLINE vf dot_exactly(vf *x, vf *y, int n)
{
    int64_t a[MOST_COMPONENTS], b[MOST_COMPONENTS];
    wide sum = wide_of(0);
    find_units(x, n, a);
    find_units(y, n, b);
    for (int k = 0; k < n; ++k)
        sum = wide_sum(sum, product_of_units(a[k], b[k]));
    return wide_to_float(sum, 2 * HALF_UNIT);
}

/* Returns whether the sum may differ from the float of 24 bits, rounded to odd, that its two
 * parts show: because it cancels, so that its error is half a unit of the last place, or
 * because the error may hide on which side of a number of 12 bits it is. */
ALWAYS_INLINE bool sum_is_hard(near_sum s)
{
    bool cancels = vf_mul(s.slack, 0x1p25f) > vf_abs(s.sum);
    bool close = vf_abs(s.rest) <= s.slack && s.slack > 0;
    return cancels || (close && (vf_bits(s.sum) & 0xfff) == 0);
}

/* Zeros that cancel are negative in rtn, unless all are positive. */
ALWAYS_INLINE vf dot_of(vf *x, vf *y, int n, halfcl_rounding mode)
{
    vf term = vf_mul(x[0], y[0]);
    vi bits = vf_bits(term);
    long_sum s = {term, 0, 0};
    for (int k = 1; k < n; ++k) {
        term = vf_mul(x[k], y[k]);
        bits |= vf_bits(term);
        s = with_term(s, term);
    }
    near_sum near = near_sum_of(s, n);
    bool plain = s.rest == 0 || vf_special(s.sum); /* keeps zeros and infinities as they are */
    vf result = plain ? s.sum : rounded_to_odd(near.sum, near.rest);
    if (sum_is_hard(near))
        result = dot_exactly(x, y, n);
    return mode == HALFCL_RTN && result == 0 && bits != 0 ? -0.0f : result;
}

/* ------------------------------------------------------------ lengths */

/* Returns the root of sum, which is a number and not 0, on the right side of the number of 12
 * bits nearest to an approximation; it lies between that number's neighbours. over is sum minus
 * the square of the number: both are so near that the difference is exact. */
ALWAYS_INLINE vf root_of_near_sum(near_sum s, vf *number, vf *over)
{
    *number = nearest_of_12_bits(approximate_root(s.sum));
    *over = vf_add(vf_sub(s.sum, vf_mul(*number, *number)), s.rest);
    return nudge(*number, *over > 0, *over < 0);
}

/* Returns the root of a sum in units of 2^-48, on the right side of the number. The root is
 * 2^-24 or more, the number's last place 2^-35. */
ALWAYS_INLINE vf root_of_wide(wide sum, vf number)
{
    short_float root = short_float_of(number);
    wide square = wide_product(wide_of(root.significand), root.significand);
    int side =
        wide_compare(wide_shifted(sum, 22), wide_shifted(square, 2 * root.exponent + 70));
    return nudge(number, side > 0, side < 0);
}

/* Returns whether an error may hide a sign. */
ALWAYS_INLINE bool may_hide(vf slack, vf value)
{
    return vf_abs(value) <= slack && slack > 0;
}

ALWAYS_INLINE wide wide_squares(vf *x, int n)
{
    int64_t units[MOST_COMPONENTS];
    wide sum = wide_of(0);
    find_units(x, n, units);
    for (int k = 0; k < n; ++k)
        sum = wide_sum(sum, product_of_units(units[k], units[k]));
    return sum;
}

ALWAYS_INLINE wide wide_squared_differences(vf *x, vf *y, int n)
{
    int64_t a[MOST_COMPONENTS], b[MOST_COMPONENTS];
    wide sum = wide_of(0);
    find_units(x, n, a);
    find_units(y, n, b);
    for (int k = 0; k < n; ++k)
        sum = wide_sum(sum, product_of_units(a[k] - b[k], a[k] - b[k]));
    return sum;
}

ALWAYS_INLINE long_sum sum_of_squares(vf *x, int n)
{
    long_sum s = {vf_mul(x[0], x[0]), 0, 0};
    for (int k = 1; k < n; ++k)
        s = with_term(s, vf_mul(x[k], x[k]));
    return s;
}

/* An infinite component makes the length infinite, whatever the others are. */
ALWAYS_INLINE vf special_length(vf *x, int n)
{
    bool infinite = false;
    for (int k = 0; k < n; ++k)
        infinite = infinite || vf_abs(x[k]) == INFINITY;
    return infinite ? INFINITY : NAN;
}

ALWAYS_INLINE vf length_of(vf *x, int n)
{
    vf number, over;
    near_sum s = near_sum_of(sum_of_squares(x, n), n);
    vf root = root_of_near_sum(s, &number, &over);
    if (vf_special(s.sum))
        root = special_length(x, n);
    else if (may_hide(s.slack, over))
        root = root_of_wide(wide_squares(x, n), number);
    return s.sum == 0 ? 0 : root;
}

/* x^2 + y^2 is exactly the sum of two floats. */
ALWAYS_INLINE vf hypotenuse(vf x, vf y)
{
    vf xx = vf_mul(x, x), yy = vf_mul(y, y), sum = vf_add(xx, yy), number, over;
    vf root = root_of_near_sum((near_sum){sum, rest_of_sum(xx, yy, sum), 0}, &number, &over);
    bool infinite = xx == INFINITY || yy == INFINITY;
    root = vf_special(sum) || sum == 0 ? sum : root;
    return infinite ? INFINITY : root;
}

/* Adds the square of x - y, which is d + r with its rounding error r: d^2 in two floats, 2 d r
 * within 2^-24 of that, and nothing for r^2, which is below 2^-25 of that. */
ALWAYS_INLINE long_sum with_squared_difference(long_sum s, vf x, vf y)
{
    vf d = vf_sub(x, y), r = rest_of_sum(x, -y, d), square = vf_mul(d, d);
    s = with_term(s, square);
    s = with_rest(s, vf_fma(d, d, -square));
    return with_rest(s, vf_mul(vf_add(d, d), r));
}

/* Infinite if a difference is, otherwise NaN. */
ALWAYS_INLINE vf special_distance(vf *x, vf *y, int n)
{
    bool infinite = false;
    for (int k = 0; k < n; ++k)
        infinite = infinite || vf_abs(vf_sub(x[k], y[k])) == INFINITY;
    return infinite ? INFINITY : NAN;
}

ALWAYS_INLINE vf distance_of(vf *x, vf *y, int n)
{
    vf number, over;
    long_sum all = {0, 0, 0};
    for (int k = 0; k < n; ++k)
        all = with_squared_difference(all, x[k], y[k]);
    near_sum s = near_sum_of(all, 3 * n);
    vf root = root_of_near_sum(s, &number, &over);
    if (vf_special(all.sum))
        root = special_distance(x, y, n);
    else if (may_hide(s.slack, over))
        root = root_of_wide(wide_squared_differences(x, y, n), number);
    return all.sum == 0 ? 0 : root;
}

/* ------------------------------------------------------------ normalized vectors */

/* Ratios below this, which is less than half of the least half, round alike. */
#define LEAST_RATIO 0x1p-26f

/* Returns the ratio of x to the root of squares, on the right side of the number of 12 bits
 * nearest to it, by the sign of x^2 - number^2 squares. The number is 2^-26 or more, its last
 * place 2^-37, and both terms are then less than 2^110. */
ALWAYS_INLINE vf ratio_of_wide(int64_t x, wide sum, vf number)
{
    short_float ratio = short_float_of(number);
    wide square = wide_shifted(product_of_units(x, x), -2 * ratio.exponent);
    wide other = wide_product(sum, ratio.significand * ratio.significand);
    int side = wide_compare(square, other);
    return nudge(number, side > 0, side < 0);
}

/* Returns the magnitude of the ratio to the root of a sum of squares, where inverse is nearly 1
 * / root. The difference of x^2 and the greater part of number^2 sum is exact, and the rest of
 * that is rounded once. */
ALWAYS_INLINE vf ratio_to_root(vf x, near_sum s, vf inverse, vf *number, bool *hard)
{
    vf near = vf_mul(vf_abs(x), inverse);
    *number = nearest_of_12_bits(near);
    vf factor = vf_mul(*number, *number), most = vf_mul(factor, s.sum);
    vf rest = vf_fnma(factor, s.rest, vf_fnma(factor, s.sum, most));
    vf over = vf_add(vf_fma(x, x, -most), rest);
    vf slack = vf_fma(vf_abs(rest), 0x1p-23f, vf_mul(factor, vf_add(s.slack, s.slack)));
    bool counts = near >= LEAST_RATIO;
    *hard = counts && may_hide(slack, over);
    return counts ? nudge(*number, over > 0, over < 0) : near;
}

/* Finite components count as zeros if others are infinite, which count as 1. */
ALWAYS_INLINE vf beside_infinity(vf x)
{
    return vf_copysign(vf_abs(x) == INFINITY ? 1 : 0, x);
}

/* Decides the ratios whose bits in hard are set, from the numbers of 12 bits next to them. */
ALWAYS_INLINE void solve_ratios(vf *x, int n, vi hard, vf *numbers, vf *ratios)
{
    int64_t units[MOST_COMPONENTS];
    vf solved[MOST_COMPONENTS];
    wide sum = wide_squares(x, n);
    find_units(x, n, units);
    for (int k = 0; k < n; ++k)
        solved[k] = vf_abs(numbers[k]);
    for (int k = 0; k < n; ++k)
        solved[k] = ratio_of_wide(units[k], sum, solved[k]);
    for (int k = 0; k < n; ++k)
        ratios[k] = (hard >> k & 1) != 0 ? solved[k] : ratios[k];
}

/* Zeros stay as they are, and so does the vector of zeros; one NaN makes all components NaN. */
ALWAYS_INLINE void normalize(vf *x, int n)
{
    vf numbers[MOST_COMPONENTS], ratios[MOST_COMPONENTS];
    vi any_hard = 0;
    long_sum all = sum_of_squares(x, n);
    if (all.sum == INFINITY) {
        for (int k = 0; k < n; ++k)
            x[k] = beside_infinity(x[k]);
        all = sum_of_squares(x, n);
    }
    near_sum s = near_sum_of(all, n);
    vf estimate = inverse_root(s.sum);
    vf inverse = vf_special(s.sum) ? NAN : s.sum == 0 ? 0 : estimate;
    for (int k = 0; k < n; ++k) {
        bool hard;
        ratios[k] = ratio_to_root(x[k], s, inverse, numbers + k, &hard);
        any_hard |= (vi)hard << k;
    }
    if (any_hard != 0)
        solve_ratios(x, n, any_hard, numbers, ratios);
    for (int k = 0; k < n; ++k)
        x[k] = vf_copysign(ratios[k], x[k]);
}

/* ------------------------------------------------------------ cross products */

/* Returns a b - c d rounded to odd: two exact products and one addition. */
ALWAYS_INLINE vf cross_component(vf a, vf b, vf c, vf d, halfcl_rounding mode)
{
    return sum_to_odd(vf_mul(a, b), vf_mul(-c, d), mode);
}

#endif
