/* Dot products: exact, then rounded once. Maxima and minima. (Many at once: by_rows.h,
 * few_rows.h.) */
#ifndef HALFCL_KERNELS_FOLDS_REDUCE_H
#define HALFCL_KERNELS_FOLDS_REDUCE_H

#include "kernels/elementwise/relational.h"
#include "kernels/folds/sums.h"

/* Dot products. A product is an integer multiple of 2^-48 below 2^32, exact in a float. It is
 * added to a double that starts at 1.5 * 2^41 and, for 2^8 terms, stays in [2^41, 2^42) (two of
 * them are reserved for the elements that do not fill a turn): there the last place is 2^-11,
 * so the part that the addition truncates is an exact double below 2^-11, and sums of these are
 * exact as well, over all lanes, too. */

enum { DOT_UNIT = -48, DOT_TERMS = PAIR * ((1 << 8) - 2) };

#define DOT_BASE 0x1.8p41

typedef struct {
    vd high, low;
} split_sum;

ALWAYS_INLINE void split_add(split_sum *sum, vd term)
{
    vd high = vd_add(sum->high, term);
    vd added = vd_sub(high, sum->high);
    sum->low = vd_add(sum->low, vd_sub(term, added));
    sum->high = high;
}

/* In [2^41, 2^42) the bits of doubles count units of 2^-11, 2^5 of limb 1. */
ALWAYS_INLINE int64_t high_parts(const split_sum *total)
{
    uint64_t sum = 0, at[PAIR];
    for (int k = 0; k < 4; ++k)
        vd_store(at + k * LANES / 2, total[k].high);
    for (int k = 0; k < PAIR; ++k)
        sum += at[k] - bits_of_double(DOT_BASE);
    return (int64_t)(sum << 5);
}

/* Returns x * y; if both arrays are the same, elements are loaded once. */
ALWAYS_INLINE vf product_at(const uint16_t *a, const uint16_t *b, bool same)
{
    vf x = load(a);
    return vf_mul(x, same ? x : load(b));
}

/* Fast attempts that succeed for most numbers, on QUICK_TERMS products: sums in double, or, in
 * half the time, each in two floats. The processor records whether all operations were
 * exact. */

enum { QUICK_TERMS = 1 << 10 };

/* A sum in progress, exact in each lane unless it is special. */
typedef struct {
    double lanes[LANES / 2];
    attempts in_floats;
    float base; /* of sums in floats; 0: not chosen yet */
} quick_sum;

ALWAYS_INLINE vd products_in_doubles(const uint16_t *a, const uint16_t *b, bool same)
{
    vd zero = vd_set(0), total[4] = {zero, zero, zero, zero};
    for (size_t i = 0; i < QUICK_TERMS; i += PAIR) {
        vf first = product_at(ahead_of(a + i), b + i, same);
        vf second = product_at(a + i + LANES, b + i + LANES, same);
        total[0] = vd_add(total[0], vd_low(first));
        total[1] = vd_add(total[1], vd_high(first));
        total[2] = vd_add(total[2], vd_low(second));
        total[3] = vd_add(total[3], vd_high(second));
    }
    return vd_add(vd_add(total[0], total[1]), vd_add(total[2], total[3]));
}

/* The high float starts from a base beyond the products and adds each down to its own last
 * place. Only that addition is rounded, and this is not recorded. The rest of a product has few
 * bits, and so has the sum of the rests. */
ALWAYS_INLINE void add_in_floats(float_pair *sum, const uint16_t *a, const uint16_t *b,
                                 bool same)
{
    vf x = load(a), y = same ? x : load(b), high = vn_fma(x, y, sum->high);
    sum->low = vf_add(sum->low, vf_fma(x, y, vf_sub(sum->high, high)));
    sum->high = high;
}

ALWAYS_INLINE vd products_in_floats(const uint16_t *a, const uint16_t *b, float base, bool same)
{
    const float_pair start = {vf_set(base), vf_set(0)};
    chains sum = {start, start, start, start};
    for (size_t i = 0; i < QUICK_TERMS; i += SUM_CHAINS * LANES) {
        const uint16_t *x = ahead_of(a + i), *y = b + i;
        add_in_floats(&sum.a, x, y, same);
        add_in_floats(&sum.b, x + LANES, y + LANES, same);
        add_in_floats(&sum.c, x + 2 * LANES, y + 2 * LANES, same);
        add_in_floats(&sum.d, x + 3 * LANES, y + 3 * LANES, same);
    }
    vd high = sum_of_four(sum.a.high, sum.b.high, sum.c.high, sum.d.high);
    vf low = vf_add(vf_add(sum.a.low, sum.b.low), vf_add(sum.c.low, sum.d.low));
    const double bases = 2.0 * SUM_CHAINS * (double)base; /* two lanes of each chain */
    return vd_add(vd_sub(high, vd_set(bases)), widened_sum(low));
}

