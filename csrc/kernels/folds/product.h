/* Products of many halves, rounded once.
 *
 * A product is stored as (high + low) * 2^exponent: a double-double with a separate exponent,
 * so that no intermediate result overflows or underflows. For n halves its relative error is at
 * most n * 2^-101. Rounding it is right unless the exact product is as near as that to a number
 * at which half rounds, one of at most 12 bits, but is not that number. Arithmetic decides
 * whether it is, not nearness: if the product of the odd parts of all significands is below
 * 2^12, all multiplications were exact, and otherwise no such number can be the result.
 *
 * Zeros, infinities and NaNs are recorded separately, so that the result does not depend on the
 * order: it is invalid if there are a zero and an infinity but no NaN. */
#ifndef HALFCL_KERNELS_FOLDS_PRODUCT_H
#define HALFCL_KERNELS_FOLDS_PRODUCT_H

#include "exact/doubledouble/dd.h"
#include "kernels/folds/few_rows.h"
#include "kernels/folds/reduce.h"
#include "kernels/shared/map.h"

/* Odd parts beyond SHORT are not distinguished: they are LONG. */
enum { SHORT = 1 << 12, LONG = SHORT + 1 };

/* Fewer factors are multiplied one by one. */
enum { FEW_AT_ONCE = 64 };

/* 2^exponent, for exponents of normal doubles. */
static double power_of_two(int exponent)
{
    return double_of_bits((uint64_t)(1023 + exponent) << 52);
}

/* Multiplies by x, which is not zero. The state of no elements is all zero, and represents
 * 1. */
static void multiply_by(halfcl_fold_state *state, dd x)
{
    dd old = {state->product.high, state->product.low};
    if (old.hi == 0)
        old.hi = 1;
    dd product = dd_two_prod_in_parts(old.hi, x.hi);
    product = dd_fast_two_sum(product.hi, product.lo + (old.hi * x.lo + old.lo * x.hi));
    /* Scale hi to [1, 2); its exponent is below 1000 in magnitude. */
    int exponent = (int)(bits_of_double(product.hi) >> 52 & 0x7ff) - 1023;
    state->product.high = product.hi * power_of_two(-exponent);
    state->product.low = product.lo * power_of_two(-exponent);
    state->product.exponent += exponent;
}

static bool is_zero_or_special(uint16_t half)
{
    return (half & HALF_MAGNITUDE) == 0 || is_special_half(half);
}

static void note_factors(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (is_special_half(a[i]))
            note_special(state, a[i]);
        else if ((a[i] & HALF_MAGNITUDE) == 0)
            state->seen |= SEEN_ZERO;
    }
}

static int times_odd_part(int odd, int significand)
{
    while (significand > 1 && significand % 2 == 0)
        significand /= 2;
    return odd * significand > SHORT ? LONG : odd * significand;
}

/* Powers of two, which have no fraction bits, are the only normal numbers that leave the odd
 * part unchanged: at most a dozen of all others make it LONG. */
static void note_odd_parts(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    unsigned any = 0;
    int odd = state->product.odd ? state->product.odd : 1;
    for (size_t i = 0; i < n; ++i)
        any |= a[i] & 0x3ff;
    for (size_t i = 0; any && i < n && odd != LONG; ++i) {
        int fraction = a[i] & 0x3ff, exponent = a[i] >> 10 & 0x1f;
        if (!is_zero_or_special(a[i]))
            odd = times_odd_part(odd, exponent ? fraction | 0x400 : fraction);
    }
    state->product.odd = odd;
}

static void multiply_few(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    double product = 1; /* the product of four is exact */
    for (size_t i = 0; i < n; ++i) {
        double x = halfcl_to_float(a[i]);
        product *= is_zero_or_special(a[i]) ? copysign(1, x) : x;
        if (i % 4 == 3 || i + 1 == n) {
            multiply_by(state, dd_of(product));
            product = 1;
        }
    }
}

/* Many factors, in lanes. */

