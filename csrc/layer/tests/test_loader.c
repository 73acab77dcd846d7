// Tests of the layer without a loader or a driver: tables of fewer and more functions, of
// functions that are missing, and which texts start a translator. `test_loader LIBRARY CASE`
// runs one.
#include "host.h"

#include "library.h"

#include <CL/cl_layer.h>

#define HEADERS_COUNT (sizeof(cl_icd_dispatch) / sizeof(void *))
#define MORE_COUNT (HEADERS_COUNT + 50)

static pfn_clGetLayerInfo get_info;
static pfn_clInitLayer init;

// Newer loaders' functions, which older headers do not declare.
static cl_int(CL_API_CALL *init_with_properties)(cl_uint, const cl_icd_dispatch *, cl_uint *,
                                                 const cl_icd_dispatch **, const void *);
static cl_int(CL_API_CALL *deinit)(void);

static void *lookup(library_handle library, const char *name)
{
    void *address = dlsym(library, name);
    CHECK(address);
    return address;
}

// A table of so many functions, each a different address that is never called.
static void **make_table(size_t count)
{
    void **table = calloc(count, sizeof *table);
    for (size_t i = 0; i < count; i++)
        table[i] = (void *)(i + 1);
    return table;
}

// The functions of a table that the layer returns as they are.
static size_t count_same(void *const *table, const cl_icd_dispatch *result, size_t count)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += table[i] == ((void *const *)(const void *)result)[i];
    return same;
}

static size_t check_table(void **table, size_t count)
{
    cl_uint result_count = 0;
    const cl_icd_dispatch *result = NULL;
    CALL(init((cl_uint)count, (const cl_icd_dispatch *)(void *)table, &result_count, &result));
    CHECK(result_count == count && result);
    return count - count_same(table, result, count);
}

static void test_info(void)
{
    cl_layer_api_version version = 0;
    size_t size;
    char name[100];
    CALL(get_info(CL_LAYER_API_VERSION, sizeof version, &version, &size));
    CHECK(version == CL_LAYER_API_VERSION_100 && size == sizeof version);
    CALL(get_info(CL_LAYER_NAME, sizeof name, name, &size));
    CHECK(size == strlen(name) + 1);
    CHECK_STATUS(get_info(CL_LAYER_NAME, size - 1, name, NULL), CL_INVALID_VALUE);
    CHECK_STATUS(get_info(0, sizeof name, name, NULL), CL_INVALID_VALUE);
}

static void test_tables(void)
{
    size_t replaced = check_table(make_table(HEADERS_COUNT), HEADERS_COUNT);
    CHECK(replaced == 27);
    CHECK(check_table(make_table(MORE_COUNT), MORE_COUNT) == replaced);
    // OpenCL 1.2: without clCreateProgramWithIL, clCloneKernel and
    // clGetKernelSubGroupInfo(KHR).
    size_t until_opencl_2 =
        offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties) / sizeof(void *);
    CHECK(check_table(make_table(until_opencl_2), until_opencl_2) == replaced - 4);
    CHECK(check_table(make_table(10), 10) == 0);
    CHECK(check_table(make_table(1), 1) == 0);
}

static void test_missing_functions(void)
{
    void **table = make_table(HEADERS_COUNT);
    size_t replaced = check_table(table, HEADERS_COUNT);
    cl_icd_dispatch *functions = (cl_icd_dispatch *)(void *)table;
    functions->clCloneKernel = NULL;
    functions->clCreateProgramWithIL = NULL;
    CHECK(check_table(table, HEADERS_COUNT) == replaced - 2);
    functions->clBuildProgram = NULL; // nothing works without
    CHECK(check_table(table, HEADERS_COUNT) == 0);
}

static void test_wrong_arguments(void)
{
    cl_uint count;
    const cl_icd_dispatch *result;
    const cl_icd_dispatch *table = (const cl_icd_dispatch *)(void *)make_table(HEADERS_COUNT);
    CHECK_STATUS(init(0, table, &count, &result), CL_INVALID_VALUE);
    CHECK_STATUS(init(HEADERS_COUNT, NULL, &count, &result), CL_INVALID_VALUE);
    CHECK_STATUS(init(HEADERS_COUNT, table, NULL, &result), CL_INVALID_VALUE);
    CHECK_STATUS(init(HEADERS_COUNT, table, &count, NULL), CL_INVALID_VALUE);
}

// The library twice in one chain: the second time it passes through.
static void test_twice_in_chain(void)
{
    cl_uint count;
    const cl_icd_dispatch *first, *second;
    CALL(init(HEADERS_COUNT, (const cl_icd_dispatch *)(void *)make_table(HEADERS_COUNT), &count,
              &first));
    CALL(init(count, first, &count, &second));
    CHECK(!memcmp(first, second, sizeof *first));
}

// The library is there twice, with a layer in between that has its own functions for some.
static void test_twice_around_another(void)
{
    cl_uint count;
    const cl_icd_dispatch *first, *second;
    CALL(init(HEADERS_COUNT, (const cl_icd_dispatch *)(void *)make_table(HEADERS_COUNT), &count,
              &first));
    cl_icd_dispatch between = *first;
    void **others = make_table(HEADERS_COUNT);
    between.clBuildProgram = ((cl_icd_dispatch *)(void *)others)->clBuildProgram;
    CALL(init(count, &between, &count, &second));
    CHECK(!memcmp(&between, second, sizeof between));
}

// Khronos' newer loaders call only these two.
static void test_newer_loader(void)
{
    cl_uint count;
    const cl_icd_dispatch *first, *second, *table = (void *)make_table(HEADERS_COUNT);
    CALL(init(HEADERS_COUNT, table, &count, &first));
    CALL(init_with_properties(HEADERS_COUNT, table, &count, &second, NULL));
    CHECK(count == HEADERS_COUNT && !memcmp(first, second, sizeof *first));
    CALL(deinit());
    CALL(init_with_properties(HEADERS_COUNT, table, &count, &second, NULL));
    CALL(deinit());
}

// HALFCL_LAYER=off
static void test_off(void)
{
    CHECK(check_table(make_table(HEADERS_COUNT), HEADERS_COUNT) == 0);
}

struct test {
    const char *name;
    void (*run)(void);
};

static const struct test TESTS[] = {
    {"info", test_info},
    {"tables", test_tables},
    {"missing_functions", test_missing_functions},
    {"wrong_arguments", test_wrong_arguments},
    {"twice_in_chain", test_twice_in_chain},
    {"twice_around_another", test_twice_around_another},
    {"newer_loader", test_newer_loader},
    {"off", test_off},
};

int main(int count, char **arguments)
{
    if (count < 3) {
        for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++)
            puts(TESTS[i].name);
        return 0;
    }
    library_handle library = dlopen(arguments[1], RTLD_NOW);
    CHECK(library);
    get_info = (pfn_clGetLayerInfo)lookup(library, "clGetLayerInfo");
    init = (pfn_clInitLayer)lookup(library, "clInitLayer");
    *(void **)&init_with_properties = lookup(library, "clInitLayerWithProperties");
    *(void **)&deinit = lookup(library, "clDeinitLayer");
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++)
        if (!strcmp(TESTS[i].name, arguments[2])) {
            TESTS[i].run();
            return 0;
        }
    return 2;
}
