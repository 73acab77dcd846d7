/* Loops that apply an operation on vectors to whole arrays: two vectors per turn, and the
 * elements that do not fill them one vector at a time, padded with ones. */
#ifndef HALFCL_KERNELS_SHARED_MAP_H
#define HALFCL_KERNELS_SHARED_MAP_H

#include "simd/simd.h"

/* Flags of an operation on halves: whether its float results may be tiny and inexact, so that
 * the loop must check for underflow; and whether NaNs stay as the processor gives them: if the
 * conversions take all the time, detecting them would cost a tenth. TINY_AT(half): only the
 * results for this half and its negative are tiny and may round to +-2^-14; so the loop
 * searches the first operands for these, which is less work. */
typedef enum { NEVER_TINY = 0, MAYBE_TINY = 1, ANY_NAN = 2, TINY_AT_ONE = 4 } tininess;
enum { TINY_SHIFT = 8 };
#define TINY_AT(half) ((tininess)(TINY_AT_ONE | (half) << TINY_SHIFT))
#define TINY_AT_LEAST TINY_AT(HALF_MIN_NORMAL)

/* Loops process PAIR elements per turn. */
enum { PAIR = 2 * LANES, CACHE_LINE = 64, FEW_ELEMENTS = 512 };

typedef vf vf_unary(vf, halfcl_rounding);
typedef vf vf_binary(vf, vf, halfcl_rounding);
typedef vf vf_ternary(vf, vf, vf, halfcl_rounding);
typedef vf vf_unary_pair(vf, vf *second);
typedef vf vf_unary_int(vf, vi *second);
typedef vf vf_binary_int(vf, vf, vi *second);
typedef vw vw_unary(vw);
typedef vw vw_binary(vw, vw);
typedef vw vw_ternary(vw, vw, vw);
typedef wm wm_unary(vw);
typedef wm wm_binary(vw, vw);

/* Prefetches the cache line that loops will need. The processor's own prefetching is late for
 * arrays that exceed the second-level cache. */
ALWAYS_INLINE const void *ahead_of(const void *p)
{
    enum { BYTES_AHEAD = 2048 };
    __builtin_prefetch((const void *)((uintptr_t)p + BYTES_AHEAD));
    return p;
}

ALWAYS_INLINE vf load(const uint16_t *p)
{
    return vf_widen(vh_load(p));
}

ALWAYS_INLINE vf load_n(const uint16_t *p, size_t n)
{
    return vf_widen(vh_load_n(p, n));
}

/* A NaN result is the canonical one, quiet and positive, whatever the operands: the bits that
 * processors give depend on the instruction and on the order of its operands. The function has
 * no branch, which would wait for the result. */
ALWAYS_INLINE vh round_to_half(vf v, halfcl_rounding mode, acc *seen, tininess tiny)
{
    if (!(tiny & ANY_NAN))
        v = canonical_nan(v);
    if (tiny & (MAYBE_TINY | TINY_AT_ONE))
        acc_tiny(seen, v);
    return vf_narrow(v, mode, seen);
}

/* Rounds and stores two vectors; NaNs stay as they are. */
ALWAYS_INLINE void store_narrowed(uint16_t *p, vf first, vf second, halfcl_rounding mode,
                                  acc *seen, tininess tiny)
{
    vh low = vf_narrow(first, mode, seen), high = vf_narrow(second, mode, seen);
    if (tiny & MAYBE_TINY)
        acc_tiny_pair(seen, first, second, low, high);
    vh_store(p, low);
    vh_store(p + LANES, high);
}

/* Rounds and stores two vectors, with canonical NaNs. */
ALWAYS_INLINE void store_rounded(uint16_t *p, vf first, vf second, halfcl_rounding mode,
                                 acc *seen, tininess tiny)
{
    canonical_nans(&first, &second);
    store_narrowed(p, first, second, mode, seen, tiny);
}

/* If even a branch would cost too much, NaNs are recorded and made canonical at the end. (Not
 * cold: that would optimise it for size, element by element.) */
