// clBuildProgram and clCompileProgram: of translations, in the shadow of the author's program.
#include "builds.h"

#include "devices.h"
#include "entry.h"
#include "includes.h"
#include "joining.h"
#include "log.h"
#include "objects.h"
#include "queries.h"
#include "system.h"
#include "text.h"
#include "translations.h"
#include "words.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK *notify_function)(cl_program, void *);

// Headers of clCompileProgram.
struct headers {
    cl_uint count;
    const cl_program *programs;
    const char **names;
};

// Devices with the same properties, or whose translations are the same.
struct group {
    struct message fields;
    struct translation translation;
    cl_uint count;
    cl_device_id *devices;
};

// A call of clBuildProgram or clCompileProgram, with copies of its arguments.
struct build {
    struct program *program; // with a hold
    bool compiles;
    cl_uint device_count;
    cl_device_id *devices;
    char *options; // or NULL
    cl_uint header_count;
    cl_program *headers; // retained
    char **header_names;
    notify_function notify;
    void *user_data;
    cl_uint group_count;
    struct group *groups;
};

// Memory ------------------------------------------------------------------------------------

static void free_groups(struct build *build)
{
    for (cl_uint i = 0; i < build->group_count; i++) {
        message_free(&build->groups[i].fields);
        translation_free(&build->groups[i].translation);
        free(build->groups[i].devices);
    }
    free(build->groups);
    build->groups = NULL;
    build->group_count = 0;
}

static void free_build(struct build *build)
{
    free_groups(build);
    for (cl_uint i = 0; i < build->header_count; i++) {
        driver()->clReleaseProgram(build->headers[i]);
        free(build->header_names[i]);
    }
    free(build->headers);
    free(build->header_names);
    free(build->devices);
    free(build->options);
    objects_release_hold(build->program);
    free(build);
}

static bool has_device(const cl_device_id *devices, cl_uint count, cl_device_id device)
{
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] == device)
            return true;
    return false;
}

