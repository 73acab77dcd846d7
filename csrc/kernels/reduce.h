/* Sums and dot products: exact, then rounded once. Maxima and minima. */
#ifndef HALFCL_REDUCE_H
#define HALFCL_REDUCE_H

#include "../reduction.h"
#include "map.h"
#include "relational.h"

ALWAYS_INLINE bool is_special(double x)
{
    return (bits_of_double(x) >> 52 & 0x7ff) == 0x7ff;
}

/* The sum of the lanes, which must be exact. */
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

/* Notes the signs of terms, by the bits that any of them has and the bits in which any
 * differs from -0. They matter only if the sum comes to zero in the end: if it was not
 * always zero, there were terms of both signs. */
ALWAYS_INLINE void note_signs(reduction *r, unsigned any, unsigned not_minus_zero)
{
    r->plus |= not_minus_zero != 0;
    r->minus |= (any & HALF_SIGN) != 0;
}

ALWAYS_INLINE bool signs_matter(reduction *r)
{
    bool zero = exact_is_zero(&r->sum);
    r->plus |= !zero;
    r->minus |= !zero;
    return !(r->plus && r->minus);
}

static uint16_t rounded_sum(const reduction *r, int unit, halfcl_rounding mode, unsigned *flags)
{
    if (!exact_is_zero(&r->sum))
        return exact_round(&r->sum, unit, mode, flags);
    bool minus = r->plus && r->minus ? mode == HALFCL_RTN : r->minus;
    return minus ? HALF_SIGN : 0;
}

/* Sums. Halves are integers below 2^40 in units of 2^-24, so that a double holds the
 * sum of 2^13 of them exactly. */

enum { SUM_UNIT = -24, SUM_TERMS = 1 << 13 };

/* What load_n adds to a vector of which it has n elements: ones. */
ALWAYS_INLINE double ones_beyond(size_t n)
{
    return n < LANES ? (double)(LANES - n) : 0;
}

static void sum_block(const uint16_t *a, size_t n, exact_sum *sum)
{
    vd zero = vd_set(0), total[4] = {zero, zero, zero, zero};
    double extra = 0;
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR) {
        vf first = load(a + i), second = load(a + i + LANES);
        total[0] = vd_add(total[0], vd_low(first));
        total[1] = vd_add(total[1], vd_high(first));
        total[2] = vd_add(total[2], vd_low(second));
        total[3] = vd_add(total[3], vd_high(second));
    }
    for (; i < n; i += LANES) {
        vf part = load_n(a + i, n - i);
        total[0] = vd_add(total[0], vd_low(part));
        total[1] = vd_add(total[1], vd_high(part));
        extra = ones_beyond(n - i);
    }
    vd lanes = vd_add(vd_add(total[0], total[1]), vd_add(total[2], total[3]));
    double all = sum_of_lanes(lanes) - extra;
    if (is_special(all))
        exact_add_special(sum, all);
    else
        exact_add(sum, 0, (int64_t)(all * 0x1p24));
}

/* A few terms, faster one by one. */
enum { FEW = 4 };

static void sum_few(const uint16_t *a, size_t n, exact_sum *sum)
{
    int64_t integer = 0;
    for (size_t i = 0; i < n; ++i) {
        int exponent = a[i] >> 10 & 0x1f;
        int64_t size = a[i] & 0x3ff;
        if (exponent == 0x1f) {
            exact_add_special(sum, halfcl_to_float(a[i]));
            continue;
        }
        if (exponent)
            size = (size | 0x400) << (exponent - 1);
        integer += a[i] & HALF_SIGN ? -size : size;
    }
    exact_add(sum, 0, integer);
}

static void note_signs_of_terms(reduction *r, const uint16_t *a, size_t n)
{
    unsigned any = 0, not_minus_zero = 0;
    for (size_t i = 0; i < n; ++i) {
        any |= a[i];
        not_minus_zero |= a[i] ^ HALF_SIGN;
    }
    note_signs(r, any, not_minus_zero);
}

static unsigned add_reduce(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    reduction *r = args[1];
    unsigned flags = 0;
    if (n == 0)
        *(uint16_t *)args[2] = rounded_sum(r, SUM_UNIT, mode, &flags);
    if (n <= FEW)
        sum_few(a, n, &r->sum);
    for (size_t i = 0; n > FEW && i < n; i += SUM_TERMS)
        sum_block(a + i, n - i < SUM_TERMS ? n - i : SUM_TERMS, &r->sum);
    if (signs_matter(r))
        note_signs_of_terms(r, a, n);
    return flags;
}

/* Dot products. A product is an integer multiple of 2^-48 below 2^32, exact in a float.
 * It is added to a double that starts at 1.5 * 2^41 and, for 2^8 terms, stays in
 * [2^41, 2^42) (two of them are for what does not fill a turn): there the last place is 2^-11,
 * so what the addition cuts off is an exact double below 2^-11, and sums of these are exact as
 * well, over all lanes too. */

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