static __attribute__((noinline)) void make_nans_canonical(uint16_t *halves, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        halves[i] = (halves[i] & HALF_MAGNITUDE) > HALF_INF ? HALF_NAN : halves[i];
}

/* Returns how many of n elements to store before p is aligned to a cache line, so that no later
 * store crosses a line. For few elements it does not pay; less than a pair is stored at
 * once. */
ALWAYS_INLINE size_t elements_to_line(const void *p, size_t size, size_t n)
{
    size_t bytes = -(uintptr_t)p % CACHE_LINE;
    return n < PAIR ? n : n < FEW_ELEMENTS ? 0 : bytes / size;
}

/* Zero where one of a pair of vectors is +-half, or nearest was zero. */
ALWAYS_INLINE vw nearest_to(uint16_t half, vw nearest, const uint16_t *p)
{
    for (size_t k = 0; k < PAIR; k += WORDS) {
        vw away = vw_xor(vw_load(p + k), vw_set(half));
        nearest = vw_min(nearest, vw_and(away, vw_set(HALF_MAGNITUDE)));
    }
    return nearest;
}

/* The two forms of a loop: incomplete vectors up to a cache line of the output, whole vectors,
 * and incomplete ones again. CALL(LOAD) is the operation with its operands read by
 * LOAD(pointer); inputs are read before outputs are written, which may be the same. */

#define MAP_FLOATS(out, CALL)                                                                  \
    acc seen = acc_none();                                                                     \
    vm ordered = vm_not(vm_none());                                                            \
    vw nearest = vw_set(HALF_MAGNITUDE);                                                       \
    size_t i = 0, stop = elements_to_line(out, sizeof *out, n);                                \
    do {                                                                                       \
        for (size_t at = i; at < stop; at += LANES) {                                          \
            size_t remaining = stop - at;                                                      \
            vf result = CALL(LOAD_PART);                                                       \
            vh_store_n(out + at, round_to_half(result, mode, &seen, tiny), remaining);         \
        }                                                                                      \
        for (i = stop; i + PAIR <= n; i += PAIR) {                                             \
            size_t at = i;                                                                     \
            if (tiny & TINY_AT_ONE)                                                            \
                nearest = nearest_to(tiny >> TINY_SHIFT, nearest, (uint16_t *)args[0] + i);    \
            vf first_result = CALL(LOAD_AHEAD);                                                \
            at += LANES;                                                                       \
            vf second_result = CALL(LOAD_WHOLE);                                               \
            if (!(tiny & ANY_NAN))                                                             \
                ordered = vm_still_ordered(ordered, first_result, second_result);              \
            store_narrowed(out + i, first_result, second_result, mode, &seen, tiny);           \
        }                                                                                      \
        stop = n;                                                                              \
    } while (i < n);                                                                           \
    if (vm_any(vm_not(ordered)))                                                               \
        make_nans_canonical(out, n);                                                           \
    return acc_flags(seen) | (wm_any(vw_equal(nearest, vw_set(0))) ? HALFCL_UNDERFLOW : 0);

#define LOAD_WHOLE(p) load((p) + at)
#define LOAD_AHEAD(p) load(ahead_of((p) + at)) /* a turn reads at most a line */
#define LOAD_PART(p) load_n((p) + at, remaining)

ALWAYS_INLINE unsigned map_unary(void *const *args, size_t n, halfcl_rounding mode,
                                 vf_unary *op, tininess tiny)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
#define CALL(LOAD) op(LOAD(a), mode)
    MAP_FLOATS(out, CALL)
#undef CALL
}

ALWAYS_INLINE unsigned map_binary(void *const *args, size_t n, halfcl_rounding mode,
                                  vf_binary *op, tininess tiny)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
#define CALL(LOAD) op(LOAD(a), LOAD(b), mode)
    MAP_FLOATS(out, CALL)
#undef CALL
}

