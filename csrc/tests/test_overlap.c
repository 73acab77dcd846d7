/* Tests that maps whose operands overlap in any way give what one element after the other
 * gives. */
#include "tests/testing.h"

enum { MEMORY = 1 << 15, FAR = 1 << 11 };

typedef struct {
    const char *name, *types;
} operation;

static const operation operations[] = {
    {"sqrt", "e>e"},     {"negative", "e>e"}, {"divide", "ee>e"},  {"clamp", "eee>e"},
    {"isnan", "e>?"},    {"convert", "e>f"},  {"convert", "f>e"},  {"convert", "e>d"},
    {"convert", "b>e"},  {"sincos", "e>ee"},  {"equal", "ee>?"},   {"ldexp", "ei>e"},
    {"divmod", "ee>ee"}, {"frexp", "e>ei"},   {"remquo", "ee>ei"},
};

typedef struct {
    ptrdiff_t offset[HALFCL_MAX_OPERANDS], step[HALFCL_MAX_OPERANDS];
    size_t n;
} arrangement;

/* Uses a few bytes from the middle, and steps of a few bytes that are often the same for
 * all. */
static arrangement arrange(int operands)
{
    arrangement a = {.n = random_bits() % (random_bits() % 4 ? 40 : 300)};
    ptrdiff_t reach = random_bits() % 3 ? 12 : FAR;
    ptrdiff_t step = (ptrdiff_t)(random_bits() % 25) - 12, unit = random_bits() % 4 ? 2 : 1;
    bool same_step = random_bits() % 4 != 0;
    for (int i = 0; i < operands; ++i) {
        ptrdiff_t away = (ptrdiff_t)(random_bits() % (2 * (uint64_t)reach + 1)) - reach;
        a.offset[i] = MEMORY / 2 + away * unit;
        a.step[i] = (same_step ? step : (ptrdiff_t)(random_bits() % 25) - 12) * unit;
        if (random_bits() % 8 == 0)
            a.step[i] = random_bits() % 2 ? 0 : 2;
    }
    return a;
}

static unsigned run_elements(const halfcl_kernel *kernel, char *memory, const arrangement *a,
                             size_t first, size_t n)
{
    char *operands[HALFCL_MAX_OPERANDS];
    for (int i = 0; i < kernel->signature.nin + kernel->signature.nout; ++i)
        operands[i] = memory + a->offset[i] + (ptrdiff_t)first * a->step[i];
    return halfcl_run(kernel, operands, a->step, n, HALFCL_RTE);
}

static void check(const halfcl_isa *isa, const operation *of)
{
    _Alignas(64) static char got[MEMORY], expected[MEMORY];
    const halfcl_kernel *kernel = find_map(isa, of->name, of->types);
    arrangement a = arrange(kernel->signature.nin + kernel->signature.nout);
    for (int i = 0; i < MEMORY; i += 2) {
        uint16_t half = pick_half();
        memcpy(got + i, &half, sizeof half);
    }
    memcpy(expected, got, MEMORY);
    unsigned flags = run_elements(kernel, got, &a, 0, a.n), expected_flags = 0;
    for (size_t i = 0; i < a.n; ++i)
        expected_flags |= run_elements(kernel, expected, &a, i, 1);
    if ((memcmp(got, expected, MEMORY) || flags != expected_flags) && failed("overlap", isa, 0))
        printf(
            "%s %s of %zu: offsets %td %td %td %td, steps %td %td %td %td, flags %x for %x\n",
            of->name, of->types, a.n, a.offset[0], a.offset[1], a.offset[2], a.offset[3],
            a.step[0], a.step[1], a.step[2], a.step[3], flags, expected_flags);
}

void test_overlap(void)
{
    const halfcl_isa *isa;
    for (int turn = 0; turn < 1000 / one_in; ++turn) {
        for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
            for (size_t k = 0; k < sizeof operations / sizeof *operations; ++k)
                check(isa, &operations[k]);
        }
    }
}
