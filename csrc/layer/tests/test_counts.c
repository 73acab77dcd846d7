// Calls the layer above a driver that counts what is alive: `test_counts LIBRARY ROUNDS
// THREADS`. Each round makes programs in all ways, and in the end nothing is left.
#include "host.h" // first, since it sets the version

#include "driver.h"

#include <pthread.h>

#ifdef _WIN32
#include <windows.h>
#define dlopen(path, mode) ((void *)LoadLibraryA(path))
#define dlsym(library, name) ((void *)GetProcAddress(library, name))
#else
#include <dlfcn.h>
#endif

static const cl_icd_dispatch *layer;

static cl_program make_program_of(const char *source)
{
    cl_int status;
    cl_program program =
        layer->clCreateProgramWithSource(driver_context, 1, &source, NULL, &status);
    CALL(status);
    return program;
}

static cl_kernel make_kernel_of(cl_program program)
{
    cl_int status;
    cl_kernel kernel = layer->clCreateKernel(program, "answer", &status);
    CALL(status);
    return kernel;
}

static cl_uint references_of(cl_program program)
{
    cl_uint count;
    CALL(layer->clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count,
                                 NULL));
    return count;
}

static cl_program program_of(cl_kernel kernel)
{
    cl_program program;
    CALL(layer->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &program, NULL));
    return program;
}

// Kernels outlive their program, which outlives its builds.
static void use_kernels(const char *source)
{
    cl_int status;
    cl_kernel kernels[2];
    cl_program program = make_program_of(source);
    CALL(layer->clBuildProgram(program, 0, NULL, "-DX", NULL, NULL));
    CALL(layer->clCreateKernelsInProgram(program, 2, kernels, NULL));
    cl_kernel clone = layer->clCloneKernel(kernels[0], &status);
    CALL(status);
    cl_kernel other = make_kernel_of(program);
    CHECK(references_of(program) == 5);
    CALL(layer->clRetainProgram(program));
    CALL(layer->clReleaseProgram(program));
    CALL(layer->clReleaseProgram(program));
    CALL(layer->clRetainKernel(other));
    for (int i = 0; i < 2; i++) {
        CALL(layer->clReleaseKernel(kernels[i]));
        CALL(layer->clReleaseKernel(other));
    }
    CHECK(program_of(clone) == program && references_of(program) == 1);
    CALL(layer->clReleaseKernel(clone));
}

static void rebuild(const char *source)
{
    cl_program program = make_program_of(source);
    for (int i = 0; i < 3; i++) {
        const char *options = i == 1 ? "-fails" : "";
        CHECK_STATUS(layer->clBuildProgram(program, 0, NULL, options, NULL, NULL),
                     i == 1 ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS);
        CALL(layer->clBuildProgram(program, 1, driver_devices, "-half", NULL, NULL));
    }
    CHECK(references_of(program) == 1);
    CALL(layer->clReleaseProgram(program));
}

static void link_programs(void)
{
    cl_int status;
    const char *name = "header.h";
    cl_program header = make_program_of("#define fp16");
    cl_program program = make_program_of("#include \"header.h\"");
    CALL(layer->clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    cl_program linked =
        layer->clLinkProgram(driver_context, 0, NULL, "-a -cl-fast-relaxed-math -b", 1,
                             &program, NULL, NULL, &status);
    CALL(status);
    cl_program again = layer->clLinkProgram(driver_context, 0, NULL, "-cl-fast-relaxed-math", 1,
                                            &linked, NULL, NULL, &status);
    CALL(status);
    CALL(layer->clReleaseProgram(again));
    CALL(layer->clReleaseProgram(header));
    CALL(layer->clReleaseProgram(program));
    cl_kernel kernel = make_kernel_of(linked);
    CALL(layer->clReleaseProgram(linked));
    CHECK(program_of(kernel) == linked);
    CALL(layer->clReleaseKernel(kernel));
}

static void CL_CALLBACK count_call(cl_program program, void *calls)
{
    (void)program;
    atomic_fetch_add((atomic_int *)calls, 1);
}

static void build_in_background(void)
{
    atomic_int calls = 0;
    cl_program program = make_program_of("#define fp16");
    CALL(layer->clBuildProgram(program, 0, NULL, NULL, count_call, &calls));
    CALL(layer->clReleaseProgram(program));
    while (!atomic_load(&calls))
        sched_yield();
}

static void *run_rounds(void *argument)
{
    for (int i = *(int *)argument; i > 0; i--) {
        use_kernels("#define fp16\nkernel void f();");
        use_kernels("#define fp16 DEVICE\nkernel void f();"); // a text for each device, joined
        rebuild("#define fp16");
        rebuild("#define fp16 DEVICE");
        link_programs();
        build_in_background();
        cl_program program = make_program_of("// REFUSED\n#define fp16");
        CHECK_STATUS(layer->clBuildProgram(program, 0, NULL, NULL, NULL, NULL),
                     CL_BUILD_PROGRAM_FAILURE);
        CALL(layer->clReleaseProgram(program));
    }
    return NULL;
}

static void open_layer(const char *path)
{
    cl_uint count;
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library);
    pfn_clInitLayer init = (pfn_clInitLayer)dlsym(library, "clInitLayer");
    CALL(init(sizeof(cl_icd_dispatch) / sizeof(void *), driver_table(), &count, &layer));
}

int main(int count, char **arguments)
{
    CHECK(count == 4);
    int rounds = atoi(arguments[2]), thread_count = atoi(arguments[3]);
    pthread_t threads[16];
    CHECK(thread_count <= 16);
    open_layer(arguments[1]);
    for (int i = 0; i < thread_count; i++)
        CHECK(!pthread_create(&threads[i], NULL, run_rounds, &rounds));
    for (int i = 0; i < thread_count; i++)
        CHECK(!pthread_join(threads[i], NULL));
    for (int i = 0; i < 1000 && atomic_load(&programs_alive);
         i++) // a background build may be ending
        sched_yield();
    printf("%d programs, %d builds\n", atomic_load(&programs_made), atomic_load(&builds_run));
    CHECK(!atomic_load(&kernels_alive));
    CHECK(!atomic_load(&programs_alive));
    return 0;
}