ALWAYS_INLINE unsigned map_ternary(void *const *args, size_t n, halfcl_rounding mode,
                                   vf_ternary *op, tininess tiny)
{
    const uint16_t *a = args[0], *b = args[1], *c = args[2];
    uint16_t *out = args[3];
#define CALL(LOAD) op(LOAD(a), LOAD(b), LOAD(c), mode)
    MAP_FLOATS(out, CALL)
#undef CALL
}

#undef LOAD_WHOLE
#undef LOAD_AHEAD
#undef LOAD_PART

/* Loops of other types, in the same form, a vector per turn. TURN(at, count) is a turn for
 * count elements, or for LANES if there are more; the turn before whole vectors aligns out. */
#define MAP_VECTORS(out, TURN) MAP_TURNS(out, TURN, LANES)
#define MAP_TURNS(out, TURN, width)                                                            \
    size_t at = 0, stop = elements_to_line(out, sizeof *out, n);                               \
    do {                                                                                       \
        for (; at < stop; at += width) {                                                       \
            TURN(at, stop - at)                                                                \
        }                                                                                      \
        for (at = stop; at + width <= n; at += width) {                                        \
            TURN(at, width)                                                                    \
        }                                                                                      \
        stop = n;                                                                              \
    } while (at < n);

ALWAYS_INLINE vf load_upto(const uint16_t *p, size_t n)
{
    return n < LANES ? load_n(p, n) : load(p);
}

ALWAYS_INLINE vw load_words_upto(const uint16_t *p, size_t n)
{
    return n < WORDS ? vw_load_n(p, n) : vw_load(p);
}

ALWAYS_INLINE void store_upto(uint16_t *p, vh halves, size_t n)
{
    if (n < LANES)
        vh_store_n(p, halves, n);
    else
        vh_store(p, halves);
}

ALWAYS_INLINE void store_ints_upto(int32_t *p, vi v, size_t n)
{
    int32_t part[LANES];
    if (n < LANES) {
        vi_store_32(part, v);
        memcpy(p, part, n * sizeof *p);
    } else {
        vi_store_32(p, v);
    }
}

/* Converts floats that are halves. */
ALWAYS_INLINE vh exact_halves(vf v, acc *seen)
{
    return round_to_half(v, HALFCL_RTE, seen, NEVER_TINY | ANY_NAN);
}

ALWAYS_INLINE unsigned map_unary_pair(void *const *args, size_t n, halfcl_rounding mode,
                                      vf_unary_pair *op)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1], *second_out = args[2];
    acc seen = acc_none();
#define TURN(at, count)                                                                        \
    vf second, first = op(load_upto(a + at, count), &second);                                  \
    store_upto(out + at, round_to_half(first, mode, &seen, NEVER_TINY | ANY_NAN), count);      \
    store_upto(second_out + at, round_to_half(second, mode, &seen, NEVER_TINY | ANY_NAN),      \
               count);
    MAP_VECTORS(out, TURN)
#undef TURN
    return acc_flags(seen);
}

ALWAYS_INLINE unsigned map_unary_int(void *const *args, size_t n, vf_unary_int *op)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    int32_t *second_out = args[2];
    acc seen = acc_none();
#define TURN(at, count)                                                                        \
    vi second;                                                                                 \
    vf first = op(load_upto(a + at, count), &second);                                          \
    store_upto(out + at, exact_halves(first, &seen), count);                                   \
    store_ints_upto(second_out + at, second, count);
    MAP_VECTORS(second_out, TURN)
#undef TURN
    return acc_flags(seen);
}

ALWAYS_INLINE unsigned map_binary_int(void *const *args, size_t n, vf_binary_int *op)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
    int32_t *second_out = args[3];
    acc seen = acc_none();
    vm ordered = vm_not(vm_none());
#define TURN(at, count)                                                                        \
    vi second;                                                                                 \
    vf first = op(load_upto(a + at, count), load_upto(b + at, count), &second);                \
    ordered = vm_still_ordered(ordered, first, first);                                         \
    store_upto(out + at, exact_halves(first, &seen), count);                                   \
    store_ints_upto(second_out + at, second, count);
    MAP_VECTORS(second_out, TURN)
