/* Tests functions with two results, or with integers as arguments or results. */
#include "tests/testing.h"

/* The results of a function: halves or integers, by its types. */
typedef struct {
    int32_t first, second;
    unsigned flags;
} results;

/* x: the values of the halves a[]; n: the integer argument. */
typedef results reference(const double *x, const uint16_t *a, int64_t n, halfcl_rounding mode);

static results halves(double first, double second, unsigned flags)
{
    return (results){round_value(first, 0).half, round_value(second, 0).half, flags};
}

static results with_integer(double first, int32_t second, unsigned flags)
{
    return (results){round_value(first, 0).half, second, flags};
}

static results reference_modf(const double *x, const uint16_t *a, int64_t n,
                              halfcl_rounding mode)
{
    (void)a, (void)n, (void)mode;
    double whole,
        rest = copysign(modf(x[0], &whole), x[0]); /* MinGW loses the sign of a zero */
    return halves(rest, whole, 0);
}

static results reference_fract(const double *x, const uint16_t *a, int64_t n,
                               halfcl_rounding mode)
{
    (void)a, (void)n;
    if (x[0] == 0 || isinf(x[0]))
        return halves(copysign(0, x[0]), x[0], 0);
    rounded rest = round_value(fabs(x[0] - floor(x[0])), mode);
    if (rest.half == 0x3c00)
        rest.half = 0x3bff;
    return (results){rest.half, round_value(floor(x[0]), mode).half, 0};
}

static results reference_frexp(const double *x, const uint16_t *a, int64_t n,
                               halfcl_rounding mode)
{
    (void)a, (void)n, (void)mode;
    int exponent = 0;
    double mantissa = isfinite(x[0]) ? frexp(x[0], &exponent) : x[0];
    return with_integer(mantissa, exponent, 0);
}

static results reference_ilogb(const double *x, const uint16_t *a, int64_t n,
                               halfcl_rounding mode)
{
    (void)a, (void)n, (void)mode;
    if (x[0] == 0)
        return (results){INT32_MIN, 0, HALFCL_INVALID};
    if (!isfinite(x[0]))
        return (results){INT32_MAX, 0, HALFCL_INVALID};
    return (results){ilogb(x[0]), 0, 0};
}

static results reference_remquo(const double *x, const uint16_t *a, int64_t n,
                                halfcl_rounding mode)
{
    (void)a, (void)n, (void)mode;
    double rest = remainder(x[0], x[1]);
    if (isnan(rest))
        return with_integer(rest, 0, 0);
    double quotient = isinf(x[1]) ? 0 : (x[0] - rest) / x[1];
    return with_integer(rest, (int32_t)fmod(quotient, 128), 0);
}

static results reference_ldexp(const double *x, const uint16_t *a, int64_t n,
                               halfcl_rounding mode)
{
    (void)a;
    rounded product = round_value(ldexp(x[0], n < -200 ? -200 : n > 200 ? 200 : (int)n), mode);
    return (results){product.half, 0, product.flags};
}

static results reference_nan(const double *x, const uint16_t *a, int64_t n,
                             halfcl_rounding mode)
{
    (void)x, (void)n, (void)mode;
    return (results){0x7e00 | (a[0] & 0x1ff), 0, 0};
}

static const struct {
    const char *name, *types;
    reference *expected;
} functions[] = {
    {"modf", "e>ee", reference_modf},      {"fract", "e>ee", reference_fract},
    {"frexp", "e>ei", reference_frexp},    {"ilogb", "e>i", reference_ilogb},
    {"remquo", "ee>ei", reference_remquo}, {"ldexp", "ei>e", reference_ldexp},
    {"ldexp", "eq>e", reference_ldexp},    {"nan", "H>e", reference_nan},
};

enum { OPERANDS = 4, COUNT = 65536, LONGEST = 1000 };

/* Operands in memory: columns of a call, each with room for any type. */
typedef struct {
    uint16_t halves[COUNT];
    int32_t ints[COUNT];
    int64_t longs[COUNT];
} column;

