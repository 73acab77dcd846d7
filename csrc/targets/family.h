/* Macros by which a family's header in families/ gives its kernels to the instruction set being
 * compiled. Include it before the kernels' headers. */
#ifndef HALFCL_FAMILY_H
#define HALFCL_FAMILY_H

#include "halfcl.h"
#include "kernels/shared/rows.h"

/* A header that two families need includes the kernels of one in the other. */
#pragma GCC diagnostic ignored "-Wunused-function"

#define HALFCL_PASTED(target, name) halfcl_##target##_##name
#define HALFCL_PASTE(target, name) HALFCL_PASTED(target, name)

/* A name with the target in it: halfcl_avx2_functions. */
#define HALFCL_OF_TARGET(name) HALFCL_PASTE(HALFCL_TARGET, name)

/* Defines a family of these rows. */
#define HALFCL_FAMILY(name, ...)                                                               \
    static const halfcl_kernel name##_rows[] = {__VA_ARGS__};                                  \
    extern const halfcl_family HALFCL_OF_TARGET(name);                                         \
    const halfcl_family HALFCL_OF_TARGET(name) = {name##_rows,                                 \
                                                  sizeof name##_rows / sizeof *name##_rows};

#endif
