/* Tests the functions for devices whose hard cases integers decide, against the engine's, in
 * every mode: sums, hypot, mix, smoothstep, Python's division, and the geometric ones of 1 to
 * 16 components. There are a million elements per function; HALFCL_TEST_LONG multiplies
 * that. */
#include "device/in_c.h"
#include "tests/testing.h"

enum { COUNT = 1 << 12, MOST_WIDE = 16, TURNS = 64, SLOTS = 3 };

/* ------------------------------------------------------------ operands */

static uint16_t pick_finite(void)
{
    uint16_t half = pick_half();
    return (half & HALF_MAGNITUDE) >= HALF_INF ? half & 0xbbff : half;
}

/* A number of few bits, from 2^-4 to 2^11: sums and products are exact, or ties. */
static uint16_t pick_short(void)
{
    uint64_t r = random_bits();
    int exponent = 11 + (int)(r % 16), fraction = (int)(r >> 8 & 0xf) << 6;
    return (uint16_t)((r >> 16 & 1) << 15 | (uint64_t)(exponent << 10 | fraction));
}

static uint16_t pick_subnormal(void)
{
    return random_bits() & 0x87ff;
}

static uint16_t pick_in_unit(void)
{
    return (uint16_t)(0x2c00 + random_bits() % 0x1001);
}

static uint16_t beside_half(uint16_t half)
{
    static const uint16_t ways[] = {0, 1, 2, 0x8000, 0x8001, 0x0400, 0x8400, 3};
    return half ^ ways[random_bits() % 8];
}

typedef uint16_t pick(void);
static pick *const picks[] = {pick_half, pick_finite, pick_short, pick_subnormal, pick_in_unit};

/* Fills each operand in a way of its own, or with numbers next to the previous one. */
static void fill(uint16_t (*in)[COUNT], int operands)
{
    const uint64_t ways = random_bits();
    for (int k = 0; k < COUNT; ++k) {
        for (int j = 0; j < operands; ++j) {
            uint64_t way = ways >> 8 * j & 7;
            pick *any = picks[way < 5 ? way : 1];
            in[j][k] = way > 5 && j ? beside_half(in[j - 1][k]) : any();
        }
    }
}

/* ------------------------------------------------------------ numbers */

typedef struct {
    const char *name;
    int operands, results;
    void (*call)(const uint16_t *x, uint16_t *out, hci_rounding mode);
} number_function;

#define CALL2(name)                                                                            \
    static void call_##name(const uint16_t *x, uint16_t *out, hci_rounding mode)               \
    {                                                                                          \
        *out = hci_device_##name(x[0], x[1], mode);                                            \
    }
#define CALL3(name)                                                                            \
    static void call_##name(const uint16_t *x, uint16_t *out, hci_rounding mode)               \
    {                                                                                          \
        *out = hci_device_##name(x[0], x[1], x[2], mode);                                      \
    }
CALL2(add)
CALL2(subtract)
CALL2(hypot)
CALL2(floor_divide)
CALL2(floor_remainder)
CALL3(mix)
CALL3(smoothstep)

static void call_divmod(const uint16_t *x, uint16_t *out, hci_rounding mode)
{
    out[0] = hci_device_divmod(x[0], x[1], out + 1, mode);
}

static const number_function numbers[] = {
    {"add", 2, 1, call_add},
    {"subtract", 2, 1, call_subtract},
    {"hypot", 2, 1, call_hypot},
    {"floor_divide", 2, 1, call_floor_divide},
    {"floor_remainder", 2, 1, call_floor_remainder},
    {"divmod", 2, 2, call_divmod},
    {"mix", 3, 1, call_mix},
    {"smoothstep", 3, 1, call_smoothstep},
};

/* Compares bit for bit, with one NaN. */
static bool differ(uint16_t got, uint16_t want)
{
    return got != (half_is_nan(want) ? HALF_NAN : want);
}

