/* read_image: block by block, from coordinates to places, from places to texels, from texels to
 * colours. */
#include "env/env.h"
#include "exact/image.h"
#include "run/images.h"

#include <math.h>
#include <string.h>

enum { BLOCK = HALFCL_IMAGE_BLOCK, CORNERS = 8, MAX_TEXEL = 16 };

/* One call. */
typedef struct {
    const halfcl_image *image;
    halfcl_sampler sampler;
    bool has_sampler;
    halfcl_coordinates coordinates;
    halfcl_type type;
    halfcl_rounding mode;
    size_t texel_size;
    bool in_order;          /* the channels are r, g, b and a, and numbers */
    char border[MAX_TEXEL]; /* where the texels point that are outside; one of these, if in order */
    const halfcl_kernel *find_places;
    const halfcl_kernel *of_channels; /* from channels to the type: NEAREST, if there is one */
    const halfcl_kernel *blend, *divide, *of_doubles; /* for sums */
    uint32_t divisors[4];
} reading;

/* Where the texels of a block are, and how much each counts. */
typedef struct {
    const char *at[CORNERS][BLOCK];
    double weight[3][BLOCK];
    bool exact; /* weights have not been rounded */
} texels;

static int sum_dims(const reading *r)
{
    return r->sampler.filter == HALFCL_LINEAR ? r->image->dims : 0;
}

/* ------------------------------------------------------------ places */

static void take_coordinates(const reading *r, size_t done, size_t count, int d, double *column)
{
    size_t width = r->coordinates.width, first = done * width + (size_t)d;
    if (r->coordinates.are_integers) {
        const int32_t *from = (const int32_t *)r->coordinates.start + first;
        for (size_t i = 0; i < count; ++i)
            column[i] = from[i * width];
    } else {
        const float *from = (const float *)r->coordinates.start + first;
        for (size_t i = 0; i < count; ++i)
            column[i] = (double)from[i * width];
    }
}

/* To the nearest integer, ties to even. -1: outside. */
static int32_t layer_of(const reading *r, double w)
{
    double last = r->image->layers - 1;
    bool inside = w >= 0 && w <= last;
    if (!r->has_sampler)
        return inside ? (int32_t)w : -1;
    if (!inside)
        return w > last ? (int32_t)last : 0;
    double whole = floor(w), rest = w - whole;
    return (int32_t)whole + (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0));
}

static void find_layers(const reading *r, const double *coordinates, size_t count,
                        int64_t *offsets)
{
    for (size_t i = 0; i < count; ++i) {
        int32_t layer = layer_of(r, coordinates[i]);
        offsets[i] = layer < 0 ? HALFCL_OUTSIDE : (int64_t)layer * r->image->step[3];
    }
}

/* Where doubles have too few bits. */
static void find_places_exactly(const reading *r, const double *coordinates, size_t count,
                                int d, halfcl_places *places)
{
    int64_t step = r->image->step[d];
    for (size_t i = 0; i < count; ++i) {
        exact_place place = exact_place_of(coordinates[i], r->image->size[d], &r->sampler);
        for (int side = 0; side < 2; ++side) {
            int32_t index = place.index[side];
            places->offset[side][i] = index < 0 ? HALFCL_OUTSIDE : index * step;
        }
        places->weight[i] = exact_weight(&place);
    }
}

/* Whether weights are exact. */
static bool find_places(const reading *r, const double *coordinates, size_t count, int d,
                        halfcl_places *places)
{
    const halfcl_axis axis = {r->sampler.normalized, r->sampler.filter == HALFCL_LINEAR,
                              r->sampler.addressing, r->image->size[d], r->image->step[d]};
    halfcl_watch_inexact();
    r->find_places->find_places(&axis, coordinates, count, places);
    if (!halfcl_was_inexact())
        return true;
    find_places_exactly(r, coordinates, count, d, places);
    return false;
}

/* A corner's texels, from its places along each dimension. */
static void point_to_texels(const reading *r, const int64_t *const *offsets, int count,
                            size_t n, const char **texels)
{
    int64_t sums[BLOCK];
    memcpy(sums, offsets[0], n * sizeof *sums);
    for (int k = 1; k < count; ++k)
        for (size_t i = 0; i < n; ++i)
            sums[i] += offsets[k][i];
    for (size_t i = 0; i < n; ++i)
        texels[i] =
            sums[i] < HALFCL_OUTSIDE / 2 ? r->border : r->image->texels + (ptrdiff_t)sums[i];
}

