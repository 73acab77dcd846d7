/* Tests every instruction set that this processor can run against the references of
 * test_reference.h: results and exceptions, in every mode. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_reference.h"

static const char *const mode_names[] = {"rte", "rtz", "rtp", "rtn"};
static int failures;

static bool failed(const char *what, const halfcl_isa *isa, int mode)
{
    if (++failures <= 40)
        printf("FAILED %s %s %s: ", what, isa->name, mode_names[mode]);
    return failures <= 40;
}

static uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static unsigned run(const halfcl_kernel *kernel, void *const *args, size_t n, int mode)
{
    halfcl_env env;
    halfcl_enter(&env, (halfcl_rounding)mode);
    unsigned flags = kernel->loop(args, n, (halfcl_rounding)mode);
    return flags | halfcl_leave(&env);
}

/* Operations from halves to a half. */

typedef rounded reference(const double *x, halfcl_rounding mode);

static const struct {
    const char *name, *types;
    reference *expected;
} operations[] = {
    {"add", "ee>e", reference_add},
    {"subtract", "ee>e", reference_subtract},
    {"multiply", "ee>e", reference_multiply},
    {"divide", "ee>e", reference_divide},
    {"fma", "eee>e", reference_fma},
    {"fmod", "ee>e", reference_fmod},
    {"remainder", "ee>e", reference_remainder},
    {"floor_divide", "ee>e", reference_floor_divide},
    {"square", "e>e", reference_square},
    {"reciprocal", "e>e", reference_reciprocal},
    {"sqrt", "e>e", reference_sqrt},
    {"rint", "e>e", reference_rint},
    {"ceil", "e>e", reference_ceil},
    {"floor", "e>e", reference_floor},
    {"trunc", "e>e", reference_trunc},
    {"round", "e>e", reference_round},
};

/* A NaN that no operand was is invalid, and so is a signalling operand. */
static rounded expect(reference *expected, const uint16_t *operands, int count, int mode)
{
    double x[3];
    bool nan = false, signalling = false;
    for (int k = 0; k < count; ++k) {
        x[k] = half_value(operands[k]);
        nan |= is_nan_half(operands[k]);
        signalling |= is_signalling(operands[k]);
    }
    rounded result = expected(x, (halfcl_rounding)mode);
    /* The fma of NaN with infinity times zero may raise invalid or not. */
    if (signalling || (is_nan_half(result.half) && !nan))
        result.flags |= HALFCL_INVALID;
    return result;
}

/* Halves where things happen, then anything. */
static uint16_t pick_half(void)
{
    static const uint16_t corners[] = {
        0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x1400, 0x2000, 0x2c00, 0x37ff,
        0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4200, 0x5000, 0x6400, 0x77ff,
        0x7800, 0x7801, 0x7bfe, 0x7bff, 0x7c00, 0x7e00, 0x7d00, 0x7c01};
    uint64_t r = random_bits();
    uint16_t sign = r & 1 ? 0x8000 : 0;
    switch (r >> 8 & 7) {
    case 0:
        return corners[(r >> 16) % (sizeof corners / sizeof *corners)] | sign;
    case 1:
        return (uint16_t)(r >> 16 & 0x0fff) | sign; /* small */
    case 2:
        return (uint16_t)(0x3c00 + (r >> 16 & 0x7ff)) | sign;
    case 3:
        return (uint16_t)((r >> 16 & 0x1f) << 10 | (r >> 24 & 0x3) << 8) | sign;
    default:
        return (uint16_t)(r >> 16);
    }
}

enum { SAMPLES = 150000 };

/* Checks one operation on n sets of operands, in calls of 1 to 80 elements. */
static void check_operation(size_t op, uint16_t *const *operands, int count, size_t n, int mode)
{
    const halfcl_isa *isa;
    rounded *expected = malloc(n * sizeof *expected);
    for (size_t i = 0; i < n; ++i) {
        uint16_t x[3];
        for (int k = 0; k < count; ++k)
            x[k] = operands[k][i];
        expected[i] = expect(operations[op].expected, x, count, mode);
    }
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const char *name = operations[op].name;
        const halfcl_kernel *kernel = halfcl_find_kernel(isa, name, operations[op].types);
        size_t length = 1;
        for (size_t i = 0; i < n; i += length) {
            uint16_t out[80];
            void *args[4];
            unsigned flags = 0;
            length = 1 + random_bits() % (random_bits() % 4 ? 6 : 80);
            length = length < n - i ? length : n - i;
            for (int k = 0; k < count; ++k)
                args[k] = operands[k] + i;
            args[count] = out;
            unsigned got = run(kernel, args, length, mode);
            for (size_t j = 0; j < length; ++j) {
                flags |= expected[i + j].flags;
                if (!same_half(out[j], expected[i + j].half) && failed(name, isa, mode))
                    printf("%04x %04x %04x gave %04x, not %04x\n", operands[0][i + j],
                           count > 1 ? operands[1][i + j] : 0,
                           count > 2 ? operands[2][i + j] : 0, out[j], expected[i + j].half);
            }
            if (got != flags && failed(name, isa, mode))
                printf("%zu from %04x %04x %04x: flags %x, not %x\n", length, operands[0][i],
                       count > 1 ? operands[1][i] : 0, count > 2 ? operands[2][i] : 0, got,
                       flags);
        }
    }
    free(expected);
}

