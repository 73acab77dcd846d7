/* Reading images, block by block: from coordinates to texels, from texels to colours. */
#include <math.h>
#include <string.h>

#include "env/env.h"
#include "run/images.h"

enum { BLOCK = HALFCL_IMAGE_BLOCK, CORNERS = HALFCL_CORNERS };

/* One call. */
typedef struct {
    const halfcl_image *image;
    finder finder;
    halfcl_type type;
    halfcl_rounding mode;
    size_t texel_size;
    bool in_order;
    const halfcl_kernel *of_channels; /* from channels to the type: NEAREST, if there is one */
    const halfcl_kernel *blend, *divide, *of_doubles; /* for sums */
    uint32_t divisors[4];
    bool divides; /* by other than 1 */
    _Alignas(64) double divisors_of_block[BLOCK * 4];
} reading;

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
static void spread(const reading *r, const halfcl_texels *found, const void *channels,
                   void *out, size_t count)
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
            if (found->at[0][i] == r->finder.border)
                bits = k == 3 && image->border_alpha ? one : 0;
            put(out, 4 * i + k, size, bits);
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

static unsigned read_channels(const reading *r, const halfcl_texels *found, void *out,
                              size_t count)
{
    _Alignas(64) char raw[BLOCK * MAX_TEXEL], converted[BLOCK * MAX_TEXEL];
    void *channels = r->in_order ? out : converted;
    unsigned flags = 0;
    gather(found->at[0], r->texel_size, r->of_channels ? raw : channels, count);
    if (r->of_channels)
        flags = convert_together(r->of_channels, raw, channels,
                                 count * (size_t)r->image->channels, r->mode);
    if (!r->in_order)
        spread(r, found, channels, out, count);
    return flags;
}

/* ------------------------------------------------------------ by sums */

static void values_at(const reading *r, const char *texel, double *values)
{
    if (texel == r->finder.border)
        border_values(r->image, values);
    else
        texel_values(r->image, texel, values);
}

/* One sample's component k. */
static double blend_exactly(reading *r, size_t sample, int k)
{
    int dims = dims_of_sums(&r->finder);
    double component[CORNERS];
    exact_place places[3] = {0};
    char *at[CORNERS];
    locate_exactly(&r->finder, sample, places, at);
    for (int corner = 0; corner < 1 << dims; ++corner) {
        double values[4];
        values_at(r, at[corner], values);
        component[corner] = values[k];
    }
    return exact_blend(component, places, dims, r->divisors[k]);
}

/* x rounded to so many bits, if it is far from the ends of double. */
static double with_bits(double x, int bits)
{
    double scaled = x * ((double)((int64_t)1 << (53 - bits)) + 1);
    return scaled - (scaled - x);
}

/* Whether a number, off by no more than the bound, may be on another side of one where the type
 * rounds. Those have 12 bits in half, and are multiples of 2^-25; in float they have 25. */
static bool is_hard(double x, double bound, halfcl_type type)
{
    double size = fabs(x);
    if (!(size < 0x1p100))
        return true;
    if (bound == 0)
        return false;
    bound += size * 0x1p-51;
    if (type == HALFCL_FLOAT)
        return size < 0x1p-100 || fabs(x - with_bits(x, 25)) <= bound;
    if (size < 0x1p-13)
        return fabs(x - ((x + 0x1.8p27) - 0x1.8p27)) <= bound;
    return fabs(x - with_bits(x, 12)) <= bound;
}

/* Decides again what doubles leave open. bounds: NULL where finite sums are exact. */
static void settle(reading *r, size_t done, size_t count, double *colors, const double *bounds)
{
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            double *color = &colors[4 * i + (size_t)k];
            double bound = bounds ? bounds[4 * i + (size_t)k] / r->divisors[k] : 0;
            if (is_hard(*color, bound, r->type))
                *color = blend_exactly(r, done + i, k);
        }
    }
}

