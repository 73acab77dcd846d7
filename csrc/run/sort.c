#include "run/sort.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 48, RADIX = 256, HALVES = 1 << 16, NAN_KEY = 0xFFFF };

/* From this many elements on, halves are counted: clearing and reading a counter for each
 * of them costs less then than moving every element twice. */
enum { COUNTED = 1 << 16 };

/* An unsigned number that sorts as the half does. Without a branch: signs are random. */
static inline uint16_t key_of(uint16_t half)
{
    int magnitude = half & 0x7FFF, sign = -(half >> 15);
    int nan = -(magnitude > 0x7C00);
    return (uint16_t)((0x8000 + ((magnitude ^ sign) - sign)) | (NAN_KEY & nan));
}

int halfcl_compare(uint16_t a, uint16_t b)
{
    uint16_t x = key_of(a), y = key_of(b);
    return (x > y) - (x < y);
}

static void insertion_sort(uint16_t *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint16_t value = values[i], key = key_of(value);
        size_t j = i;
        for (; j > 0 && key_of(values[j - 1]) > key; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static void insertion_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        ptrdiff_t index = order[i];
        uint16_t key = key_of(values[index]);
        size_t j = i;
        for (; j > 0 && key_of(values[order[j - 1]]) > key; j--)
            order[j] = order[j - 1];
        order[j] = index;
    }
}

/* Histograms of both bytes of the keys, as running totals: where each starts. */
typedef struct {
    size_t low[RADIX], high[RADIX];
} positions;

static void count(positions *start, const uint16_t *values, size_t n)
{
    memset(start, 0, sizeof *start);
    for (size_t i = 0; i < n; i++) {
        uint16_t key = key_of(values[i]);
        start->low[key & 0xFF]++;
        start->high[key >> 8]++;
    }
    size_t low = 0, high = 0;
    for (int i = 0; i < RADIX; i++) {
        size_t here = start->low[i];
        start->low[i] = low;
        low += here;
        here = start->high[i];
        start->high[i] = high;
        high += here;
    }
}

/* Radix sort, least significant byte first: two stable passes. */
static int radix_sort(uint16_t *values, size_t n)
{
    uint16_t *buffer = malloc(n * sizeof *buffer);
    if (!buffer)
        return -1;
    positions start;
    count(&start, values, n);
    for (size_t i = 0; i < n; i++)
        buffer[start.low[key_of(values[i]) & 0xFF]++] = values[i];
    for (size_t i = 0; i < n; i++)
        values[start.high[key_of(buffer[i]) >> 8]++] = buffer[i];
    free(buffer);
    return 0;
}

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
static int find_equals(equals *group, const uint32_t *counts, const uint16_t *values, size_t n,
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
    group->kept = malloc(group->n * sizeof *group->kept);
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

static uint16_t *put_equals(uint16_t *to, const equals *group, const uint32_t *counts,
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
static void put_counted(uint16_t *to, const uint32_t *counts, const equals *zeros,
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
    uint32_t *counts = calloc(HALVES, sizeof *counts);
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
    if (n <= SMALL) {
        insertion_sort(values, n);
        return 0;
    }
    return n < COUNTED || n > UINT32_MAX ? radix_sort(values, n) : counting_sort(values, n);
}

/* Between the passes of argsort an index and the key's byte that the second pass needs
 * share a word: four bytes of it while that suffices, for memory is what limits it. */
enum { INDEX_BITS = 24 };

static int argsort_few(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    uint32_t *buffer = malloc(n * sizeof *buffer);
    if (!buffer)
        return -1;
    positions start;
    count(&start, values, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t index = (uint32_t)order[i], key = key_of(values[index]);
        buffer[start.low[key & 0xFF]++] = key >> 8 << INDEX_BITS | index;
    }
    for (size_t i = 0; i < n; i++)
        order[start.high[buffer[i] >> INDEX_BITS]++] = buffer[i] & ((1u << INDEX_BITS) - 1);
    free(buffer);
    return 0;
}

static int argsort_many(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    ptrdiff_t *buffer = malloc(n * sizeof *buffer);
    if (!buffer)
        return -1;
    positions start;
    count(&start, values, n);
    for (size_t i = 0; i < n; i++)
        buffer[start.low[key_of(values[order[i]]) & 0xFF]++] = order[i];
    for (size_t i = 0; i < n; i++)
        order[start.high[key_of(values[buffer[i]]) >> 8]++] = buffer[i];
    free(buffer);
    return 0;
}

int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    if (n <= SMALL) {
        insertion_argsort(values, order, n);
        return 0;
    }
    return n >> INDEX_BITS ? argsort_many(values, order, n) : argsort_few(values, order, n);
}

size_t halfcl_argmax(const uint16_t *values, size_t n)
{
    size_t best = 0;
    uint16_t best_key = key_of(values[0]);
    for (size_t i = 1; i < n && best_key != NAN_KEY; i++) {
        uint16_t key = key_of(values[i]);
        if (key > best_key) {
            best = i;
            best_key = key;
        }
    }
    return best;
}

size_t halfcl_argmin(const uint16_t *values, size_t n)
{
    size_t best = 0;
    uint16_t best_key = key_of(values[0]);
    for (size_t i = 0; i < n; i++) {
        uint16_t key = key_of(values[i]);
        if (key == NAN_KEY)
            return i;
        if (key < best_key) {
            best = i;
            best_key = key;
        }
    }
    return best;
}