static void test_operations(void)
{
    uint16_t *operands[3];
    for (int k = 0; k < 3; ++k)
        operands[k] = malloc(SAMPLES * sizeof(uint16_t));
    for (size_t op = 0; op < sizeof operations / sizeof *operations; ++op) {
        int count = (int)(strchr(operations[op].types, '>') - operations[op].types);
        for (int mode = 0; mode < 4; ++mode) {
            for (size_t i = 0; i < SAMPLES; ++i) {
                for (int k = 0; k < count; ++k)
                    operands[k][i] = count == 1 ? (uint16_t)i : pick_half();
                /* inf * 0 + NaN: IEEE 754 leaves the flag open. */
                if (count == 3 && is_nan_half(operands[2][i]))
                    operands[0][i] = 0x3c00;
            }
            check_operation(op, operands, count, count == 1 ? 65536 : SAMPLES, mode);
        }
    }
    for (int k = 0; k < 3; ++k)
        free(operands[k]);
}

/* Half to integers, all halves; each one several times over, to fill a vector and the rest
 * of another. */
enum { COPIES = 18 };

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
    memcpy(p, &bytes, sizeof bytes); /* little-endian or not, read back below */
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
        expected = isnan(whole)          ? 0
                   : whole < 0           ? (int64_t)integers[t].low
                   : letter == 'q'       ? INT64_MAX
                   : letter == 'Q'       ? -1
                                         : (int64_t)integers[t].high;
    else if (!isfinite(whole))
        expected = letter == 'i' || letter == 'I' ? (int64_t)1 << 31
                   : letter == 'q' || letter == 'Q' ? INT64_MIN
                                                    : 0;
    else
        expected = (int64_t)whole;
    expected = write_integer(stored, letter, expected);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const char *name = saturate ? "convert_sat" : "convert";
        void *args[] = {halves, room};
        unsigned got = run(halfcl_find_kernel(isa, name, types), args, COPIES, mode);
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
    for (unsigned half = 0; half < 65536; ++half)
        for (size_t t = 0; t < sizeof integers / sizeof *integers; ++t)
            for (int mode = 0; mode < 4; ++mode)
                for (int saturate = 0; saturate < 2; ++saturate)
                    check_to_integer(t, (uint16_t)half, saturate, mode);
}

/* Other formats to half. A source is made from 64 random bits, many of them near what
 * half can hold. */

static double make_integer(void *p, char letter)
{
    uint64_t r = random_bits();
    int64_t value = (int64_t)random_bits() >> (r & 63);
    if (r >> 6 & 1)
        value = (int64_t)(65504 - 64 + (r >> 8 & 127)) * (r >> 7 & 1 ? 1 : -1);
    value = write_integer(p, letter, value);
    return letter == 'Q' ? (double)(uint64_t)value : (double)value;
}

/* Doubles on, next to or near halves and midpoints, or of any bits at all. */
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
        unsigned got = run(halfcl_find_kernel(isa, "convert", types), args, n, mode);
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
    for (int turn = 0; turn < 4000; ++turn) {
        int mode = turn & 3;
        for (size_t t = 0; t < sizeof integers / sizeof *integers; ++t)
            check_to_half(integers[t].letter, integers[t].size, mode);
        for (int more = 0; more < 3; ++more) {
            check_to_half('f', 4, mode);
            check_to_half('d', 8, mode);
        }
    }
    for (int turn = 0; turn < 1000000; ++turn) {
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
        const halfcl_kernel *to_float = halfcl_find_kernel(isa, "convert", "e>f");
        const halfcl_kernel *to_double = halfcl_find_kernel(isa, "convert", "e>d");
        for (unsigned half = 0; half < 65536; ++half) {
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
                    good &= isnan(value) ? isnan(one[i]) && !signals(one[i])
                                         : one[i] == value && !signbit(one[i]) == !signbit(value);
            }
            if (!good && failed("widening", isa, 0))
                printf("%04x: flags %x %x\n", half, got, got_double);
        }
    }
}

int main(void)
{
    test_operations();
    test_to_integers();
    test_to_half();
    test_widening();
    printf(failures ? "%d failures\n" : "all passed\n", failures);
    return failures != 0;
}
