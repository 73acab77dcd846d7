// Queries of the driver about programs and kernels.
#ifndef HALFCL_LAYER_QUERIES_H
#define HALFCL_LAYER_QUERIES_H

#include "opencl.h"

#include <stddef.h>

// The devices of a program, to be freed; NULL on failure.
cl_device_id *query_devices(cl_program program, cl_uint *count);

// A device's build log, to be freed; NULL on failure.
char *query_log(cl_program program, cl_device_id device);

cl_int query_build_status(cl_program program, cl_device_id device);
cl_program_binary_type query_binary_type(cl_program program, cl_device_id device);

// The binary of the device at a position among those that a program was built for, to be freed;
// NULL if there is none.
unsigned char *query_binary(cl_program program, const cl_device_id *built, cl_uint built_count,
                            cl_uint position, size_t *size);

// A kernel's name, to be freed.
char *query_kernel_name(cl_kernel kernel);

#endif
