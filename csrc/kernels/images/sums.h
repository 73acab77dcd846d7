/* Images: weighted sums of texels, and their quotients, in double.
 *
 * If the hardware records nothing inexact, everything is exact: most weights and texels have
 * few enough bits. */
#ifndef HALFCL_KERNELS_IMAGES_SUMS_H
#define HALFCL_KERNELS_IMAGES_SUMS_H

#include "kernels/shared/rows.h"
#include "simd/simd.h"

/* Loads of a texel's four channels. Signed codes below -m count as -m. */
ALWAYS_INLINE vc texel_e(const char *p)
{
    return vc_load_e(p);
}
ALWAYS_INLINE vc texel_f(const char *p)
{
    return vc_load_f(p);
}
ALWAYS_INLINE vc texel_d(const char *p)
{
    return vc_load(p);
}
ALWAYS_INLINE vc texel_B(const char *p)
{
    return vc_load_B(p);
}
ALWAYS_INLINE vc texel_H(const char *p)
{
    return vc_load_H(p);
}
ALWAYS_INLINE vc texel_b(const char *p)
{
    return vc_max(vc_load_b(p), vc_set(-INT8_MAX));
}
ALWAYS_INLINE vc texel_h(const char *p)
{
    return vc_max(vc_load_h(p), vc_set(-INT16_MAX));
}

enum { AHEAD = 32 }; /* samples, for prefetching */

typedef vc load_texel(const char *p);

ALWAYS_INLINE vc blend_two(vc first, vc second, vc weight)
{
    return vc_muladd(weight, vc_sub(second, first), first);
}

ALWAYS_INLINE vc blend_plane(const vc *t, const vc *weight)
{
    vc first = blend_two(t[0], t[1], weight[0]), second = blend_two(t[2], t[3], weight[0]);
    return blend_two(first, second, weight[1]);
}

/* Blends along x, then y, then z. */
ALWAYS_INLINE vc blend_corners(const vc *t, const vc *weight, int dims)
{
    if (dims == 1)
        return blend_two(t[0], t[1], weight[0]);
    if (dims == 2)
        return blend_plane(t, weight);
    return blend_two(blend_plane(t, weight), blend_plane(t + 4, weight), weight[2]);
}

/* In units of 2^-53 of the largest texel, the error of sums of dims steps is at most 8, 28 and
 * 92: a step adds 2 for the difference and its product, 2 more without FMA, 1 for the sum, and
 * 1 for a weight with an error of 2^-53, to the errors of its operands, which count twice for
 * the difference. 2^-45 is 256. Equal texels give exactly that texel, so that the bound need
 * not exceed their difference. */
ALWAYS_INLINE vc bound_of(const vc *t, int corners)
{
    vc least = t[0], most = t[0];
    for (int k = 1; k < corners; ++k) {
        least = vc_min(least, t[k]);
        most = vc_max(most, t[k]);
    }
    vc size = vc_max(most, vc_sub(vc_set(0), least));
    vc bound = vc_muladd(size, vc_set(0x1p-45), vc_set(0));
    return vc_min(bound, vc_sub(most, least));
}

ALWAYS_INLINE bool blend_texels(const halfcl_texels *texels, int dims, bool together,
                                load_texel *load, size_t n, double *colors, double *bounds)
{
    const vc zero = vc_set(0);
    vc special = zero;
    ptrdiff_t further[8] = {0};
    for (int k = 1; k < 1 << dims; ++k)
        for (int d = 0; d < dims; ++d)
            further[k] += k >> d & 1 ? texels->apart[d] : 0;
    for (size_t i = 0; i < n; ++i) {
        vc t[8], weight[3];
        if (together) {
            const char *later = texels->at[0][i + AHEAD < n ? i + AHEAD : n - 1];
            for (int k = 0; k < 1 << dims; k += 2)
                __builtin_prefetch(later + further[k]);
        }
        for (int k = 0; k < 1 << dims; ++k)
            t[k] = load(together ? texels->at[0][i] + further[k] : texels->at[k][i]);
        for (int d = 0; d < dims; ++d)
            weight[d] = vc_set(texels->weight[d][i]);
        vc color = vc_add(blend_corners(t, weight, dims), zero); /* -0 becomes 0 */
        special = vc_muladd(color, zero, special);
        vc_store(colors + 4 * i, color);
        if (bounds)
            vc_store(bounds + 4 * i, bound_of(t, 1 << dims));
    }
    double any[4];
    vc_store(any, special);
    return any[0] + any[1] + any[2] + any[3] == 0;
}

/* The most important case has loops of its own: planes whose texels are together. */
#define BLEND_OF(letter)                                                                       \
    static bool blend_##letter(const halfcl_texels *texels, int dims, size_t n,                \
                               double *colors, double *bounds)                                 \
    {                                                                                          \
        bool together = texels->together;                                                      \
        if (dims == 1)                                                                         \
            return blend_texels(texels, 1, together, texel_##letter, n, colors, bounds);       \
        if (dims == 3)                                                                         \
            return blend_texels(texels, 3, together, texel_##letter, n, colors, bounds);       \
        if (together && !bounds)                                                               \
            return blend_texels(texels, 2, true, texel_##letter, n, colors, NULL);             \
        return blend_texels(texels, 2, together, texel_##letter, n, colors, bounds);           \
    }
BLEND_OF(e)
BLEND_OF(f)
BLEND_OF(d)
BLEND_OF(b)
BLEND_OF(B)
BLEND_OF(h)
BLEND_OF(H)

/* ------------------------------------------------------------ quotients */

/* Divides by integers below 2^16, rounded to odd. For a quotient to nearest, split into two
 * parts, the products with the divisor are exact, and so is the remainder of the dividend: its
 * sign says on which side the exact quotient is. */
static unsigned divide_to_odd(void *const *args, size_t n, halfcl_rounding mode)
{
    (void)mode; /* the processor rounds to nearest */
    const double *dividends = args[0], *divisors = args[1];
    double *out = args[2];
    for (size_t i = 0; i < n; ++i) {
        double quotient = dividends[i] / divisors[i];
        uint64_t bits = bits_of_double(quotient);
        double high = double_of_bits(bits >> 21 << 21), low = quotient - high;
        uint64_t remainder =
            bits_of_double((dividends[i] - high * divisors[i]) - low * divisors[i]);
        uint64_t is_inexact = (remainder << 1 | (0 - (remainder << 1))) >> 63;
        uint64_t is_even = ~bits & 1, is_less = (remainder ^ bits) >> 63;
        bits += (0 - (is_inexact & is_even)) & (1 - 2 * is_less);
        out[i] = double_of_bits(bits);
    }
    return 0;
}

#endif
