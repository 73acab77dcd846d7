/* Sums: exact, then rounded once. (Many at once: by_rows.h, along_rows.h, few_rows.h.) */
#ifndef HALFCL_KERNELS_FOLDS_SUMS_H
#define HALFCL_KERNELS_FOLDS_SUMS_H

#include "env/env.h"
#include "kernels/folds/specials.h"

ALWAYS_INLINE bool is_special(double x)
{
    return (bits_of_double(x) >> 52 & 0x7ff) == 0x7ff;
}

/* Returns the sum of the lanes, which must be exact. */
ALWAYS_INLINE double sum_of_lanes(vd lanes)
{
    double at[LANES / 2];
    vd_store(at, lanes);
    for (int width = LANES / 4; width > 0; width /= 2) {
        for (int k = 0; k < width; ++k)
            at[k] += at[k + width];
    }
    return at[0];
}

/* Records the signs of terms: the bits that any of them has and the bits in which any differs
 * from -0. They matter only if the total is zero: if a partial sum was not zero, there were
 * terms of both signs. */
ALWAYS_INLINE void note_signs(halfcl_fold_state *state, unsigned any, unsigned not_minus_zero)
{
    state->seen |= not_minus_zero ? SEEN_PLUS : 0;
    state->seen |= any & HALF_SIGN ? SEEN_MINUS : 0;
}

ALWAYS_INLINE bool signs_matter(halfcl_fold_state *state)
{
    const unsigned both = SEEN_PLUS | SEEN_MINUS;
    if (is_decided(state) || !exact_sum_is_zero(&state->sum))
        state->seen |= both;
    return (state->seen & both) != both;
}

static unsigned round_sum(const halfcl_fold_state *state, int unit, uint16_t *result,
                          halfcl_rounding mode)
{
    unsigned flags = 0;
    if (state->seen & SEEN_SPECIAL)
        *result = exact_sum_special(state->seen, &flags);
    else if (exact_sum_is_zero(&state->sum))
        *result = zero_is_negative(state->seen, mode) ? HALF_SIGN : 0;
    else
        *result = exact_sum_round(&state->sum, unit, mode, &flags);
    return flags;
}

/* Limbs of two sums, below 2^32 except for the last, do not overflow when added. */
static void merge_sums(halfcl_fold_state *state, const halfcl_fold_state *other)
{
    for (int k = 0; k < EXACT_LIMBS; ++k)
        state->sum.limb[k] += other->sum.limb[k];
    exact_sum_carry(&state->sum);
    state->seen |= other->seen;
    signs_matter(state);
}

/* Sums. Halves are integers below 2^40 in units of 2^-24, which exceed one float, as do sums of
 * many. So each sum consists of two floats, in several independent chains, for CHAIN_TURNS
 * turns; then it is converted to an integer of those units. */

enum { SUM_UNIT = -24, SUM_CHAINS = 4, CHAIN_TURNS = 64 };
enum { SUM_TERMS = SUM_CHAINS * CHAIN_TURNS * LANES, WATCHED_TERMS = 4 * SUM_TERMS };

typedef struct {
    vf high, low;
} float_pair;

/* Adds in the multipliers, which some processors leave idle during pure additions. */
ALWAYS_INLINE vf add_as_product(vf x, vf y)
{
    return vf_muladd(x, vf_set(1), y);
}

/* Adds by magnitude: halves from 2^-7 on, which are multiples of 2^-17, and the smaller ones,
 * whose sum is always exact up to 2^7 terms. The sum of the others is exact up to 2^7 terms,
 * and for most numbers beyond; then the processor records nothing inexact. */
ALWAYS_INLINE void add_by_size(float_pair *sum, vh halves)
{
    const int from_2_to_minus_7 = 0x6000;
    vf x = vf_widen(halves);
    vm small = vh_has_none(halves, from_2_to_minus_7);
    sum->high = vf_add_where(vm_not(small), sum->high, x);
    sum->low = vf_muladd_where(small, sum->low, x);
}

/* Adds by places: added to PLACES_BASE, a half is rounded to a multiple of 2^-6 (the bits of
 * the sums are added as integers, which may wrap); the rest is below that, and the sum of 2^6
 * rests is exact. This works in any rounding mode. */
#define PLACES_BASE 0x1.8p17f
#define PLACES_BITS 0x48400000u /* of the base */

ALWAYS_INLINE void add_by_places(float_pair *sum, vh halves)
{
    vf x = vf_widen(halves), base = vf_set(PLACES_BASE);
    vf rounded = add_as_product(x, base);
    vf rest = vf_sub(x, vf_sub(rounded, base));
    sum->high = vf_of_bits(vi_add(vf_bits(sum->high), vf_bits(rounded)));
    sum->low = add_as_product(rest, sum->low);
}

typedef void add_halves(float_pair *sum, vh halves);

typedef struct {
    float_pair a, b, c, d;
} chains;

