/* Sine, cosine and tangent, of radians and of half turns; and angles in the two units. */
#include "function.h"

TABLED(sin)
TABLED(cos)
TABLED(tan)
TABLED(sinpi)
TABLED(cospi)
TABLED(tanpi)

/* Both at the price of one: a pair takes one load. */
static unsigned sincos_e(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *sines = args[1], *cosines = args[2];
    const float *table = halfcl_sincos_table();
    unsigned flags = 0;
    acc seen = acc_none();
#define TURN(at, count)                                                                        \
    vf sine, cosine;                                                                           \
    vh angles = count < LANES ? vh_load_n(a + at, count) : vh_load(a + at);                    \
    vf_gather_pairs(table, angles, &sine, &cosine);                                            \
    if (vm_any(vf_special(sine)))                                                              \
        flags |= flags_of(sine, angles); /* those of the cosine are the same */                \
    store_upto(sines + at, round_to_half(sine, mode, &seen, MAYBE_TINY), count);               \
    store_upto(cosines + at, round_to_half(cosine, mode, &seen, NEVER_TINY), count);
    MAP_VECTORS(sines, TURN)
#undef TURN
    return flags | acc_flags(seen);
}

/* A product in float is enough: it is strictly between the same two numbers where half rounds
 * (of 12 bits) as the exact result, whatever half and mode. That takes the right factor. The
 * float nearest to pi / 180 is not, since 2034 times it rounds up to such a number; the one
 * below is. */

ALWAYS_INLINE vf degrees_of(vf radians, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(radians, vf_set(0x1.ca5dc2p+5f));
}

ALWAYS_INLINE vf radians_of(vf degrees, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(degrees, vf_set(0x1.1df468p-6f));
}

FLOAT_UNARY(degrees_e, degrees_of, MAYBE_TINY)
FLOAT_UNARY(radians_e, radians_of, MAYBE_TINY)

#define TRIG_KERNELS                                                                           \
    {"sin", "e>e", sin_e}, {"cos", "e>e", cos_e}, {"tan", "e>e", tan_e},                       \
        {"sincos", "e>ee", sincos_e}, {"sinpi", "e>e", sinpi_e}, {"cospi", "e>e", cospi_e},    \
        {"tanpi", "e>e", tanpi_e}, {"degrees", "e>e", degrees_e},                              \
        {"radians", "e>e", radians_e},
