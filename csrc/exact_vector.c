#include "exact_vector.h"

#include <math.h>
#include <string.h>

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

static uint16_t component(const void *vector, size_t k, ptrdiff_t step)
{
    uint16_t half;
    memcpy(&half, (const char *)vector + (ptrdiff_t)k * step, sizeof half);
    return half;
}

static bool is_finite(uint16_t half)
{
    return (half & HALF_MAGNITUDE) < HALF_INF;
}

static bool is_infinite(uint16_t half)
{
    return (half & HALF_MAGNITUDE) == HALF_INF;
}

static bool is_zero(uint16_t half)
{
    return (half & HALF_MAGNITUDE) == 0;
}

/* Adds integer * 2^shift units, for |integer| < 2^24. The limb has room for 2^8 of them before
 * it must carry. */
static void add_shifted(exact_sum *sum, int64_t integer, int shift)
{
    sum->limb[shift / 32] += integer * ((int64_t)1 << shift % 32);
}

/* Carries after every 64 components, which add 4 at most. */
static void carry_now_and_then(exact_sum *sum, size_t k)
{
    if (k % 64 == 63)
        exact_carry(sum);
}

/* Adds factor * a * b of finite halves, to a sum in SQUARES_UNIT. */
static void add_product(exact_sum *sum, uint16_t a, uint16_t b, int factor)
{
    scaled x = scaled_half(a), y = scaled_half(b);
    add_shifted(sum, factor * x.significand * y.significand,
                x.shift + y.shift - 48 - SQUARES_UNIT);
}

static int sign_of(const exact_sum *sum)
{
    if (sum->limb[EXACT_LIMBS - 1] < 0)
        return -1;
    return exact_is_zero(sum) ? 0 : 1;
}