/* So many products of pairs, each from 2^-48 to 2^32, keep all lanes within double's range. */
enum { PAIR_STEPS = 16, CHAINS = 2, FACTORS = PAIR_STEPS * CHAINS * PAIR };

/* Multiplies by m of 22 bits, by fused multiply-adds, or else by two exact products: of high,
 * split into 31 and 22 bits. low, which is a few units of high's last place, has an error of at
 * most 2^-101 of high. */
ALWAYS_INLINE vd_pair times_short(vd_pair x, vd m)
{
    if (HAVE_FMA) {
        const vd_pair product = multiply_exactly(x.high, m);
        return (vd_pair){product.high, vd_muladd(x.low, m, product.low)};
    }
    vd spread = vd_mul(x.high, vd_set(0x1p22 + 1));
    vd top = vd_sub(spread, vd_sub(spread, x.high));
    vd first = vd_mul(top, m), second = vd_mul(vd_sub(x.high, top), m);
    vd high = vd_add(first, second), rest = vd_sub(second, vd_sub(high, first));
    return (vd_pair){high, vd_add(vd_mul(x.low, m), rest)};
}

/* Replaces zeros, infinities and NaNs by 1, with their signs: they decide the result, whatever
 * the other factors are. */
ALWAYS_INLINE vf usable_factor(vf x, vm *unusable)
{
    vm here = vf_zero_or_special(x);
    *unusable = vm_or(*unusable, here);
    return vf_select(here, vf_copysign(vf_set(1), x), x);
}

/* Returns the product of two halves, which is zero or special only if one of them is. */
ALWAYS_INLINE vf usable_product(vf x, vf y, vm *unusable)
{
    return usable_factor(vf_mul(x, y), unusable);
}

static void multiply_lanes(halfcl_fold_state *state, vd_pair x)
{
    double high[LANES / 2], low[LANES / 2];
    vd_store(high, x.high);
    vd_store(low, x.low);
    for (int k = 0; k < LANES / 2; ++k)
        multiply_by(state, dd_fast_two_sum(high[k], low[k]));
}

/* Multiplies up to FACTORS; a vector is padded with ones. */
static void multiply_block(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    const vd_pair one = {vd_set(1), vd_set(0)};
    vd_pair even_low = one, even_high = one, odd_low = one, odd_high = one;
    vm unusable = vm_none();
    size_t i = 0;
    for (; i + 2 * PAIR <= n; i += 2 * PAIR) {
        const uint16_t *at = a + i;
        vf even = usable_product(load(at), load(at + LANES), &unusable);
        vf odd = usable_product(load(at + PAIR), load(at + PAIR + LANES), &unusable);
        even_low = times_short(even_low, vd_low(even));
        even_high = times_short(even_high, vd_high(even));
        odd_low = times_short(odd_low, vd_low(odd));
        odd_high = times_short(odd_high, vd_high(odd));
    }
    for (; i < n; i += LANES) {
        vf rest = usable_factor(load_n(a + i, n - i < LANES ? n - i : LANES), &unusable);
        even_low = times_short(even_low, vd_low(rest));
        even_high = times_short(even_high, vd_high(rest));
    }
    multiply_lanes(state, even_low);
    multiply_lanes(state, even_high);
    multiply_lanes(state, odd_low);
    multiply_lanes(state, odd_high);
    if (vm_any(unusable))
        note_factors(state, a, n);
}

static void product_add(halfcl_fold_state *state, const void *const *inputs, size_t n)
{
    const uint16_t *a = inputs[0];
    for (size_t i = 0; i < n; i += FACTORS) {
        if (state->seen & SEEN_NAN) { /* zeros do not matter any more, either */
            note_specials(state, a + i, n - i);
            return;
        }
        size_t count = n - i < FACTORS ? n - i : FACTORS;
        if (state->product.odd != LONG)
            note_odd_parts(state, a + i, count);
        if (count < FEW_AT_ONCE) {
            note_factors(state, a + i, count);
            multiply_few(state, a + i, count);
        } else {
            multiply_block(state, a + i, count);
        }
    }
}

