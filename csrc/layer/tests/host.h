// OpenCL's objects for the tests' programs, and checks that name the line.
#ifndef HALFCL_LAYER_HOST_H
#define HALFCL_LAYER_HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);            \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

#define CHECK_STATUS(call, expected)                                                           \
    do {                                                                                       \
        cl_int status_ = (call);                                                               \
        if (status_ != (expected)) {                                                           \
            fprintf(stderr, "%s:%d: %s: status %d, expected %d\n", __FILE__, __LINE__, #call,  \
                    status_, (int)(expected));                                                 \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

#define CALL(call) CHECK_STATUS(call, CL_SUCCESS)

#define DEVICES_MAX 4

struct host {
    cl_uint count;
    cl_device_id devices[DEVICES_MAX];
    cl_context context;
    cl_command_queue queues[DEVICES_MAX];
};

static inline struct host open_host(void)
{
    struct host host = {0};
    cl_platform_id platform;
    cl_int status;
    CALL(clGetPlatformIDs(1, &platform, NULL));
    CALL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, host.devices, &host.count));
    host.count = host.count < DEVICES_MAX ? host.count : DEVICES_MAX;
    host.context = clCreateContext(NULL, host.count, host.devices, NULL, NULL, &status);
    CALL(status);
    for (cl_uint i = 0; i < host.count; i++) {
        host.queues[i] = clCreateCommandQueue(host.context, host.devices[i], 0, &status);
        CALL(status);
    }
    return host;
}

static inline void close_host(struct host *host)
{
    for (cl_uint i = 0; i < host->count; i++)
        CALL(clReleaseCommandQueue(host->queues[i]));
    CALL(clReleaseContext(host->context));
}

static inline cl_program make_program(const struct host *host, const char *source)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(host->context, 1, &source, NULL, &status);
    CALL(status);
    return program;
}

static inline void print_log(cl_program program, cl_device_id device, char *log, size_t room)
{
    CALL(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, room, log, NULL));
}

static inline void build(const struct host *host, cl_program program, const char *options)
{
    cl_int status = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (!status)
        return;
    static char log[100000];
    print_log(program, host->devices[0], log, sizeof log);
    fprintf(stderr, "status %d, log:\n%s\n", status, log);
    exit(1);
}

static inline cl_kernel make_kernel(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    CALL(status);
    return kernel;
}

// Runs kernel(out, argument) for one work-item on a device, and returns out[0].
static inline int run_kernel(const struct host *host, cl_uint device, cl_kernel kernel,
                             const void *argument, size_t size)
{
    cl_int status;
    cl_mem out = clCreateBuffer(host->context, CL_MEM_READ_WRITE, sizeof(int), NULL, &status);
    CALL(status);
    CALL(clSetKernelArg(kernel, 0, sizeof(cl_mem), &out));
    CALL(clSetKernelArg(kernel, 1, size, argument));
    int result = -1;
    cl_command_queue queue = host->queues[device];
    CALL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    CALL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    CALL(clReleaseMemObject(out));
    return result;
}

static inline cl_uint count_references(cl_program program)
{
    cl_uint count;
    CALL(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static inline cl_build_status build_status(cl_program program, cl_device_id device)
{
    cl_build_status status;
    CALL(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                               NULL));
    return status;
}

#endif
