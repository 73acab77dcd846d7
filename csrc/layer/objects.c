#include "objects.h"

#include "entry.h"
#include "system.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

// A hash table with chains.
struct table {
    struct entry **buckets;
    size_t bucket_count; // a power of two, or 0
    size_t count;
};

static system_lock lock = SYSTEM_LOCK;
static struct table programs, kernels;
static atomic_uint kernels_with_rules;

void objects_lock(void)
{
    system_acquire(&lock);
}

void objects_unlock(void)
{
    system_release(&lock);
}

void objects_prepare_for_forks(void)
{
    system_at_fork(objects_lock, objects_unlock, objects_unlock);
}

// Handles are addresses, whose low bits are the same; Fibonacci hashing spreads the others.
static size_t bucket_of(const struct table *table, const void *handle)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(bits >> 32) & (table->bucket_count - 1);
}

static struct entry **find_place(struct table *table, const void *handle)
{
    struct entry **place = &table->buckets[bucket_of(table, handle)];
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

static struct entry *find(struct table *table, const void *handle)
{
    return table->bucket_count ? *find_place(table, handle) : NULL;
}

static bool grow(struct table *table)
{
    struct table larger = {.bucket_count = table->bucket_count ? 2 * table->bucket_count : 64};
    larger.buckets = calloc(larger.bucket_count, sizeof *larger.buckets);
    if (!larger.buckets)
        return false;
    for (size_t i = 0; i < table->bucket_count; i++)
        for (struct entry *entry = table->buckets[i], *next; entry; entry = next) {
            struct entry **place = &larger.buckets[bucket_of(&larger, entry->handle)];
            next = entry->next;
            entry->next = *place;
            *place = entry;
        }
    larger.count = table->count;
    free(table->buckets);
    *table = larger;
    return true;
}

static bool add(struct table *table, struct entry *entry)
{
    if (table->count >= table->bucket_count && !grow(table) && !table->bucket_count)
        return false;
    struct entry **place = &table->buckets[bucket_of(table, entry->handle)];
    entry->next = *place;
    *place = entry;
    table->count++;
    return true;
}

static void drop(struct table *table, const struct entry *entry)
{
    struct entry **place = &table->buckets[bucket_of(table, entry->handle)];
    while (*place != entry)
        place = &(*place)->next;
    *place = entry->next;
    table->count--;
}

cl_program objects_handle(const struct program *program)
{
    return (cl_program)(uintptr_t)program->entry.handle;
}

void objects_clear_build(struct device_build *build)
{
    if (build->shadow)
        driver()->clReleaseProgram(build->shadow);
    free(build->options);
    free(build->log);
    *build = (struct device_build){.device = build->device};
}

static void destroy(struct program *program)
{
    for (cl_uint i = 0; i < program->device_count; i++)
        objects_clear_build(&program->builds[i]);
    if (program->executable)
        driver()->clReleaseProgram(program->executable);
    free(program->builds);
    free(program->source);
    free(program->types);
    free(program->attributes);
    free(program->launches);
    free(program);
}

bool objects_add_program(cl_program handle, struct program **record)
{
    objects_lock();
    struct program *program = *record;
    if (program) {
        program->references = 1;
        program->entry.handle = handle;
        if (add(&programs, &program->entry))
            *record = NULL;
    }
    bool is_added = !*record;
    objects_unlock();
    return is_added;
}

struct program *objects_find_program(cl_program handle)
{
    return (struct program *)find(&programs, handle);
}

// The driver's reference comes under the lock, too: the program under test may release its own
// in another thread.
static void hold(struct program *program)
{
    program->holds++;
    driver()->clRetainProgram(objects_handle(program));
}

struct program *objects_hold_program(cl_program handle)
{
    objects_lock();
    struct program *program = objects_find_program(handle);
    if (program)
        hold(program);
    objects_unlock();
    return program;
}

// Takes a record from the table if nobody refers to it. That comes before the driver's last
// reference is released, since the driver may then use the address again.
static bool drop_if_unused(struct program *program)
{
    bool is_unused = !program->references && !program->holds;
    if (is_unused)
        drop(&programs, &program->entry);
    return is_unused;
}

void objects_release_hold(struct program *program)
{
    cl_program handle = objects_handle(program);
    objects_lock();
    program->holds--;
    bool is_unused = drop_if_unused(program);
    objects_unlock();
    driver()->clReleaseProgram(handle);
    if (is_unused)
        destroy(program);
}

cl_int objects_retain_program(cl_program handle)
{
    objects_lock();
    struct program *program = objects_find_program(handle);
    if (program)
        program->references++;
    objects_unlock();
    return driver()->clRetainProgram(handle);
}

cl_int objects_release_program(cl_program handle)
{
    bool is_unused = false;
    objects_lock();
    struct program *program = objects_find_program(handle);
    if (program && program->references) {
        program->references--;
        is_unused = drop_if_unused(program);
    }
    objects_unlock();
    cl_int status = driver()->clReleaseProgram(handle);
    if (is_unused)
        destroy(program);
    return status;
}

static bool has_rules(const struct launch_rules *rules)
{
    return rules->most_items || rules->samplers_as_numbers;
}

bool objects_add_kernel(cl_kernel handle, struct program *program,
                        const struct launch_rules *rules)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return false;
    *kernel = (struct kernel){
        .entry.handle = handle, .references = 1, .program = program, .rules = *rules};
    objects_lock();
    bool is_added = add(&kernels, &kernel->entry);
    if (is_added) {
        hold(program);
        program->kernels++;
        kernels_with_rules += has_rules(rules);
    }
    objects_unlock();
    if (!is_added)
        free(kernel);
    return is_added;
}

