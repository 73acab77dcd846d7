/* Sine, cosine and tangent, of radians and of half turns; and angles in the two units. */
#include "function.h"

TABLED(sin)
TABLED(cos)
TABLED(tan)
TABLED(sinpi)
TABLED(cospi)
TABLED(tanpi)
TABLED(degrees)
TABLED(radians)

static unsigned sincos_e(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *sines = args[1], *cosines = args[2];
    uint16_t angles[FUNCTION_BLOCK];
    unsigned flags = 0;
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        memcpy(angles, a + done, count * sizeof *a); /* an output may be the input */
        flags |= sin_e((void *[]){angles, sines + done}, count, mode);
        flags |= cos_e((void *[]){angles, cosines + done}, count, mode);
    }
    return flags;
}

#define TRIG_KERNELS                                                                           \
    {"sin", "e>e", sin_e}, {"cos", "e>e", cos_e}, {"tan", "e>e", tan_e},                       \
        {"sincos", "e>ee", sincos_e}, {"sinpi", "e>e", sinpi_e}, {"cospi", "e>e", cospi_e},    \
        {"tanpi", "e>e", tanpi_e}, {"degrees", "e>e", degrees_e},                              \
        {"radians", "e>e", radians_e},