// Copies the devices, each once and in the order of the program's; all of these if there are
// none.
static cl_int copy_devices(struct build *build, cl_uint count, const cl_device_id *devices)
{
    cl_uint all_count;
    cl_device_id *all = query_devices(objects_handle(build->program), &all_count);
    if (!all)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < all_count; i++)
        if (!devices || has_device(devices, count, all[i]))
            all[build->device_count++] = all[i];
    build->devices = all;
    for (cl_uint i = 0; i < count; i++)
        if (!has_device(all, build->device_count, devices[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

static bool copy_headers(struct build *build, const struct headers *headers)
{
    if (!headers->count)
        return true;
    build->headers = calloc(headers->count, sizeof *build->headers);
    build->header_names = calloc(headers->count, sizeof *build->header_names);
    while (build->headers && build->header_names && build->header_count < headers->count) {
        cl_uint i = build->header_count;
        build->header_names[i] = text_duplicate(headers->names[i]);
        if (!build->header_names[i])
            return false;
        build->headers[i] = headers->programs[i];
        driver()->clRetainProgram(headers->programs[i]);
        build->header_count++;
    }
    return build->headers && build->header_names;
}

static cl_int copy_arguments(struct build *build, cl_uint count, const cl_device_id *devices,
                             const char *options, const struct headers *headers)
{
    build->options = options ? text_duplicate(options) : NULL;
    if ((options && !build->options) || !copy_headers(build, headers))
        return CL_OUT_OF_HOST_MEMORY;
    return copy_devices(build, count, devices);
}

// Takes over a hold on the program, also on failure.
static struct build *make_build(struct program *program, bool compiles)
{
    struct build *build = calloc(1, sizeof *build);
    if (!build) {
        objects_release_hold(program);
        return NULL;
    }
    build->program = program;
    build->compiles = compiles;
    return build;
}

// Requests to the translator -----------------------------------------------------------------

// Adds the text of a header.
static void add_header(struct message *request, const char *name, cl_program handle)
{
    char *key = text_print("header:%s", name);
    struct program *header = objects_hold_program(handle);
    if (!key)
        request->has_failed = true;
    else if (header && header->source)
        message_add_bytes(request, key, header->source, header->source_size);
    if (header)
        objects_release_hold(header);
    free(key);
}

// Adds to a request what is the same for all devices.
static void describe_build(struct message *request, const struct build *build)
{
    char *folder = system_working_directory();
    message_begin(request);
    message_add(request, "command", "translate");
    message_add(request, "stage", build->compiles ? "compile" : "build");
    message_add_bytes(request, "source", build->program->source, build->program->source_size);
    message_add(request, "options", build->options);
    message_add(request, "floats", settings()->floats);
    message_add(request, "folder", folder);
    for (cl_uint i = 0; i < build->header_count; i++)
        add_header(request, build->header_names[i], build->headers[i]);
    free(folder);
}

static bool add_to_group(struct group *group, cl_device_id device)
{
    cl_device_id *devices = realloc(group->devices, (group->count + 1) * sizeof *devices);
    if (!devices)
        return false;
    group->devices = devices;
    group->devices[group->count++] = device;
    return true;
}

// Adds a device to the group whose devices are described by the same fields, or to a new one. A
// device that needs no translation has no fields.
static bool group_device(struct build *build, cl_device_id device)
{
    struct message fields;
    message_begin(&fields);
    if (device_is_translated_for(device))
        device_describe(device, &fields);
    for (cl_uint i = 0; i < build->group_count && !fields.has_failed; i++)
        if (message_is_same(&fields, &build->groups[i].fields)) {
            message_free(&fields);
            return add_to_group(&build->groups[i], device);
        }
    struct group *group = &build->groups[build->group_count++];
    *group = (struct group){.fields = fields};
    return !fields.has_failed && add_to_group(group, device);
}

static bool make_groups(struct build *build)
{
    build->groups = calloc(build->device_count, sizeof *build->groups);
    for (cl_uint i = 0; build->groups && i < build->device_count; i++)
        if (!group_device(build, build->devices[i]))
            return false;
    return build->groups != NULL;
}

static void translate_group(struct group *group, const struct message *of_build)
{
    group->translation = (struct translation){.kind = TRANSLATION_UNTOUCHED};
    if (!group->fields.fields)
        return;
    struct message request;
    message_begin(&request);
    message_add_all(&request, of_build);
    message_add_all(&request, &group->fields);
    group->translation = translation_ask(&request);
    message_free(&request);
}

// Has the driver get the author's text if the user wants that rather than an error.
static void be_lenient(struct group *group)
{
    if (group->translation.kind != TRANSLATION_REFUSED || !settings()->is_lenient)
        return;
    log_line("not translated, and built as it is: %s",
             group->translation.log ? group->translation.log : "");
    group->translation.kind = TRANSLATION_UNTOUCHED;
}

static bool is_same_translation(const struct translation *one, const struct translation *other)
{
    if (one->kind != other->kind || one->kind == TRANSLATION_REFUSED)
        return false;
    return one->kind == TRANSLATION_UNTOUCHED ||
           (text_is_same(one->text, other->text) &&
            text_is_same(one->options, other->options) && text_is_same(one->log, other->log) &&
            text_is_same(one->launches, other->launches));
}

// Moves the devices of each group to the first one that has the same translation. False if
// there is no memory.
static bool merge_groups(struct build *build)
{
    for (cl_uint i = 1; i < build->group_count; i++) {
        struct group *group = &build->groups[i];
        for (cl_uint j = 0; j < i && group->count; j++) {
            struct group *earlier = &build->groups[j];
            if (!earlier->count ||
                !is_same_translation(&group->translation, &earlier->translation))
                continue;
            for (cl_uint k = 0; k < group->count; k++)
                if (!add_to_group(earlier, group->devices[k]))
                    return false;
            group->count = 0;
        }
    }
    return true;
}

static bool translate(struct build *build)
{
    if (!make_groups(build))
        return false;
    struct message of_build;
    describe_build(&of_build, build);
    for (cl_uint i = 0; i < build->group_count; i++) {
        translate_group(&build->groups[i], &of_build);
        be_lenient(&build->groups[i]);
    }
    message_free(&of_build);
    return merge_groups(build);
}

// Builds by the driver --------------------------------------------------------------------

// Has the driver build or compile a program for a group's devices, and waits for it.
static cl_int call_driver(const struct build *build, const struct group *group,
                          cl_program program, const char *options)
{
    if (!build->compiles)
        return driver()->clBuildProgram(program, group->count, group->devices, options, NULL,
                                        NULL);
    return driver()->clCompileProgram(program, group->count, group->devices, options,
                                      build->header_count,
                                      build->header_count ? build->headers : NULL,
                                      (const char **)build->header_names, NULL, NULL);
}

// Stores how a device's build went. Takes over the log.
static void store(const struct build *build, cl_device_id device, bool is_shadowed,
                  cl_program shadow, cl_int status, char *log)
{
    objects_lock();
    struct device_build *target = objects_find_build(build->program, device);
    if (target) {
        target->is_shadowed = is_shadowed;
        target->status = status;
        target->log = log;
        log = NULL;
        if (shadow) {
            driver()->clRetainProgram(shadow);
            target->shadow = shadow;
        }
    }
    objects_unlock();
    free(log);
}

static cl_int failure(const struct build *build)
{
    return build->compiles ? CL_COMPILE_PROGRAM_FAILURE : CL_BUILD_PROGRAM_FAILURE;
}

static cl_int refuse(const struct build *build, const struct group *group)
{
    for (cl_uint i = 0; i < group->count; i++)
        store(build, group->devices[i], true, NULL, CL_BUILD_ERROR,
              text_duplicate(group->translation.log));
    return failure(build);
}

static cl_int build_untouched(const struct build *build, const struct group *group)
{
    for (cl_uint i = 0; i < group->count; i++)
        store(build, group->devices[i], false, NULL, CL_BUILD_NONE, NULL);
    return call_driver(build, group, objects_handle(build->program), build->options);
}

// Keeps the names of the first translation that has some, and the rules of all. Returns false
// if there is no memory for these, without which launches are not safe.
static bool store_names(struct program *program, const struct translation *translation)
{
    objects_lock();
    if (!program->types && translation->types)
        program->types = text_duplicate(translation->types);
    if (!program->attributes && translation->attributes)
        program->attributes = text_duplicate(translation->attributes);
    bool has_rules = text_add_lines(&program->launches, translation->launches);
    objects_unlock();
    return has_rules;
}

static void store_shadow(const struct build *build, const struct group *group,
                         cl_program shadow, cl_int result)
{
    for (cl_uint i = 0; i < group->count; i++) {
        cl_device_id device = group->devices[i];
        cl_int status = query_build_status(shadow, device);
        // The driver may have refused the arguments before it built anything.
        if (result && status != CL_BUILD_SUCCESS)
            status = CL_BUILD_ERROR;
        char *log = query_log(shadow, device);
        store(build, device, true, shadow, status,
              text_join_lines(group->translation.log, log));
        free(log);
    }
}

static void store_failure(const struct build *build, const struct group *group)
{
    for (cl_uint i = 0; i < group->count; i++)
        store(build, group->devices[i], true, NULL, CL_BUILD_ERROR, NULL);
}

static cl_int build_shadow(const struct build *build, const struct group *group)
{
    const char *text = group->translation.text, *options = group->translation.options;
    size_t length = strlen(text);
    cl_int status;
    cl_program shadow = driver()->clCreateProgramWithSource(build->program->context, 1, &text,
                                                            &length, &status);
    if (!shadow) {
        store_failure(build, group);
        return status;
    }
    status = call_driver(build, group, shadow, options);
    if (store_names(build->program, &group->translation)) {
        store_shadow(build, group, shadow, status);
    } else {
        store_failure(build, group);
        status = CL_OUT_OF_HOST_MEMORY;
    }
    driver()->clReleaseProgram(shadow);
    return status;
}

static cl_int build_group(const struct build *build, const struct group *group)
{
    switch (group->translation.kind) {
    case TRANSLATION_REFUSED:
        return refuse(build, group);
    case TRANSLATION_UNTOUCHED:
        return build_untouched(build, group);
    default:
        return build_shadow(build, group);
    }
}

// Builds all groups. Returns the first error.
static cl_int build_groups(const struct build *build)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < build->group_count; i++) {
        if (!build->groups[i].count)
            continue;
        cl_int status = build_group(build, &build->groups[i]);
        result = result ? result : status;
    }
    return result;
}

static cl_int fail_all(const struct build *build)
{
    for (cl_uint i = 0; i < build->device_count; i++)
        store(build, build->devices[i], true, NULL, CL_BUILD_ERROR, NULL);
    return CL_OUT_OF_HOST_MEMORY;
}

// Ends the build: finds the program that kernels are made from from now on.
static cl_int finish(const struct build *build, cl_int status)
{
    struct program *program = build->program;
    cl_program executable = NULL;
    cl_int status_of_joining = join_builds(program, &executable);
    objects_lock();
    program->executable = executable;
    program->is_building = false;
    objects_unlock();
    return status ? status : status_of_joining;
}

static cl_int run(const struct build *build, bool is_translated)
{
    cl_int status = finish(build, is_translated ? build_groups(build) : fail_all(build));
    log_line("%s a program of %lu bytes for %u devices: status %d",
             build->compiles ? "compiled" : "built", (unsigned long)build->program->source_size,
             (unsigned)build->device_count, (int)status);
    return status;
}

static cl_int run_and_free(struct build *build)
{
    cl_int status = run(build, translate(build));
    if (build->notify)
        build->notify(objects_handle(build->program), build->user_data);
    free_build(build);
    return status;
}

// Builds in threads that have not ended, and whether the loader unloads the drivers.
static atomic_int running;
static atomic_bool is_ended;

static void run_in_thread(void *argument)
{
    struct build *build = argument;
    run(build, translate(build));
    // The function may end the process, which waits for builds.
    atomic_fetch_sub(&running, 1);
    build->notify(objects_handle(build->program), build->user_data);
    if (!atomic_load(&is_ended))
        free_build(build);
}

// Has the end of the process wait for builds. Drivers have registered what they do then, when
// they were loaded; this is registered later, so it comes before.
static void wait_at_exit(void)
{
    static atomic_flag is_registered = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_registered))
        atexit(builds_end);
}

