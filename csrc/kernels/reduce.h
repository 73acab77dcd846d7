/* Sums and dot products: exact, then rounded once. */
#include "../exact_sum.h"
#include "map.h"

/* Loops take PAIR elements a turn. */
enum { PAIR = 2 * LANES };

ALWAYS_INLINE bool is_special(double x)
{
    return (bits_of_double(x) >> 52 & 0x7ff) == 0x7ff;
}

/* Adds the lanes of a vector: each an integer times 2^(32 limb + unit) = 1 / scale, and
 * their sum below 2^63 of these. */
ALWAYS_INLINE void flush_lanes(exact_sum *sum, vd lanes, int limb, double scale)
{
    double at[LANES / 2];
    int64_t integer = 0;
    vd_store(at, lanes);
    for (int k = 0; k < LANES / 2; ++k) {
        if (is_special(at[k]))
            exact_add_special(sum, at[k]);
        else
            integer += (int64_t)(at[k] * scale);
    }
    exact_add(sum, limb, integer);
}

/* The zero that an exact sum of zeros, or of terms that cancel, comes to. */
static uint16_t zero_sum(bool any_plus, bool any_minus, halfcl_rounding mode)
{
    bool minus = any_plus && any_minus ? mode == HALFCL_RTN : any_minus;
    return minus ? HALF_SIGN : 0;
}

/* Sums. Halves are integers below 2^40 in units of 2^-24, so that a double holds the
 * sum of 2^13 of them exactly. */

enum { SUM_TURNS = (1 << 13) / 4 };

static void sum_block(const uint16_t *a, size_t turns, exact_sum *sum)
{
    vd zero = vd_set(0), total[4] = {zero, zero, zero, zero};
    for (size_t i = 0; i < turns; ++i, a += PAIR) {
        vf first = load(a), second = load(a + LANES);
        total[0] = vd_add(total[0], vd_low(first));
        total[1] = vd_add(total[1], vd_high(first));
        total[2] = vd_add(total[2], vd_low(second));
        total[3] = vd_add(total[3], vd_high(second));
    }
    vd lanes = vd_add(vd_add(total[0], total[1]), vd_add(total[2], total[3]));
    flush_lanes(sum, lanes, 0, 0x1p24);
}

static uint16_t zero_of_sum(const uint16_t *a, size_t n, uint16_t initial, halfcl_rounding mode)
{
    bool plus = initial != HALF_SIGN, minus = (initial & HALF_SIGN) != 0;
    for (size_t i = 0; i < n && !(plus && minus); ++i) {
        plus |= a[i] != HALF_SIGN;
        minus |= (a[i] & HALF_SIGN) != 0;
    }
    return zero_sum(plus, minus, mode);
}

static unsigned add_reduce(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *initial = args[1];
    uint16_t *out = args[2], rest[PAIR] = {0};
    exact_sum sum = {.unit = -24};
    unsigned flags = 0;
    size_t turns = n / PAIR, left = n % PAIR;
    for (size_t i = 0; i < turns; i += SUM_TURNS)
        sum_block(a + i * PAIR, turns - i < SUM_TURNS ? turns - i : SUM_TURNS, &sum);
    memcpy(rest, a + n - left, left * sizeof *rest);
    rest[left] = *initial;
    sum_block(rest, 1, &sum);
    *out = exact_is_zero(&sum) ? zero_of_sum(a, n, *initial, mode)
                               : exact_round(&sum, mode, &flags);
    return flags;
}

/* Dot products. A product is an integer multiple of 2^-48 below 2^32, exact in a float.
 * It is added to a double that starts at 1.5 * 2^41 and, for 2^8 terms, stays in
 * [2^41, 2^42): there the last place is 2^-11, so what the addition cuts off is an
 * exact double below 2^-11, and sums of these are exact as well. */

enum { DOT_TURNS = 1 << 8 };

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

static void dot_block(const uint16_t *a, const uint16_t *b, size_t turns, exact_sum *sum)
{
    split_sum start = {vd_set(DOT_BASE), vd_set(0)}, total[4] = {start, start, start, start};
    for (size_t i = 0; i < turns; ++i, a += PAIR, b += PAIR) {
        vf first = vf_mul(load(a), load(b));
        vf second = vf_mul(load(a + LANES), load(b + LANES));
        if (vm_any(vm_or(vf_special(first), vf_special(second)))) {
            first = without_specials(first, sum);
            second = without_specials(second, sum);
        }
        split_add(&total[0], vd_low(first));
        split_add(&total[1], vd_high(first));
        split_add(&total[2], vd_low(second));
        split_add(&total[3], vd_high(second));
    }
    /* In units of 2^-16, of limb 1, and of 2^-48. */
    vd low = vd_set(0);
    for (int k = 0; k < 4; ++k) {
        flush_lanes(sum, vd_sub(total[k].high, vd_set(DOT_BASE)), 1, 0x1p16);
        low = vd_add(low, total[k].low);
    }
    flush_lanes(sum, low, 0, 0x1p48);
}

static uint16_t zero_of_dot(const uint16_t *a, const uint16_t *b, size_t n,
                            halfcl_rounding mode)
{
    bool plus = n == 0, minus = false;
    for (size_t i = 0; i < n && !(plus && minus); ++i) {
        bool zero = (a[i] & HALF_MAGNITUDE) == 0 || (b[i] & HALF_MAGNITUDE) == 0;
        bool negative = ((a[i] ^ b[i]) & HALF_SIGN) != 0;
        plus |= !zero || !negative;
        minus |= !zero || negative;
    }
    return zero_sum(plus, minus, mode);
}

static unsigned dot(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2], rest_a[PAIR] = {0}, rest_b[PAIR] = {0};
    exact_sum sum = {.unit = -48};
    unsigned flags = 0;
    size_t turns = n / PAIR, left = n % PAIR, done = n - left;
    for (size_t i = 0; i < turns; i += DOT_TURNS)
        dot_block(a + i * PAIR, b + i * PAIR, turns - i < DOT_TURNS ? turns - i : DOT_TURNS,
                  &sum);
    if (left) {
        memcpy(rest_a, a + done, left * sizeof *a);
        memcpy(rest_b, b + done, left * sizeof *b);
        dot_block(rest_a, rest_b, 1, &sum);
    }
    *out = exact_is_zero(&sum) ? zero_of_dot(a, b, n, mode) : exact_round(&sum, mode, &flags);
    return flags;
}

#define REDUCE_KERNELS {"add_reduce", "ee>e", add_reduce}, {"dot", "ee>e", dot},
