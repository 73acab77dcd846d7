#include "sort.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 48, RADIX = 256, NAN_KEY = 0xFFFF };

/* An unsigned number that sorts as the half does. */
static inline uint16_t key_of(uint16_t half)
{
    unsigned magnitude = half & 0x7FFF;
    if (magnitude > 0x7C00)
        return NAN_KEY;
    return (uint16_t)(half & 0x8000 ? 0x8000 - magnitude : 0x8000 + magnitude);
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
int halfcl_sort(uint16_t *values, size_t n)
{
    if (n <= SMALL) {
        insertion_sort(values, n);
        return 0;
    }
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

int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    if (n <= SMALL) {
        insertion_argsort(values, order, n);
        return 0;
    }
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
