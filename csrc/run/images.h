/* Declarations shared by the files that read and write images. */
#ifndef HALFCL_RUN_IMAGES_H
#define HALFCL_RUN_IMAGES_H

#include "exact/image.h"
#include "format/texel.h"
#include "halfcl.h"

enum { MAX_TEXEL = 16 };

/* The data for finding the texels of samples. */
typedef struct {
    const halfcl_image *image;
    const halfcl_coordinates *coordinates;
    halfcl_sampler sampler;
    bool has_sampler;
    halfcl_locate *locate;
    char border[MAX_TEXEL]; /* the border texel, for all samples outside */
} finder;

/* Without a sampler: NULL. */
finder finder_of(const halfcl_isa *isa, const halfcl_image *image,
                 const halfcl_sampler *sampler, const halfcl_coordinates *coordinates);

/* Finds the texels of a block; returns whether the weights are exact. Runs between
 * halfcl_enter, to nearest, and halfcl_leave. */
bool find_texels(finder *f, size_t first, size_t n, halfcl_texels *texels);

/* Finds the texels of a block in any mode, if the weights are exact; otherwise returns false.
 * Beyond n the first texels are those of the last sample, to the end of the block. */
bool find_if_exact(finder *f, size_t first, size_t n, halfcl_texels *texels);

/* Finds the places of one sample, and its texels by corner, in integers. */
void locate_exactly(finder *f, size_t sample, exact_place *places, char **at);

/* Returns how many numbers of a coordinate an image uses. */
static inline int coordinates_used(const halfcl_image *image)
{
    return image->dims + (image->layers > 0);
}

/* Returns the number of dimensions along which texels are summed. */
static inline int dims_of_sums(const finder *f)
{
    return f->sampler.filter == HALFCL_LINEAR ? f->image->dims : 0;
}

/* Finds the map with a name from a type to another. */
static inline const halfcl_kernel *find_conversion(const halfcl_isa *isa, const char *name,
                                                   halfcl_type from, halfcl_type to)
{
    const halfcl_signature signature = {1, 1, {(uint8_t)from, (uint8_t)to}};
    return halfcl_find_kernel(isa, name, HALFCL_MAP, &signature);
}

/* Applies a conversion to n contiguous elements. */
static inline unsigned convert_together(const halfcl_kernel *conversion, const void *in,
                                        void *out, size_t n, halfcl_rounding mode)
{
    const ptrdiff_t steps[] = {
        (ptrdiff_t)halfcl_type_size((halfcl_type)conversion->signature.types[0]),
        (ptrdiff_t)halfcl_type_size((halfcl_type)conversion->signature.types[1])};
    char *operands[] = {(char *)(uintptr_t)in, out};
    return halfcl_run(conversion, operands, steps, n, mode);
}

/* Returns whether a texel's channels are r, g, b and a, without a packed format or encoding. */
bool is_in_order(const halfcl_image *image);

#endif
