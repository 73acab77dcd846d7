/* Exact sums of halves and of products of two on devices, with floats only, and statistics of
 * them, rounded once. No element needs an operation on integers or doubles.
 *
 * Each number is split into bins. A bin is a float with the initial value 1.5 2^(23 + u), and
 * while it stays in its binade its last place is 2^u: so bin + x, to nearest, adds the multiple
 * of 2^u that is nearest to x. The difference of the new bin and the old one, exactly, is what
 * was added, and the rest of x is exact, too: at most 2^(u - 1), with no more bits than x. The
 * rest is added to the next bin, and the last one, with the initial value 0, adds its rests
 * without rounding as long as it has 24 bits. A bin leaves its binade after 2^22 units of 2^u:
 * it can add 2^k numbers below 2^m if m + k <= 22 + u, and the last bin if their multiples of
 * 2^v stay within 2^(24 + v).
 *
 *   halves: |x| < 2^16, multiples of 2^-24; k = 10
 *     high    u = 4        16 + 10 = 22 + 4
 *     middle  u = -9       rests of  2^3 at most: 3 + 10 = 22 - 9 (a sum that is equal is
 *                          the first number of the next binade, and exact)
 *     low     v = -24      rests of 2^-10 at most: -10 + 10 = 24 - 24
 *   products: |x| < 2^32, multiples of 2^-48 of 22 bits, so that a float holds them; k = 7
 *     u = 17, 1, -15, -31  32 + 7 = 22 + 17, then u - 1 + 7 <= 22 + u', for each u and the next
 *     v = -48              -32 + 7 <= 24 - 48
 *
 * An infinity or a NaN stays in the first bin, and the others are meaningless then. */
#ifndef HALFCL_DEVICE_STATISTICS_H
#define HALFCL_DEVICE_STATISTICS_H

#include "device/wide.h"
#include "exact/format.h"
#include "exact/sum.h"

typedef struct {
    float high, middle, low;
} sum_bins;

typedef struct {
    float first, second, third, fourth, last;
} product_bins;

/* The initial values of the bins. */
static const float SUM_HIGH = 0x1.8p27f;
static const float SUM_MIDDLE = 0x1.8p14f;
static const float PRODUCT_FIRST = 0x1.8p40f;
static const float PRODUCT_SECOND = 0x1.8p24f;
static const float PRODUCT_THIRD = 0x1.8p8f;
static const float PRODUCT_FOURTH = 0x1.8p-8f;

ALWAYS_INLINE sum_bins device_sum_start(void)
{
    return (sum_bins){SUM_HIGH, SUM_MIDDLE, 0};
}

ALWAYS_INLINE product_bins device_product_start(void)
{
    return (product_bins){PRODUCT_FIRST, PRODUCT_SECOND, PRODUCT_THIRD, PRODUCT_FOURTH, 0};
}

/* Adds at most 2^10 halves. */
ALWAYS_INLINE sum_bins device_sum_take(sum_bins s, vf x)
{
    vf high = vf_add(s.high, x), rest = vf_sub(x, vf_sub(high, s.high));
    vf middle = vf_add(s.middle, rest);
    vf low = vf_add(s.low, vf_sub(rest, vf_sub(middle, s.middle)));
    return (sum_bins){high, middle, low};
}

/* Adds at most 2^7 products of halves. */
ALWAYS_INLINE product_bins device_product_take(product_bins p, vf a, vf b)
{
    vf first = vf_fma(a, b, p.first), rest = vf_fma(a, b, vf_sub(p.first, first));
    vf second = vf_add(p.second, rest);
    rest = vf_sub(rest, vf_sub(second, p.second));
    vf third = vf_add(p.third, rest);
    rest = vf_sub(rest, vf_sub(third, p.third));
    vf fourth = vf_add(p.fourth, rest);
    vf last = vf_add(p.last, vf_sub(rest, vf_sub(fourth, p.fourth)));
    return (product_bins){first, second, third, fourth, last};
}

