// Devices: what they support with the layer, and how they are described to the translator.
#ifndef HALFCL_LAYER_DEVICES_H
#define HALFCL_LAYER_DEVICES_H

#include "messages.h"
#include "opencl.h"

// Returns whether programs are translated for a device: it has a compiler, and no rounding
// modes of its own (another copy of the layer may be below).
bool device_is_translated_for(cl_device_id device);

// Adds a device's fields to a request.
void device_describe(cl_device_id device, struct message *request);

#endif