static void compare_numbers(const number_function *f, uint16_t (*in)[COUNT], bool flush)
{
    static uint16_t want[2][COUNT];
    const halfcl_isa *isa = halfcl_find_isa(NULL);
    const halfcl_signature types = HALFCL_HALVES((uint8_t)f->operands, (uint8_t)f->results);
    const halfcl_kernel *kernel = halfcl_find_kernel(isa, f->name, HALFCL_MAP, &types);
    const ptrdiff_t steps[] = {2, 2, 2, 2, 2};
    char *args[SLOTS + 2];
    for (int j = 0; j < f->operands; ++j)
        args[j] = (char *)in[j];
    for (int j = 0; j < f->results; ++j)
        args[f->operands + j] = (char *)want[j];
    for (int mode = 0; mode < 4; ++mode) {
        halfcl_run(kernel, args, steps, COUNT, (halfcl_rounding)mode);
        flush_tiny_numbers(flush);
        for (int k = 0; k < COUNT; ++k) {
            uint16_t x[] = {in[0][k], in[1][k], in[2][k]}, got[2];
            f->call(x, got, (hci_rounding)mode);
            for (int j = 0; j < f->results; ++j)
                if (differ(got[j], want[j][k]) && failed("device", isa, mode))
                    printf("%s(%04x, %04x, %04x) is %04x, not %04x\n", f->name, x[0], x[1],
                           x[2], got[j], want[j][k]);
        }
        flush_tiny_numbers(false);
    }
}

static void test_numbers_of(const number_function *f, int turns)
{
    static uint16_t in[SLOTS][COUNT];
    for (int turn = 0; turn < turns; ++turn) {
        fill(in, f->operands);
        compare_numbers(f, in, turn & 1);
    }
}

/* Tests all y, with every step-th x. */
static void test_pairs(const number_function *f, int step)
{
    static uint16_t in[SLOTS][COUNT];
    for (int x = 0; x < 1 << 16; x += step) {
        for (int y = 0; y < 1 << 16; y += COUNT) {
            for (int k = 0; k < COUNT; ++k) {
                in[0][k] = (uint16_t)x;
                in[1][k] = (uint16_t)(y + k);
            }
            compare_numbers(f, in, false);
        }
    }
}

/* ------------------------------------------------------------ vectors */

typedef struct {
    const char *name;
    int operands;
    bool to_vector;
} vector_function;

static const vector_function vectors[] = {
    {"vectors_dot", 2, false},      {"vectors_vecdot", 2, false},
    {"vectors_distance", 2, false}, {"vectors_length", 1, false},
    {"vectors_normalize", 1, true}, {"vectors_cross", 2, true},
};

/* With a constant width, as on devices. */
#define CALL_VECTORS(n)                                                                        \
    static void call_vectors_##n(size_t which, uint16_t *a, uint16_t *b, uint16_t *out,        \
                                 hci_rounding mode)                                            \
    {                                                                                          \
        switch (which) {                                                                       \
        case 0:                                                                                \
            *out = hci_device_dot(a, b, n, mode);                                              \
            break;                                                                             \
        case 1:                                                                                \
            *out = hci_device_vecdot(a, b, n, mode);                                           \
            break;                                                                             \
        case 2:                                                                                \
            *out = hci_device_distance(a, b, n, mode);                                         \
            break;                                                                             \
        case 3:                                                                                \
            *out = hci_device_length(a, n, mode);                                              \
            break;                                                                             \
        case 4:                                                                                \
            hci_device_normalize(a, n, out, mode);                                             \
            break;                                                                             \
        case 5:                                                                                \
            hci_device_cross(a, b, n, out, mode);                                              \
            break;                                                                             \
        }                                                                                      \
    }
CALL_VECTORS(1)
CALL_VECTORS(2)
CALL_VECTORS(3)
CALL_VECTORS(4)
CALL_VECTORS(8)
CALL_VECTORS(16)