/* Takes infinities and NaNs out of the products: they would spoil both parts. */
static vf without_specials(vf product, exact_sum *sum)
{
    float at[LANES];
    acc ignored = acc_none();
    vf_store(at, product, &ignored);
    for (int k = 0; k < LANES; ++k) {
        if (is_special(at[k]))
            exact_add_special(sum, at[k]);
    }
    return vf_select(vf_special(product), vf_set(0), product);
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

static void dot_block(const uint16_t *a, const uint16_t *b, size_t n, exact_sum *sum)
{
    split_sum start = {vd_set(DOT_BASE), vd_set(0)}, total[4] = {start, start, start, start};
    double extra = 0;
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR) {
        vf first = vf_mul(load(a + i), load(b + i));
        vf second = vf_mul(load(a + i + LANES), load(b + i + LANES));
        if (vm_any(vm_or(vf_special(first), vf_special(second)))) {
            first = without_specials(first, sum);
            second = without_specials(second, sum);
        }
        split_add(&total[0], vd_low(first));
        split_add(&total[1], vd_high(first));
        split_add(&total[2], vd_low(second));
        split_add(&total[3], vd_high(second));
    }
    for (; i < n; i += LANES) {
        vf part = vf_mul(load_n(a + i, n - i), load_n(b + i, n - i));
        if (vm_any(vf_special(part)))
            part = without_specials(part, sum);
        split_add(&total[0], vd_low(part));
        split_add(&total[1], vd_high(part));
        extra = ones_beyond(n - i);
    }
    vd low = vd_add(vd_add(total[0].low, total[1].low), vd_add(total[2].low, total[3].low));
    exact_add(sum, 0, (int64_t)(sum_of_lanes(low) * 0x1p48));
    exact_add(sum, 1, high_parts(total) - (int64_t)(extra * 0x1p16));
}

static void note_signs_of_products(reduction *r, const uint16_t *a, const uint16_t *b, size_t n)
{
    unsigned any = 0, not_minus_zero = 0;
    for (size_t i = 0; i < n; ++i) {
        bool zero = (a[i] & HALF_MAGNITUDE) == 0 || (b[i] & HALF_MAGNITUDE) == 0;
        unsigned sign = (a[i] ^ b[i]) & HALF_SIGN;
        any |= zero ? sign : HALF_SIGN;
        not_minus_zero |= zero ? sign ^ HALF_SIGN : 1;
    }
    note_signs(r, any, not_minus_zero);
}

static unsigned dot(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1];
    reduction *r = args[2];
    unsigned flags = 0;
    if (n == 0)
        *(uint16_t *)args[3] = rounded_sum(r, DOT_UNIT, mode, &flags);
    for (size_t i = 0; i < n; i += DOT_TERMS)
        dot_block(a + i, b + i, n - i < DOT_TERMS ? n - i : DOT_TERMS, &r->sum);
    if (signs_matter(r))
        note_signs_of_products(r, a, b, n);
    return flags;
}

/* Maxima and minima, by integers in the order of the halves. With -0 before +0 the
 * result is the same in any order. NaNs lie beyond the infinities: both the least and the
 * most tell whether there were any. Where they do not count they are put at the end that
 * does not matter. */

enum { LEAST_KEY = INT16_MIN, MOST_KEY = INT16_MAX, INF_KEY = HALF_INF };

/* Its own inverse. */
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

ALWAYS_INLINE void reduce_add(reduction *r, int16_t least, int16_t most)
{
    r->least = least < r->least || !r->any ? least : r->least;
    r->most = most > r->most || !r->any ? most : r->most;
    r->any = true;
}

/* The vectors' worth of elements, then their lanes; few elements one by one. */
ALWAYS_INLINE void reduce_extrema(reduction *r, const uint16_t *a, size_t n, counting what)
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
        reduce_add(r, least[k], most[k]);
}

static uint16_t greatest(const reduction *r)
{
    return r->most > INF_KEY || r->least < ~INF_KEY ? HALF_NAN : half_of_key(r->most);
}

static uint16_t smallest(const reduction *r)
{
    return r->most > INF_KEY || r->least < ~INF_KEY ? HALF_NAN : half_of_key(r->least);
}

static uint16_t greatest_number(const reduction *r)
{
    return r->most == LEAST_KEY ? HALF_NAN : half_of_key(r->most);
}

static uint16_t smallest_number(const reduction *r)
{
    return r->least == MOST_KEY ? HALF_NAN : half_of_key(r->least);
}

#define EXTREMUM_REDUCE(name, what, result)                                                    \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        (void)mode;                                                                            \
        if (n == 0)                                                                            \
            *(uint16_t *)args[2] = result(args[1]);                                            \
        else                                                                                   \
            reduce_extrema(args[1], args[0], n, what);                                         \
        return 0;                                                                              \
    }
EXTREMUM_REDUCE(maximum_reduce, NANS_COUNT, greatest)
EXTREMUM_REDUCE(minimum_reduce, NANS_COUNT, smallest)
EXTREMUM_REDUCE(fmax_reduce, NUMBERS_ONLY, greatest_number)
EXTREMUM_REDUCE(fmin_reduce, NUMBERS_ONLY, smallest_number)

#define REDUCE_KERNELS                                                                         \
    {"add_reduce", "ee>e", add_reduce}, {"dot", "ee>e", dot},                                  \
        {"maximum_reduce", "ee>e", maximum_reduce},                                            \
        {"minimum_reduce", "ee>e", minimum_reduce}, {"fmax_reduce", "ee>e", fmax_reduce},      \
        {"fmin_reduce", "ee>e", fmin_reduce},

#endif
