/* write_image: block by block, the samples that are inside. */
#include "run/images.h"

#include <string.h>

enum { BLOCK = HALFCL_IMAGE_BLOCK, MAX_TEXEL = 16 };

/* One call. */
typedef struct {
    const halfcl_image *image;
    halfcl_coordinates coordinates;
    halfcl_type type;
    halfcl_rounding mode;
    const halfcl_kernel *to_channels; /* from the type to channels; to float, where they are */
    bool encodes;                     /* made from floats one by one */
} writing;

/* Where a sample goes; NULL if that is outside. */
static char *texel_at(const halfcl_image *image, const int32_t *coordinate)
{
    char *texel = image->texels;
    for (int d = 0; d < image->dims; ++d) {
        if (coordinate[d] < 0 || coordinate[d] >= image->size[d])
            return NULL;
        texel += coordinate[d] * image->step[d];
    }
    if (image->layers) {
        int32_t layer = coordinate[image->dims];
        if (layer < 0 || layer >= image->layers)
            return NULL;
        texel += layer * image->step[3];
    }
    return texel;
}

/* The places of the samples that are inside, and their colours one after the other; how many.
 */
static size_t keep_inside(const writing *w, size_t done, const char **colors, char *kept,
                          char **texels, size_t count)
{
    const int32_t *coordinates =
        (const int32_t *)w->coordinates.start + done * w->coordinates.width;
    size_t size = 4 * halfcl_type_size(w->type), inside = 0;
    for (size_t i = 0; i < count; ++i) {
        texels[inside] = texel_at(w->image, coordinates + i * w->coordinates.width);
        if (!texels[inside])
            continue;
        if (inside < i)
            memcpy(kept + inside * size, *colors + i * size, size);
        else
            memcpy(kept + i * size, *colors + i * size, size);
        ++inside;
    }
    if (inside < count)
        *colors = kept;
    return inside;
}

/* r, g, b and a, in the channels' type, to channels. */
static void store_channels(const writing *w, const char *colors, char *const *texels,
                           size_t count)
{
    const halfcl_image *image = w->image;
    size_t size = halfcl_type_size(texel_format_of(image->type)->element);
    size_t channels = (size_t)image->channels;
    int source[4];
    for (size_t c = 0; c < channels; ++c)
        source[c] = component_of_channel(image, (int)c);
    for (size_t i = 0; i < count; ++i) {
        char texel[MAX_TEXEL] = {0};
        for (size_t c = 0; c < channels; ++c) {
            if (source[c] >= 0)
                memcpy(texel + c * size, colors + (4 * i + (size_t)source[c]) * size, size);
        }
        memcpy(texels[i], texel, channels * size);
    }
}

static unsigned write_block(const writing *w, const char *colors, char *const *texels,
                            size_t count)
{
    _Alignas(64) char converted[BLOCK * MAX_TEXEL];
    unsigned flags = 0;
    if (w->to_channels) {
        flags = convert_together(w->to_channels, colors, converted, 4 * count, w->mode);
        colors = converted;
    }
    if (!w->encodes) {
        store_channels(w, colors, texels, count);
        return flags;
    }
    for (size_t i = 0; i < count; ++i)
        texel_encode(w->image, texels[i], (const float *)colors + 4 * i, w->mode);
    return 0; /* codes raise nothing, though widening a signaling NaN did */
}

/* How colours become channels. */
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
    writing w = {image, *coordinates, type, mode, NULL, false};
    _Alignas(64) char kept[BLOCK * MAX_TEXEL];
    char *texels[BLOCK];
    unsigned flags = 0;
    *dropped = 0;
    if (!halfcl_image_has(image, type) || !coordinates->are_integers ||
        coordinates->width < (size_t)coordinates_used(image))
        return HALFCL_MISUSE;
    choose_conversion(&w, isa);
    halfcl_env env; /* conversions have their own */
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        const char *these = (const char *)colors + 4 * halfcl_type_size(type) * done;
        size_t inside = keep_inside(&w, done, &these, kept, texels, count);
        *dropped += count - inside;
        flags |= write_block(&w, these, texels, inside);
    }
    halfcl_leave(&env);
    return flags;
}