/* Returns what a first bin contains: 0, or an infinity or a NaN. */
ALWAYS_INLINE uint32_t device_bin_special(vf first)
{
    uint32_t infinity =
        vf_bits(first) < 0 ? (uint32_t)SEEN_MINUS_INFINITY : (uint32_t)SEEN_PLUS_INFINITY;
    uint32_t special = first == first ? infinity : (uint32_t)SEEN_NAN;
    return vf_special(first) ? special : 0;
}

/* The bins as integers, in units of 2^u: the difference of two floats in one binade is that of
 * their bits. */
typedef struct {
    int32_t high, middle, low;
} sum_units;

typedef struct {
    int32_t first, second, third, fourth, last;
} product_units;

ALWAYS_INLINE int32_t bin_units(vf bin, vf start)
{
    return vi_sub(vf_bits(bin), vf_bits(start));
}

ALWAYS_INLINE sum_units device_sum_units(sum_bins s)
{
    if (vf_special(s.high))
        return (sum_units){0, 0, 0};
    return (sum_units){bin_units(s.high, SUM_HIGH), bin_units(s.middle, SUM_MIDDLE),
                       (int32_t)vf_mul(s.low, 0x1p24f)};
}

ALWAYS_INLINE product_units device_product_units(product_bins p)
{
    if (vf_special(p.first))
        return (product_units){0, 0, 0, 0, 0};
    return (product_units){
        bin_units(p.first, PRODUCT_FIRST), bin_units(p.second, PRODUCT_SECOND),
        bin_units(p.third, PRODUCT_THIRD), bin_units(p.fourth, PRODUCT_FOURTH),
        (int32_t)vf_mul(p.last, 0x1p48f)};
}

/* ------------------------------------------------------------ totals */

/* integer 2^count */
ALWAYS_INLINE wide wide_of_units(int64_t integer, int count)
{
    uint64_t sign = integer < 0 ? ~(uint64_t)0 : 0;
    return wide_shifted((wide){(uint64_t)integer, sign, sign}, count);
}

enum { SUMS_UNIT = -24, PRODUCT_UNIT = 2 * SUMS_UNIT };

/* Returns the total of many bins, in units of 2^-24. */
ALWAYS_INLINE wide device_sum_total(int64_t high, int64_t middle, int64_t low)
{
    wide sum = wide_sum(wide_of_units(high, 28), wide_of_units(middle, 15));
    return wide_sum(sum, wide_of_units(low, 0));
}

/* Returns the total of bins of products, in units of 2^-48. */
ALWAYS_INLINE wide device_product_total(int64_t first, int64_t second, int64_t third,
                                        int64_t fourth, int64_t last)
{
    wide sum = wide_sum(wide_of_units(first, 65), wide_of_units(second, 49));
    sum = wide_sum(wide_sum(sum, wide_of_units(third, 33)), wide_of_units(fourth, 17));
    return wide_sum(sum, wide_of_units(last, 0));
}

/* ------------------------------------------------------------ rounding */

/* A natural number, and whether there is a remainder below one. */
typedef struct {
    wide whole;
    bool rest;
} cut_wide;

ALWAYS_INLINE format format_of(halfcl_type type)
{
    return type == HALFCL_HALF ? (format){11, -24, HALF_INF, HALF_QUIET, HALF_SIGN}
           : type == HALFCL_FLOAT
               ? (format){24, -149, FLOAT_INF, FLOAT_QUIET, (uint64_t)1 << 31}
               : (format){53, -1074, (uint64_t)0x7ff << 52, (uint64_t)1 << 51,
                          (uint64_t)1 << 63};
}

ALWAYS_INLINE bool wide_is_zero(wide a)
{
    return (a.low | a.middle | a.high) == 0;
}

/* Counts the leading zeros of a number that is not 0. */
ALWAYS_INLINE int wide_leading_zeros(wide a)
{
    uint64_t top = a.high != 0 ? a.high : a.middle != 0 ? a.middle : a.low;
    return (a.high != 0 ? 0 : a.middle != 0 ? 64 : 128) + leading_zeros(top);
}

