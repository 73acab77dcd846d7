#include "host.h" // first, since it sets the version

#include "driver.h"

#include <pthread.h>

atomic_int programs_alive, kernels_alive, programs_made, builds_run;

static char device_bytes[2], context_byte;
cl_device_id driver_devices[2] = {(void *)&device_bytes[0], (void *)&device_bytes[1]};
cl_context driver_context = (void *)&context_byte;

// The first member of an object is the table, as loaders expect it.
struct _cl_program {
    const cl_icd_dispatch *dispatch;
    atomic_int references;
    char *source; // NULL for one of binaries
    cl_build_status status[2];
    cl_program_binary_type type;
};

struct _cl_kernel {
    const cl_icd_dispatch *dispatch;
    atomic_int references;
    cl_program program; // retained
};

static cl_int answer(const void *bytes, size_t size, size_t room, void *value, size_t *size_ret)
{
    if (value && room < size)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, bytes, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t room, void *value, size_t *size_ret)
{
    return answer(text, strlen(text) + 1, room, value, size_ret);
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info name,
                                            size_t room, void *value, size_t *size)
{
    (void)platform, (void)name;
    return answer_text("platform", room, value, size);
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t room,
                                          void *value, size_t *size)
{
    const cl_bool is_true = CL_TRUE;
    const cl_device_type type = CL_DEVICE_TYPE_GPU;
    switch (name) {
    case CL_DEVICE_NAME:
        return answer_text(device == driver_devices[0] ? "first" : "second", room, value, size);
    case CL_DEVICE_EXTENSIONS:
        return answer_text("cl_khr_fp16 ", room, value, size);
    case CL_DEVICE_VENDOR:
    case CL_DEVICE_VERSION:
    case CL_DRIVER_VERSION:
    case CL_DEVICE_OPENCL_C_VERSION:
        return answer_text("", room, value, size);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_IMAGE_SUPPORT:
        return answer(&is_true, sizeof is_true, room, value, size);
    case CL_DEVICE_TYPE:
        return answer(&type, sizeof type, room, value, size);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_program make(const char *source)
{
    cl_program program = calloc(1, sizeof *program);
    program->dispatch = driver_table();
    program->references = 1;
    program->source = source ? strdup(source) : NULL;
    program->status[0] = program->status[1] = CL_BUILD_NONE;
    program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    atomic_fetch_add(&programs_alive, 1);
    atomic_fetch_add(&programs_made, 1);
    return program;
}

static cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count,
                                                 const char **strings, const size_t *lengths,
                                                 cl_int *status)
{
    (void)context, (void)count, (void)lengths;
    *status = CL_SUCCESS;
    return make(strings[0]);
}

static cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                                 const cl_device_id *devices,
                                                 const size_t *lengths,
                                                 const unsigned char **binaries,
                                                 cl_int *binary_status, cl_int *status)
{
    (void)context, (void)count, (void)devices, (void)binary_status;
    CHECK(lengths[0] == 4 && !memcmp(binaries[0], "BYTE", 4));
    *status = CL_SUCCESS;
    return make(NULL);
}

