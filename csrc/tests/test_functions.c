/* The mathematical functions: the kernels of every set against the tables, which the
 * Python tests hold against MPFR, on every half; those of two and three arguments against
 * the portable ones, on a sample. */
#include "../table.h"
#include "testing.h"

static const char *const names[] = {
#define NAME(name, symmetry) #name,
    HALFCL_FUNCTIONS(NAME)
#undef NAME
};

static rounded expected[4][HALVES];

static void expect(halfcl_function id)
{
    const float *table = halfcl_table(id);
    for (uint32_t half = 0; half < HALVES; half++) {
        unsigned flags = halfcl_table_flags(id, (uint16_t)half);
        for (int mode = 0; mode < 4; mode++) {
            expected[mode][half] = round_value(table[half], (halfcl_rounding)mode);
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

/* All halves at once, for the loops; then one by one, for the exceptions. */
static void test_function(const halfcl_isa *isa, const halfcl_kernel *kernel, int mode)
{
    static uint16_t in[HALVES], out[HALVES];
    for (uint32_t half = 0; half < HALVES; half++)
        in[half] = (uint16_t)half;
    run(kernel, (void *[]){in, out}, HALVES, mode);
    for (uint32_t half = 0; half < HALVES; half++)
        compare(kernel->name, isa, mode, (uint16_t)half, out[half], expected[mode][half].flags);
    for (uint32_t half = 0; half < HALVES; half++) {
        unsigned flags = run(kernel, (void *[]){in + half, out}, 1, mode);
        compare(kernel->name, isa, mode, (uint16_t)half, out[0], flags);
    }
}

/* Lengths around a vector's and a block's, in place. */
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

/* The kernel with n elements of two or three operands, from element i on. */
static unsigned run_from(const halfcl_kernel *kernel, uint16_t (*in)[1 << 14], size_t i,
                         uint16_t *out, size_t n, int mode)
{
    bool three = strchr(kernel->types, '>') - kernel->types == 3;
    void *pair[] = {in[0] + i, in[1] + i, out},
         *triple[] = {in[0] + i, in[1] + i, in[2] + i, out};
    return run(kernel, three ? triple : pair, n, mode);
}

static void test_several(const halfcl_isa *isa, const char *name, const char *types)
{
    enum { COUNT = 1 << 14 };
    static uint16_t in[3][COUNT], got[COUNT], want[COUNT];
    const halfcl_kernel *kernel = halfcl_find_kernel(isa, name, types);
    const halfcl_kernel *portable =
        halfcl_find_kernel(halfcl_find_isa("portable"), name, types);
    for (size_t i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++)
            in[k][i] = pick_half();
    }
    for (int mode = 0; mode < 4; mode++) {
        run_from(kernel, in, 0, got, COUNT, mode);
        run_from(portable, in, 0, want, COUNT, mode);
        for (size_t i = 0; i < COUNT; i++) {
            if (!same_half(got[i], want[i]) && failed(name, isa, mode))
                printf("%04x %04x (%04x): %04x, expected %04x\n", in[0][i], in[1][i], in[2][i],
                       got[i], want[i]);
        }
        for (size_t i = 0; i < COUNT; i += 8) {
            unsigned flags = run_from(kernel, in, i, got, 1, mode);
            unsigned wanted = run_from(portable, in, i, want, 1, mode);
            if (flags != wanted && failed(name, isa, mode))
                printf("%04x %04x (%04x): flags %x, expected %x\n", in[0][i], in[1][i],
                       in[2][i], flags, wanted);
        }
    }
}

void test_functions(void)
{
    static const char *const binary[] = {"pow",     "powr",      "hypot",     "atan2",
                                         "atan2pi", "logaddexp", "logaddexp2"};
    static const char *const ternary[] = {"mix", "smoothstep"};
    const halfcl_isa *isa;
    for (int id = 0; id < FUNCTIONS; id++) {
        expect((halfcl_function)id);
        for (size_t i = 0; (isa = halfcl_available(i)); i++) {
            const halfcl_kernel *kernel = halfcl_find_kernel(isa, names[id], "e>e");
            for (int mode = 0; mode < 4; mode++) {
                test_function(isa, kernel, mode);
                test_lengths(isa, kernel, mode);
            }
        }
    }
    for (size_t i = 0; (isa = halfcl_available(i)); i++) {
        for (size_t k = 0; k < sizeof binary / sizeof *binary; k++)
            test_several(isa, binary[k], "ee>e");
        for (size_t k = 0; k < sizeof ternary / sizeof *ternary; k++)
            test_several(isa, ternary[k], "eee>e");
    }
}
