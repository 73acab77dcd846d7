#include "exact/vector.h"

#include <math.h>
#include <string.h>

#include "format/strided.h"

/* The unit of sums of squares. Those of halves are multiples of PRODUCTS_UNIT; the limb below
 * has the squares of midpoints. */
enum { PRODUCTS_UNIT = -48, SQUARES_UNIT = PRODUCTS_UNIT - 32, BLOCK = HALFCL_BLOCK };

/* A finite half is significand * 2^(shift - 24). */
typedef struct {
    int64_t significand;
    int shift;
} scaled;

static scaled scaled_half(uint16_t half)
{
    int exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    int significand = exponent ? fraction | 0x400 : fraction;
    return (scaled){half & HALF_SIGN ? -significand : significand, exponent ? exponent - 1 : 0};
}

static uint16_t component(const char *vector, size_t k, ptrdiff_t step)
{
    return read_half(vector + (ptrdiff_t)k * step);
}

static bool is_infinite(uint16_t half)
{
    return (half & HALF_MAGNITUDE) == HALF_INF;
}

/* Adds integer * 2^shift units, for |integer| < 2^24, before exact_sum_carry. */
static void add_shifted(exact_sum *sum, int64_t integer, int shift)
{
    sum->limb[shift / 32] += integer * ((int64_t)1 << shift % 32);
}

/* Returns the sum of the products of two vectors, in PRODUCTS_UNIT. */
static halfcl_fold_state products_of(const exact_operands *v, const char *a, ptrdiff_t a_step,
                                     const char *b, ptrdiff_t b_step)
{
    uint16_t a_buffer[BLOCK], b_buffer[BLOCK];
    halfcl_fold_state all = {0};
    bool direct = halfcl_is_direct(a, a_step, sizeof *a_buffer) &&
                  halfcl_is_direct(b, b_step, sizeof *b_buffer);
    size_t block = direct ? v->width : BLOCK;
    for (size_t k = 0; k < v->width; k += block) {
        size_t n = v->width - k < block ? v->width - k : block;
        const uint16_t *x = halfcl_gather(a_buffer, a + (ptrdiff_t)k * a_step, a_step, n);
        const uint16_t *y = halfcl_gather(b_buffer, b + (ptrdiff_t)k * b_step, b_step, n);
        v->dot(&all, (const void *[]){x, y}, n);
    }
    return all;
}

/* Adds factor times a sum of products to a sum in SQUARES_UNIT, which is one limb below.
 * Returns false if there was an infinity or a NaN among the products. */
static bool add_products(exact_sum *squares, int factor, const halfcl_fold_state *products)
{
    const int64_t limb = (int64_t)1 << 32;
    for (int k = 0; k < EXACT_LIMBS - 1; k++)
        squares->limb[k + 1] += factor * products->sum.limb[k];
    squares->limb[EXACT_LIMBS - 1] += factor * products->sum.limb[EXACT_LIMBS - 1] * limb;
    exact_sum_carry(squares);
    return !(products->seen & SEEN_SPECIAL);
}

static int sign_of(const exact_sum *sum)
{
    if (sum->limb[EXACT_LIMBS - 1] < 0)
        return -1;
    return exact_sum_is_zero(sum) ? 0 : 1;
}

/* Returns the sum rounded to odd. */
static double to_double(const exact_sum *sum, int unit)
{
    exact_sum size = *sum;
    int sign = sign_of(sum), top = EXACT_LIMBS - 1;
    if (sign < 0) {
        for (int k = 0; k < EXACT_LIMBS; ++k)
            size.limb[k] = -size.limb[k];
        exact_sum_carry(&size);
    }
    while (top > 1 && size.limb[top] == 0)
        --top;
    /* At least 33 bits, unless it has fewer; without the last 12 of 64 they fit a double. */
    uint64_t high = (uint64_t)size.limb[top] << 32 | (uint64_t)size.limb[top - 1], rest = 0;
    int exponent = 32 * (top - 1) + unit;
    for (int k = 0; k < top - 1; ++k)
        rest |= (uint64_t)size.limb[k];
    if (high >> 52) {
        rest |= high & 0xfff;
        high >>= 12;
        exponent += 12;
    }
    return sign * ldexp((double)(high | (rest != 0)), exponent);
}