#undef TURN
    if (vm_any(vm_not(ordered)))
        make_nans_canonical(out, n);
    return acc_flags(seen);
}

/* Loops on the bits of halves: no rounding, no exceptions. */

ALWAYS_INLINE void vw_store_pair(uint16_t *p, vw first, vw second)
{
    vw_store(p, first);
    vw_store(p + WORDS, second);
}

#define MAP_WORDS(out, type, STORE, CALL)                                                      \
    size_t i = 0, stop = elements_to_line(out, sizeof *out, n);                                \
    do {                                                                                       \
        for (size_t at = i; at < stop; at += WORDS) {                                          \
            size_t remaining = stop - at;                                                      \
            STORE##_n(out + at, CALL(LOAD_PART), remaining);                                   \
        }                                                                                      \
        for (i = stop; i + 2 * WORDS <= n; i += 2 * WORDS) {                                   \
            size_t at = i;                                                                     \
            type first_result = CALL(LOAD_AHEAD);                                              \
            at += WORDS;                                                                       \
            type second_result = CALL(LOAD_WHOLE);                                             \
            STORE##_pair(out + i, first_result, second_result);                                \
        }                                                                                      \
        stop = n;                                                                              \
    } while (i < n);

#define LOAD_AHEAD(p) vw_load(ahead_of((p) + at))
#define LOAD_WHOLE(p) vw_load(sizeof(vw) < CACHE_LINE ? (p) + at : ahead_of((p) + at))
#define LOAD_PART(p) vw_load_n((p) + at, remaining)
#define UNARY_CALL(LOAD) op(LOAD(a))
#define BINARY_CALL(LOAD) op(LOAD(a), LOAD(b))
#define TERNARY_CALL(LOAD) op(LOAD(a), LOAD(b), LOAD(c))

ALWAYS_INLINE unsigned map_w_w(void *const *args, size_t n, vw_unary *op)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    MAP_WORDS(out, vw, vw_store, UNARY_CALL)
    return 0;
}

ALWAYS_INLINE unsigned map_ww_w(void *const *args, size_t n, vw_binary *op)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
    MAP_WORDS(out, vw, vw_store, BINARY_CALL)
    return 0;
}

ALWAYS_INLINE unsigned map_www_w(void *const *args, size_t n, vw_ternary *op)
{
    const uint16_t *a = args[0], *b = args[1], *c = args[2];
    uint16_t *out = args[3];
    MAP_WORDS(out, vw, vw_store, TERNARY_CALL)
    return 0;
}

ALWAYS_INLINE unsigned map_w_bool(void *const *args, size_t n, wm_unary *op)
{
    const uint16_t *a = args[0];
    uint8_t *out = args[1];
    MAP_WORDS(out, wm, wm_store, UNARY_CALL)
    return 0;
}

ALWAYS_INLINE unsigned map_ww_bool(void *const *args, size_t n, wm_binary *op)
{
    const uint16_t *a = args[0], *b = args[1];
    uint8_t *out = args[2];
    MAP_WORDS(out, wm, wm_store, BINARY_CALL)
    return 0;
}

#undef UNARY_CALL
#undef BINARY_CALL
#undef TERNARY_CALL

/* On sets with arithmetic on halves these replace the loops that follow. */
#if HAVE_HALVES
#define ON_HALVES(...) __VA_ARGS__
#else
#define ON_HALVES(...)
#endif
#if HAVE_QUIET_HALVES
#define ON_QUIET_HALVES(...) __VA_ARGS__
#else
#define ON_QUIET_HALVES(...)
#endif

#if HAVE_HALVES

/* Operations on halves themselves, which record the exceptions that the hardware does not. */

typedef vw vx_unary(vw, halfcl_rounding, acc *);
typedef vw vx_binary(vw, vw, halfcl_rounding, acc *);
typedef vw vx_ternary(vw, vw, vw, halfcl_rounding, acc *);

