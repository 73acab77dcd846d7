// Tests of the layer as a program sees it, with the translator of
// tests/layer/mock_translator.py, which replaces HALF_BITS by ushort, ANSWER by 42 and DEVICE
// by a number for each device's name, counts to N for `+ADD_N`, refuses REFUSED, passes
// UNTOUCHED, and ends at DIES. `test_programs CASE` runs one.
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// `half` in a comment has no meaning; `fp16` is among the words that have one.
static const char SOURCE[] = "// of halves\n"
                             "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                             "kernel void answer(global int *out, HALF_BITS number) {\n"
                             "    out[0] = ANSWER + number;\n"
                             "}\n"
                             "kernel void other(global int *out, int number) {\n"
                             "    out[0] = number * MORE;\n"
                             "}\n";
static const char OPTIONS[] = "-DMORE=2  -cl-kernel-arg-info";

static const char PLAIN[] = "kernel void answer(global int *out, ushort number) {\n"
                            "    out[0] = VALUE + number; /* half */ // fp16\n"
                            "}\n";

static int run_answer(const struct host *host, cl_uint device, cl_program program)
{
    const unsigned short number = 1;
    cl_kernel kernel = make_kernel(program, "answer");
    int result = run_kernel(host, device, kernel, &number, sizeof number);
    CALL(clReleaseKernel(kernel));
    return result;
}

static void test_translated(const struct host *host)
{
    cl_program program = make_program(host, SOURCE);
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_NONE);
    build(host, program, OPTIONS);
    CHECK(run_answer(host, 0, program) == 43);
    CHECK(count_references(program) == 1);
    CALL(clReleaseProgram(program));
}

static void check_text(const char *value, const char *expected)
{
    if (!strcmp(value, expected))
        return;
    fprintf(stderr, "expected \"%s\", got \"%s\"\n", expected, value);
    exit(1);
}