static void find_texels(const reading *r, size_t done, size_t count, texels *found)
{
    const halfcl_image *image = r->image;
    _Alignas(64) double column[BLOCK + 16]; /* kernels take whole vectors */
    _Alignas(64) halfcl_places places[3];
    int64_t layers[BLOCK];
    int dims = image->dims;
    memset(column, 0, sizeof column);
    found->exact = true;
    for (int d = 0; d < dims; ++d) {
        take_coordinates(r, done, count, d, column);
        found->exact &= find_places(r, column, count, d, &places[d]);
        memcpy(found->weight[d], places[d].weight, sizeof places[d].weight);
    }
    if (image->layers) {
        take_coordinates(r, done, count, dims, column);
        find_layers(r, column, count, layers);
    }
    for (int corner = 0; corner < 1 << sum_dims(r); ++corner) {
        const int64_t *offsets[4];
        for (int d = 0; d < dims; ++d)
            offsets[d] = places[d].offset[corner >> d & 1];
        offsets[dims] = layers;
        point_to_texels(r, offsets, coordinates_used(image), count, found->at[corner]);
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
            if (found->at[0][i] == r->border)
                bits = k == 3 && image->border_alpha ? one : 0;
            put(out, 4 * i + k, size, bits);
        }
    }
}

#define GATHER(size)                                                                           \
    for (size_t i = 0; i < count; ++i)                                                         \
        memcpy(to + i * (size), texels[i], size);

static void gather(const char *const *texels, size_t size, char *to, size_t count)
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

static unsigned read_channels(const reading *r, const texels *found, void *out, size_t count)
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
    if (texel == r->border)
        border_values(r->image, values);
    else
        texel_values(r->image, texel, values);
}

/* One sample's component k. */
static double blend_exactly(const reading *r, const texels *found, size_t done, size_t i, int k)
{
    int dims = sum_dims(r);
    double component[CORNERS], column[BLOCK];
    exact_place places[3];
    for (int d = 0; d < dims; ++d) {
        take_coordinates(r, done + i, 1, d, column);
        places[d] = exact_place_of(column[0], r->image->size[d], &r->sampler);
    }
    for (int corner = 0; corner < 1 << dims; ++corner) {
        double values[4];
        values_at(r, found->at[corner][i], values);
        component[corner] = values[k];
    }
    return exact_blend(component, places, dims, r->divisors[k]);
}

/* Whether a number, off by no more than the bound, may be on another side of a number where the
 * type rounds. Halves and what is halfway between two are multiples of 2^-25; floats have one
 * bit less than 25, far from their ends. */
static bool is_hard(double x, double bound, halfcl_type type)
{
    double size = fabs(x);
    if (!(size < 0x1p100))
        return true;
    if (bound == 0)
        return false;
    bound += size * 0x1p-51;
    if (type == HALFCL_HALF)
        return size < 0x1p17 && fabs(x - ((x + 0x1.8p27) - 0x1.8p27)) <= bound;
    double scaled = x * (0x1p28 + 1);
    return size < 0x1p-100 || fabs(x - (scaled - (scaled - x))) <= bound;
}

/* Decides again what doubles leave open. bounds: NULL where finite sums are exact. */
static void settle(const reading *r, const texels *found, size_t done, size_t count,
                   double *colors, const double *bounds)
{
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            double *color = &colors[4 * i + (size_t)k];
            double bound = bounds ? bounds[4 * i + (size_t)k] / r->divisors[k] : 0;
            if (is_hard(*color, bound, r->type))
                *color = blend_exactly(r, found, done, i, k);
        }
    }
}

/* Texels as four doubles each. */
static void decode(const reading *r, const char *const *texels, size_t count, double *values)
{
    for (size_t i = 0; i < count; ++i)
        values_at(r, texels[i], values + 4 * i);
}

/* Texels as the kernel takes them: where they are, or decoded. */
typedef struct {
    halfcl_corners corners;
    _Alignas(64) double values[CORNERS][BLOCK * 4];
    const char *at[CORNERS][BLOCK];
} operands;

