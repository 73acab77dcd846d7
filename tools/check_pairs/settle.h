/* Results that must be rounded: by the C library where that is certain, else by MPFR.
 *
 * What rounding to half asks of an exact result is where it lies among the halves, the
 * midpoints between them, and the limits of overflow and underflow: all of them numbers of
 * 12 bits or fewer. A double that is farther than 2^-39 (relatively) from every number of 12
 * bits, and closer than that to the exact result, has the same of them on either side. The C
 * library's functions are within a few units of 2^-53 (glibc documents 1 ulp at most for
 * pow, atan2, hypot, exp, exp2 and log1p), and what is done with them here loses 2^8 of these
 * at most. So MPFR, which rounds correctly and says whether the result is exact, is asked for
 * about one pair in 2^26 by chance, and for the exact results and those that are nearly so
 * for a reason. */
#ifndef SETTLE_H
#define SETTLE_H

#include <mpfr.h>

#include "halves.h"

/* Compute like mpfr_pow: the result rounded in the mode, and whether that changed it. */
typedef int mpfr_binary(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);

/* f(x, y) rounded to odd, given an estimate of it. */
double settle(double estimate, mpfr_binary *f, double x, double y);

/* Compute by MPFR whatever the estimate would be. */
double settle_by_mpfr(mpfr_binary *f, double x, double y);

/* A number between x, which is a half, and the first number where half rounds that is larger
 * in magnitude, or smaller. A zero has none before it. */
double just_beyond(double x);
double just_before(double x);

/* True if MPFR was asked since this was last called, by this thread, and how far, relatively,
 * the result was from a number of 12 bits: 0 if it was exact. */
bool mpfr_was_asked(double *distance);

/* True if the last estimate to be settled was within some units of a float's last place of a
 * number of 12 bits, since this was last called. */
bool was_close(void);

void init_settling(void); /* in each thread */
void end_settling(void);

#endif
