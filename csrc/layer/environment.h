// The variables of the program that the translator's process gets.
#ifndef HALFCL_LAYER_ENVIRONMENT_H
#define HALFCL_LAYER_ENVIRONMENT_H

#include <stdbool.h>

// Returns whether a variable, as NAME=VALUE, is passed on. `has_package`: PYTHONPATH is
// replaced.
bool environment_passes(const char *variable, bool has_package);

// PYTHONPATH with a folder in front, as NAME=VALUE, to be freed.
char *environment_python_path(const char *package);

#endif