/* ------------------------------------------------------------ numbers of 12 bits */

/* Numbers of 12 bits: they include all halves and midpoints. */
enum { CUT_BITS = 41 };

static double nearest_short(double y)
{
    const uint64_t half_unit = (uint64_t)1 << (CUT_BITS - 1);
    return double_of_bits((bits_of_double(y) + half_unit) & ~(2 * half_unit - 1));
}

/* Returns whether y, with an error of at most margin, is on the right side of all of them. */
static bool is_clear(double y, double margin)
{
    return isfinite(y) && fabs(y - nearest_short(y)) > margin;
}

/* A bound of the relative error of double arithmetic: 2^-52 per operation. */
#define MARGIN 0x1p-44

/* Returns the number, or its neighbour on the side that sign says. */
static double beside(double number, int sign)
{
    return double_of_bits(bits_of_double(number) + (uint64_t)(int64_t)sign);
}

/* Returns a positive number of 12 bits as significand * 2^shift. */
static scaled scaled_short(double number)
{
    int exponent;
    double fraction = frexp(number, &exponent);
    return (scaled){(int64_t)ldexp(fraction, 12), exponent - 12};
}

static double root_of(const exact_sum *squares)
{
    if (exact_sum_is_zero(squares))
        return 0;
    double root = sqrt(to_double(squares, SQUARES_UNIT)), number = nearest_short(root);
    if (is_clear(root, MARGIN * root))
        return root;
    scaled s = scaled_short(number);
    exact_sum rest = *squares;
    add_shifted(&rest, -s.significand * s.significand, 2 * s.shift - SQUARES_UNIT);
    exact_sum_carry(&rest);
    return beside(number, sign_of(&rest));
}

/* Ratios below this round as 2^-30 does. */
#define LEAST_RATIO 0x1p-30

/* A bound of the relative error of a ratio: a sum rounded to odd has at least 33 bits. */
#define RATIO_MARGIN 0x1p-32

/* |x| / root is above a number if x^2 - number^2 * squares is positive. With up to 2^32
 * squares, the latter has 24 + 112 + 32 bits; where the two are close, the former has no
 * more. */
static double ratio_to_root(uint16_t x, const exact_sum *squares, double root)
{
    double value = halfcl_to_float(x), size = fabs(value);
    if (size == 0)
        return value;
    double ratio = size / root, number = nearest_short(ratio);
    if (ratio > LEAST_RATIO && !is_clear(ratio, RATIO_MARGIN * ratio)) {
        scaled s = scaled_short(number), h = scaled_half(x);
        exact_sum rest = {0};
        for (int k = 0; k < EXACT_LIMBS; ++k)
            rest.limb[k] = -s.significand * s.significand * squares->limb[k];
        add_shifted(&rest, h.significand * h.significand,
                    2 * h.shift - 48 - SQUARES_UNIT - 2 * s.shift);
        exact_sum_carry(&rest);
        ratio = beside(number, sign_of(&rest));
    }
    return copysign(ratio, value);
}

/* ------------------------------------------------------------ in double, if that is enough */

/* With more components errors add up, and the dot product's kernel is as fast. */
enum { MOST_QUICK = 16 };

/* Returns NaN for NaNs and infinities. */
static double value_of(uint16_t half)
{
    uint64_t magnitude = half & HALF_MAGNITUDE, sign = (uint64_t)(half & HALF_SIGN) << 48;
    if (magnitude >= HALF_INF)
        return NAN;
    double size = magnitude < HALF_MIN_NORMAL
                      ? (double)magnitude * 0x1p-24
                      : double_of_bits((magnitude << 42) + ((uint64_t)(1023 - 15) << 52));
    return double_of_bits(bits_of_double(size) | sign);
}

/* Each of these functions returns whether the result passes the rounding test. */

