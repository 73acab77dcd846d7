/* The vocabulary (VOCABULARY.md) for any processor, in the vector types of GCC and Clang: of 16
 * bytes, which most processors have.
 *
 * Results are right whatever the dynamic rounding mode is, as long as it is the kernel's mode
 * or to nearest: operations that depend on the mode compute in integers or round to odd. NaN
 * operands are never compared with <, which would raise invalid. */
#ifndef HALFCL_SIMD_PORTABLE_FLOATS_H
#define HALFCL_SIMD_PORTABLE_FLOATS_H

#include <math.h>

#include "simd/define.h"

#define HAVE_FMA 0
#define HAVE_STATIC_ROUNDING 0
#define HAVE_EXPONENTS 0
#define HAVE_FIXES 0
#define HAVE_GATHER 0
#define HAVE_LOOKUP 0
#define HAVE_BIT_MASKS 0
#define HAVE_CHEAP_TINY 1 /* it does nothing here */
#define HAVE_UNDERFLOW 1
#define HAVE_HALVES 0
#define HAVE_QUIET_HALVES 0
#define HAVE_HALF_DIVISION 0

/* These operations have a better implementation here than in derived.h. */
#define canonical_nan canonical_nan
#define vh_exact vh_exact
#define vf_gather_halves vf_gather_halves
#define vf_gather_pairs vf_gather_pairs

enum { LANES = 4, WORDS = 8 };

typedef uint16_t vh __attribute__((vector_size(8)));
typedef float vf __attribute__((vector_size(16)));
typedef double vd __attribute__((vector_size(16)));
typedef struct {
    vd low, high;
} vc;
typedef int64_t vq __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));
typedef uint32_t vu __attribute__((vector_size(16)));
typedef vi vm;
typedef int16_t vw __attribute__((vector_size(16)));
typedef uint16_t vuw __attribute__((vector_size(16)));
typedef vw wm;
typedef struct {
    vi flags; /* HALFCL_* */
} acc;

/* All lanes have the same value. */
OP(vf, vf_set, (float x), (vf){x, x, x, x})
OP(vd, vd_set, (double x), (vd){x, x})
OP(vi, vi_set, (int32_t x), (vi){x, x, x, x})
ALWAYS_INLINE vw vw_set(int x)
{
    int16_t w = (int16_t)x;
    return (vw){w, w, w, w, w, w, w, w};
}

/* 32-bit integers and truths. */
OP(vi, vi_select, (vm m, vi a, vi b), (m & a) | (~m & b))
OP(vi, vi_min, (vi a, vi b), vi_select(a < b, a, b))
OP(vi, vi_max, (vi a, vi b), vi_select(a > b, a, b))
OP(vm, vi_equal, (vi a, vi b), a == b)
OP(vm, vm_none, (void), vi_set(0))
OP(vm, vm_and, (vm a, vm b), a &b)
OP(vm, vm_or, (vm a, vm b), a | b)
OP(vm, vm_xor, (vm a, vm b), a ^ b)
OP(vm, vm_not, (vm a), ~a)
OP(vm, vm_and_not, (vm a, vm b), a & ~b)
OP(bool, vm_any, (vm a), (a[0] | a[1] | a[2] | a[3]) != 0)
OP(unsigned, vm_bits, (vm a), (unsigned)((a[0] & 1) | (a[1] & 2) | (a[2] & 4) | (a[3] & 8)))

