/* Geometric functions of one vector, decided exactly.
 *
 * Each result is a double on the same side as the exact result of every number where half
 * rounds, the halves and their midpoints; or such a number itself, if that is the exact
 * result. Rounded to odd, or to half, it gives what the exact result gives. Components are
 * step bytes apart. flags gets what invalid operands raise. */
#ifndef HALFCL_EXACT_VECTOR_H
#define HALFCL_EXACT_VECTOR_H

#include <stddef.h>

#include "exact_sum.h"

/* The unit of sums of squares. Those of halves are multiples of 2^-48; the limb below is room
 * for the squares of midpoints. */
enum { SQUARES_UNIT = -80 };

/* The sum of products; a zero has the sign that it has in the mode. */
double exact_dot(const void *a, const void *b, size_t width, ptrdiff_t step,
                 halfcl_rounding mode, unsigned *flags);

/* The root of the sum of squares: of a, and of a - b. */
double exact_length(const void *a, size_t width, ptrdiff_t step, unsigned *flags);
double exact_distance(const void *a, const void *b, size_t width, ptrdiff_t a_step,
                      ptrdiff_t b_step, unsigned *flags);

/* The root of a sum of squares in SQUARES_UNIT. */
double exact_root(const exact_sum *squares);

/* What a vector is divided by to normalize it: the root of the squares. With infinite
 * components these count as 1, and finite ones as 0. */
typedef struct {
    exact_sum squares; /* in SQUARES_UNIT */
    double root;       /* nearly */
    bool nan, infinite;
} exact_norm;

exact_norm exact_norm_of(const void *a, size_t width, ptrdiff_t step, unsigned *flags);
exact_norm exact_norm_of_squares(const exact_sum *squares);

/* The sum of squares, rounded to odd. */
double exact_square(const exact_norm *norm);

/* The component x of a vector normalized by its norm, and component k of a vector. */
double exact_ratio(uint16_t x, const exact_norm *norm);
double exact_normalize(const void *a, size_t k, size_t width, ptrdiff_t step, unsigned *flags);

#endif