ALWAYS_INLINE float largest_magnitude(const uint16_t *a)
{
    vw most = vw_set(0);
    int16_t at[WORDS], largest = 0;
    for (size_t i = 0; i < QUICK_TERMS; i += WORDS)
        most = vw_max(most, vw_and(vw_load(a + i), vw_set(HALF_MAGNITUDE)));
    vw_store(at, most);
    for (int k = 0; k < WORDS; ++k)
        largest = at[k] > largest ? at[k] : largest;
    return float_of_half((uint16_t)largest);
}

/* Returns a base beyond QUICK_TERMS products, and beyond the sum of those in a lane if few are
 * that large. */
static float base_for(const uint16_t *a, const uint16_t *b)
{
    const float least = 0x1p-48f, room = 0x1p3f;
    return (largest_magnitude(a) * largest_magnitude(b) + least) * room;
}

/* Adds QUICK_TERMS products; returns false, without changing the sum, if it may not be
 * exact. */
ALWAYS_INLINE bool take_products(quick_sum *sum, const uint16_t *a, const uint16_t *b,
                                 bool in_floats, bool same)
{
    double lanes[LANES / 2];
    halfcl_watch_inexact();
    vd part =
        in_floats ? products_in_floats(a, b, sum->base, same) : products_in_doubles(a, b, same);
    vd_store(lanes, vd_add(vd_load(sum->lanes), part));
    if (!were_exact(lanes))
        return false;
    memcpy(sum->lanes, lanes, sizeof lanes);
    return true;
}

static __attribute__((noinline)) bool take_in_floats(quick_sum *sum, const uint16_t *a,
                                                     const uint16_t *b)
{
    if (sum->base == 0)
        sum->base = base_for(a, b);
    bool is_exact =
        a == b ? take_products(sum, a, b, true, true) : take_products(sum, a, b, true, false);
    if (is_exact) {
        sum->in_floats.patience = 1;
    } else {
        sum->base = 0;
        failed(&sum->in_floats, true);
    }
    return is_exact;
}

static __attribute__((noinline)) bool take_in_doubles(quick_sum *sum, const uint16_t *a,
                                                      const uint16_t *b)
{
    return a == b ? take_products(sum, a, b, false, true)
                  : take_products(sum, a, b, false, false);
}

static bool take_quickly(quick_sum *sum, const uint16_t *a, const uint16_t *b)
{
    return (HAVE_STATIC_ROUNDING && attempt(&sum->in_floats) && take_in_floats(sum, a, b)) ||
           take_in_doubles(sum, a, b);
}

/* Adds an integer in units of 2^-48, below 2^106. */
static void add_products(exact_sum *sum, double products)
{
    double high = (double)(int64_t)(products * 0x1p16); /* truncated, so exact */
    exact_sum_add(sum, 1, (int64_t)high);
    exact_sum_add(sum, 0, (int64_t)((products - high * 0x1p-16) * 0x1p48));
}

/* Adds up to DOT_TERMS products; returns false, without adding any, if one is infinite or a
 * NaN. */
static bool dot_exactly(const uint16_t *a, const uint16_t *b, size_t n, exact_sum *sum)
{
    split_sum start = {vd_set(DOT_BASE), vd_set(0)}, total[4] = {start, start, start, start};
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR) {
        vf first = vf_mul(load(a + i), load(b + i));
        vf second = vf_mul(load(a + i + LANES), load(b + i + LANES));
        split_add(&total[0], vd_low(first));
        split_add(&total[1], vd_high(first));
        split_add(&total[2], vd_low(second));
        split_add(&total[3], vd_high(second));
    }
    for (; i < n; i += LANES) {
        size_t remaining = n - i < LANES ? n - i : LANES;
        vf part = vf_mul(load_n(a + i, remaining), load_n(b + i, remaining));
        split_add(&total[0], vd_low(part));
        split_add(&total[1], vd_high(part));
    }
    vd low = vd_add(vd_add(total[0].low, total[1].low), vd_add(total[2].low, total[3].low));
    const double rest = sum_of_lanes(low);
    if (is_special(rest))
        return false;
    exact_sum_add(sum, 0, (int64_t)(rest * 0x1p48));
    exact_sum_add(sum, 1, high_parts(total) - (int64_t)(ones_added(n) * 0x1p16));
    return true;
}