static void *start_of(column *c, char type, size_t i)
{
    return type == 'i'   ? (void *)&c->ints[i]
           : type == 'q' ? (void *)&c->longs[i]
                         : &c->halves[i];
}

static results expect(size_t f, column *const *in, size_t i, int mode)
{
    const char *types = functions[f].types;
    uint16_t a[2] = {in[0]->halves[i], in[1]->halves[i]};
    double x[2] = {half_value(a[0]), half_value(a[1])};
    int64_t n = types[1] == 'i' ? in[1]->ints[i] : in[1]->longs[i];
    results expected = functions[f].expected(x, a, n, (halfcl_rounding)mode);
    if (types[0] == 'H')
        return expected;
    bool binary = types[1] == 'e', nan = is_nan_half(a[0]) || (binary && is_nan_half(a[1]));
    bool signalling = is_signalling(a[0]) || (binary && is_signalling(a[1]));
    bool new_nan =
        strchr(types, '>')[1] == 'e' && is_nan_half((unsigned)expected.first) && !nan;
    if (signalling || new_nan)
        expected.flags |= HALFCL_INVALID;
    return expected;
}

static bool is_result(char type, const column *out, size_t i, int32_t expected)
{
    return type == 'i'   ? out->ints[i] == expected
           : type == 'e' ? same_half(out->halves[i], (unsigned)expected)
                         : true;
}

/* Checks one call, of n elements from the first one on. */
static void check_call(size_t f, const halfcl_isa *isa, column *const *columns, size_t first,
                       size_t n, int mode)
{
    const char *name = functions[f].name, *types = functions[f].types;
    const halfcl_kernel *kernel = find_map(isa, name, types);
    const char *outputs = strchr(types, '>') + 1;
    void *args[OPERANDS];
    int count = 0, nin = (int)(outputs - types - 1);
    for (const char *t = types; *t; ++t) {
        if (*t != '>')
            args[count] = start_of(columns[count < nin ? count : 2 + count - nin], *t, first),
            count++;
    }
    unsigned flags = 0, got = run(kernel, args, n, mode);
    for (size_t i = first; i < first + n; ++i) {
        results expected = expect(f, columns, i, mode);
        flags |= expected.flags;
        bool right = is_result(outputs[0], columns[2], i, expected.first) &&
                     is_result(outputs[1], columns[3], i, expected.second);
        if (!right && failed(name, isa, mode))
            printf("%04x %04x or %d: not %x %x\n", columns[0]->halves[i], columns[1]->halves[i],
                   columns[1]->ints[i], (unsigned)expected.first, (unsigned)expected.second);
    }
    if (got != flags && failed(name, isa, mode))
        printf("%zu from %zu: flags %x, not %x\n", n, first, got, flags);
}

/* Fills columns with every half, with others and integers at random. */
static void fill(column *const *columns)
{
    for (size_t i = 0; i < COUNT; ++i) {
        uint64_t r = random_bits();
        columns[0]->halves[i] = (uint16_t)i;
        columns[1]->halves[i] = pick_half();
        columns[1]->longs[i] = r % 4 ? (int64_t)(r >> 8 & 0x7f) - 64 : (int64_t)random_bits();
        columns[1]->ints[i] = (int32_t)columns[1]->longs[i];
    }
}

void test_decomposition(void)
{
    const halfcl_isa *isa;
    column *columns[OPERANDS];
    for (int k = 0; k < OPERANDS; ++k)
        columns[k] = malloc(sizeof(column));
    fill(columns);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
        for (int mode = 0; mode < 4; ++mode) {
            for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
                for (size_t i = 0, n; i < COUNT; i += n) {
                    n = 1 + random_bits() % (random_bits() % 8 ? 40 : LONGEST);
                    n = n < COUNT - i ? n : COUNT - i;
                    check_call(f, isa, columns, i, n, mode);
                }
            }
        }
    }
    for (int k = 0; k < OPERANDS; ++k)
        free(columns[k]);
}
