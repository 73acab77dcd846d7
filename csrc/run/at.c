/* Maps of two halves on some elements, or rows, of an array, one after the other. */
#include "halfcl.h"

#include <string.h>

static bool is_binary(const halfcl_kernel *map)
{
    static const halfcl_signature binary = HALFCL_HALVES(2, 1);
    return map && map->kind == HALFCL_MAP &&
           memcmp(&map->signature, &binary, sizeof binary) == 0;
}

static char *target_at(const halfcl_targets *t, size_t i)
{
    ptrdiff_t index = t->indices[i];
    index += index < 0 ? (ptrdiff_t)t->length : 0;
    return t->start + index * t->step;
}

static const char *value_at(const halfcl_targets *t, size_t i)
{
    return t->values + (ptrdiff_t)i * t->value_step;
}

static unsigned map_rows(const halfcl_kernel *map, const halfcl_targets *t, size_t n,
                         size_t width, halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t i = 0; i < n; ++i) {
        void *row = target_at(t, i);
        void *const args[] = {row, (char *)value_at(t, i), row};
        flags |= map->map(args, width, mode);
    }
    return flags;
}

/* ---------------------------------------------------------------- single elements
 *
 * Consecutive elements are computed together as long as no two of them are the same, as far as
 * a small table shows. */

enum { BLOCK = 128, TABLE = 1 << 11 };

/* Counts the elements from `first` on that are different; the number of their block is stored
 * in the table for each. */
static size_t count_others(const halfcl_targets *t, size_t first, size_t n, uint32_t *table,
                           uint32_t block)
{
    size_t count = 0;
    for (; count < BLOCK && first + count < n; ++count) {
        uint32_t *last = &table[(uintptr_t)target_at(t, first + count) / 2 % TABLE];
        if (*last == block)
            break;
        *last = block;
    }
    return count;
}

static unsigned map_blocks(const halfcl_kernel *map, const halfcl_targets *t, size_t n,
                           halfcl_rounding mode)
{
    uint16_t elements[BLOCK], values[BLOCK];
    uint32_t table[TABLE] = {0}, block = 0;
    void *const args[] = {elements, values, elements};
    unsigned flags = 0;
    for (size_t i = 0, count; i < n; i += count) {
        block = block == UINT32_MAX ? 1 : block + 1;
        count = count_others(t, i, n, table, block);
        for (size_t k = 0; k < count; ++k) {
            memcpy(&elements[k], target_at(t, i + k), sizeof *elements);
            memcpy(&values[k], value_at(t, i + k), sizeof *values);
        }
        flags |= map->map(args, count, mode);
        for (size_t k = 0; k < count; ++k)
            memcpy(target_at(t, i + k), &elements[k], sizeof *elements);
    }
    return flags;
}

unsigned halfcl_run_at(const halfcl_kernel *map, const halfcl_kernel *at,
                       const halfcl_targets *targets, size_t n, size_t width,
                       halfcl_rounding mode)
{
    if (!is_binary(map) || (at && at->kind != HALFCL_AT))
        return HALFCL_MISUSE;
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = width > 1 ? map_rows(map, targets, n, width, mode)
                     : at      ? at->at(targets, n, mode)
                               : map_blocks(map, targets, n, mode);
    return flags | halfcl_leave(&env);
}