static const struct {
    size_t width;
    void (*call)(size_t which, uint16_t *a, uint16_t *b, uint16_t *out, hci_rounding mode);
} widths[] = {{1, call_vectors_1}, {2, call_vectors_2}, {3, call_vectors_3},
              {4, call_vectors_4}, {8, call_vectors_8}, {16, call_vectors_16}};

typedef uint16_t many[COUNT][MOST_WIDE];

/* Fills vectors whose terms nearly cancel: pairs of components, with one factor changed a
 * little. */
static void cancel(uint16_t *a, uint16_t *b, size_t n)
{
    for (size_t k = n / 2; k < n / 2 * 2; ++k) {
        a[k] = a[k - n / 2] ^ HALF_SIGN;
        b[k] = b[k - n / 2] ^ (random_bits() % 8 == 0);
    }
}

/* Fills components in one way or several, with b near a or not. */
static void fill_vectors(many a, many b, size_t n)
{
    uint64_t ways = random_bits();
    for (int i = 0; i < COUNT; ++i) {
        for (size_t k = 0; k < n; ++k) {
            uint64_t way = (ways & 1 ? ways >> 8 : ways >> k % 4 * 8) & 7;
            pick *any = picks[way < 5 ? way : 1];
            a[i][k] = any();
            b[i][k] = ways >> 40 & 1 ? beside_half(a[i][k]) : any();
        }
        if (ways >> 41 & 1)
            cancel(a[i], b[i], n);
    }
}

/* Returns the half of 11 bits next to x toward 0, scaled down to half's range. */
static uint16_t cut_half(double x)
{
    return hci_rounded_half((float)x, (hci_rounding)HALFCL_RTZ);
}

/* Returns a number of 12 bits, a half or a midpoint, as results may be near it. */
static double pick_number(int least, int most)
{
    int exponent = least + (int)(random_bits() % (unsigned)(most - least));
    return ldexp((double)(0x800 + random_bits() % 0x800), exponent - 11);
}

/* Fills vectors with a b next to a number of 12 bits: each term uses most of the remaining
 * difference. */
static void nearly_dot(uint16_t *a, uint16_t *b, size_t n)
{
    double remaining = pick_number(-10, 12);
    for (size_t k = 0; k < n; ++k) {
        b[k] = random_bits() & 1 ? HALF_ONE : beside_half(pick_in_unit());
        double factor = half_value(b[k]), share = k + 1 < n && random_bits() & 1 ? 1.5 : 1;
        a[k] = cut_half(share * remaining / factor);
        remaining -= half_value(a[k]) * factor;
    }
}

/* Fills a[k] for k >= from so that the sum of squares is next to `remaining`. */
static void nearly_squares(uint16_t *a, size_t from, size_t n, double remaining)
{
    for (size_t k = from; k < n; ++k) {
        double share = k + 1 < n && random_bits() & 1 ? (double)(random_bits() % 99) / 99 : 1;
        a[k] = cut_half(sqrt(share * remaining));
        remaining -= half_value(a[k]) * half_value(a[k]);
        a[k] ^= random_bits() & HALF_SIGN;
    }
}

/* Fills vectors with a root next to a number of 12 bits: of squares, and mostly of
 * differences. */
static void nearly_root(uint16_t *a, uint16_t *b, size_t n)
{
    double root = pick_number(-8, 12);
    nearly_squares(a, 0, n, root * root);
    for (size_t k = 0; k < n; ++k) {
        uint16_t half = cut_half(half_value(a[k]) / 2), apart = half ^ HALF_SIGN;
        bool split = random_bits() & 1 && half_value(half) * 2 == half_value(a[k]);
        b[k] = split ? apart : 0;
        a[k] = split ? half : a[k];
    }
}

/* Fills a vector with a ratio to the root next to a number of 12 bits. */
static void nearly_ratio(uint16_t *a, size_t n)
{
    double ratio = pick_number(-9, 0);
    size_t at = random_bits() % n;
    uint16_t first = cut_half(pick_number(-2, 3));
    double x = half_value(first), remaining = x * x / (ratio * ratio) - x * x;
    nearly_squares(a, 1, n, remaining);
    a[0] = a[at];
    a[at] = first;
}

