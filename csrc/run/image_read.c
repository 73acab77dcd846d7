/* read_image: block by block, from coordinates to places, from places to texels, from texels to
 * colours. */
#include "exact/image.h"
#include "run/images.h"

#include <math.h>
#include <string.h>

enum { BLOCK = IMAGE_BLOCK, CORNERS = 8 };

/* One call. */
typedef struct {
    const halfcl_image *image;
    halfcl_sampler sampler;
    bool has_sampler;
    halfcl_coordinates coordinates;
    halfcl_type type;
    halfcl_rounding mode;
    const halfcl_kernel *of_channels; /* from channels to the type: NEAREST, if there is one */
    const halfcl_kernel *of_doubles;
} reading;

/* Where the texels of a block are: NULL if outside. */
typedef struct {
    const char *at[CORNERS][BLOCK];
} texels;

/* ------------------------------------------------------------ places */

static double coordinate(const reading *r, size_t sample, int d)
{
    size_t at = sample * r->coordinates.width + (size_t)d;
    return r->coordinates.are_integers ? ((const int32_t *)r->coordinates.start)[at]
                                       : (double)((const float *)r->coordinates.start)[at];
}

/* To the nearest integer, ties to even, in any environment. -1: outside. */
static int32_t layer_of(const reading *r, size_t sample)
{
    double w = coordinate(r, sample, r->image->dims), last = r->image->layers - 1;
    bool inside = w >= 0 && w <= last;
    if (!r->has_sampler)
        return inside ? (int32_t)w : -1;
    if (!inside)
        return w > last ? (int32_t)last : 0;
    double whole = floor(w), rest = w - whole;
    return (int32_t)whole + (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0));
}

static void find_texels(const reading *r, size_t done, size_t count, texels *found)
{
    const halfcl_image *image = r->image;
    int corners = r->sampler.filter == HALFCL_LINEAR ? 1 << image->dims : 1;
    for (size_t i = 0; i < count; ++i) {
        exact_place places[3];
        for (int d = 0; d < image->dims; ++d)
            places[d] =
                exact_place_of(coordinate(r, done + i, d), image->size[d], &r->sampler);
        int32_t layer = image->layers ? layer_of(r, done + i) : 0;
        for (int corner = 0; corner < corners; ++corner) {
            ptrdiff_t offset = layer * image->step[3];
            bool inside = layer >= 0;
            for (int d = 0; d < image->dims; ++d) {
                int32_t index = places[d].index[corner >> d & 1];
                inside &= index >= 0;
                offset += index * image->step[d];
            }
            found->at[corner][i] = inside ? image->texels + offset : NULL;
        }
    }
}

/* ------------------------------------------------------------ NEAREST, by channels */

/* 1 in the types that images are read as. */
static uint32_t one_of(halfcl_type type)
{
    return type == HALFCL_HALF ? 0x3c00 : type == HALFCL_FLOAT ? 0x3f800000 : 1;
}

static void put(void *to, size_t at, size_t size, uint32_t bits)
{
    if (size == 2)
        ((uint16_t *)to)[at] = (uint16_t)bits;
    else
        ((uint32_t *)to)[at] = bits;
}

static uint32_t get(const void *from, size_t at, size_t size)
{
    return size == 2 ? ((const uint16_t *)from)[at] : ((const uint32_t *)from)[at];
}

/* From channels, in the type already, to r, g, b and a. */
static void spread(const reading *r, const texels *found, const void *channels, void *out,
                   size_t count)
{
    const halfcl_image *image = r->image;
    size_t size = halfcl_type_size(r->type);
    uint32_t one = one_of(r->type);
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            int channel = image->components[k];
            uint32_t bits = channel == HALFCL_ALWAYS_1 ? one : 0;
            if (channel >= 0)
                bits = get(channels, i * (size_t)image->channels + (size_t)channel, size);
            if (!found->at[0][i])
                bits = k == 3 && image->border_alpha ? one : 0;
            put(out, 4 * i + k, size, bits);
        }
    }
}

static unsigned read_channels(const reading *r, const texels *found, void *out, size_t count)
{
    _Alignas(64) char raw[BLOCK * 4 * 4], converted[BLOCK * 4 * 4];
    const void *channels = raw;
    size_t size = halfcl_texel_size(r->image);
    unsigned flags = 0;
    for (size_t i = 0; i < count; ++i) {
        if (found->at[0][i])
            memcpy(raw + i * size, found->at[0][i], size);
        else
            memset(raw + i * size, 0, size);
    }
    if (r->of_channels) {
        flags = convert_together(r->of_channels, raw, converted,
                                 count * (size_t)r->image->channels, r->mode);
        channels = converted;
    }
    spread(r, found, channels, out, count);
    return flags;
}

