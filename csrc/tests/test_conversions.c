/* Tests conversions between formats. */
#include "tests/testing.h"

/* Half to integers, all halves; each one in several copies, to fill vectors and part of
 * another. */
enum { COPIES = 50 };

static const struct {
    char letter;
    int size;
    double low, high;
} integers[] = {
    {'b', 1, -0x1p7, 0x1p7 - 1},     {'B', 1, 0, 0x1p8 - 1},
    {'h', 2, -0x1p15, 0x1p15 - 1},   {'H', 2, 0, 0x1p16 - 1},
    {'i', 4, -0x1p31, 0x1p31 - 1},   {'I', 4, 0, 0x1p32 - 1},
    {'q', 8, -0x1p63, 0x1p63 - 512}, {'Q', 8, 0, 0x1p64 - 1024},
};

static int64_t read_integer(const void *p, char letter)
{
    switch (letter) {
    case 'b':
        return *(const int8_t *)p;
    case 'B':
        return *(const uint8_t *)p;
    case 'h':
        return *(const int16_t *)p;
    case 'H':
        return *(const uint16_t *)p;
    case 'i':
        return *(const int32_t *)p;
    case 'I':
        return *(const uint32_t *)p;
    default:
        return *(const int64_t *)p;
    }
}

static int64_t write_integer(void *p, char letter, int64_t value)
{
    int64_t bytes = value;
    memcpy(p, &bytes, sizeof bytes); /* little-endian or not: it is read back below */
    if (letter == 'b' || letter == 'B')
        *(uint8_t *)p = (uint8_t)value;
    else if (letter == 'h' || letter == 'H')
        *(uint16_t *)p = (uint16_t)value;
    else if (letter == 'i' || letter == 'I')
        *(uint32_t *)p = (uint32_t)value;
    return read_integer(p, letter);
}

static double integral(double x, int mode)
{
    return mode == HALFCL_RTE   ? rint(x)
           : mode == HALFCL_RTZ ? trunc(x)
           : mode == HALFCL_RTP ? ceil(x)
                                : floor(x);
}

static void check_to_integer(size_t t, uint16_t half, bool saturate, int mode)
{
    const char types[] = {'e', '>', integers[t].letter, '\0'};
    char letter = integers[t].letter;
    const halfcl_isa *isa;
    double whole = integral(half_value(half), mode);
    bool fits = whole >= integers[t].low && whole <= integers[t].high;
    unsigned flags = fits || saturate ? 0 : HALFCL_INVALID;
    int64_t expected, stored[1] = {0}, room[COPIES];
    uint16_t halves[COPIES];
    for (int k = 0; k < COPIES; ++k)
        halves[k] = half;
    if (saturate && !fits)
        expected = isnan(whole)    ? 0
                   : whole < 0     ? (int64_t)integers[t].low
                   : letter == 'q' ? INT64_MAX
                   : letter == 'Q' ? -1
                                   : (int64_t)integers[t].high;
    else if (!isfinite(whole))
        expected = letter == 'i' || letter == 'I'   ? (int64_t)1 << 31
                   : letter == 'q' || letter == 'Q' ? INT64_MIN
                                                    : 0;
    else
        expected = (int64_t)whole;
    expected = write_integer(stored, letter, expected);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const char *name = saturate ? "convert_sat" : "convert";
        void *args[] = {halves, room};
        unsigned got = run(find_map(isa, name, types), args, COPIES, mode);
        for (int k = 0; k < COPIES; k += COPIES - 1) { /* the first and the last */
            int64_t value = read_integer((char *)room + k * integers[t].size, letter);
            if ((value != expected || got != flags) && failed(types, isa, mode))
                printf("%04x gave %lld flags %x, not %lld flags %x\n", half, (long long)value,
                       got, (long long)expected, flags);
        }
    }
}

static void test_to_integers(void)
{
    for (unsigned half = 0; half < 65536; half += one_in)
        for (size_t t = 0; t < sizeof integers / sizeof *integers; ++t)
            for (int mode = 0; mode < 4; ++mode)
                for (int saturate = 0; saturate < 2; ++saturate)
                    check_to_integer(t, (uint16_t)half, saturate, mode);
}

/* Other formats to half. A source is made from 64 random bits, many of them near half's
 * limits. */

static double make_integer(void *p, char letter)
{
    uint64_t r = random_bits();
    int64_t value = (int64_t)random_bits() >> (r & 63);
    if (r >> 6 & 1)
        value = (int64_t)(65504 - 64 + (r >> 8 & 127)) * (r >> 7 & 1 ? 1 : -1);
    value = write_integer(p, letter, value);
    return letter == 'Q' ? (double)(uint64_t)value : (double)value;
}

