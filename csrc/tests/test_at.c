/* Tests operations on selected elements of an array, one after the other, against the maps on
 * single ones: results and exceptions, in every mode. */
#include "tests/testing.h"

static const char *const names[] = {"add",     "subtract", "multiply", "divide", "maximum",
                                    "minimum", "fmax",     "fmin",     "hypot",  "copysign"};
enum { NAMES = sizeof names / sizeof *names, MOST = 300, WIDEST = 70 };

typedef struct {
    uint16_t target[MOST * WIDEST], values[MOST * WIDEST];
    ptrdiff_t indices[MOST], columns[WIDEST];
} memory;

/* Includes numbers near 2^-14, whose products are tiny. */
static uint16_t pick(void)
{
    return random_bits() & 3 ? pick_half() : (uint16_t)(0x1400 + random_bits() % 0x1800);
}

/* Computes one element after the other, each by a call of the map: in the rows and columns that
 * the indices select, or in all columns. */
static unsigned by_single(const halfcl_kernel *map, memory *m, const halfcl_places *p,
                          halfcl_rounding mode)
{
    unsigned flags = 0;
    const ptrdiff_t steps[] = {2, 2, 2};
    for (size_t i = 0; i < p->shape[0] * p->shape[1]; ++i) {
        const ptrdiff_t at[] = {(ptrdiff_t)(i / p->shape[1]), (ptrdiff_t)(i % p->shape[1])};
        char *target = (char *)m->target + at[1] * p->steps[1];
        for (int k = 0; k < p->indexed; ++k) {
            ptrdiff_t index = (k ? m->columns : m->indices)[at[k]];
            target += (index + (index < 0 ? (ptrdiff_t)p->indices[k].length : 0)) *
                      p->indices[k].step;
        }
        char *value = (char *)m->values + at[0] * p->value_steps[0] + at[1] * p->value_steps[1];
        char *operands[] = {target, value, target};
        flags |= halfcl_run(map, operands, steps, 1, mode);
    }
    return flags;
}

static ptrdiff_t pick_index(size_t length)
{
    return (ptrdiff_t)(random_bits() % (2 * length)) - (ptrdiff_t)length;
}

/* Values: one for each place, for each row, for each column, or one for all. */
static void check(const halfcl_isa *isa, const char *name, halfcl_rounding mode, size_t n,
                  size_t length, size_t width, int values)
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
        got.indices[i] = pick_index(length);
    for (size_t i = 0; i < width; ++i)
        got.columns[i] = pick_index(width);
    const bool by_columns = random_bits() % 2;
    const ptrdiff_t size = sizeof(ptrdiff_t);
    halfcl_places places = {
        .axes = 2,
        .indexed = by_columns ? 2 : 1,
        .shape = {n, width},
        .steps = {0, by_columns ? 0 : 2},
        .value_steps = {values & 1 ? 0 : 2 * (ptrdiff_t)width, values & 2 ? 0 : 2},
        .start = (char *)got.target,
        .values = (const char *)got.values,
        .indices = {{(const char *)got.indices, {size, 0}, length, 2 * (ptrdiff_t)width + 2},
                    {(const char *)got.columns, {0, size}, width, 2}},
    };
    memcpy(&expected, &got, sizeof got);
    unsigned right = by_single(map, &expected, &places, mode);
    unsigned raised = halfcl_run_at(map, at, &places, mode);
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
    halfcl_places p = {
        .indexed = 1,
        .start = (char *)target,
        .values = (const char *)&value,
        .indices = {{(const char *)&index, {0}, 1, 2}},
    };
    bool refused = halfcl_run_at(NULL, NULL, &p, HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_run_at(sqrt, NULL, &p, HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_run_at(at, at, &p, HALFCL_RTE) == HALFCL_MISUSE &&
                   halfcl_run_at(add, add, &p, HALFCL_RTE) == HALFCL_MISUSE;
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
                              sizes[s][2], turn % 4);
    }
}
