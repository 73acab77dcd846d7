#include "queries.h"

#include "answers.h"
#include "entry.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static cl_int query_program(const void *program, cl_uint name, size_t room, void *value,
                            size_t *size)
{
    return driver()->clGetProgramInfo((cl_program)(uintptr_t)program, name, room, value, size);
}

// A program and a device.
struct pair {
    cl_program program;
    cl_device_id device;
};

static cl_int query_build(const void *objects, cl_uint name, size_t room, void *value,
                          size_t *size)
{
    const struct pair *pair = objects;
    return driver()->clGetProgramBuildInfo(pair->program, pair->device, name, room, value,
                                           size);
}

static cl_int query_kernel(const void *kernel, cl_uint name, size_t room, void *value,
                           size_t *size)
{
    return driver()->clGetKernelInfo((cl_kernel)(uintptr_t)kernel, name, room, value, size);
}

cl_device_id *query_devices(cl_program program, cl_uint *count)
{
    size_t size;
    char *bytes = query_bytes(query_program, program, CL_PROGRAM_DEVICES, &size);
    *count = bytes ? (cl_uint)(size / sizeof(cl_device_id)) : 0;
    return (cl_device_id *)(void *)bytes;
}

char *query_log(cl_program program, cl_device_id device)
{
    return query_bytes(query_build, &(struct pair){program, device}, CL_PROGRAM_BUILD_LOG,
                       NULL);
}

cl_int query_build_status(cl_program program, cl_device_id device)
{
    cl_build_status status = CL_BUILD_NONE;
    query_build(&(struct pair){program, device}, CL_PROGRAM_BUILD_STATUS, sizeof status,
                &status, NULL);
    return status;
}

cl_program_binary_type query_binary_type(cl_program program, cl_device_id device)
{
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    query_build(&(struct pair){program, device}, CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                NULL);
    return type;
}

static cl_uint position_of(const cl_device_id *devices, cl_uint count, cl_device_id device)
{
    cl_uint position = 0;
    while (position < count && devices[position] != device)
        position++;
    return position;
}

// Returns the position of a device among the `count` binaries of a program; `count` if it has
// none. OpenCL has one for each of its devices; PoCL 3 has those that it was built for.
static cl_uint position_of_binary(cl_program program, const cl_device_id *built,
                                  cl_uint built_count, cl_uint position, cl_uint count)
{
    cl_uint device_count;
    cl_device_id *devices = query_devices(program, &device_count);
    cl_uint position_of_device = count;
    if (devices && device_count == count)
        position_of_device = position_of(devices, count, built[position]);
    else if (devices && built_count == count)
        position_of_device = position;
    free(devices);
    return position_of_device;
}

static void free_all(unsigned char **binaries, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        free(binaries[i]);
    free(binaries);
}

// Has the driver write all binaries. It should skip NULLs, but PoCL does not.
static unsigned char **read_binaries(cl_program program, cl_uint count, const size_t *sizes)
{
    unsigned char **binaries = calloc(count, sizeof *binaries);
    if (!binaries)
        return NULL;
    bool has_memory = true;
    for (cl_uint i = 0; i < count; i++) {
        binaries[i] = malloc(sizes[i] + 1);
        has_memory = has_memory && binaries[i];
    }
    if (has_memory &&
        !query_program(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL))
        return binaries;
    free_all(binaries, count);
    return NULL;
}

static unsigned char *take_binary(cl_program program, cl_uint position, cl_uint count,
                                  const size_t *sizes)
{
    unsigned char **binaries = read_binaries(program, count, sizes);
    if (!binaries)
        return NULL;
    unsigned char *binary = binaries[position];
    binaries[position] = NULL;
    free_all(binaries, count);
    return binary;
}

unsigned char *query_binary(cl_program program, const cl_device_id *built, cl_uint built_count,
                            cl_uint position, size_t *size)
{
    size_t bytes = 0;
    size_t *sizes =
        (size_t *)(void *)query_bytes(query_program, program, CL_PROGRAM_BINARY_SIZES, &bytes);
    cl_uint count = (cl_uint)(bytes / sizeof *sizes);
    unsigned char *binary = NULL;
    *size = 0;
    cl_uint at =
        sizes ? position_of_binary(program, built, built_count, position, count) : count;
    if (at < count && sizes[at]) {
        binary = take_binary(program, at, count, sizes);
        *size = binary ? sizes[at] : 0;
    }
    free(sizes);
    return binary;
}

char *query_kernel_name(cl_kernel kernel)
{
    return query_bytes(query_kernel, kernel, CL_KERNEL_FUNCTION_NAME, NULL);
}