typedef struct {
    uint64_t quotient, remainder;
} word_quotient;

/* Divides (left 2^64 + word) by divisor, for left < divisor < 2^63. */
ALWAYS_INLINE word_quotient word_divided(uint64_t remainder, uint64_t word, uint64_t divisor)
{
    uint64_t quotient = 0;
    if (divisor >> 32 == 0) {
        uint64_t high = remainder << 32 | word >> 32, digit = high / divisor;
        uint64_t low = (high - digit * divisor) << 32 | (word & 0xffffffff);
        quotient = low / divisor;
        return (word_quotient){digit << 32 | quotient, low - quotient * divisor};
    }
    for (int bit = 63; bit >= 0; --bit) {
        remainder = remainder << 1 | (word >> bit & 1);
        bool fits = remainder >= divisor;
        remainder -= fits ? divisor : 0;
        quotient = quotient << 1 | fits;
    }
    return (word_quotient){quotient, remainder};
}

/* Returns x / divisor, truncated; the lowest word is 0 if 128 bits are enough. */
ALWAYS_INLINE cut_wide wide_divided(cut_wide x, uint64_t divisor, bool is_long)
{
    if (divisor == 1)
        return x;
    word_quotient high = word_divided(0, x.whole.high, divisor);
    word_quotient middle = word_divided(high.remainder, x.whole.middle, divisor);
    word_quotient low = {0, middle.remainder};
    if (is_long)
        low = word_divided(middle.remainder, x.whole.low, divisor);
    return (cut_wide){{low.quotient, middle.quotient, high.quotient},
                      x.rest || low.remainder != 0};
}

/* Returns the root of the 2 digits highest bits of high 2^64 + low, rounded to odd; digits <=
 * 60. */
ALWAYS_INLINE uint64_t root_to_odd(uint64_t high, uint64_t low, bool rest, int digits)
{
    uint64_t root = 0, remainder = 0;
    for (int k = 0; k < digits; ++k) {
        remainder = remainder << 2 | high >> 62;
        high = high << 2 | low >> 62;
        low <<= 2;
        bool fits = remainder >= (root << 2 | 1);
        remainder -= fits ? root << 2 | 1 : 0;
        root = root << 1 | fits;
    }
    return root | (uint64_t)((remainder | high | low) != 0 || rest);
}

/* Rounds +-x 2^exponent, or its root. If the format is not double, 26 bits are enough, or twice
 * as many. */
ALWAYS_INLINE uint64_t round_wide(cut_wide x, int exponent, bool negative, bool root, format f,
                                  halfcl_rounding mode)
{
    unsigned flags = 0;
    int zeros = wide_leading_zeros(x.whole), even = root ? zeros & ~1 : zeros;
    wide size = wide_shifted(x.whole, even);
    exponent += 192 - even;
    if (root) {
        int digits = f.precision > 24 ? 60 : 30;
        uint64_t rounded = root_to_odd(size.high, size.middle, x.rest || size.low != 0, digits);
        return round_to_format(f, negative, rounded, digits, exponent / 2 - digits, mode,
                               &flags);
    }
    bool rest = x.rest || (size.middle | size.low) != 0;
    return round_to_format(f, negative, size.high | (uint64_t)rest, 64, exponent - 64, mode,
                           &flags);
}

/* Rounds numerator / (first second) 2^unit, or its root. The divisors are below 2^40, and 112
 * bits remain of 192, of which a double's root needs 110; or below 2^38, and 52 of 128
 * remain. */
ALWAYS_INLINE uint64_t round_fraction(wide numerator, bool negative, uint64_t first,
                                      uint64_t second, int unit, bool root, format f,
                                      halfcl_rounding mode)
{
    if (wide_is_zero(numerator))
        return 0;
    int remainder = wide_leading_zeros(numerator);
    remainder -= root && ((unit - remainder) & 1) != 0;
    cut_wide x = {wide_shifted(numerator, remainder), false};
    bool is_long = f.precision > 24 || first >> 38 != 0;
    if (!is_long)
        x = (cut_wide){{0, x.whole.middle, x.whole.high}, x.whole.low != 0};
    x = wide_divided(wide_divided(x, first, is_long), second, is_long);
    return round_wide(x, unit - remainder, negative, root, f, mode);
}