/* Adds the incomplete vector from index i on, if there is one, padded with ones. */
ALWAYS_INLINE void add_rest(float_pair *sum, const uint16_t *a, size_t i, size_t n,
                            add_halves *add)
{
    if (i < n)
        add(sum, n - i < LANES ? vh_load_n(a + i, n - i) : vh_load(a + i));
}

ALWAYS_INLINE chains whole_turns(const uint16_t *a, size_t n, add_halves *add)
{
    const float_pair none = {vf_set(0), vf_set(0)};
    chains sum = {none, none, none, none};
    for (size_t i = 0; i + SUM_CHAINS * LANES <= n; i += SUM_CHAINS * LANES) {
        const uint16_t *at = ahead_of(a + i);
        add(&sum.a, vh_load(at));
        add(&sum.b, vh_load(at + LANES));
        add(&sum.c, vh_load(at + 2 * LANES));
        add(&sum.d, vh_load(at + 3 * LANES));
    }
    return sum;
}

/* Adds up to SUM_TERMS, padded with ones to a whole vector. */
ALWAYS_INLINE chains add_to_chains(const uint16_t *a, size_t n, add_halves *add)
{
    const size_t i = n - n % (SUM_CHAINS * LANES);
    chains sum = whole_turns(a, n, add);
    add_rest(&sum.a, a, i, n, add);
    add_rest(&sum.b, a, i + LANES, n, add);
    add_rest(&sum.c, a, i + 2 * LANES, n, add);
    add_rest(&sum.d, a, i + 3 * LANES, n, add);
    return sum;
}

/* Returns the number of ones added as padding. */
ALWAYS_INLINE double ones_added(size_t n)
{
    return n % LANES ? (double)(LANES - n % LANES) : 0;
}

ALWAYS_INLINE vd widened_sum(vf x)
{
    return vd_add(vd_low(x), vd_high(x));
}

ALWAYS_INLINE vd sum_of_four(vf a, vf b, vf c, vf d)
{
    return vd_add(vd_add(widened_sum(a), widened_sum(b)),
                  vd_add(widened_sum(c), widened_sum(d)));
}

ALWAYS_INLINE vd size_lanes(chains sum)
{
    vd high = sum_of_four(sum.a.high, sum.b.high, sum.c.high, sum.d.high);
    vd low = sum_of_four(sum.a.low, sum.b.low, sum.c.low, sum.d.low);
    return vd_add(high, low);
}

ALWAYS_INLINE double places_total(chains sum, size_t n)
{
    const uint32_t turns = (uint32_t)((n + LANES - 1) / LANES);
    vd low = sum_of_four(sum.a.low, sum.b.low, sum.c.low, sum.d.low);
    vi high = vi_add(vi_add(vf_bits(sum.a.high), vf_bits(sum.b.high)),
                     vi_add(vf_bits(sum.c.high), vf_bits(sum.d.high)));
    int32_t at[LANES];
    int64_t whole = 0;
    vi_store_32(at, vi_sub(high, vi_set((int32_t)(turns * PLACES_BITS))));
    for (int k = 0; k < LANES; ++k)
        whole += at[k];
    return (double)whole * 0x1p-6 + sum_of_lanes(low);
}

/* Makes compilers compute results before they read what the processor has recorded: they do
 * not know of this dependency. */
ALWAYS_INLINE void compute_now(const void *results)
{
#if defined(__GNUC__) || defined(__clang__)
    __asm__ volatile("" : : "r"(results) : "memory");
#else
    static const void *volatile seen;
    seen = results;
#endif
}

/* Returns whether the processor has recorded nothing inexact since halfcl_watch_inexact, after
 * all of these results have been computed. */
ALWAYS_INLINE bool were_exact(const void *results)
{
    compute_now(results);
    return !halfcl_was_inexact();
}

/* Returns whether these totals, if they are NaN or infinite, tell all about their terms: the
 * processor has met no signalling NaN, and no infinities that cancel or meet a zero. */
ALWAYS_INLINE bool tell_all(const void *totals)
{
    compute_now(totals);
    return !halfcl_was_invalid();
}

/* Records the infinity or the quiet NaN that a total is. */
ALWAYS_INLINE void note_total(halfcl_fold_state *state, double total)
{
    state->seen |= total != total ? SEEN_NAN
                   : total < 0    ? SEEN_MINUS_INFINITY
                                  : SEEN_PLUS_INFINITY;
}

/* Computes the sum of up to WATCHED_TERMS; returns false if it may be wrong. It is infinite or
 * a NaN if a term is. */
ALWAYS_INLINE bool sum_watched(const uint16_t *a, size_t n, double *result)
{
    const size_t whole = n - n % (SUM_CHAINS * LANES);
    vd lanes = vd_set(0);
    halfcl_watch_inexact();
    for (size_t i = 0, count; i < whole; i += count) {
        count = whole - i < SUM_TERMS ? whole - i : SUM_TERMS;
        lanes = vd_add(lanes, size_lanes(whole_turns(a + i, count, add_by_size)));
    }
    if (whole < n)
        lanes = vd_add(lanes, size_lanes(add_to_chains(a + whole, n - whole, add_by_size)));
    *result = sum_of_lanes(lanes) - ones_added(n);
    return were_exact(result);
}

