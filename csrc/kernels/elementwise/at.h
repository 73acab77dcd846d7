/* Operations on selected elements of an array, one after the other: an element may be selected
 * again, and then has the previous result. Each is computed as the map does it, in all
 * lanes. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_AT_H
#define HALFCL_KERNELS_ELEMENTWISE_AT_H

#include "kernels/elementwise/arithmetic.h"
#include "kernels/elementwise/extrema.h"

ALWAYS_INLINE uint16_t *target_at(const halfcl_targets *t, size_t i)
{
    ptrdiff_t index = t->indices[i];
    index += index < 0 ? (ptrdiff_t)t->length : 0;
    return (uint16_t *)(t->start + index * t->step);
}

ALWAYS_INLINE uint16_t value_at(const halfcl_targets *t, size_t i)
{
    return *(const uint16_t *)(t->values + (ptrdiff_t)i * t->value_step);
}

ALWAYS_INLINE unsigned floats_at(const halfcl_targets *t, size_t n, halfcl_rounding mode,
                                 vf_binary *op, tininess tiny)
{
    acc seen = acc_none();
    for (size_t i = 0; i < n; ++i) {
        uint16_t *target = target_at(t, i);
        vf a = vf_widen(vh_set(*target)), b = vf_widen(vh_set(value_at(t, i)));
        *target = vh_first(round_to_half(op(a, b, mode), mode, &seen, tiny));
    }
    return acc_flags(seen);
}

ALWAYS_INLINE unsigned words_at(const halfcl_targets *t, size_t n, vw_binary *op)
{
    for (size_t i = 0; i < n; ++i) {
        uint16_t *target = target_at(t, i);
        *target = vw_first(op(vw_set(*target), vw_set(value_at(t, i))));
    }
    return 0;
}

#if HAVE_HALVES
ALWAYS_INLINE unsigned halves_at(const halfcl_targets *t, size_t n, halfcl_rounding mode,
                                 vx_binary *op)
{
    acc seen = acc_none();
    for (size_t i = 0; i < n; ++i) {
        uint16_t *target = target_at(t, i);
        *target = vw_first(op(vw_set(*target), vw_set(value_at(t, i)), mode, &seen));
    }
    return acc_flags(seen);
}
#endif

#define AT_KERNEL(name, ...)                                                                   \
    static unsigned name##_at(const halfcl_targets *t, size_t n, halfcl_rounding mode)         \
    {                                                                                          \
        (void)mode;                                                                            \
        return __VA_ARGS__;                                                                    \
    }

/* For sets that widen and narrow floats by instructions; on others a map of all elements is
 * faster. */
#define HAVE_FLOATS_AT HAVE_FMA

#if HAVE_HALVES
AT_KERNEL(add, words_at(t, n, vx_add))
AT_KERNEL(subtract, words_at(t, n, vx_sub))
AT_KERNEL(multiply, halves_at(t, n, mode, product_of_halves))
#elif HAVE_FLOATS_AT
AT_KERNEL(add, floats_at(t, n, mode, vf_sum, NEVER_TINY | ANY_NAN))
AT_KERNEL(subtract, floats_at(t, n, mode, vf_difference, NEVER_TINY | ANY_NAN))
AT_KERNEL(multiply, floats_at(t, n, mode, product, MAYBE_TINY | ANY_NAN))
#endif
#if HAVE_HALF_DIVISION
AT_KERNEL(divide, words_at(t, n, quotient_of_halves))
#elif HAVE_FLOATS_AT
AT_KERNEL(divide, floats_at(t, n, mode, quotient, MAYBE_TINY))
#endif
AT_KERNEL(maximum, words_at(t, n, larger))
AT_KERNEL(minimum, words_at(t, n, smaller))
AT_KERNEL(fmax, words_at(t, n, larger_number))
AT_KERNEL(fmin, words_at(t, n, smaller_number))

#define AT(name) {#name, HALFCL_AT, HALFCL_HALVES(2, 1), {.at = name##_at}},
#if HAVE_FLOATS_AT
#define ARITHMETIC_AT                                                                          \
    AT(add)                                                                                    \
    AT(subtract)                                                                               \
    AT(multiply)                                                                               \
    AT(divide)
#else
#define ARITHMETIC_AT
#endif
#define AT_KERNELS                                                                             \
    ARITHMETIC_AT                                                                              \
    AT(maximum)                                                                                \
    AT(minimum)                                                                                \
    AT(fmax)                                                                                   \
    AT(fmin)

#endif
