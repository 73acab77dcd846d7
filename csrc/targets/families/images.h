/* Images. */
#ifndef HALFCL_BASE

#include "targets/family.h"

#include "kernels/images/kernels.h"

/* clang-format off */
HALFCL_FAMILY(images,
    IMAGE_KERNELS)
/* clang-format on */

#endif
