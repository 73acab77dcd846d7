/* Tests the functions for devices that convert halves from and to integers and floats, against
 * the engine's: every half, every code, and a million wider numbers. */
#include "device/in_c.h"
#include "tests/testing.h"

enum { ALL = 1 << 16, TURNS = 16 };

static uint16_t halves[ALL], results[ALL];

static void note(const char *name, int mode, int k)
{
    if (failed("device", halfcl_find_isa(NULL), mode))
        printf("%s: result %d differs\n", name, k);
}

static bool same(uint16_t a, uint16_t b)
{
    return a == b || (half_is_nan(a) && half_is_nan(b));
}

static void run_engine(const char *kernel, const char *types, void *in, void *out, int mode)
{
    void *const args[] = {in, out};
    run(find_map(halfcl_find_isa(NULL), kernel, types), args, ALL, mode);
}

/* clang-format off */
#define FROM_HALF_ROWS(X)                                                                     \
    X(convert_int, "convert", "b", int8_t)                                                    \
    X(convert_int, "convert", "B", uint8_t)                                                   \
    X(convert_int, "convert", "h", int16_t)                                                   \
    X(convert_int, "convert", "H", uint16_t)                                                  \
    X(convert_int, "convert", "i", int32_t)                                                   \
    X(convert_int, "convert", "I", uint32_t)                                                  \
    X(convert_long, "convert", "q", int64_t)                                                  \
    X(convert_long, "convert", "Q", uint64_t)                                                 \
    X(convert_char_sat, "convert_sat", "b", int8_t)                                           \
    X(convert_uchar_sat, "convert_sat", "B", uint8_t)                                         \
    X(convert_short_sat, "convert_sat", "h", int16_t)                                         \
    X(convert_ushort_sat, "convert_sat", "H", uint16_t)                                       \
    X(convert_int_sat, "convert_sat", "i", int32_t)                                           \
    X(convert_uint_sat, "convert_sat", "I", uint32_t)                                         \
    X(convert_long_sat, "convert_sat", "q", int64_t)                                          \
    X(convert_ulong_sat, "convert_sat", "Q", uint64_t)                                        \
    X(to_unorm8, "to_unorm8", "B", uint8_t)                                                   \
    X(to_snorm8, "to_snorm8", "b", int8_t)                                                    \
    X(to_unorm16, "to_unorm16", "H", uint16_t)                                                \
    X(to_snorm16, "to_snorm16", "h", int16_t)
#define OF_CODES_ROWS(X)                                                                      \
    X(convert_half_small, "convert", "b", int8_t, CODE)                                       \
    X(convert_half_small, "convert", "B", uint8_t, CODE)                                      \
    X(convert_half_small, "convert", "h", int16_t, CODE)                                      \
    X(convert_half_small, "convert", "H", uint16_t, CODE)                                     \
    X(from_unorm8, "from_unorm8", "B", uint8_t, CODE)                                         \
    X(from_snorm8, "from_snorm8", "b", int8_t, CODE)                                          \
    X(from_unorm16, "from_unorm16", "H", uint16_t, CODE)                                      \
    X(from_snorm16, "from_snorm16", "h", int16_t, CODE)
#define TO_HALF_ROWS(X)                                                                       \
    X(convert_half_int, "convert", "i", int32_t, pick_integer)                                \
    X(convert_half_uint, "convert", "I", uint32_t, pick_integer)                              \
    X(convert_half_long, "convert", "q", int64_t, pick_integer)                               \
    X(convert_half_ulong, "convert", "Q", uint64_t, pick_integer)                             \
    X(convert_half_float, "convert", "f", float, pick_float)
/* clang-format on */

/* Tests a function of every half, whose low bits are the result. */
#define FROM_HALF(name, kernel, letter, type)                                                  \
    static void test_##name##_as_##type(int mode)                                              \
    {                                                                                          \
        static type want[ALL];                                                                 \
        run_engine(kernel, "e>" letter, halves, want, mode);                                   \
        for (int k = 0; k < ALL; ++k)                                                          \
            if ((type)hci_device_##name(halves[k], (hci_rounding)mode) != want[k])             \
                note(#name, mode, k);                                                          \
    }
FROM_HALF_ROWS(FROM_HALF)

static void test_convert_float(int mode)
{
    static float want[ALL];
    run_engine("convert", "e>f", halves, want, mode);
    for (int k = 0; k < ALL; ++k) {
        float got = hci_device_convert_float(halves[k], (hci_rounding)mode);
        if (got != want[k] && (got == got || want[k] == want[k]))
            note("convert_float", mode, k);
    }
}

/* Returns a small number, one near half's limits, or any. */
static int64_t pick_integer(int k)
{
    uint64_t r = random_bits();
    int64_t end = 65504 - 64 + (int64_t)(r >> 8 & 127);
    if (k & 1)
        return k;
    return r & 64 ? (r & 128 ? end : -end) : (int64_t)random_bits() >> (r & 63);
}

/* Returns a half or midpoint, perhaps changed a little; or a float of random bits. */
static float pick_float(int k)
{
    uint64_t r = random_bits();
    uint16_t half = (uint16_t)k;
    float x = (float)((half_value(half) + half_value(half ^ (r & 1))) / 2);
    uint32_t moved = (uint32_t)bits_of_float(x) + (uint32_t)(r >> 5 & 3) - 1;
    if (r % 8 == 0)
        return float_of_bits((int32_t)(r >> 32));
    return r & 16 ? float_of_bits((int32_t)moved) : x;
}

#define TO_HALF(name, kernel, letter, type, pick)                                              \
    static void test_##name##_of_##type(int mode)                                              \
    {                                                                                          \
        static type in[ALL];                                                                   \
        for (int k = 0; k < ALL; ++k)                                                          \
            in[k] = (type)pick(k);                                                             \
        run_engine(kernel, letter ">e", in, results, mode);                                    \
        for (int k = 0; k < ALL; ++k)                                                          \
            if (!same(hci_device_##name(in[k], (hci_rounding)mode), results[k]))               \
                note(#name, mode, k);                                                          \
    }
#define CODE(k) (k)
OF_CODES_ROWS(TO_HALF)
TO_HALF_ROWS(TO_HALF)

#define CALL_FROM(name, kernel, letter, type) test_##name##_as_##type(mode);
#define CALL_TO(name, kernel, letter, type, pick) test_##name##_of_##type(mode);

void test_device_numbers(void)
{
    for (int k = 0; k < ALL; ++k)
        halves[k] = (uint16_t)k;
    for (int mode = 0; mode < 4; ++mode) {
        FROM_HALF_ROWS(CALL_FROM)
        OF_CODES_ROWS(CALL_TO)
        test_convert_float(mode);
        for (int turn = 0; turn <= TURNS / one_in; ++turn) {
            TO_HALF_ROWS(CALL_TO)
        }
    }
}