static bool start_thread(struct build *build)
{
    wait_at_exit();
    atomic_fetch_add(&running, 1);
    if (system_start_thread(run_in_thread, build))
        return true;
    atomic_fetch_sub(&running, 1);
    return false;
}

static void do_nothing(void)
{
}

static void forget_in_child(void)
{
    atomic_store(&running, 0);
}

void builds_prepare_for_forks(void)
{
    system_at_fork(do_nothing, do_nothing, forget_in_child);
}

void builds_end(void)
{
    while (atomic_load(&running))
        system_sleep(1);
    atomic_store(&is_ended, true);
}

// The calls ---------------------------------------------------------------------------------

// Prepares the records of all devices of a program; under the lock.
static bool prepare_builds(struct program *program)
{
    if (program->device_count)
        return true;
    cl_uint count;
    cl_device_id *devices = query_devices(objects_handle(program), &count);
    program->builds = devices ? calloc(count, sizeof *program->builds) : NULL;
    if (program->builds) {
        for (cl_uint i = 0; i < count; i++)
            program->builds[i].device = devices[i];
        program->device_count = count;
    }
    free(devices);
    return program->builds != NULL;
}

// Forgets earlier builds for the same devices; under the lock.
static void begin_for_devices(const struct build *build)
{
    for (cl_uint i = 0; i < build->device_count; i++) {
        struct device_build *target = objects_find_build(build->program, build->devices[i]);
        objects_clear_build(target);
        target->is_shadowed = true;
        target->status = CL_BUILD_IN_PROGRESS;
        target->options = text_duplicate(build->options);
    }
}

