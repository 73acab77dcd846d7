/* Tests the mathematical functions: the kernels of every set against the tables, which the
 * Python tests compare with MPFR, on every half; those of two and three arguments against the
 * portable ones, on a sample.
 *
 * exact/functions.h lists them. */
#include "exact/table.h"
#include "tests/testing.h"

static const char *const names[] = {
#define NAME(name, symmetry) #name,
    HALFCL_FUNCTIONS(NAME)
#undef NAME
};

typedef struct {
    const char *name, *types;
} signature;

#define TYPES_double "ee>e"
#define TYPES_int32_t "ei>e"

/* clang-format off */
static const signature several[] = {
#define SIGNATURE(name, second) {#name, TYPES_##second},
    HALFCL_FUNCTIONS2(SIGNATURE)
#undef SIGNATURE
    {"mix", "eee>e"}, {"smoothstep", "eee>e"},
};
/* clang-format on */

static rounded expected[4][HALVES];

static void expect(halfcl_function id)
{
    for (uint32_t half = 0; half < HALVES; half++) {
        float value = halfcl_function_at(id, (uint16_t)half);
        unsigned flags = halfcl_function_flags(id, (uint16_t)half);
        for (int mode = 0; mode < 4; mode++) {
            expected[mode][half] = round_value(value, (halfcl_rounding)mode);
            expected[mode][half].flags |= flags;
        }
    }
}

static void compare(const char *name, const halfcl_isa *isa, int mode, uint16_t x, uint16_t got,
                    unsigned flags)
{
    rounded want = expected[mode][x];
    if (same_half(got, want.half) && flags == want.flags)
        return;
    if (failed(name, isa, mode))
        printf("%04x: %04x flags %x, expected %04x flags %x\n", x, got, flags, want.half,
               want.flags);
}

/* Tests all halves at once, for the loops; then one by one, for the exceptions. */
static void test_function(const halfcl_isa *isa, const halfcl_kernel *kernel, int mode)
{
    static uint16_t in[HALVES], out[HALVES];
    for (uint32_t half = 0; half < HALVES; half++)
        in[half] = (uint16_t)half;
    run(kernel, (void *[]){in, out}, HALVES, mode);
    for (uint32_t half = 0; half < HALVES; half++)
        compare(kernel->name, isa, mode, (uint16_t)half, out[half], expected[mode][half].flags);
    for (uint32_t half = 0; half < HALVES; half += one_in) {
        unsigned flags = run(kernel, (void *[]){in + half, out}, 1, mode);
        compare(kernel->name, isa, mode, (uint16_t)half, out[0], flags);
    }
}

/* Tests lengths around a vector's and a block's, in place. */
static void test_lengths(const halfcl_isa *isa, const halfcl_kernel *kernel, int mode)
{
    static const size_t lengths[] = {1, 7, 15, 17, 31, 33, 63, 1000, 1023, 1025, 2100};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        uint16_t in[2100], data[2101] = {0};
        for (size_t i = 0; i < lengths[k]; i++)
            in[i] = data[i] = pick_half();
        run(kernel, (void *[]){data, data}, lengths[k], mode);
        for (size_t i = 0; i < lengths[k]; i++)
            compare(kernel->name, isa, mode, in[i], data[i], expected[mode][in[i]].flags);
        if (data[lengths[k]] != 0 && failed(kernel->name, isa, mode))
            printf("wrote past %zu elements\n", lengths[k]);
    }
}

enum { SEVERAL = 1 << 14, MOST = 3 };

/* Halves, and integers as second operands of some functions: small ones, and random ones. */
typedef struct {
    uint16_t halves[MOST][SEVERAL];
    int32_t integers[SEVERAL];
} operands;

static int32_t pick_integer(void)
{
    int32_t any = (int32_t)((uint32_t)pick_half() << 16 | pick_half());
    return any >> (pick_half() % 32);
}

/* Returns any half, or one that rarely or nearly always gives hard cases: of moderate
 * magnitude, and of few bits. */
static uint16_t pick_half_of_kind(size_t kind)
{
    const unsigned half = pick_half(), exponent = 0x3000 + (random_bits() % 12 << 10);
    return (uint16_t)(kind < 2 ? half : (half & (kind == 2 ? 0x83ff : 0x8200)) | exponent);
}

/* Fills in stretches: kernels check the first elements, and adapt. In every other stretch
 * integers are small, with a few exceptions. */
static void pick_operands(operands *in)
{
    enum { STRETCH = 1500 };
    for (size_t i = 0; i < SEVERAL; i++) {
        const size_t kind = i / STRETCH % 4;
        const bool is_small = kind % 2 && random_bits() % 32;
        for (int k = 0; k < MOST; k++)
            in->halves[k][i] = pick_half_of_kind(kind);
        in->integers[i] = is_small ? (int32_t)(random_bits() % 9) - 4 : pick_integer();
    }
}

/* Runs the kernel with n elements of the operands, from element i on. */
static unsigned run_from(const halfcl_kernel *kernel, operands *in, size_t i, uint16_t *out,
                         size_t n, int mode)
{
    void *args[MOST + 1];
    int k = 0;
    for (; k < kernel->signature.nin; k++) {
        bool halves = kernel->signature.types[k] == HALFCL_HALF;
        args[k] = halves ? (void *)(in->halves[k] + i) : in->integers + i;
    }
    args[k] = out;
    return run(kernel, args, n, mode);
}

static void print_operands(const operands *in, size_t i)
{
    printf("%04x %04x (%04x, %d): ", in->halves[0][i], in->halves[1][i], in->halves[2][i],
           in->integers[i]);
}