struct program *objects_hold_program_of_kernel(cl_kernel handle)
{
    objects_lock();
    struct kernel *kernel = (struct kernel *)find(&kernels, handle);
    struct program *program = kernel ? kernel->program : NULL;
    if (program)
        hold(program);
    objects_unlock();
    return program;
}

bool objects_have_rules(void)
{
    return atomic_load_explicit(&kernels_with_rules, memory_order_relaxed);
}

bool objects_find_rules(cl_kernel handle, struct launch_rules *rules)
{
    if (!objects_have_rules())
        return false;
    objects_lock();
    const struct kernel *kernel = (const struct kernel *)find(&kernels, handle);
    bool has = kernel && has_rules(&kernel->rules);
    if (has)
        *rules = kernel->rules;
    objects_unlock();
    return has;
}

cl_int objects_retain_kernel(cl_kernel handle)
{
    objects_lock();
    struct kernel *kernel = (struct kernel *)find(&kernels, handle);
    if (kernel)
        kernel->references++;
    objects_unlock();
    return driver()->clRetainKernel(handle);
}

cl_int objects_release_kernel(cl_kernel handle)
{
    objects_lock();
    struct kernel *kernel = (struct kernel *)find(&kernels, handle);
    bool is_last = kernel && !--kernel->references;
    if (is_last) {
        drop(&kernels, &kernel->entry);
        kernel->program->kernels--;
        kernels_with_rules -= has_rules(&kernel->rules);
    }
    objects_unlock();
    cl_int status = driver()->clReleaseKernel(handle);
    if (is_last) {
        objects_release_hold(kernel->program);
        free(kernel);
    }
    return status;
}

struct device_build *objects_find_build(struct program *program, cl_device_id device)
{
    for (cl_uint i = 0; i < program->device_count; i++)
        if (program->builds[i].device == device)
            return &program->builds[i];
    return NULL;
}

bool objects_is_shadowed(const struct program *program)
{
    for (cl_uint i = 0; i < program->device_count; i++)
        if (program->builds[i].is_shadowed)
            return true;
    return false;
}
