// Runs kernels of a program, as any OpenCL program in C would: see run_kernels in
// test_end_to_end.py.
//
//     run_kernels OPTIONS ITEMS [-l LIBRARY]... [-h NAME FILE]... [-g ITEMS_OF_GROUP]
//         [-i FILE | -m WIDTH,HEIGHT,TYPE FILE | -s NORMALIZED,ADDRESSING,FILTER]...
//         SOURCE [KERNEL BYTES]...
//
// Each kernel gets a buffer for each -i, an image for each -m and a sampler for each -s, in
// this order, and a buffer of BYTES for its results, which go to standard output. ITEMS may be
// two numbers with a comma between. With libraries or headers, texts are compiled and linked.
// Build logs go to standard error.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static cl_context context;
static cl_device_id device;

static void check(cl_int status, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "%s: status %d\n", what, status);
    exit(3);
}

static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        check(1, name);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = calloc(1, *size + 1);
    if (!data || fread(data, 1, *size, file) != *size)
        check(1, name);
    fclose(file);
    return data;
}

static cl_mem make_buffer(const char *name)
{
    size_t size;
    cl_int status;
    char *data = read_file(name, &size);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, data, &status);
    check(status, "clCreateBuffer");
    free(data);
    return buffer;
}

static cl_mem make_image(const char *description, const char *name)
{
    size_t size;
    cl_int status;
    char *data = read_file(name, &size);
    cl_image_desc sizes = {.image_type = CL_MEM_OBJECT_IMAGE2D};
    cl_image_format format = {.image_channel_order = CL_RGBA};
    if (sscanf(description, "%zu,%zu,%u", &sizes.image_width, &sizes.image_height,
               &format.image_channel_data_type) != 3)
        check(1, description);
    cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &sizes, data, &status);
    check(status, "clCreateImage");
    free(data);
    return image;
}

static cl_sampler make_sampler(const char *description)
{
    cl_bool is_normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_int status;
    if (sscanf(description, "%u,%u,%u", &is_normalized, &addressing, &filter) != 3)
        check(1, description);
    cl_sampler sampler = clCreateSampler(context, is_normalized, addressing, filter, &status);
    check(status, "clCreateSampler");
    return sampler;
}

static cl_program make_program(const char *name)
{
    size_t size;
    cl_int status;
    char *text = read_file(name, &size);
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&text, &size, &status);
    check(status, "clCreateProgramWithSource");
    memset(text, '#', size); // the driver has its own copy
    free(text);
    return program;
}

static void check_build(cl_int status, cl_program program)
{
    char log[1 << 16] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s", log);
    if (status)
        exit(1);
}

static cl_program compile(const char *name, const char *options, cl_uint count,
                          const cl_program *headers, const char **names)
{
    cl_program program = make_program(name);
    cl_int status = clCompileProgram(program, 1, &device, options, count,
                                     count ? headers : NULL, count ? names : NULL, NULL, NULL);
    check_build(status, program);
    return program;
}

int main(int count, char **words)
{
    const char *options = words[1], *names[MOST];
    size_t items[2] = {0, 1}, group[2] = {0, 1}, size;
    cl_uint dimensions = (cl_uint)sscanf(words[2], "%zu,%zu", &items[0], &items[1]);
    const char *libraries[MOST];
    cl_program headers[MOST], parts[MOST];
    void *inputs[MOST]; // memory objects and samplers
    cl_uint header_count = 0, library_count = 0, input_count = 0;
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");

    int at = 3;
    for (; at < count && words[at][0] == '-'; at += 2) {
        if (words[at][1] == 'l') {
            libraries[library_count++] = words[at + 1];
        } else if (words[at][1] == 'h') {
            names[header_count] = words[at + 1];
            headers[header_count++] = make_program(words[++at + 1]);
        } else if (words[at][1] == 'g') {
            sscanf(words[at + 1], "%zu,%zu", &group[0], &group[1]);
        } else if (words[at][1] == 'm') {
            inputs[input_count++] = make_image(words[at + 1], words[at + 2]);
            at++;
        } else if (words[at][1] == 's') {
            inputs[input_count++] = make_sampler(words[at + 1]);
        } else {
            inputs[input_count++] = make_buffer(words[at + 1]);
        }
    }

    cl_program program;
    const char *source = words[at++];
    if (library_count + header_count) {
        parts[0] = compile(source, options, header_count, headers, names);
        for (cl_uint i = 0; i < library_count; i++)
            parts[i + 1] = compile(libraries[i], options, header_count, headers, names);
        program = clLinkProgram(context, 1, &device, "", library_count + 1, parts, NULL, NULL,
                                &status);
        if (!program)
            check(status, "clLinkProgram");
        check_build(status, program);
    } else {
        program = make_program(source);
        check_build(clBuildProgram(program, 1, &device, options, NULL, NULL), program);
    }

    for (; at + 1 < count; at += 2) {
        size = (size_t)atol(words[at + 1]);
        char *results = calloc(1, size);
        cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, results, &status);
        check(status, "clCreateBuffer");
        cl_kernel kernel = clCreateKernel(program, words[at], &status);
        check(status, words[at]);
        for (cl_uint i = 0; i < input_count; i++)
            check(clSetKernelArg(kernel, i, sizeof(void *), &inputs[i]), "clSetKernelArg");
        check(clSetKernelArg(kernel, input_count, sizeof(cl_mem), &out), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, items,
                                     group[0] ? group : NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size, results, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        fwrite(results, 1, size, stdout);
        free(results);
        clReleaseMemObject(out);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    return 0;
}