// Forgets what no longer holds when a program is built anew; under the lock.
static void forget_executable(struct program *program)
{
    if (program->executable)
        driver()->clReleaseProgram(program->executable);
    free(program->types);
    free(program->attributes);
    free(program->launches);
    program->executable = NULL;
    program->types = program->attributes = program->launches = NULL;
}

// Marks a program as being built. The driver does not see that kernels of shadows are attached,
// so this is checked here.
static cl_int begin(const struct build *build)
{
    struct program *program = build->program;
    cl_int status = CL_SUCCESS;
    objects_lock();
    if (program->is_building || program->kernels)
        status = CL_INVALID_OPERATION;
    else if (!prepare_builds(program))
        status = CL_OUT_OF_HOST_MEMORY;
    if (!status) {
        program->is_building = true;
        begin_for_devices(build);
        forget_executable(program);
    }
    objects_unlock();
    return status;
}

// Begins a build, and ends it unless there is a function to notify.
static cl_int start(struct build *build)
{
    cl_int status = begin(build);
    if (status) {
        free_build(build);
        return status;
    }
    if (build->notify && start_thread(build))
        return CL_SUCCESS;
    return run_and_free(build);
}

// Returns whether a header may bring halves or modes, or was built as a shadow.
static bool may_bring_words(cl_program handle)
{
    objects_lock();
    const struct program *program = handle ? objects_find_program(handle) : NULL;
    bool may =
        program && program->source && (program->words != WORDS_NONE || program->device_count);
    objects_unlock();
    return may;
}

