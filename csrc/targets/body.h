/* What a target compiles: its kernels, unless another file is named, as tests do. */
#ifndef HALFCL_TARGET_BODY
#define HALFCL_TARGET_BODY "targets/kernels.h"
#endif

#include HALFCL_TARGET_BODY
