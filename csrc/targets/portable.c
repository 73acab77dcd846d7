/* The kernels for any processor. */
#include "targets.h"

#include "../simd/portable.h"

#include "kernels.h"

const halfcl_isa halfcl_portable = KERNELS_NAMED("portable");
