/* Selects the instruction set that runs, and its kernels. */
#include <stdbool.h>
#include <string.h>

#include "targets/targets.h"

typedef struct {
    const halfcl_isa *isa;
    const char *features; /* that it needs, separated by blanks */
} target;

static const target targets[] = {
#define TARGET(name, features) {&halfcl_##name, features},
#include "targets/targets.def"
#undef TARGET
};

enum { TARGETS = sizeof targets / sizeof *targets };

static bool has_feature(const char *name, size_t length)
{
    const char *feature;
    for (size_t i = 0; (feature = halfcl_cpu_feature(i)); ++i) {
        if (strlen(feature) == length && memcmp(feature, name, length) == 0)
            return true;
    }
    return false;
}

static bool has_all(const char *features)
{
    for (;;) {
        features += strspn(features, " ");
        size_t length = strcspn(features, " ");
        if (length == 0)
            return true;
        if (!has_feature(features, length))
            return false;
        features += length;
    }
}

const halfcl_isa *halfcl_available(size_t index)
{
    for (size_t i = 0; i < TARGETS; ++i) {
        if (has_all(targets[i].features) && index-- == 0)
            return targets[i].isa;
    }
    return NULL;
}

const halfcl_isa *halfcl_find_isa(const char *name)
{
    const halfcl_isa *best = NULL, *isa;
    for (size_t i = 0; (isa = halfcl_available(i)); ++i) {
        best = isa;
        if (name && strcmp(name, isa->name) == 0)
            return isa;
    }
    return name ? NULL : best;
}

const halfcl_kernel *halfcl_kernel_at(const halfcl_isa *isa, size_t index)
{
    for (const halfcl_family *const *f = isa->families; *f; ++f) {
        if (index < (*f)->count)
            return &(*f)->kernels[index];
        index -= (*f)->count;
    }
    return NULL;
}

static bool is_row(const halfcl_kernel *row, const char *name, halfcl_kind kind,
                   const halfcl_signature *signature)
{
    return row->kind == kind && strcmp(row->name, name) == 0 &&
           memcmp(&row->signature, signature, sizeof *signature) == 0;
}

const halfcl_kernel *halfcl_find_kernel(const halfcl_isa *isa, const char *name,
                                        halfcl_kind kind, const halfcl_signature *signature)
{
    for (; isa; isa = isa->base) {
        for (const halfcl_family *const *f = isa->families; *f; ++f) {
            for (size_t i = 0; i < (*f)->count; ++i) {
                if (is_row(&(*f)->kernels[i], name, kind, signature))
                    return &(*f)->kernels[i];
            }
        }
    }
    return NULL;
}
