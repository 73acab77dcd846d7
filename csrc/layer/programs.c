// Creation, references and information of programs.
#include "answers.h"
#include "entry.h"
#include "joining.h"
#include "log.h"
#include "objects.h"
#include "queries.h"
#include "translator.h"

#include <stdlib.h>
#include <string.h>

static size_t length_of(cl_uint i, const char **strings, const size_t *lengths)
{
    return lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
}

// Joins the strings of a source; NULL if there is no memory.
static char *join(cl_uint count, const char **strings, const size_t *lengths, size_t *size)
{
    *size = 0;
    for (cl_uint i = 0; i < count; i++)
        *size += length_of(i, strings, lengths);
    char *source = malloc(*size + 1);
    if (!source)
        return NULL;
    char *target = source;
    for (cl_uint i = 0; i < count; i++) {
        size_t length = length_of(i, strings, lengths);
        memcpy(target, strings[i], length);
        target += length;
    }
    *target = 0;
    return source;
}

// Adds a record for a program, which takes over its source. Returns false if there is no
// memory.
static bool record(cl_program handle, cl_context context, char *source, size_t size)
{
    struct program *program = source ? calloc(1, sizeof *program) : NULL;
    if (!program) {
        free(source);
        return false;
    }
    *program = (struct program){
        .words = words_in_source(source, size),
        .context = context,
        .source = source,
        .source_size = size,
    };
    if (objects_add_program(handle, &program))
        return true;
    free(source);
    free(program);
    return false;
}

static cl_program fail(cl_int status, cl_int *status_ret)
{
    if (status_ret)
        *status_ret = status;
    return NULL;
}

cl_program CL_API_CALL layer_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                       const char **strings,
                                                       const size_t *lengths, cl_int *status)
{
    // The driver checks the arguments first.
    cl_program handle =
        driver()->clCreateProgramWithSource(context, count, strings, lengths, status);
    if (!handle)
        return NULL;
    size_t size;
    char *source = join(count, strings, lengths, &size);
    if (record(handle, context, source, size))
        return handle;
    driver()->clReleaseProgram(handle);
    return fail(CL_OUT_OF_HOST_MEMORY, status);
}

cl_program CL_API_CALL layer_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                       const cl_device_id *devices,
                                                       const size_t *lengths,
                                                       const unsigned char **binaries,
                                                       cl_int *binary_status, cl_int *status)
{
    static atomic_flag is_logged = ATOMIC_FLAG_INIT;
    log_once(&is_logged, "programs that are made from binaries are not translated");
    return driver()->clCreateProgramWithBinary(context, count, devices, lengths, binaries,
                                               binary_status, status);
}

cl_program CL_API_CALL layer_clCreateProgramWithIL(cl_context context, const void *il,
                                                   size_t length, cl_int *status)
{
    static atomic_flag is_logged = ATOMIC_FLAG_INIT;
    log_once(&is_logged, "programs that are made from SPIR-V are not translated");
    return driver()->clCreateProgramWithIL(context, il, length, status);
}

cl_int CL_API_CALL layer_clRetainProgram(cl_program handle)
{
    return objects_retain_program(handle);
}

cl_int CL_API_CALL layer_clReleaseProgram(cl_program handle)
{
    return objects_release_program(handle);
}

// Answers with the sizes of the binaries of all devices, or copies them, but those for NULL.
static cl_int answer_binaries(struct program *program, bool are_sizes, size_t room, void *value,
                              size_t *size_ret)
{
    cl_uint count;
    cl_device_id *devices = query_devices(objects_handle(program), &count);
    if (!devices)
        return CL_OUT_OF_HOST_MEMORY;
    size_t size = count * (are_sizes ? sizeof(size_t) : sizeof(unsigned char *));
    if (size_ret)
        *size_ret = size;
    for (cl_uint i = 0; value && room >= size && i < count; i++) {
        size_t length;
        unsigned char *binary = binary_of_build(program, devices[i], &length);
        if (are_sizes)
            ((size_t *)value)[i] = length;
        else if (binary && ((unsigned char **)value)[i])
            memcpy(((unsigned char **)value)[i], binary, length);
        free(binary);
    }
    free(devices);
    return value && room < size ? CL_INVALID_VALUE : CL_SUCCESS;
}

