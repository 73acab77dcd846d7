// clLinkProgram: of what the shadows were compiled to.
#include "entry.h"
#include "objects.h"
#include "text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK *notify_function)(cl_program, void *);

// Programs that are linked in place of the inputs.
struct inputs {
    cl_uint count;
    cl_program *programs; // retained
    bool has_shadows;
    bool lacks_shadow;        // a program whose translation was not compiled
    bool lacks_memory;        // for the lines below
    char *types, *attributes; // names that translation changed, of all
    char *launches;           // rules of kernels, of all
};

// Options that change results. What is translated is right without them alone.
static const char *const INEXACT[] = {
    "-cl-denorms-are-zero",          "-cl-no-signed-zeros",
    "-cl-no-signed-zeroes", // the specification spells it both ways
    "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
    "-cl-fast-relaxed-math",         "-cl-mad-enable",
};

// Adds what is linked for a program.
static void add_input(struct inputs *inputs, cl_program handle)
{
    objects_lock();
    struct program *program = objects_find_program(handle);
    cl_program linked = handle;
    if (program && objects_is_shadowed(program)) {
        inputs->has_shadows = true;
        inputs->lacks_shadow = inputs->lacks_shadow || !program->executable;
        linked = program->executable ? program->executable : handle;
    }
    if (program && !program->source) // a library
        inputs->has_shadows = true;
    if (program) {
        bool has_memory = text_add_lines(&inputs->types, program->types) &&
                          text_add_lines(&inputs->attributes, program->attributes) &&
                          text_add_lines(&inputs->launches, program->launches);
        inputs->lacks_memory = inputs->lacks_memory || !has_memory;
    }
    driver()->clRetainProgram(linked);
    objects_unlock();
    inputs->programs[inputs->count++] = linked;
}

static void free_inputs(struct inputs *inputs)
{
    for (cl_uint i = 0; i < inputs->count; i++)
        driver()->clReleaseProgram(inputs->programs[i]);
    free(inputs->programs);
    free(inputs->types);
    free(inputs->attributes);
    free(inputs->launches);
}

static bool is_inexact(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof INEXACT / sizeof *INEXACT; i++)
        if (strlen(INEXACT[i]) == length && !memcmp(INEXACT[i], word, length))
            return true;
    return false;
}

// The options without those that change results, to be freed.
static char *without_inexact(const char *options)
{
    char *kept = text_duplicate(options);
    char *target = kept;
    for (const char *at = options; kept && at && *at;) {
        size_t blanks = strspn(at, " \t"), length = strcspn(at + blanks, " \t");
        if (!is_inexact(at + blanks, length)) {
            memcpy(target, at, blanks + length);
            target += blanks + length;
        }
        at += blanks + length;
    }
    if (kept)
        *target = 0;
    return kept;
}

static cl_program fail(cl_int status, cl_int *status_ret)
{
    if (status_ret)
        *status_ret = status;
    return NULL;
}

// A call of clLinkProgram. The driver may notify the program before it returns, or long after.
struct link {
    atomic_uint users;      // the call, and a notification that is to come
    struct program *record; // until the linked program has it
    notify_function notify; // the author's, or NULL
    void *user_data;
};

static void free_record(struct program *record)
{
    if (record) {
        free(record->types);
        free(record->attributes);
        free(record->launches);
    }
    free(record);
}

static void leave(struct link *link)
{
    if (atomic_fetch_sub(&link->users, 1) > 1)
        return;
    free_record(link->record);
    free(link);
}

// Prepares a record that a program was linked of translations, and has the names of their
// kernels. NULL if there is no memory.
static struct link *make_link(cl_context context, struct inputs *inputs, notify_function notify,
                              void *user_data)
{
    struct link *link = calloc(1, sizeof *link);
    struct program *record = calloc(1, sizeof *record);
    if (!link || !record) {
        free(link);
        free(record);
        return NULL;
    }
    *record = (struct program){
        .context = context,
        .types = inputs->types,
        .attributes = inputs->attributes,
        .launches = inputs->launches,
    };
    inputs->types = inputs->attributes = inputs->launches = NULL;
    *link = (struct link){
        .users = notify ? 2 : 1, .record = record, .notify = notify, .user_data = user_data};
    return link;
}

// The program under test may use and release the linked program in its function, so there is a
// record before.
static void CL_CALLBACK record_and_notify(cl_program linked, void *data)
{
    struct link *link = data;
    if (linked)
        objects_add_program(linked, &link->record);
    link->notify(linked, link->user_data);
    leave(link);
}

// Links programs of which some are translations.
static cl_program link_translations(cl_context context, cl_uint count,
                                    const cl_device_id *devices, const char *options,
                                    const struct inputs *inputs, struct link *link,
                                    cl_int *status)
{
    char *exact = options ? without_inexact(options) : NULL;
    if (options && !exact)
        return fail(CL_OUT_OF_HOST_MEMORY, status);
    cl_program linked = driver()->clLinkProgram(
        context, count, devices, exact, inputs->count, inputs->programs,
        link->notify ? record_and_notify : NULL, link->notify ? link : NULL, status);
    free(exact);
    if (!linked || objects_add_program(linked, &link->record))
        return linked;
    driver()->clReleaseProgram(linked);
    return fail(CL_OUT_OF_HOST_MEMORY, status);
}

static cl_program prepare_and_link(cl_context context, cl_uint count,
                                   const cl_device_id *devices, const char *options,
                                   struct inputs *inputs, notify_function notify,
                                   void *user_data, cl_int *status)
{
    if (inputs->lacks_shadow)
        return fail(CL_INVALID_OPERATION, status);
    if (inputs->lacks_memory)
        return fail(CL_OUT_OF_HOST_MEMORY, status);
    if (!notify && user_data)
        return fail(CL_INVALID_VALUE, status);
    struct link *link = make_link(context, inputs, notify, user_data);
    if (!link)
        return fail(CL_OUT_OF_HOST_MEMORY, status);
    // Without a program there may be no notification; then its share of the link is not freed.
    cl_program linked =
        link_translations(context, count, devices, options, inputs, link, status);
    leave(link);
    return linked;
}

cl_program CL_API_CALL layer_clLinkProgram(cl_context context, cl_uint count,
                                           const cl_device_id *devices, const char *options,
                                           cl_uint input_count, const cl_program *programs,
                                           notify_function notify, void *user_data,
                                           cl_int *status)
{
    if (!input_count || !programs)
        return driver()->clLinkProgram(context, count, devices, options, input_count, programs,
                                       notify, user_data, status);
    struct inputs inputs = {.programs = calloc(input_count, sizeof(cl_program))};
    if (!inputs.programs)
        return fail(CL_OUT_OF_HOST_MEMORY, status);
    for (cl_uint i = 0; i < input_count; i++)
        add_input(&inputs, programs[i]);
    cl_program linked =
        inputs.has_shadows
            ? prepare_and_link(context, count, devices, options, &inputs, notify, user_data,
                               status)
            : driver()->clLinkProgram(context, count, devices, options, input_count, programs,
                                      notify, user_data, status);
    free_inputs(&inputs);
    return linked;
}
