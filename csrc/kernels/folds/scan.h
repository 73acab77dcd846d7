/* Running sums, each exact and rounded once, and running products.
 *
 * Halves are multiples of 2^-24, and so are their sums: below 2^29 a double holds them all. A
 * block of SCAN_BLOCK halves adds less than 2^27 to its start. So from a start below 2^28 every
 * running sum is exact in double, whatever the processor's rounding mode, which affects only
 * the sign of zeros; and from a start beyond that all of them stay above 2^27, where half has
 * overflowed. The start itself is stored in wide integers. */
#ifndef HALFCL_KERNELS_FOLDS_SCAN_H
#define HALFCL_KERNELS_FOLDS_SCAN_H

#include "kernels/folds/by_rows.h"

enum { SCAN_BLOCK = 1 << 11, SCAN_CHAINS = 8, SCAN_ROOM = SCAN_BLOCK + SCAN_CHAINS + LANES };

#define SCAN_LIMIT 0x1p28

static bool has_specials(const uint16_t *a, size_t n)
{
    unsigned any = 0;
    for (size_t i = 0; i < n; ++i)
        any |= (unsigned)((a[i] & HALF_MAGNITUDE) >= HALF_INF);
    return any;
}

/* Returns a zero that changes no number when added to it in the mode, not even the sign of a
 * zero. */
ALWAYS_INLINE double neutral_zero(halfcl_rounding mode)
{
    return mode == HALFCL_RTN ? 0.0 : -0.0;
}

/* Returns the sum as a double, exactly if it is below SCAN_LIMIT. */
static double scan_start(const halfcl_fold_state *state, halfcl_rounding mode)
{
    const int64_t *limb = state->sum.limb, *top = limb + EXACT_LIMBS - 1;
    bool sign = *top < 0;
    for (int k = 2; k < EXACT_LIMBS; ++k) {
        if (limb[k] != (sign && k + 1 < EXACT_LIMBS ? 0xffffffff : -(int64_t)sign))
            return sign ? -0x1p100 : 0x1p100;
    }
    if (exact_sum_is_zero(&state->sum)) {
        bool none = !(state->seen & (SEEN_PLUS | SEEN_MINUS));
        if (none)
            return neutral_zero(mode);
        return zero_is_negative(state->seen, mode) ? -0.0 : 0.0;
    }
    /* The value of two limbs, minus 2^64 if negative. */
    double high = (double)(limb[1] - (sign ? (int64_t)1 << 32 : 0)) * 0x1p32;
    return (high + (double)limb[0]) * 0x1p-24;
}

/* Converts to doubles, padded with harmless numbers to a whole vector. */
static void widen_halves(const uint16_t *a, size_t n, double *to)
{
    for (size_t k = 0; k < n; k += LANES) {
        const vf part = load_upto(a + k, n - k);
        vd_store(to + k, vd_low(part));
        vd_store(to + k + LANES / 2, vd_high(part));
    }
}

/* Computes the running sums of n halves from start on, in several independent chains, padded
 * with harmless numbers to a whole vector. */
static void running_sums(const uint16_t *a, size_t n, double start, double zero, double *sums)
{
    const size_t chain = (n + SCAN_CHAINS - 1) / SCAN_CHAINS;
    double total[SCAN_CHAINS];
    widen_halves(a, n, sums);
    for (size_t i = n; i < chain * SCAN_CHAINS + LANES; ++i)
        sums[i] = zero;
    for (int c = 0; c < SCAN_CHAINS; ++c)
        total[c] = zero;
    for (size_t k = 0; k < chain; ++k) {
        for (int c = 0; c < SCAN_CHAINS; ++c) {
            total[c] += sums[(size_t)c * chain + k];
            sums[(size_t)c * chain + k] = total[c];
        }
    }
    for (int c = 0; c < SCAN_CHAINS; ++c) {
        for (size_t k = 0; k < chain; ++k)
            sums[(size_t)c * chain + k] += start;
        start += total[c];
    }
}

