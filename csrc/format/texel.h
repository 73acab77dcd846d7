/* Texels: what their channels are in memory, and what they stand for. */
#ifndef HALFCL_TEXEL_H
#define HALFCL_TEXEL_H

#include "halfcl.h"

/* A channel type: channels of one C type, or a word of packed ones. */
typedef struct {
    halfcl_type element;
    bool is_packed;
    uint8_t shift[4];    /* of packed channels */
    int32_t greatest[4]; /* the code that stands for 1, by channel; 0 where values are as they
                            are */
    const char *name;    /* of normalised integers that have kernels */
} texel_format;

/* NULL if there is no such type. */
const texel_format *texel_format_of(halfcl_channel_type type);

/* r, g, b and a as codes, or as the numbers that they are. */
void texel_values(const halfcl_image *image, const char *texel, double *values);

/* The same of what is outside. */
void border_values(const halfcl_image *image, double *values);

/* By which codes are divided to give the numbers that they stand for. */
void texel_divisors(const halfcl_image *image, uint32_t *divisors);

/* Puts r, g, b and a, rounded in the mode, into channels that are normalised integers. */
void texel_encode(const halfcl_image *image, char *texel, const float *color,
                  halfcl_rounding mode);

/* The component that goes to a channel; -1 if none does. */
int component_of_channel(const halfcl_image *image, int channel);

#endif
