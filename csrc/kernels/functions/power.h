/* Powers: 2^(y log2 |x|), and the sign. */
#ifndef HALFCL_KERNELS_FUNCTIONS_POWER_H
#define HALFCL_KERNELS_FUNCTIONS_POWER_H

#include "kernels/elementwise/arithmetic.h"
#include "kernels/functions/function2.h"
#include "kernels/functions/power_accurate.h"
#include "kernels/functions/power_fast.h"
#include "kernels/functions/power_integer.h"

/* Powers with the same exponent for all elements, for exponents that make them an operation of
 * its own. */

/* For n > 0. */
static bool all_same(const void *p, size_t n, size_t size)
{
    return memcmp(p, (const char *)p + size, (n - 1) * size) == 0;
}

/* The root, except that for -0 and -infinity the power has another sign. */
ALWAYS_INLINE vf root_as_power(vf x, halfcl_rounding mode)
{
    (void)mode;
    vm odd_one = vm_or(vf_equal(x, vf_set(0)), vf_equal(x, vf_set(-INFINITY)));
    return vf_sqrt(vf_select(odd_one, vf_abs(x), x));
}

FLOAT_UNARY(root_power, root_as_power, NEVER_TINY)

/* Squares like the operator, except that the power of a NaN is the canonical one. */
ALWAYS_INLINE vf square_as_power(vf x, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(x, x);
}

FLOAT_UNARY(square_power, square_as_power, MAYBE_TINY)

static halfcl_map *operation_for(float exponent)
{
    return exponent == 2      ? square_power
           : exponent == 0.5f ? root_power
           : exponent == -1   ? reciprocal
                              : NULL;
}

/* Computes n > 0 powers, given the first exponent as a float; any exponents, if it is not the
 * same for all. */
static unsigned powers(void *const *args, size_t n, halfcl_rounding mode, float first,
                       size_t size, halfcl_map *any)
{
    halfcl_map *operation = operation_for(first);
    if (operation && all_same(args[1], n, size))
        return operation((void *const[]){args[0], args[2]}, n, mode);
    return any(args, n, mode);
}

/* Integer exponents. */
#define POWER_LOOPS(name, order, load, fast_phase, units, exact_results, unfit_exponents,      \
                    special_cases, one_case)                                                   \
    LOOPS2(name, order)                                                                        \
    static const function2 name##_function = {.load_b = load,                                  \
                                              .b_size = sizeof(int32_t),                       \
                                              .fast = fast_phase,                              \
                                              .slack = units,                                  \
                                              .special = special_cases,                        \
                                              .exact = exact_results,                          \
                                              .unfit = unfit_exponents,                        \
                                              .hard_case = one_case,                           \
                                              THE_LOOPS2(name)};

/* Defines the phases of name_kernel. */
#define POWER(name, fast, special, accurate_phase, slow_path)                                  \
    HARD_CASE(name, int32_t, (double), accurate_phase, slow_path)                              \
    POWER_LOOPS(name, SCHEDULED, load_integers, fast, POWER_ABOVE, NULL, NULL, special,        \
                name##_hard_case)

POWER(rootn, rootn_fast, rootn_special, rootn_accurate, rootn_slow_path)
FUNCTION2_KERNEL(rootn_kernel, HAVE_FMA, rootn)

POWER(compoundn, compoundn_fast, compoundn_special, compoundn_accurate, compoundn_slow_path)
FUNCTION2_KERNEL(compoundn_kernel, HAVE_FMA, compoundn)

/* pown has loops for all kinds of exponents: one small one, small ones, any. */

HARD_CASE(pown, int32_t, (double), pow_accurate, pown_slow_path)
POWER_LOOPS(products, AS_WRITTEN, load_one_integer, pown_by_product, PRODUCT_SLACK,
            is_exact_product, NULL, pown_special, pown_hard_case)
POWER_LOOPS(quotients, AS_WRITTEN, load_integers, pown_by_quotient, QUOTIENT_SLACK,
            is_exact_product, HAVE_STATIC_ROUNDING ? are_many_factors : NULL, pown_special,
            pown_hard_case)
POWER_LOOPS(logarithms, SCHEDULED, load_integers, pown_by_logarithm, POWER_ABOVE, NULL, NULL,
            pown_special, pown_hard_case)

ALWAYS_INLINE bool all_few(const int32_t *n, size_t count)
{
    vi most = vi_set(0);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        most = vi_highest(most, vi_abs(vi_load_32(n + i)));
    if (i < count)
        most = vi_highest(most, vi_abs(vi_load_n(n + i, count - i, vi_set(n[0]))));
    return !vm_any(vm_not(vi_below(most, vi_set(FEW_FACTORS))));
}

/* The number of exponents that determine the loop. With static rounding the first ones show
 * what most exponents are, and others are hard cases; without it detecting such others would be
 * slower than checking all. */
enum { WAY_BLOCK = 512, LOOKED_AT = HAVE_STATIC_ROUNDING ? LANES : WAY_BLOCK };

static const function2 *pown_for(const int32_t *n, size_t count)
{
    if (0 <= n[0] && n[0] < FEW_FACTORS && all_same(n, count, sizeof *n))
        return &products_function;
    return all_few(n, count < LOOKED_AT ? count : LOOKED_AT) ? &quotients_function
                                                             : &logarithms_function;
}

static unsigned pown_rounding_loop(const operands2 *v, size_t start, size_t n, uint16_t *to,
                                   char *decided)
{
    unsigned flags = 0;
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < WAY_BLOCK ? n - i : WAY_BLOCK;
        const function2 *here = pown_for((const int32_t *)v->b + start + i, count);
        flags |= here->rounding_loop(v, start + i, count, to + i, decided + i / 8);
    }
    return flags;
}

static void pown_fast_loop(const operands2 *v, size_t start, size_t n, float *y, char *hard)
{
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < WAY_BLOCK ? n - i : WAY_BLOCK;
        const function2 *here = pown_for((const int32_t *)v->b + start + i, count);
        here->fast_loop(v, start + i, count, y + i, hard + i / 8);
    }
}

SPECIAL_LOOP2(pown)
static const function2 pown_function = {.load_b = load_integers,
                                        .b_size = sizeof(int32_t),
                                        .special = pown_special,
                                        .hard_case = pown_hard_case,
                                        THE_LOOPS2(pown)};
FUNCTION2_KERNEL(pown_any, HAVE_FMA, pown)

FUNCTION2_IN(SCHEDULED, HAVE_FMA, pow_any, pow_fast, POWER_ABOVE, pow_special, pow_accurate,
             pow_slow_path)
FUNCTION2_IN(SCHEDULED, HAVE_FMA, powr, pow_fast, POWER_ABOVE, powr_special, powr_accurate,
             powr_slow_path)

static unsigned pow_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *y = args[1];
    return powers(args, n, mode, float_of_half(y[0]), sizeof *y, pow_any_kernel);
}

static unsigned pown_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const int32_t *y = args[1];
    return powers(args, n, mode, (float)y[0], sizeof *y, pown_any);
}

#define POWER_KERNELS                                                                          \
    BINARY("pow", pow_kernel)                                                                  \
    BINARY("powr", powr_kernel)                                                                \
    MAP("pown", pown_kernel, 2, 1, HALFCL_HALF, HALFCL_INT32, HALFCL_HALF)                     \
    MAP("rootn", rootn_kernel, 2, 1, HALFCL_HALF, HALFCL_INT32, HALFCL_HALF)                   \
    MAP("compoundn", compoundn_kernel, 2, 1, HALFCL_HALF, HALFCL_INT32, HALFCL_HALF)

#endif
