/* Images: LINEAR in planes, to halves, in float. Nearly all results are decided here; hard
 * cases are returned.
 *
 * For four corners t and weights w it computes
 *
 *   left = t0 + wy (t2 - t0), right = t1 + wy (t3 - t1), color = left + wx (right - left)
 *
 * Let the relative error of a rounding be at most e (2^-24 to nearest, otherwise 2^-23), that
 * of a weight f, and let m be the greatest magnitude of the three products and of the colour.
 * The error of a product is (2 e + f) m, from a difference and a weight, and that of the sum
 * after it e of itself. The errors of left and right are weighted, and the weighted mean of
 * their magnitudes is at most |color| + 2 |wx (right - left)|: left is the colour minus that
 * product, right the colour plus (1 - wx) (right - left). This makes (2 e + f) m + 3 e m; the
 * second step adds (2 e + f) m and e m. A code is divided by 255 with its inverse, 2 e m, and
 * the ends of the interval are rounded, e m. All this is 11 e + 2 f, and products of errors add
 * far less than the remainder of the bound, 12 e + 2 f.
 *
 * If both ends of the interval round to the same half, so does the exact sum, in every mode. If
 * all three products are 0, the sum is t0, exactly. If that is a code, it is 0, or 255, which
 * is replaced by its quotient, 1, or its binary fraction repeats its 8 bits, so that it is
 * further than 2^-20 of itself from the numbers at which halves round, and its product with the
 * inverse is accurate enough. For tiny results exactness matters, too, for underflow: they are
 * hard cases. So are infinities and NaNs, in texels that count or not: they make the colour a
 * NaN, or the bound infinite. */
#ifndef HALFCL_KERNELS_IMAGES_FILTER_H
#define HALFCL_KERNELS_IMAGES_FILTER_H

#include "kernels/images/sums.h"
#include "simd/simd.h"

enum { AT_ONCE = LANES / 4 }; /* samples per vector */

typedef void load_corners(char *const *at, ptrdiff_t further, vf *left, vf *right);

/* Converts weights to floats; returns whether all were floats. */
ALWAYS_INLINE bool float_weights(const double *weight, size_t n, float *floats)
{
    vd lost = vd_set(0);
    for (size_t i = 0; i < n; i += LANES) {
        vd low = vd_load(weight + i), high = vd_load(weight + i + LANES / 2);
        vf joined = vf_join_odd(low, high);
        vd of_low = vd_sub(low, vd_low(joined)), of_high = vd_sub(high, vd_high(joined));
        vd both = vd_max(vd_mul(of_low, of_low), vd_mul(of_high, of_high));
        lost = vd_max(lost, both);
        vf_put(floats + i, joined);
    }
    double lanes[LANES / 2], sum = 0;
    vd_store(lanes, lost);
    EACH(k, LANES / 2) sum += lanes[k];
    return sum == 0;
}

/* The constants of a loop. */
typedef struct {
    vf unit;  /* the inverse of the divisor */
    vf slack; /* bounds of the error in units of the sums, relative to the colour */
    bool divides;
    halfcl_rounding mode;
} filtering;

/* Returns the halves of a group of samples, and its hard cases. */
ALWAYS_INLINE vh filter_group(const vf *t, vf across, vf down, const filtering *f, vm *hard)
{
    vf of_left = vf_mul(down, vf_sub(t[2], t[0])), left = vf_add(t[0], of_left);
    vf of_right = vf_mul(down, vf_sub(t[3], t[1])), right = vf_add(t[1], of_right);
    vf of_both = vf_mul(across, vf_sub(right, left)), color = vf_add(left, of_both);
    vi products = vi_or(vi_or(vf_bits(of_left), vf_bits(of_right)), vf_bits(of_both));
    vf size =
        vn_greatest_abs(vn_greatest_abs(of_left, of_right), vn_greatest_abs(of_both, color));
    vm exact = vi_has_none(products, FLOAT_MAGNITUDE);
    if (f->divides) {
        vm is_one = vf_equal(color, vf_set(UINT8_MAX));
        color = vf_select(is_one, vf_set(1), vf_mul(color, f->unit));
    }
    color = vf_zero_where(vf_zero(color), color); /* -0 becomes 0 */
    vf bound = vf_zero_where(exact, vf_mul(size, f->slack));
    acc seen = acc_none(); /* normal halves raise nothing */
    vh low = vf_narrow(vf_sub(color, bound), f->mode, &seen);
    vh high = vf_narrow(vf_add(color, bound), f->mode, &seen);
    vm normal = vf_less_equal(vf_set(0x1p-13f), vf_abs(color));
    *hard = vm_not(vm_or(exact, vm_and(normal, vh_equal(low, high))));
    return high;
}

/* Appends the samples of a group that are hard cases to the list. */
ALWAYS_INLINE size_t note_hard(unsigned lanes, size_t first, size_t n, uint16_t *hard,
                               size_t count)
{
    for (size_t k = 0; k < AT_ONCE && first + k < n; ++k) {
        hard[count] = (uint16_t)(first + k);
        count += (lanes >> 4 * k & 15) != 0;
    }
    return count;
}

ALWAYS_INLINE size_t filter_texels(const halfcl_texels *texels, char *const *next,
                                   load_corners *load, int divisor, size_t n, uint16_t *colors,
                                   uint16_t *hard, halfcl_rounding mode)
{
    _Alignas(64) float across[HALFCL_IMAGE_BLOCK], down[HALFCL_IMAGE_BLOCK];
    bool short_weights = float_weights(texels->weight[0], n, across);
    short_weights &= float_weights(texels->weight[1], n, down);
    float e = mode == HALFCL_RTE ? 0x1p-24f : 0x1p-23f, f = short_weights ? 0 : 0x1p-23f;
    const filtering how = {vf_set(1 / (float)divisor),
                           vf_set((12 * e + 2 * f) / (float)divisor), divisor != 1, mode};
    const ptrdiff_t below = texels->apart[1];
    size_t count = 0;
    for (size_t i = 0; i < n; i += AT_ONCE) {
        char *const *at = texels->at[0] + i;
        for (size_t k = 0; k < AT_ONCE; ++k) {
            __builtin_prefetch(next[i + k]);
            __builtin_prefetch(next[i + k] + below);
        }
        vf t[4];
        vm are_hard;
        load(at, 0, &t[0], &t[1]);
        load(at, below, &t[2], &t[3]);
        vh halves = filter_group(t, vf_load_quads(across + i), vf_load_quads(down + i), &how,
                                 &are_hard);
        if (i + AT_ONCE <= n)
            vh_store(colors + 4 * i, halves);
        else
            vh_store_n(colors + 4 * i, halves, 4 * (n - i));
        if (__builtin_expect(vm_any(are_hard), 0))
            count = note_hard(vm_bits(are_hard), i, n, hard, count);
    }
    return count;
}

static size_t filter_e(const halfcl_texels *texels, char *const *next, size_t n,
                       uint16_t *colors, uint16_t *hard, halfcl_rounding mode)
{
    return filter_texels(texels, next, vf_load_pairs_e, 1, n, colors, hard, mode);
}

static size_t filter_B(const halfcl_texels *texels, char *const *next, size_t n,
                       uint16_t *colors, uint16_t *hard, halfcl_rounding mode)
{
    return filter_texels(texels, next, vf_load_pairs_B, UINT8_MAX, n, colors, hard, mode);
}

#endif