static void fill_nearly(many a, many b, size_t n)
{
    uint64_t way = random_bits() % 3;
    for (int i = 0; i < COUNT; ++i) {
        if (way == 0)
            nearly_dot(a[i], b[i], n);
        else if (way == 1)
            nearly_root(a[i], b[i], n);
        else
            nearly_ratio(a[i], n);
    }
}

static void run_engine(size_t which, size_t n, many a, many b, many out, int mode)
{
    const vector_function *f = vectors + which;
    const halfcl_vectors first = {(char *)a, sizeof *a, 2, n},
                         second = {(char *)b, sizeof *b, 2, n};
    const halfcl_vectors result = {(char *)out, sizeof *out, 2, f->to_vector ? n : 1};
    const halfcl_vectors of_one[] = {first, result}, of_two[] = {first, second, result};
    const halfcl_signature types = HALFCL_HALVES((uint8_t)f->operands, 1);
    const halfcl_kernel *kernel =
        halfcl_find_kernel(halfcl_find_isa(NULL), f->name, HALFCL_VECTORS, &types);
    halfcl_run_vectors(kernel, f->operands == 1 ? of_one : of_two, COUNT,
                       (halfcl_rounding)mode);
}

static void compare_vectors(size_t which, size_t at, many a, many b, bool flush)
{
    static many want;
    const vector_function *f = vectors + which;
    const halfcl_isa *isa = halfcl_find_isa(NULL);
    const size_t n = widths[at].width, out_width = f->to_vector ? n : 1;
    for (int mode = 0; mode < 4; ++mode) {
        run_engine(which, n, a, b, want, mode);
        flush_tiny_numbers(flush);
        for (int i = 0; i < COUNT; ++i) {
            uint16_t got[MOST_WIDE];
            widths[at].call(which, a[i], b[i], got, (hci_rounding)mode);
            for (size_t k = 0; k < out_width; ++k) {
                if (!differ(got[k], want[i][k]) || !failed("device", isa, mode))
                    continue;
                printf("%s[%zu] of %zu is %04x, not %04x:", f->name, k, n, got[k], want[i][k]);
                for (size_t c = 0; c < n; ++c)
                    printf(" %04x,%04x", a[i][c], b[i][c]);
                printf("\n");
            }
        }
        flush_tiny_numbers(false);
    }
}

static void test_vectors_of(size_t which, size_t at, int turns)
{
    static many a, b;
    size_t n = widths[at].width;
    if (strcmp(vectors[which].name, "vectors_cross") == 0 && n != 3 && n != 4)
        return;
    for (int turn = 0; turn < turns; ++turn) {
        if (turn % 3 == 2)
            fill_nearly(a, b, n);
        else
            fill_vectors(a, b, n);
        compare_vectors(which, at, a, b, turn & 1);
    }
}

/* ------------------------------------------------------------ integers only */

