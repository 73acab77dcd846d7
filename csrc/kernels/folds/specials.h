/* Infinities and NaNs among the terms of sums and products. A state with one of them is
 * decided up to the others: its finite terms no longer matter, and beside a NaN only what makes
 * the result invalid does. So only these are searched for, in vectors. */
#ifndef HALFCL_KERNELS_FOLDS_SPECIALS_H
#define HALFCL_KERNELS_FOLDS_SPECIALS_H

#include "exact/sum.h"
#include "kernels/shared/map.h"

ALWAYS_INLINE const uint16_t *row_at(const void *rows, ptrdiff_t step, size_t r)
{
    return (const uint16_t *)((const char *)rows + (ptrdiff_t)r * step);
}

ALWAYS_INLINE halfcl_fold_state *state_at(char *states, ptrdiff_t step, size_t k)
{
    return (halfcl_fold_state *)(states + (ptrdiff_t)k * step);
}

ALWAYS_INLINE bool is_special_half(uint16_t half)
{
    return (half & HALF_MAGNITUDE) >= HALF_INF;
}

ALWAYS_INLINE bool is_decided(const halfcl_fold_state *state)
{
    return state->seen & SEEN_SPECIAL;
}

/* Records an infinity or a NaN. */
ALWAYS_INLINE void note_special(halfcl_fold_state *state, uint16_t half)
{
    if (half_is_nan(half))
        state->seen |= SEEN_NAN | (half_is_signalling(half) ? SEEN_INVALID : 0);
    else
        state->seen |= half & HALF_SIGN ? SEEN_MINUS_INFINITY : SEEN_PLUS_INFINITY;
}

/* The lanes in which terms were NaN, invalid, or infinite of either sign. */
typedef struct {
    wm nan, invalid, plus, minus;
} special_lanes;

ALWAYS_INLINE special_lanes no_specials(void)
{
    const wm none = vw_greater(vw_set(0), vw_set(0));
    return (special_lanes){none, none, none, none};
}

/* Looks at a vector of terms: halves, or products of two. */
typedef void look_at(special_lanes *seen, vw a, vw b);

/* Quiet NaNs wrap. */
ALWAYS_INLINE wm is_magnitude_signalling(vw magnitude)
{
    return vw_greater(vw_add(magnitude, vw_set(HALF_QUIET)), vw_set(HALF_NAN));
}

ALWAYS_INLINE void look_for_signalling(special_lanes *seen, vw a, vw b)
{
    (void)b;
    seen->invalid =
        wm_or(seen->invalid, is_magnitude_signalling(vw_and(a, vw_set(HALF_MAGNITUDE))));
}

ALWAYS_INLINE void look_for_specials(special_lanes *seen, vw a, vw b)
{
    const vw magnitude = vw_and(a, vw_set(HALF_MAGNITUDE)), infinity = vw_set(HALF_INF);
    const wm infinite = vw_equal(magnitude, infinity);
    seen->nan = wm_or(seen->nan, vw_greater(magnitude, infinity));
    seen->plus = wm_or(seen->plus, vw_equal(a, infinity));
    seen->minus = wm_or(seen->minus, wm_and(infinite, vw_negative(a)));
    look_for_signalling(seen, a, b);
}

/* Returns whether one of two magnitudes is that of a signalling NaN. */
ALWAYS_INLINE wm is_either_signalling(vw x, vw y)
{
    const vw quiet = vw_set(HALF_QUIET);
    return vw_greater(vw_max(vw_add(x, quiet), vw_add(y, quiet)), vw_set(HALF_NAN));
}

/* An infinity times zero is an invalid NaN. Beside NaNs, infinities do not matter. */
ALWAYS_INLINE void look_for_special_products(special_lanes *seen, vw a, vw b)
{
    const vw x = vw_and(a, vw_set(HALF_MAGNITUDE)), y = vw_and(b, vw_set(HALF_MAGNITUDE));
    const vw infinity = vw_set(HALF_INF), larger = vw_max(x, y);
    const wm infinite = vw_equal(larger, infinity), negative = vw_negative(vw_xor(a, b));
    const wm no_number = wm_and(infinite, vw_equal(vw_min(x, y), vw_set(0)));
    seen->nan = wm_or(seen->nan, wm_or(no_number, vw_greater(larger, infinity)));
    seen->invalid = wm_or(seen->invalid, wm_or(no_number, is_either_signalling(x, y)));
    seen->plus = wm_or(seen->plus, wm_and(infinite, wm_not(negative)));
    seen->minus = wm_or(seen->minus, wm_and(infinite, negative));
}

