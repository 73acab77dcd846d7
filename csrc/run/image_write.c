/* Writes images block by block: from coordinates to texels, from colours to channels. */
#include <string.h>

#include "env/env.h"
#include "run/images.h"

enum { BLOCK = HALFCL_IMAGE_BLOCK };

/* The data of one call. */
typedef struct {
    const halfcl_image *image;
    finder finder;
    halfcl_type type;
    halfcl_rounding mode;
    size_t texel_size;
    bool in_order;
    const halfcl_kernel
        *to_channels; /* from the type to channels; to float, if these are encoded */
    bool encodes;     /* channels are encoded from floats one by one */
} writing;

/* Moves the samples that are inside, and their colours, to the front; returns their number. */
static size_t keep_inside(const writing *w, halfcl_texels *corners, const char **colors,
                          char *kept, size_t count)
{
    char **texels = corners->at[0];
    size_t size = 4 * halfcl_type_size(w->type), inside = 0, outside = 0;
    for (size_t i = 0; i < count; ++i) /* all of them, so that compilers vectorise it */
        outside += texels[i] == w->finder.border;
    if (outside == 0)
        return count;
    for (size_t i = 0; i < count; ++i) {
        if (texels[i] == w->finder.border)
            continue;
        texels[inside] = texels[i];
        memcpy(kept + inside * size, *colors + i * size, size);
        ++inside;
    }
    *colors = kept;
    return inside;
}

#define SCATTER(size)                                                                          \
    for (size_t i = 0; i < count; ++i)                                                         \
        memcpy(texels[i], from + i * (size), size);

static void scatter(const char *from, char *const *texels, size_t size, size_t count)
{
    switch (size) {
    case 4:
        SCATTER(4)
        break;
    case 8:
        SCATTER(8)
        break;
    case 16:
        SCATTER(16)
        break;
    default:
        SCATTER(size)
    }
}

/* Rearranges r, g, b and a, in the channels' type, to texels; channels that hold none of these
 * are 0. */
static void arrange(const writing *w, const char *colors, char *texels, size_t count)
{
    const halfcl_image *image = w->image;
    size_t size = halfcl_type_size(texel_format_of(image->type)->element);
    memset(texels, 0, count * w->texel_size);
    for (int channel = 0; channel < image->channels; ++channel) {
        int k = component_of_channel(image, channel);
        if (k < 0)
            continue;
        const char *from = colors + (size_t)k * size;
        char *to = texels + (size_t)channel * size;
        for (size_t i = 0; i < count; ++i)
            memcpy(to + i * w->texel_size, from + 4 * i * size, size);
    }
}

static unsigned write_block(const writing *w, const char *colors, char *const *texels,
                            size_t count)
{
    _Alignas(64) char converted[BLOCK * MAX_TEXEL], arranged[BLOCK * MAX_TEXEL];
    unsigned flags = 0;
    if (w->to_channels) {
        flags = convert_together(w->to_channels, colors, converted, 4 * count, w->mode);
        colors = converted;
    }
    if (w->encodes) {
        for (size_t i = 0; i < count; ++i)
            texel_encode(w->image, texels[i], (const float *)(const void *)colors + 4 * i,
                         w->mode);
        return 0; /* codes raise nothing, though widening a signalling NaN did */
    }
    if (!w->in_order) {
        arrange(w, colors, arranged, count);
        colors = arranged;
    }
    scatter(colors, texels, w->texel_size, count);
    return flags;
}

/* Chooses the conversion from colours to channels. */
static void choose_conversion(writing *w, const halfcl_isa *isa)
{
    const texel_format *format = texel_format_of(w->image->type);
    bool normalized = format->greatest[0] != 0;
    w->encodes = normalized && (w->type != HALFCL_HALF || !format->name || w->image->srgb);
    halfcl_type element = w->encodes ? HALFCL_FLOAT : format->element;
    if (w->type == element)
        return;
    char name[16] = "convert";
    if (normalized && !w->encodes)
        strcat(strcpy(name, "to_"), format->name);
    else if (w->type == HALFCL_INT32 || w->type == HALFCL_UINT32)
        strcpy(name, "convert_sat");
    w->to_channels = find_conversion(isa, name, w->type, element);
}

unsigned halfcl_write_image(const halfcl_isa *isa, const halfcl_image *image,
                            const halfcl_coordinates *coordinates, const void *colors,
                            halfcl_type type, size_t n, halfcl_rounding mode, size_t *dropped)
{
    writing w = {.image = image,
                 .finder = finder_of(isa, image, NULL, coordinates),
                 .type = type,
                 .mode = mode,
                 .texel_size = halfcl_texel_size(image),
                 .in_order = is_in_order(image)};
    _Alignas(64) char kept[BLOCK * MAX_TEXEL];
    halfcl_texels corners;
    unsigned flags = 0;
    *dropped = 0;
    if (!halfcl_image_has(image, type) || !coordinates->are_integers ||
        coordinates->width < (size_t)coordinates_used(image))
        return HALFCL_MISUSE;
    choose_conversion(&w, isa);
    halfcl_env env; /* conversions set their own */
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        const char *these = (const char *)colors + 4 * halfcl_type_size(type) * done;
        find_texels(&w.finder, done, count, &corners);
        size_t inside = keep_inside(&w, &corners, &these, kept, count);
        *dropped += count - inside;
        flags |= write_block(&w, these, corners.at[0], inside);
    }
    halfcl_leave(&env);
    return flags;
}
