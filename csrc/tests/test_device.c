/* Tests the functions for devices of one argument that compute in float, compiled as C, against
 * the engine's: every half in every mode, also with subnormal floats flushed to zero, as
 * devices may do. */
#include <string.h>

#include "device/in_c.h"
#include "tests/testing.h"

enum { ALL = 1 << 16 };

typedef hci_vh function1(hci_vh x, hci_rounding mode);

#define CALLED(name)                                                                           \
    static hci_vh call_##name(hci_vh x, hci_rounding mode)                                     \
    {                                                                                          \
        return hci_device_##name(x, mode);                                                     \
    }
#define FLOAT_FUNCTION1(name, op) CALLED(name)
#include "device/functions.def"
CALLED(logb)
CALLED(ulp)
CALLED(spacing)

static const struct {
    const char *name;
    function1 *call;
} unary[] = {
#define ROW(name) {#name, call_##name},
#define FLOAT_FUNCTION1(name, op) ROW(name)
#include "device/functions.def"
    ROW(logb) ROW(ulp) ROW(spacing)};

static uint16_t in[ALL], got[ALL], expected[ALL], other_got[ALL], other_expected[ALL];
static int32_t signs_got[ALL], signs_expected[ALL];

static void compare(const char *name, int mode, const uint16_t *results, const uint16_t *right)
{
    int wrong = 0;
    for (int k = mode % one_in; k < ALL; k += one_in)
        if (results[k] != right[k] && !(half_is_nan(results[k]) && half_is_nan(right[k])) &&
            wrong++ < 3 && failed("device", halfcl_find_isa(NULL), mode))
            printf("%s(%04x) is %04x, not %04x\n", name, k, results[k], right[k]);
    if (wrong)
        printf("%s mode %d: %d\n", name, mode, wrong);
}

static void run_engine(const char *name, const halfcl_signature *types, void *second, int mode)
{
    char *operands[] = {(char *)in, (char *)expected, second};
    const ptrdiff_t steps[] = {2, 2, types->types[2] == HALFCL_INT32 ? 4 : 2};
    const halfcl_kernel *kernel =
        halfcl_find_kernel(halfcl_find_isa(NULL), name, HALFCL_MAP, types);
    halfcl_run(kernel, operands, steps, ALL, (halfcl_rounding)mode);
}

static void test_unary(const char *name, function1 *call, int mode)
{
    const halfcl_signature types = HALFCL_HALVES(1, 1);
    run_engine(name, &types, NULL, mode);
    for (int flushing = 0; flushing < 2; ++flushing) {
        flush_tiny_numbers(flushing);
        for (int k = mode % one_in; k < ALL; k += one_in)
            got[k] = call(in[k], (hci_rounding)mode);
        flush_tiny_numbers(false);
        compare(name, mode, got, expected);
    }
}

#define TEST_PAIR(name)                                                                        \
    static void test_##name(int mode)                                                          \
    {                                                                                          \
        const halfcl_signature types = HALFCL_HALVES(1, 2);                                    \
        run_engine(#name, &types, other_expected, mode);                                       \
        for (int k = 0; k < ALL; ++k)                                                          \
            got[k] = hci_device_##name(in[k], other_got + k, (hci_rounding)mode);              \
        compare(#name, mode, got, expected);                                                   \
        compare(#name ", second result", mode, other_got, other_expected);                     \
    }
TEST_PAIR(sincos)
TEST_PAIR(modf)
TEST_PAIR(fract)

static void test_lgamma_r(int mode)
{
    const halfcl_signature types = {1, 2, {HALFCL_HALF, HALFCL_HALF, HALFCL_INT32}};
    run_engine("lgamma_r", &types, signs_expected, mode);
    for (int k = 0; k < ALL; ++k)
        got[k] = hci_device_lgamma_r(in[k], signs_got + k, (hci_rounding)mode);
    compare("lgamma_r", mode, got, expected);
    if (memcmp(signs_got, signs_expected, sizeof signs_got) != 0 &&
        failed("device", halfcl_find_isa(NULL), mode))
        printf("signs of lgamma_r\n");
}

/* Exponents for which results overflow, are subnormal, or vanish. */
static void test_ldexp(int mode)
{
    static int32_t powers[ALL];
    void *const args[] = {in, powers, expected};
    for (int power = -45; power <= 45; power += 3) {
        for (int k = 0; k < ALL; ++k) {
            powers[k] = power + k % 3;
            got[k] = hci_device_ldexp(in[k], powers[k], (hci_rounding)mode);
        }
        run(find_map(halfcl_find_isa(NULL), "ldexp", "ei>e"), args, ALL, mode);
        compare("ldexp", mode, got, expected);
    }
}

void test_device(void)
{
    for (int k = 0; k < ALL; ++k)
        in[k] = (uint16_t)k;
    for (int mode = 0; mode < 4; ++mode) {
        for (size_t k = 0; k < sizeof unary / sizeof *unary; ++k)
            test_unary(unary[k].name, unary[k].call, mode);
        test_sincos(mode);
        test_modf(mode);
        test_fract(mode);
        test_ldexp(mode);
        test_lgamma_r(mode);
    }
}
