/* Reads images block by block: from coordinates to texels, from texels to colours. */
#include "run/image_read.h"

#include <string.h>

#include "env/env.h"
#include "run/splitting.h"

/* ------------------------------------------------------------ NEAREST, channel by channel */

/* Returns the number 1 in a type that images are read as. */
static uint32_t number_one(halfcl_type type)
{
    return type == HALFCL_HALF ? 0x3c00 : type == HALFCL_FLOAT ? 0x3f800000 : 1;
}

static void store_number(void *to, size_t at, size_t size, uint32_t bits)
{
    if (size == 2)
        ((uint16_t *)to)[at] = (uint16_t)bits;
    else
        ((uint32_t *)to)[at] = bits;
}

static uint32_t load_number(const void *from, size_t at, size_t size)
{
    return size == 2 ? ((const uint16_t *)from)[at] : ((const uint32_t *)from)[at];
}

/* Spreads channels, already in the type, to r, g, b and a. */
static void spread(const reading *r, const halfcl_texels *texels, const void *channels,
                   void *out, size_t count)
{
    const halfcl_image *image = r->image;
    size_t size = halfcl_type_size(r->type);
    uint32_t one = number_one(r->type);
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            int channel = image->components[k];
            uint32_t bits = channel == HALFCL_ALWAYS_1 ? one : 0;
            if (channel >= 0)
                bits =
                    load_number(channels, i * (size_t)image->channels + (size_t)channel, size);
            if (texels->at[0][i] == r->finder.border)
                bits = k == 3 && image->border_alpha ? one : 0;
            store_number(out, 4 * i + k, size, bits);
        }
    }
}

#define GATHER(size)                                                                           \
    for (size_t i = 0; i < count; ++i)                                                         \
        memcpy(to + i * (size), texels[i], size);

static void gather(char *const *texels, size_t size, char *to, size_t count)
{
    switch (size) {
    case 4:
        GATHER(4)
        break;
    case 8:
        GATHER(8)
        break;
    case 16:
        GATHER(16)
        break;
    default:
        GATHER(size)
    }
}

static unsigned read_channels(const reading *r, const halfcl_texels *texels, void *out,
                              size_t count)
{
    _Alignas(64) char raw[BLOCK * MAX_TEXEL], converted[BLOCK * MAX_TEXEL];
    void *channels = r->in_order ? out : converted;
    unsigned flags = 0;
    gather(texels->at[0], r->texel_size, r->of_channels ? raw : channels, count);
    if (r->of_channels)
        flags = convert_together(r->of_channels, raw, channels,
                                 count * (size_t)r->image->channels, r->mode);
    if (!r->in_order)
        spread(r, texels, channels, out, count);
    return flags;
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
    bool repeats = r->finder.sampler.addressing == HALFCL_ADDRESS_REPEAT ||
                   r->finder.sampler.addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
    return halfcl_image_has(r->image, r->type) && (!repeats || r->finder.sampler.normalized) &&
           (are_numbers || r->finder.sampler.filter == HALFCL_NEAREST) &&
           r->finder.coordinates->width >= (size_t)coordinates_used(r->image);
}

/* Returns whether NEAREST can read channel by channel, and finds the conversion that this
 * needs. */