/* Compares with a product by limbs of 32 bits. */
static void check_product(hci_wide a, uint64_t b)
{
    uint64_t x[] = {a.low, a.middle, a.high}, got[3];
    uint32_t want[6] = {0};
    hci_wide product = hci_wide_product(a, b);
    for (int i = 0; i < 6; ++i) {
        uint64_t carry = 0;
        for (int j = 0; j < 2 && i + j < 6; ++j) {
            uint64_t remaining = x[i / 2] >> 32 * (i % 2) & 0xffffffff,
                     right = b >> 32 * j & 0xffffffff;
            carry += remaining * right + want[i + j];
            want[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        for (int j = i + 2; j < 6; ++j) {
            carry += want[j];
            want[j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    got[0] = product.low;
    got[1] = product.middle;
    got[2] = product.high;
    for (int i = 0; i < 3; ++i)
        if (got[i] != (want[2 * i] | (uint64_t)want[2 * i + 1] << 32) &&
            failed("device", halfcl_find_isa(NULL), 0))
            printf("limb %d of a product\n", i);
}

/* Returns a number with few ones or zeros, so that carries propagate far. */
static uint64_t pick_limb(void)
{
    uint64_t r = random_bits(), bit = (uint64_t)1 << (r >> 8 & 63);
    return r & 1 ? random_bits() : r & 2 ? bit : r & 4 ? ~bit : r & 8 ? 0 : ~(uint64_t)0;
}

static void expect_wide(bool right, const char *what)
{
    if (!right && failed("device", halfcl_find_isa(NULL), 0))
        printf("%s\n", what);
}

static void test_wide(int turns)
{
    for (int turn = 0; turn < turns; ++turn) {
        hci_wide a = {pick_limb(), pick_limb(), pick_limb()};
        hci_wide b = {pick_limb(), pick_limb(), pick_limb()};
        int count = (int)(random_bits() % 192), step = count < 63 ? count : 63;
        uint64_t factor = (uint64_t)1 << step;
        check_product(a, pick_limb());
        hci_wide sum = hci_wide_sum(a, b), back = hci_wide_difference(sum, b);
        expect_wide(hci_wide_compare(back, a) == 0, "a + b - b");
        expect_wide(hci_wide_compare(hci_wide_sum(a, a), hci_wide_product(a, 2)) == 0, "a + a");
        expect_wide(hci_wide_compare(hci_wide_shifted(a, step), hci_wide_product(a, factor)) ==
                        0,
                    "a shift");
        hci_wide twice = hci_wide_shifted(hci_wide_shifted(a, step), count - step);
        expect_wide(hci_wide_compare(hci_wide_shifted(a, count), twice) == 0, "two shifts");
        a.high >>= 2;
        expect_wide(hci_wide_compare(hci_wide_sum(a, hci_wide_of(1)), a) == 1, "a + 1 > a");
        expect_wide(hci_wide_compare(a, hci_wide_sum(a, hci_wide_of(b.low | 1))) == -1,
                    "a < a + b");
    }
}

/* Decides every operand with integers, as if all were hard cases. */
static uint16_t by_integers(size_t which, uint16_t *a, uint16_t *b, int n, hci_rounding mode)
{
    const bool far = which == 2;
    float x[MOST_WIDE], y[MOST_WIDE];
    hci_widen(a, n, x);
    hci_widen(b, n, y);
    if (which == 0)
        return hci_rounded_half(hci_dot_exactly(x, y, n), mode);
    hci_wide sum = far ? hci_wide_squared_differences(x, y, n) : hci_wide_squares(x, n);
    float root = sqrtf(hci_wide_to_float(sum, -48));
    if (root == 0)
        return 0;
    return hci_rounded_half(hci_root_of_wide(sum, hci_nearest_of_12_bits(root)), mode);
}

static bool all_finite(const uint16_t *a, size_t n)
{
    bool finite = true;
    for (size_t k = 0; k < n; ++k)
        finite = finite && (a[k] & HALF_MAGNITUDE) < HALF_INF;
    return finite;
}

static void compare_integers(size_t which, size_t at, many a, many b)
{
    static many want;
    const size_t n = widths[at].width;
    const halfcl_isa *isa = halfcl_find_isa(NULL);
    for (int mode = 0; mode < 4; ++mode) {
        run_engine(which, n, a, b, want, mode);
        for (int i = 0; i < COUNT; ++i) {
            if (!all_finite(a[i], n) || !all_finite(b[i], n))
                continue;
            uint16_t got = by_integers(which, a[i], b[i], (int)n, (hci_rounding)mode);
            if (want[i][0] & HALF_MAGNITUDE && got != want[i][0] && failed("device", isa, mode))
                printf("%s by integers: %04x, not %04x\n", vectors[which].name, got,
                       want[i][0]);
        }
    }
}

static void compare_ratios(size_t at, many a)
{
    static many want;
    const size_t which = 4, n = widths[at].width;
    const halfcl_isa *isa = halfcl_find_isa(NULL);
    for (int mode = 0; mode < 4; ++mode) {
        run_engine(which, n, a, a, want, mode);
        for (int i = 0; i < COUNT; ++i) {
            float x[MOST_WIDE] = {0};
            if (!all_finite(a[i], n))
                continue;
            hci_widen(a[i], (int)n, x);
            hci_wide sum = hci_wide_squares(x, (int)n);
            float ratio = fabsf(x[0]) / sqrtf(hci_wide_to_float(sum, -48));
            if (!(ratio >= 0x1p-26f)) /* or NaN */
                continue;
            ratio = hci_ratio_of_wide(hci_units_of(x[0]), sum, hci_nearest_of_12_bits(ratio));
            uint16_t got = hci_rounded_half(copysignf(ratio, x[0]), (hci_rounding)mode);
            if (got != want[i][0] && failed("device", isa, mode))
                printf("ratio by integers: %04x, not %04x\n", got, want[i][0]);
        }
    }
}

static void test_integers(int turns)
{
    static many a, b;
    for (int turn = 0; turn < turns; ++turn) {
        for (size_t at = 0; at < sizeof widths / sizeof *widths; ++at) {
            size_t n = widths[at].width;
            fill_nearly(a, b, n);
            if (turn & 1)
                fill_vectors(a, b, n);
            for (size_t which = 0; which < 4; ++which)
                if (which != 1)
                    compare_integers(which, at, a, b);
            compare_ratios(at, a);
        }
    }
}

static uint16_t mix_by_exact_sums(uint16_t x, uint16_t y, uint16_t a, hci_rounding mode)
{
    float result = hci_mix_exactly(hci_vf_widen(x), hci_vf_widen(y), hci_vf_widen(a), mode);
    return hci_rounded_half(result, mode);
}

static uint16_t smoothstep_by_integers(uint16_t edge0, uint16_t edge1, uint16_t x,
                                       hci_rounding mode)
{
    bool exact_case;
    float start = hci_vf_widen(edge0), end = hci_vf_widen(edge1), at = hci_vf_widen(x);
    float result = hci_smoothstep_of(start, end, at, &exact_case);
    if (!exact_case && result >= 0x1p-26f)
        result = hci_smoothstep_exactly(start, end, at, result);
    return hci_rounded_half(result, mode);
}

static void call_mix_by_exact_sums(const uint16_t *x, uint16_t *out, hci_rounding mode)
{
    *out = mix_by_exact_sums(x[0], x[1], x[2], mode);
}

static void call_smoothstep_by_integers(const uint16_t *x, uint16_t *out, hci_rounding mode)
{
    *out = smoothstep_by_integers(x[0], x[1], x[2], mode);
}

static const number_function careful[] = {
    {"mix", 3, 1, call_mix_by_exact_sums},
    {"smoothstep", 3, 1, call_smoothstep_by_integers},
};

/* ------------------------------------------------------------ all */

static int times(void)
{
    const char *text = getenv("HALFCL_TEST_LONG");
    int times = text ? atoi(text) : 1;
    return times > 0 ? times : 1;
}

void test_device_exact(void)
{
    const int turns = TURNS * times() / one_in;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        test_numbers_of(numbers + k, turns);
        if (numbers[k].operands == 2)
            test_pairs(numbers + k, times() > 1 ? 89 : 8191 * one_in);
    }
    for (size_t which = 0; which < sizeof vectors / sizeof *vectors; ++which)
        for (size_t at = 0; at < sizeof widths / sizeof *widths; ++at)
            test_vectors_of(which, at, (turns + 3) / 4);
    for (size_t k = 0; k < sizeof careful / sizeof *careful; ++k)
        test_numbers_of(careful + k, (turns + 3) / 4);
    test_wide(turns * COUNT);
    test_integers((turns + 15) / 16);
}
