/* Declarations shared by the files that read images. */
#ifndef HALFCL_RUN_IMAGE_READ_H
#define HALFCL_RUN_IMAGE_READ_H

#include "run/images.h"

enum { BLOCK = HALFCL_IMAGE_BLOCK, CORNERS = HALFCL_CORNERS };

/* The data of one call. */
typedef struct {
    const halfcl_image *image;
    finder finder;
    halfcl_type type;
    halfcl_rounding mode;
    size_t texel_size;
    bool in_order;
    bool by_channels; /* NEAREST; otherwise with sums */
    const halfcl_kernel
        *of_channels; /* from channels to the type: NEAREST, if there is such a conversion */
    const halfcl_kernel *blend, *divide, *of_doubles; /* for sums */
    const halfcl_kernel *filter;                      /* for most sums, if the set has it */
    uint32_t divisors[4];
    bool divides; /* by a number other than 1 */
    _Alignas(64) double divisors_of_block[BLOCK * 4];
} reading;

/* Reads a block of samples with sums, between halfcl_enter, to nearest, and halfcl_leave.
 * exact: whether the weights are exact. */
unsigned read_sums(reading *r, const halfcl_texels *texels, bool exact, size_t done,
                   size_t count, void *out);

/* Reads n samples with the filter. */
unsigned read_filtered(reading *r, size_t n, uint16_t *out);

#endif
