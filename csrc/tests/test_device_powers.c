/* Tests the functions for devices of a half and another, or an integer, against the engine's in
 * every mode; in every other block with subnormal floats flushed to zero, as devices may.
 *
 * With HALFCL_TEST_LONG=k it tests all pairs whose first operand is one in k; with
 * HALFCL_TEST_FUNCTION=name only one function. */
#include "device/in_c.h"
#include "exact/doubledouble/functions.h"
#include "tests/testing.h"

enum { BLOCK = 4096 };

typedef void function2_in_modes(uint16_t x, int32_t y, uint16_t out[4]);

/* All modes round the same float. */
#define CALLED(name, type, as_float)                                                           \
    static void call_##name(uint16_t x, int32_t y, uint16_t out[4])                            \
    {                                                                                          \
        hci_vf result = hci_##name##_of(hci_vf_widen(x), as_float((type)y));                   \
        out[0] = hci_device_##name(x, (type)y, hci_RTE);                                       \
        out[1] = hci_rounded_half(result, hci_RTZ);                                            \
        out[2] = hci_rounded_half(result, hci_RTP);                                            \
        out[3] = hci_rounded_half(result, hci_RTN);                                            \
    }
#define IN_PHASES(name, second, as_float, ...) CALLED(name, hci_##second, hci_##as_float)
#include "device/functions.def"

typedef struct {
    const char *name, *types;
    function2_in_modes *call;
} device_function;

static const device_function functions[] = {
#define TYPES_vh "ee>e"
#define TYPES_vi "ei>e"
#define IN_PHASES(name, second, ...) {#name, TYPES_##second, call_##name},
#include "device/functions.def"
};

/* Pairs that wait until a block is full. */
typedef struct {
    const device_function *f;
    const halfcl_kernel *kernel;
    size_t count, wrong;
    bool flush;
    uint16_t x[BLOCK], halves[BLOCK], got[BLOCK][4];
    int32_t y[BLOCK];
} pairs;

static pairs waiting;

static void check_mode(pairs *p, const uint16_t *want, int mode)
{
    for (size_t k = 0; k < p->count; ++k) {
        uint16_t got = p->got[k][mode];
        if (got != want[k] && !(half_is_nan(want[k]) && got == HALF_NAN) && p->wrong++ < 3 &&
            failed("device", halfcl_find_isa(NULL), mode))
            printf("%s(%04x, %04x or %d) is %04x, not %04x\n", p->f->name, p->x[k],
                   (unsigned)p->y[k], p->y[k], got, want[k]);
    }
}

static void check_block(pairs *p)
{
    static uint16_t want[BLOCK];
    bool integer = p->f->types[1] == 'i';
    void *const args[] = {p->x, integer ? (void *)p->y : (void *)p->halves, want};
    flush_tiny_numbers(p->flush);
    for (size_t k = 0; k < p->count; ++k)
        p->f->call(p->x[k], p->y[k], p->got[k]);
    flush_tiny_numbers(false);
    for (int mode = 0; mode < 4; ++mode) {
        run(p->kernel, args, p->count, mode);
        check_mode(p, want, mode);
    }
    p->count = 0;
    p->flush = !p->flush;
}

static void check_pair(uint16_t x, int32_t y)
{
    pairs *p = &waiting;
    p->x[p->count] = x;
    p->y[p->count] = y;
    p->halves[p->count] = (uint16_t)y;
    if (++p->count == BLOCK)
        check_block(p);
}

/* Selects the function of the following pairs; tests those that wait first. */
static void begin(const device_function *f)
{
    if (waiting.count)
        check_block(&waiting);
    if (waiting.wrong)
        printf("%s: %zu wrong\n", waiting.f->name, waiting.wrong);
    waiting.wrong = 0;
    waiting.f = f;
    waiting.kernel = f ? find_map(halfcl_find_isa(NULL), f->name, f->types) : NULL;
}

/* Each exponent with fractions at its ends and around its middle. */
enum { FRACTIONS = 10, MARKED = 64 * FRACTIONS };

static uint16_t marked_half(int k)
{
    static const uint16_t fractions[FRACTIONS] = {0,     1,     2,     3,     0x1ff,
                                                  0x200, 0x201, 0x300, 0x3fe, 0x3ff};
    return (uint16_t)(k / FRACTIONS << 10 | fractions[k % FRACTIONS]);
}

