/* The caller's floating-point environment: however it is set, results are the same, and it is
 * so again afterwards, with the exceptions that were pending and no others. */
#include "env/env.h"
#include "tests/testing.h"

#if defined HALFCL_X86

#include <immintrin.h>

/* Rounding down, DAZ and FTZ; division by zero is pending. */
enum { CONTROL = 0x1f80 | 1 << 13 | 1 << 6 | 1 << 15, PENDING = 4, EXCEPTIONS = 0x1f };

static uint64_t control(void)
{
    return _mm_getcsr() & ~0x3fu;
}

static uint64_t pending(void)
{
    return _mm_getcsr() & EXCEPTIONS;
}

static void set(uint64_t control_bits, uint64_t exceptions)
{
    _mm_setcsr((unsigned)(control_bits | exceptions));
}

#elif defined HALFCL_ARM

/* Rounding down, FZ16, FZ, DN and AHP; division by zero is pending. */
enum {
    CONTROL = 2 << 22 | 1 << 19 | 1 << 24 | 1 << 25 | 1 << 26,
    PENDING = 2,
    EXCEPTIONS = 0xf
};

static uint64_t control(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

static uint64_t pending(void)
{
    uint64_t fpsr;
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr));
    return fpsr & EXCEPTIONS;
}

static void set(uint64_t control_bits, uint64_t exceptions)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control_bits), "r"(exceptions));
}

#endif

#if defined HALFCL_X86 || defined HALFCL_ARM

enum { N = 200 };

static const struct {
    const char *name, *types;
} kernels[] = {{"add", "ee>e"},    {"multiply", "ee>e"}, {"rint", "e>e"},  {"exp", "e>e"},
               {"convert", "e>f"}, {"convert", "f>e"},   {"hypot", "ee>e"}};

/* Of subnormals, infinities and NaNs, and what overflows and underflows. */
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
    uint64_t usual = control();
    memset(expected, 0, sizeof expected);
    memset(got, 0, sizeof got);
    set(usual, 0);
    unsigned flags = run_all(kernel, expected, mode);
    uint64_t left_pending = pending();
    set(CONTROL, PENDING);
    unsigned flags_too = run_all(kernel, got, mode);
    uint64_t control_after = control(), pending_after = pending();
    set(usual, 0);
    if (memcmp(got, expected, sizeof got) != 0 && failed("environment", isa, mode))
        printf("%s: other results\n", kernel->name);
    if (flags != flags_too && failed("environment", isa, mode))
        printf("%s: flags %x, expected %x\n", kernel->name, flags_too, flags);
    if ((control_after != CONTROL || pending_after != PENDING || left_pending != 0) &&
        failed("environment", isa, mode))
        printf("%s: it is left changed\n", kernel->name);
}

void test_environment(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
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