/* ------------------------------------------------------------ rounding to half */

/* (whole + rest) 2^exponent, where rest is less than one, and 0 only if it is false here. */
typedef struct {
    uint64_t whole;
    bool rest;
    int exponent;
} leading_bits;

/* Returns the 64 leading bits of a 2^exponent, for a > 0. */
ALWAYS_INLINE leading_bits leading_bits_of(wide a, int exponent)
{
    bool rest = a.high != 0 && a.low != 0;
    if (a.high != 0) {
        a = (wide){a.middle, a.high, 0};
        exponent += 64;
    }
    bool is_long = a.middle != 0;
    uint64_t high = is_long ? a.middle : a.low, low = is_long ? a.low : 0;
    int zeros = leading_zeros(high);
    return (leading_bits){high << zeros | low >> 1 >> (63 - zeros), rest || low << zeros != 0,
                          exponent + (is_long ? 64 : 0) - zeros};
}

/* Rounds +-x, which is not 0, by way of a float with a sticky bit. It is in the range of normal
 * floats. */
ALWAYS_INLINE uint64_t half_of_leading_bits(leading_bits x, bool negative, halfcl_rounding mode)
{
    int zeros = leading_zeros(x.whole);
    uint64_t top = x.whole << zeros;
    uint32_t digits = (uint32_t)(top >> 40) | (uint32_t)(x.rest || top << 24 != 0);
    vf size =
        vf_mul(vf_of_int((int32_t)digits), vf_of_bits((127 + 40 + x.exponent - zeros) << 23));
    return rounded_half(negative ? -size : size, mode);
}

/* Returns the root of x, truncated to 16 digits. The 32 leading bits of x determine these. */
ALWAYS_INLINE leading_bits root_of_leading_bits(leading_bits x)
{
    int zeros = leading_zeros(x.whole), is_odd = (x.exponent - zeros) & 1;
    uint64_t bits = x.whole << zeros >> is_odd;
    bool rest = x.rest || (is_odd != 0 && (x.whole << zeros & 1) != 0) || (uint32_t)bits != 0;
    uint32_t radicand = (uint32_t)(bits >> 32), root = 0, remainder = 0;
    for (int k = 0; k < 16; ++k) {
        remainder = remainder << 2 | radicand >> 30;
        radicand <<= 2;
        bool fits = remainder >= (root << 2 | 1);
        remainder -= fits ? root << 2 | 1 : 0;
        root = root << 1 | (uint32_t)fits;
    }
    return (leading_bits){root, rest || remainder != 0, (x.exponent - zeros + is_odd + 32) / 2};
}

/* Rounds +-x / (first second), or its root, to half, for x with 64 bits and divisors that are
 * not 0. Returns false if their product is too long: the quotient needs 32 bits. */
ALWAYS_INLINE bool halve_by_integers(leading_bits x, uint64_t first, uint64_t second, bool root,
                                     bool negative, halfcl_rounding mode, uint64_t *result)
{
    if ((first | second) >> 32 != 0 || first * second >> 32 != 0)
        return false;
    uint64_t divisor = first * second;
    if (divisor != 1) {
        uint64_t quotient = x.whole / divisor;
        x.rest = x.rest || quotient * divisor != x.whole;
        x.whole = quotient;
    }
    *result = half_of_leading_bits(root ? root_of_leading_bits(x) : x, negative, mode);
    return true;
}

/* Rounds likewise; some devices do so in double (quotients.h of the preludes). */
ALWAYS_INLINE bool half_of_quotient(leading_bits x, uint64_t first, uint64_t second, bool root,
                                    bool negative, halfcl_rounding mode, uint64_t *result)
{
    return halve_by_integers(x, first, second, root, negative, mode, result);
}

