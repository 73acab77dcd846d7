/* The kernels of each instruction set of targets.def. */
#ifndef HALFCL_TARGETS_H
#define HALFCL_TARGETS_H

#include "env/env.h"
#include "halfcl.h"

#define TARGET(name, features) extern const halfcl_isa halfcl_##name;
#include "targets/targets.def"
#undef TARGET

#endif
