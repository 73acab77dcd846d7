// The functions that the layer puts in place of the driver's, and the driver's.
#ifndef HALFCL_LAYER_ENTRY_H
#define HALFCL_LAYER_ENTRY_H

#include "opencl.h"
#include "settings.h"

// Functions that the layer replaces.
#define LAYER_FUNCTIONS(FUNCTION)                                                              \
    FUNCTION(clGetDeviceInfo)                                                                  \
    FUNCTION(clCreateProgramWithSource)                                                        \
    FUNCTION(clCreateProgramWithBinary)                                                        \
    FUNCTION(clCreateProgramWithIL)                                                            \
    FUNCTION(clRetainProgram)                                                                  \
    FUNCTION(clReleaseProgram)                                                                 \
    FUNCTION(clBuildProgram)                                                                   \
    FUNCTION(clCompileProgram)                                                                 \
    FUNCTION(clLinkProgram)                                                                    \
    FUNCTION(clUnloadPlatformCompiler)                                                         \
    FUNCTION(clUnloadCompiler)                                                                 \
    FUNCTION(clGetProgramInfo)                                                                 \
    FUNCTION(clGetProgramBuildInfo)                                                            \
    FUNCTION(clCreateKernel)                                                                   \
    FUNCTION(clCreateKernelsInProgram)                                                         \
    FUNCTION(clCloneKernel)                                                                    \
    FUNCTION(clRetainKernel)                                                                   \
    FUNCTION(clReleaseKernel)                                                                  \
    FUNCTION(clGetKernelInfo)                                                                  \
    FUNCTION(clGetKernelArgInfo)                                                               \
    FUNCTION(clGetKernelWorkGroupInfo)                                                         \
    FUNCTION(clGetKernelSubGroupInfo)                                                          \
    FUNCTION(clGetKernelSubGroupInfoKHR)                                                       \
    FUNCTION(clSetKernelArg)                                                                   \
    FUNCTION(clEnqueueNDRangeKernel)                                                           \
    FUNCTION(clGetExtensionFunctionAddressForPlatform)                                         \
    FUNCTION(clGetExtensionFunctionAddress)

#define DECLARE(name) __typeof__(*((cl_icd_dispatch *)0)->name) layer_##name;
LAYER_FUNCTIONS(DECLARE)
#undef DECLARE

// The functions below the layer, NULL where there are none: in constant memory once it is set.
const cl_icd_dispatch *driver(void);

const struct settings *settings(void);

#endif
