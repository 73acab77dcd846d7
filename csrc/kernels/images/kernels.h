/* The kernels of images. */
#ifndef HALFCL_KERNELS_IMAGES_KERNELS_H
#define HALFCL_KERNELS_IMAGES_KERNELS_H

#include "kernels/images/filter.h"
#include "kernels/images/places.h"
#include "kernels/images/sums.h"
#include "kernels/shared/rows.h"

#define BLEND(type, loop)                                                                      \
    {"blend", HALFCL_BLEND, {1, 1, {type, HALFCL_DOUBLE}}, {.blend = loop}},
#define FILTER(type, loop)                                                                     \
    {"filter", HALFCL_FILTER, {1, 1, {type, HALFCL_HALF}}, {.filter = loop}},
#define IMAGE_KERNELS                                                                          \
    MAP("divide_to_odd", divide_to_odd, 2, 1, HALFCL_DOUBLE, HALFCL_DOUBLE,                    \
        HALFCL_DOUBLE){"locate", HALFCL_LOCATE, {0}, {.locate = locate}},                      \
        BLEND(HALFCL_HALF, blend_e) BLEND(HALFCL_FLOAT, blend_f) BLEND(HALFCL_DOUBLE, blend_d) \
            BLEND(HALFCL_INT8, blend_b) BLEND(HALFCL_UINT8, blend_B)                           \
                BLEND(HALFCL_INT16, blend_h) BLEND(HALFCL_UINT16, blend_H)                     \
                    FILTER(HALFCL_HALF, filter_e) FILTER(HALFCL_UINT8, filter_B)

#endif