static void test_several(const halfcl_isa *isa, const signature *function)
{
    static operands in;
    static uint16_t got[SEVERAL], want[SEVERAL];
    const char *name = function->name, *types = function->types;
    const halfcl_kernel *kernel = find_map(isa, name, types);
    const halfcl_kernel *portable = find_map(halfcl_find_isa("portable"), name, types);
    pick_operands(&in);
    for (int mode = 0; mode < 4; mode++) {
        run_from(kernel, &in, 0, got, SEVERAL, mode);
        run_from(portable, &in, 0, want, SEVERAL, mode);
        for (size_t i = 0; i < SEVERAL; i++) {
            if (!same_half(got[i], want[i]) && failed(name, isa, mode)) {
                print_operands(&in, i);
                printf("%04x, expected %04x\n", got[i], want[i]);
            }
        }
        for (int turn = 0; turn < 20; turn++) { /* of any length, in place */
            const size_t n = random_bits() % (turn % 2 ? 5000 : 100) + 1;
            const size_t from = random_bits() % (SEVERAL - n), which = (size_t)turn / 2 % MOST;
            const operands before = in;
            uint16_t *out = in.halves[which] + from;
            run_from(kernel, &in, from, out, n, mode);
            for (size_t i = 0; i < n; i++) {
                if (!same_half(out[i], want[from + i]) && failed(name, isa, mode)) {
                    print_operands(&before, from + i);
                    printf("in place %04x, expected %04x\n", out[i], want[from + i]);
                }
            }
            in = before;
        }
        for (size_t i = 0; i < SEVERAL; i += 8) {
            unsigned flags = run_from(kernel, &in, i, got, 1, mode);
            unsigned wanted = run_from(portable, &in, i, want, 1, mode);
            if (flags != wanted && failed(name, isa, mode)) {
                print_operands(&in, i);
                printf("flags %x, expected %x\n", flags, wanted);
            }
        }
    }
}

/* Runs in threads that take a vector or two at a time. */
static void run_split(const halfcl_kernel *kernel, char *const *operands, int mode)
{
    static const ptrdiff_t steps[] = {sizeof(uint16_t), sizeof(uint16_t), sizeof(uint16_t)};
    const int threads = halfcl_get_threads();
    halfcl_set_threads(4);
    halfcl_set_grain(32);
    halfcl_run(kernel, operands, steps, HALVES, (halfcl_rounding)mode);
    halfcl_set_threads(threads);
    halfcl_set_grain(0);
}

/* Tests a table that is empty at first, filled by several threads. */
static void test_first_call(const halfcl_isa *isa, const halfcl_kernel *kernel, int mode)
{
    static uint16_t in[HALVES], out[HALVES];
    for (uint32_t half = 0; half < HALVES; half++)
        in[half] = (uint16_t)half;
    halfcl_forget_tables();
    run_split(kernel, (char *[]){(char *)in, (char *)out}, mode);
    for (uint32_t half = 0; half < HALVES; half++)
        compare(kernel->name, isa, mode, (uint16_t)half, out[half], expected[mode][half].flags);
}

/* Tests the table of pairs the same way, and one angle at a time, for the exceptions. */
static void test_sincos(const halfcl_isa *isa, int mode)
{
    static uint16_t in[HALVES], sines[HALVES], cosines[HALVES];
    const halfcl_signature types = HALFCL_HALVES(1, 2);
    const halfcl_kernel *kernel = halfcl_find_kernel(isa, "sincos", HALFCL_MAP, &types);
    static unsigned flags[HALVES];
    uint16_t one[2];
    for (uint32_t half = 0; half < HALVES; half++)
        in[half] = (uint16_t)half;
    halfcl_forget_tables();
    run_split(kernel, (char *[]){(char *)in, (char *)sines, (char *)cosines}, mode);
    expect(FUNCTION_sin);
    for (uint32_t half = 0; half < HALVES; half++) {
        flags[half] = expected[mode][half].flags;
        compare("sincos", isa, mode, (uint16_t)half, sines[half], flags[half]);
    }
    expect(FUNCTION_cos);
    for (uint32_t half = 0; half < HALVES; half++) {
        const unsigned cosine_flags = expected[mode][half].flags;
        const unsigned got = run(kernel, (void *[]){in + half, one, one + 1}, 1, mode);
        compare("cosine of sincos", isa, mode, (uint16_t)half, cosines[half], cosine_flags);
        if (got != (flags[half] | cosine_flags) && failed("sincos", isa, mode))
            printf("%04x: flags %x\n", half, got);
    }
}

void test_functions(void)
{
    const halfcl_isa *isa;
    for (int id = 0; id < FUNCTIONS; id++) {
        expect((halfcl_function)id);
        for (size_t i = 0; (isa = halfcl_available(i)); i++) {
            const halfcl_kernel *kernel = find_map(isa, names[id], "e>e");
            test_first_call(isa, kernel, id % 4);
            for (int mode = 0; mode < 4; mode++) {
                test_function(isa, kernel, mode);
                test_lengths(isa, kernel, mode);
            }
        }
    }
    for (size_t i = 0; (isa = halfcl_available(i)); i++) {
        for (int mode = 0; mode < 4; mode++)
            test_sincos(isa, mode);
    }
}

void test_functions_of_several(void)
{
    const halfcl_isa *isa;
    for (size_t i = 0; (isa = halfcl_available(i)); i++) {
        for (size_t k = 0; k < sizeof several / sizeof *several; k++)
            test_several(isa, &several[k]);
    }
}
