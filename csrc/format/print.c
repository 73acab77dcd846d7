/* Writes halves as text: the shortest decimal number that rounds to nearest to the half, of
 * those the one closest to it. The layout is that of str(numpy.float16). */
#include <stdbool.h>
#include <string.h>

#include "format/half.h"

/* A positive half, and half the distances to its neighbours, as multiples of 2^-UNIT_BITS. The
 * ends of the interval belong to it if the significand is even. */
enum { UNIT_BITS = 26, SIGNIFICAND_BITS = 10, LEAST_PLACE = -8, GREATEST_PLACE = 4 };

typedef struct {
    uint64_t value, below, above;
    bool has_ends;
} interval;

static interval interval_of(uint16_t half)
{
    const unsigned exponent = half >> SIGNIFICAND_BITS, fraction = half & 0x3ff;
    const unsigned shift = exponent ? exponent - 1 : 0;
    const uint64_t ulp = (uint64_t)4 << shift,
                   significand = exponent ? fraction | 0x400 : fraction;
    const bool is_power = exponent > 1 && fraction == 0;
    return (interval){significand * ulp, is_power ? ulp / 4 : ulp / 2, ulp / 2, half % 2 == 0};
}

static const uint64_t powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                         100000, 1000000, 10000000, 100000000};

/* Digits of a number, of which the last one has the weight 10^place. */
typedef struct {
    unsigned digits;
    int place;
} decimal;

/* Returns whether a multiple of 10^place lies in the interval, and the one closest to the
 * value; of two the even one. */
static bool round_to_place(const interval *in, int place, unsigned *digits)
{
    const uint64_t scale = place < 0 ? powers_of_ten[-place] : 1;
    const uint64_t unit = (place > 0 ? powers_of_ten[place] : 1) << UNIT_BITS;
    const uint64_t value = in->value * scale;
    if (value + in->above * scale < unit)
        return false; /* the usual case, without a division */
    const uint64_t rest = value % unit, rest_above = unit - rest;
    const bool down = rest < in->below * scale + in->has_ends;
    const bool up = rest_above < in->above * scale + in->has_ends;
    *digits = (unsigned)(value / unit);
    if (up && (!down || rest > rest_above || (rest == rest_above && *digits % 2)))
        ++*digits;
    return down || up;
}

/* The interval is wider than 10^LEAST_PLACE, and no product exceeds 64 bits before it holds a
 * multiple. */
static decimal shortest_decimal(uint16_t half)
{
    const interval in = interval_of(half);
    decimal shortest = {0, GREATEST_PLACE};
    while (!round_to_place(&in, shortest.place, &shortest.digits) &&
           shortest.place > LEAST_PLACE)
        --shortest.place;
    return shortest;
}

/* Writes digits, with a point after the first whole ones and zeros where there are none. */
static char *write_fixed(char *at, const char *digits, int count, int whole)
{
    if (whole <= 0)
        *at++ = '0';
    for (int i = 0; i < whole; ++i)
        *at++ = i < count ? digits[i] : '0';
    *at++ = '.';
    for (int i = whole; i < 0; ++i)
        *at++ = '0';
    for (int i = whole > 0 ? whole : 0; i < count; ++i)
        *at++ = digits[i];
    if (whole >= count)
        *at++ = '0';
    return at;
}

static char *write_scientific(char *at, const char *digits, int count, int exponent)
{
    *at++ = digits[0];
    if (count > 1)
        *at++ = '.';
    memcpy(at, digits + 1, (size_t)count - 1);
    at += count - 1;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    *at++ = '0';
    *at++ = (char)('0' + (exponent < 0 ? -exponent : exponent));
    return at;
}

static char *write_word(char *at, const char *word)
{
    memcpy(at, word, strlen(word));
    return at + strlen(word);
}

static char *write_number(char *at, uint16_t magnitude, uint16_t large)
{
    enum { LEAST_FIXED = 0x068e, MOST_DIGITS = 8 }; /* 1e-4 */
    if (magnitude == 0)
        return write_word(at, "0.0");
    const decimal number = shortest_decimal(magnitude);
    char digits[MOST_DIGITS];
    int count = 0;
    for (unsigned rest = number.digits; rest > 0; rest /= 10)
        digits[MOST_DIGITS - ++count] = (char)('0' + rest % 10);
    const char *first = digits + MOST_DIGITS - count;
    if (magnitude >= LEAST_FIXED && magnitude < large)
        return write_fixed(at, first, count, count + number.place);
    return write_scientific(at, first, count, count - 1 + number.place);
}

size_t halfcl_print(uint16_t half, uint16_t large, char *text)
{
    const uint16_t magnitude = half & HALF_MAGNITUDE;
    char *at = text;
    if (half != magnitude && magnitude <= HALF_INF)
        *at++ = '-';
    if (magnitude < HALF_INF)
        at = write_number(at, magnitude, large);
    else
        at = write_word(at, magnitude == HALF_INF ? "inf" : "nan");
    return (size_t)(at - text);
}
