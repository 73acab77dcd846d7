/* Other processors: nothing that matters here is known of them. */
#include "env/env.h"

#ifndef HALFCL_X86

const char *halfcl_cpu_feature(size_t index)
{
    (void)index;
    return NULL;
}

#endif
