// Records of the programs that were made from sources, and of the kernels of their shadows.
#ifndef HALFCL_LAYER_OBJECTS_H
#define HALFCL_LAYER_OBJECTS_H

#include "opencl.h"
#include "words.h"

#include <stdbool.h>

// An entry of a table by handle. Records begin with it.
struct entry {
    const void *handle;
    struct entry *next; // in the same bucket
};

// The last build for a device of a program.
struct device_build {
    cl_device_id device;
    bool
        is_shadowed; // whether the driver's program for the author's text is not what was built
    cl_program shadow; // retained; NULL if there is none, or the build failed before it
    cl_int status;     // CL_BUILD_SUCCESS, ...
    char *options;     // the author's
    char *log;
};

// A program; its fields but `source` change under the lock alone.
struct program {
    struct entry entry;  // the driver's program for the author's text
    unsigned references; // by the program under test
    unsigned holds;      // by kernels and builds: each with a reference of the driver's
    unsigned kernels;    // of shadows
    bool is_building;
    enum words words; // of the source
    cl_context context;
    char *source; // NULL for a program that was linked of translations
    size_t source_size;
    cl_uint device_count; // 0 before the first build of a shadow
    struct device_build *builds;
    cl_program executable; // with what all shadows were built to, retained; or NULL
    char *types;           // names that translation changed (README.md); or NULL
    char *attributes;
    char *launches; // rules of kernels' launches
};

// The needs of a kernel's arguments and launches that the author's text does not say
// (README.md).
struct launch_rules {
    cl_uint most_items;           // of a work-group; 0 if there is no limit
    cl_uint lanes;                // of a sub-group; 0 if the kernel has none
    bool is_row;                  // whether work-groups lie along x
    bool is_sized;                // whether the kernel says the size of its work-groups
    cl_ulong samplers_as_numbers; // a bit per argument
};

// A kernel of a shadow.
struct kernel {
    struct entry entry;
    unsigned references;
    struct program *program; // with a hold
    struct launch_rules rules;
};

void objects_lock(void);
void objects_unlock(void);

// Has forks leave both processes with a lock that is free.
void objects_prepare_for_forks(void);

// Adds a record for a program of the driver's, with one reference, and takes it over: `*record`
// is NULL then. Does nothing if it is NULL already. Returns false if there is no memory.
bool objects_add_program(cl_program handle, struct program **record);

// The driver's program for the author's text.
cl_program objects_handle(const struct program *program);

// Returns the last build for a device, or NULL. Call it under the lock.
struct device_build *objects_find_build(struct program *program, cl_device_id device);

// The record of a program, with a hold; NULL if there is none.
struct program *objects_hold_program(cl_program handle);

// The record of a program, under the lock.
struct program *objects_find_program(cl_program handle);

// Gives a hold back.
void objects_release_hold(struct program *program);

// Counts references of the program under test. Returns the driver's result.
cl_int objects_retain_program(cl_program handle);
cl_int objects_release_program(cl_program handle);

// Adds a record for a kernel, with a hold on its program, which counts it from then on.
bool objects_add_kernel(cl_kernel handle, struct program *program,
                        const struct launch_rules *rules);

// Returns whether any kernel has rules.
bool objects_have_rules(void);

// Returns whether a kernel has rules, and copies them.
bool objects_find_rules(cl_kernel handle, struct launch_rules *rules);

// The program of a kernel with a hold, or NULL.
struct program *objects_hold_program_of_kernel(cl_kernel handle);

cl_int objects_retain_kernel(cl_kernel handle);
cl_int objects_release_kernel(cl_kernel handle);

// Frees what a build has left in a record of a device.
void objects_clear_build(struct device_build *build);

// Returns whether any device of a program is shadowed. Call it under the lock.
bool objects_is_shadowed(const struct program *program);

#endif
