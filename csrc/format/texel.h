/* Texels: the format of their channels in memory, and the values that codes represent. */
#ifndef HALFCL_TEXEL_H
#define HALFCL_TEXEL_H

#include "halfcl.h"

/* A channel type: channels of one C type, or a word of packed channels. */
typedef struct {
    halfcl_type element;
    bool is_packed;
    uint8_t shift[4];    /* of packed channels */
    int32_t greatest[4]; /* the code that represents 1, by channel; 0 if values are stored as
                            they are */
    const char *name;    /* of normalised integers that have kernels */
} texel_format;

/* Returns NULL if there is no such type. */
const texel_format *texel_format_of(halfcl_channel_type type);

/* Returns r, g, b and a as codes, or as numbers if they are stored so. */
void texel_values(const halfcl_image *image, const char *texel, double *values);

/* Returns the same for texels outside. */
void border_values(const halfcl_image *image, double *values);

/* Returns the numbers by which codes are divided to give the values that they represent. */
void texel_divisors(const halfcl_image *image, uint32_t *divisors);

/* Rounds r, g, b and a in the mode and stores them in channels of normalised integers. */
void texel_encode(const halfcl_image *image, char *texel, const float *color,
                  halfcl_rounding mode);

/* Returns the component stored in a channel; -1 if there is none. */
int component_of_channel(const halfcl_image *image, int channel);

#endif
