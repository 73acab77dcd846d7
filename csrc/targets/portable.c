/* The kernels for any processor. */
#include "targets/targets.h"

#define HALFCL_TARGET portable
#define HALFCL_VOCABULARY "simd/portable.h"
#include "targets/body.h"