static bool by_channels(reading *r, const halfcl_isa *isa)
{
    const texel_format *format = texel_format_of(r->image->type);
    if (r->finder.sampler.filter != HALFCL_NEAREST || format->is_packed || r->image->srgb)
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

/* Makes the border a texel, if it can be one. */
static void make_border(reading *r)
{
    const texel_format *format = texel_format_of(r->image->type);
    size_t size = halfcl_type_size(format->element);
    uint32_t one =
        format->greatest[3] ? (uint32_t)format->greatest[3] : number_one(format->element);
    if (!r->in_order || !r->image->border_alpha)
        return;
    if (size == 1)
        r->finder.border[3] = (char)one;
    else
        store_number(r->finder.border, 3, size, one);
}

static void find_divisors(reading *r)
{
    texel_divisors(r->image, r->divisors);
    r->divides = false;
    for (int k = 0; k < 4; ++k)
        r->divides |= r->divisors[k] != 1;
    for (size_t i = 0; r->divides && i < BLOCK * 4; ++i)
        r->divisors_of_block[i] = r->divisors[i % 4];
}

static void find_kernels(reading *r, const halfcl_isa *isa)
{
    halfcl_type element = texel_format_of(r->image->type)->element;
    const halfcl_signature sums = {
        1, 1, {r->in_order ? element : HALFCL_DOUBLE, HALFCL_DOUBLE}};
    const halfcl_signature quotients = {2, 1, {HALFCL_DOUBLE, HALFCL_DOUBLE, HALFCL_DOUBLE}};
    r->blend = halfcl_find_kernel(isa, "blend", HALFCL_BLEND, &sums);
    r->divide = halfcl_find_kernel(isa, "divide_to_odd", HALFCL_MAP, &quotients);
    r->of_doubles = find_conversion(isa, "convert", HALFCL_DOUBLE, r->type);
    const halfcl_signature halves = {1, 1, {element, HALFCL_HALF}};
    bool are_pairs = r->image->size[0] > 1 && r->image->step[0] == (ptrdiff_t)r->texel_size;
    r->filter = NULL;
    if (r->in_order && are_pairs && r->type == HALFCL_HALF && r->image->dims == 2 &&
        r->finder.sampler.filter == HALFCL_LINEAR)
        r->filter = halfcl_find_kernel(isa, "filter", HALFCL_FILTER, &halves);
}

static unsigned read_block(reading *r, size_t done, size_t count, void *out)
{
    halfcl_texels texels;
    bool exact = find_texels(&r->finder, done, count, &texels);
    return r->by_channels ? read_channels(r, &texels, out, count)
                          : read_sums(r, &texels, exact, done, count, out);
}

static unsigned read_all(reading *r, size_t n, void *out)
{
    size_t size = 4 * halfcl_type_size(r->type);
    unsigned flags = 0;
    halfcl_env env; /* conversions set their own */
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        flags |= read_block(r, done, count, (char *)out + size * done);
    }
    halfcl_leave(&env);
    return flags;
}

typedef struct {
    const reading *reading;
    char *out;
} part_of_reading;

/* Reads with a copy of the reader, so that border addresses point to its own border. */
static unsigned read_samples(void *work, size_t first, size_t count, int thread)
{
    const part_of_reading *part = work;
    reading r = *part->reading;
    halfcl_coordinates those = *r.finder.coordinates;
    char *out = part->out + 4 * halfcl_type_size(r.type) * first;
    (void)thread;
    those.start = (const uint32_t *)those.start + first * those.width;
    r.finder.coordinates = &those;
    return r.filter ? read_filtered(&r, count, (uint16_t *)out) : read_all(&r, count, out);
}

static unsigned read_in_parts(const reading *r, size_t n, void *out)
{
    part_of_reading all = {r, out};
    return halfcl_run_divided(&(halfcl_divisible){read_samples, &all, n, 4},
                              halfcl_get_threads());
}

unsigned halfcl_read_image(const halfcl_isa *isa, const halfcl_image *image,
                           const halfcl_sampler *sampler, const halfcl_coordinates *coordinates,
                           void *out, halfcl_type type, size_t n, halfcl_rounding mode)
{
    reading r; /* not initialised as a whole: it is large */
    r.image = image;
    r.finder = finder_of(isa, image, sampler, coordinates);
    r.type = type;
    r.mode = mode;
    r.of_channels = NULL;
    if (!can_be_read(&r))
        return HALFCL_MISUSE;
    r.texel_size = halfcl_texel_size(image);
    r.in_order = is_in_order(image);
    make_border(&r);
    find_divisors(&r);
    find_kernels(&r, isa);
    r.by_channels = by_channels(&r, isa);
    if (halfcl_may_split(4 * n))
        return read_in_parts(&r, n, out);
    return r.filter ? read_filtered(&r, n, out) : read_all(&r, n, out);
}