/* Rows that are multiplied before the exponents of their products are checked: these stay
 * within double's range, with their errors, if they were within 2^LEAST and 2^MOST before. */
enum { ROWS_TO_CHECK = 16, LEAST = -500, MOST = 700 };

/* Returns the same number, with the least possible low. */
ALWAYS_INLINE vd_pair renormalized(vd_pair x)
{
    const vd high = vd_add(x.high, x.low);
    return (vd_pair){high, vd_sub(x.low, vd_sub(high, x.high))};
}

static bool have_room(const double *products)
{
    bool any = false;
    for (int k = 0; k < LANES; ++k)
        any |= (bits_of_double(products[k]) >> 52 & 0x7ff) - (1023 + LEAST) > MOST - LEAST;
    return !any;
}

/* Records what each column has of factors that are unusable, if any is, and of odd parts. */
static void note_rows(char *states, ptrdiff_t state_step, size_t columns, const void *rows,
                      ptrdiff_t step, size_t count, bool any_unusable)
{
    for (size_t k = 0; k < columns; ++k) {
        halfcl_fold_state *state = state_at(states, state_step, k);
        for (size_t r = 0; r < count && state->product.odd != LONG; ++r)
            note_odd_parts(state, row_at(rows, step, r) + k, 1);
        for (size_t r = 0; r < count && any_unusable; ++r)
            note_factors(state, row_at(rows, step, r) + k, 1);
    }
}

ALWAYS_INLINE void multiply_some_columns(char *states, ptrdiff_t state_step, size_t columns,
                                         const void *rows, ptrdiff_t step, size_t count)
{
    const vd_pair one = {vd_set(1), vd_set(0)};
    vd_pair low = one, high = one;
    for (size_t first = 0; first < count; first += ROWS_TO_CHECK) {
        const size_t end = count - first < ROWS_TO_CHECK ? count : first + ROWS_TO_CHECK;
        double product[LANES], rest[LANES];
        vm unusable = vm_none();
        for (size_t r = first; r < end; r += 2) {
            const vf factor = load_upto(row_ahead_of(rows, step, r, 0), columns);
            const bool has_second = r + 1 < end;
            const uint16_t *second = row_ahead_of(rows, step, r + has_second, 0);
            const vf usable =
                has_second ? usable_product(factor, load_upto(second, columns), &unusable)
                           : usable_factor(factor, &unusable);
            low = times_short(low, vd_low(usable));
            high = times_short(high, vd_high(usable));
        }
        low = renormalized(low);
        high = renormalized(high);
        note_rows(states, state_step, columns, row_at(rows, step, first), step, end - first,
                  vm_any(unusable));
        vd_store(product, low.high);
        vd_store(product + LANES / 2, high.high);
        if (end < count && have_room(product))
            continue;
        vd_store(rest, low.low);
        vd_store(rest + LANES / 2, high.low);
        low = high = one;
        for (size_t k = 0; k < columns; ++k)
            multiply_by(state_at(states, state_step, k), (dd){product[k], rest[k]});
    }
}

/* Multiplies rows of up to LANES columns, with a state for each column. */
static void multiply_columns(char *states, ptrdiff_t state_step, size_t columns,
                             const void *rows, ptrdiff_t step, size_t count)
{
    if (columns < LANES)
        multiply_some_columns(states, state_step, columns, rows, step, count);
    else
        multiply_some_columns(states, state_step, LANES, rows, step, count);
}

static void product_add_rows(char *states, ptrdiff_t state_step, size_t count,
                             const void *const *inputs, const ptrdiff_t *steps, size_t rows)
{
    for (size_t k = 0; k < count; k += LANES)
        multiply_columns(states + (ptrdiff_t)k * state_step, state_step,
                         count - k < LANES ? count - k : LANES,
                         row_at(inputs[0], steps[0], 0) + k, steps[0], rows);
}

/* Rows of more elements are multiplied one by one. */
enum { MOST_TRANSPOSED = 8 * FEW_AT_ONCE };

