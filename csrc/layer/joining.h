// Several programs of the driver, each built for other devices, as one.
#ifndef HALFCL_LAYER_JOINING_H
#define HALFCL_LAYER_JOINING_H

#include "objects.h"

// Finds what the shadows of a program were built to: `*executable` is retained, or NULL if
// there are no shadows, or none was built.
cl_int join_builds(struct program *program, cl_program *executable);

// The binary that was built for a device, to be freed; NULL if there is none.
unsigned char *binary_of_build(struct program *program, cl_device_id device, size_t *size);

#endif
