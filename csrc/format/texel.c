#include "format/texel.h"

#include <math.h>

#include "format/half.h"
#include "format/srgb.h"

#define ALL(x) {x, x, x, x}
#define NORMALIZED(type, greatest, name) {type, false, {0}, ALL(greatest), name}
#define PLAIN(type) {type, false, {0}, {0}, NULL}

/* Indexed by the constant minus that of the first type. */
static const texel_format formats[] = {
    [HALFCL_SNORM_INT8 - HALFCL_SNORM_INT8] = NORMALIZED(HALFCL_INT8, INT8_MAX, "snorm8"),
    [HALFCL_SNORM_INT16 - HALFCL_SNORM_INT8] = NORMALIZED(HALFCL_INT16, INT16_MAX, "snorm16"),
    [HALFCL_UNORM_INT8 - HALFCL_SNORM_INT8] = NORMALIZED(HALFCL_UINT8, UINT8_MAX, "unorm8"),
    [HALFCL_UNORM_INT16 - HALFCL_SNORM_INT8] = NORMALIZED(HALFCL_UINT16, UINT16_MAX, "unorm16"),
    [HALFCL_UNORM_SHORT_565 -
     HALFCL_SNORM_INT8] = {HALFCL_UINT16, true, {11, 5, 0}, {31, 63, 31}, NULL},
    [HALFCL_UNORM_SHORT_555 -
     HALFCL_SNORM_INT8] = {HALFCL_UINT16, true, {10, 5, 0}, {31, 31, 31}, NULL},
    [HALFCL_UNORM_INT_101010 -
     HALFCL_SNORM_INT8] = {HALFCL_UINT32, true, {20, 10, 0}, {1023, 1023, 1023}, NULL},
    [HALFCL_SIGNED_INT8 - HALFCL_SNORM_INT8] = PLAIN(HALFCL_INT8),
    [HALFCL_SIGNED_INT16 - HALFCL_SNORM_INT8] = PLAIN(HALFCL_INT16),
    [HALFCL_SIGNED_INT32 - HALFCL_SNORM_INT8] = PLAIN(HALFCL_INT32),
    [HALFCL_UNSIGNED_INT8 - HALFCL_SNORM_INT8] = PLAIN(HALFCL_UINT8),
    [HALFCL_UNSIGNED_INT16 - HALFCL_SNORM_INT8] = PLAIN(HALFCL_UINT16),
    [HALFCL_UNSIGNED_INT32 - HALFCL_SNORM_INT8] = PLAIN(HALFCL_UINT32),
    [HALFCL_HALF_FLOAT - HALFCL_SNORM_INT8] = PLAIN(HALFCL_HALF),
    [HALFCL_FLOAT_CHANNEL - HALFCL_SNORM_INT8] = PLAIN(HALFCL_FLOAT),
    [HALFCL_UNORM_INT_101010_2 -
     HALFCL_SNORM_INT8] = {HALFCL_UINT32, true, {22, 12, 2, 0}, {1023, 1023, 1023, 3}, NULL},
};

const texel_format *texel_format_of(halfcl_channel_type type)
{
    size_t row = (size_t)type - HALFCL_SNORM_INT8;
    if (row >= sizeof formats / sizeof *formats || formats[row].element == HALFCL_HALF)
        return type == HALFCL_HALF_FLOAT ? &formats[row]
                                         : NULL; /* a row that is not listed is all zeros */
    return &formats[row];
}

/* Returns whether a format can have that many channels. */
static bool has_channels(const texel_format *format, int channels)
{
    if (!format->is_packed)
        return channels >= 1 && channels <= 4;
    return channels == (format->greatest[3] ? 4 : 3);
}

size_t halfcl_texel_size(const halfcl_image *image)
{
    const texel_format *format = texel_format_of(image->type);
    if (!format || !has_channels(format, image->channels) ||
        (image->srgb && image->type != HALFCL_UNORM_INT8))
        return 0;
    for (int k = 0; k < 4; ++k) {
        if (image->components[k] < HALFCL_ALWAYS_1 || image->components[k] >= image->channels)
            return 0;
    }
    return halfcl_type_size(format->element) *
           (format->is_packed ? 1 : (size_t)image->channels);
}

