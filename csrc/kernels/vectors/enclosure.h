/* Sums of products, squares and squared differences, enclosed between two floats; and functions
 * of them, one per lane: sums, roots, and ratios to roots.
 *
 * Products of halves are exact in float. Rounding up, their sum is an upper bound, and minus
 * the sum of the negated products a lower bound. Any float between them serves, unless there is
 * one of the numbers at which half rounds between the two, or one of the two is such a number
 * and they differ. Roots and ratios are approximated; near such a number squares decide. All
 * this is computed rounding up and with exceptions ignored. */
#ifndef HALFCL_KERNELS_VECTORS_ENCLOSURE_H
#define HALFCL_KERNELS_VECTORS_ENCLOSURE_H

#include "kernels/shared/phases.h"

ALWAYS_INLINE vf vf_minus(vf x)
{
    return vf_of_bits(vi_xor(vf_bits(x), vi_set(INT32_MIN)));
}

/* A lower bound of a sum, negated, and an upper bound. */
typedef struct {
    vf minus_low, high;
} enclosure;

/* Rounding up, x + -0 is x, whatever the sign of zeros: the sum of terms that are all -0 is
 * -0. */
ALWAYS_INLINE enclosure no_terms(void)
{
    return (enclosure){vf_set(-0.0f), vf_set(-0.0f)};
}

ALWAYS_INLINE enclosure add_enclosures(enclosure a, enclosure b)
{
    return (enclosure){vf_add(a.minus_low, b.minus_low), vf_add(a.high, b.high)};
}

ALWAYS_INLINE enclosure select_enclosure(vm m, enclosure a, enclosure b)
{
    return (enclosure){vf_select(m, a.minus_low, b.minus_low), vf_select(m, a.high, b.high)};
}

/* Adds a term computed from x and y. */
typedef enclosure add_term(enclosure sum, vf x, vf y);

ALWAYS_INLINE enclosure add_product(enclosure sum, vf x, vf y)
{
    return (enclosure){vf_fnma(x, y, sum.minus_low), vf_fma(x, y, sum.high)};
}

/* Adds a product to the upper bound only, so that an infinity times zero is recorded as invalid
 * even after a NaN, with which fused multiply-add need not record it. */
ALWAYS_INLINE enclosure add_special_product(enclosure sum, vf x, vf y)
{
    return (enclosure){sum.minus_low, vf_add(sum.high, vf_mul(x, y))};
}

ALWAYS_INLINE enclosure add_square(enclosure sum, vf x, vf y)
{
    (void)y;
    return add_product(sum, x, x);
}

/* Rounded up, the one of x - y and y - x that is positive is an upper bound of their magnitude,
 * and the negative one, whose sign its square removes, a lower bound. */
ALWAYS_INLINE enclosure add_squared_difference(enclosure sum, vf x, vf y)
{
    vf forth = vf_sub(x, y), back = vf_sub(y, x);
    vf low = vf_min(forth, back), high = vf_max(forth, back);
    return (enclosure){vf_fnma(low, low, sum.minus_low), vf_fma(high, high, sum.high)};
}

/* Returns whether there may be a number of 12 bits between the two. There is none if the bounds
 * are the same, or if they share the first 20 bits, also after subtracting one unit: then none
 * is such a number. */
ALWAYS_INLINE vm may_round_apart(vf from, vf to)
{
    vi one = vi_set(1), low = vf_bits(from), high = vf_bits(to);
    vi less = vi_xor(vi_sub(low, one), vi_sub(high, one));
    vm same = vi_has_none(vi_or(vi_xor(low, high), less), ~0xfff);
    return vm_or(vm_not(same), vf_special(to));
}

ALWAYS_INLINE vm encloses_short(enclosure sum)
{
    return may_round_apart(vf_minus(sum.minus_low), sum.high);
}

/* The memory for results: LANES of them from at on, and a bit for each hard case. */
typedef struct {
    float *y;
    char *hard;
    size_t at;
} place;

/* Stores what a function has as its results for sums. */
typedef void put_result(enclosure sum, halfcl_rounding mode, place to);

ALWAYS_INLINE void put_results(vf results, vm hard, place to)
{
    vf_put(to.y + to.at, results);
    vm_put(to.hard, to.at, hard);
}

/* Stores sums, with hard cases. Sums of zero with terms of both signs have the sign for the
 * mode. */
ALWAYS_INLINE void put_sum(enclosure sum, halfcl_rounding mode, place to)
{
    vm hard = encloses_short(sum);
    if (vm_any(hard)) {
        vf zero = vf_set(0), mode_zero = vf_set(mode == HALFCL_RTN ? -0.0f : 0.0f);
        vm cancelled = vm_and(vf_equal(sum.high, zero), vf_equal(sum.minus_low, zero));
        sum.high = vf_select(vm_and(hard, cancelled), mode_zero, sum.high);
        hard = vm_and_not(hard, cancelled);
    }
    put_results(sum.high, hard, to);
}

/* Bounds of a sum of squares. */
typedef struct {
    vf low, high;
} squares;

ALWAYS_INLINE squares bounds(enclosure sum)
{
    return (squares){vf_minus(sum.minus_low), sum.high};
}

/* The number of 12 bits nearest to |v|. */
ALWAYS_INLINE vf nearest_of_12_bits(vf v)
{
    vi bits = vi_add(vf_bits(vf_abs(v)), vi_set(0x800));
    return vf_of_bits(vi_and(bits, vi_set(~0xfff)));
}

/* Returns the number, or the float next to it, if the exact value is above or below. */
ALWAYS_INLINE vf nudge(vf number, vm above, vm below)
{
    vi one = vi_set(1), zero = vi_set(0), bits = vf_bits(number);
    bits = vi_add(bits, vi_select(above, one, zero));
    return vf_of_bits(vi_sub(bits, vi_select(below, one, zero)));
}