ALWAYS_INLINE void vm_put(char *bits, size_t lane, vm a)
{
    char *byte = bits + lane / 8;
    unsigned lower = lane % 8 == 0 ? 0 : (unsigned)*byte & 0xf;
    *byte = (char)(lower | vm_bits(a) << lane % 8);
}
OP(vi, vi_add, (vi a, vi b), (vi)((vu)a + (vu)b)) /* these wrap */
OP(vi, vi_sub, (vi a, vi b), (vi)((vu)a - (vu)b))
OP(vi, vi_and, (vi a, vi b), a &b)
OP(vi, vi_or, (vi a, vi b), a | b)
OP(vi, vi_xor, (vi a, vi b), a ^ b)
OP(vi, vi_shift_left, (vi a, int count), (vi)((vu)a << count))
OP(vi, vi_shift_right, (vi a, int count), a >> count) /* arithmetic */
OP(vm, vi_less, (vi a, vi b), a < b)
OP(vm, vi_below, (vi a, vi b), (vu)a < (vu)b) /* unsigned */
OP(vi, vi_highest, (vi a, vi b), vi_select((vu)a > (vu)b, a, b))
OP(vi, vi_abs, (vi a), (vi)(((vu)a ^ (vu)(a >> 31)) - (vu)(a >> 31))) /* INT32_MIN stays */
OP(vm, vi_has_none, (vi a, int bits), (a & bits) == 0)
OP(vm, vi_has, (vi a, int bit), (a & bit) != 0)
OP(vi, logical_shift_right, (vi a, int count), (vi)((vu)a >> count))

/* Floats as their bits. */
OP(vi, vf_bits, (vf a), (vi)a)
OP(vf, vf_of_bits, (vi a), (vf)a)
OP(vi, magnitude_bits, (vf a), (vi)a &FLOAT_MAGNITUDE)
OP(vi, sign_bits, (vf a), (vi)a & ~FLOAT_MAGNITUDE)
OP(vf, vf_abs, (vf a), (vf)magnitude_bits(a))
OP(vf, vf_copysign, (vf a, vf b), (vf)(magnitude_bits(a) | sign_bits(b)))
OP(vf, vf_select, (vm m, vf a, vf b), (vf)vi_select(m, (vi)a, (vi)b))
OP(vf, vf_zero_where, (vm m, vf a), (vf)((vi)a & ~m))
OP(vm, vf_sign, (vf a), (vi)a < 0)
OP(vm, vf_special, (vf a), magnitude_bits(a) >= FLOAT_INF) /* infinities and NaNs */
OP(vm, vf_zero_or_special, (vf a), vf_special(a) | (magnitude_bits(a) == 0))

/* Called before slow functions, which are compiled for any processor: dirty upper halves of
 * vector registers would make them slower still. */
OP(void, leave_vectors, (void), (void)0)

/* Exceptions. */
OP(acc, acc_none, (void), (acc){vi_set(0)})
OP(unsigned, acc_flags, (acc seen),
   (unsigned)(seen.flags[0] | seen.flags[1] | seen.flags[2] | seen.flags[3]))

/* For underflows that hardware would not record; here vf_narrow records them all. */
ALWAYS_INLINE void acc_tiny(acc *seen, vf v)
{
    (void)seen, (void)v;
}

/* Halves in memory; missing elements read as 1. */

ALWAYS_INLINE vh vh_load(const uint16_t *p)
{
    vh v;
    memcpy(&v, p, sizeof v);
    return v;
}

ALWAYS_INLINE vh vh_load_n(const uint16_t *p, size_t n)
{
    vh v = {HALF_ONE, HALF_ONE, HALF_ONE, HALF_ONE};
    EACH(k, LANES) v[k] = (size_t)k < n ? p[k] : v[k];
    return v;
}

ALWAYS_INLINE void vh_store(uint16_t *p, vh v)
{
    memcpy(p, &v, sizeof v);
}

ALWAYS_INLINE void vh_store_n(uint16_t *p, vh v, size_t n)
{
    EACH(k, LANES)
    {
        if ((size_t)k < n)
            p[k] = v[k];
    }
}

ALWAYS_INLINE vh vh_zero_nan(vh v)
{
    EACH(k, LANES) v[k] = (v[k] & HALF_MAGNITUDE) > HALF_INF ? 0 : v[k];
    return v;
}

