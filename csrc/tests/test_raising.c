/* Tests the driver that raises: it gives the results of the usual one; the wanted ones of its
 * exceptions become pending besides those before, and the caller's environment stays, whatever
 * it is. */
#include "tests/caller.h"
#include "tests/testing.h"

enum { MOST = 100, OPERANDS = 3, ROOM = 2 * MOST + 1 };

/* Environments that callers may have. */
static const struct {
    uint64_t control;
    unsigned exceptions;
} environments[] = {{CALLER_USUAL, 0},
                    {CALLER_UPWARD, 0},
                    {CALLER_USUAL, CALLER_INVALID | CALLER_UNDERFLOW},
                    {CALLER_USUAL | CALLER_FLUSHING, 0}};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

/* The memory of operands: in arrays of their own, the output on the first input, an element
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
                  int around, int mode, unsigned wanted)
{
    static uint16_t memory[OPERANDS][ROOM], expected[OPERANDS][ROOM];
    char *operands[OPERANDS];
    ptrdiff_t steps[OPERANDS];
    for (size_t k = 0; k < ROOM; ++k) {
        for (int i = 0; i < OPERANDS; ++i)
            memory[i][k] = expected[i][k] = pick_half();
    }
    set_caller(CALLER_USUAL, 0);
    place(kernel, expected, how, operands, steps);
    unsigned raised = halfcl_run(kernel, operands, steps, n, (halfcl_rounding)mode) & wanted;
    place(kernel, memory, how, operands, steps);
    set_caller(environments[around].control, environments[around].exceptions);
    uint64_t before = caller_control();
    unsigned waiting = caller_pending();
    unsigned status =
        halfcl_run_raising(kernel, operands, steps, n, (halfcl_rounding)mode, wanted);
    uint64_t after = caller_control();
    unsigned now = caller_pending();
    set_caller(CALLER_USUAL, 0);
    if ((status || before != after || now != (waiting | raised) ||
         memcmp(memory, expected, sizeof memory) != 0) &&
        failed("raising", isa, mode))
        printf("%s of %zu, layout %d, environment %d: status %u, control %llx to %llx, "
               "pending %x, not %x\n",
               kernel->name, n, how, around, status, (unsigned long long)before,
               (unsigned long long)after, now, waiting | raised);
}

static void check_in_all_ways(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    static const size_t lengths[] = {1, 2, 15, 16, 17, 31, 32, 33, 48, MOST};
    static const unsigned wanted[] = {HALFCL_EXCEPTIONS, HALFCL_EXCEPTIONS ^ HALFCL_UNDERFLOW,
                                      0};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        for (int how = 0; how < LAYOUTS; ++how) {
            for (int around = 0; around < ENVIRONMENTS; ++around)
                check(isa, kernel, lengths[l], (placement)how, around, (int)(random_bits() % 4),
                      wanted[random_bits() % 3]);
        }
    }
}

void test_raising(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *kernel;
        for (size_t k = 0; (kernel = halfcl_kernel_at(isa, k)); ++k) {
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
