// Khronos' headers, for all versions of OpenCL.
#ifndef HALFCL_LAYER_OPENCL_H
#define HALFCL_LAYER_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
// Newer headers declare functions of layers that older ones do not know.
#define CL_NO_NON_ICD_DISPATCH_EXTENSION_PROTOTYPES
#include <CL/cl_ext.h>
#include <CL/cl_layer.h>

// Older headers do not have them.
#ifndef CL_LAYER_NAME
#define CL_LAYER_NAME 0x4241
#endif
#ifndef CL_DEVICE_HALF_FP_CONFIG
#define CL_DEVICE_HALF_FP_CONFIG 0x1033
#endif

#endif