static void note_signs_of_products(halfcl_fold_state *state, const uint16_t *a,
                                   const uint16_t *b, size_t n)
{
    unsigned any = 0, not_minus_zero = 0;
    for (size_t i = 0; i < n; ++i) {
        bool zero = (a[i] & HALF_MAGNITUDE) == 0 || (b[i] & HALF_MAGNITUDE) == 0;
        unsigned sign = (a[i] ^ b[i]) & HALF_SIGN;
        any |= zero ? sign : HALF_SIGN;
        not_minus_zero |= zero ? sign ^ HALF_SIGN : 1;
    }
    note_signs(state, any, not_minus_zero);
}

/* Adds a quick sum to the exact sum; returns false if it has an infinity or a NaN. */
static bool add_taken(exact_sum *to, const quick_sum *sum)
{
    halfcl_watch_inexact();
    const double total = sum_of_lanes(vd_load(sum->lanes));
    const bool exact = were_exact(&total);
    if (is_special(total))
        return false;
    if (exact)
        add_products(to, total);
    for (int k = 0; k < LANES / 2 && !exact; ++k)
        add_products(to, sum->lanes[k]);
    return true;
}

/* Adds up to SEGMENT terms, whose sum is below 2^46; returns false, with an arbitrary sum, if
 * there is an infinity or a NaN. */
static bool add_segment(exact_sum *to, quick_sum *sum, const uint16_t *a, const uint16_t *b,
                        size_t n)
{
    memset(sum->lanes, 0, sizeof sum->lanes);
    for (size_t i = 0, count; i < n; i += count) {
        count = QUICK_TERMS;
        if (n - i >= QUICK_TERMS && take_quickly(sum, a + i, b + i))
            continue;
        count = n - i < DOT_TERMS ? n - i : DOT_TERMS;
        if (!dot_exactly(a + i, b + i, count, to))
            return false;
    }
    return n < QUICK_TERMS || add_taken(to, sum);
}

enum { SEGMENT = 1 << 14 };

static void dot_add(halfcl_fold_state *state, const void *const *inputs, size_t n)
{
    const uint16_t *a = inputs[0], *b = inputs[1];
    quick_sum sum = {.in_floats = {1, 0}};
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < SEGMENT ? n - i : SEGMENT;
        if (is_decided(state) || !add_segment(&state->sum, &sum, a + i, b + i, count)) {
            note_special_products(state, a + i, b + i, n - i);
            return;
        }
    }
    if (signs_matter(state))
        note_signs_of_products(state, a, b, n);
}

static unsigned dot_finish(const halfcl_fold_state *state, uint16_t *result,
                           halfcl_rounding mode)
{
    return round_sum(state, DOT_UNIT, result, mode);
}

/* Maxima and minima, by integers in the order of the halves. With -0 before +0 the result is
 * the same in any order. NaNs lie beyond the infinities: both the least and the most show
 * whether there were any. Functions that ignore NaNs order them at the end that does not
 * matter. */

enum { LEAST_KEY = INT16_MIN, MOST_KEY = INT16_MAX, INF_KEY = HALF_INF };

/* This function is its own inverse. */
ALWAYS_INLINE vw total_order_key(vw a)
{
    return vw_select(vw_negative(a), vw_xor(a, vw_set(HALF_MAGNITUDE)), a);
}

static uint16_t half_of_key(int key)
{
    return (uint16_t)(key < 0 ? key ^ HALF_MAGNITUDE : key);
}

typedef struct {
    vw least, most;
} extrema;

typedef enum { NANS_COUNT, NUMBERS_ONLY } counting;

ALWAYS_INLINE void extrema_add(extrema *e, vw a, counting what)
{
    vw key = total_order_key(a), least = key, most = key;
    if (what == NUMBERS_ONLY) {
        wm nan = is_nan(a);
        least = vw_select(nan, vw_set(MOST_KEY), key);
        most = vw_select(nan, vw_set(LEAST_KEY), key);
    }
    e->least = vw_min(e->least, least);
    e->most = vw_max(e->most, most);
}