/* Doubles on, next to or near halves and midpoints, or of random bits. */
static double make_double(void)
{
    uint64_t r = random_bits(), bits;
    double x = half_value(r & 0xffff);
    if (r >> 62 == 0) {
        memcpy(&x, &r, sizeof x);
        return x;
    }
    if (r >> 16 & 1)
        x = (x + half_value((r & 0xffff) ^ 1)) / 2;
    memcpy(&bits, &x, sizeof bits);
    int reach = (int)(r >> 17 & 63), step = (int)(r >> 23 & 3) - 1;
    if (isfinite(x) && reach < 50 && step < 2)
        bits += (uint64_t)((int64_t)step * ((int64_t)1 << reach));
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool signals(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) && !(bits >> 51 & 1);
}

enum { ROOM = 80 };

static double make_source(char *p, char letter, bool *signalling)
{
    double x;
    *signalling = false;
    if (letter == 'd') {
        x = make_double();
        *signalling = signals(x);
        memcpy(p, &x, sizeof x);
        return x;
    }
    if (letter == 'f') {
        float narrow = (float)make_double();
        uint64_t r = random_bits();
        if (r % 8 == 0)
            memcpy(&narrow, (char *)&r + 4, sizeof narrow);
        memcpy(p, &narrow, sizeof narrow);
        uint32_t bits;
        memcpy(&bits, p, sizeof bits);
        *signalling = isnan(narrow) && !(bits >> 22 & 1);
        return narrow;
    }
    return make_integer(p, letter);
}

static void check_to_half(char letter, int size, int mode)
{
    const char types[] = {letter, '>', 'e', '\0'};
    const halfcl_isa *isa;
    _Alignas(8) char sources[ROOM * 8 + 8];
    rounded expected[ROOM];
    size_t n = 1 + random_bits() % ROOM;
    unsigned flags = 0;
    for (size_t i = 0; i < n; ++i) {
        _Alignas(8) char source[8];
        bool signalling;
        double x = make_source(source, letter, &signalling);
        memcpy(sources + i * size, source, size);
        expected[i] = round_value(x, (halfcl_rounding)mode);
        flags |= expected[i].flags | (signalling ? HALFCL_INVALID : 0);
    }
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        uint16_t out[ROOM];
        void *args[] = {sources, out};
        unsigned got = run(find_map(isa, "convert", types), args, n, mode);
        if (got != flags && failed(types, isa, mode))
            printf("%zu: flags %x, not %x\n", n, got, flags);
        for (size_t i = 0; i < n; ++i) {
            if (!same_half(out[i], expected[i].half) && failed(types, isa, mode))
                printf("gave %04x, not %04x\n", out[i], expected[i].half);
        }
    }
}

static void test_to_half(void)
{
    for (int turn = 0; turn < 4000 / one_in; ++turn) {
        int mode = turn & 3;
        for (size_t t = 0; t < sizeof integers / sizeof *integers; ++t)
            check_to_half(integers[t].letter, integers[t].size, mode);
        for (int more = 0; more < 3; ++more) {
            check_to_half('f', 4, mode);
            check_to_half('d', 8, mode);
        }
    }
    for (int turn = 0; turn < 1000000 / one_in; ++turn) {
        double x = make_double();
        int mode = turn & 3;
        unsigned flags = 0;
        rounded expected = round_value(x, (halfcl_rounding)mode);
        expected.flags |= signals(x) ? HALFCL_INVALID : 0;
        uint16_t got = halfcl_from_double(x, (halfcl_rounding)mode, &flags);
        if ((!same_half(got, expected.half) || flags != expected.flags) &&
            failed("halfcl_from_double", halfcl_available(0), mode))
            printf("%a gave %04x flags %x, not %04x flags %x\n", x, got, flags, expected.half,
                   expected.flags);
    }
}

/* Half to float and double: all halves, each set in one call, and flags one by one. */
static void test_widening(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *to_float = find_map(isa, "convert", "e>f");
        const halfcl_kernel *to_double = find_map(isa, "convert", "e>d");
        for (unsigned half = 0; half < 65536; half += one_in) {
            uint16_t halves[COPIES];
            float floats[COPIES];
            double doubles[COPIES], value = half_value(half);
            unsigned flags = is_signalling(half) ? HALFCL_INVALID : 0;
            for (int k = 0; k < COPIES; ++k)
                halves[k] = (uint16_t)half;
            unsigned got = run(to_float, (void *[]){halves, floats}, COPIES, 0);
            unsigned got_double = run(to_double, (void *[]){halves, doubles}, COPIES, 3);
            bool good = got == flags && got_double == flags;
            for (int k = 0; k < COPIES; ++k) {
                double one[] = {floats[k], doubles[k], halfcl_to_float((uint16_t)half)};
                for (int i = 0; i < 3; ++i)
                    good &= isnan(value)
                                ? isnan(one[i]) && !signals(one[i])
                                : one[i] == value && !signbit(one[i]) == !signbit(value);
            }
            if (!good && failed("widening", isa, 0))
                printf("%04x: flags %x %x\n", half, got, got_double);
        }
    }
}

