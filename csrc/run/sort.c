#include "run/sort.h"

#include <stdlib.h>

#include "format/key.h"
#include "run/counting_sort.h"

/* Up to SMALL elements insertion sort is fastest; up to ON_STACK the buffers of sorting fit the
 * stack. From COUNTED on, halves are counted: clearing and reading a counter for each of them
 * costs less then than moving every element twice. */
enum { SMALL = 24, ON_STACK = 512, RADIX = 256, COUNTED = 1 << 16 };

int halfcl_compare(uint16_t a, uint16_t b)
{
    uint16_t x = key_of(a), y = key_of(b);
    return (x > y) - (x < y);
}

/* ---------------------------------------------------------------- few elements
 *
 * Words are sorted that consist of a key and its payload: the half, or its place in the order.
 */

enum { KEY_SHIFT = 16, REST = 0xFFFF };

static void insert_words(uint32_t *words, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t word = words[i];
        size_t j = i;
        for (; j > 0 && words[j - 1] >> KEY_SHIFT > word >> KEY_SHIFT; j--)
            words[j] = words[j - 1];
        words[j] = word;
    }
}

/* Replaces the counts of a byte of the keys by the start of each value. */
static void add_up(uint32_t *low, uint32_t *high)
{
    uint32_t low_start = 0, high_start = 0;
    for (int i = 0; i < RADIX; i++) {
        uint32_t low_here = low[i], high_here = high[i];
        low[i] = low_start;
        high[i] = high_start;
        low_start += low_here;
        high_start += high_here;
    }
}

/* Sorts by the keys' lower byte, then by the upper one. */
static void radix_sort_words(uint32_t *words, uint32_t *buffer, size_t n)
{
    uint32_t low[RADIX] = {0}, high[RADIX] = {0};
    for (size_t i = 0; i < n; i++) {
        low[words[i] >> KEY_SHIFT & 0xFF]++;
        high[words[i] >> (KEY_SHIFT + 8)]++;
    }
    add_up(low, high);
    for (size_t i = 0; i < n; i++)
        buffer[low[words[i] >> KEY_SHIFT & 0xFF]++] = words[i];
    for (size_t i = 0; i < n; i++)
        words[high[buffer[i] >> (KEY_SHIFT + 8)]++] = buffer[i];
}

/* Sorts stably. The buffer must hold n words, if they are more than SMALL. */
static void sort_words(uint32_t *words, uint32_t *buffer, size_t n)
{
    if (n <= SMALL)
        insert_words(words, n);
    else
        radix_sort_words(words, buffer, n);
}

/* Returns room for n words and their buffer: on_stack if it is enough. */
static uint32_t *room_for(uint32_t *on_stack, size_t n)
{
    return n <= ON_STACK ? on_stack : malloc(2 * n * sizeof *on_stack);
}

static int sort_few(uint16_t *values, size_t n)
{
    uint32_t on_stack[2 * ON_STACK], *words = room_for(on_stack, n);
    if (!words)
        return -1;
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)key_of(values[i]) << KEY_SHIFT | values[i];
    sort_words(words, words + n, n);
    for (size_t i = 0; i < n; i++)
        values[i] = words[i] & REST;
    if (words != on_stack)
        free(words);
    return 0;
}

/* Returns whether the order is 0, 1, 2 and so on, as it is unless something was sorted
 * before. */
static bool is_usual(const ptrdiff_t *order, size_t n)
{
    ptrdiff_t differs = 0;
    for (size_t i = 0; i < n; i++)
        differs |= order[i] ^ (ptrdiff_t)i;
    return !differs;
}

static void order_to_words(uint32_t *restrict words, const uint16_t *values,
                           const ptrdiff_t *order, size_t n)
{
    for (size_t i = 0; i < n && !order; i++)
        words[i] = (uint32_t)key_of(values[i]) << KEY_SHIFT | (uint32_t)i;
    for (size_t i = 0; i < n && order; i++)
        words[i] = (uint32_t)key_of(values[order[i]]) << KEY_SHIFT | (uint32_t)i;
}

/* Permutes the order by the places in words. */
static void words_to_order(ptrdiff_t *restrict order, const uint32_t *words,
                           const uint32_t *copy, size_t n)
{
    for (size_t i = 0; i < n && !copy; i++)
        order[i] = words[i] & REST;
    for (size_t i = 0; i < n && copy; i++)
        order[i] = copy[words[i] & REST];
}

/* Sorts at most SMALL halves: words hold the order itself, since insertion keeps equal keys in
 * order. */
static void argsort_small(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    uint32_t words[SMALL];
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)key_of(values[order[i]]) << KEY_SHIFT | (uint32_t)order[i];
    insert_words(words, n);
    for (size_t i = 0; i < n; i++)
        order[i] = words[i] & REST;
}

static int argsort_few(const uint16_t *values, ptrdiff_t *order, size_t n,
                       halfcl_sort_integers *sort)
{
    uint32_t on_stack[2 * ON_STACK], *words = room_for(on_stack, n);
    if (!words)
        return -1;
    bool usual = is_usual(order, n);
    order_to_words(words, values, usual ? NULL : order, n);
    if (!sort || sort(words, (ptrdiff_t)n, NULL) != 0)
        sort_words(words, words + n, n);
    for (size_t i = 0; i < n && !usual; i++)
        words[n + i] = (uint32_t)order[i];
    words_to_order(order, words, usual ? NULL : words + n, n);
    if (words != on_stack)
        free(words);
    return 0;
}

/* ---------------------------------------------------------------- any number of elements */

int halfcl_sort(uint16_t *values, size_t n)
{
    return n < COUNTED ? sort_few(values, n) : halfcl_counting_sort(values, n);
}

int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    if (n <= SMALL) {
        argsort_small(values, order, n);
        return 0;
    }
    return n < COUNTED ? argsort_few(values, order, n, NULL)
                       : halfcl_counting_argsort(values, order, n);
}

int halfcl_argsort_by(halfcl_sort_integers *sort, const uint16_t *values, ptrdiff_t *order,
                      size_t n)
{
    return n <= HALFCL_MOST_WORDS ? argsort_few(values, order, n, sort)
                                  : halfcl_counting_argsort(values, order, n);
}
