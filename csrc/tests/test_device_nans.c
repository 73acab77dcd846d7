/* Tests the functions for devices against the engine's if every operation on floats gives the
 * NaN of NVIDIA's processors: its magnitude is the greatest integer. With sanitizers, a sum
 * with that must not overflow either. */
#include "simd/device_primitives.h"

static inline float other_nan(float a)
{
    return a == a ? a : float_of_bits(0x7fffffff);
}

#define float_mul(a, b) other_nan((float_mul)(a, b))
#define float_add(a, b) other_nan((float_add)(a, b))
#define float_fma(a, b, c) other_nan((float_fma)(a, b, c))

#include "device/in_c.h"
#include "tests/testing.h"

enum { COUNT = 1 << 14 };

/* Takes operands in x and returns a result; and a second one, or 0. */
typedef uint16_t device_function(const uint16_t x[3], int32_t *second, hci_rounding mode);

#define OF_1(name)                                                                             \
    static uint16_t call_##name(const uint16_t x[3], int32_t *second, hci_rounding mode)       \
    {                                                                                          \
        (void)second;                                                                          \
        return hci_device_##name(x[0], mode);                                                  \
    }
#define OF_2(name)                                                                             \
    static uint16_t call_##name(const uint16_t x[3], int32_t *second, hci_rounding mode)       \
    {                                                                                          \
        (void)second;                                                                          \
        return hci_device_##name(x[0], x[1], mode);                                            \
    }
#define OF_3(name)                                                                             \
    static uint16_t call_##name(const uint16_t x[3], int32_t *second, hci_rounding mode)       \
    {                                                                                          \
        (void)second;                                                                          \
        return hci_device_##name(x[0], x[1], x[2], mode);                                      \
    }
#define FLOAT_FUNCTION1(name, op) OF_1(name)
#define FLOAT_FUNCTION2(name, op) OF_2(name)
#define SUM_FUNCTION2(name, op) OF_2(name)
#define FLOAT_FUNCTION3(name, op) OF_3(name)
#define IN_PHASES(name, second, ...) OF_2_##second(name)
#define OF_2_vh OF_2
#define OF_2_vi(name) /* in test_device_powers.c */
#include "device/functions.def"
OF_1(logb)
OF_2(hypot)
OF_2(floor_divide)
OF_2(floor_remainder)
OF_3(mad)
OF_3(mix)
OF_3(smoothstep)

static uint16_t call_remquo(const uint16_t x[3], int32_t *second, hci_rounding mode)
{
    return hci_device_remquo(x[0], x[1], second, mode);
}

static uint16_t call_frexp(const uint16_t x[3], int32_t *second, hci_rounding mode)
{
    return hci_device_frexp(x[0], second, mode);
}

static uint16_t call_ilogb(const uint16_t x[3], int32_t *second, hci_rounding mode)
{
    *second = hci_device_ilogb(x[0], mode);
    return 0;
}

static const struct {
    const char *name, *types;
    device_function *call;
} functions[] = {
#define ROW_1(name) {#name, "e>e", call_##name},
#define ROW_2(name) {#name, "ee>e", call_##name},
#define ROW_3(name) {#name, "eee>e", call_##name},
#define FLOAT_FUNCTION1(name, op) ROW_1(name)
#define FLOAT_FUNCTION2(name, op) ROW_2(name)
#define SUM_FUNCTION2(name, op) ROW_2(name)
#define FLOAT_FUNCTION3(name, op) ROW_3(name)
#define IN_PHASES(name, second, ...) ROW_2_##second(name)
#define ROW_2_vh ROW_2
#define ROW_2_vi(name)
#include "device/functions.def"
    ROW_1(logb) ROW_2(hypot) ROW_2(floor_divide) ROW_2(floor_remainder) ROW_3(mix)
        ROW_3(smoothstep){"fma", "eee>e", call_mad},
    {"remquo", "ee>ei", call_remquo},
    {"frexp", "e>ei", call_frexp},
    {"ilogb", "e>i", call_ilogb},
};

static uint16_t in[3][COUNT], halves[COUNT];
static int32_t integers[COUNT];

static void fill(void)
{
    for (int k = 0; k < COUNT; ++k)
        for (int j = 0; j < 3; ++j)
            in[j][k] = pick_half();
}

/* The arrays of results follow those of the operands, by the letters of types. */
static void run_engine(const halfcl_isa *isa, size_t which, int mode)
{
    const char *types = functions[which].types, *results = strchr(types, '>');
    const int operands = (int)(results - types);
    void *args[5] = {in[0], in[1], in[2]};
    for (int k = 0; results[k + 1]; ++k)
        args[operands + k] = results[k + 1] == 'e' ? (void *)halves : (void *)integers;
    memset(halves, 0, sizeof halves);
    memset(integers, 0, sizeof integers);
    run(find_map(isa, functions[which].name, types), args, COUNT, mode);
}

void test_device_nans(void)
{
    const halfcl_isa *isa = halfcl_find_isa(NULL);
    fill();
    for (size_t which = 0; which < sizeof functions / sizeof *functions; ++which) {
        for (int mode = 0; mode < 4; ++mode) {
            run_engine(isa, which, mode);
            for (int k = 0; k < COUNT; ++k) {
                const uint16_t x[] = {in[0][k], in[1][k], in[2][k]}, want = halves[k];
                int32_t second = 0;
                uint16_t got = functions[which].call(x, &second, (hci_rounding)mode);
                bool same = got == want || (half_is_nan(got) && half_is_nan(want));
                if ((!same || second != integers[k]) && failed("device", isa, mode))
                    printf("%s(%04x %04x %04x) is %04x %d, not %04x %d\n",
                           functions[which].name, x[0], x[1], x[2], got, second, want,
                           integers[k]);
            }
        }
    }
}