/* Rounds running sums and stores them: as halves, floats or doubles. */

typedef unsigned store_sums(const double *sums, size_t n, void *out, halfcl_rounding mode);

static unsigned store_halves(const double *sums, size_t n, void *out, halfcl_rounding mode)
{
    uint16_t *halves = out;
    acc seen = acc_none();
    for (size_t i = 0; i < n; i += LANES) {
        vf sum = vf_join_odd(vd_load(sums + i), vd_load(sums + i + LANES / 2));
        store_upto(halves + i, vf_narrow(sum, mode, &seen), n - i);
    }
    return acc_flags(seen);
}

static unsigned store_floats(const double *sums, size_t n, void *out, halfcl_rounding mode)
{
    float *floats = out;
    (void)mode; /* the processor rounds in it */
    for (size_t i = 0; i < n; ++i)
        floats[i] = (float)sums[i];
    return 0;
}

static unsigned store_doubles(const double *sums, size_t n, void *out, halfcl_rounding mode)
{
    (void)mode;
    memcpy(out, sums, n * sizeof *sums);
    return 0;
}

static void sum_in_order(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    sum_add(state, (const void *[]){a}, n);
}

/* Scans one by one, with the wide integers: blocks that have infinities and NaNs, or sums
 * beyond the limit in formats wider than half. */
static unsigned scan_slowly(halfcl_fold_state *state, const uint16_t *a, size_t n, void *out,
                            halfcl_type type, halfcl_rounding mode)
{
    const halfcl_moments of = {state, NULL};
    const size_t size = halfcl_type_size(type);
    unsigned flags = 0;
    for (size_t i = 0; i < n; ++i) {
        sum_in_order(state, a + i, 1);
        flags |=
            halfcl_round_statistic(HALFCL_SUM, &of, 1, 1, type, mode, (char *)out + i * size);
    }
    return flags;
}

/* Stores n results that all equal the sum, which the elements do not change. a may be out. */
static unsigned scan_same(halfcl_fold_state *state, const uint16_t *a, size_t n, void *out,
                          halfcl_type type, halfcl_rounding mode)
{
    const halfcl_moments of = {state, NULL};
    const size_t size = halfcl_type_size(type);
    sum_in_order(state, a, n);
    unsigned flags = halfcl_round_statistic(HALFCL_SUM, &of, 1, 1, type, mode, out);
    for (size_t i = 1; i < n; ++i)
        memcpy((char *)out + i * size, out, size);
    return flags;
}

ALWAYS_INLINE unsigned scan_blocks(halfcl_fold_state *state, const uint16_t *a, size_t n,
                                   void *out, halfcl_type type, halfcl_rounding mode,
                                   store_sums *store)
{
    const size_t size = halfcl_type_size(type);
    unsigned flags = 0;
    for (size_t i = 0; i < n; i += SCAN_BLOCK) {
        double sums[SCAN_ROOM], start = scan_start(state, mode);
        size_t count = n - i < SCAN_BLOCK ? n - i : SCAN_BLOCK;
        void *to = (char *)out + i * size;
        bool far = start <= -SCAN_LIMIT || SCAN_LIMIT <= start;
        if (has_specials(a + i, count)) {
            flags |= scan_slowly(state, a + i, count, to, type, mode);
        } else if (state->seen & SEEN_SPECIAL || (far && type == HALFCL_HALF)) {
            flags |= scan_same(state, a + i, count, to, type, mode);
        } else if (far) {
            flags |= scan_slowly(state, a + i, count, to, type, mode);
        } else {
            running_sums(a + i, count, start, neutral_zero(mode), sums);
            sum_in_order(state, a + i, count); /* before the results overwrite a */
            flags |= store(sums, count, to, mode);
        }
    }
    return flags;
}

static unsigned scan_to_halves(halfcl_fold_state *state, const uint16_t *a, size_t n, void *out,
                               halfcl_rounding mode)
{
    return scan_blocks(state, a, n, out, HALFCL_HALF, mode, store_halves);
}

