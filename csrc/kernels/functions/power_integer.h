/* The fast phases of powers and roots with integer exponents, and their special cases. */
#ifndef HALFCL_KERNELS_FUNCTIONS_POWER_INTEGER_H
#define HALFCL_KERNELS_FUNCTIONS_POWER_INTEGER_H

#include "kernels/functions/power_fast.h"
#include "kernels/shared/map.h"

/* Loads the second operand as it is in memory: int32 in the lanes of a vector of floats. */
ALWAYS_INLINE vf load_integers(const void *b, size_t at, size_t count)
{
    const int32_t *n = ahead_of((const int32_t *)b + at);
    return vf_of_bits(count < LANES ? vi_load_n(n, count, vi_set(1)) : vi_load_32(n));
}

/* Loads the second operand if all integers are equal. */
ALWAYS_INLINE vf load_one_integer(const void *b, size_t at, size_t count)
{
    (void)count;
    return vf_of_bits(vi_set(((const int32_t *)b)[at]));
}

/* Returns n as a float; powers and roots do not change in half beyond 2^18. */
ALWAYS_INLINE vf float_of(vi n)
{
    return vf_of_int(vi_max(vi_min(n, vi_set(1 << 18)), vi_set(-(1 << 18))));
}

/* Gives a magnitude the sign of x if n is odd. */
ALWAYS_INLINE vf with_sign_of_power(vf size, vf x, vi n)
{
    vi sign = vi_and(vf_bits(x), vi_shift_left(n, 31));
    return vf_of_bits(vi_or(vf_bits(size), sign));
}

/* A product of x, x^2 and x^4, for few factors. The square is exact, and so are other products,
 * if x is short. */
enum { FEW_FACTORS = 6, PRODUCT_SLACK = 2 }; /* the error is at most 1.9 */

ALWAYS_INLINE vm are_many_factors(vf y)
{
    return vi_below(vi_set(FEW_FACTORS - 1), vi_abs(vf_bits(y)));
}

ALWAYS_INLINE vf product_of(vf x, vi factors)
{
    vf square = vn_mul(x, x), fourth = vn_mul(square, square);
    vf power = vf_select(vi_has(factors, 1), x, vf_set(1));
    power = vn_mul_where(vi_has(factors, 2), power, square);
    return vn_mul_where(vi_has(factors, 4), power, fourth);
}

ALWAYS_INLINE vm is_exact_square(vf x, vi n)
{
    return vm_and(vi_below(n, vi_set(3)),
                  vf_equal(x, x)); /* not a NaN, which may be signalling */
}

ALWAYS_INLINE vm is_exact_product(vf x, vf y)
{
    vm is_short = vi_has_none(vf_bits(x), (1 << 20) - 1); /* 4 bits */
    return vm_and_not(vm_and(is_short, vf_equal(x, x)), vf_sign(y));
}

/* For n < FEW_FACTORS. */
ALWAYS_INLINE vf pown_by_product(vf x, vf y, vm *exact_case)
{
    *exact_case = is_exact_square(x, vf_bits(y));
    return product_of(x, vf_bits(y));
}

/* The inverse adds up to 4 units of float's last place, or next to nothing; powers and the last
 * operation add 2.5. */
enum { QUOTIENT_SLACK = HAVE_STATIC_ROUNDING ? 4 : 8 };

/* For |n| < FEW_FACTORS. */
ALWAYS_INLINE vf pown_by_quotient(vf x, vf y, vm *exact_case)
{
    vi n = vf_bits(y);
    *exact_case = is_exact_square(x, n);
    return vn_near_inverse_where(vf_sign(y), product_of(x, vi_abs(n)));
}

ALWAYS_INLINE vf pown_by_logarithm(vf x, vf y, vm *exact_case)
{
    (void)exact_case;
    vi n = vf_bits(y);
    return with_sign_of_power(power_of(vf_abs(x), float_of(n)), x, n);
}

ALWAYS_INLINE vf pown_special(vf x, vf y, vm *exact_case)
{
    vi n = vf_bits(y);
    vf factor = float_of(n), size = size_of_power(x, factor, exact_case);
    return with_sign_of_power(size, x, n);
}

/* 1 / n = inverse * (1 + rest), where inverse has 11 bits. */
ALWAYS_INLINE vf rootn_fast(vf x, vf y, vm *exact_case)
{
    vi n = vf_bits(y);
    vf divisor = float_of(n), size = vf_select(vi_has(n, 1), vf_abs(x), x);
    log2_parts log = log2_of(size);
    vi bits = vi_add(vf_bits(vn_div(vf_set(1), divisor)), vi_set(1 << 12));
    vf inverse = vf_of_bits(vi_and(bits, vi_set(-(1 << 13))));
    vf rest = vn_fnma(divisor, inverse, vf_set(1));
    log.rest = vn_fma(vn_fma(rest, rest, rest), log.sum, log.rest);
    vf root = exp2_of(inverse, inverse, log);
    vm itself = vm_and_not(vi_equal(n, vi_set(1)), vf_special(x));
    *exact_case = itself;
    return vf_select(itself, x, with_sign_of_power(root, x, n));
}