#define UNARY_CALL(LOAD) op(LOAD(a), mode, &seen)
#define BINARY_CALL(LOAD) op(LOAD(a), LOAD(b), mode, &seen)
#define TERNARY_CALL(LOAD) op(LOAD(a), LOAD(b), LOAD(c), mode, &seen)

ALWAYS_INLINE unsigned map_x_x(void *const *args, size_t n, halfcl_rounding mode, vx_unary *op)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    acc seen = acc_none();
    MAP_WORDS(out, vw, vw_store, UNARY_CALL)
    return acc_flags(seen);
}

ALWAYS_INLINE unsigned map_xx_x(void *const *args, size_t n, halfcl_rounding mode,
                                vx_binary *op)
{
    const uint16_t *a = args[0], *b = args[1];
    uint16_t *out = args[2];
    acc seen = acc_none();
    MAP_WORDS(out, vw, vw_store, BINARY_CALL)
    return acc_flags(seen);
}

ALWAYS_INLINE unsigned map_xxx_x(void *const *args, size_t n, halfcl_rounding mode,
                                 vx_ternary *op)
{
    const uint16_t *a = args[0], *b = args[1], *c = args[2];
    uint16_t *out = args[3];
    acc seen = acc_none();
    MAP_WORDS(out, vw, vw_store, TERNARY_CALL)
    return acc_flags(seen);
}

#undef UNARY_CALL
#undef BINARY_CALL
#undef TERNARY_CALL

ALWAYS_INLINE void store_words_upto(uint16_t *p, vw words, size_t n)
{
    if (n < WORDS)
        vw_store_n(p, words, n);
    else
        vw_store(p, words);
}

/* Stores words as 32-bit integers. */
ALWAYS_INLINE void store_widened_upto(int32_t *p, vw words, size_t n)
{
    vi_store_n(p, vi_widen_signed(vw_low(words)), n);
    if (n > LANES)
        vi_store_n(p + LANES, vi_widen_signed(vw_high(words)), n - LANES);
}

/* Returns whether a result may have been tiny without a record by the hardware, which may
 * detect tininess after rounding: if one is +-2^-14. Few are; they are computed again in
 * float. */
ALWAYS_INLINE bool may_be_tiny(vw results)
{
    vw magnitudes = vw_and(results, vw_set(HALF_MAGNITUDE));
    return !HAVE_UNDERFLOW &&
           __builtin_expect(wm_any(vw_equal(magnitudes, vw_set(HALF_MIN_NORMAL))), 0);
}

#endif

#undef LOAD_WHOLE
#undef LOAD_AHEAD
#undef LOAD_PART

/* Kernels that use the loops above. */

#define KERNEL(name, call)                                                                     \
    static unsigned name(void *const *args, size_t n, halfcl_rounding mode)                    \
    {                                                                                          \
        (void)mode;                                                                            \
        return call;                                                                           \
    }
#define FLOAT_UNARY(name, op, tiny) KERNEL(name, map_unary(args, n, mode, op, tiny))
#define FLOAT_BINARY(name, op, tiny) KERNEL(name, map_binary(args, n, mode, op, tiny))
#define FLOAT_TERNARY(name, op, tiny) KERNEL(name, map_ternary(args, n, mode, op, tiny))
#define WORD_UNARY(name, op) KERNEL(name, map_w_w(args, n, op))
#define WORD_BINARY(name, op) KERNEL(name, map_ww_w(args, n, op))
#define WORD_TERNARY(name, op) KERNEL(name, map_www_w(args, n, op))
#define HALF_UNARY(name, op) KERNEL(name, map_x_x(args, n, mode, op))
#define HALF_BINARY(name, op) KERNEL(name, map_xx_x(args, n, mode, op))
#define HALF_TERNARY(name, op) KERNEL(name, map_xxx_x(args, n, mode, op))
#define TRUTH_UNARY(name, op) KERNEL(name, map_w_bool(args, n, op))
#define TRUTH_BINARY(name, op) KERNEL(name, map_ww_bool(args, n, op))

#endif
