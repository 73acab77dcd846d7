/* + - * / sqrt fma of floats and of doubles: the processor's own, in the mode that the drivers
 * set, with subnormals. Loops in plain C, which compilers vectorise.
 *
 * They serve source code that has no exceptions, and report none: processors differ in whether
 * a number is tiny before or after it is rounded. NaNs are those of the processor. */
#ifndef HALFCL_KERNELS_NUMBERS_ARITHMETIC_H
#define HALFCL_KERNELS_NUMBERS_ARITHMETIC_H

#include <math.h>

#include "format/fma.h"
#include "kernels/shared/rows.h"

/* Defines a kernel of nin inputs a, b, c of type T, whose result is RESULT. */
#define NUMBER_KERNEL(name, T, nin, RESULT)                                                    \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        const T *a = args[0], *b = args[nin > 1 ? 1 : 0], *c = args[nin > 2 ? 2 : 0];          \
        T *out = args[nin];                                                                    \
        (void)mode, (void)b, (void)c;                                                          \
        for (size_t i = 0; i < n; ++i)                                                         \
            out[i] = RESULT;                                                                   \
        return 0;                                                                              \
    }

/* Calls X for each format: the suffix of names, the type, C's functions. */
#define EACH_FORMAT(X)                                                                         \
    X(f, float, HALFCL_FLOAT, sqrtf, halfcl_fmaf)                                              \
    X(d, double, HALFCL_DOUBLE, sqrt, halfcl_fma)

#define ARITHMETIC_OF_FORMAT(f, F, TYPE, sqrt_f, fma_f)                                        \
    NUMBER_KERNEL(add_##f, F, 2, a[i] + b[i])                                                  \
    NUMBER_KERNEL(subtract_##f, F, 2, a[i] - b[i])                                             \
    NUMBER_KERNEL(multiply_##f, F, 2, a[i] * b[i])                                             \
    NUMBER_KERNEL(divide_##f, F, 2, a[i] / b[i])                                               \
    NUMBER_KERNEL(sqrt_##f, F, 1, sqrt_f(a[i]))                                                \
    NUMBER_KERNEL(fma_##f, F, 3, fma_f(a[i], b[i], c[i]))
EACH_FORMAT(ARITHMETIC_OF_FORMAT)

/* ---------------------------------------------------------------- the kernels */

#define QUIET_NUMBERS(name, loop, nin, TYPE)                                                   \
    {name,                                                                                     \
     HALFCL_MAP,                                                                               \
     {nin, 1, {TYPE, TYPE, nin > 1 ? TYPE : 0, nin > 2 ? TYPE : 0}},                           \
     {.map = loop, .quiet = true}},
#define ROWS_OF_FORMAT(f, F, TYPE, sqrt_f, fma_f)                                              \
    QUIET_NUMBERS("add", add_##f, 2, TYPE)                                                     \
    QUIET_NUMBERS("subtract", subtract_##f, 2, TYPE)                                           \
    QUIET_NUMBERS("multiply", multiply_##f, 2, TYPE)                                           \
    QUIET_NUMBERS("divide", divide_##f, 2, TYPE)                                               \
    QUIET_NUMBERS("sqrt", sqrt_##f, 1, TYPE)                                                   \
    QUIET_NUMBERS("fma", fma_##f, 3, TYPE)

#define ARITHMETIC_NUMBERS_KERNELS EACH_FORMAT(ROWS_OF_FORMAT)

#endif