static bool sum_by_size(const uint16_t *a, size_t n, double *result)
{
    return sum_watched(a, n, result);
}

/* For whole turns, which are most cases: compilers optimise better without the rest. */
static bool sum_turns_by_size(const uint16_t *a, size_t n, double *result)
{
    return sum_watched(a, n - n % (SUM_CHAINS * LANES), result);
}

static double sum_by_places(const uint16_t *a, size_t n)
{
    return places_total(add_to_chains(a, n, add_by_places), n) - ones_added(n);
}

static double sum_turns_by_places(const uint16_t *a, size_t n)
{
    return places_total(whole_turns(a, n, add_by_places), n);
}

/* Attempts a faster way that is exact for most numbers only: after a failure it skips the
 * attempt for the next blocks, twice as many each time. */
typedef struct {
    int patience, wait;
} attempts;

enum { MOST_PATIENCE = 16 };

ALWAYS_INLINE bool attempt(attempts *quick)
{
    bool now = quick->wait == 0;
    quick->wait -= !now;
    return now;
}

ALWAYS_INLINE void failed(attempts *quick, bool tried)
{
    quick->wait = tried ? quick->patience : quick->wait;
    quick->patience *= tried && quick->patience < MOST_PATIENCE ? 2 : 1;
}

ALWAYS_INLINE bool are_turns(size_t n)
{
    return n % (SUM_CHAINS * LANES) == 0;
}

/* Adds a sum, unless it is infinite or a NaN. */
ALWAYS_INLINE bool add_part(int64_t *total, double part)
{
    if (is_special(part))
        return false;
    *total += (int64_t)(part * 0x1p24);
    return true;
}

/* Adds up to WATCHED_TERMS to an integer; returns false, with an arbitrary one, if there is an
 * infinity or a NaN. Adding by size is faster if summing some lanes takes no longer than
 * summing all. */
static bool add_watched(int64_t *total, const uint16_t *a, size_t n, attempts *by_size)
{
    const bool tried = HAVE_BIT_MASKS && attempt(by_size);
    double part = 0;
    if (tried && (are_turns(n) ? sum_turns_by_size(a, n, &part) : sum_by_size(a, n, &part)))
        return add_part(total, part);
    failed(by_size, tried);
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < SUM_TERMS ? n - i : SUM_TERMS;
        part =
            are_turns(count) ? sum_turns_by_places(a + i, count) : sum_by_places(a + i, count);
        if (!add_part(total, part))
            return false;
    }
    return true;
}

/* The sum of so many terms fits an integer of 64 bits. */
enum { MOST_AT_ONCE = 1 << 22 };

static void sum_many(const uint16_t *a, size_t n, halfcl_fold_state *state)
{
    attempts by_size = {1, 0};
    int64_t total = 0;
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < WATCHED_TERMS ? n - i : WATCHED_TERMS;
        if (!add_watched(&total, a + i, count, &by_size)) {
            note_specials(state, a + i, n - i);
            return;
        }
    }
    exact_sum_add(&state->sum, 0, total);
}

/* A few terms are faster one by one. */
enum { FEW = 4 };

static void sum_few(const uint16_t *a, size_t n, halfcl_fold_state *state)
{
    int64_t integer = 0;
    for (size_t i = 0; i < n; ++i) {
        int exponent = a[i] >> 10 & 0x1f;
        int64_t size = a[i] & 0x3ff;
        if (exponent == 0x1f) {
            note_special(state, a[i]);
            continue;
        }
        if (exponent)
            size = (size | 0x400) << (exponent - 1);
        integer += a[i] & HALF_SIGN ? -size : size;
    }
    exact_sum_add(&state->sum, 0, integer);
}

static void note_signs_of_terms(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    unsigned any = 0, not_minus_zero = 0;
    for (size_t i = 0; i < n; ++i) {
        any |= a[i];
        not_minus_zero |= a[i] ^ HALF_SIGN;
    }
    note_signs(state, any, not_minus_zero);
}

static void sum_add(halfcl_fold_state *state, const void *const *inputs, size_t n)
{
    const uint16_t *a = inputs[0];
    if (n <= FEW)
        sum_few(a, n, state);
    for (size_t i = 0; n > FEW && i < n; i += MOST_AT_ONCE) {
        if (is_decided(state)) {
            note_specials(state, a + i, n - i);
            return;
        }
        sum_many(a + i, n - i < MOST_AT_ONCE ? n - i : MOST_AT_ONCE, state);
    }
    if (signs_matter(state))
        note_signs_of_terms(state, a, n);
}

static unsigned sum_finish(const halfcl_fold_state *state, uint16_t *result,
                           halfcl_rounding mode)
{
    return round_sum(state, SUM_UNIT, result, mode);
}

#endif