/* The sum rounded to odd. */
static double to_double(const exact_sum *sum, int unit)
{
    exact_sum size = *sum;
    int sign = sign_of(sum), top = EXACT_LIMBS - 1;
    if (sign < 0) {
        for (int k = 0; k < EXACT_LIMBS; ++k)
            size.limb[k] = -size.limb[k];
        exact_carry(&size);
    }
    while (top > 1 && size.limb[top] == 0)
        --top;
    /* 33 bits or more, unless it is all; without the last 12 of 64 it fits a double. */
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

/* Numbers of 12 bits: all halves and midpoints are among them. */
enum { CUT_BITS = 41 };

static double nearest_short(double y)
{
    const uint64_t half_unit = (uint64_t)1 << (CUT_BITS - 1);
    return double_of_bits((bits_of_double(y) + half_unit) & ~(2 * half_unit - 1));
}

/* Whether y, off by margin at most, is on the right side of all of them. */
static bool is_clear(double y, double margin)
{
    return isfinite(y) && fabs(y - nearest_short(y)) > margin;
}

/* What double arithmetic may be off, relatively: 2^-52 an operation. */
enum { MOST_QUICK = 64 };
#define MARGIN 0x1p-44

/* The number, or next to it on the side that sign says. */
static double beside(double number, int sign)
{
    return double_of_bits(bits_of_double(number) + (uint64_t)(int64_t)sign);
}

/* A positive number of 12 bits as significand * 2^shift. */
static scaled scaled_short(double number)
{
    int exponent;
    double fraction = frexp(number, &exponent);
    return (scaled){(int64_t)ldexp(fraction, 12), exponent - 12};
}

double exact_root(const exact_sum *squares)
{
    if (exact_is_zero(squares))
        return 0;
    double root = sqrt(to_double(squares, SQUARES_UNIT)), number = nearest_short(root);
    if (is_clear(root, MARGIN * root))
        return root;
    scaled s = scaled_short(number);
    exact_sum rest = *squares;
    add_shifted(&rest, -s.significand * s.significand, 2 * s.shift - SQUARES_UNIT);
    exact_carry(&rest);
    return beside(number, sign_of(&rest));
}

/* Ratios below this round as if they were 2^-30, whatever they are. */
#define LEAST_RATIO 0x1p-30

/* |x| / root is above a number if x^2 - number^2 * squares is positive. Of up to 2^32 squares,
 * the latter has 24 + 112 + 32 bits; where the two are close, the former has no more. */
static double ratio_to_root(uint16_t x, const exact_sum *squares, double root)
{
    double value = halfcl_to_float(x), size = fabs(value);
    if (size == 0)
        return value;
    double ratio = size / root, number = nearest_short(ratio);
    if (ratio > LEAST_RATIO && !is_clear(ratio, MARGIN * ratio)) {
        scaled s = scaled_short(number), h = scaled_half(x);
        exact_sum rest = {0};
        for (int k = 0; k < EXACT_LIMBS; ++k)
            rest.limb[k] = -s.significand * s.significand * squares->limb[k];
        add_shifted(&rest, h.significand * h.significand,
                    2 * h.shift - 48 - SQUARES_UNIT - 2 * s.shift);
        exact_carry(&rest);
        ratio = beside(number, sign_of(&rest));
    }
    return copysign(ratio, value);
}

/* ------------------------------------------------------------ in double, where that will do */

/* NaN stands for what is no number. */
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

/* Each of these returns whether the result is clear. Of few components: their errors add up. */

static bool quick_dot(const void *a, const void *b, size_t width, ptrdiff_t step,
                      double *result)
{
    double sum = 0, size = 0;
    for (size_t k = 0; k < width && width <= MOST_QUICK; ++k) {
        double term = value_of(component(a, k, step)) * value_of(component(b, k, step));
        sum += term;
        size += fabs(term);
    }
    *result = sum;
    return is_clear(sum, MARGIN * size);
}

static double quick_squares(const void *a, size_t width, ptrdiff_t step)
{
    double squares = 0;
    for (size_t k = 0; k < width; ++k) {
        double x = value_of(component(a, k, step));
        squares += x * x;
    }
    return squares;
}

static bool quick_length(const void *a, size_t width, ptrdiff_t step, double *result)
{
    if (width > MOST_QUICK)
        return false;
    *result = sqrt(quick_squares(a, width, step));
    return is_clear(*result, MARGIN * *result);
}

static bool quick_distance(const void *a, const void *b, size_t width, ptrdiff_t a_step,
                           ptrdiff_t b_step, double *result)
{
    double squares = 0;
    for (size_t k = 0; k < width && width <= MOST_QUICK; ++k) {
        double x = value_of(component(a, k, a_step)) - value_of(component(b, k, b_step));
        squares += x * x;
    }
    *result = sqrt(squares);
    return is_clear(*result, MARGIN * *result);
}

static bool quick_normalize(const void *a, size_t k, size_t width, ptrdiff_t step,
                            double *result)
{
    if (width > MOST_QUICK)
        return false;
    double x = value_of(component(a, k, step));
    *result = x / sqrt(quick_squares(a, width, step));
    return is_clear(*result, MARGIN * fabs(*result));
}

/* ------------------------------------------------------------ special operands */

/* What there is among the operands, or the terms. */
typedef struct {
    bool nan, plus_infinity, minus_infinity;
} specials;

static void note_nan(specials *seen, uint16_t half, unsigned *flags)
{
    seen->nan |= half_is_nan(half);
    if (half_is_signalling(half))
        *flags |= HALFCL_INVALID;
}

static void note_invalid(specials *seen, unsigned *flags)
{
    seen->nan = true;
    *flags |= HALFCL_INVALID;
}

static void note_infinity(specials *seen, bool negative)
{
    seen->plus_infinity |= !negative;
    seen->minus_infinity |= negative;
}

/* ------------------------------------------------------------ the functions */

static void note_product(specials *seen, uint16_t a, uint16_t b, unsigned *flags)
{
    note_nan(seen, a, flags);
    note_nan(seen, b, flags);
    if (half_is_nan(a) || half_is_nan(b))
        return;
    if (is_zero(a) || is_zero(b))
        note_invalid(seen, flags);
    else
        note_infinity(seen, (a ^ b) & HALF_SIGN);
}

static double special_sum(specials *seen, unsigned *flags)
{
    if (seen->plus_infinity && seen->minus_infinity && !seen->nan)
        note_invalid(seen, flags);
    return seen->nan ? NAN : seen->minus_infinity ? -INFINITY : INFINITY;
}

double exact_dot(const void *a, const void *b, size_t width, ptrdiff_t step,
                 halfcl_rounding mode, unsigned *flags)
{
    double result;
    if (quick_dot(a, b, width, step, &result))
        return result;
    exact_sum sum = {0};
    specials seen = {0};
    bool special = false, plus = false, minus = false; /* terms that are not -0, not +0 */
    for (size_t k = 0; k < width; ++k) {
        uint16_t x = component(a, k, step), y = component(b, k, step);
        bool zero = is_zero(x) || is_zero(y), negative = (x ^ y) & HALF_SIGN;
        if (!is_finite(x) || !is_finite(y)) {
            note_product(&seen, x, y, flags);
            special = true;
            continue;
        }
        add_product(&sum, x, y, 1);
        carry_now_and_then(&sum, k);
        plus |= !zero || !negative;
        minus |= !zero || negative;
    }
    exact_carry(&sum);
    if (special)
        return special_sum(&seen, flags);
    if (exact_is_zero(&sum))
        return (plus && minus ? mode == HALFCL_RTN : minus) ? -0.0 : 0.0;
    return to_double(&sum, SQUARES_UNIT);
}

/* As of C's hypot: an infinite side makes it infinite, whatever the others are. */
static double special_length(const specials *seen)
{
    return seen->plus_infinity ? INFINITY : NAN;
}

double exact_length(const void *a, size_t width, ptrdiff_t step, unsigned *flags)
{
    double result;
    if (quick_length(a, width, step, &result))
        return result;
    exact_sum squares = {0};
    specials seen = {0};
    for (size_t k = 0; k < width; ++k) {
        uint16_t x = component(a, k, step);
        note_nan(&seen, x, flags);
        if (is_infinite(x))
            note_infinity(&seen, false);
        else if (is_finite(x))
            add_product(&squares, x, x, 1);
        carry_now_and_then(&squares, k);
    }
    exact_carry(&squares);
    return seen.nan || seen.plus_infinity ? special_length(&seen) : exact_root(&squares);
}

/* The square of x - y, or what it is instead. */
static void add_difference(exact_sum *squares, specials *seen, uint16_t x, uint16_t y,
                           unsigned *flags)
{
    note_nan(seen, x, flags);
    note_nan(seen, y, flags);
    if (half_is_nan(x) || half_is_nan(y))
        return;
    if (is_infinite(x) && x == y) {
        note_invalid(seen, flags);
    } else if (is_infinite(x) || is_infinite(y)) {
        note_infinity(seen, false);
    } else {
        add_product(squares, x, x, 1);
        add_product(squares, x, y, -2);
        add_product(squares, y, y, 1);
    }
}

double exact_distance(const void *a, const void *b, size_t width, ptrdiff_t a_step,
                      ptrdiff_t b_step, unsigned *flags)
{
    double result;
    if (quick_distance(a, b, width, a_step, b_step, &result))
        return result;
    exact_sum squares = {0};
    specials seen = {0};
    for (size_t k = 0; k < width; ++k) {
        uint16_t x = component(a, k, a_step), y = component(b, k, b_step);
        add_difference(&squares, &seen, x, y, flags);
        carry_now_and_then(&squares, k);
    }
    exact_carry(&squares);
    return seen.nan || seen.plus_infinity ? special_length(&seen) : exact_root(&squares);
}

/* Infinite components count as 1, and finite ones beside them as 0, with their signs. */
static uint16_t beside_infinity(uint16_t half)
{
    return (half & HALF_SIGN) | (is_infinite(half) ? HALF_ONE : 0);
}

exact_norm exact_norm_of(const void *a, size_t width, ptrdiff_t step, unsigned *flags)
{
    exact_norm norm = {0};
    specials seen = {0};
    for (size_t k = 0; k < width; ++k) {
        uint16_t x = component(a, k, step);
        note_nan(&seen, x, flags);
        if (is_infinite(x))
            note_infinity(&seen, false);
    }
    norm.nan = seen.nan;
    norm.infinite = seen.plus_infinity;
    for (size_t k = 0; k < width && !norm.nan; ++k) {
        uint16_t x = component(a, k, step);
        x = norm.infinite ? beside_infinity(x) : x;
        add_product(&norm.squares, x, x, 1);
        carry_now_and_then(&norm.squares, k);
    }
    exact_carry(&norm.squares);
    norm.root = sqrt(exact_square(&norm));
    return norm;
}

exact_norm exact_norm_of_squares(const exact_sum *squares)
{
    exact_norm norm = {.squares = *squares};
    norm.root = sqrt(exact_square(&norm));
    return norm;
}

double exact_square(const exact_norm *norm)
{
    return to_double(&norm->squares, SQUARES_UNIT);
}

double exact_ratio(uint16_t x, const exact_norm *norm)
{
    if (norm->nan)
        return NAN;
    return ratio_to_root(norm->infinite ? beside_infinity(x) : x, &norm->squares, norm->root);
}

double exact_normalize(const void *a, size_t k, size_t width, ptrdiff_t step, unsigned *flags)
{
    double result;
    if (quick_normalize(a, k, width, step, &result))
        return result;
    exact_norm norm = exact_norm_of(a, width, step, flags);
    return exact_ratio(component(a, k, step), &norm);
}
