/* Reads planes with a kernel that decides nearly all colours; hard cases are gathered, and read
 * with sums. */
#include <string.h>

#include "run/image_read.h"

/* Hard cases of several blocks. */
typedef struct {
    size_t count, sample[BLOCK];
    uint32_t coordinates[BLOCK][3]; /* floats, or int32 */
} hard_cases;

/* Runs between halfcl_enter and halfcl_leave, as the functions below. texels: NULL, or the
 * texels, if their weights are exact. */
static unsigned read_block_by_sums(reading *r, const halfcl_texels *texels, size_t done,
                                   size_t count, uint16_t *out)
{
    halfcl_texels own;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    bool exact = texels || find_texels(&r->finder, done, count, &own);
    unsigned flags = read_sums(r, texels ? texels : &own, exact, done, count, out);
    halfcl_leave(&env);
    return flags;
}

static unsigned read_hard_cases(reading *r, hard_cases *h, uint16_t *out)
{
    uint16_t colors[BLOCK * 4];
    const halfcl_coordinates *all = r->finder.coordinates;
    const halfcl_coordinates gathered = {h->coordinates, 3, all->are_integers};
    r->finder.coordinates = &gathered;
    unsigned flags = read_block_by_sums(r, NULL, 0, h->count, colors);
    r->finder.coordinates = all;
    for (size_t i = 0; i < h->count; ++i)
        memcpy(out + 4 * h->sample[i], colors + 4 * i, 4 * sizeof *out);
    h->count = 0;
    return flags;
}

/* Returns the exceptions of the hard cases that were read to make room. */
static unsigned add_hard_case(reading *r, hard_cases *h, size_t sample, uint16_t *out)
{
    const halfcl_coordinates *all = r->finder.coordinates;
    const uint32_t *coordinate = (const uint32_t *)all->start + sample * all->width;
    unsigned flags = h->count == BLOCK ? read_hard_cases(r, h, out) : 0;
    h->sample[h->count] = sample;
    memcpy(h->coordinates[h->count], coordinate,
           (size_t)coordinates_used(r->image) * sizeof *coordinate);
    ++h->count;
    return flags;
}

/* A block of samples whose texels may be known, and then with exact weights. */
typedef struct {
    size_t first, count;
    bool is_known;
    halfcl_texels texels;
} filter_block;

static void find_block(reading *r, size_t first, size_t n, bool wanted, filter_block *b)
{
    b->first = first;
    b->count = n - first < BLOCK ? n - first : BLOCK;
    b->is_known =
        wanted && b->count > 0 && find_if_exact(&r->finder, first, b->count, &b->texels);
}

/* Returns the number of hard cases. */
static size_t filter(reading *r, const filter_block *b, const filter_block *next, hard_cases *h,
                     uint16_t *out, unsigned *flags)
{
    uint16_t hard[BLOCK];
    char *const *later = (next->is_known ? next : b)->texels.at[0];
    size_t count =
        r->filter->filter(&b->texels, later, b->count, out + 4 * b->first, hard, r->mode);
    for (size_t i = 0; i < count; ++i)
        *flags |= add_hard_case(r, h, b->first + hard[i], out);
    return count;
}

/* If a block has many hard cases, the next ones are likely to have many, too. */
unsigned read_filtered(reading *r, size_t n, uint16_t *out)
{
    enum { MANY = BLOCK / 4, PATIENCE = 32 };
    filter_block blocks[2]; /* this one and the next, alternating */
    hard_cases h;
    halfcl_env env;
    unsigned flags = 0, waits = 0;
    h.count = 0;
    halfcl_enter(&env, r->mode);
    find_block(r, 0, n, true, &blocks[0]);
    for (size_t turn = 0; blocks[turn].count > 0; turn = 1 - turn) {
        filter_block *b = &blocks[turn], *next = &blocks[1 - turn];
        find_block(r, b->first + b->count, n, waits == 0, next);
        if (b->is_known && b->texels.together) {
            bool has_many = filter(r, b, next, &h, out, &flags) > MANY;
            waits = has_many ? PATIENCE : waits;
        } else {
            const halfcl_texels *texels = b->is_known ? &b->texels : NULL;
            flags |= read_block_by_sums(r, texels, b->first, b->count, out + 4 * b->first);
            waits -= waits > 0;
        }
    }
    if (h.count > 0)
        flags |= read_hard_cases(r, &h, out);
    halfcl_leave(&env);
    return flags;
}
