#include "settings.h"

#include "log.h"
#include "system.h"

#include <stdlib.h>
#include <string.h>

// The value of a variable; the default if it is empty or not among the two values.
static const char *choose(const char *name, const char *standard, const char *other)
{
    const char *value = getenv(name);
    if (!value || !*value || !strcmp(value, standard))
        return standard;
    if (!strcmp(value, other))
        return other;
    log_line("%s: expected %s or %s, got %s; %s applies", name, standard, other, value,
             standard);
    return standard;
}

const struct settings *settings_read(void)
{
    static struct settings settings;
    char *log = system_variable("HALFCL_LAYER_LOG");
    log_open(log);
    free(log);
    settings.is_off = !strcmp(choose("HALFCL_LAYER", "translate", "off"), "off");
    settings.is_lenient = !strcmp(choose("HALFCL_LAYER_LENIENT", "0", "1"), "1");
    settings.floats = choose("HALFCL_LAYER_FLOATS", "exact", "device");
    char *python = system_variable("HALFCL_LAYER_PYTHON");
    free(settings.python);
    settings.python = python && *python ? text_duplicate(python) : NULL;
    free(python);
    return &settings;
}
