/* Sorting of many columns side by side, by a network: each step compares two rows and exchanges
 * their elements column by column. */
#ifndef HALFCL_KERNELS_ORDER_COLUMNS_H
#define HALFCL_KERNELS_ORDER_COLUMNS_H

#include "format/key.h"
#include "format/order.h"
#include "simd/simd.h"

/* ---------------------------------------------------------------- keys
 *
 * Keys are signed integers in the order of halves, the least for -infinity: NaNs of both signs
 * are after +infinity. */

enum { KEY_OFFSET = -1023, KEY_OF_ZERO = KEY_OFFSET, KEY_OF_INF = HALF_INF + KEY_OFFSET };

ALWAYS_INLINE vw without_order_of_signs(vw a)
{
    return vw_select(vw_negative(a), vw_xor(a, vw_set(HALF_MAGNITUDE)), a);
}

ALWAYS_INLINE vw keys_of_vector(vw halves)
{
    return vw_add(without_order_of_signs(halves), vw_set(KEY_OFFSET));
}

ALWAYS_INLINE vw halves_of_vector(vw keys)
{
    return without_order_of_signs(vw_sub(keys, vw_set(KEY_OFFSET)));
}

/* Equal halves with different bits: -0, which is equal to +0, and NaNs. */
ALWAYS_INLINE wm have_equals(vw keys)
{
    return wm_or(vw_equal(keys, vw_set(KEY_OF_ZERO - 1)), vw_greater(keys, vw_set(KEY_OF_INF)));
}

static bool keys_of(int16_t *keys, const uint16_t *halves, size_t n)
{
    wm equals = vw_negative(vw_set(0));
    for (size_t i = 0; i < n; i += WORDS) {
        bool whole = n - i >= WORDS;
        vw k = keys_of_vector(whole ? vw_load(halves + i) : vw_load_n(halves + i, n - i));
        equals = wm_or(equals, have_equals(k));
        if (whole)
            vw_store(keys + i, k);
        else
            vw_store_n(keys + i, k, n - i);
    }
    return wm_any(equals);
}

static void halves_of_keys(uint16_t *halves, const int16_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i += WORDS) {
        if (n - i >= WORDS)
            vw_store(halves + i, halves_of_vector(vw_load(keys + i)));
        else
            vw_store_n(halves + i, halves_of_vector(vw_load_n(keys + i, n - i)), n - i);
    }
}

/* ---------------------------------------------------------------- the network */

/* Puts the lower numbers of two rows, columns side by side, into one and the higher ones into
 * the other. */
typedef void exchange_rows(void *lower, void *upper);

/* Defines exchange_name for numbers in vectors of `vector` numbers, loaded and stored by these
 * functions. */
#define EXCHANGE(name, number, columns, vector, size, load, store)                             \
    ALWAYS_INLINE void exchange_##name(void *lower, void *upper)                               \
    {                                                                                          \
        number *a = lower, *b = upper;                                                         \
        for (size_t k = 0; k < (columns); k += (size)) {                                       \
            vector x = load(a + k), y = load(b + k);                                           \
            store(a + k, vector##_min(x, y));                                                  \
            store(b + k, vector##_max(x, y));                                                  \
        }                                                                                      \
    }

EXCHANGE(keys, int16_t, HALFCL_COLUMNS, vw, WORDS, vw_load, vw_store)
EXCHANGE(words, int32_t, HALFCL_WORD_COLUMNS, vi, LANES, vi_load_32, vi_store_32)

/* Exchanges rows i and i + apart, for those i whose index has this bit set, or clear. */
ALWAYS_INLINE void exchange_some(char *rows, size_t size, size_t n, size_t bit, bool has_it,
                                 size_t apart, exchange_rows *exchange)
{
    for (size_t first = has_it ? bit : 0; first + apart < n; first += 2 * bit) {
        size_t end = first + bit < n - apart ? first + bit : n - apart;
        for (size_t i = first; i < end; ++i)
            exchange(rows + i * size, rows + (i + apart) * size);
    }
}

/* Batcher's merge exchange, for any number of rows (Knuth, The Art of Computer Programming,
 * volume 3, algorithm 5.2.2 M). */
ALWAYS_INLINE void sort_rows(void *rows, size_t size, size_t n, exchange_rows *exchange)
{
    size_t most = 1;
    while (2 * most < n)
        most *= 2;
    for (size_t bit = most; bit > 0; bit /= 2) {
        exchange_some(rows, size, n, bit, false, bit, exchange);
        for (size_t q = most; q > bit; q /= 2)
            exchange_some(rows, size, n, bit, true, q - bit, exchange);
    }
}

static void sort_keys(int16_t (*rows)[HALFCL_COLUMNS], size_t n)
{
    sort_rows(rows, sizeof *rows, n, exchange_keys);
}

static void sort_words(int32_t (*rows)[HALFCL_WORD_COLUMNS], size_t n)
{
    sort_rows(rows, sizeof *rows, n, exchange_words);
}

/* ---------------------------------------------------------------- words */

/* Words of key_of, which equal halves have in common, and the row, which determines their
 * order. */
static void words_of_rows(int32_t (*words)[HALFCL_WORD_COLUMNS],
                          const uint16_t (*halves)[HALFCL_COLUMNS], size_t column, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < HALFCL_WORD_COLUMNS; ++k) {
            uint32_t key = (uint16_t)(key_of(halves[i][column + k]) ^ 0x8000);
            words[i][k] = (int32_t)(key << 16 | (uint32_t)i);
        }
}

static void rows_of_words(uint16_t (*rows)[HALFCL_COLUMNS], size_t column,
                          const int32_t (*words)[HALFCL_WORD_COLUMNS], size_t n)
{
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < HALFCL_WORD_COLUMNS; ++k)
            rows[i][column + k] = (uint16_t)words[i][k];
}

#endif