static bool quick_dot(const exact_operands *v, double *result)
{
    double sum = 0, size = 0;
    for (size_t k = 0; k < v->width && v->width <= MOST_QUICK; ++k) {
        double term =
            value_of(component(v->a, k, v->a_step)) * value_of(component(v->b, k, v->b_step));
        sum += term;
        size += fabs(term);
    }
    *result = sum;
    return is_clear(sum, MARGIN * size);
}

static double quick_squares(const exact_operands *v)
{
    double squares = 0;
    for (size_t k = 0; k < v->width; ++k) {
        double x = value_of(component(v->a, k, v->a_step));
        squares += x * x;
    }
    return squares;
}

static bool quick_length(const exact_operands *v, double *result)
{
    if (v->width > MOST_QUICK)
        return false;
    *result = sqrt(quick_squares(v));
    return *result == 0 || is_clear(*result, MARGIN * *result);
}

static bool quick_distance(const exact_operands *v, double *result)
{
    double squares = 0;
    for (size_t k = 0; k < v->width && v->width <= MOST_QUICK; ++k) {
        double x =
            value_of(component(v->a, k, v->a_step)) - value_of(component(v->b, k, v->b_step));
        squares += x * x;
    }
    *result = sqrt(squares);
    return is_clear(*result, MARGIN * *result);
}

static bool quick_normalize(const exact_operands *v, size_t k, double *result)
{
    if (v->width > MOST_QUICK)
        return false;
    *result = value_of(component(v->a, k, v->a_step)) / sqrt(quick_squares(v));
    return is_clear(*result, MARGIN * fabs(*result));
}

/* ------------------------------------------------------------ special operands */

/* Flags of the special values among the operands, or the terms. */
typedef struct {
    bool nan, infinity;
} specials;

static specials specials_of(const exact_operands *v, unsigned *flags)
{
    uint16_t buffer[BLOCK], nan = 0, signalling = 0, infinite = 0;
    for (size_t k = 0, n; k < v->width; k += n) {
        n = v->width - k < BLOCK ? v->width - k : BLOCK;
        const uint16_t *a =
            halfcl_gather(buffer, v->a + (ptrdiff_t)k * v->a_step, v->a_step, n);
        for (size_t i = 0; i < n; ++i) { /* without branches, so that compilers vectorise it */
            nan |= half_is_nan(a[i]);
            signalling |= half_is_signalling(a[i]);
            infinite |= is_infinite(a[i]);
        }
    }
    *flags |= signalling ? HALFCL_INVALID : 0;
    return (specials){.nan = nan, .infinity = infinite};
}

/* The difference of infinities of one sign is an invalid NaN. */
static specials specials_of_differences(const exact_operands *v, unsigned *flags)
{
    uint16_t a_buffer[BLOCK], b_buffer[BLOCK], nan = 0, invalid = 0, infinite = 0;
    for (size_t k = 0, n; k < v->width; k += n) {
        n = v->width - k < BLOCK ? v->width - k : BLOCK;
        const uint16_t *a =
            halfcl_gather(a_buffer, v->a + (ptrdiff_t)k * v->a_step, v->a_step, n);
        const uint16_t *b =
            halfcl_gather(b_buffer, v->b + (ptrdiff_t)k * v->b_step, v->b_step, n);
        for (size_t i = 0; i < n; ++i) {
            const uint16_t special = is_infinite(a[i]) | is_infinite(b[i]);
            const uint16_t cancels = special & (a[i] == b[i]);
            const uint16_t no_number = half_is_nan(a[i]) | half_is_nan(b[i]) | cancels;
            nan |= no_number;
            invalid |= half_is_signalling(a[i]) | half_is_signalling(b[i]) | cancels;
            infinite |= special & (no_number ^ 1);
        }
    }
    *flags |= invalid ? HALFCL_INVALID : 0;
    return (specials){.nan = nan, .infinity = infinite};
}

/* An infinite component, as in C's hypot, makes the length infinite, whatever the others
 * are. */
double exact_special_length(const exact_operands *v, unsigned *flags)
{
    return specials_of(v, flags).infinity ? INFINITY : NAN;
}

double exact_special_distance(const exact_operands *v, unsigned *flags)
{
    return specials_of_differences(v, flags).infinity ? INFINITY : NAN;
}

/* ------------------------------------------------------------ the functions */