// Has the driver answer for what the shadows were built to.
static cl_int answer_executable(struct program *program, cl_program_info name, size_t room,
                                void *value, size_t *size)
{
    objects_lock();
    cl_program executable = program->executable;
    if (executable)
        driver()->clRetainProgram(executable);
    objects_unlock();
    if (!executable)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int status = driver()->clGetProgramInfo(executable, name, room, value, size);
    driver()->clReleaseProgram(executable);
    return status;
}

static cl_int answer_shadowed(struct program *program, cl_program_info name, size_t room,
                              void *value, size_t *size)
{
    switch (name) {
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
        return answer_binaries(program, name == CL_PROGRAM_BINARY_SIZES, room, value, size);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return answer_executable(program, name, room, value, size);
    default:
        return driver()->clGetProgramInfo(objects_handle(program), name, room, value, size);
    }
}

// The record of a shadowed program with a hold; NULL for all others.
static struct program *hold_shadowed(cl_program handle)
{
    objects_lock();
    struct program *program = objects_find_program(handle);
    bool is_shadowed = program && objects_is_shadowed(program);
    objects_unlock();
    return is_shadowed ? objects_hold_program(handle) : NULL;
}

cl_int CL_API_CALL layer_clGetProgramInfo(cl_program handle, cl_program_info name, size_t room,
                                          void *value, size_t *size)
{
    // All else is right in the driver, the number of references only without
    // a hold.
    bool depends_on_build = name == CL_PROGRAM_BINARY_SIZES || name == CL_PROGRAM_BINARIES ||
                            name == CL_PROGRAM_NUM_KERNELS || name == CL_PROGRAM_KERNEL_NAMES ||
                            name == CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT ||
                            name == CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT;
    struct program *program = depends_on_build ? hold_shadowed(handle) : NULL;
    if (!program)
        return driver()->clGetProgramInfo(handle, name, room, value, size);
    cl_int status = answer_shadowed(program, name, room, value, size);
    objects_release_hold(program);
    return status;
}

// Has the driver answer for a shadow. Without one, answers as for a program that was not built.
static cl_int answer_of_shadow(const struct device_build *build, cl_program_build_info name,
                               size_t room, void *value, size_t *size)
{
    if (build->shadow)
        return driver()->clGetProgramBuildInfo(build->shadow, build->device, name, room, value,
                                               size);
    if (name == CL_PROGRAM_BINARY_TYPE) {
        const cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
        return answer_query(&type, sizeof type, room, value, size);
    }
    if (name == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
        return answer_query(&(size_t){0}, sizeof(size_t), room, value, size);
    return CL_INVALID_VALUE;
}

static cl_int answer_build(const struct device_build *build, cl_program_build_info name,
                           size_t room, void *value, size_t *size)
{
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: {
        cl_build_status status = build->status;
        return answer_query(&status, sizeof status, room, value, size);
    }
    case CL_PROGRAM_BUILD_OPTIONS:
        return answer_text(build->options, room, value, size);
    case CL_PROGRAM_BUILD_LOG:
        return answer_text(build->log, room, value, size);
    default:
        return answer_of_shadow(build, name, room, value, size);
    }
}

cl_int CL_API_CALL layer_clGetProgramBuildInfo(cl_program handle, cl_device_id device,
                                               cl_program_build_info name, size_t room,
                                               void *value, size_t *size)
{
    objects_lock();
    struct program *program = objects_find_program(handle);
    struct device_build *build = program ? objects_find_build(program, device) : NULL;
    bool is_shadowed = build && build->is_shadowed;
    cl_int status = is_shadowed ? answer_build(build, name, room, value, size) : CL_SUCCESS;
    objects_unlock();
    if (is_shadowed)
        return status;
    return driver()->clGetProgramBuildInfo(handle, device, name, room, value, size);
}

cl_int CL_API_CALL layer_clUnloadPlatformCompiler(cl_platform_id platform)
{
    translator_stop();
    return driver()->clUnloadPlatformCompiler(platform);
}

cl_int CL_API_CALL layer_clUnloadCompiler(void)
{
    translator_stop();
    return driver()->clUnloadCompiler();
}