/* Returns the lanes that round to the neighbour of larger magnitude if they are between two. */
ALWAYS_INLINE vm rounds_away_from_zero(vf v, halfcl_rounding mode)
{
    vm negative = (vi)v < 0;
    return mode == HALFCL_RTP ? ~negative : mode == HALFCL_RTN ? negative : vi_set(0);
}

/* Returns the increment that rounds the whole part of a magnitude in the mode. */
ALWAYS_INLINE vi round_up(vi whole, vf rest, vm away, halfcl_rounding mode)
{
    vm above = rest > 0.5f, tie = rest == 0.5f, some = rest > 0.0f;
    return mode == HALFCL_RTE ? (above | (tie & -(whole & 1))) & 1 : away & some & 1;
}

/* Converts halves to floats. The exponent's bias grows by 112, twice for infinity and NaN. The
 * result is exact; signalling NaNs stay signalling. */
ALWAYS_INLINE vf vf_widen(vh v)
{
    vi half = __builtin_convertvector(v, vi), magnitude = half & HALF_MAGNITUDE;
    vi normal = (magnitude << FLOAT_CUT) + (112 << 23);
    normal += (magnitude >= HALF_INF) & (112 << 23);
    vf subnormal = __builtin_convertvector(magnitude, vf) * 0x1p-24f;
    return (vf)(vi_select(magnitude < HALF_MIN_NORMAL, (vi)subnormal, normal) |
                (vi)((vu)(half & HALF_SIGN) << 16));
}

OP(float, float_of_half, (uint16_t half), halfcl_to_float(half))
OP(vm, vh_equal, (vh a, vh b), __builtin_convertvector(a == b, vm))
OP(vm, vh_has_none, (vh v, int bits), __builtin_convertvector((v & (uint16_t)bits) == 0, vm))
OP(vi, vi_widen, (vh v), __builtin_convertvector(v, vi))

OP(vm, vf_unordered, (vf a, vf b),
   (magnitude_bits(a) > FLOAT_INF) | (magnitude_bits(b) > FLOAT_INF))

/* A signalling NaN stays signalling, so that vf_narrow can raise invalid: it becomes
 * 0x7f800001, which loses its payload. */
ALWAYS_INLINE vf canonical_nan(vf v)
{
    vm quiet = (magnitude_bits(v) & FLOAT_QUIET) != 0;
    vi nan = vi_select(quiet, vi_set(FLOAT_INF | FLOAT_QUIET), vi_set(FLOAT_INF | 1));
    return (vf)vi_select(vf_unordered(v, v), nan, (vi)v);
}

/* Converts floats to halves, rounded in the mode. */
ALWAYS_INLINE vh vf_narrow(vf v, halfcl_rounding mode, acc *seen)
{
    vi magnitude = magnitude_bits(v);
    vm away = rounds_away_from_zero(v, mode), up = away;

    /* Normal results: add just below one unit of the last place, or just below or exactly half
     * of it, and truncate. A carry into the exponent is right. */
    vi bump = away & 0x1fff;
    if (mode == HALFCL_RTE) {
        bump = 0xfff + (magnitude >> FLOAT_CUT & 1);
        up = vi_set(-1);
    }
    vi cut = (vi)(((vu)magnitude + (vu)bump) >> FLOAT_CUT);
    vm finite = magnitude < FLOAT_INF;
    vm overflow = (cut >= FLOAT_2_16 >> FLOAT_CUT) & finite;
    vi result = vi_select(overflow, HALF_LARGEST + (up & 1), cut - (112 << 10));

    /* Subnormal results are integers in units of 2^-24. */
    vm tiny = magnitude < FLOAT_HALF_MIN;
    vf units = (vf)(magnitude & tiny) * 0x1p24f;
    vi whole = __builtin_convertvector(units, vi);
    vf rest = units - __builtin_convertvector(whole, vf);
    result = vi_select(tiny, whole + round_up(whole, rest, away, mode), result);

    vm nan = magnitude > FLOAT_INF, quiet = (magnitude & FLOAT_QUIET) != 0;
    result =
        vi_select(finite, result, vi_set(HALF_INF)) | logical_shift_right(sign_bits(v), 16);
    result = vi_select(nan, vi_set(HALF_NAN), result);

    seen->flags |= (overflow & HALFCL_OVERFLOW) | ((rest > 0.0f) & HALFCL_UNDERFLOW) |
                   (nan & ~quiet & HALFCL_INVALID);
    return __builtin_convertvector(result, vh);
}

