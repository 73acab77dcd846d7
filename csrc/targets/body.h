/* The body that a target compiles: the set, unless another file is named, as for its families
 * and by tests. */
#ifndef HALFCL_TARGET_BODY
#define HALFCL_TARGET_BODY "targets/set.h"
#endif

#include HALFCL_TARGET_BODY
