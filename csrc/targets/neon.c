/* The kernels for 64-bit Arm, of which every processor has Advanced SIMD. */
#include "targets/targets.h"

#ifdef HALFCL_ARM

#define HALFCL_TARGET neon
#define HALFCL_VOCABULARY "simd/neon.h"
#include "targets/body.h"

#endif
