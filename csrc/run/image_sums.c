/* Reads images with sums, in double, or in integers if doubles leave the result undecided. */
#include <math.h>
#include <string.h>

#include "env/env.h"
#include "run/image_read.h"

static void values_at(const reading *r, const char *texel, double *values)
{
    if (texel == r->finder.border)
        border_values(r->image, values);
    else
        texel_values(r->image, texel, values);
}

/* Computes one sample's component k. */
static double blend_exactly(reading *r, size_t sample, int k)
{
    int dims = dims_of_sums(&r->finder);
    double component[CORNERS];
    exact_place places[3] = {0};
    char *at[CORNERS];
    locate_exactly(&r->finder, sample, places, at);
    for (int corner = 0; corner < 1 << dims; ++corner) {
        double values[4];
        values_at(r, at[corner], values);
        component[corner] = values[k];
    }
    return exact_blend(component, places, dims, r->divisors[k]);
}

/* Returns x rounded to so many bits, for x far from the ends of double's range. */
static double with_bits(double x, int bits)
{
    double scaled = x * ((double)((int64_t)1 << (53 - bits)) + 1);
    return scaled - (scaled - x);
}

/* Returns whether a number, with an error of at most the bound, may be on the other side of a
 * number at which the type rounds. Those have 12 bits in half, and are multiples of 2^-25; in
 * float they have 25. */
static bool is_hard(double x, double bound, halfcl_type type)
{
    double size = fabs(x);
    if (!(size < 0x1p100))
        return true;
    if (bound == 0)
        return false;
    bound += size * 0x1p-51;
    if (type == HALFCL_FLOAT)
        return size < 0x1p-100 || fabs(x - with_bits(x, 25)) <= bound;
    if (size < 0x1p-13)
        return fabs(x - ((x + 0x1.8p27) - 0x1.8p27)) <= bound;
    return fabs(x - with_bits(x, 12)) <= bound;
}

/* Recomputes the colours that doubles leave undecided. bounds: NULL if finite sums are
 * exact. */
static void settle(reading *r, size_t done, size_t count, double *colors, const double *bounds)
{
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            double *color = &colors[4 * i + (size_t)k];
            double bound = bounds ? bounds[4 * i + (size_t)k] / r->divisors[k] : 0;
            if (is_hard(*color, bound, r->type))
                *color = blend_exactly(r, done + i, k);
        }
    }
}

/* Converts a corner's texels to four doubles each. */
static void decode(const reading *r, const halfcl_texels *raw, int corner, size_t count,
                   double *values)
{
    for (size_t i = 0; i < count; ++i)
        values_at(r, halfcl_texel_at(raw, corner, i), values + 4 * i);
}

/* Decoded texels, if the kernel cannot read them in place. */
typedef struct {
    _Alignas(64) double values[CORNERS][BLOCK * 4];
    halfcl_texels texels;
} decoded;

static const halfcl_texels *decode_all(const reading *r, const halfcl_texels *raw, size_t count,
                                       decoded *d)
{
    memcpy(d->texels.weight, raw->weight, sizeof d->texels.weight);
    d->texels.together = false;
    for (int corner = 0; corner < 1 << dims_of_sums(&r->finder); ++corner) {
        decode(r, raw, corner, count, d->values[corner]);
        for (size_t i = 0; i < count; ++i)
            d->texels.at[corner][i] = (char *)(d->values[corner] + 4 * i);
    }
    return &d->texels;
}

static void divide(const reading *r, double *colors, size_t count)
{
    const ptrdiff_t step = sizeof *colors, steps[] = {step, step, step};
    char *operands[] = {(char *)colors, (char *)(uintptr_t)r->divisors_of_block,
                        (char *)colors};
    if (r->divides)
        halfcl_run(r->divide, operands, steps, 4 * count, HALFCL_RTE);
}

/* exact: whether the weights are exact. */
static void blend(reading *r, const halfcl_texels *raw, bool exact, size_t done, size_t count,
                  double *colors)
{
    double bounds[BLOCK * 4];
    decoded values;
    int dims = dims_of_sums(&r->finder);
    const halfcl_texels *texels = r->in_order ? raw : decode_all(r, raw, count, &values);
    halfcl_watch_inexact();
    bool finite = r->blend->blend(texels, dims, count, colors, NULL);
    exact &= !halfcl_was_inexact();
    if (!exact)
        r->blend->blend(texels, dims, count, colors, bounds);
    divide(r, colors, count);
    if (!exact || !finite)
        settle(r, done, count, colors, exact ? NULL : bounds);
}

unsigned read_sums(reading *r, const halfcl_texels *raw, bool exact, size_t done, size_t count,
                   void *out)
{
    _Alignas(64) double colors[BLOCK * 4];
    if (dims_of_sums(&r->finder) > 0)
        blend(r, raw, exact, done, count, colors);
    else {
        decode(r, raw, 0, count, colors);
        divide(r, colors, count);
    }
    return convert_together(r->of_doubles, colors, out, 4 * count, r->mode);
}
