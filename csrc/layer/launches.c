// Arguments and launches of kernels that have rules: samplers are numbers in their text, or the
// memory for their sub-groups is for so many work-items.
#include "launches.h"

#include "answers.h"
#include "entry.h"
#include "log.h"
#include "queries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IS_ROW = 1, IS_SIZED = 2 };

// The most work-items along x of work-groups whose size the program leaves open.
enum { DEFAULT_GROUP = 256 };

// Adds the rules of a line. Devices may differ in them: the narrower ones hold.
static void add_rules(struct launch_rules *rules, const char *line)
{
    unsigned most, lanes, flags;
    unsigned long long samplers;
    if (sscanf(line, "%u\t%u\t%u\t%llu", &most, &lanes, &flags, &samplers) != 4)
        return;
    if (most && (!rules->most_items || most < rules->most_items))
        rules->most_items = most;
    rules->lanes = lanes;
    rules->is_row = rules->is_row || flags & IS_ROW;
    rules->is_sized = rules->is_sized || flags & IS_SIZED;
    rules->samplers_as_numbers |= samplers;
}

// Adds the rules of all lines for a kernel.
static void add_rules_of(struct launch_rules *rules, const char *lines, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = lines; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, length) && line[length] == '\t')
            add_rules(rules, line + length + 1);
    }
}

bool launches_read_rules(const struct program *program, cl_kernel kernel,
                         struct launch_rules *rules)
{
    *rules = (struct launch_rules){0};
    char *name = query_kernel_name(kernel);
    if (!name)
        return false;
    objects_lock(); // another thread may build the program again
    add_rules_of(rules, program->launches, name);
    objects_unlock();
    free(name);
    return true;
}

// Arguments ---------------------------------------------------------------------------------

// The number that stands for a sampler in a text: the sum of its constants. Returns false if it
// is not a sampler.
static bool number_of_sampler(cl_sampler sampler, cl_uint *number)
{
    cl_bool is_normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    if (!sampler ||
        driver()->clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof is_normalized,
                                   &is_normalized, NULL) ||
        driver()->clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing,
                                   &addressing, NULL) ||
        driver()->clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter,
                                   NULL))
        return false;
    *number = 2 * (addressing - CL_ADDRESS_NONE) + (is_normalized ? 1 : 0) +
              (filter == CL_FILTER_LINEAR ? 0x20 : 0x10);
    return true;
}

static bool is_sampler_as_number(cl_kernel kernel, cl_uint index)
{
    struct launch_rules rules;
    return index < 64 && objects_find_rules(kernel, &rules) &&
           rules.samplers_as_numbers >> index & 1;
}

static cl_int set_sampler(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_sampler sampler;
    cl_uint number;
    if (size != sizeof(sampler))
        return CL_INVALID_ARG_SIZE;
    if (!value)
        return CL_INVALID_ARG_VALUE;
    memcpy(&sampler, value, sizeof(sampler));
    if (!number_of_sampler(sampler, &number))
        return CL_INVALID_SAMPLER;
    return driver()->clSetKernelArg(kernel, index, sizeof number, &number);
}

cl_int CL_API_CALL layer_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size,
                                        const void *value)
{
    if (objects_have_rules() && is_sampler_as_number(kernel, index))
        return set_sampler(kernel, index, size, value);
    return driver()->clSetKernelArg(kernel, index, size, value);
}

// Sizes -------------------------------------------------------------------------------------

static size_t product_of(cl_uint dimensions, const size_t *sizes)
{
    size_t product = 1;
    for (cl_uint i = 0; i < dimensions; i++)
        product *= sizes[i];
    return product;
}

static bool is_allowed(const struct launch_rules *rules, cl_uint dimensions,
                       const size_t *local)
{
    size_t items = product_of(dimensions, local);
    if (items <= rules->most_items && (!rules->is_row || items == local[0]))
        return true;
    log_line("not launched: expected work-groups of at most %u work-items%s, got %lu",
             (unsigned)rules->most_items, rules->is_row ? " along x" : "",
             (unsigned long)items);
    return false;
}

// Chooses the size that halfcl's interpreter chooses: the largest divisor that is small enough
// along x, and 1 along y and z.
static void choose(const struct launch_rules *rules, size_t global, size_t *local)
{
    size_t most = rules->most_items < DEFAULT_GROUP ? rules->most_items : DEFAULT_GROUP;
    for (local[0] = most; global % local[0]; local[0]--)
        ;
    local[1] = local[2] = 1;
}