/* A corner's texels as four doubles each. */
static void decode(const reading *r, const halfcl_texels *found, int corner, size_t count,
                   double *values)
{
    for (size_t i = 0; i < count; ++i)
        values_at(r, halfcl_texel_at(found, corner, i), values + 4 * i);
}

/* Texels decoded, where the kernel does not take them as they are. */
typedef struct {
    _Alignas(64) double values[CORNERS][BLOCK * 4];
    halfcl_texels texels;
} decoded;

static const halfcl_texels *decode_all(const reading *r, const halfcl_texels *found,
                                       size_t count, decoded *d)
{
    memcpy(d->texels.weight, found->weight, sizeof d->texels.weight);
    d->texels.together = false;
    for (int corner = 0; corner < 1 << dims_of_sums(&r->finder); ++corner) {
        decode(r, found, corner, count, d->values[corner]);
        for (size_t i = 0; i < count; ++i)
            d->texels.at[corner][i] = (char *)(d->values[corner] + 4 * i);
    }
    return &d->texels;
}

static void divide(const reading *r, double *colors, size_t count)
{
    const ptrdiff_t step = sizeof *colors, steps[] = {step, step, step};
    char *operands[] = {(char *)colors, (char *)(uintptr_t)r->divisors_of_block,
                        (char *)colors};
    if (r->divides)
        halfcl_run(r->divide, operands, steps, 4 * count, HALFCL_RTE);
}

/* exact: whether the weights are. */
static void blend(reading *r, const halfcl_texels *found, bool exact, size_t done, size_t count,
                  double *colors)
{
    double bounds[BLOCK * 4];
    decoded values;
    int dims = dims_of_sums(&r->finder);
    const halfcl_texels *texels = r->in_order ? found : decode_all(r, found, count, &values);
    halfcl_watch_inexact();
    bool finite = r->blend->blend(texels, dims, count, colors, NULL);
    exact &= !halfcl_was_inexact();
    if (!exact)
        r->blend->blend(texels, dims, count, colors, bounds);
    divide(r, colors, count);
    if (!exact || !finite)
        settle(r, done, count, colors, exact ? NULL : bounds);
}

static unsigned read_sums(reading *r, const halfcl_texels *found, bool exact, size_t done,
                          size_t count, void *out)
{
    _Alignas(64) double colors[BLOCK * 4];
    if (dims_of_sums(&r->finder) > 0)
        blend(r, found, exact, done, count, colors);
    else {
        decode(r, found, 0, count, colors);
        divide(r, colors, count);
    }
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
    bool repeats = r->finder.sampler.addressing == HALFCL_ADDRESS_REPEAT ||
                   r->finder.sampler.addressing == HALFCL_ADDRESS_MIRRORED_REPEAT;
    return halfcl_image_has(r->image, r->type) && (!repeats || r->finder.sampler.normalized) &&
           (are_numbers || r->finder.sampler.filter == HALFCL_NEAREST) &&
           r->finder.coordinates->width >= (size_t)coordinates_used(r->image);
}

/* Whether NEAREST works channel by channel; how, if they need a conversion. */
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

/* The border is a texel, if it can be one. */
static void make_border(reading *r)
{
    const texel_format *format = texel_format_of(r->image->type);
    size_t size = halfcl_type_size(format->element);
    uint32_t one =
        format->greatest[3] ? (uint32_t)format->greatest[3] : one_of(format->element);
    if (!r->in_order || !r->image->border_alpha)
        return;
    if (size == 1)
        r->finder.border[3] = (char)one;
    else
        put(r->finder.border, 3, size, one);
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
    bool channels = by_channels(&r, isa);
    halfcl_texels found;
    unsigned flags = 0;
    halfcl_env env; /* conversions have their own */
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        char *to = (char *)out + 4 * halfcl_type_size(type) * done;
        bool exact = find_texels(&r.finder, done, count, &found);
        if (channels)
            flags |= read_channels(&r, &found, to, count);
        else
            flags |= read_sums(&r, &found, exact, done, count, to);
    }
    halfcl_leave(&env);
    return flags;
}
