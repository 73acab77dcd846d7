/* Maps of two halves on some elements of an array, one after the other.
 *
 * Indices of any number of axes become blocks of offsets, in C order. Along the last axis,
 * elements next to each other are a row, which is one run of the kernel. */
#include "format/strided.h"
#include "halfcl.h"

#include <string.h>

static bool is_binary(const halfcl_kernel *map)
{
    static const halfcl_signature binary = HALFCL_HALVES(2, 1);
    return map && map->kind == HALFCL_MAP &&
           memcmp(&map->signature, &binary, sizeof binary) == 0;
}

typedef struct {
    const halfcl_kernel *map, *at;
    halfcl_rounding mode;
    unsigned flags;
} call;

/* Elements next to each other, and the bytes from one value to the next. */
typedef struct {
    size_t width;
    ptrdiff_t value_step;
} row;

/* ---------------------------------------------------------------- axes */

static bool are_one(const halfcl_places *p, int a, int b)
{
    const ptrdiff_t length = (ptrdiff_t)p->shape[b];
    bool one =
        p->steps[a] == p->steps[b] * length && p->value_steps[a] == p->value_steps[b] * length;
    for (int i = 0; i < p->indexed; i++)
        one &= p->indices[i].steps[a] == p->indices[i].steps[b] * length;
    return one;
}

static void copy_axis(halfcl_places *p, int to, int from)
{
    p->shape[to] = p->shape[from];
    p->steps[to] = p->steps[from];
    p->value_steps[to] = p->value_steps[from];
    for (int i = 0; i < p->indexed; i++)
        p->indices[i].steps[to] = p->indices[i].steps[from];
}

/* Joins axes, and drops those of one element; returns false if there are no elements. */
static bool join_axes(halfcl_places *p)
{
    int kept = 0;
    for (int k = 0; k < p->axes; k++) {
        size_t length = p->shape[k];
        if (length == 0)
            return false;
        if (length == 1)
            continue;
        if (kept > 0 && are_one(p, kept - 1, k))
            length *= p->shape[--kept];
        copy_axis(p, kept, k);
        p->shape[kept++] = length;
    }
    p->axes = kept;
    return true;
}

/* ---------------------------------------------------------------- single elements
 *
 * Without a kernel for them, consecutive elements are computed together as long as no two of
 * them are the same, as far as a small table shows. */

enum { TOGETHER = 128, TABLE = 1 << 11 };

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

/* Counts the elements from `first` on that are different; the number of their block is stored
 * in the table for each. */
static size_t count_others(const halfcl_targets *t, size_t first, size_t n, uint32_t *table,
                           uint32_t block)
{
    size_t count = 0;
    for (; count < TOGETHER && first + count < n; ++count) {
        uint32_t *last = &table[(uintptr_t)target_at(t, first + count) / 2 % TABLE];
        if (*last == block)
            break;
        *last = block;
    }
    return count;
}