// Writes the size of a launch's work-groups to `own` if the program leaves it open, and returns
// that; else returns `local`. Sets `*is_refused` if it is too large.
static const size_t *check_sizes(cl_kernel kernel, cl_uint dimensions, const size_t *global,
                                 const size_t *local, size_t *own, bool *is_refused)
{
    struct launch_rules rules;
    if (!objects_find_rules(kernel, &rules) || !rules.most_items || dimensions - 1 >= 3)
        return local;
    if (!local && global && !rules.is_sized) {
        choose(&rules, global[0], own);
        local = own;
    }
    *is_refused = local && !is_allowed(&rules, dimensions, local);
    return local;
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                     const size_t *offset, const size_t *global, const size_t *local,
                     cl_uint wait_count, const cl_event *waits, cl_event *event)
{
    size_t own[3];
    bool is_refused = false;
    local = check_sizes(kernel, dimensions, global, local, own, &is_refused);
    if (is_refused)
        return CL_INVALID_WORK_GROUP_SIZE;
    return driver()->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                            wait_count, waits, event);
}

// Without rules this is a jump to the driver's function, whose arguments are where they are.
cl_int CL_API_CALL layer_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                cl_uint dimensions, const size_t *offset,
                                                const size_t *global, const size_t *local,
                                                cl_uint wait_count, const cl_event *waits,
                                                cl_event *event)
{
    return objects_have_rules()
               ? launch(queue, kernel, dimensions, offset, global, local, wait_count, waits,
                        event)
               : driver()->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                  local, wait_count, waits, event);
}

cl_int CL_API_CALL layer_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                  cl_kernel_work_group_info name, size_t room,
                                                  void *value, size_t *size_ret)
{
    struct launch_rules rules;
    size_t size;
    if (name != CL_KERNEL_WORK_GROUP_SIZE || !objects_find_rules(kernel, &rules) ||
        !rules.most_items ||
        driver()->clGetKernelWorkGroupInfo(kernel, device, name, sizeof size, &size, NULL))
        return driver()->clGetKernelWorkGroupInfo(kernel, device, name, room, value, size_ret);
    size = size < rules.most_items ? size : rules.most_items;
    return answer_query(&size, sizeof size, room, value, size_ret);
}

// Sub-groups --------------------------------------------------------------------------------

static cl_int answer_number(size_t number, size_t room, void *value, size_t *size_ret)
{
    return answer_query(&number, sizeof number, room, value, size_ret);
}

static cl_int answer_local_size(const struct launch_rules *rules, size_t count, size_t room,
                                void *value, size_t *size_ret)
{
    size_t dimensions = room / sizeof(size_t), sizes[3] = {count * rules->lanes, 1, 1};
    if (value && (dimensions < 1 || dimensions > 3))
        return CL_INVALID_VALUE;
    if (!count || count > rules->most_items / rules->lanes)
        sizes[0] = sizes[1] = sizes[2] = 0;
    return answer_query(sizes, (value ? dimensions : 1) * sizeof *sizes, room, value, size_ret);
}

typedef __typeof__(layer_clGetKernelSubGroupInfo) *sub_group_query;

// Answers what depends on the sub-groups of a translation; the driver does the rest.
static cl_int answer_sub_groups(sub_group_query ask, cl_kernel kernel, cl_device_id device,
                                cl_kernel_sub_group_info name, size_t input_size,
                                const void *input, size_t room, void *value, size_t *size_ret)
{
    struct launch_rules rules;
    if (!objects_find_rules(kernel, &rules) || !rules.lanes)
        return ask(kernel, device, name, input_size, input, room, value, size_ret);
    size_t given[3] = {0, 1, 1}, lanes = rules.lanes;
    if (input && input_size && input_size <= sizeof given)
        memcpy(given, input, input_size);
    size_t items = product_of(3, given);
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return answer_number(items < lanes ? items : lanes, room, value, size_ret);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return answer_number((items + lanes - 1) / lanes, room, value, size_ret);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        return answer_local_size(&rules, given[0], room, value, size_ret);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return answer_number((rules.most_items + lanes - 1) / lanes, room, value, size_ret);
    default:
        return ask(kernel, device, name, input_size, input, room, value, size_ret);
    }
}

cl_int CL_API_CALL layer_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                 cl_kernel_sub_group_info name,
                                                 size_t input_size, const void *input,
                                                 size_t room, void *value, size_t *size_ret)
{
    return answer_sub_groups(driver()->clGetKernelSubGroupInfo, kernel, device, name,
                             input_size, input, room, value, size_ret);
}

cl_int CL_API_CALL layer_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                    cl_kernel_sub_group_info name,
                                                    size_t input_size, const void *input,
                                                    size_t room, void *value, size_t *size_ret)
{
    return answer_sub_groups(driver()->clGetKernelSubGroupInfoKHR, kernel, device, name,
                             input_size, input, room, value, size_ret);
}