/* Returns the root near a number of 12 bits, whose square is exact. */
ALWAYS_INLINE vf root_by_squares(vf root, squares sum, vm *hard)
{
    vf number = nearest_of_12_bits(root), square = vf_mul(number, number), zero = vf_set(0);
    vm above = vf_less(square, sum.low), below = vf_less(sum.high, square);
    vm same = vm_and(vf_equal(sum.low, square), vf_equal(sum.high, square));
    vm none = vf_equal(sum.high, zero);
    vm decided = vm_and(*hard, vm_or(vm_or(above, below), vm_or(same, none)));
    *hard = vm_and_not(*hard, decided);
    return vf_select(decided, vf_select(none, zero, nudge(number, above, below)), root);
}

/* The error of roots and ratios, in units of float's last place: more than twice the relative
 * error in units of u = 2^-23. Rounding up increases a sum of squares by u for each addition,
 * and by 2 u more for squares of rounded differences; half of that remains in the root. The
 * step of Newton's method and the product with x add up to 3 u: 7 additions make 7.5 u, 20 make
 * 14 u. */
#define SLACK(additions) ((additions) <= 7 ? 16 : 32)

ALWAYS_INLINE vf approximate_root(vf square)
{
    vf inverse = vf_rsqrt_estimate(square), root = vf_mul(square, inverse);
    vf rest = vf_fnma(root, inverse, vf_set(1));
    return vf_fma(vf_mul(root, vf_set(0.5f)), rest, root);
}

/* Stores a root, with hard cases. */
ALWAYS_INLINE void put_near_root(vf root, vm hard, squares sum, place to)
{
    if (vm_any(hard))
        root = root_by_squares(root, sum, &hard);
    put_results(root, hard, to);
}

/* Stores the root of a sum of squares, approximately its upper bound. */
ALWAYS_INLINE void put_root(enclosure sum, int slack, place to)
{
    vf root = approximate_root(sum.high);
    put_near_root(root, vf_hard_cases(root, slack, vm_none()), bounds(sum), to);
}

/* Stores the root of a sum of any number of squares, whose bounds are within 2^-14 relatively:
 * there is no number of 12 bits between the roots of the two, whose error is 3 u each, if
 * truncating the upper one to 12 bits gives less than the lower one. */
ALWAYS_INLINE void put_root_of_many(enclosure sum, halfcl_rounding mode, place to)
{
    squares both = bounds(sum);
    vf low = approximate_root(both.low), high = approximate_root(both.high);
    vi slack = vi_set(SLACK(1) / 2), least = vi_sub(vf_bits(low), slack);
    vi most = vi_and(vi_add(vf_bits(high), slack), vi_set(~0xfff));
    (void)mode;
    vm hard = vm_or(vm_not(vi_less(most, least)), vf_special(high));
    put_near_root(high, hard, both, to);
}

/* Stores sums that are infinite or a NaN, as their roots are, in place of the results. */
ALWAYS_INLINE void put_special_sum(enclosure sum, halfcl_rounding mode, place to)
{
    (void)mode;
    vf results = vf_load(to.y + to.at);
    vf_put(to.y + to.at, vf_select(vf_special(sum.high), sum.high, results));
}

/* Returns the ratio of x and the root of the sum, near a number of 12 bits. The signs of x^2 -
 * number^2 * sum are right: rounded once, and far from underflow. The vector of zeros is
 * unchanged. */
ALWAYS_INLINE vf ratio_by_squares(vf ratio, vf x, squares sum, vm *hard)
{
    vf number = nearest_of_12_bits(ratio), zero = vf_set(0);
    vf factor = vf_mul(number, number), square = vf_mul(x, x);
    vf least = vf_fnma(factor, sum.high, square), most = vf_fnma(factor, sum.low, square);
    vm above = vf_less(zero, least), below = vf_less(most, zero);
    vm same = vm_and(vf_equal(least, zero), vf_equal(most, zero));
    vm none = vf_equal(sum.high, zero);
    vm decided = vm_and(*hard, vm_or(vm_or(above, below), vm_or(same, none)));
    vf value = vf_select(none, x, vf_copysign(nudge(number, above, below), x));
    *hard = vm_and_not(*hard, decided);
    return vf_select(decided, value, ratio);
}

ALWAYS_INLINE vf inverse_root(vf sum)
{
    vf inverse = vf_rsqrt_estimate(sum);
    vf rest = vf_fnma(vf_mul(sum, inverse), inverse, vf_set(1));
    return vf_fma(vf_mul(inverse, vf_set(0.5f)), rest, inverse);
}

/* Returns the inverse of the root of a sum of squares, or of 1 if that is zero. */
ALWAYS_INLINE vf inverse_of_sum(squares sum)
{
    return inverse_root(vf_select(vf_equal(sum.high, vf_set(0)), vf_set(1), sum.high));
}

/* Returns a component of an infinite vector as it counts there: infinite ones are 1, finite
 * ones 0, with their signs. */
ALWAYS_INLINE vf sign_if_infinite(vf x)
{
    vm infinite = vf_equal(vf_abs(x), vf_set(INFINITY));
    return vf_copysign(vf_select(infinite, vf_set(1), vf_set(0)), x);
}

/* Stores the ratio of x and the root of the sum, whose inverse is `inverse`. */
ALWAYS_INLINE void put_ratio(vf x, squares sum, vf inverse, int slack, place to)
{
    vf ratio = vf_mul(x, inverse);
    vm hard = vf_hard_cases(ratio, slack, vm_none());
    if (vm_any(hard))
        ratio = ratio_by_squares(ratio, x, sum, &hard);
    put_results(ratio, hard, to);
}

#endif