static void test_information(const struct host *host)
{
    char text[1000];
    size_t size, count;
    cl_program program = make_program(host, SOURCE);
    build(host, program, OPTIONS);
    CALL(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    check_text(text, SOURCE);
    CHECK(size == sizeof SOURCE);
    CALL(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    CHECK(count == 2);
    CALL(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    CHECK(strstr(text, "answer") && strstr(text, "other") && strchr(text, ';'));
    cl_device_id device = host->devices[0];
    CALL(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text,
                               &size));
    check_text(text, OPTIONS);
    CHECK(size == sizeof OPTIONS);
    CHECK_STATUS(
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, size - 1, text, NULL),
        CL_INVALID_VALUE);
    print_log(program, device, text, sizeof text);
    CHECK(!strncmp(text, "mock: a warning\n", 16));
    cl_program_binary_type type;
    CALL(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                               NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK(build_status(program, device) == CL_BUILD_SUCCESS);
    CALL(clReleaseProgram(program));
}

static size_t sub_groups_of(cl_kernel kernel, cl_device_id device, cl_uint name, size_t input)
{
    size_t number;
    CALL(clGetKernelSubGroupInfo(kernel, device, name, sizeof input, &input, sizeof number,
                                 &number, NULL));
    return number;
}

// The mock's rules: work-groups of 32 and of 64 items at most, of which the less holds, and 16
// lanes.
static void test_launch_rules(const struct host *host)
{
    cl_program program = make_program(host, SOURCE);
    build(host, program, OPTIONS);
    cl_kernel kernel = make_kernel(program, "answer");
    cl_device_id device = host->devices[0];
    size_t most;
    CALL(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                  NULL));
    CHECK(most == 32);
    CHECK(sub_groups_of(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8) == 8);
    CHECK(sub_groups_of(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 32) == 16);
    CHECK(sub_groups_of(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 17) == 2);
    CHECK(sub_groups_of(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 2) == 32);
    CHECK(sub_groups_of(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 3) == 0);
    CHECK(sub_groups_of(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0) == 2);
    const cl_half number = 0;
    cl_int status;
    cl_mem buffer = clCreateBuffer(host->context, 0, 4096, NULL, &status);
    CALL(status);
    CALL(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer));
    CALL(clSetKernelArg(kernel, 1, sizeof number, &number));
    const size_t global[2] = {64, 2}, local[2] = {32, 1}, large[2] = {32, 2};
    CALL(
        clEnqueueNDRangeKernel(host->queues[0], kernel, 2, NULL, global, local, 0, NULL, NULL));
    CALL(clEnqueueNDRangeKernel(host->queues[0], kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    CHECK_STATUS(
        clEnqueueNDRangeKernel(host->queues[0], kernel, 2, NULL, global, large, 0, NULL, NULL),
        CL_INVALID_WORK_GROUP_SIZE);
    CALL(clFinish(host->queues[0]));
    CALL(clReleaseMemObject(buffer));
    CALL(clReleaseKernel(kernel));
    CALL(clReleaseProgram(program));
}

static void test_kernel_information(const struct host *host)
{
    char text[1000];
    size_t size;
    cl_program program = make_program(host, SOURCE), of_kernel;
    build(host, program, OPTIONS);
    cl_kernel kernel = make_kernel(program, "answer");
    CALL(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &of_kernel, &size));
    CHECK(of_kernel == program && size == sizeof program);
    CALL(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    check_text(text, "answer");
    CALL(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, &size));
    check_text(text, "half");
    CHECK(size == 5);
    CHECK_STATUS(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, 4, text, NULL),
                 CL_INVALID_VALUE);
    CALL(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    check_text(text, "int*");
    CALL(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    check_text(text, "number");
    CALL(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    check_text(text, "attributes of mock");
    CALL(clReleaseKernel(kernel));
    CALL(clReleaseProgram(program));
}

static void test_kernels_keep_program(const struct host *host)
{
    const unsigned short number = 2;
    cl_program program = make_program(host, SOURCE), of_kernel;
    build(host, program, OPTIONS);
    cl_kernel kernels[2], clone;
    cl_uint count;
    cl_int status;
    CALL(clCreateKernelsInProgram(program, 0, NULL, &count));
    CHECK(count == 2);
    CALL(clCreateKernelsInProgram(program, 2, kernels, NULL));
    CALL(clReleaseProgram(program));
    char name[20];
    CALL(clGetKernelInfo(kernels[0], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    cl_kernel kernel = kernels[strcmp(name, "answer") ? 1 : 0];
    clone = clCloneKernel(kernel, &status);
    CALL(status);
    CALL(clRetainKernel(kernels[0]));
    for (int i = 0; i < 2; i++)
        CALL(clReleaseKernel(kernels[i]));
    CALL(clReleaseKernel(kernels[0]));
    CALL(clGetKernelInfo(clone, CL_KERNEL_PROGRAM, sizeof(cl_program), &of_kernel, NULL));
    CHECK(of_kernel == program);
    CHECK(run_kernel(host, 0, clone, &number, sizeof number) == 44);
    CALL(clRetainProgram(of_kernel)); // the kernel keeps it alive
    CALL(clReleaseKernel(clone));
    CHECK(count_references(of_kernel) == 1);
    CHECK(run_answer(host, 0, of_kernel) == 43);
    CALL(clReleaseProgram(of_kernel));
}

static void test_untouched(const struct host *host)
{
    cl_program program = make_program(host, PLAIN);
    build(host, program, "-DVALUE=5");
    CHECK(run_answer(host, 0, program) == 6);
    CALL(clReleaseProgram(program));
}

static void test_option_brings_half(const struct host *host)
{
    cl_program program = make_program(host, PLAIN);
    build(host, program, "-DVALUE=5");
    CHECK(run_answer(host, 0, program) == 6);
    build(host, program, "-DVALUE=ANSWER -Dreal=half");
    CHECK(run_answer(host, 0, program) == 43);
    build(host, program, "-DVALUE=7");
    CHECK(run_answer(host, 0, program) == 8);
    CALL(clReleaseProgram(program));
}

static void test_passed_by_translator(const struct host *host)
{
    cl_program program = make_program(host, "// UNTOUCHED\n"
                                            "#define half_word 1\n#define x fp16\n"
                                            "kernel void answer(global int *out, ushort number)"
                                            "{ out[0] = number + VALUE; }");
    build(host, program, "-DVALUE=3");
    char text[100];
    CHECK(run_answer(host, 0, program) == 4);
    CALL(clGetProgramBuildInfo(program, host->devices[0], CL_PROGRAM_BUILD_OPTIONS, sizeof text,
                               text, NULL));
    CHECK(strstr(text, "-DVALUE=3"));
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_SUCCESS);
    CALL(clReleaseProgram(program));
}

static const char REFUSED[] = "// REFUSED by the mock: fp16\n"
                              "#define fp16\n"
                              "kernel void answer(global int *out, ushort number)"
                              "{ out[0] = number + 9; }";

static void test_refused(const struct host *host)
{
    char log[1000];
    cl_int status;
    cl_program program = make_program(host, REFUSED);
    CHECK_STATUS(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_ERROR);
    print_log(program, host->devices[0], log, sizeof log);
    check_text(log, "program.cl:1:4: error: not translated\n");
    CHECK(!clCreateKernel(program, "answer", &status));
    CHECK_STATUS(status, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_STATUS(clCreateKernelsInProgram(program, 0, NULL, NULL),
                 CL_INVALID_PROGRAM_EXECUTABLE);
    CALL(clReleaseProgram(program));
}

static void test_lenient(const struct host *host)
{
    cl_program program = make_program(host, REFUSED);
    build(host, program, "");
    CHECK(run_answer(host, 0, program) == 10);
    CALL(clReleaseProgram(program));
}

// Without Python, the log says what to do.
static void test_no_python(const struct host *host)
{
    char log[1000];
    cl_program program = make_program(host, SOURCE);
    CHECK_STATUS(clBuildProgram(program, 0, NULL, OPTIONS, NULL, NULL),
                 CL_BUILD_PROGRAM_FAILURE);
    print_log(program, host->devices[0], log, sizeof log);
    CHECK(strstr(log, "error: halfcl's translator") && strstr(log, "HALFCL_LAYER_PYTHON"));
    CALL(clReleaseProgram(program));
    program = make_program(host, PLAIN); // what needs none is built
    build(host, program, "-DVALUE=5");
    CALL(clReleaseProgram(program));
}

// The translation does not compile: the driver's log follows the translator's.
static void test_error_of_driver(const struct host *host)
{
    char log[10000];
    cl_program program =
        make_program(host, "#define fp16\nkernel void f(global int *x)\n{ x = y; }");
    CHECK_STATUS(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    print_log(program, host->devices[0], log, sizeof log);
    CHECK(!strncmp(log, "mock: a warning\n", 16) && strlen(log) > 16);
    CHECK(strstr(log, "3:"));
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_ERROR);
    CALL(clReleaseProgram(program));
}

static void test_rebuilding(const struct host *host)
{
    cl_program program = make_program(host, SOURCE);
    build(host, program, OPTIONS);
    cl_kernel kernel = make_kernel(program, "other");
    CHECK_STATUS(clBuildProgram(program, 0, NULL, "-DMORE=3", NULL, NULL),
                 CL_INVALID_OPERATION);
    const int number = 5;
    CHECK(run_kernel(host, 0, kernel, &number, sizeof number) == 10);
    CALL(clReleaseKernel(kernel));
    build(host, program, "-DMORE=3");
    kernel = make_kernel(program, "other");
    CHECK(run_kernel(host, 0, kernel, &number, sizeof number) == 15);
    CALL(clReleaseKernel(kernel));
    CALL(clReleaseProgram(program));
}

static void test_wrong_arguments(const struct host *host)
{
    cl_program program = make_program(host, SOURCE);
    cl_device_id nobody = (cl_device_id)(void *)&program;
    int data;
    CHECK_STATUS(clBuildProgram(program, 1, NULL, "", NULL, NULL), CL_INVALID_VALUE);
    CHECK_STATUS(clBuildProgram(program, 0, host->devices, "", NULL, NULL), CL_INVALID_VALUE);
    CHECK_STATUS(clBuildProgram(program, 0, NULL, "", NULL, &data), CL_INVALID_VALUE);
    CHECK_STATUS(clCompileProgram(program, 0, NULL, "", 1, NULL, NULL, NULL, NULL),
                 CL_INVALID_VALUE);
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_NONE);
    (void)nobody;
    CALL(clReleaseProgram(program));
}

// Callbacks ---------------------------------------------------------------------------------

static atomic_int calls;
static cl_program called_with;

static void CL_CALLBACK count_call(cl_program program, void *data)
{
    called_with = program;
    *(cl_build_status *)data = CL_BUILD_SUCCESS;
    atomic_fetch_add(&calls, 1);
}

static void wait_for_call(int count)
{
    while (atomic_load(&calls) < count)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // a second call would be an error
    CHECK(atomic_load(&calls) == count);
}

static void test_callback(const struct host *host)
{
    cl_build_status data = CL_BUILD_NONE;
    cl_program program = make_program(host, SOURCE);
    CALL(clBuildProgram(program, 0, NULL, OPTIONS, count_call, &data));
    wait_for_call(1);
    CHECK(called_with == program && data == CL_BUILD_SUCCESS);
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_SUCCESS);
    CHECK(run_answer(host, 0, program) == 43);
    CALL(clReleaseProgram(program));
    program = make_program(host, REFUSED);
    CALL(clBuildProgram(program, 0, NULL, NULL, count_call, &data));
    wait_for_call(2);
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_ERROR);
    CALL(clReleaseProgram(program));
}

// The mock takes a while for SLOW.
static void test_build_in_progress(const struct host *host)
{
    cl_build_status data;
    cl_program program =
        make_program(host, "#define fp16 SLOW\nkernel void f(global int *x) { *x = 1; }");
    CALL(clBuildProgram(program, 0, NULL, NULL, count_call, &data));
    CHECK(build_status(program, host->devices[0]) == CL_BUILD_IN_PROGRESS);
    CHECK(!atomic_load(&calls));
    CHECK_STATUS(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_int status;
    CHECK(!clCreateKernel(program, "f", &status));
    CHECK_STATUS(status, CL_INVALID_PROGRAM_EXECUTABLE);
    wait_for_call(1);
    cl_kernel kernel = make_kernel(program, "f");
    CALL(clReleaseKernel(kernel));
    CALL(clReleaseProgram(program));
}

static void test_release_during_build(const struct host *host)
{
    cl_build_status data;
    for (int i = 1; i <= 5; i++) {
        cl_program program = make_program(host, "#define fp16 SLOW\nkernel void f() {}");
        CALL(clBuildProgram(program, 0, NULL, NULL, count_call, &data));
        CALL(clReleaseProgram(program));
        wait_for_call(i);
    }
}

// The program ends while a translation runs; the driver may not be called any more then.
static void test_exit_during_build(const struct host *host)
{
    static cl_build_status data;
    cl_program program = make_program(host, "#define fp16 SLOW\nkernel void f() {}");
    CALL(clBuildProgram(program, 0, NULL, NULL, count_call, &data));
    exit(0);
}

static void CL_CALLBACK end_process(cl_program program, void *data)
{
    (void)program;
    exit(*(int *)data);
}

static void test_exit_in_callback(const struct host *host)
{
    static int status = 0;
    cl_program program = make_program(host, "#define fp16 SLOW\nkernel void f() {}");
    CALL(clBuildProgram(program, 0, NULL, NULL, end_process, &status));
    nanosleep(&(struct timespec){.tv_sec = 20}, NULL);
    exit(1);
}

static void CL_CALLBACK note_release(cl_program program, void *data)
{
    (void)program;
    atomic_fetch_add((atomic_int *)data, 1);
}

// The author's program is released when its last kernel is.
static void test_release_callback(const struct host *host)
{
    atomic_int released = 0;
    cl_program program = make_program(host, SOURCE);
    cl_int status = clSetProgramReleaseCallback(program, note_release, &released);
    if (status == CL_INVALID_OPERATION) { // not in this driver
        CALL(clReleaseProgram(program));
        return;
    }
    CALL(status);
    build(host, program, OPTIONS);
    cl_kernel kernel = make_kernel(program, "answer");
    CALL(clReleaseProgram(program));
    CHECK(!atomic_load(&released));
    CALL(clReleaseKernel(kernel));
    CHECK(atomic_load(&released) == 1);
}

// Threads and processes ---------------------------------------------------------------------

static void *build_some(void *argument)
{
    const struct host *host = argument;
    for (int i = 0; i < 5; i++) {
        char options[40];
        int more = (int)((size_t)pthread_self() >> 8 & 0xFFFF) + i;
        snprintf(options, sizeof options, "-DMORE=%d", more);
        cl_program program = make_program(host, SOURCE);
        build(host, program, options);
        cl_kernel kernel = make_kernel(program, "other");
        CALL(clReleaseProgram(program));
        const int number = 2;
        CHECK(run_kernel(host, 0, kernel, &number, sizeof number) == 2 * more);
        CALL(clReleaseKernel(kernel));
    }
    return NULL;
}

static void test_threads(const struct host *host)
{
    pthread_t threads[6];
    for (int i = 0; i < 6; i++)
        CHECK(!pthread_create(&threads[i], NULL, build_some, (void *)(size_t)host));
    for (int i = 0; i < 6; i++)
        CHECK(!pthread_join(threads[i], NULL));
}

static void *share_kernels(void *program)
{
    for (int i = 0; i < 500; i++) {
        CALL(clRetainProgram(program));
        cl_kernel kernel = make_kernel(program, "other");
        CALL(clRetainKernel(kernel));
        CALL(clReleaseProgram(program));
        CALL(clReleaseKernel(kernel));
        CALL(clReleaseKernel(kernel));
    }
    return NULL;
}

static void test_threads_share_program(const struct host *host)
{
    pthread_t threads[4];
    cl_program program = make_program(host, SOURCE);
    build(host, program, OPTIONS);
    for (int i = 0; i < 4; i++)
        CHECK(!pthread_create(&threads[i], NULL, share_kernels, program));
    for (int i = 0; i < 4; i++)
        CHECK(!pthread_join(threads[i], NULL));
    CHECK(count_references(program) == 1);
    build(host, program, "-DMORE=1"); // no kernel is attached
    CALL(clReleaseProgram(program));
}

static void test_translator_dies(const struct host *host)
{
    char log[1000];
    cl_program program = make_program(host, "#define fp16 DIES_ONCE\nkernel void f() {}");
    build(host, program, "");
    CALL(clReleaseProgram(program));
    program = make_program(host, "#define fp16 DIES\nkernel void f() {}");
    CHECK_STATUS(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    print_log(program, host->devices[0], log, sizeof log);
    CHECK(strstr(log, "ended twice"));
    CALL(clReleaseProgram(program));
    test_translated(host);
}

// Answers that are no answers.
static void test_malformed_answers(const struct host *host)
{
    static const char *const sources[] = {"#define fp16 CUT_OFF",   "#define fp16 TOO_LONG",
                                          "#define fp16 TOO_MANY",  "#define fp16 NO_TEXT",
                                          "#define fp16 NO_STATUS", "#define fp16 NO_VALUES"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        cl_program program = make_program(host, sources[i]);
        CHECK_STATUS(clBuildProgram(program, 0, NULL, NULL, NULL, NULL),
                     CL_BUILD_PROGRAM_FAILURE);
        CALL(clReleaseProgram(program));
    }
    test_translated(host);
}

// A child of a fork has a translator of its own, and leaves the parent's alone. Drivers do not
// survive forks, so the child only asks the layer for what does not reach the driver.
static void test_fork(const struct host *host)
{
    test_translated(host);
    cl_program program = make_program(host, REFUSED);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (!child) {
            cl_int status = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
            _exit(status == CL_BUILD_PROGRAM_FAILURE ? 0 : 1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && !status);
        test_translated(host);
    }
    CALL(clReleaseProgram(program));
}

// The child has neither the thread that builds nor the lock that it holds.
static void test_fork_during_build(const struct host *host)
{
    cl_build_status data;
    cl_program program = make_program(host, "#define fp16 SLOW\nkernel void f() {}");
    cl_program refused = make_program(host, REFUSED);
    CALL(clBuildProgram(program, 0, NULL, NULL, count_call, &data));
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    pid_t child = fork();
    if (!child) {
        cl_int status = clBuildProgram(refused, 0, NULL, NULL, NULL, NULL);
        exit(status == CL_BUILD_PROGRAM_FAILURE ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && !status);
    wait_for_call(1);
    CALL(clReleaseProgram(refused));
    CALL(clReleaseProgram(program));
}

// The translator is not among the children that a program waits for.
static void test_no_child(const struct host *host)
{
    test_translated(host);
    CHECK(wait(NULL) == -1);
}

static void test_closed_files(const struct host *host)
{
    test_translated(host);
    FILE *other = NULL;
    for (int file = 3; file < 1024; file++)
        close(file);
    other = tmpfile(); // has a number that was the layer's, perhaps
    CHECK(other);
    for (int i = 0; i < 200; i++)
        CHECK(dup(fileno(other)) >= 0);
    cl_program program = make_program(host, REFUSED);
    CHECK_STATUS(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CALL(clReleaseProgram(program));
    CHECK(!fseek(other, 0, SEEK_END) && !ftell(other));
}

// Standard files may be closed, too.
static void test_no_standard_files(const struct host *host)
{
    close(0);
    close(1);
    test_translated(host);
}

static void test_unloading(const struct host *host)
{
    cl_platform_id platform;
    test_translated(host);
    CALL(clGetDeviceInfo(host->devices[0], CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
                         &platform, NULL));
    CALL(clUnloadPlatformCompiler(platform));
    test_translated(host);
}

// Compiling and linking ---------------------------------------------------------------------

static void test_linking(const struct host *host)
{
    const char *name = "values/more.h";
    cl_program header = make_program(host, "#define fp16\nint more(int);\n");
    cl_program library =
        make_program(host, "#define fp16\nint more(int x) { return x + ANSWER; }\n");
    cl_program plain = make_program(host, "int less(int x) { return x - 1; }\n");
    cl_program user =
        make_program(host, "#include \"values/more.h\"\nint less(int);\n"
                           "kernel void answer(global int *out, HALF_BITS number) {"
                           "    out[0] = less(more(number)); }\n");
    CALL(clCompileProgram(library, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    CALL(clCompileProgram(plain, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_build_status data;
    CALL(clCompileProgram(user, 0, NULL, "-cl-kernel-arg-info", 1, &header, &name, count_call,
                          &data));
    wait_for_call(1);
    CHECK(build_status(user, host->devices[0]) == CL_BUILD_SUCCESS);
    cl_program_binary_type type;
    CALL(clGetProgramBuildInfo(user, host->devices[0], CL_PROGRAM_BINARY_TYPE, sizeof type,
                               &type, NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_int status;
    cl_program linked =
        clLinkProgram(host->context, 0, NULL, "", 3, (cl_program[]){library, plain, user}, NULL,
                      NULL, &status);
    CALL(status);
    CHECK(run_answer(host, 0, linked) == 42);
    cl_program programs[] = {header, library, plain, user};
    for (int i = 0; i < 4; i++) {
        CHECK(count_references(programs[i]) == 1);
        CALL(clReleaseProgram(programs[i]));
    }
    char text[100];
    cl_kernel kernel = make_kernel(linked, "answer");
    cl_program of_kernel;
    CALL(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &of_kernel, NULL));
    CHECK(of_kernel == linked);
    if (!clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL))
        check_text(text, "half");
    CALL(clReleaseProgram(linked));
    CALL(clReleaseKernel(kernel));
}

static void test_failed_compiling(const struct host *host)
{
    cl_int status;
    cl_program program = make_program(host, REFUSED);
    CHECK_STATUS(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                 CL_COMPILE_PROGRAM_FAILURE);
    cl_program linked =
        clLinkProgram(host->context, 0, NULL, NULL, 1, &program, NULL, NULL, &status);
    CHECK(!linked && status == CL_INVALID_OPERATION);
    CALL(clReleaseProgram(program));
}

// Devices -----------------------------------------------------------------------------------

static const char BY_DEVICE[] =
    "#define fp16\nkernel void answer(global int *out, ushort number)\n"
    "{ out[0] = DEVICE + number; }\n";

static void test_devices(const struct host *host)
{
    CHECK(host->count == 2);
    cl_program program = make_program(host, BY_DEVICE);
    build(host, program, "");
    int first = run_answer(host, 0, program), second = run_answer(host, 1, program);
    CHECK(first != second);
    // One kernel for both devices.
    const unsigned short number = 1;
    cl_kernel kernel = make_kernel(program, "answer");
    for (int i = 0; i < 3; i++) {
        CHECK(run_kernel(host, 0, kernel, &number, sizeof number) == first);
        CHECK(run_kernel(host, 1, kernel, &number, sizeof number) == second);
    }
    CALL(clReleaseKernel(kernel));
    CALL(clReleaseProgram(program));
}

static void test_devices_built_in_turn(const struct host *host)
{
    cl_program program = make_program(host, BY_DEVICE);
    CALL(clBuildProgram(program, 1, &host->devices[0], "-DX=0", NULL, NULL));
    CHECK(build_status(program, host->devices[1]) == CL_BUILD_NONE);
    int first = run_answer(host, 0, program);
    CALL(clBuildProgram(program, 1, &host->devices[1], "-DX=1", NULL, NULL));
    int second = run_answer(host, 1, program);
    CHECK(run_answer(host, 0, program) == first && first != second);
    char options[20];
    for (cl_uint i = 0; i < 2; i++) {
        CALL(clGetProgramBuildInfo(program, host->devices[i], CL_PROGRAM_BUILD_OPTIONS,
                                   sizeof options, options, NULL));
        check_text(options, i ? "-DX=1" : "-DX=0");
    }
    CALL(clReleaseProgram(program));
}

static void test_binaries(const struct host *host)
{
    size_t sizes[DEVICES_MAX];
    unsigned char *binaries[DEVICES_MAX];
    cl_int status;
    cl_program program = make_program(host, BY_DEVICE);
    build(host, program, "");
    size_t size;
    CALL(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size));
    CHECK(size == host->count * sizeof *sizes);
    for (cl_uint i = 0; i < host->count; i++) {
        CHECK(sizes[i]);
        binaries[i] = malloc(sizes[i]);
    }
    CALL(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, &size));
    CHECK(size == host->count * sizeof *binaries);
    cl_program loaded =
        clCreateProgramWithBinary(host->context, host->count, host->devices, sizes,
                                  (const unsigned char **)binaries, NULL, &status);
    CALL(status);
    CALL(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    for (cl_uint i = 0; i < host->count; i++) {
        CHECK(run_answer(host, i, loaded) == run_answer(host, i, program));
        free(binaries[i]);
    }
    CALL(clReleaseProgram(loaded));
    CALL(clReleaseProgram(program));
}

// A device refuses, the other does not: the build fails, and the second device has an
// executable.
static void test_one_device_refuses(const struct host *host)
{
    cl_program program =
        make_program(host, "#define fp16 REFUSED_BY_FIRST\n"
                           "kernel void answer(global int *out, ushort number)\n"
                           "{ out[0] = ANSWER + number; }\n");
    CHECK_STATUS(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    bool first_is_refused = build_status(program, host->devices[0]) == CL_BUILD_ERROR;
    cl_uint other = first_is_refused ? 1 : 0;
    CHECK(build_status(program, host->devices[other]) == CL_BUILD_SUCCESS);
    CHECK(build_status(program, host->devices[1 - other]) == CL_BUILD_ERROR);
    CHECK(run_answer(host, other, program) == 43);
    CALL(clReleaseProgram(program));
}

static void test_device_information(const struct host *host)
{
    char extensions[10000], twice[10000];
    size_t size, again;
    cl_device_id device = host->devices[0];
    CALL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    CALL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, &again));
    CHECK(size == again && strlen(extensions) + 1 == size);
    CHECK(strstr(extensions, "cl_khr_select_fprounding_mode"));
    char *half = strstr(extensions, "cl_khr_fp16");
    CHECK(half && !strstr(half + 1, "cl_khr_fp16"));
    CHECK_STATUS(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size - 1, twice, NULL),
                 CL_INVALID_VALUE);
    cl_device_fp_config config;
    CALL(clGetDeviceInfo(device, CL_DEVICE_HALF_FP_CONFIG, sizeof config, &config, &size));
    CHECK(size == sizeof config && config & CL_FP_ROUND_TO_ZERO && config & CL_FP_ROUND_TO_INF);
    CALL(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL));
    CHECK(config & CL_FP_ROUND_TO_ZERO && config & CL_FP_ROUND_TO_INF);
    cl_uint width;
    CALL(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, sizeof width, &width,
                         NULL));
    CHECK(width >= 1);
    static cl_name_version versions[1000];
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions,
                        &size))
        return;
    int modes = 0, halves = 0;
    for (size_t i = 0; i < size / sizeof *versions; i++) {
        modes += !strcmp(versions[i].name, "cl_khr_select_fprounding_mode");
        halves += !strcmp(versions[i].name, "cl_khr_fp16");
    }
    CHECK(modes == 1 && halves == 1);
}

// The layer's functions, even if the driver is asked for its own.
static void test_function_addresses(const struct host *host)
{
    cl_platform_id platform;
    CALL(clGetDeviceInfo(host->devices[0], CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
                         &platform, NULL));
    typedef cl_int(CL_API_CALL * query)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetDeviceInfo");
    if (!address)
        return;
    char extensions[10000];
    CALL(((query)(size_t)address)(host->devices[0], CL_DEVICE_EXTENSIONS, sizeof extensions,
                                  extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_select_fprounding_mode"));
}

static void test_source_in_parts(const struct host *host)
{
    const char *parts[] = {
        "#define fp16\nkernel void answer(global int *out, HALF_BITS numberXXX", ") {",
        " out[0] = ANSWER + number;", "}"};
    size_t lengths[] = {strlen(parts[0]) - 3, 0, strlen(parts[2]), 1};
    cl_int status;
    cl_program program = clCreateProgramWithSource(host->context, 4, parts, lengths, &status);
    CALL(status);
    build(host, program, NULL);
    CHECK(run_answer(host, 0, program) == 43);
    CALL(clReleaseProgram(program));
}

// The translator's request has all that the program passed.
static void test_request(const struct host *host)
{
    const char *name = "more.h";
    cl_program header = make_program(host, "#define SOMETHING 3\n");
    cl_program program = make_program(host, "#define fp16 WRITE_REQUEST\nkernel void f() {}");
    CALL(clCompileProgram(program, 0, NULL, " -DX=\"1 2\"  -cl-std=CL1.2", 1, &header, &name,
                          NULL, NULL));
    CALL(clReleaseProgram(program));
    CALL(clReleaseProgram(header));
}

static void test_many_builds(const struct host *host)
{
    const char *text = getenv("BUILDS");
    int count = text ? atoi(text) : 100;
    for (int i = 0; i < count; i++) {
        cl_program program = make_program(host, "#define fp16 FAILS_IN_DRIVER\nkernel");
        CHECK(clBuildProgram(program, 0, NULL, "-DX", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
        CALL(clReleaseProgram(program));
        program = make_program(host, REFUSED);
        CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
        CALL(clReleaseProgram(program));
        if (i % 100 == 0) {
            test_translated(host);
            test_kernels_keep_program(host);
        }
    }
}

struct test {
    const char *name;
    void (*run)(const struct host *);
};

#define TEST(name) {#name, test_##name}

static const struct test TESTS[] = {
    TEST(translated),
    TEST(information),
    TEST(kernel_information),
    TEST(launch_rules),
    TEST(kernels_keep_program),
    TEST(untouched),
    TEST(option_brings_half),
    TEST(passed_by_translator),
    TEST(refused),
    TEST(lenient),
    TEST(no_python),
    TEST(error_of_driver),
    TEST(rebuilding),
    TEST(wrong_arguments),
    TEST(callback),
    TEST(build_in_progress),
    TEST(release_during_build),
    TEST(exit_during_build),
    TEST(exit_in_callback),
    TEST(release_callback),
    TEST(threads),
    TEST(threads_share_program),
    TEST(translator_dies),
    TEST(malformed_answers),
    TEST(fork),
    TEST(fork_during_build),
    TEST(no_child),
    TEST(closed_files),
    TEST(no_standard_files),
    TEST(unloading),
    TEST(linking),
    TEST(failed_compiling),
    TEST(devices),
    TEST(devices_built_in_turn),
    TEST(binaries),
    TEST(one_device_refuses),
    TEST(device_information),
    TEST(function_addresses),
    TEST(source_in_parts),
    TEST(request),
    TEST(many_builds),
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
        if (count < 2)
            puts(TESTS[i].name);
        else if (!strcmp(TESTS[i].name, arguments[1])) {
            struct host host = open_host();
            TESTS[i].run(&host);
            close_host(&host);
            return 0;
        }
    }
    return count < 2 ? 0 : 2;
}