/* Exact roots with small n, and those of 0 and 1. */
ALWAYS_INLINE vf rootn_special(vf x, vf y, vm *exact_case)
{
    vi n = vf_bits(y);
    vf size = vf_abs(x), root = vf_abs(rootn_fast(x, y, exact_case)), zero = vf_set(0);
    root = vf_of_bits(vi_and(vi_add(vf_bits(root), vi_set(1 << 11)), vi_set(-(1 << 12))));
    vf square = vf_mul(root, root);
    vf rests[] = {vf_sub(size, square), vf_fnma(square, root, size),
                  vf_fnma(square, square, size)};
    vm some = vm_none();
    for (int k = 0; k < 3; k++)
        some = vm_or(some, vm_and(vi_equal(n, vi_set(k + 2)), vf_equal(rests[k], zero)));
    vm one = vm_and_not(vf_equal(size, vf_set(1)), vi_equal(n, vi_set(0)));
    vm none = vm_and(vf_equal(x, zero), vi_less(vi_set(0), n));
    root = vf_select(one, vf_set(1), vf_select(none, zero, root));
    vm real = vm_or(vi_has(n, 1), vm_not(vf_less(x, zero)));
    *exact_case = vm_and(real, vm_or(some, vm_or(one, none)));
    return with_sign_of_power(root, x, n);
}

/* Returns 1 + x as a float, and its rounding error, which has one bit, and is 0 for x >= 1. */
ALWAYS_INLINE vf add_1(vf x, vf *lost)
{
    vf sum = vn_add(vf_set(1), x);
    *lost = vn_sub(x, vn_sub(sum, vf_set(1)));
    return sum;
}

/* log2(1 + x), from log2_from. The sum has more bits than a half, so that s, as product -
 * scale, need not be a float: its error is added to the rest. Around 0 it is a float, since
 * scale is short. */
ALWAYS_INLINE log2_parts log2_of_1_and(vf x)
{
    vf lost, sum = add_1(x, &lost), significand = vn_significand(sum);
    vi interval = vi_shift_right(vf_bits(significand), 23 - 5);
    vf step = vn_add(vn_exponent(sum), vf_look_up32(log2_steps, interval));
    vf factor = vf_look_up32(log2_factors, interval), product = vn_mul(significand, factor);
    vf above = vn_sub(product, vf_set(log2_scale));
    vf lacks = vn_sub(vn_mul(lost, factor), vn_fnma(significand, factor, product));
    vf s = vn_add(above, lacks);
    log2_parts log = log2_from(step, s);
    log.rest = vn_add(log.rest, vn_sub(lacks, vn_sub(s, above)));
    return log;
}

/* n = first + second as floats; beyond 2^29 powers of 1 + x do not change in half. */
ALWAYS_INLINE vf split_integer(vi n, vf *second)
{
    n = vi_max(vi_min(n, vi_set(1 << 29)), vi_set(-(1 << 29)));
    vf first = vf_of_int(n);
    *second = vf_of_int(vi_sub(n, vi_round(first, HALFCL_RTE)));
    return first;
}

ALWAYS_INLINE vf compoundn_fast(vf x, vf y, vm *exact_case)
{
    (void)exact_case;
    vf second, first = split_integer(vf_bits(y), &second);
    log2_parts log = log2_of_1_and(x);
    log.rest = vn_fma(first, log.rest, vn_mul(second, log.sum));
    return exp2_of(first, vf_set(1), log);
}

/* Short powers of short sums, approximations that pass the rounding test, results far beyond
 * half's range, and powers of 0 and 1. */
ALWAYS_INLINE vf compoundn_special(vf x, vf y, vm *exact_case)
{
    vf lost, sum = add_1(x, &lost), zero = vf_set(0);
    vf second, n = split_integer(vf_bits(y), &second), t = vf_mul(n, log2_of_1_and(x).sum);
    vm is_short = vi_has_none(vf_bits(sum), (1 << 12) - 1);
    vm usual = vm_and_not(vf_less_equal(vf_set(-1), x), vf_special(x)), exact;
    vf short_one = short_power(sum, n, &exact);
    exact = vm_and(exact, vm_and(is_short, vf_equal(lost, zero)));
    vm one = vf_equal(x, zero), none = vm_and(vf_equal(sum, zero), vf_less(zero, n));
    vf result = decide_power(compoundn_fast(x, y, exact_case), t, exact_case);
    result = vf_select(one, vf_set(1), vf_select(none, zero, result));
    *exact_case = vm_and(vm_or(vm_or(*exact_case, exact), vm_or(one, none)), usual);
    return vf_select(exact, short_one, result);
}

#endif
