/* mix and smoothstep of single halves, exactly: the slow path of their kernels, and the only
 * one of the portable kernels.
 *
 * Results are floats that round to half as the exact results do, like those of table.h. */
#ifndef HALFCL_INTERPOLATION_H
#define HALFCL_INTERPOLATION_H

#include "format/half.h"

/* Returns x + (y - x) a, for floats that are halves, in any rounding mode of the processor.
 * Infinities and NaNs, and the exceptions, are those of double arithmetic. The sign of a zero
 * is that of IEEE arithmetic in the mode. */
float halfcl_mix(float x, float y, float a, halfcl_rounding mode);

/* Returns t t (3 - 2 t), with t = (x - edge0) / (edge1 - edge0) clamped to [0, 1]; the
 * processor must round to nearest. Adds the exceptions that rounding the result to half does
 * not raise. */
float halfcl_smoothstep(uint16_t edge0, uint16_t edge1, uint16_t x, unsigned *flags);

#endif
