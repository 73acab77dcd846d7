/* The mathematical functions by table: for each function of one argument its 65,536 results,
 * each computed in double-double arithmetic when it is first needed; and those of two
 * arguments, one result at a time.
 *
 * Results are floats rounded to odd: truncated with a sticky bit. A float has 13 bits more than
 * a half, so that rounding once more, to half in any mode, gives the rounded exact result, with
 * its overflow and underflow. */
#ifndef HALFCL_TABLE_H
#define HALFCL_TABLE_H

#include "exact/doubledouble/functions.h"

#define HALFCL_ID(name, symmetry) FUNCTION_##name,
typedef enum { HALFCL_FUNCTIONS(HALFCL_ID) FUNCTIONS } halfcl_function;
#undef HALFCL_ID

enum { HALVES = 1 << 16 };

/* The bits of an entry that is not computed yet: a NaN that is no result. Several threads may
 * write entries, all of them the same ones, while others read. An entry may even disappear
 * once, if several threads make the first call together. */
enum { HALFCL_MISSING = -1 };

/* The table of a function, indexed by the bits of the half; NaN for every NaN. */
typedef struct {
    const float *entries;
    halfcl_function id;
} halfcl_table;

halfcl_table halfcl_table_of(halfcl_function id);

/* Computes the missing entries for these halves. Sets and restores the floating-point
 * environment. */
void halfcl_fill_table(halfcl_function id, const uint16_t *halves, size_t n);

/* Returns one entry, and adds the exceptions that rounding it to half does not raise: invalid
 * if a number (or a signalling NaN) gives NaN, division by zero if a finite number gives an
 * infinity. */
float halfcl_function_at(halfcl_function id, uint16_t half);
unsigned halfcl_function_flags(halfcl_function id, uint16_t half);

/* Returns the sine and the cosine side by side, indexed by the magnitudes of halves: half as
 * much memory, which fits small caches. */
const float *halfcl_sincos_table(void);
void halfcl_fill_sincos_table(const uint16_t *halves, size_t n);

/* Forgets all entries, for tests of first calls. No other thread may be reading. */
void halfcl_forget_tables(void);

/* Returns f(x, y) rounded to odd, for any halves, a NaN for any NaN; adds the exceptions that
 * rounding it to half does not raise. Sets and restores the floating-point environment. */
typedef dd halfcl_dd_binary(double x, double y);
float halfcl_evaluate(halfcl_dd_binary *f, uint16_t x, uint16_t y, unsigned *flags);

/* Returns f(x, n) for a half and an integer. */
typedef dd halfcl_dd_power(double x, int32_t n);
float halfcl_evaluate_power(halfcl_dd_power *f, uint16_t x, int32_t n, unsigned *flags);

#endif
