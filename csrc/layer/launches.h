// Rules for the arguments and launches of kernels.
#ifndef HALFCL_LAYER_LAUNCHES_H
#define HALFCL_LAYER_LAUNCHES_H

#include "objects.h"

// Finds the rules of a kernel among those of a program. Returns false if there is no memory.
bool launches_read_rules(const struct program *program, cl_kernel kernel,
                         struct launch_rules *rules);

#endif
