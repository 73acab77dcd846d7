// Kernels of shadows: the driver's, of which the layer knows the author's program.
#include "answers.h"
#include "entry.h"
#include "launches.h"
#include "objects.h"
#include "queries.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

// Finds what a program's kernels are made from. Returns its record, with a hold, if the layer
// has to know the kernels; else NULL. `*made_from` is retained, and NULL if nothing was built.
static struct program *hold_source_of_kernels(cl_program handle, cl_program *made_from)
{
    objects_lock();
    struct program *program = objects_find_program(handle);
    bool is_shadowed = program && objects_is_shadowed(program);
    bool has_names = program && (program->types || program->attributes || program->launches);
    *made_from = is_shadowed ? program->executable : handle;
    if (*made_from)
        driver()->clRetainProgram(*made_from);
    objects_unlock();
    return is_shadowed || has_names ? objects_hold_program(handle) : NULL;
}

static void release_source(struct program *program, cl_program made_from)
{
    if (made_from)
        driver()->clReleaseProgram(made_from);
    if (program)
        objects_release_hold(program);
}

static bool add_record(cl_kernel kernel, struct program *program)
{
    struct launch_rules rules;
    return launches_read_rules(program, kernel, &rules) &&
           objects_add_kernel(kernel, program, &rules);
}

// Adds a record for a new kernel. Without memory, the kernel is released, and is NULL.
static cl_kernel record(cl_kernel kernel, struct program *program, cl_int *status)
{
    if (!kernel || add_record(kernel, program))
        return kernel;
    driver()->clReleaseKernel(kernel);
    if (status)
        *status = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

cl_kernel CL_API_CALL layer_clCreateKernel(cl_program handle, const char *name, cl_int *status)
{
    cl_program made_from;
    cl_kernel kernel = NULL;
    struct program *program = hold_source_of_kernels(handle, &made_from);
    if (made_from || !handle)
        kernel = driver()->clCreateKernel(made_from, name, status);
    else if (status)
        *status = CL_INVALID_PROGRAM_EXECUTABLE;
    if (program)
        kernel = record(kernel, program, status);
    release_source(program, made_from);
    return kernel;
}

// Adds records for all kernels of a program. Without memory all are released.
static cl_int record_all(cl_kernel *kernels, cl_uint count, struct program *program)
{
    cl_uint recorded = 0;
    while (recorded < count && add_record(kernels[recorded], program))
        recorded++;
    if (recorded == count)
        return CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++)
        objects_release_kernel(kernels[i]);
    return CL_OUT_OF_HOST_MEMORY;
}

static cl_int create_kernels(cl_program made_from, struct program *program, cl_uint room,
                             cl_kernel *kernels, cl_uint *count_ret)
{
    cl_uint count = 0;
    cl_int status = driver()->clCreateKernelsInProgram(made_from, room, kernels, &count);
    if (count_ret && !status)
        *count_ret = count;
    if (status || !kernels || !program)
        return status;
    return record_all(kernels, count, program);
}

cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program handle, cl_uint room,
                                                  cl_kernel *kernels, cl_uint *count)
{
    cl_program made_from;
    struct program *program = hold_source_of_kernels(handle, &made_from);
    cl_int status = CL_INVALID_PROGRAM_EXECUTABLE;
    if (made_from || !handle)
        status = create_kernels(made_from, program, room, kernels, count);
    release_source(program, made_from);
    return status;
}

cl_kernel CL_API_CALL layer_clCloneKernel(cl_kernel source, cl_int *status)
{
    struct program *program = objects_hold_program_of_kernel(source);
    cl_kernel clone = driver()->clCloneKernel(source, status);
    if (!program)
        return clone;
    clone = record(clone, program, status);
    objects_release_hold(program);
    return clone;
}

cl_int CL_API_CALL layer_clRetainKernel(cl_kernel kernel)
{
    return objects_retain_kernel(kernel);
}

cl_int CL_API_CALL layer_clReleaseKernel(cl_kernel kernel)
{
    return objects_release_kernel(kernel);
}

// The rest of the line that begins with a kernel's name, and an index unless it is negative. To
// be freed; NULL if there is none.
static char *find_line(const char *lines, const char *kernel, long index)
{
    char *start =
        index < 0 ? text_print("%s\t", kernel) : text_print("%s\t%ld\t", kernel, index);
    size_t length = start ? strlen(start) : 0;
    char *rest = NULL;
    for (const char *line = start ? lines : NULL; line && *line && !rest;) {
        const char *end = strchr(line, '\n');
        if (!strncmp(line, start, length))
            rest = text_copy(line + length,
                             end ? (size_t)(end - line) - length : strlen(line + length));
        line = end ? end + 1 : NULL;
    }
    free(start);
    return rest;
}

// Like `find_line`, for a kernel.
static char *find_name(const char *lines, cl_kernel kernel, long index)
{
    char *name = lines ? query_kernel_name(kernel) : NULL;
    char *line = name ? find_line(lines, name, index) : NULL;
    free(name);
    return line;
}

static cl_int answer_attributes(const struct program *program, cl_kernel kernel, size_t room,
                                void *value, size_t *size)
{
    char *attributes = find_name(program->attributes, kernel, -1);
    cl_int status =
        attributes ? answer_text(attributes, room, value, size)
                   : driver()->clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, room, value, size);
    free(attributes);
    return status;
}

cl_int CL_API_CALL layer_clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t room,
                                         void *value, size_t *size)
{
    bool is_changed = name == CL_KERNEL_PROGRAM || name == CL_KERNEL_ATTRIBUTES;
    struct program *program = is_changed ? objects_hold_program_of_kernel(kernel) : NULL;
    if (!program)
        return driver()->clGetKernelInfo(kernel, name, room, value, size);
    cl_program handle = objects_handle(program);
    cl_int status = name == CL_KERNEL_PROGRAM
                        ? answer_query(&handle, sizeof(handle), room, value, size)
                        : answer_attributes(program, kernel, room, value, size);
    objects_release_hold(program);
    return status;
}

// The driver decides first whether it has the information.
static cl_int answer_type(const struct program *program, cl_kernel kernel, cl_uint index,
                          size_t room, void *value, size_t *size)
{
    char *type = find_name(program->types, kernel, (long)index);
    size_t length;
    cl_int status =
        driver()->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, 0, NULL, &length);
    if (!type)
        return driver()->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, room, value,
                                            size);
    if (!status)
        status = answer_text(type, room, value, size);
    free(type);
    return status;
}

cl_int CL_API_CALL layer_clGetKernelArgInfo(cl_kernel kernel, cl_uint index,
                                            cl_kernel_arg_info name, size_t room, void *value,
                                            size_t *size)
{
    bool is_type = name == CL_KERNEL_ARG_TYPE_NAME;
    struct program *program = is_type ? objects_hold_program_of_kernel(kernel) : NULL;
    if (!program)
        return driver()->clGetKernelArgInfo(kernel, index, name, room, value, size);
    cl_int status = answer_type(program, kernel, index, room, value, size);
    objects_release_hold(program);
    return status;
}