ALWAYS_INLINE void look_for_invalid_products(special_lanes *seen, vw a, vw b)
{
    const vw x = vw_and(a, vw_set(HALF_MAGNITUDE)), y = vw_and(b, vw_set(HALF_MAGNITUDE));
    const vw rest = vw_or(vw_xor(vw_max(x, y), vw_set(HALF_INF)), vw_min(x, y));
    const wm no_number = vw_equal(rest, vw_set(0));
    seen->invalid = wm_or(seen->invalid, wm_or(no_number, is_either_signalling(x, y)));
}

/* Squares of infinities are those of one sign. */
ALWAYS_INLINE void look_for_special_squares(special_lanes *seen, vw a, vw b)
{
    const vw magnitude = vw_and(a, vw_set(HALF_MAGNITUDE)), infinity = vw_set(HALF_INF);
    seen->nan = wm_or(seen->nan, vw_greater(magnitude, infinity));
    seen->plus = wm_or(seen->plus, vw_equal(magnitude, infinity));
    look_for_signalling(seen, a, b);
}

ALWAYS_INLINE void note_block(halfcl_fold_state *state, const uint16_t *a, const uint16_t *b,
                              size_t n, look_at *look)
{
    special_lanes seen = no_specials();
    size_t i = 0;
    for (; i + WORDS <= n; i += WORDS)
        look(&seen, vw_load(a + i), vw_load(b + i));
    if (i < n)
        look(&seen, vw_load_n(a + i, n - i), vw_load_n(b + i, n - i));
    state->seen |= (wm_any(seen.nan) ? SEEN_NAN : 0u) |
                   (wm_any(seen.invalid) ? SEEN_INVALID : 0u) |
                   (wm_any(seen.plus) ? SEEN_PLUS_INFINITY : 0u) |
                   (wm_any(seen.minus) ? SEEN_MINUS_INFINITY : 0u);
}

/* Records the infinities and NaNs among n terms, until none can change the result; after a NaN
 * it uses `look_after`. */
ALWAYS_INLINE void note_terms(halfcl_fold_state *state, const uint16_t *a, const uint16_t *b,
                              size_t n, look_at *look, look_at *look_after)
{
    enum { AT_ONCE = 1 << 12 };
    for (size_t i = 0; i < n && !(state->seen & SEEN_INVALID); i += AT_ONCE) {
        const size_t count = n - i < AT_ONCE ? n - i : AT_ONCE;
        if (state->seen & SEEN_NAN)
            note_block(state, a + i, b + i, count, look_after);
        else
            note_block(state, a + i, b + i, count, look);
    }
}

static void note_specials(halfcl_fold_state *state, const uint16_t *a, size_t n)
{
    note_terms(state, a, a, n, look_for_specials, look_for_signalling);
}

static void note_special_products(halfcl_fold_state *state, const uint16_t *a,
                                  const uint16_t *b, size_t n)
{
    if (a == b)
        note_terms(state, a, a, n, look_for_special_squares, look_for_signalling);
    else
        note_terms(state, a, b, n, look_for_special_products, look_for_invalid_products);
}

/* Returns the sum of n products of which one is special. */
static uint16_t sum_of_special_products(const uint16_t *a, const uint16_t *b, size_t n,
                                        unsigned *flags)
{
    halfcl_fold_state state = {0};
    note_special_products(&state, a, b, n);
    return exact_sum_special(state.seen, flags);
}

/* Looks at rows of up to WORDS columns, and records what each state's column has. */
ALWAYS_INLINE void note_columns(char *states, ptrdiff_t state_step, size_t columns,
                                const void *const *rows, const ptrdiff_t *steps, size_t count,
                                look_at *look)
{
    special_lanes seen = no_specials();
    uint8_t nan[WORDS], invalid[WORDS], plus[WORDS], minus[WORDS];
    for (size_t r = 0; r < count; ++r)
        look(&seen, load_words_upto(row_at(rows[0], steps[0], r), columns),
             load_words_upto(row_at(rows[1], steps[1], r), columns));
    wm_store(nan, seen.nan);
    wm_store(invalid, seen.invalid);
    wm_store(plus, seen.plus);
    wm_store(minus, seen.minus);
    for (size_t k = 0; k < columns; ++k)
        state_at(states, state_step, k)->seen |=
            (nan[k] ? SEEN_NAN : 0u) | (invalid[k] ? SEEN_INVALID : 0u) |
            (plus[k] ? SEEN_PLUS_INFINITY : 0u) | (minus[k] ? SEEN_MINUS_INFINITY : 0u);
}

#endif