/* Tests all pairs of these, each half with a few others of their kind, and random pairs. */
static void check_halves(void)
{
    static const uint16_t seconds[] = {0x0000, 0x3c00, 0x4000, 0x3800, 0x4200, 0x3400,
                                       0x3e00, 0x7c00, 0x7e00, 0x0001, 0x7bff, 0x5400};
    enum { SECONDS = sizeof seconds / sizeof *seconds };
    for (int i = 0; i < MARKED * MARKED; i += one_in)
        check_pair(marked_half(i / MARKED), marked_half(i % MARKED));
    for (int i = 0; i < 1 << 16; i += one_in) {
        uint16_t x = (uint16_t)i, other = seconds[i % SECONDS];
        check_pair(x, x);
        check_pair(x, x ^ HALF_SIGN);
        check_pair(x, (uint16_t)(x + 1));
        check_pair(x, (uint16_t)((x + 0x0400 * (i % 31)) ^ HALF_SIGN));
        for (int k = i % 3; k < SECONDS; k += 3) {
            check_pair(x, seconds[k] | (x & HALF_SIGN));
            check_pair(x, seconds[k] ^ HALF_SIGN);
        }
        check_pair(other, x);
        check_pair(other ^ HALF_SIGN, x);
    }
    for (int i = 0; i < 1 << 22; i += one_in) {
        uint64_t random = random_bits();
        check_pair((uint16_t)random, (uint16_t)(random >> 16));
    }
}

/* Tests small integers, powers of two and their neighbours, the least, and random ones. */
static void check_integers(int step)
{
    for (int n = -40; n <= 40; ++n)
        for (int x = (n + 40) % step; x < 1 << 16; x += step)
            check_pair((uint16_t)x, n);
    for (int k = 0; k < 30 * 6; ++k) {
        int32_t size = ((int32_t)1 << (k / 6 + 1)) - 1 + k % 3;
        for (int x = k % step; x < 1 << 16; x += 2 * step)
            check_pair((uint16_t)x, k % 6 < 3 ? size : -size);
    }
    for (int x = 0; x < 1 << 16; x += one_in) {
        check_pair((uint16_t)x, INT32_MIN);
        check_pair((uint16_t)x, INT32_MIN + 1);
        check_pair((uint16_t)x, INT32_MAX);
    }
    for (int i = 0; i < 1 << 20; i += one_in) {
        uint64_t random = random_bits();
        check_pair(pick_half(), (int32_t)(uint32_t)(random >> 32) >> (random & 31));
    }
}

/* Tests those pairs whose results are closest to a number at which half rounds
 * (src/halfcl/audit/hard_pairs.txt) and that have no pattern. */
