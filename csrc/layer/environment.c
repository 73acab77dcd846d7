#include "environment.h"

#include "system.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *part)
{
    return !SYSTEM_COMPARE_NAMES(text, part, strlen(part));
}

bool environment_passes(const char *variable, bool has_package)
{
    if (begins(variable, "OPENCL_LAYERS=") || (has_package && begins(variable, "PYTHONPATH=")))
        return false;
    return !begins(variable, "HALFCL_LAYER") || begins(variable, "HALFCL_LAYER_LOG=") ||
           begins(variable, "HALFCL_LAYER_CACHE=");
}

char *environment_python_path(const char *package)
{
    char *before = system_variable("PYTHONPATH");
    char *path = before && *before
                     ? text_print("PYTHONPATH=%s%c%s", package, SYSTEM_PATH_SEPARATOR, before)
                     : text_print("PYTHONPATH=%s", package);
    free(before);
    return path;
}