static unsigned scan_to_floats(halfcl_fold_state *state, const uint16_t *a, size_t n, void *out,
                               halfcl_rounding mode)
{
    return scan_blocks(state, a, n, out, HALFCL_FLOAT, mode, store_floats);
}

static unsigned scan_to_doubles(halfcl_fold_state *state, const uint16_t *a, size_t n,
                                void *out, halfcl_rounding mode)
{
    return scan_blocks(state, a, n, out, HALFCL_DOUBLE, mode, store_doubles);
}

/* Scans down columns, up to SCAN_ROWS rows at a time. */

enum { SCAN_ROWS = 256, SCAN_COLUMNS = 256, SCAN_AHEAD = 16 };

/* Scans a column, one by one. */
static unsigned scan_column(halfcl_fold_state *state, const char *in, ptrdiff_t in_step,
                            char *out, ptrdiff_t out_step, size_t rows, halfcl_rounding mode)
{
    uint16_t buffer[SCAN_ROWS] = {0}; /* not every compiler sees that it is written */
    for (size_t r = 0; r < rows; ++r)
        buffer[r] = *row_at(in, in_step, r);
    unsigned flags = scan_to_halves(state, buffer, rows, buffer, mode);
    for (size_t r = 0; r < rows; ++r)
        memcpy(out + (ptrdiff_t)r * out_step, &buffer[r], sizeof *buffer);
    return flags;
}

/* Scans up to LANES columns whose sums are all exact in double. */
ALWAYS_INLINE void scan_lanes(const double *start, size_t columns, const char *in,
                              ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t rows,
                              halfcl_rounding mode, acc *seen)
{
    vd low = vd_load(start), high = vd_load(start + LANES / 2);
    for (size_t r = 0; r < rows; ++r) {
        const uint16_t *from = row_at(in, in_step, r);
        __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)(SCAN_AHEAD * in_step)));
        vf part = columns < LANES ? load_n(from, columns) : load(from);
        low = vd_add(low, vd_low(part));
        high = vd_add(high, vd_high(part));
        store_upto((uint16_t *)(void *)(out + (ptrdiff_t)r * out_step),
                   vf_narrow(vf_join_odd(low, high), mode, seen), columns);
    }
}

/* Returns whether there is an infinity or a NaN, or a start from which sums may not be
 * exact. */
static bool is_slow_part(const halfcl_fold_state *states, const double *start, size_t columns,
                         const char *in, ptrdiff_t in_step, size_t rows)
{
    bool slow = false;
    for (size_t k = 0; k < columns; ++k)
        slow |= start[k] <= -SCAN_LIMIT || SCAN_LIMIT <= start[k] ||
                (states[k].seen & SEEN_SPECIAL);
    for (size_t r = 0; r < rows && !slow; ++r)
        slow = has_specials(row_at(in, in_step, r), columns);
    return slow;
}

static unsigned scan_part(halfcl_fold_state *states, size_t columns, const char *in,
                          ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t rows,
                          halfcl_rounding mode)
{
    double start[SCAN_COLUMNS + LANES] = {0};
    acc seen = acc_none();
    unsigned flags = 0;
    for (size_t k = 0; k < columns; ++k)
        start[k] = scan_start(&states[k], mode);
    const bool slow = is_slow_part(states, start, columns, in, in_step, rows);
    for (size_t k = 0; k < columns && slow; ++k)
        flags |=
            scan_column(&states[k], in + 2 * k, in_step, out + 2 * k, out_step, rows, mode);
    if (!slow) /* before the results overwrite in */
        sum_add_rows((char *)states, sizeof *states, columns, (const void *[]){in}, &in_step,
                     rows);
    for (size_t k = 0; k < columns && !slow; k += LANES) {
        if (columns - k < LANES)
            scan_lanes(start + k, columns - k, in + 2 * k, in_step, out + 2 * k, out_step, rows,
                       mode, &seen);
        else
            scan_lanes(start + k, LANES, in + 2 * k, in_step, out + 2 * k, out_step, rows, mode,
                       &seen);
    }
    return flags | acc_flags(seen);
}

