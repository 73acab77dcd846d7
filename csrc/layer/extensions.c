// Functions that programs ask for by name.
#include "entry.h"

#include <string.h>

// Drivers may name functions of the core, too: programs get the layer's where it has one.
static void *replace(const char *name, void *address)
{
    if (!address || !name)
        return address;
#define COMPARE(function)                                                                      \
    if (!strcmp(name, #function))                                                              \
        return (void *)(size_t)layer_##function;
    LAYER_FUNCTIONS(COMPARE)
#undef COMPARE
    return address;
}

void *CL_API_CALL layer_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                 const char *name)
{
    return replace(name, driver()->clGetExtensionFunctionAddressForPlatform(platform, name));
}

void *CL_API_CALL layer_clGetExtensionFunctionAddress(const char *name)
{
    return replace(name, driver()->clGetExtensionFunctionAddress(name));
}