static void prepare(const reading *r, const texels *found, size_t count, operands *o)
{
    o->corners.dims = sum_dims(r);
    for (int d = 0; d < o->corners.dims; ++d)
        o->corners.weights[d] = found->weight[d];
    for (int corner = 0; corner < 1 << o->corners.dims; ++corner) {
        o->corners.corners[corner] = r->in_order ? found->at[corner] : o->at[corner];
        if (r->in_order)
            continue;
        decode(r, found->at[corner], count, o->values[corner]);
        for (size_t i = 0; i < count; ++i)
            o->at[corner][i] = (const char *)(o->values[corner] + 4 * i);
    }
}

static void divide(const reading *r, double *colors, size_t count)
{
    const ptrdiff_t steps[] = {4 * sizeof *colors, 0, 4 * sizeof *colors};
    for (int k = 0; k < 4; ++k) {
        double divisor = r->divisors[k];
        char *operands[] = {(char *)(colors + k), (char *)&divisor, (char *)(colors + k)};
        if (divisor != 1)
            halfcl_run(r->divide, operands, steps, count, HALFCL_RTE);
    }
}

static void blend(const reading *r, const texels *found, size_t done, size_t count,
                  double *colors)
{
    double bounds[BLOCK * 4];
    operands o;
    prepare(r, found, count, &o);
    halfcl_watch_inexact();
    bool finite = r->blend->blend(&o.corners, count, colors, NULL);
    bool exact = found->exact && !halfcl_was_inexact();
    if (!exact)
        r->blend->blend(&o.corners, count, colors, bounds);
    divide(r, colors, count);
    if (!exact || !finite)
        settle(r, found, done, count, colors, exact ? NULL : bounds);
}

static unsigned read_sums(const reading *r, const texels *found, size_t done, void *out,
                          size_t count)
{
    _Alignas(64) double colors[BLOCK * 4];
    if (sum_dims(r) > 0)
        blend(r, found, done, count, colors);
    else {
        decode(r, found->at[0], count, colors);
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

/* The border as a texel of four channels. */
static void make_border(reading *r)
{
    const texel_format *format = texel_format_of(r->image->type);
    size_t size = halfcl_type_size(format->element);
    uint32_t one = format->greatest[3] ? (uint32_t)format->greatest[3] : one_of(format->element);
    memset(r->border, 0, sizeof r->border);
    if (!r->in_order || !r->image->border_alpha)
        return;
    if (size == 1)
        r->border[3] = (char)one;
    else
        put(r->border, 3, size, one);
}

static bool is_in_order(const halfcl_image *image)
{
    static const int8_t rgba[] = {0, 1, 2, 3};
    return image->channels == 4 && memcmp(image->components, rgba, sizeof rgba) == 0 &&
           !texel_format_of(image->type)->is_packed && !image->srgb;
}

static void find_kernels(reading *r, const halfcl_isa *isa)
{
    halfcl_type element = texel_format_of(r->image->type)->element;
    const halfcl_signature places = {1, 1, {HALFCL_DOUBLE, HALFCL_INT64}};
    const halfcl_signature sums = {1, 1, {r->in_order ? element : HALFCL_DOUBLE, HALFCL_DOUBLE}};
    const halfcl_signature quotients = {2, 1, {HALFCL_DOUBLE, HALFCL_DOUBLE, HALFCL_DOUBLE}};
    r->find_places = halfcl_find_kernel(isa, "places", HALFCL_PLACES, &places);
    r->blend = halfcl_find_kernel(isa, "blend", HALFCL_BLEND, &sums);
    r->divide = halfcl_find_kernel(isa, "divide_to_odd", HALFCL_MAP, &quotients);
    r->of_doubles = find_conversion(isa, "convert", HALFCL_DOUBLE, r->type);
}

unsigned halfcl_read_image(const halfcl_isa *isa, const halfcl_image *image,
                           const halfcl_sampler *sampler, const halfcl_coordinates *coordinates,
                           void *out, halfcl_type type, size_t n, halfcl_rounding mode)
{
    reading r = {.image = image,
                 .sampler = {false, HALFCL_ADDRESS_NONE, HALFCL_NEAREST},
                 .has_sampler = sampler != NULL,
                 .coordinates = *coordinates,
                 .type = type,
                 .mode = mode};
    if (sampler)
        r.sampler = *sampler;
    if (!can_be_read(&r))
        return HALFCL_MISUSE;
    r.texel_size = halfcl_texel_size(image);
    r.in_order = is_in_order(image);
    make_border(&r);
    texel_divisors(image, r.divisors);
    find_kernels(&r, isa);
    bool channels = by_channels(&r, isa);
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
