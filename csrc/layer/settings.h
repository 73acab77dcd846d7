// Settings by the environment (README.md lists the variables).
#ifndef HALFCL_LAYER_SETTINGS_H
#define HALFCL_LAYER_SETTINGS_H

#include <stdbool.h>

struct settings {
    bool is_off;
    bool is_lenient;
    const char *floats; // "exact" or "device"
    char *python;       // or NULL
};

// Reads the environment, once.
const struct settings *settings_read(void);

#endif