/* Rounds as round_fraction does if half_of_quotient does not. */
NOINLINE uint64_t round_long_fraction(wide numerator, bool negative, uint64_t first,
                                      uint64_t second, int unit, bool root, halfcl_type type,
                                      halfcl_rounding mode)
{
    return round_fraction(numerator, negative, first, second, unit, root, format_of(type),
                          mode);
}

/* Rounds +-numerator / (first second) 2^unit, or its root, for a numerator that is not 0. */
ALWAYS_INLINE uint64_t round_quotient(wide numerator, bool negative, uint64_t first,
                                      uint64_t second, int unit, bool root, halfcl_type type,
                                      halfcl_rounding mode)
{
    uint64_t result = 0;
    if (type == HALFCL_HALF && half_of_quotient(leading_bits_of(numerator, unit), first, second,
                                                root, negative, mode, &result))
        return result;
    return round_long_fraction(numerator, negative, first, second, unit, root, type, mode);
}

/* ------------------------------------------------------------ rounding to any type */

/* Rounds total / n 2^unit, or its root; seen has the flags of the terms. n is below 2^40. */
ALWAYS_INLINE uint64_t device_round_sum(wide total, uint32_t seen, uint64_t n, int unit,
                                        bool root, halfcl_type type, halfcl_rounding mode)
{
    format f = format_of(type);
    unsigned flags = 0;
    if (n == 0)
        return f.infinity | f.quiet;
    if (seen & SEEN_SPECIAL)
        return special_in(f, exact_sum_special(seen, &flags));
    if (wide_is_zero(total))
        return zero_is_negative(seen, mode) && !root ? f.sign : 0;
    bool negative = wide_is_negative(total);
    wide size = negative ? wide_negative(total) : total;
    return round_quotient(size, negative, n, 1, unit, root, type, mode);
}

/* Rounds a total of at most 62 bits over n below 2^32; but a quotient as a double. */
ALWAYS_INLINE uint64_t device_round_few(int64_t total, uint32_t seen, uint64_t n,
                                        halfcl_type type, halfcl_rounding mode)
{
    format f = format_of(type);
    unsigned flags = 0;
    if (n == 0)
        return f.infinity | f.quiet;
    if (seen & SEEN_SPECIAL)
        return special_in(f, exact_sum_special(seen, &flags));
    if (total == 0)
        return zero_is_negative(seen, mode) ? f.sign : 0;
    bool negative = total < 0;
    uint64_t size = negative ? 0 - (uint64_t)total : (uint64_t)total, rest = 0, result = 0;
    int remainder = leading_zeros(size);
    size <<= remainder;
    leading_bits x = {size, false, SUMS_UNIT - remainder};
    if (type == HALFCL_HALF && half_of_quotient(x, n, 1, false, negative, mode, &result))
        return result;
    if (n != 1) {
        uint64_t quotient = size / n;
        rest = quotient * n != size;
        size = quotient | rest;
    }
    return round_to_format(f, negative, size, 64 - leading_zeros(size), SUMS_UNIT - remainder,
                           mode, &flags);
}

/* Rounds (n products - sum^2) / (n freedom), or its root. By the Cauchy-Schwarz inequality it
 * is at least 0. */
ALWAYS_INLINE uint64_t device_round_variance(wide sum, wide products, uint32_t seen, uint64_t n,
                                             uint64_t freedom, bool root, halfcl_type type,
                                             halfcl_rounding mode)
{
    format f = format_of(type);
    if (n == 0 || (seen & SEEN_SPECIAL))
        return f.infinity | f.quiet;
    wide size = wide_is_negative(sum) ? wide_negative(sum) : sum;
    wide square = wide_sum(wide_product(size, size.low),
                           wide_shifted(wide_product(size, size.middle), 64));
    wide numerator = wide_difference(wide_product(products, n), square);
    if (freedom == 0)
        return wide_is_zero(numerator) ? f.infinity | f.quiet : f.infinity;
    if (wide_is_zero(numerator))
        return 0;
    return round_quotient(numerator, false, n, freedom, PRODUCT_UNIT, root, type, mode);
}

#endif
