/* On other processors no feature is used. */
#include "env/env.h"

#if !defined HALFCL_X86 && !defined HALFCL_ARM

const char *halfcl_cpu_feature(size_t index)
{
    (void)index;
    return NULL;
}

#endif
