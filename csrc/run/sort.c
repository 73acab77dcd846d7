#include "run/sort.h"

#include <stdlib.h>
#include <string.h>

#include "run/key.h"

/* Up to SMALL elements moving each to its place is fastest; up to ON_STACK what sorting needs
 * fits on the stack. From COUNTED on, halves are counted: clearing and reading a counter for
 * each of them costs less then than moving every element twice. */
enum { SMALL = 24, ON_STACK = 512, RADIX = 256, COUNTED = 1 << 16, BLOCK = 512 };

int halfcl_compare(uint16_t a, uint16_t b)
{
    uint16_t x = key_of(a), y = key_of(b);
    return (x > y) - (x < y);
}

/* ---------------------------------------------------------------- few elements
 *
 * As words, of a key and what belongs to it: the half itself, or the index of an element. */

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

/* Where each value of a byte of the keys starts, from how many there are. */
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

/* By the keys' lower byte, then by the upper one. */
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

/* Stable. With room for n words in buffer, if they are more than SMALL. */
static void sort_words(uint32_t *words, uint32_t *buffer, size_t n)
{
    if (n <= SMALL)
        insert_words(words, n);
    else
        radix_sort_words(words, buffer, n);
}

/* Room for n words and their buffer: on_stack if it suffices. */
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

static int argsort_few(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    uint32_t on_stack[2 * ON_STACK], *words = room_for(on_stack, n);
    if (!words)
        return -1;
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)key_of(values[order[i]]) << KEY_SHIFT | (uint32_t)order[i];
    sort_words(words, words + n, n);
    for (size_t i = 0; i < n; i++)
        order[i] = words[i] & REST;
    if (words != on_stack)
        free(words);
    return 0;
}

/* ---------------------------------------------------------------- many elements */

/* Halves that compare equal though their bits differ, zeros or NaNs: how many there are
 * and, if their order needs keeping, a copy of them in that order. */
typedef struct {
    size_t n;
    uint16_t *kept;
} equals;

static void keep(equals *group, const uint16_t *values, size_t n, unsigned first, unsigned last)
{
    size_t found = 0;
    for (size_t i = 0; i < n && found < group->n; i++) {
        unsigned magnitude = values[i] & 0x7FFF;
        group->kept[found] = values[i];
        found += magnitude - first <= last - first;
    }
}

/* Those of a magnitude from first to last. Returns -1 if there is no memory. */
static int find_equals(equals *group, const size_t *counts, const uint16_t *values, size_t n,
                       unsigned first, unsigned last)
{
    size_t most = 0;
    *group = (equals){0, NULL};
    for (unsigned m = first; m <= last; m++) {
        size_t positive = counts[m], negative = counts[0x8000 | m];
        group->n += positive + negative;
        most = positive > most ? positive : most;
        most = negative > most ? negative : most;
    }
    if (group->n == most) /* all of one kind: in any order */
        return 0;
    group->kept = calloc(group->n, sizeof *group->kept); /* another thread may take some away */
    if (!group->kept)
        return -1;
    keep(group, values, n, first, last);
    return 0;
}

static uint16_t *put(uint16_t *to, unsigned half, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)half;
    return to + n;
}

static uint16_t *put_equals(uint16_t *to, const equals *group, const size_t *counts,
                            unsigned first, unsigned last)
{
    if (group->kept) {
        memcpy(to, group->kept, group->n * sizeof *to);
        return to + group->n;
    }
    for (unsigned m = first; m <= last; m++)
        to = put(put(to, m, counts[m]), 0x8000 | m, counts[0x8000 | m]);
    return to;
}

/* Writes each half as often as it was counted, in order. */
static void put_counted(uint16_t *to, const size_t *counts, const equals *zeros,
                        const equals *nans)
{
    for (unsigned half = 0xFC00; half > 0x8000; half--)
        to = put(to, half, counts[half]);
    to = put_equals(to, zeros, counts, 0, 0);
    for (unsigned half = 1; half <= 0x7C00; half++)
        to = put(to, half, counts[half]);
    put_equals(to, nans, counts, 0x7C01, 0x7FFF);
}

static int counting_sort(uint16_t *values, size_t n)
{
    equals zeros = {0}, nans = {0};
    int result = -1;
    size_t *counts = calloc(KEYS, sizeof *counts);
    if (!counts)
        return -1;
    for (size_t i = 0; i < n; i++)
        counts[values[i]]++;
    if (find_equals(&zeros, counts, values, n, 0, 0) == 0 &&
        find_equals(&nans, counts, values, n, 0x7C01, 0x7FFF) == 0) {
        put_counted(values, counts, &zeros, &nans);
        result = 0;
    }
    free(zeros.kept);
    free(nans.kept);
    free(counts);
    return result;
}

int halfcl_sort(uint16_t *values, size_t n)
{
    return n < COUNTED ? sort_few(values, n) : counting_sort(values, n);
}

/* *copy is a copy of the order, NULL if it is 0, 1, 2 and so on, as most often. */
static int copy_order(ptrdiff_t **copy, const ptrdiff_t *order, size_t n)
{
    size_t i = 0;
    while (i < n && order[i] == (ptrdiff_t)i)
        i++;
    *copy = NULL;
    if (i == n)
        return 0;
    *copy = malloc(n * sizeof **copy);
    if (!*copy)
        return -1;
    memcpy(*copy, order, n * sizeof **copy);
    return 0;
}

/* Puts the index of each element where the next one of its equals belongs. */
static void put_indices(ptrdiff_t *order, const ptrdiff_t *from, const uint16_t *values,
                        size_t n, size_t *next)
{
    uint16_t equals[BLOCK];
    for (size_t done = 0; done < n; done += BLOCK) {
        size_t count = n - done < BLOCK ? n - done : BLOCK;
        for (size_t i = 0; i < count; i++)
            equals[i] = one_of_equals(values[from ? from[done + i] : (ptrdiff_t)(done + i)]);
        for (size_t i = 0; i < count; i++)
            order[next[equals[i]]++] = from ? from[done + i] : (ptrdiff_t)(done + i);
    }
}

/* Of a copy: another thread may write to the values, and then a place for each as it was
 * counted would not be one for each as it is put. */
static int counting_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    ptrdiff_t *from = NULL;
    size_t *counts = calloc(KEYS, sizeof *counts);
    uint16_t *copy = malloc(n * sizeof *copy);
    int result = counts && copy && copy_order(&from, order, n) == 0 ? 0 : -1;
    if (result == 0) {
        memcpy(copy, values, n * sizeof *copy);
        for (size_t i = 0; i < n; i++)
            counts[copy[i]]++;
        add_up_halves(counts, false);
        put_indices(order, from, copy, n, counts);
    }
    free(from);
    free(copy);
    free(counts);
    return result;
}

int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    return n < COUNTED ? argsort_few(values, order, n) : counting_argsort(values, order, n);
}