/* Nothing to round: subnormal halves are integers in units of 2^-24. */
ALWAYS_INLINE vh vh_exact(vf v)
{
    vi magnitude = magnitude_bits(v);
    vm tiny = magnitude < FLOAT_HALF_MIN, finite = magnitude < FLOAT_INF;
    vi units = __builtin_convertvector((vf)(magnitude & tiny) * 0x1p24f, vi);
    vi normal = logical_shift_right(magnitude, FLOAT_CUT) - (112 << 10);
    vi special = HALF_INF | (logical_shift_right(magnitude, FLOAT_CUT) & 0x3ff);
    vi result = vi_select(tiny, units, vi_select(finite, normal, special));
    return __builtin_convertvector(result | logical_shift_right(sign_bits(v), 16), vh);
}

/* Floats. */

OP(vf, vf_add, (vf a, vf b), a + b)
OP(vf, vf_sub, (vf a, vf b), a - b)
OP(vf, vf_mul, (vf a, vf b), a *b)
OP(vf, vf_div, (vf a, vf b), a / b)
OP(vf, vf_min, (vf a, vf b), vf_select(a < b, a, b))
OP(vf, vf_max, (vf a, vf b), vf_select(a > b, a, b))
OP(vf, vf_of_int, (vi a), __builtin_convertvector(a, vf))

ALWAYS_INLINE vf vf_sqrt(vf a)
{
    EACH(k, LANES) a[k] = sqrtf(a[k]);
    return a;
}

OP(vm, vf_equal, (vf a, vf b), a == b)

ALWAYS_INLINE vf vf_gather_halves(const float *table, vh v)
{
    return (vf){shared_float(table + v[0]), shared_float(table + v[1]),
                shared_float(table + v[2]), shared_float(table + v[3])};
}

ALWAYS_INLINE void vf_gather_pairs(const float *table, vh v, vf *first, vf *second)
{
    vh i = v & HALF_MAGNITUDE;
    const float *a = table + 2 * i[0], *b = table + 2 * i[1];
    const float *c = table + 2 * i[2], *d = table + 2 * i[3];
    *first = (vf){shared_float(a), shared_float(b), shared_float(c), shared_float(d)};
    *second = (vf){shared_float(a + 1), shared_float(b + 1), shared_float(c + 1),
                   shared_float(d + 1)};
}

/* Compares quietly, by the order of the bits; both zeros have the key 0. */

ALWAYS_INLINE vi order_key_32(vf a)
{
    vm minus = (vi)a < 0;
    return (magnitude_bits(a) ^ minus) - minus;
}

OP(vm, vf_less, (vf a, vf b), ~vf_unordered(a, b) & (order_key_32(a) < order_key_32(b)))
OP(vm, vf_less_equal, (vf a, vf b), ~vf_unordered(a, b) & (order_key_32(a) <= order_key_32(b)))

/* Rounds to an integral value in a fixed mode. Only values below 2^23 change, and the
 * operations on them are exact. */
ALWAYS_INLINE vf integral_by(vf v, halfcl_rounding mode)
{
    vm small = magnitude_bits(v) < 0x4b000000;
    vf size = (vf)(magnitude_bits(v) & small);
    vi whole = __builtin_convertvector(size, vi);
    vf rest = size - __builtin_convertvector(whole, vf);
    whole += round_up(whole, rest, rounds_away_from_zero(v, mode), mode);
    return vf_select(small, vf_copysign(__builtin_convertvector(whole, vf), v), v);
}