static unsigned scan_down_to_halves(halfcl_fold_state *states, size_t columns, const char *in,
                                    ptrdiff_t in_step, char *out, ptrdiff_t out_step,
                                    size_t rows, halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t r = 0; r < rows; r += SCAN_ROWS) {
        for (size_t k = 0; k < columns; k += SCAN_COLUMNS)
            flags |=
                scan_part(states + k, columns - k < SCAN_COLUMNS ? columns - k : SCAN_COLUMNS,
                          in + (ptrdiff_t)r * in_step + 2 * k, in_step,
                          out + (ptrdiff_t)r * out_step + 2 * k, out_step,
                          rows - r < SCAN_ROWS ? rows - r : SCAN_ROWS, mode);
    }
    return flags;
}

/* Running products, each rounded once: in double, with a separate exponent, so that no
 * intermediate result overflows or underflows. For n halves the relative error is at most n *
 * 2^-52; and the product is exact as long as it has at most 53 bits, so that ties are
 * recognised. Zeros, infinities and NaNs follow the rules of double. */

/* So many halves, each from 2^-24 to 2^16, and an exponent of at most FAR_EXPONENT, beyond
 * which all results overflow or are tiny, keep a double within its range. */
enum { PRODUCT_STEPS = 16, FAR_EXPONENT = 600 };

ALWAYS_INLINE double power_of_exponent(int64_t exponent)
{
    exponent = exponent > FAR_EXPONENT ? FAR_EXPONENT : exponent;
    exponent = exponent < -FAR_EXPONENT ? -FAR_EXPONENT : exponent;
    return double_of_bits((uint64_t)(1023 + exponent) << 52);
}

/* Multiplies up to PRODUCT_STEPS, in place. */
ALWAYS_INLINE void running_products(halfcl_fold_state *state, double *a, size_t n)
{
    double product = state->seen & SEEN_ANY ? state->product.high : 1;
    double scale = power_of_exponent(state->product.exponent);
    for (size_t i = 0; i < n; ++i) {
        product *= a[i];
        a[i] = product * scale;
    }
    state->seen |= SEEN_ANY;
    state->product.high = product;
    if (product != 0 && !is_special(product)) {
        int exponent = (int)(bits_of_double(product) >> 52 & 0x7ff) - 1023;
        state->product.high = product * power_of_exponent(-exponent);
        state->product.exponent += exponent;
    }
}

ALWAYS_INLINE vf canonical(vf x)
{
    vf again = x;
    canonical_nans(&x, &again);
    return x;
}

static unsigned store_products(const double *products, size_t n, uint16_t *halves,
                               halfcl_rounding mode)
{
    acc seen = acc_none();
    for (size_t i = 0; i < n; i += LANES) {
        const vf product =
            canonical(vf_join_odd(vd_load(products + i), vd_load(products + i + LANES / 2)));
        acc_tiny(&seen, product);
        store_upto(halves + i, vf_narrow(product, mode, &seen), n - i);
    }
    return acc_flags(seen);
}

static unsigned multiply_scan(halfcl_fold_state *state, const uint16_t *a, size_t n, void *out,
                              halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t i = 0; i < n; i += SCAN_BLOCK) {
        double products[SCAN_ROOM];
        size_t count = n - i < SCAN_BLOCK ? n - i : SCAN_BLOCK;
        widen_halves(a + i, count, products);
        for (size_t k = 0; k < count; k += PRODUCT_STEPS)
            running_products(state, products + k,
                             count - k < PRODUCT_STEPS ? count - k : PRODUCT_STEPS);
        flags |= store_products(products, count, (uint16_t *)out + i, mode);
    }
    return flags;
}

#endif
