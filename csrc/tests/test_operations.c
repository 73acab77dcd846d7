/* Tests arithmetic, division with remainder and integral rounding. */
#include "tests/testing.h"

/* Comparisons of exact results with a double of 12 bits. */

static int compare_quotient(const double *x, double bound)
{
    return sign_of_double(x[1]) * sign_of_double(x[0] - bound * x[1]);
}

static int compare_root(const double *x, double bound)
{
    return bound < 0 ? 1 : sign_of_double(x[0] - bound * bound);
}

static int compare_fma(const double *x, double bound)
{
    double product = x[0] * x[1], rest = bound - x[2];
    return (product > rest) - (product < rest);
}

/* Returns the sign of an exact zero that is a sum. */
static double zero_sum_of(double a, double b, halfcl_rounding mode)
{
    bool negative = signbit(a) == signbit(b) ? signbit(a) : mode == HALFCL_RTN;
    return negative ? -0.0 : 0.0;
}

static rounded reference_sum(double a, double b, halfcl_rounding mode)
{
    double sum = a + b; /* exact */
    return round_value(sum == 0 ? zero_sum_of(a, b, mode) : sum, mode);
}

static rounded reference_add(const double *x, halfcl_rounding mode)
{
    return reference_sum(x[0], x[1], mode);
}

static rounded reference_subtract(const double *x, halfcl_rounding mode)
{
    return reference_sum(x[0], -x[1], mode);
}

static rounded reference_fdim(const double *x, halfcl_rounding mode)
{
    return x[0] <= x[1] ? round_value(0, mode) : reference_subtract(x, mode);
}

static rounded reference_multiply(const double *x, halfcl_rounding mode)
{
    return round_value(x[0] * x[1], mode);
}

static rounded reference_square(const double *x, halfcl_rounding mode)
{
    return round_value(x[0] * x[0], mode);
}

static rounded reference_divide(const double *x, halfcl_rounding mode)
{
    double near = x[0] / x[1];
    if (!isfinite(near) || near == 0) {
        rounded result = round_value(near, mode);
        result.flags |= isfinite(x[0]) && x[0] != 0 && x[1] == 0 ? HALFCL_DIVBYZERO : 0;
        return result;
    }
    return round_exact(compare_quotient, x, mode);
}

static rounded reference_reciprocal(const double *x, halfcl_rounding mode)
{
    const double pair[2] = {1, x[0]};
    return reference_divide(pair, mode);
}

static rounded reference_sqrt(const double *x, halfcl_rounding mode)
{
    if (!(x[0] > 0) || isinf(x[0]))
        return round_value(sqrt(x[0]), mode);
    return round_exact(compare_root, x, mode);
}

static rounded reference_fma(const double *x, halfcl_rounding mode)
{
    double product = x[0] * x[1], near = product + x[2];
    if (!isfinite(near))
        return round_value(near, mode);
    if (product == -x[2])
        return round_value(zero_sum_of(product, x[2], mode), mode);
    return round_exact(compare_fma, x, mode);
}

static rounded reference_fmod(const double *x, halfcl_rounding mode)
{
    return round_value(fmod(x[0], x[1]), mode);
}

static rounded reference_remainder(const double *x, halfcl_rounding mode)
{
    return round_value(remainder(x[0], x[1]), mode);
}

static rounded reference_floor_remainder(const double *x, halfcl_rounding mode)
{
    double rest = fmod(x[0], x[1]);
    if (rest == 0)
        rest = copysign(0, x[1]);
    else if ((rest < 0) != (x[1] < 0))
        rest += x[1];
    return round_value(rest, mode);
}

static rounded reference_floor_divide(const double *x, halfcl_rounding mode)
{
    if (x[1] == 0)
        return reference_divide(x, mode);
    double rest = fmod(x[0], x[1]);
    double quotient = isinf(x[1]) ? copysign(0, x[0] / x[1]) : (x[0] - rest) / x[1];
    if (rest != 0 && (rest < 0) != (x[1] < 0))
        quotient -= 1;
    return round_value(isnan(rest)     ? NAN
                       : quotient == 0 ? copysign(0, x[0] / x[1])
                                       : quotient,
                       mode);
}

static rounded reference_logb(const double *x, halfcl_rounding mode)
{
    rounded result = round_value(logb(x[0]), mode);
    result.flags |= x[0] == 0 ? HALFCL_DIVBYZERO : 0;
    return result;
}

static rounded reference_rint(const double *x, halfcl_rounding mode)
{
    return round_value(rint(x[0]), mode);
}

static rounded reference_ceil(const double *x, halfcl_rounding mode)
{
    return round_value(ceil(x[0]), mode);
}

static rounded reference_floor(const double *x, halfcl_rounding mode)
{
    return round_value(floor(x[0]), mode);
}

