/* The driver that raises: results of the usual one; what that returns of what is wanted becomes
 * pending beside what was, and the caller's environment stays, whatever it is. */
#include <fenv.h>

#include "tests/testing.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { MOST = 100, OPERANDS = 3, ROOM = 2 * MOST + 1 };

/* Environments that callers may be in. */
typedef enum { CLEAN, UPWARD, PENDING, FLUSHING, ENVIRONMENTS } environment;

static void set_environment(environment which)
{
    fesetenv(FE_DFL_ENV);
    feclearexcept(FE_ALL_EXCEPT);
    if (which == UPWARD)
        fesetround(FE_UPWARD);
    if (which == PENDING)
        feraiseexcept(FE_INVALID | FE_UNDERFLOW);
#ifdef __x86_64__
    if (which == FLUSHING)
        _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

/* All that the kernels must leave as it is, but for exceptions. */
static unsigned control(void)
{
#ifdef __x86_64__
    return _mm_getcsr() & ~0x3fu;
#else
    return (unsigned)fegetround();
#endif
}

static unsigned pending(void)
{
    return (fetestexcept(FE_INVALID) ? HALFCL_INVALID : 0) |
           (fetestexcept(FE_DIVBYZERO) ? HALFCL_DIVBYZERO : 0) |
           (fetestexcept(FE_OVERFLOW) ? HALFCL_OVERFLOW : 0) |
           (fetestexcept(FE_UNDERFLOW) ? HALFCL_UNDERFLOW : 0);
}

/* Where operands lie: in arrays of their own, the output on the first input, an element
 * further, or every second element. */
typedef enum { APART, SAME, SHIFTED, STRIDED, LAYOUTS } placement;

static void place(const halfcl_kernel *kernel, uint16_t memory[OPERANDS][ROOM], placement how,
                  char *operands[OPERANDS], ptrdiff_t steps[OPERANDS])
{
    int out = kernel->signature.nin;
    for (int i = 0; i <= out; ++i) {
        operands[i] = (char *)memory[i];
        steps[i] = how == STRIDED ? 4 : 2;
    }
    if (how == SAME || how == SHIFTED)
        operands[out] = operands[0] + (how == SHIFTED ? 2 : 0);
}

static void check(const halfcl_isa *isa, const halfcl_kernel *kernel, size_t n, placement how,
                  environment around, int mode, unsigned wanted)
{
    static uint16_t memory[OPERANDS][ROOM], expected[OPERANDS][ROOM];
    char *operands[OPERANDS];
    ptrdiff_t steps[OPERANDS];
    for (size_t k = 0; k < ROOM; ++k) {
        for (int i = 0; i < OPERANDS; ++i)
            memory[i][k] = expected[i][k] = pick_half();
    }
    set_environment(CLEAN);
    place(kernel, expected, how, operands, steps);
    unsigned raised = halfcl_run(kernel, operands, steps, n, (halfcl_rounding)mode) & wanted;
    place(kernel, memory, how, operands, steps);
    set_environment(around);
    unsigned before = control(), waiting = pending();
    unsigned status =
        halfcl_run_raising(kernel, operands, steps, n, (halfcl_rounding)mode, wanted);
    unsigned after = control(), now = pending();
    set_environment(CLEAN);
    if ((status || before != after || now != (waiting | raised) ||
         memcmp(memory, expected, sizeof memory) != 0) &&
        failed("raising", isa, mode))
        printf("%s of %zu, layout %d, environment %d: status %u, control %x to %x, "
               "pending %x, not %x\n",
               kernel->name, n, how, around, status, before, after, now, waiting | raised);
}

static void check_in_all_ways(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    static const size_t lengths[] = {1, 2, 15, 16, 17, 31, 32, 33, 48, MOST};
    static const unsigned wanted[] = {HALFCL_EXCEPTIONS, HALFCL_EXCEPTIONS ^ HALFCL_UNDERFLOW,
                                      0};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        for (int how = 0; how < LAYOUTS; ++how) {
            for (int around = 0; around < ENVIRONMENTS; ++around)
                check(isa, kernel, lengths[l], (placement)how, (environment)around,
                      (int)(random_bits() % 4), wanted[random_bits() % 3]);
        }
    }
}

void test_raising(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        for (size_t k = 0; k < isa->count; ++k) {
            const halfcl_kernel *kernel = &isa->kernels[k];
            const halfcl_signature unary = HALFCL_HALVES(1, 1), binary = HALFCL_HALVES(2, 1);
            if (kernel->kind == HALFCL_MAP &&
                (memcmp(&kernel->signature, &unary, sizeof unary) == 0 ||
                 memcmp(&kernel->signature, &binary, sizeof binary) == 0))
                check_in_all_ways(isa, kernel);
        }
        char *operands[OPERANDS] = {0};
        const ptrdiff_t steps[OPERANDS] = {0};
        const halfcl_signature two = HALFCL_HALVES(2, 1);
        const halfcl_kernel *dot = halfcl_find_kernel(isa, "dot", HALFCL_FOLD, &two);
        const halfcl_kernel *add = halfcl_find_kernel(isa, "add", HALFCL_MAP, &two);
        unsigned all = HALFCL_EXCEPTIONS;
        if ((halfcl_run_raising(dot, operands, steps, 1, HALFCL_RTE, all) != HALFCL_MISUSE ||
             halfcl_run_raising(NULL, operands, steps, 1, HALFCL_RTE, all) != HALFCL_MISUSE ||
             halfcl_run_raising(add, operands, steps, 0, HALFCL_RTE, all) != 0) &&
            failed("raising", isa, 0))
            printf("misuse, or nothing to do\n");
    }
}