OP(vf, vf_rint, (vf a), integral_by(a, HALFCL_RTE))
OP(vf, vf_trunc, (vf a), integral_by(a, HALFCL_RTZ))
OP(vf, vf_ceil, (vf a), integral_by(a, HALFCL_RTP))
OP(vf, vf_floor, (vf a), integral_by(a, HALFCL_RTN))

/* Rounds to integer in the mode; infinity and NaN give INT32_MIN. */
ALWAYS_INLINE vi vi_round(vf v, halfcl_rounding mode)
{
    vm special = vf_special(v);
    vf finite = integral_by((vf)((vi)v & ~special), mode);
    return vi_select(special, vi_set(INT32_MIN), __builtin_convertvector(finite, vi));
}

/* Doubles. */

OP(vd, vd_add, (vd a, vd b), a + b)
OP(vd, vd_sub, (vd a, vd b), a - b)
OP(vd, vd_mul, (vd a, vd b), a *b)
OP(vd, vd_div, (vd a, vd b), a / b)
OP(vd, vd_sqrt, (vd a), ((vd){sqrt(a[0]), sqrt(a[1])}))
OP(vd, select_double, (vq m, vd a, vd b), (vd)((m & (vq)a) | (~m & (vq)b)))
OP(vd, vd_min, (vd a, vd b), select_double(a < b, a, b))
OP(vd, vd_max, (vd a, vd b), select_double(a > b, a, b))
OP(vd, vd_low, (vf v), ((vd){v[0], v[1]}))
OP(vd, vd_high, (vf v), ((vd){v[2], v[3]}))

ALWAYS_INLINE vd vd_trunc(vd v)
{
    EACH(k, LANES / 2) v[k] = trunc(v[k]);
    return v;
}

ALWAYS_INLINE vd vd_floor(vd v)
{
    EACH(k, LANES / 2) v[k] = floor(v[k]);
    return v;
}

ALWAYS_INLINE void vd_store_q(int64_t *p, vd v)
{
    EACH(k, LANES / 2) p[k] = (int64_t)v[k];
}

ALWAYS_INLINE vd vd_load(const void *p)
{
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}

OP(vd, vd_load_e, (const uint16_t *p), vd_low(vf_widen(vh_load_n(p, LANES / 2))))

ALWAYS_INLINE void vd_store(void *p, vd v)
{
    memcpy(p, &v, sizeof v);
}

/* Colours. */

OP(vc, vc_set, (double x), (vc){vd_set(x), vd_set(x)})
OP(vc, vc_load, (const void *p), (vc){vd_load(p), vd_load((const double *)p + 2)})

#define COLOR_LOAD(letter, type, to_double)                                                    \
    ALWAYS_INLINE vc vc_load_##letter(const void *p)                                           \
    {                                                                                          \
        type at[4];                                                                            \
        memcpy(at, p, sizeof at);                                                              \
        return (vc){{to_double(at[0]), to_double(at[1])},                                      \
                    {to_double(at[2]), to_double(at[3])}};                                     \
    }
COLOR_LOAD(e, uint16_t, (double)float_of_half)
COLOR_LOAD(f, float, (double))
COLOR_LOAD(b, int8_t, (double))
COLOR_LOAD(B, uint8_t, (double))
COLOR_LOAD(h, int16_t, (double))
COLOR_LOAD(H, uint16_t, (double))
#undef COLOR_LOAD

ALWAYS_INLINE void vc_store(void *p, vc v)
{
    vd_store(p, v.low);
    vd_store((double *)p + 2, v.high);
}

