#include "queries.h"

#include "answers.h"
#include "entry.h"

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

static cl_int query_build(const void *objects, cl_uint name, size_t room, void *value, size_t *size)
{
    const struct pair *pair = objects;
    return driver()->clGetProgramBuildInfo(pair->program, pair->device, name, room, value, size);
}

static cl_int query_kernel(const void *kernel, cl_uint name, size_t room, void *value, size_t *size)
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
    return query_bytes(query_build, &(struct pair){program, device}, CL_PROGRAM_BUILD_LOG, NULL);
}

cl_int query_build_status(cl_program program, cl_device_id device)
{
    cl_build_status status = CL_BUILD_NONE;
    query_build(&(struct pair){program, device}, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                NULL);
    return status;
}

cl_program_binary_type query_binary_type(cl_program program, cl_device_id device)
{
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    query_build(&(struct pair){program, device}, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
    return type;
}

static cl_uint position_of(const cl_device_id *devices, cl_uint count, cl_device_id device)
{
    cl_uint position = 0;
    while (position < count && devices[position] != device)
        position++;
    return position;
}

// Has the driver write the binary at one position of a program's devices; it skips NULLs.
static unsigned char *read_binary(cl_program program, cl_uint position, cl_uint count, size_t size)
{
    unsigned char **binaries = calloc(count, sizeof *binaries);
    unsigned char *binary = binaries ? malloc(size) : NULL;
    if (binary) {
        binaries[position] = binary;
        if (query_program(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL)) {
            free(binary);
            binary = NULL;
        }
    }
    free(binaries);
    return binary;
}

unsigned char *query_binary(cl_program program, cl_device_id device, size_t *size)
{
    cl_uint count;
    cl_device_id *devices = query_devices(program, &count);
    cl_uint position = devices ? position_of(devices, count, device) : 0;
    size_t bytes = 0;
    size_t *sizes = (size_t *)(void *)query_bytes(query_program, program, CL_PROGRAM_BINARY_SIZES,
                                                  &bytes);
    unsigned char *binary = NULL;
    *size = 0;
    if (sizes && position < count && position < bytes / sizeof *sizes && sizes[position]) {
        binary = read_binary(program, position, count, sizes[position]);
        *size = binary ? sizes[position] : 0;
    }
    free(sizes);
    free(devices);
    return binary;
}

char *query_kernel_name(cl_kernel kernel)
{
    return query_bytes(query_kernel, kernel, CL_KERNEL_FUNCTION_NAME, NULL);
}