static unsigned map_elements(const halfcl_kernel *map, const halfcl_targets *t, size_t n,
                             halfcl_rounding mode)
{
    uint16_t elements[TOGETHER], values[TOGETHER];
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

/* ---------------------------------------------------------------- elements or rows */

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

static void run_targets(call *c, const halfcl_targets *t, size_t n, size_t width)
{
    c->flags |= width > 1 ? map_rows(c->map, t, n, width, c->mode)
                : c->at   ? c->at->at(t, n, c->mode)
                          : map_elements(c->map, t, n, c->mode);
}

/* ---------------------------------------------------------------- blocks of places */

enum { BLOCK = 512 };

/* A block of places: the bytes from the start to each element, or row, and to its value. */
typedef struct {
    size_t n;
    ptrdiff_t offsets[BLOCK], value_offsets[BLOCK];
    uint16_t values[BLOCK];
} block;

static bool are_direct(row of)
{
    return of.width == 1 || of.value_step == sizeof(uint16_t);
}

/* Runs pieces of rows, whose values are copied to the block's buffer unless they are rows. */
static void run_pieces(call *c, const halfcl_places *p, row of, block *b)
{
    const char *repeated = NULL;
    for (size_t first = 0, count; first < of.width; first += count) {
        count = of.width - first < BLOCK ? of.width - first : BLOCK;
        for (size_t k = 0; k < b->n; ++k) {
            const char *values =
                p->values + b->value_offsets[k] + (ptrdiff_t)first * of.value_step;
            char *target = p->start + b->offsets[k] + first * sizeof b->values[0];
            const uint16_t *halves = b->values;
            if (values != repeated)
                halves = halfcl_gather(b->values, values, of.value_step, count);
            repeated = of.value_step == 0 ? values : NULL;
            void *const args[] = {target, (void *)halves, target};
            c->flags |= c->map->map(args, count, c->mode);
        }
    }
}

static void run_block(call *c, const halfcl_places *p, row of, block *b)
{
    halfcl_targets t = {p->start,         1, 0, b->offsets, p->values + b->value_offsets[0],
                        p->value_steps[0]};
    if (p->axes == 1 && are_direct(of)) {
        run_targets(c, &t, b->n, of.width);
    } else if (of.width > 1) {
        run_pieces(c, p, of, b);
    } else {
        for (size_t k = 0; k < b->n; ++k)
            memcpy(&b->values[k], p->values + b->value_offsets[k], sizeof b->values[k]);
        t.values = (const char *)b->values, t.value_step = sizeof b->values[0];
        run_targets(c, &t, b->n, 1);
    }
    b->n = 0;
}

/* The position of an odometer: an index along each axis, and where it is in each array. */
typedef struct {
    size_t at[HALFCL_MAX_AXES];
    ptrdiff_t offset, value_offset;
    const char *indices[HALFCL_MAX_AXES];
} position;

/* Moves along an axis. */
static void move(const halfcl_places *p, position *to, int axis, ptrdiff_t by)
{
    to->offset += by * p->steps[axis];
    to->value_offset += by * p->value_steps[axis];
    for (int i = 0; i < p->indexed; i++)
        to->indices[i] += by * p->indices[i].steps[axis];
}

/* Moves to the next place along all axes but the last; returns false after the last one. */
static bool move_on(const halfcl_places *p, position *to)
{
    for (int k = p->axes - 2; k >= 0; k--) {
        if (++to->at[k] < p->shape[k]) {
            move(p, to, k, 1);
            return true;
        }
        to->at[k] = 0;
        move(p, to, k, 1 - (ptrdiff_t)p->shape[k]);
    }
    return false;
}

/* Adds the offsets of n indices, step bytes apart. */
static inline void add_indices(ptrdiff_t *offsets, const char *indices, ptrdiff_t step,
                               size_t n, const halfcl_indices *of)
{
    const ptrdiff_t length = (ptrdiff_t)of->length, by = of->step;
    for (size_t k = 0; k < n; ++k) {
        ptrdiff_t index = *(const ptrdiff_t *)(indices + (ptrdiff_t)k * step);
        offsets[k] += (index + (index < 0 ? length : 0)) * by;
    }
}

/* Adds the offsets of n places along the last axis, from `first` on, to a block. */
static void add_offsets(const halfcl_places *p, const position *from, size_t first, size_t n,
                        block *b)
{
    const int last = p->axes - 1;
    ptrdiff_t *offsets = b->offsets + b->n, *value_offsets = b->value_offsets + b->n;
    for (size_t k = 0; k < n; ++k) {
        offsets[k] = from->offset + (ptrdiff_t)(first + k) * p->steps[last];
        value_offsets[k] = from->value_offset + (ptrdiff_t)(first + k) * p->value_steps[last];
    }
    for (int i = 0; i < p->indexed; i++) {
        const ptrdiff_t step = p->indices[i].steps[last];
        const char *indices = from->indices[i] + (ptrdiff_t)first * step;
        if (step == sizeof(ptrdiff_t))
            add_indices(offsets, indices, sizeof(ptrdiff_t), n, &p->indices[i]);
        else
            add_indices(offsets, indices, step, n, &p->indices[i]);
    }
    b->n += n;
}

static void run_blocks(call *c, const halfcl_places *p, row of)
{
    const size_t length = p->shape[p->axes - 1];
    block b;
    position here;
    b.n = 0;
    here.offset = here.value_offset = 0;
    memset(here.at, 0, (size_t)p->axes * sizeof here.at[0]);
    for (int i = 0; i < p->indexed; i++)
        here.indices[i] = p->indices[i].start;
    do {
        for (size_t first = 0, n; first < length; first += n) {
            n = length - first < BLOCK - b.n ? length - first : BLOCK - b.n;
            add_offsets(p, &here, first, n, &b);
            if (b.n == BLOCK)
                run_block(c, p, of, &b);
        }
    } while (move_on(p, &here));
    run_block(c, p, of, &b);
}

/* ---------------------------------------------------------------- the driver */

static void add_axis_of_one(halfcl_places *p)
{
    const int k = p->axes++;
    p->shape[k] = 1, p->steps[k] = p->value_steps[k] = 0;
    for (int i = 0; i < p->indexed; i++)
        p->indices[i].steps[k] = 0;
}

/* Removes the last axis if it is a row, and returns that; else a row of one element. */
static row take_row(halfcl_places *p)
{
    const int last = p->axes - 1;
    bool is_row = last >= 0 && p->steps[last] == sizeof(uint16_t);
    for (int i = 0; i < p->indexed; i++)
        is_row = is_row && p->indices[i].steps[last] == 0;
    if (!is_row)
        return (row){1, 0};
    p->axes--;
    return (row){p->shape[last], p->value_steps[last]};
}

/* Fills a row with the one value of all places; returns false if there are several. */
static bool repeat_value(halfcl_places *p, row of, uint16_t *values)
{
    bool is_one = of.width > 1 && of.width <= BLOCK && of.value_step == 0;
    for (int k = 0; k < p->axes; k++)
        is_one = is_one && p->value_steps[k] == 0;
    if (is_one) {
        halfcl_gather(values, p->values, 0, of.width);
        p->values = (const char *)values;
    }
    return is_one;
}

static bool are_by_one_index(const halfcl_places *p)
{
    return p->axes == 1 && p->indexed == 1 && p->steps[0] == 0 &&
           p->indices[0].steps[0] == sizeof(ptrdiff_t);
}

unsigned halfcl_run_at(const halfcl_kernel *map, const halfcl_kernel *at, halfcl_places *p,
                       halfcl_rounding mode)
{
    if (!is_binary(map) || (at && at->kind != HALFCL_AT))
        return HALFCL_MISUSE;
    if (!join_axes(p))
        return 0;
    halfcl_env env;
    call c = {map, at, mode, 0};
    halfcl_enter(&env, mode);
    uint16_t values[BLOCK];
    row of = take_row(p);
    if (repeat_value(p, of, values))
        of.value_step = sizeof values[0];
    if (p->axes == 0)
        add_axis_of_one(p);
    if (are_direct(of) && are_by_one_index(p)) {
        const halfcl_indices *by = &p->indices[0];
        const halfcl_targets t = {p->start,   by->step,
                                  by->length, (const ptrdiff_t *)by->start,
                                  p->values,  p->value_steps[0]};
        run_targets(&c, &t, p->shape[0], of.width);
    } else {
        run_blocks(&c, p, of);
    }
    return c.flags | halfcl_leave(&env);
}
