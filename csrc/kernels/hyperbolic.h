/* The hyperbolic functions and their inverses. */
#include "function.h"

TABLED(sinh)
TABLED(cosh)
TABLED(tanh)
TABLED(asinh)
TABLED(acosh)
TABLED(atanh)

#define HYPERBOLIC_KERNELS                                                                     \
    {"sinh", "e>e", sinh_e}, {"cosh", "e>e", cosh_e}, {"tanh", "e>e", tanh_e},                 \
        {"asinh", "e>e", asinh_e}, {"acosh", "e>e", acosh_e}, {"atanh", "e>e", atanh_e},
