/* The mathematical functions in double-double arithmetic: what the tables of table.h are
 * filled from, and what decides where a faster result lies too close to where half rounds.
 *
 * An argument is a half (an integer: any int32): finite, zero of either sign or infinite,
 * but no NaN. A result is within 2^-80 of the function relatively, its sign included, and
 * exact if and only if its lo is 0: exact results come from an arithmetic argument, never
 * from closeness. Zeros have their sign; poles give infinities, arguments outside the domain
 * NaN. Where a function saturates, overflows or vanishes, what is beyond half's reach may be
 * replaced by anything inexact on the same side of the same halves.
 *
 * Edge cases as C11 annex F.10 and OpenCL C's "Edge Case Behavior" have them. They run in
 * rounding to nearest.
 *
 * A function has a line in exact/functions.h, and dd_name() in one of the files beside this. */
#ifndef HALFCL_DD_FUNCTIONS_H
#define HALFCL_DD_FUNCTIONS_H

#include "exact/doubledouble/dd.h"
#include "exact/functions.h"

#define HALFCL_DECLARE(name, symmetry) dd dd_##name(double x);
HALFCL_FUNCTIONS(HALFCL_DECLARE)
#undef HALFCL_DECLARE

#define HALFCL_DECLARE(name, second) dd dd_##name(double x, second y);
HALFCL_FUNCTIONS2(HALFCL_DECLARE)
#undef HALFCL_DECLARE

/* dd_lgamma of a half in a fraction of the time, within that error, or NaN. */
double halfcl_lgamma_estimate(double x, double *error);

#endif
