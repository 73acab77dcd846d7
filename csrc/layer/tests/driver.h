// A driver without a device, which counts what is alive: the layer's references have to come
// out even.
#ifndef HALFCL_LAYER_DRIVER_H
#define HALFCL_LAYER_DRIVER_H

#include <CL/cl_layer.h>

#include <stdatomic.h>

// Objects that have not been released.
extern atomic_int programs_alive, kernels_alive;

// Programs that were made, and builds that were run, so far.
extern atomic_int programs_made, builds_run;

// Two devices, whose names differ, and a context of both.
extern cl_device_id driver_devices[2];
extern cl_context driver_context;

// The driver's functions; the others are NULL.
const cl_icd_dispatch *driver_table(void);

#endif