static rounded reference_trunc(const double *x, halfcl_rounding mode)
{
    return round_value(trunc(x[0]), mode);
}

static rounded reference_round(const double *x, halfcl_rounding mode)
{
    return round_value(round(x[0]), mode);
}

typedef rounded reference(const double *x, halfcl_rounding mode);

static const struct {
    const char *name, *types;
    reference *expected;
} operations[] = {
    {"add", "ee>e", reference_add},
    {"subtract", "ee>e", reference_subtract},
    {"fdim", "ee>e", reference_fdim},
    {"multiply", "ee>e", reference_multiply},
    {"divide", "ee>e", reference_divide},
    {"fma", "eee>e", reference_fma},
    {"fmod", "ee>e", reference_fmod},
    {"remainder", "ee>e", reference_remainder},
    {"floor_remainder", "ee>e", reference_floor_remainder},
    {"floor_divide", "ee>e", reference_floor_divide},
    {"square", "e>e", reference_square},
    {"reciprocal", "e>e", reference_reciprocal},
    {"sqrt", "e>e", reference_sqrt},
    {"logb", "e>e", reference_logb},
    {"rint", "e>e", reference_rint},
    {"ceil", "e>e", reference_ceil},
    {"floor", "e>e", reference_floor},
    {"trunc", "e>e", reference_trunc},
    {"round", "e>e", reference_round},
};

/* A NaN that was no operand is invalid, and so is a signalling operand. */
static rounded expect(reference *expected, const uint16_t *operands, int count, int mode)
{
    double x[3];
    bool nan = false, signalling = false;
    for (int k = 0; k < count; ++k) {
        x[k] = half_value(operands[k]);
        nan |= is_nan_half(operands[k]);
        signalling |= is_signalling(operands[k]);
    }
    rounded result = expected(x, (halfcl_rounding)mode);
    /* The fma of NaN with infinity times zero may raise invalid or not. */
    if (signalling || (is_nan_half(result.half) && !nan))
        result.flags |= HALFCL_INVALID;
    return result;
}

enum { SAMPLES = 150000 };

/* Checks one operation on n sets of operands, in calls of 1 to 80 elements. */
static void check_operation(size_t op, uint16_t *const *operands, int count, size_t n, int mode)
{
    const halfcl_isa *isa;
    rounded *expected = malloc(n * sizeof *expected);
    for (size_t i = 0; i < n; ++i) {
        uint16_t x[3];
        for (int k = 0; k < count; ++k)
            x[k] = operands[k][i];
        expected[i] = expect(operations[op].expected, x, count, mode);
    }
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const char *name = operations[op].name;
        const halfcl_kernel *kernel = find_map(isa, name, operations[op].types);
        size_t length = 1;
        for (size_t i = 0; i < n; i += length) {
            uint16_t out[80];
            void *args[4];
            unsigned flags = 0;
            length = 1 + random_bits() % (random_bits() % 4 ? 6 : 80);
            length = length < n - i ? length : n - i;
            for (int k = 0; k < count; ++k)
                args[k] = operands[k] + i;
            args[count] = out;
            unsigned got = run(kernel, args, length, mode);
            for (size_t j = 0; j < length; ++j) {
                flags |= expected[i + j].flags;
                if (!same_half(out[j], expected[i + j].half) && failed(name, isa, mode))
                    printf("%04x %04x %04x gave %04x, not %04x\n", operands[0][i + j],
                           count > 1 ? operands[1][i + j] : 0,
                           count > 2 ? operands[2][i + j] : 0, out[j], expected[i + j].half);
            }
            if (got != flags && failed(name, isa, mode))
                printf("%zu from %04x %04x %04x: flags %x, not %x\n", length, operands[0][i],
                       count > 1 ? operands[1][i] : 0, count > 2 ? operands[2][i] : 0, got,
                       flags);
        }
    }
    free(expected);
}

void test_operations(void)
{
    uint16_t *operands[3];
    for (int k = 0; k < 3; ++k)
        operands[k] = malloc(SAMPLES * sizeof(uint16_t));
    for (size_t op = 0; op < sizeof operations / sizeof *operations; ++op) {
        int count = (int)(strchr(operations[op].types, '>') - operations[op].types);
        for (int mode = 0; mode < 4; ++mode) {
            for (size_t i = 0; i < SAMPLES; ++i) {
                for (int k = 0; k < count; ++k)
                    operands[k][i] = count == 1 ? (uint16_t)i : pick_half();
                /* inf * 0 + NaN: IEEE 754 does not specify the flag. */
                if (count == 3 && is_nan_half(operands[2][i]))
                    operands[0][i] = 0x3c00;
            }
            check_operation(op, operands, count, count == 1 ? 65536 : SAMPLES, mode);
        }
    }
    for (int k = 0; k < 3; ++k)
        free(operands[k]);
}