/* Elements may count twice: the last vector overlaps the one before. */
ALWAYS_INLINE extrema extrema_of(const uint16_t *a, size_t n, counting what)
{
    extrema e = {vw_set(MOST_KEY), vw_set(LEAST_KEY)}, f = e;
    size_t i = 0;
    for (; i + 2 * WORDS <= n; i += 2 * WORDS) {
        extrema_add(&e, vw_load(a + i), what);
        extrema_add(&f, vw_load(a + i + WORDS), what);
    }
    if (i + WORDS <= n)
        extrema_add(&e, vw_load(a + i), what);
    if (n % WORDS)
        extrema_add(&f, vw_load(a + n - WORDS), what);
    return (extrema){vw_min(e.least, f.least), vw_max(e.most, f.most)};
}

ALWAYS_INLINE void widen_range(halfcl_fold_state *state, int16_t least, int16_t most)
{
    bool first = !(state->seen & SEEN_ANY);
    state->range.least = least < state->range.least || first ? least : state->range.least;
    state->range.most = most > state->range.most || first ? most : state->range.most;
    state->seen |= SEEN_ANY;
}

/* Takes whole vectors of elements, then their lanes; few elements one by one. */
ALWAYS_INLINE void range_add(halfcl_fold_state *state, const uint16_t *a, size_t n,
                             counting what)
{
    int16_t least[WORDS], most[WORDS];
    size_t count = n < WORDS ? n : WORDS;
    if (n >= WORDS) {
        extrema e = extrema_of(a, n, what);
        vw_store(least, e.least);
        vw_store(most, e.most);
    }
    for (size_t k = 0; k < count && n < WORDS; ++k) {
        bool skipped = what == NUMBERS_ONLY && (a[k] & HALF_MAGNITUDE) > HALF_INF;
        int16_t key = (int16_t)half_of_key((int16_t)a[k]);
        least[k] = skipped ? MOST_KEY : key;
        most[k] = skipped ? LEAST_KEY : key;
    }
    for (size_t k = 0; k < count; ++k)
        widen_range(state, least[k], most[k]);
}

static void all_add(halfcl_fold_state *state, const void *const *inputs, size_t n)
{
    range_add(state, inputs[0], n, NANS_COUNT);
}

static void numbers_add(halfcl_fold_state *state, const void *const *inputs, size_t n)
{
    range_add(state, inputs[0], n, NUMBERS_ONLY);
}

static void merge_ranges(halfcl_fold_state *state, const halfcl_fold_state *other)
{
    if (other->seen & SEEN_ANY)
        widen_range(state, other->range.least, other->range.most);
}

static uint16_t greatest(const halfcl_fold_state *state)
{
    int least = state->range.least, most = state->range.most;
    return most > INF_KEY || least < ~INF_KEY ? HALF_NAN : half_of_key(most);
}

static uint16_t smallest(const halfcl_fold_state *state)
{
    int least = state->range.least, most = state->range.most;
    return most > INF_KEY || least < ~INF_KEY ? HALF_NAN : half_of_key(least);
}

static uint16_t greatest_number(const halfcl_fold_state *state)
{
    int most = state->range.most;
    return most == LEAST_KEY ? HALF_NAN : half_of_key(most);
}

static uint16_t smallest_number(const halfcl_fold_state *state)
{
    int least = state->range.least;
    return least == MOST_KEY ? HALF_NAN : half_of_key(least);
}

/* The result for no elements is NaN. */
#define RANGE_FINISH(extreme)                                                                  \
    static unsigned extreme##_finish(const halfcl_fold_state *state, uint16_t *result,         \
                                     halfcl_rounding mode)                                     \
    {                                                                                          \
        (void)mode;                                                                            \
        *result = state->seen & SEEN_ANY ? extreme(state) : HALF_NAN;                          \
        return 0;                                                                              \
    }
RANGE_FINISH(greatest)
RANGE_FINISH(smallest)
RANGE_FINISH(greatest_number)
RANGE_FINISH(smallest_number)

#define REDUCE_KERNELS                                                                         \
    FOLD("maximum_reduce", 1, all_add, merge_ranges, greatest_finish)                          \
    FOLD("minimum_reduce", 1, all_add, merge_ranges, smallest_finish)                          \
    FOLD("fmax_reduce", 1, numbers_add, merge_ranges, greatest_number_finish)                  \
    FOLD("fmin_reduce", 1, numbers_add, merge_ranges, smallest_number_finish)

#endif