/* Multiplies rows as columns, after transposing: those of up to LANES states, so many elements
 * of each at a time. */
static void multiply_transposed(char *states, ptrdiff_t state_step, size_t count,
                                const void *rows, ptrdiff_t step, size_t n)
{
    uint16_t columns[2 * PAIR_STEPS][LANES];
    for (size_t i = 0; i < n; i += 2 * PAIR_STEPS) {
        const size_t some = n - i < 2 * PAIR_STEPS ? n - i : 2 * PAIR_STEPS;
        for (size_t k = 0; k < count; ++k) {
            const uint16_t *row = row_at(rows, step, k) + i;
            for (size_t r = 0; r < some; ++r)
                columns[r][k] = row[r];
        }
        multiply_columns(states, state_step, count, columns, sizeof *columns, some);
    }
}

static void product_add_each(char *states, ptrdiff_t state_step, size_t count,
                             const void *const *inputs, const ptrdiff_t *steps, size_t n)
{
    const bool transposed = n <= MOST_TRANSPOSED && count >= LANES / 2;
    for (size_t k = 0; k < count && transposed; k += LANES)
        multiply_transposed(states + (ptrdiff_t)k * state_step, state_step,
                            count - k < LANES ? count - k : LANES,
                            row_at(inputs[0], steps[0], k), steps[0], n);
    for (size_t k = 0; k < count && !transposed; ++k) {
        const void *row = row_at(inputs[0], steps[0], k);
        product_add(state_at(states, state_step, k), &row, n);
    }
}

static void product_merge(halfcl_fold_state *state, const halfcl_fold_state *other)
{
    if (other->product.high == 0)
        return;
    int odd = state->product.odd ? state->product.odd : 1;
    multiply_by(state, (dd){other->product.high, other->product.low});
    state->product.exponent += other->product.exponent;
    state->product.odd = odd * other->product.odd > SHORT ? LONG : odd * other->product.odd;
    state->seen |= other->seen;
}

/* Returns |high + low| as an integer of 53 bits, rounded to odd if it is not short. */
static uint64_t odd_significand(const halfcl_fold_state *state)
{
    const uint64_t leading = (uint64_t)1 << 52;
    double high = state->product.high, low = state->product.low;
    uint64_t significand = (bits_of_double(high) & (leading - 1)) | leading;
    if (state->product.odd != LONG)
        return significand;
    bool below = low != 0 && (low < 0) != (high < 0);
    return (significand - below) | 1;
}

static unsigned product_finish(const halfcl_fold_state *state, uint16_t *result,
                               halfcl_rounding mode)
{
    const int lowest = -4096, highest = 4096;
    int64_t exponent = state->product.exponent;
    unsigned flags = 0, seen = state->seen;
    bool negative = state->product.high < 0, infinite = seen & SEEN_SPECIAL;
    uint16_t sign = negative ? HALF_SIGN : 0;
    if (seen & SEEN_INVALID || (infinite && seen & SEEN_ZERO && !(seen & SEEN_NAN)))
        flags |= HALFCL_INVALID;
    if (seen & SEEN_NAN || (infinite && seen & SEEN_ZERO))
        *result = HALF_NAN;
    else if (infinite || seen & SEEN_ZERO)
        *result = sign | (infinite ? HALF_INF : 0);
    else if (state->product.high == 0)
        *result = HALF_ONE;
    else
        *result = half_round_pack(negative, odd_significand(state),
                                  (int)(exponent < lowest    ? lowest
                                        : exponent > highest ? highest
                                                             : exponent) -
                                      52,
                                  mode, &flags);
    return flags;
}

#define PRODUCT_KERNELS                                                                        \
    FOLD_OF_MANY("multiply_reduce", 1, product_add, product_merge, product_finish,             \
                 product_add_rows, product_add_each, NULL, NULL,                               \
                 .take_few = multiply_few_rows, .round_few = round_few_factors,                \
                 .rounds = true)

#endif
