/* Geometric functions of one vector, decided exactly.
 *
 * Each result is a double on the same side as the exact result of every number at which half
 * rounds, the halves and their midpoints; or such a number itself, if that is the exact result.
 * Rounded to odd, or to half, it gives what the exact result gives. flags receives the
 * exceptions that invalid operands raise. */
#ifndef HALFCL_EXACT_VECTOR_H
#define HALFCL_EXACT_VECTOR_H

#include "exact/sum.h"
#include "halfcl.h"

/* One vector, or two of the same width, whose components are steps bytes apart. dot is the fold
 * with that name, of any instruction set. */
typedef struct {
    const char *a, *b;
    ptrdiff_t a_step, b_step;
    size_t width;
    halfcl_fold_add *dot;
} exact_operands;

double exact_dot(const exact_operands *v, halfcl_rounding mode, unsigned *flags);
double exact_length(const exact_operands *v, unsigned *flags);
double exact_distance(const exact_operands *v, unsigned *flags);

/* Lengths and distances of which a component or a difference is infinite or a NaN. */
double exact_special_length(const exact_operands *v, unsigned *flags);
double exact_special_distance(const exact_operands *v, unsigned *flags);

/* The length, but a NaN if a component is one, even beside an infinity. */
double exact_root_of_squares(const exact_operands *v, unsigned *flags);

/* The divisor that normalizes a vector: the root of the squares. Infinite components count as
 * 1, and finite ones beside them as 0. */
typedef struct {
    exact_sum squares; /* in SQUARES_UNIT, see vector.c */
    double square;     /* the same, rounded to odd; NaN if there is a NaN */
    bool infinite;
} exact_norm;

exact_norm exact_norm_of(const exact_operands *v, unsigned *flags);

/* The component x of a vector normalized by its norm, and component k of a vector. */
double exact_ratio(uint16_t x, const exact_norm *norm);
double exact_normalize(const exact_operands *v, size_t k, unsigned *flags);

#endif