static bool headers_may_bring_words(const struct headers *headers)
{
    for (cl_uint i = 0; headers->programs && i < headers->count; i++)
        if (may_bring_words(headers->programs[i]))
            return true;
    return false;
}

// Returns whether a build may need a translation. `was_built`: what was built of the program
// before may be a shadow.
static bool may_need_translation(const struct program *program, bool was_built,
                                 const char *options, const struct headers *headers)
{
    if (was_built || program->words == WORDS_FOUND || words_in_options(options) ||
        headers_may_bring_words(headers))
        return true;
    size_t names = headers->names ? headers->count : 0;
    return program->words == WORDS_INCLUDES &&
           includes_bring_words(program->source, program->source_size, options, headers->names,
                                names);
}

// The record of a program with a hold, if it is not simply the driver's to build; else NULL.
static struct program *hold_for_build(cl_program handle, const char *options,
                                      const struct headers *headers)
{
    struct program *program = handle ? objects_hold_program(handle) : NULL;
    if (!program)
        return NULL;
    objects_lock();
    bool was_built = program->device_count;
    objects_unlock();
    if (program->source && may_need_translation(program, was_built, options, headers))
        return program;
    objects_release_hold(program);
    return NULL;
}

// The arguments that building and compiling have in common.
struct arguments {
    cl_uint device_count;
    const cl_device_id *devices;
    const char *options;
    notify_function notify;
    void *user_data;
};

// Checks what a driver would check before it starts a build.
static cl_int check_arguments(const struct arguments *call, const struct headers *headers)
{
    if (!call->devices != !call->device_count || (!call->notify && call->user_data))
        return CL_INVALID_VALUE;
    if (!headers->count != !headers->programs || !headers->count != !headers->names)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < headers->count; i++)
        if (!headers->names[i] || !headers->programs[i])
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

// Takes over a hold on the program.
static cl_int build_program(struct program *program, bool compiles,
                            const struct arguments *call, const struct headers *headers)
{
    struct build *build = make_build(program, compiles);
    if (!build)
        return CL_OUT_OF_HOST_MEMORY;
    build->notify = call->notify;
    build->user_data = call->user_data;
    cl_int status = check_arguments(call, headers);
    if (!status)
        status =
            copy_arguments(build, call->device_count, call->devices, call->options, headers);
    if (!status)
        return start(build);
    free_build(build);
    return status;
}

cl_int CL_API_CALL layer_clBuildProgram(cl_program handle, cl_uint count,
                                        const cl_device_id *devices, const char *options,
                                        notify_function notify, void *user_data)
{
    const struct headers none = {0};
    struct program *program = hold_for_build(handle, options, &none);
    if (!program)
        return driver()->clBuildProgram(handle, count, devices, options, notify, user_data);
    const struct arguments call = {count, devices, options, notify, user_data};
    return build_program(program, false, &call, &none);
}

cl_int CL_API_CALL layer_clCompileProgram(cl_program handle, cl_uint count,
                                          const cl_device_id *devices, const char *options,
                                          cl_uint header_count, const cl_program *headers,
                                          const char **header_names, notify_function notify,
                                          void *user_data)
{
    const struct headers all = {header_count, headers, header_names};
    struct program *program = hold_for_build(handle, options, &all);
    if (!program)
        return driver()->clCompileProgram(handle, count, devices, options, header_count,
                                          headers, header_names, notify, user_data);
    const struct arguments call = {count, devices, options, notify, user_data};
    return build_program(program, true, &call, &all);
}