/* Between the other types. The reference represents numbers as (-1)^negative * size *
 * 2^exponent. */

typedef struct {
    enum { FINITE, INFINITE, NO_NUMBER } kind;
    bool negative;
    uint64_t size;
    int exponent;
} number;

enum { ALL = 600 }; /* more than a block of the kernels */

static const char letters[] = "?bBhHiIqQfd";

static int size_of(char letter)
{
    return strchr("?bB", letter) ? 1 : strchr("hH", letter) ? 2 : strchr("iIf", letter) ? 4 : 8;
}

static number read_double(double x)
{
    number result = {isnan(x) ? NO_NUMBER : isinf(x) ? INFINITE : FINITE, signbit(x), 0, 0};
    if (result.kind == FINITE)
        result.size = (uint64_t)(fabs(frexp(x, &result.exponent)) * 0x1p53);
    result.exponent -= 53;
    return result;
}

static number read_number(const void *p, char letter)
{
    float x;
    double y;
    if (letter == 'f')
        return memcpy(&x, p, sizeof x), read_double(x);
    if (letter == 'd')
        return memcpy(&y, p, sizeof y), read_double(y);
    int64_t value = letter == '?' ? *(const uint8_t *)p : read_integer(p, letter);
    bool negative = letter != 'Q' && value < 0;
    return (number){FINITE, negative, negative ? 0 - (uint64_t)value : (uint64_t)value, 0};
}

/* Returns the size as a multiple of 2^last. *beyond: it has more than 64 bits, of which these
 * are the low ones. */
static uint64_t multiple_of(number x, int last, int mode, bool *inexact, bool *beyond)
{
    int drop = last - x.exponent;
    *inexact = *beyond = false;
    if (drop <= 0) {
        *beyond = x.size && drop && (drop <= -64 || x.size >> (64 + drop));
        return drop <= -64 ? 0 : x.size << -drop;
    }
    uint64_t whole = drop < 64 ? x.size >> drop : 0;
    uint64_t rest = drop < 64 ? x.size - (whole << drop) : x.size;
    uint64_t middle = drop <= 64 ? (uint64_t)1 << (drop - 1) : UINT64_MAX;
    bool away = mode == HALFCL_RTE   ? rest > middle || (rest == middle && whole & 1)
                : mode == HALFCL_RTP ? !x.negative
                : mode == HALFCL_RTN ? x.negative
                                     : false;
    *inexact = rest != 0;
    return whole + (away && rest);
}

/* Returns the bits of x in an integer type, and the flags it raises. */
static uint64_t expected_integer(number x, char source, char target, bool saturate, int mode,
                                 unsigned *flags)
{
    int width = 8 * size_of(target);
    bool is_signed = strchr("bhiq", target), inexact, beyond;
    uint64_t top = (uint64_t)1 << (width - 1), most = is_signed ? top - 1 : 2 * (top - 1) + 1;
    uint64_t least = is_signed ? top : 0; /* for a negative number, of the magnitude */
    uint64_t size = multiple_of(x, 0, mode, &inexact, &beyond);
    bool fits = x.kind == FINITE && !beyond && size <= (x.negative ? least : most);
    if (saturate && !fits)
        return x.kind == NO_NUMBER ? 0 : x.negative ? 0 - least : most;
    *flags |= fits || !strchr("fd", source) ? 0 : HALFCL_INVALID;
    if (x.kind != FINITE)
        return width < 32 ? 0 : top;
    return x.negative ? 0 - size : size;
}

/* Returns x rounded to float or double, in a double, and the flags it raises. */
static double expected_floating(number x, char target, int mode, unsigned *flags)
{
    int digits = target == 'f' ? 24 : 53, most = target == 'f' ? 127 : 1023,
        top = x.exponent - 1;
    double sign = x.negative ? -1 : 1;
    bool inexact, beyond;
    if (x.kind != FINITE)
        return x.kind == INFINITE ? sign * INFINITY : NAN;
    for (uint64_t rest = x.size; rest; rest >>= 1)
        ++top;
    int last = (top > 1 - most ? top : 1 - most) - (digits - 1);
    double value = ldexp((double)multiple_of(x, last, mode, &inexact, &beyond), last);
    if (top > most || value >= ldexp(1, most) * 2) {
        bool away = mode == HALFCL_RTE || mode == (x.negative ? HALFCL_RTN : HALFCL_RTP);
        *flags |= HALFCL_OVERFLOW;
        return sign * (away ? INFINITY : (2 - ldexp(1, 1 - digits)) * ldexp(1, most));
    }
    *flags |= x.size && inexact && top < 1 - most ? HALFCL_UNDERFLOW : 0;
    return sign * value;
}