OP(vc, vc_add, (vc a, vc b), (vc){a.low + b.low, a.high + b.high})
OP(vc, vc_sub, (vc a, vc b), (vc){a.low - b.low, a.high - b.high})
OP(vc, vc_muladd, (vc a, vc b, vc c), (vc){a.low * b.low + c.low, a.high * b.high + c.high})
OP(vc, vc_min, (vc a, vc b), (vc){vd_min(a.low, b.low), vd_min(a.high, b.high)})
OP(vc, vc_max, (vc a, vc b), (vc){vd_max(a.low, b.low), vd_max(a.high, b.high)})

/* Rounds to a double that is a float, to odd: truncate 29 bits, with a sticky bit in the last
 * place. */
ALWAYS_INLINE vd narrow_odd(vd v)
{
    const int64_t cut = ((int64_t)1 << 29) - 1;
    vq bits = (vq)v;
    return (vd)((bits | ((bits & cut) + cut)) & ~cut);
}

ALWAYS_INLINE vf vf_join_odd(vd low, vd high)
{
    low = narrow_odd(low);
    high = narrow_odd(high);
    return (vf){(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
}

#define vf_load_double vf_load_double
/* Doubles from memory, rounded to odd. Magnitudes outside 2^+-100 are clamped first: still
 * beyond half's range on the same side, and inside float's. */
ALWAYS_INLINE vf vf_load_double(const void *from)
{
    const uint64_t least = (uint64_t)(1023 - 100) << 52, most = (uint64_t)(1023 + 100) << 52;
    const uint64_t inf = (uint64_t)0x7ff << 52, minus = (uint64_t)1 << 63;
    double p[LANES], clamped[LANES];
    memcpy(p, from, sizeof p);
    EACH(k, LANES)
    {
        uint64_t bits = bits_of_double(p[k]), magnitude = bits & ~minus;
        magnitude = magnitude > most && magnitude < inf ? most : magnitude;
        magnitude = magnitude < least && magnitude > 0 ? least : magnitude;
        clamped[k] = double_of_bits(magnitude | (bits & minus));
    }
    return vf_join_odd(vd_load(clamped), vd_load(clamped + LANES / 2));
}

/* Gives a sum of a and b that is exactly zero its sign for the mode. */
ALWAYS_INLINE vf sign_zero_sum(vf sum, vf a, vf b, halfcl_rounding mode)
{
    vi sign = mode == HALFCL_RTN ? (vi)a | (vi)b : (vi)a & (vi)b;
    return vf_select(sum == 0.0f, (vf)(sign & ~FLOAT_MAGNITUDE), sum);
}

#define vf_sum vf_sum
/* a + b and a - b, fit for one rounding to half. Halves are multiples of 2^-24 below 2^16, so
 * these are exact in double. */
ALWAYS_INLINE vf vf_sum(vf a, vf b, halfcl_rounding mode)
{
    vf sum = vf_join_odd(vd_low(a) + vd_low(b), vd_high(a) + vd_high(b));
    return sign_zero_sum(sum, a, b, mode);
}

OP(vf, vf_difference, (vf a, vf b, halfcl_rounding mode),
   vf_sum(a, (vf)((vi)b ^ ~FLOAT_MAGNITUDE), mode))

#define vf_fma_odd vf_fma_odd
/* a * b + c, fit for one rounding to half. The product p is exact. If |p| is below 2^-25 |c|,
 * only its sign matters (c is a half), and 2^-25 |c| may replace it; then the sum needs some 25
 * + 22 bits and is exact in double, too. */
ALWAYS_INLINE vf vf_fma_odd(vf a, vf b, vf c, halfcl_rounding mode)
{
    vf product = a * b, least = vf_abs(c) * 0x1p-25f;
    vi size = magnitude_bits(product);
    vm negligible = (size < (vi)least) & (size > 0) & ~vf_special(c);
    return vf_sum(vf_select(negligible, vf_copysign(least, product), product), c, mode);
}

#endif
