#include "joining.h"

#include "entry.h"
#include "log.h"
#include "queries.h"

#include <stdlib.h>

// A device with the program that was built for it, and its binary.
struct part {
    cl_device_id device;
    cl_program program; // retained
    unsigned char *binary;
    size_t size;
};

// Returns the program that was built for a device, retained; NULL if none was. Call it under
// the lock.
static cl_program built_for(const struct program *program, const struct device_build *build)
{
    cl_program built = build->is_shadowed ? build->shadow : objects_handle(program);
    cl_int status =
        build->is_shadowed ? build->status : query_build_status(built, build->device);
    if (!built || status != CL_BUILD_SUCCESS)
        return NULL;
    driver()->clRetainProgram(built);
    return built;
}

// Finds all devices that a program was built for, in the order of its devices. NULL if there is
// no memory.
static struct part *find_parts(const struct program *program, cl_uint *count, bool *is_shadowed)
{
    *count = 0;
    objects_lock();
    *is_shadowed = objects_is_shadowed(program);
    struct part *parts = calloc(program->device_count + 1, sizeof *parts);
    for (cl_uint i = 0; parts && i < program->device_count; i++) {
        const struct device_build *build = &program->builds[i];
        cl_program built = built_for(program, build);
        if (built)
            parts[(*count)++] = (struct part){.device = build->device, .program = built};
    }
    objects_unlock();
    return parts;
}

static void free_parts(struct part *parts, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) {
        driver()->clReleaseProgram(parts[i].program);
        free(parts[i].binary);
    }
    free(parts);
}

static bool are_same(const struct part *parts, cl_uint count)
{
    for (cl_uint i = 1; i < count; i++)
        if (parts[i].program != parts[0].program)
            return false;
    return true;
}

// Reads the binary of a part. All devices that its program was built for are parts, in the
// order in which the driver got them.
static unsigned char *read_binary(const struct part *parts, cl_uint count, cl_uint index,
                                  size_t *size)
{
    cl_device_id *built = calloc(count, sizeof *built);
    cl_uint built_count = 0, position = 0;
    for (cl_uint i = 0; built && i < count; i++) {
        if (parts[i].program != parts[index].program)
            continue;
        if (i == index)
            position = built_count;
        built[built_count++] = parts[i].device;
    }
    unsigned char *binary =
        built ? query_binary(parts[index].program, built, built_count, position, size) : NULL;
    free(built);
    return binary;
}

static bool read_binaries(struct part *parts, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) {
        parts[i].binary = read_binary(parts, count, i, &parts[i].size);
        if (!parts[i].binary)
            return false;
    }
    return true;
}

// Arguments of clCreateProgramWithBinary.
struct binaries {
    cl_device_id *devices;
    size_t *sizes;
    const unsigned char **bytes;
};

static cl_program create(cl_context context, const struct part *parts, cl_uint count,
                         cl_int *status)
{
    struct binaries binaries = {
        calloc(count, sizeof *binaries.devices),
        calloc(count, sizeof *binaries.sizes),
        calloc(count, sizeof *binaries.bytes),
    };
    cl_program joined = NULL;
    *status = CL_OUT_OF_HOST_MEMORY;
    if (binaries.devices && binaries.sizes && binaries.bytes) {
        for (cl_uint i = 0; i < count; i++) {
            binaries.devices[i] = parts[i].device;
            binaries.sizes[i] = parts[i].size;
            binaries.bytes[i] = parts[i].binary;
        }
        joined = driver()->clCreateProgramWithBinary(
            context, count, binaries.devices, binaries.sizes, binaries.bytes, NULL, status);
    }
    free(binaries.devices);
    free(binaries.sizes);
    free(binaries.bytes);
    return joined;
}

// Builds executables; compiled objects are linked as they are.
static cl_int build(cl_program joined, const struct part *parts, cl_uint count)
{
    cl_uint executables = 0;
    cl_device_id *devices = calloc(count, sizeof *devices);
    if (!devices)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++)
        if (query_binary_type(parts[i].program, parts[i].device) ==
            CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            devices[executables++] = parts[i].device;
    cl_int status = CL_SUCCESS;
    if (executables)
        status = driver()->clBuildProgram(joined, executables, devices, NULL, NULL, NULL);
    free(devices);
    return status;
}

static cl_int join(cl_context context, struct part *parts, cl_uint count,
                   cl_program *executable)
{
    if (!read_binaries(parts, count))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int status;
    cl_program joined = create(context, parts, count, &status);
    if (!joined)
        return status;
    status = build(joined, parts, count);
    if (status) {
        driver()->clReleaseProgram(joined);
        return status;
    }
    *executable = joined;
    return CL_SUCCESS;
}

static cl_int join_parts(struct program *program, struct part *parts, cl_uint count,
                         cl_program *executable)
{
    if (!count)
        return CL_SUCCESS;
    if (are_same(parts, count)) {
        *executable = parts[0].program;
        driver()->clRetainProgram(*executable);
        return CL_SUCCESS;
    }
    cl_int status = join(program->context, parts, count, executable);
    log_line("joined the programs of %u devices: status %d", (unsigned)count, (int)status);
    return status;
}

cl_int join_builds(struct program *program, cl_program *executable)
{
    *executable = NULL;
    bool is_shadowed;
    cl_uint count;
    struct part *parts = find_parts(program, &count, &is_shadowed);
    if (!parts)
        return CL_OUT_OF_HOST_MEMORY;
    if (!is_shadowed) {
        free_parts(parts, count);
        return CL_SUCCESS;
    }
    cl_int status = join_parts(program, parts, count, executable);
    free_parts(parts, count);
    return status;
}

unsigned char *binary_of_build(struct program *program, cl_device_id device, size_t *size)
{
    bool is_shadowed;
    cl_uint count;
    unsigned char *binary = NULL;
    struct part *parts = find_parts(program, &count, &is_shadowed);
    *size = 0;
    for (cl_uint i = 0; i < count; i++)
        if (parts[i].device == device)
            binary = read_binary(parts, count, i, size);
    if (parts)
        free_parts(parts, count);
    return binary;
}