static void check_hard_pairs(void)
{
    static const struct {
        uint16_t x;
        int32_t y;
    } rows[] = {
        /* powers */
        {0x01fe, 0xa0ea},
        {0x0969, 0x0984},
        {0x0d36, 0x2316},
        {0x17e9, 0xb1cf},
        {0x39ba, 0x187d},
        {0x3bf8, 0xb3fb},
        {0x46b2, 0xc5f7},
        {0x4886, 0x8744},
        {0x4cb9, 0x8572},
        {0x51aa, 0xb5c6},
        {0x609e, 0x1834},
        {0x60be, 0x9ac8},
        {0x62a3, 0x08be},
        {0x756b, 0x112e},
        /* sums of powers, and angles */
        {0x01f3, 0x8623},
        {0x77ff, 0x7800},
        {0x8086, 0xc5c7},
        {0xa092, 0xc67f},
        {0x0ff6, 0x1005},
        {0x0ffe, 0x1001},
        {0x13fe, 0x1401},
        {0x15ff, 0x1601},
        {0x8bf2, 0x8c07},
        {0x8bf6, 0x8c05},
        {0x8bfa, 0x8c03},
        {0x8bfe, 0x8c01},
        {0x0001, 0xf916},
        {0x0001, 0xfbfc},
        {0x0003, 0xfba2},
        {0x7516, 0x8001},
        {0x7ba2, 0x8003},
        {0x0377, 0x7800},
        {0x04e7, 0x7800},
        {0x06ef, 0x7800},
        /* roots and compound interest */
        {0x0f3d, -15824},
        {0x01b0, -10826},
        {0x13be, 28522},
        {0x80ae, 995511},
        {0x8003, 53720652},
        {0x0002, 29684704},
        {0x0033, 2486148},
        {0x8001, 108924363},
        {0x800c, -6429287},
        {0x808b, 248941},
        {0x8018, -3644789},
        {0x0975, -54707},
        {0x815d, -426266},
        {0x8060, 1529336},
        {0x0002, 73786505},
        {0x8030, 1289227},
        {0x0048, 2440153},
        {0x828b, -126222},
        {0x0071, -108904},
        {0x8006, -3525513},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        check_pair(rows[k].x, rows[k].y);
}

/* Tests every half with every other, or with integers of all sizes. */
static void check_all(int step, bool integer)
{
    if (integer) {
        check_integers(1);
        for (int x = 0; x < 1 << 16; x += step)
            for (int k = 0; k < 1 << 14; ++k) {
                uint64_t random = random_bits();
                check_pair((uint16_t)x, (int32_t)(uint32_t)(random >> 32) >> (random & 31));
            }
        return;
    }
    for (int x = 0; x < 1 << 16; x += step)
        for (int y = 0; y < 1 << 16; ++y)
            check_pair((uint16_t)x, y);
}

/* Numbers of 64 bits, against double-double. */

/* The greatest error of a function of fixed_point.h. */
typedef struct {
    const char *name;
    double bound, worst;
} accuracy;

/* The error is within 2^-80 of the true one. */
static void note_error(accuracy *a, hci_extended got, dd want, double unit)
{
    double first = ldexp((double)(got.size >> 32), got.exponent + 32);
    double rest = ldexp((double)(got.size & 0xffffffff), got.exponent);
    double error = fabs((first - want.hi) + (rest - want.lo)) / unit;
    a->worst = fmax(a->worst, error);
}

static void check_accuracy(const accuracy *a)
{
    if (!(a->worst <= a->bound) && failed("device", halfcl_find_isa(NULL), 0))
        printf("%s is off by 2^%.2f, not 2^%.2f\n", a->name, log2(a->worst), log2(a->bound));
}

static void test_fixed_point(void)
{
    accuracy logs = {"extended_log2", 0x1p-59, 0}, powers = {"extended_exp2", 0x1p-60, 0};
    accuracy angles = {"extended_atan", 0x1p-61, 0}, sums = {"log_of_sum", 0x1p-60, 0};
    for (uint16_t x = 1; x < HALF_INF; ++x) {
        double value = halfcl_to_float(x), other = halfcl_to_float(x % 0x3c00 + 1);
        hci_extended number = hci_extended_of((uint64_t)(value * 0x1p24), -24);
        bool minus = false;
        dd log = dd_log2(value);
        hci_extended got = hci_extended_log2(number, &minus);
        if (x != HALF_ONE) {
            note_error(&logs, got, minus ? dd_neg(log) : log, fabs(log.hi));
            if (minus != (value < 1) && failed("device", halfcl_find_isa(NULL), 0))
                printf("extended_log2(%04x) has the other sign\n", x);
        }
        for (int sign = -1; sign < 2 && value < 16; sign += 2) {
            dd power = dd_exp2(sign * value);
            note_error(&powers, hci_extended_exp2(number, sign < 0), power, power.hi);
        }
        double height = fmin(value, other), width = fmax(value, other);
        dd angle = dd_atan2(height, width);
        got = hci_extended_atan(hci_slope_of((float)height, (float)width));
        note_error(&angles, got, angle, angle.hi);
        for (int natural = 0; natural < 2 && value < 40; ++natural) {
            dd sum = natural ? dd_logaddexp(0, -value) : dd_logaddexp2(0, -value);
            uint64_t units = hci_log_of_sum((uint64_t)(value * 0x1p24), natural);
            note_error(&sums, (hci_extended){units, -62}, sum, 1);
        }
    }
    check_accuracy(&logs);
    check_accuracy(&powers);
    check_accuracy(&angles);
    check_accuracy(&sums);
}

void test_device_powers(void)
{
    const char *every = getenv("HALFCL_TEST_LONG"), *one = getenv("HALFCL_TEST_FUNCTION");
    test_fixed_point();
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k) {
        bool integer = functions[k].types[1] == 'i';
        if (one && strcmp(one, functions[k].name) != 0)
            continue;
        begin(&functions[k]);
        check_hard_pairs();
        if (every)
            check_all(atoi(every) > 0 ? atoi(every) : 1, integer);
        else if (integer)
            check_integers(8 * one_in);
        else
            check_halves();
    }
    begin(NULL);
}