double exact_dot(const exact_operands *v, halfcl_rounding mode, unsigned *flags)
{
    double result;
    if (quick_dot(v, &result))
        return result;
    halfcl_fold_state all = products_of(v, v->a, v->a_step, v->b, v->b_step);
    if (all.seen & SEEN_SPECIAL)
        return halfcl_to_float(exact_sum_special(all.seen, flags));
    if (exact_sum_is_zero(&all.sum))
        return zero_is_negative(all.seen, mode) ? -0.0 : 0.0;
    return to_double(&all.sum, PRODUCTS_UNIT);
}

/* Computes the root of the sum of squares; returns false, with the sum's state, if a component
 * is infinite or a NaN. */
static bool finite_length(const exact_operands *v, double *result, halfcl_fold_state *all)
{
    exact_sum squares = {0};
    if (quick_length(v, result))
        return true;
    *all = products_of(v, v->a, v->a_step, v->a, v->a_step);
    if (!add_products(&squares, 1, all))
        return false;
    *result = root_of(&squares);
    return true;
}

double exact_length(const exact_operands *v, unsigned *flags)
{
    halfcl_fold_state all;
    double result;
    if (finite_length(v, &result, &all))
        return result;
    return exact_special_length(v, flags);
}

double exact_root_of_squares(const exact_operands *v, unsigned *flags)
{
    halfcl_fold_state all;
    double result;
    return finite_length(v, &result, &all)
               ? result
               : (double)halfcl_to_float(exact_sum_special(all.seen, flags));
}

/* (a - b)^2 = a^2 - 2 a b + b^2, exactly. */
double exact_distance(const exact_operands *v, unsigned *flags)
{
    double result;
    if (quick_distance(v, &result))
        return result;
    exact_sum squares = {0};
    halfcl_fold_state a = products_of(v, v->a, v->a_step, v->a, v->a_step);
    halfcl_fold_state both = products_of(v, v->a, v->a_step, v->b, v->b_step);
    halfcl_fold_state b = products_of(v, v->b, v->b_step, v->b, v->b_step);
    bool finite = add_products(&squares, 1, &a);
    finite &= add_products(&squares, -2, &both);
    finite &= add_products(&squares, 1, &b);
    if (finite)
        return root_of(&squares);
    return exact_special_distance(v, flags);
}

/* Finite components count as 0, with their signs, if others are infinite, which count as 1. */
static uint16_t beside_infinity(uint16_t half)
{
    return (half & HALF_SIGN) | (is_infinite(half) ? HALF_ONE : 0);
}

/* Returns the number of infinite components, in SQUARES_UNIT. */
static exact_sum count_infinities(const exact_operands *v)
{
    const int64_t one = (int64_t)1 << -SQUARES_UNIT % 32;
    exact_sum squares = {0};
    for (size_t k = 0; k < v->width; ++k)
        exact_sum_add(&squares, -SQUARES_UNIT / 32,
                      is_infinite(component(v->a, k, v->a_step)) ? one : 0);
    return squares;
}

exact_norm exact_norm_of(const exact_operands *v, unsigned *flags)
{
    exact_norm norm = {0};
    bool nan = false;
    halfcl_fold_state all = products_of(v, v->a, v->a_step, v->a, v->a_step);
    if (!add_products(&norm.squares, 1, &all)) {
        specials seen = specials_of(v, flags);
        nan = seen.nan;
        norm.infinite = !nan;
        if (norm.infinite)
            norm.squares = count_infinities(v);
    }
    norm.square = nan ? NAN : to_double(&norm.squares, SQUARES_UNIT);
    return norm;
}

double exact_ratio(uint16_t x, const exact_norm *norm)
{
    if (isnan(norm->square))
        return NAN;
    return ratio_to_root(norm->infinite ? beside_infinity(x) : x, &norm->squares,
                         sqrt(norm->square));
}

double exact_normalize(const exact_operands *v, size_t k, unsigned *flags)
{
    double result;
    if (quick_normalize(v, k, &result))
        return result;
    exact_norm norm = exact_norm_of(v, flags);
    return exact_ratio(component(v->a, k, v->a_step), &norm);
}
