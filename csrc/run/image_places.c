/* Finds the texels of coordinates: with a kernel, or in integers if doubles have too few bits.
 */
#include <math.h>
#include <string.h>

#include "env/env.h"
#include "run/images.h"

enum { BLOCK = HALFCL_IMAGE_BLOCK };

finder finder_of(const halfcl_isa *isa, const halfcl_image *image,
                 const halfcl_sampler *sampler, const halfcl_coordinates *coordinates)
{
    const halfcl_signature none = {0};
    finder f = {.image = image,
                .coordinates = coordinates,
                .sampler = {false, HALFCL_ADDRESS_NONE, HALFCL_NEAREST},
                .has_sampler = sampler != NULL};
    if (sampler)
        f.sampler = *sampler;
    f.locate = halfcl_find_kernel(isa, "locate", HALFCL_LOCATE, &none)->locate;
    return f;
}

static double coordinate_of(const halfcl_coordinates *coordinates, size_t sample, int d)
{
    size_t at = sample * coordinates->width + (size_t)d;
    return coordinates->are_integers ? ((const int32_t *)coordinates->start)[at]
                                     : (double)((const float *)coordinates->start)[at];
}

/* Rounds to the nearest integer, ties to even; returns -1 for outside. */
static int32_t layer_of(const finder *f, double w)
{
    double last = f->image->layers - 1;
    bool inside = w >= 0 && w <= last;
    if (!f->has_sampler)
        return inside ? (int32_t)w : -1;
    if (!inside)
        return w > last ? (int32_t)last : 0;
    double whole = floor(w), rest = w - whole;
    return (int32_t)whole + (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0));
}

/* Returns the bytes from the first layer to a sample's, or HALFCL_OUTSIDE. */
static int64_t layer_offset(const finder *f, size_t sample)
{
    int32_t layer = layer_of(f, coordinate_of(f->coordinates, sample, f->image->dims));
    return layer < 0 ? HALFCL_OUTSIDE : (int64_t)layer * f->image->step[3];
}

void locate_exactly(finder *f, size_t sample, exact_place *places, char **at)
{
    const halfcl_image *image = f->image;
    int64_t start = image->layers ? layer_offset(f, sample) : 0;
    for (int d = 0; d < image->dims; ++d)
        places[d] = exact_place_of(coordinate_of(f->coordinates, sample, d), image->size[d],
                                   &f->sampler);
    for (int corner = 0; corner < 1 << dims_of_sums(f); ++corner) {
        int64_t offset = start;
        for (int d = 0; d < image->dims; ++d) {
            int32_t index = places[d].index[corner >> d & 1];
            offset += index < 0 ? HALFCL_OUTSIDE : index * (int64_t)image->step[d];
        }
        bool outside = offset < HALFCL_OUTSIDE / 2;
        at[corner] = outside ? f->border : image->texels + (ptrdiff_t)offset;
    }
}

static void find_exactly(finder *f, size_t first, size_t n, halfcl_texels *texels)
{
    exact_place places[3] = {0};
    char *at[HALFCL_CORNERS];
    texels->together = false;
    for (size_t i = 0; i < n; ++i) {
        locate_exactly(f, first + i, places, at);
        for (int d = 0; d < f->image->dims; ++d)
            texels->weight[d][i] = exact_weight(&places[d]);
        for (int corner = 0; corner < 1 << dims_of_sums(f); ++corner)
            texels->at[corner][i] = at[corner];
    }
}

static bool find_by_kernel(finder *f, size_t first, size_t n, halfcl_texels *texels)
{
    int64_t offsets[BLOCK];
    const int64_t *layers = f->image->layers ? offsets : NULL;
    for (size_t i = 0; layers && i < n; ++i)
        offsets[i] = layer_offset(f, first + i);
    halfcl_watch_inexact();
    return f->locate(f->image, &f->sampler, f->coordinates, first, n, layers, f->border,
                     texels) ||
           !halfcl_was_inexact();
}

bool find_texels(finder *f, size_t first, size_t n, halfcl_texels *texels)
{
    if (find_by_kernel(f, first, n, texels))
        return true;
    find_exactly(f, first, n, texels);
    return false;
}

bool find_if_exact(finder *f, size_t first, size_t n, halfcl_texels *texels)
{
    if (!find_by_kernel(f, first, n, texels))
        return false;
    for (size_t i = n; i < BLOCK; ++i)
        texels->at[0][i] = texels->at[0][n - 1];
    return true;
}

bool is_in_order(const halfcl_image *image)
{
    static const int8_t rgba[] = {0, 1, 2, 3};
    return image->channels == 4 && memcmp(image->components, rgba, sizeof rgba) == 0 &&
           !texel_format_of(image->type)->is_packed && !image->srgb;
}