static uint32_t word_at(const char *at, halfcl_type type)
{
    uint16_t word;
    uint32_t wide;
    if (type == HALFCL_UINT16) {
        memcpy(&word, at, sizeof word);
        return word;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Signed codes below -greatest represent -1 as well. */
static double channel_value(const char *at, halfcl_type type)
{
    uint16_t word;
    float number;
    switch (type) {
    case HALFCL_INT8:
        return *(const int8_t *)at < -INT8_MAX ? -INT8_MAX : *(const int8_t *)at;
    case HALFCL_UINT8:
        return *(const uint8_t *)at;
    case HALFCL_FLOAT:
        memcpy(&number, at, sizeof number);
        return (double)number;
    default:
        memcpy(&word, at, sizeof word);
        if (type == HALFCL_HALF)
            return (double)halfcl_to_float(word);
        if (type == HALFCL_UINT16)
            return word;
        return (int16_t)word < -INT16_MAX ? -INT16_MAX : (int16_t)word;
    }
}

static bool is_encoded(const halfcl_image *image, int component)
{
    return image->srgb && component < 3;
}

void texel_values(const halfcl_image *image, const char *texel, double *values)
{
    const texel_format *format = texel_format_of(image->type);
    size_t size = halfcl_type_size(format->element);
    for (int k = 0; k < 4; ++k) {
        int channel = image->components[k];
        if (channel < 0)
            values[k] = channel == HALFCL_ALWAYS_1;
        else if (format->is_packed)
            values[k] = word_at(texel, format->element) >> format->shift[channel] &
                        (uint32_t)format->greatest[channel];
        else if (is_encoded(image, k))
            values[k] = (double)srgb_linear[(uint8_t)texel[channel]];
        else
            values[k] = channel_value(texel + (size_t)channel * size, format->element);
    }
}

void texel_divisors(const halfcl_image *image, uint32_t *divisors)
{
    const texel_format *format = texel_format_of(image->type);
    for (int k = 0; k < 4; ++k) {
        int channel = image->components[k];
        bool as_it_is = channel < 0 || format->greatest[channel] == 0 || is_encoded(image, k);
        divisors[k] = as_it_is ? 1 : (uint32_t)format->greatest[channel];
    }
}

void border_values(const halfcl_image *image, double *values)
{
    uint32_t divisors[4];
    texel_divisors(image, divisors);
    values[0] = values[1] = values[2] = 0;
    values[3] = image->border_alpha ? divisors[3] : 0;
}

int component_of_channel(const halfcl_image *image, int channel)
{
    for (int k = 0; k < 4; ++k) {
        if (image->components[k] == channel)
            return k;
    }
    return -1;
}

/* x * greatest is exact in double. NaN becomes 0. Signed codes reach -greatest - 1, as in
 * OpenCL's saturated conversions. */
static int32_t code_of(float x, int32_t greatest, bool is_signed, halfcl_rounding mode)
{
    double scaled = isnan(x) ? 0 : (double)x * greatest;
    double least = is_signed ? -greatest - 1 : 0;
    scaled = scaled < least ? least : scaled > greatest ? greatest : scaled;
    double low = floor(scaled), rest = scaled - low;
    bool up;
    if (mode == HALFCL_RTE)
        up = rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0);
    else if (mode == HALFCL_RTP)
        up = rest > 0;
    else
        up = mode == HALFCL_RTZ && rest > 0 && low < 0;
    return (int32_t)low + up;
}

/* Returns floor(255 e + 0.5), where e is x encoded, whatever the mode. */
static int32_t srgb_code_of(float x)
{
    int32_t low = 0, high = UINT8_MAX;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (x >= srgb_least[middle - 1])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void texel_encode(const halfcl_image *image, char *texel, const float *color,
                  halfcl_rounding mode)
{
    const texel_format *format = texel_format_of(image->type);
    bool is_signed = format->element == HALFCL_INT8 || format->element == HALFCL_INT16;
    uint32_t packed = 0;
    for (int channel = 0; channel < image->channels; ++channel) {
        int k = component_of_channel(image, channel);
        int32_t code = k < 0 ? 0
                       : is_encoded(image, k)
                           ? srgb_code_of(color[k])
                           : code_of(color[k], format->greatest[channel], is_signed, mode);
        uint16_t word = (uint16_t)code;
        if (format->is_packed)
            packed |= (uint32_t)code << format->shift[channel];
        else if (halfcl_type_size(format->element) == 1)
            texel[channel] = (char)code;
        else
            memcpy(texel + 2 * channel, &word, sizeof word);
    }
    uint16_t half_of_it = (uint16_t)packed;
    if (format->is_packed && format->element == HALFCL_UINT16)
        memcpy(texel, &half_of_it, sizeof half_of_it);
    else if (format->is_packed)
        memcpy(texel, &packed, sizeof packed);
}
