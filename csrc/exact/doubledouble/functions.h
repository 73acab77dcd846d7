/* The mathematical functions in double-double arithmetic: they fill the tables of table.h, and
 * decide hard cases, where a faster result lies too close to a number at which half rounds.
 *
 * An argument is a half (an integer argument: any int32): finite, zero of either sign or
 * infinite, but no NaN. The relative error of a result is within 2^-80, its sign is right, and
 * it is exact if and only if its lo is 0: exact results come from an arithmetic argument, never
 * from closeness. Zeros have their sign; poles give infinities, arguments outside the domain
 * NaN. Where a function saturates, overflows or vanishes, results beyond half's range may be
 * replaced by anything inexact on the same side of the same halves.
 *
 * Edge cases follow C11 annex F.10 and OpenCL C's "Edge Case Behavior". The functions expect
 * rounding to nearest.
 *
 * A function has a line in exact/functions.h, and dd_name() in one of the files in this
 * folder. */
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

/* Returns dd_lgamma of a half in a fraction of the time, within that error, or NaN. */
double halfcl_lgamma_estimate(double x, double *error);

#endif
