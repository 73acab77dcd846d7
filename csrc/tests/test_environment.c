/* Tests the caller's floating-point environment: results do not depend on it, and it is the
 * same afterwards, with the exceptions that were pending and no others. */
#include "tests/caller.h"
#include "tests/testing.h"

#if defined HALFCL_X86 || defined HALFCL_ARM

enum { N = 200 };

static const struct {
    const char *name, *types;
} kernels[] = {{"add", "ee>e"},    {"multiply", "ee>e"}, {"rint", "e>e"},  {"exp", "e>e"},
               {"convert", "e>f"}, {"convert", "f>e"},   {"hypot", "ee>e"}};

/* Runs with subnormals, infinities and NaNs, and operands that overflow and underflow. */
static unsigned run_all(const halfcl_kernel *kernel, float *out, int mode)
{
    static const uint16_t picked[] = {0x0001, 0x83ff, 0x0400, 0x7c00, 0x7e55, 0x7bff, 0x3c01};
    static float floats[N];
    static uint16_t halves[N];
    for (size_t k = 0; k < N; k++) {
        halves[k] = picked[k % (sizeof picked / sizeof *picked)];
        memcpy(&floats[k], &(uint32_t){0x33000001u + (uint32_t)k * 0x00512345u},
               sizeof *floats);
    }
    bool is_float = kernel->signature.types[0] == HALFCL_FLOAT;
    char *in = is_float ? (char *)floats : (char *)halves, *operands[3] = {in, in, in};
    ptrdiff_t steps[3];
    operands[kernel->signature.nin] = (char *)out;
    for (int k = 0; k <= kernel->signature.nin; k++)
        steps[k] = (ptrdiff_t)halfcl_type_size((halfcl_type)kernel->signature.types[k]);
    return halfcl_run(kernel, operands, steps, N, (halfcl_rounding)mode);
}

static void check(const halfcl_isa *isa, const halfcl_kernel *kernel, int mode)
{
    static float expected[N], got[N];
    const uint64_t around = CALLER_DOWNWARD | CALLER_FLUSHING;
    memset(expected, 0, sizeof expected);
    memset(got, 0, sizeof got);
    set_caller(CALLER_USUAL, 0);
    unsigned flags = run_all(kernel, expected, mode);
    unsigned left_pending = caller_exceptions();
    set_caller(around, CALLER_DIVBYZERO);
    unsigned flags_too = run_all(kernel, got, mode);
    uint64_t control_after = caller_control();
    unsigned pending_after = caller_exceptions();
    set_caller(CALLER_USUAL, 0);
    if (memcmp(got, expected, sizeof got) != 0 && failed("environment", isa, mode))
        printf("%s: other results\n", kernel->name);
    if (flags != flags_too && failed("environment", isa, mode))
        printf("%s: flags %x, expected %x\n", kernel->name, flags_too, flags);
    if ((control_after != around || pending_after != CALLER_DIVBYZERO || left_pending != 0) &&
        failed("environment", isa, mode))
        printf("%s: it is left changed\n", kernel->name);
}

/* Multiplies matrices of few terms, and correlates as few: subnormal halves, and terms that
 * cancel, in each mode. */
static void check_few_terms(const halfcl_isa *isa, int mode, bool is_usual)
{
    static uint16_t a[2][2] = {{0x0001, 0x0001}, {0x3c00, 0xbc00}}, b[] = {0x6400, 0x6400};
    const uint16_t zero = mode == HALFCL_RTN ? 0x8000 : 0, expected[] = {0x0800, zero};
    const halfcl_matrix left = {(char *)a, 4, 2}, right = {(char *)b, 2, 2};
    const halfcl_rounding rounding = (halfcl_rounding)mode;
    const halfcl_signature two = HALFCL_HALVES(2, 1);
    const halfcl_kernel *dot = halfcl_find_kernel(isa, "dot", HALFCL_FOLD, &two);
    const uint64_t control = is_usual ? CALLER_USUAL : CALLER_DOWNWARD | CALLER_FLUSHING;
    uint16_t products[2], sums[2] = {0x0800, zero};
    bool are_decided = true;
    set_caller(control, 0);
    halfcl_matmul(dot, &(halfcl_matrix_product){left, right, {(char *)products, 2, 2}, 2, 2, 1},
                  rounding);
    for (int k = 0; k < 2; k++) {
        const halfcl_matrix row = {(char *)a[k], 4, 2};
        are_decided &= halfcl_correlate_few(&row, 2, &right, 2, 0, 1, rounding, sums + k) ||
                       (k == 1 && mode == HALFCL_RTN);
    }
    const unsigned reported =
        CALLER_INVALID | CALLER_DIVBYZERO | CALLER_OVERFLOW | CALLER_UNDERFLOW;
    const bool is_kept = caller_control() == control && !(caller_exceptions() & reported);
    set_caller(CALLER_USUAL, 0);
    if ((memcmp(products, expected, sizeof products) != 0 ||
         memcmp(sums, expected, sizeof sums) != 0 || !are_decided || !is_kept) &&
        failed("environment of few terms", isa, mode))
        printf("products %04x %04x, correlations %04x %04x\n", products[0], products[1],
               sums[0], sums[1]);
}

void test_environment(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        for (int mode = 0; mode < 4; ++mode) {
            check_few_terms(isa, mode, true);
            check_few_terms(isa, mode, false);
        }
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
            for (int mode = 0; mode < 4; ++mode)
                check(isa, find_map(isa, kernels[k].name, kernels[k].types), mode);
        }
    }
}

#else

void test_environment(void)
{
}

#endif
