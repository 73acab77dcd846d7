/* Tests which NaN a map gives: the same on every instruction set, wherever the element lies;
 * functions that compute give the canonical one. */
#include "tests/testing.h"

enum { N = 600, CANONICAL = 0x7e00, QUIET = 0x0200 };

/* Functions whose results are bits of their operands, or exact conversions of them. */
static const char *const of_bits[] = {
    "negative",  "fabs", "positive",  "copysign", "select",     "select_by_top_bit",
    "bitselect", "nan",  "convert",   "max",      "min",        "maximum",
    "minimum",   "fmax", "fmin",      "maxmag",   "minmag",     "clamp",
    "clip",      "step", "heaviside", "signum",   "swap_bytes", "number_or"};

/* Functions that return NaNs as they are, but round numbers. */
static const char *const keep_nans[] = {"round_to_fractions", "round_to_small_fractions",
                                        "round_to_multiples"};

/* Functions that return the processor's NaN. */
static const char *const any_nan[] = {
    "add",   "subtract", "multiply", "square", "fma",  "rint",  "round", "ceil", "floor",
    "trunc", "degrees",  "radians",  "fract",  "modf", "frexp", "ldexp", "logb"};

#define IS_AMONG(names, name) is_among(names, sizeof names / sizeof *names, name)

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

bool gives_any_nan(const char *name)
{
    return IS_AMONG(any_nan, name) || strncmp(name, "interval_", 9) == 0;
}

/* Fills with halves, many of which are NaNs, and integers. */
static void fill(void *operand, halfcl_type type)
{
    size_t size = halfcl_type_size(type);
    for (size_t i = 0; i < N; ++i) {
        uint16_t half = pick_half();
        uint64_t bits = type == HALFCL_BOOL ? half & 1 : (uint64_t)(half % 7) - 3;
        if (type == HALFCL_HALF || size == 8 || type == HALFCL_FLOAT)
            bits = half % 3 ? half : (half | 0x7c00);
        if (type == HALFCL_INT64)
            bits = half % 7;
        memcpy((char *)operand + i * size, &bits, size);
    }
}

/* Fills with one number only, for which powers have kernels of their own. */
static void fill_alike(void *operand, halfcl_type type, int turn)
{
    static const uint16_t halves[] = {0x4000, 0xbc00, 0x3800, 0x3c00}; /* 2, -1, 1/2, 1 */
    static const int32_t integers[] = {2, -1, 3, 1};
    for (size_t i = 0; i < N; ++i) {
        if (type == HALFCL_HALF)
            ((uint16_t *)operand)[i] = halves[turn % 4];
        else if (type == HALFCL_INT32)
            ((int32_t *)operand)[i] = integers[turn % 4];
    }
}

static void check_output(const halfcl_isa *isa, const halfcl_kernel *kernel,
                         const uint16_t *got, const uint16_t *expected)
{
    bool computes = !IS_AMONG(of_bits, kernel->name) && !IS_AMONG(keep_nans, kernel->name);
    bool is_any = gives_any_nan(kernel->name);
    for (size_t i = 0; i < N; ++i) {
        bool nan = is_nan_half(got[i]);
        bool right = nan && is_any     ? is_nan_half(expected[i]) && !is_signalling(got[i])
                     : nan && computes ? got[i] == CANONICAL && expected[i] == CANONICAL
                                       : got[i] == expected[i];
        if (!right && failed("NaN", isa, 0))
            printf("%s gave %04x, alone on the portable set %04x\n", kernel->name, got[i],
                   expected[i]);
    }
}

/* Tests all elements at once, and one by one on the portable set; in the first turns with a
 * second operand that is one number. */
static void check_kernel(const halfcl_isa *isa, const halfcl_kernel *kernel, int turn)
{
    _Alignas(64) static uint64_t operands[HALFCL_MAX_OPERANDS][N],
        alone[HALFCL_MAX_OPERANDS][N];
    const halfcl_signature *of = &kernel->signature;
    const halfcl_kernel *portable =
        halfcl_find_kernel(halfcl_find_isa("portable"), kernel->name, HALFCL_MAP, of);
    char *all[HALFCL_MAX_OPERANDS], *one[HALFCL_MAX_OPERANDS];
    ptrdiff_t steps[HALFCL_MAX_OPERANDS];
    for (int i = 0; i < of->nin + of->nout; ++i) {
        all[i] = (char *)operands[i];
        steps[i] = (ptrdiff_t)halfcl_type_size((halfcl_type)of->types[i]);
        if (i < of->nin)
            fill(operands[i], (halfcl_type)of->types[i]);
    }
    if (of->nin == 2 && turn < 4)
        fill_alike(operands[1], (halfcl_type)of->types[1], turn);
    halfcl_run(kernel, all, steps, N, HALFCL_RTE);
    for (size_t k = 0; k < N; ++k) {
        for (int i = 0; i < of->nin + of->nout; ++i)
            one[i] = (char *)(i < of->nin ? operands[i] : alone[i]) + (ptrdiff_t)k * steps[i];
        halfcl_run(portable, one, steps, 1, HALFCL_RTE);
    }
    for (int i = of->nin; i < of->nin + of->nout; ++i) {
        if (of->types[i] == HALFCL_HALF)
            check_output(isa, kernel, (uint16_t *)operands[i], (uint16_t *)alone[i]);
    }
}

void test_nans(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *kernel;
        for (size_t k = 0; (kernel = halfcl_kernel_at(isa, k)); ++k) {
            for (int turn = 0; kernel->kind == HALFCL_MAP && turn < 10; ++turn)
                check_kernel(isa, kernel, turn);
        }
    }
}
