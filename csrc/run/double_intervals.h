/* Arithmetic of intervals between doubles, rounded outward: each bound is the double next to
 * the exact one, or equal to it. The bounds of an empty interval are NaN, other bounds are
 * numbers or infinities; a lower bound is never +inf, an upper one never -inf. The sign of a
 * bound that is 0 says nothing. */
#ifndef HALFCL_DOUBLE_INTERVALS_H
#define HALFCL_DOUBLE_INTERVALS_H

#include "halfcl.h"

typedef enum {
    HALFCL_INTERVALS_ADD,
    HALFCL_INTERVALS_SUBTRACT,
    HALFCL_INTERVALS_MULTIPLY, /* 0 * inf, of bounds, is 0 */
    HALFCL_INTERVALS_DIVIDE,   /* quotients by the nonzero numbers of the second interval */
    HALFCL_INTERVALS_FACTOR,   /* numbers whose products with the second may be in the first */
    HALFCL_INTERVALS_SQUARE,
    HALFCL_INTERVALS_SQRT, /* of the numbers that are not negative */
    HALFCL_INTERVALS_ABS,
    HALFCL_INTERVALS_NEGATE,
    HALFCL_INTERVALS_MINIMUM,
    HALFCL_INTERVALS_MAXIMUM,
    HALFCL_INTERVALS_INTERSECTION,
    HALFCL_INTERVALS_HULL,   /* around both intervals, of which either may be empty */
    HALFCL_INTERVALS_CHOOSE, /* the first where a mask of bytes is 1, the second where it is 0
                              */
    HALFCL_INTERVALS_FLIP,   /* negated where a mask of bytes is 1 */
    HALFCL_INTERVALS_CUT,    /* the point at which to cut an interval, as both bounds: half-way
                              * or, if the sizes of its numbers differ much, the geometric mean;
                              * toward infinity at twice the finite bound */
    HALFCL_INTERVALS_MIDDLE, /* the midpoint, or of an unbounded interval a finite bound or 0 */
    /* elementary functions, of the numbers in their domain; the relative error is below 2^-43
     */
    HALFCL_INTERVALS_EXP,
    HALFCL_INTERVALS_EXP2,
    HALFCL_INTERVALS_EXPM1,
    HALFCL_INTERVALS_LOG,
    HALFCL_INTERVALS_LOG1P,
    HALFCL_INTERVALS_SINH,
    HALFCL_INTERVALS_COSH,
    HALFCL_INTERVALS_TANH,
    HALFCL_INTERVALS_ASINH,
    HALFCL_INTERVALS_ACOSH,
    HALFCL_INTERVALS_ATANH,
    HALFCL_INTERVALS_CBRT,
    HALFCL_INTERVALS_ATAN,
    HALFCL_INTERVALS_ASIN,
    HALFCL_INTERVALS_ACOS,
    HALFCL_INTERVALS_SIN,
    HALFCL_INTERVALS_COS,
    HALFCL_INTERVALS_TAN,
    HALFCL_INTERVALS_SINPI,
    HALFCL_INTERVALS_COSPI,
    HALFCL_INTERVALS_TANPI,
    HALFCL_INTERVALS_OPERATIONS
} halfcl_intervals_operation;

/* One operand: n elements, or one that is the same for all. */
typedef struct {
    const void *at;
    bool is_single;
} halfcl_intervals_operand;

/* The greatest number of operands of an operation: a mask, if it has one, then the lower and
 * the upper bounds of each interval. */
enum { HALFCL_INTERVALS_MOST = 5 };

/* Returns the number of operands of an operation. */
int halfcl_intervals_operands(halfcl_intervals_operation operation);

/* Compute n intervals. The results must not overlap the operands. The environment of the
 * caller, with its exceptions, is kept. */
void halfcl_run_intervals(halfcl_intervals_operation operation,
                          const halfcl_intervals_operand *operands, double *lo, double *hi,
                          size_t n);

/* The powers of one interval to an integer above 0. */
void halfcl_run_interval_powers(uint64_t exponent, const halfcl_intervals_operand *operands,
                                double *lo, double *hi, size_t n);

#endif
