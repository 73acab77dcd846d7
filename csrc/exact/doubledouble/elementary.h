/* Elementary functions of double-double arguments that several functions use: within a relative
 * error of 2^-95, without edge cases. */
#ifndef HALFCL_DD_ELEMENTARY_H
#define HALFCL_DD_ELEMENTARY_H

#include "exact/doubledouble/dd.h"

/* exp_log.c */
dd dd_exp_of(dd x);   /* e^x for |x| < 600 */
dd dd_expm1_of(dd x); /* e^x - 1 for |x| < 600, relatively accurate near 0 */
dd dd_exp2_of(dd x);  /* 2^x for |x| < 900 */
dd dd_log_of(dd x);   /* for x > 0; near 1 within 2^-95 |x - 1| */
dd dd_log1p_of(dd x); /* log(1 + x) for x > -1, relatively accurate near 0 */
dd dd_log2_of(dd x);  /* log_of / log 2 */
/* e^x for any finite x, marked inexact; beyond half's range the result is any inexact number
 * beyond it */
dd dd_exp_bounded(dd x);

#endif