static cl_int CL_API_CALL retain_program(cl_program program)
{
    CHECK(atomic_fetch_add(&program->references, 1) > 0);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_program(cl_program program)
{
    int references = atomic_fetch_sub(&program->references, 1);
    CHECK(references > 0);
    if (references > 1)
        return CL_SUCCESS;
    atomic_fetch_sub(&programs_alive, 1);
    free(program->source);
    free(program);
    return CL_SUCCESS;
}

static void set_status(cl_program program, cl_device_id device, cl_build_status status)
{
    program->status[device == driver_devices[0] ? 0 : 1] = status;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
                                        const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *),
                                        void *data)
{
    bool fails = options && strstr(options, "-fails");
    cl_build_status status = fails ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    cl_uint all = count ? count : 2;
    for (cl_uint i = 0; i < all; i++)
        set_status(program, count ? devices[i] : driver_devices[i], status);
    program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    atomic_fetch_add(&builds_run, 1);
    if (notify)
        notify(program, data);
    return fails ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

static cl_int answer_binaries(unsigned char **binaries, size_t room, size_t *size)
{
    for (int i = 0; binaries && i < 2; i++)
        if (binaries[i])
            memcpy(binaries[i], "BYTE", 4);
    return answer(NULL, 2 * sizeof *binaries, room, NULL, size);
}

static cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info name,
                                           size_t room, void *value, size_t *size)
{
    const cl_uint references = (cl_uint)atomic_load(&program->references);
    const size_t sizes[2] = {4, 4};
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return answer(&references, sizeof references, room, value, size);
    case CL_PROGRAM_DEVICES:
        return answer(driver_devices, sizeof driver_devices, room, value, size);
    case CL_PROGRAM_SOURCE:
        return answer_text(program->source ? program->source : "", room, value, size);
    case CL_PROGRAM_BINARY_SIZES:
        return answer(sizes, sizeof sizes, room, value, size);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(value, room, size);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id device,
                                         cl_program_build_info name, size_t room, void *value,
                                         size_t *size)
{
    cl_build_status status = program->status[device == driver_devices[0] ? 0 : 1];
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return answer(&status, sizeof status, room, value, size);
    case CL_PROGRAM_BINARY_TYPE:
        return answer(&program->type, sizeof program->type, room, value, size);
    default:
        return answer_text("log of driver", room, value, size);
    }
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *status)
{
    (void)name;
    cl_kernel kernel = calloc(1, sizeof *kernel);
    *kernel = (struct _cl_kernel){driver_table(), 1, program};
    retain_program(program);
    atomic_fetch_add(&kernels_alive, 1);
    if (status)
        *status = CL_SUCCESS;
    return kernel;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room, cl_kernel *kernels,
                                         cl_uint *count)
{
    if (count)
        *count = 2;
    for (cl_uint i = 0; kernels && i < 2 && i < room; i++)
        kernels[i] = create_kernel(program, "", NULL);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL retain_kernel(cl_kernel kernel)
{
    CHECK(atomic_fetch_add(&kernel->references, 1) > 0);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    int references = atomic_fetch_sub(&kernel->references, 1);
    CHECK(references > 0);
    if (references > 1)
        return CL_SUCCESS;
    release_program(kernel->program);
    atomic_fetch_sub(&kernels_alive, 1);
    free(kernel);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info name, size_t room,
                                          void *value, size_t *size)
{
    if (name == CL_KERNEL_PROGRAM)
        return answer(&kernel->program, sizeof(cl_program), room, value, size);
    return answer_text("answer", room, value, size);
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel kernel, cl_int *status)
{
    return create_kernel(kernel->program, "", status);
}

static cl_program CL_API_CALL link_program(cl_context context, cl_uint count,
                                           const cl_device_id *devices, const char *options,
                                           cl_uint input_count, const cl_program *inputs,
                                           void(CL_CALLBACK *notify)(cl_program, void *),
                                           void *data, cl_int *status)
{
    (void)context, (void)count, (void)devices;
    CHECK(!strstr(options, "fast"));
    for (cl_uint i = 0; i < input_count; i++)
        CHECK(atomic_load(&inputs[i]->references) > 0);
    *status = CL_SUCCESS;
    cl_program linked = make(NULL);
    if (notify)
        notify(linked, data);
    return linked;
}

static cl_int CL_API_CALL compile_program(cl_program program, cl_uint count,
                                          const cl_device_id *devices, const char *options,
                                          cl_uint header_count, const cl_program *headers,
                                          const char **names,
                                          void(CL_CALLBACK *notify)(cl_program, void *),
                                          void *data)
{
    for (cl_uint i = 0; i < header_count; i++)
        CHECK(headers[i]->source && names[i]);
    cl_int status = build_program(program, count, devices, options, notify, data);
    program->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    return status;
}

static cl_icd_dispatch table;

static void fill_table(void)
{
    table = (cl_icd_dispatch){
        .clGetPlatformInfo = get_platform_info,
        .clGetDeviceInfo = get_device_info,
        .clCreateProgramWithSource = create_with_source,
        .clCreateProgramWithBinary = create_with_binary,
        .clRetainProgram = retain_program,
        .clReleaseProgram = release_program,
        .clBuildProgram = build_program,
        .clCompileProgram = compile_program,
        .clLinkProgram = link_program,
        .clGetProgramInfo = get_program_info,
        .clGetProgramBuildInfo = get_build_info,
        .clCreateKernel = create_kernel,
        .clCreateKernelsInProgram = create_kernels,
        .clCloneKernel = clone_kernel,
        .clRetainKernel = retain_kernel,
        .clReleaseKernel = release_kernel,
        .clGetKernelInfo = get_kernel_info,
    };
}

const cl_icd_dispatch *driver_table(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_table);
    return &table;
}
