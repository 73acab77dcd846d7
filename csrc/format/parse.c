/* Reads numbers from text, exactly. */
#include <stdbool.h>

#include "format/half.h"

typedef struct {
    const char *at, *end;
} reader;

static char peek(const reader *in)
{
    return in->at < in->end ? *in->at : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int hex_digit(char c)
{
    c = lower(c);
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void skip_space(reader *in)
{
    while (in->at < in->end && (*in->at == ' ' || (*in->at >= '\t' && *in->at <= '\r')))
        ++in->at;
}

static bool take_word(reader *in, const char *word)
{
    reader rest = *in;
    for (; *word; ++word, ++rest.at) {
        if (lower(peek(&rest)) != *word)
            return false;
    }
    *in = rest;
    return true;
}

static bool take_sign(reader *in)
{
    char c = peek(in);
    if (c == '+' || c == '-')
        ++in->at;
    return c == '-';
}

/* Digits around a point. The last digit has the weight base^exponent. */
typedef struct {
    const char *start, *end;
    int64_t exponent;
} digits;

static bool take_digits(reader *in, bool hex, digits *out)
{
    bool any = false, point = false;
    out->start = in->at;
    out->exponent = 0;
    for (; in->at < in->end; ++in->at) {
        if (*in->at == '.' && !point) {
            point = true;
        } else if (hex ? hex_digit(*in->at) >= 0 : is_digit(*in->at)) {
            any = true;
            out->exponent -= point;
        } else {
            break;
        }
    }
    out->end = in->at;
    return any;
}

/* Reads an exponent part if there is a complete one. It saturates far beyond the length of any
 * text, so that digits cannot compensate for it. */
static bool take_exponent(reader *in, char mark, int64_t *exponent)
{
    const int64_t limit = INT64_MAX / 4;
    reader rest = *in;
    if (lower(peek(&rest)) != mark)
        return false;
    ++rest.at;
    bool negative = take_sign(&rest);
    if (!is_digit(peek(&rest)))
        return false;
    int64_t value = 0;
    for (; is_digit(peek(&rest)); ++rest.at)
        value = value < limit / 10 ? value * 10 + (*rest.at - '0') : limit;
    *exponent = negative ? -value : value;
    *in = rest;
    return true;
}

/* A decimal fraction of 27 digits in three limbs. All multiples of 2^-26 fit. */
enum { LIMBS = 3, LIMB_DIGITS = 9, LIMB = 1000000000, FRACTION_BITS = 26 };

static const uint32_t power_of_ten[LIMB_DIGITS] = {1,      10,      100,      1000,     10000,
                                                   100000, 1000000, 10000000, 100000000};

/* Returns the bits of the fraction, most significant first; the remainder stays in the
 * limbs. */
static uint64_t binary_fraction(uint32_t *limbs)
{
    uint64_t bits = 0;
    for (int i = 0; i < FRACTION_BITS; ++i) {
        uint32_t carry = 0;
        for (int k = LIMBS - 1; k >= 0; --k) {
            uint32_t doubled = 2 * limbs[k] + carry;
            carry = doubled >= LIMB;
            limbs[k] = doubled - (carry ? LIMB : 0);
        }
        bits = bits << 1 | carry;
    }
    return bits;
}

/* Returns the decimal number in units of 2^-27, rounded to odd: bit 0 is the sticky bit below
 * the multiple of 2^-26. Half's midpoints are multiples of 2^-25. For integer parts beyond the
 * limit, well past half's overflow, the result may be any number beyond it. */
static uint64_t decimal_units(const digits *number, int64_t exponent)
{
    const uint64_t limit = (uint64_t)1 << 30;
    uint64_t integer = 0;
    uint32_t limbs[LIMBS] = {0};
    bool sticky = false;

    int64_t place = exponent; /* of the digit after the current one, plus one */
    for (const char *p = number->start; p < number->end; ++p)
        place += *p != '.';
    for (const char *p = number->start; p < number->end; ++p) {
        if (*p == '.')
            continue;
        uint32_t digit = (uint32_t)(*p - '0');
        --place;
        if (place >= 0)
            integer = integer < limit ? integer * 10 + digit : integer;
        else if (place >= -LIMBS * LIMB_DIGITS)
            limbs[(-place - 1) / LIMB_DIGITS] +=
                digit * power_of_ten[LIMB_DIGITS - 1 - (-place - 1) % LIMB_DIGITS];
        else
            sticky |= digit != 0;
    }
    for (; place > 0 && integer > 0 && integer < limit; --place)
        integer *= 10;

    uint64_t fraction = binary_fraction(limbs);
    for (int k = 0; k < LIMBS; ++k)
        sticky |= limbs[k] != 0;
    return (integer << FRACTION_BITS | fraction) << 1 | sticky;
}

static double decimal_value(const digits *number, int64_t exponent)
{
    uint64_t units = decimal_units(number, exponent);
    while (units >> 53)
        units = units >> 1 | (units & 1);
    return (double)(int64_t)units * 0x1p-27;
}

/* Returns thirteen hexadecimal digits, from the first that is not zero, rounded to odd. */
static double hex_value(const digits *number, int64_t exponent)
{
    uint64_t significand = 0;
    bool sticky = false;
    for (const char *p = number->start; p < number->end; ++p) {
        if (*p == '.')
            continue;
        int digit = hex_digit(*p);
        if (significand >> 48) {
            sticky |= digit != 0;
            exponent += 4;
        } else {
            significand = significand << 4 | (unsigned)digit;
        }
    }
    if (significand == 0)
        return 0;
    /* Beyond +-200 the rounding to half gives the same result. */
    int clamped = exponent > 200 ? 200 : exponent < -200 ? -200 : (int)exponent;
    double scale = double_of_bits((uint64_t)(1023 + clamped) << 52);
    return (double)(int64_t)(significand | sticky) * scale;
}

static bool take_number(reader *in, double *value)
{
    digits number;
    int64_t exponent = 0;
    reader rest = *in;
    if (take_word(&rest, "0x") && take_digits(&rest, true, &number)) {
        bool ended = take_exponent(&rest, 'p', &exponent);
        *value = hex_value(&number, 4 * number.exponent + exponent);
        *in = rest;
        if (ended)
            take_word(in, "h");
        return true;
    }
    if (!take_digits(in, false, &number))
        return false;
    take_exponent(in, 'e', &exponent);
    *value = decimal_value(&number, number.exponent + exponent);
    take_word(in, "h");
    return true;
}

size_t halfcl_parse(const char *text, size_t length, double *rounded_to_odd)
{
    const uint64_t inf = (uint64_t)0x7ff << 52;
    reader in = {text, text + length};
    double value;
    skip_space(&in);
    bool negative = take_sign(&in);
    if (take_word(&in, "inf")) {
        take_word(&in, "inity");
        value = double_of_bits(inf);
    } else if (take_word(&in, "nan")) {
        value = double_of_bits(inf | (uint64_t)1 << 51);
    } else if (!take_number(&in, &value)) {
        return 0;
    }
    skip_space(&in);
    *rounded_to_odd = double_of_bits(bits_of_double(value) | (uint64_t)negative << 63);
    return (size_t)(in.at - text);
}