/* ------------------------------------------------------------ by sums */

static void blend_exactly(const reading *r, const texels *found, size_t done, size_t i,
                          double *color)
{
    const halfcl_image *image = r->image;
    int dims = r->sampler.filter == HALFCL_LINEAR ? image->dims : 0;
    double values[CORNERS][4];
    uint32_t divisors[4];
    exact_place places[3];
    texel_divisors(image, divisors);
    for (int d = 0; d < dims; ++d)
        places[d] = exact_place_of(coordinate(r, done + i, d), image->size[d], &r->sampler);
    for (int corner = 0; corner < 1 << dims; ++corner) {
        if (found->at[corner][i])
            texel_values(image, found->at[corner][i], values[corner]);
        else
            border_values(image, values[corner]);
    }
    for (int k = 0; k < 4; ++k) {
        double component[CORNERS];
        for (int corner = 0; corner < 1 << dims; ++corner)
            component[corner] = values[corner][k];
        color[k] = exact_blend(component, places, dims, divisors[k]);
    }
}

static unsigned read_sums(const reading *r, const texels *found, size_t done, void *out,
                          size_t count)
{
    _Alignas(64) double colors[BLOCK][4];
    for (size_t i = 0; i < count; ++i)
        blend_exactly(r, found, done, i, colors[i]);
    return convert_together(r->of_doubles, colors, out, 4 * count, r->mode);
}

/* ------------------------------------------------------------ the call */

bool halfcl_image_has(const halfcl_image *image, halfcl_type type)
{
    const texel_format *format = texel_format_of(image->type);
    if (image->type >= HALFCL_SIGNED_INT8 && image->type <= HALFCL_SIGNED_INT32)
        return type == HALFCL_INT32;
    if (image->type >= HALFCL_UNSIGNED_INT8 && image->type <= HALFCL_UNSIGNED_INT32)
        return type == HALFCL_UINT32;
    return format && (type == HALFCL_HALF || type == HALFCL_FLOAT);
}

static bool can_be_read(const reading *r)
{
    bool are_numbers = r->type == HALFCL_HALF || r->type == HALFCL_FLOAT;
    bool repeats = r->sampler.addressing == HALFCL_ADDRESS_REPEAT ||
                   r->sampler.addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
    return halfcl_image_has(r->image, r->type) && (!repeats || r->sampler.normalized) &&
           (are_numbers || r->sampler.filter == HALFCL_NEAREST) &&
           r->coordinates.width >= (size_t)coordinates_used(r->image);
}

/* Whether NEAREST works channel by channel; how, if they need a conversion. */
static bool by_channels(reading *r, const halfcl_isa *isa)
{
    const texel_format *format = texel_format_of(r->image->type);
    if (r->sampler.filter != HALFCL_NEAREST || format->is_packed || r->image->srgb)
        return false;
    if (format->element == r->type)
        return true;
    bool normalized = format->greatest[0] != 0;
    char name[16] = "from_";
    if (normalized)
        strcat(name, format->name);
    r->of_channels =
        find_conversion(isa, normalized ? name : "convert", format->element, r->type);
    return r->of_channels;
}

unsigned halfcl_read_image(const halfcl_isa *isa, const halfcl_image *image,
                           const halfcl_sampler *sampler, const halfcl_coordinates *coordinates,
                           void *out, halfcl_type type, size_t n, halfcl_rounding mode)
{
    reading r = {image, {false, HALFCL_ADDRESS_NONE, HALFCL_NEAREST}, sampler != NULL,
                 *coordinates, type, mode, NULL, NULL};
    if (sampler)
        r.sampler = *sampler;
    if (!can_be_read(&r))
        return HALFCL_MISUSE;
    bool channels = by_channels(&r, isa);
    if (!channels)
        r.of_doubles = find_conversion(isa, "convert", HALFCL_DOUBLE, type);
    texels found;
    unsigned flags = 0;
    halfcl_env env; /* conversions have their own */
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        char *to = (char *)out + 4 * halfcl_type_size(type) * done;
        find_texels(&r, done, count, &found);
        if (channels)
            flags |= read_channels(&r, &found, to, count);
        else
            flags |= read_sums(&r, &found, done, to, count);
    }
    halfcl_leave(&env);
    return flags;
}