/* Random bits, integers of all sizes, near limits, and near floats and their midpoints. */
static double make_wide(void)
{
    uint64_t r = random_bits();
    double x = (double)((int64_t)random_bits() >> (r >> 8 & 63)) * (r & 64 ? 0.5 : 1);
    if (r % 8 == 0)
        memcpy(&x, &(uint64_t){random_bits()}, sizeof x);
    else if (r % 8 == 1)
        x = ldexp(r & 128 ? -1 : 1, (int)(r >> 16 & 127) - (r & 64 ? 0 : 151));
    else if (r % 8 == 2)
        x = ldexp((double)(random_bits() >> 39), (int)(r >> 16 & 511) - 300);
    else if (r % 8 == 3)
        return 0;
    return isfinite(x) && r & 1 << 30 ? nextafter(x, r & 1 << 29 ? INFINITY : -INFINITY) : x;
}

static void make_any(char *p, char letter)
{
    double wide = make_wide();
    float narrow = (float)wide;
    if (random_bits() % 8 == 0)
        memcpy(&narrow, &(uint32_t){(uint32_t)random_bits()}, sizeof narrow);
    if (letter == '?')
        *p = random_bits() & 1;
    else if (letter == 'd')
        memcpy(p, &wide, sizeof wide);
    else if (letter == 'f')
        memcpy(p, &narrow, sizeof narrow);
    else
        make_integer(p, letter);
}

static bool signals_at(const char *p, char letter)
{
    double wide;
    uint32_t narrow;
    if (letter == 'd')
        return memcpy(&wide, p, sizeof wide), signals(wide);
    memcpy(&narrow, p, sizeof narrow);
    return letter == 'f' && (narrow & INT32_MAX) > 0x7f800000 && !(narrow >> 22 & 1);
}

/* Returns whether the stored bits are those expected for a source. */
static bool stored_right(const char *got, const char *source, const char *types, bool saturate,
                         int mode, unsigned *flags)
{
    number x = read_number(source, types[0]);
    char target = types[2];
    if (!strchr("fd", target)) {
        uint64_t bits = expected_integer(x, types[0], target, saturate, mode, flags), is = 0;
        write_integer(&is, target, (int64_t)bits);
        return memcmp(got, &is, (size_t)size_of(target)) == 0;
    }
    *flags |= types[0] != target && signals_at(source, types[0]) ? HALFCL_INVALID : 0;
    double wanted = expected_floating(x, target, mode, flags), wide;
    float narrow;
    memcpy(&wide, got, sizeof wide * (target == 'd'));
    memcpy(&narrow, got, sizeof narrow);
    double is = target == 'd' ? wide : narrow;
    return isnan(wanted) ? isnan(is) : is == wanted && !signbit(is) == !signbit(wanted);
}

static void check_pair(const char *types, bool saturate, int mode)
{
    static _Alignas(8) char in[8 * ALL];
    const halfcl_isa *isa;
    size_t n = random_bits() & 3 ? 1 + random_bits() % ROOM : 1 + random_bits() % ALL;
    size_t in_size = (size_t)size_of(types[0]), out_size = (size_t)size_of(types[2]);
    for (size_t i = 0; i < n; ++i)
        make_any(in + i * in_size, types[0]);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        static _Alignas(8) char out[8 * ALL];
        const char *name = saturate ? "convert_sat" : "convert";
        unsigned flags = 0, got = run(find_map(isa, name, types), (void *[]){in, out}, n, mode);
        for (size_t i = 0; i < n; ++i)
            if (!stored_right(out + i * out_size, in + i * in_size, types, saturate, mode,
                              &flags) &&
                failed(types, isa, mode))
                printf("%zu of %zu is wrong\n", i, n);
        if (got != flags && failed(types, isa, mode))
            printf("%s of %zu: flags %x, not %x\n", name, n, got, flags);
    }
}

static void test_pairs(void)
{
    for (int turn = 0; turn < 200; ++turn)
        for (const char *from = letters; *from; ++from)
            for (const char *to = letters + 1; *to; ++to)
                for (int saturate = 0; saturate <= !strchr("fd", *to); ++saturate)
                    check_pair((char[]){*from, '>', *to, '\0'}, saturate, turn & 3);
}

void test_conversions(void)
{
    test_to_integers();
    test_to_half();
    test_widening();
    test_pairs();
}
