/* The mathematical functions that have a reference in double-double arithmetic, a line each.
 * The lists generate the references' declarations and the tables; the engine's tests and
 * tools/check_pairs use them, too. */
#ifndef HALFCL_FUNCTIONS_H
#define HALFCL_FUNCTIONS_H

/* Functions of one half, and how f(-x) follows from f(x): odd, even or not at all. */
#define HALFCL_FUNCTIONS(FUNCTION)                                                             \
    FUNCTION(exp, NO)                                                                          \
    FUNCTION(exp2, NO)                                                                         \
    FUNCTION(exp10, NO)                                                                        \
    FUNCTION(expm1, NO)                                                                        \
    FUNCTION(exp2m1, NO)                                                                       \
    FUNCTION(exp10m1, NO)                                                                      \
    FUNCTION(log, NO)                                                                          \
    FUNCTION(log2, NO)                                                                         \
    FUNCTION(log10, NO)                                                                        \
    FUNCTION(log1p, NO)                                                                        \
    FUNCTION(log2p1, NO)                                                                       \
    FUNCTION(log10p1, NO)                                                                      \
    FUNCTION(sin, ODD)                                                                         \
    FUNCTION(cos, EVEN)                                                                        \
    FUNCTION(tan, ODD)                                                                         \
    FUNCTION(sinpi, ODD)                                                                       \
    FUNCTION(cospi, EVEN)                                                                      \
    FUNCTION(tanpi, ODD)                                                                       \
    FUNCTION(asin, ODD)                                                                        \
    FUNCTION(acos, NO)                                                                         \
    FUNCTION(atan, ODD)                                                                        \
    FUNCTION(asinpi, ODD)                                                                      \
    FUNCTION(acospi, NO)                                                                       \
    FUNCTION(atanpi, ODD)                                                                      \
    FUNCTION(degrees, ODD)                                                                     \
    FUNCTION(radians, ODD)                                                                     \
    FUNCTION(sinh, ODD)                                                                        \
    FUNCTION(cosh, EVEN)                                                                       \
    FUNCTION(tanh, ODD)                                                                        \
    FUNCTION(asinh, ODD)                                                                       \
    FUNCTION(acosh, NO)                                                                        \
    FUNCTION(atanh, ODD)                                                                       \
    FUNCTION(erf, ODD)                                                                         \
    FUNCTION(erfc, NO)                                                                         \
    FUNCTION(tgamma, NO)                                                                       \
    FUNCTION(lgamma, NO)                                                                       \
    FUNCTION(cbrt, ODD)                                                                        \
    FUNCTION(rsqrt, NO)

/* Functions of two halves (the second one a double, for the reference), or of a half and an
 * integer. Their order affects the digests of tools/check_pairs. */
#define HALFCL_FUNCTIONS2(FUNCTION)                                                            \
    FUNCTION(hypot, double)                                                                    \
    FUNCTION(pow, double)                                                                      \
    FUNCTION(powr, double)                                                                     \
    FUNCTION(pown, int32_t)                                                                    \
    FUNCTION(rootn, int32_t)                                                                   \
    FUNCTION(atan2, double)                                                                    \
    FUNCTION(atan2pi, double)                                                                  \
    FUNCTION(logaddexp, double)                                                                \
    FUNCTION(logaddexp2, double)                                                               \
    FUNCTION(compoundn, int32_t)

#endif
