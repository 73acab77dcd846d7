/* What reading and writing images share. */
#ifndef HALFCL_RUN_IMAGES_H
#define HALFCL_RUN_IMAGES_H

#include "format/texel.h"
#include "halfcl.h"

/* How many numbers of a coordinate an image uses. */
static inline int coordinates_used(const halfcl_image *image)
{
    return image->dims + (image->layers > 0);
}

/* The map of a name from a type to another. */
static inline const halfcl_kernel *find_conversion(const halfcl_isa *isa, const char *name,
                                                   halfcl_type from, halfcl_type to)
{
    const halfcl_signature signature = {1, 1, {(uint8_t)from, (uint8_t)to}};
    return halfcl_find_kernel(isa, name, HALFCL_MAP, &signature);
}

/* Applies it to n elements that lie together. */
static inline unsigned convert_together(const halfcl_kernel *conversion, const void *in,
                                        void *out, size_t n, halfcl_rounding mode)
{
    const ptrdiff_t steps[] = {
        (ptrdiff_t)halfcl_type_size((halfcl_type)conversion->signature.types[0]),
        (ptrdiff_t)halfcl_type_size((halfcl_type)conversion->signature.types[1])};
    char *operands[] = {(char *)(uintptr_t)in, out};
    return halfcl_run(conversion, operands, steps, n, mode);
}

#endif
