/* Tests operations on selected elements of an array, one after the other, against the maps on
 * single ones: results and exceptions, in every mode. */
#include "tests/testing.h"

static const char *const names[] = {"add",     "subtract", "multiply", "divide", "maximum",
                                    "minimum", "fmax",     "fmin",     "hypot",  "copysign"};
enum { NAMES = sizeof names / sizeof *names, MOST = 300, WIDEST = 70 };

typedef struct {
    uint16_t target[MOST * WIDEST], values[MOST * WIDEST];
    ptrdiff_t indices[MOST];
} memory;

/* Includes numbers near 2^-14, whose products are tiny. */
static uint16_t pick(void)
{
    return random_bits() & 3 ? pick_half() : (uint16_t)(0x1400 + random_bits() % 0x1800);
}

/* Computes one element after the other, each by a call of the map. */
static unsigned by_single(const halfcl_kernel *map, memory *m, const halfcl_targets *t,
                          size_t n, size_t width, halfcl_rounding mode)
{
    unsigned flags = 0;
    const ptrdiff_t steps[] = {2, 2, 2};
    for (size_t i = 0; i < n; ++i) {
        ptrdiff_t index = m->indices[i];
        index += index < 0 ? (ptrdiff_t)t->length : 0;
        char *row = (char *)m->target + index * t->step;
        for (size_t k = 0; k < width; ++k) {
            char *value = (char *)m->values + (ptrdiff_t)i * t->value_step + 2 * (ptrdiff_t)k;
            char *operands[] = {row + 2 * k, value, row + 2 * k};
            flags |= halfcl_run(map, operands, steps, 1, mode);
        }
    }
    return flags;
}

static void check(const halfcl_isa *isa, const char *name, halfcl_rounding mode, size_t n,
                  size_t length, size_t width, bool one_value)
{
    static memory got, expected;
    const halfcl_signature binary = HALFCL_HALVES(2, 1);
    const halfcl_kernel *map = halfcl_find_kernel(isa, name, HALFCL_MAP, &binary);
    const halfcl_kernel *at = halfcl_find_kernel(isa, name, HALFCL_AT, &binary);
    for (size_t i = 0; i < MOST * WIDEST; ++i) {
        got.target[i] = pick();
        got.values[i] = pick();
    }
    for (size_t i = 0; i < n; ++i)
        got.indices[i] = (ptrdiff_t)(random_bits() % (2 * length)) - (ptrdiff_t)length;
    const halfcl_targets targets = {
        (char *)got.target, (ptrdiff_t)(2 * width + 2), length,
        got.indices,        (const char *)got.values,   one_value ? 0 : 2 * (ptrdiff_t)width};
    memcpy(&expected, &got, sizeof got);
    unsigned raised = halfcl_run_at(map, at, &targets, n, width, mode);
    unsigned right = by_single(map, &expected, &targets, n, width, mode);
    bool same = raised == right;
    for (size_t i = 0; i < MOST * WIDEST; ++i)
        same &= same_half(got.target[i], expected.target[i]);
    if (!same && failed(name, isa, (int)mode))
        printf("at %zu of %zu rows of %zu: flags %u, not %u\n", n, length, width, raised,
               right);
}

static void test_misuse(const halfcl_isa *isa)
{
    const halfcl_signature binary = HALFCL_HALVES(2, 1), unary = HALFCL_HALVES(1, 1);
    const halfcl_kernel *add = halfcl_find_kernel(isa, "add", HALFCL_MAP, &binary);
    const halfcl_kernel *at = halfcl_find_kernel(isa, "add", HALFCL_AT, &binary);
    const halfcl_kernel *sqrt = halfcl_find_kernel(isa, "sqrt", HALFCL_MAP, &unary);
    uint16_t target[] = {0x3c00}, value = 0x3c00;
    ptrdiff_t index = 0;
    const halfcl_targets t = {(char *)target, 2, 1, &index, (const char *)&value, 2};
    bool refused = halfcl_run_at(NULL, NULL, &t, 1, 1, HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_run_at(sqrt, NULL, &t, 1, 1, HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_run_at(at, at, &t, 1, 1, HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_run_at(add, add, &t, 1, 1, HALFCL_RTE) == HALFCL_MISUSE;
    if ((!refused || target[0] != 0x3c00) && failed("misuse of at", isa, 0))
        printf("\n");
}

void test_at(void)
{
    static const size_t sizes[][3] = {{0, 3, 1},     {1, 1, 1},  {300, 1, 1}, {300, 5, 1},
                                      {300, 300, 1}, {50, 7, 2}, {40, 9, 33}, {20, 20, 70}};
    const halfcl_isa *isa;
    for (size_t j = 0; (isa = halfcl_available(j)); ++j) {
        test_misuse(isa);
        for (int k = 0; k < NAMES; ++k)
            for (int mode = 0; mode < 4; ++mode)
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
                    for (int turn = 0; turn < 8; ++turn)
                        check(isa, names[k], (halfcl_rounding)mode, sizes[s][0], sizes[s][1],
                              sizes[s][2], turn & 1);
    }
}
