/* Sorts many lines of an array at once, as columns side by side. */
#include <stdlib.h>
#include <string.h>

#include "format/order.h"
#include "run/sort.h"
#include "run/splitting.h"

enum { COLUMNS = HALFCL_COLUMNS, LINE = 64 };

typedef struct {
    const halfcl_isa *isa;
    uint16_t *values;
    halfcl_lines lines;
    ptrdiff_t *orders; /* NULL: sort the values themselves */
} sorting;

/* Some lines as columns, in rows that begin at lines of the cache. */
typedef struct {
    void *memory;
    uint16_t (*halves)[COLUMNS];
    uint16_t (*others)[COLUMNS]; /* a copy, or the words of the halves */
    int32_t (*words)[HALFCL_WORD_COLUMNS];
} block;

/* The result of sorting if there is no memory. */
enum { NO_MEMORY = 1 };

/* ---------------------------------------------------------------- lines of an item
 *
 * An item is the lines of one block: a number of consecutive rows; or, of lines side by side, a
 * piece, or all lines of several narrow pieces. */

/* Returns the number of lines side by side in a block: columns from one piece to the next. */
static size_t width_of(const halfcl_lines *lines)
{
    return lines->inner < COLUMNS ? lines->inner : COLUMNS;
}

static size_t pieces_across(const halfcl_lines *lines)
{
    return (lines->inner + COLUMNS - 1) / COLUMNS;
}

static size_t pieces_at_once(const halfcl_lines *lines)
{
    return COLUMNS / width_of(lines);
}

static size_t count_items(const halfcl_lines *lines)
{
    size_t pieces = lines->outer * pieces_across(lines), at_once = pieces_at_once(lines);
    return (pieces + at_once - 1) / at_once;
}

/* One piece of lines side by side: the place of its first half, and the number of lines. */
typedef struct {
    size_t first, width;
} piece;

static piece piece_at(const halfcl_lines *lines, size_t index)
{
    size_t across = pieces_across(lines), k = index % across * COLUMNS;
    size_t remaining = lines->inner - k;
    return (piece){index / across * lines->n * lines->inner + k,
                   remaining < COLUMNS ? remaining : COLUMNS};
}

/* Returns how many pieces an item has. */
static size_t pieces_of(const halfcl_lines *lines, size_t item)
{
    size_t remaining = lines->outer * pieces_across(lines) - item * pieces_at_once(lines);
    return remaining < pieces_at_once(lines) ? remaining : pieces_at_once(lines);
}

/* ---------------------------------------------------------------- transposing */

/* Transposes halves of rows of memory to columns, or back. */
static void turn(const sorting *s, uint16_t (*columns)[COLUMNS], uint16_t *rows, size_t count,
                 bool back)
{
    const ptrdiff_t size = sizeof(uint16_t);
    const size_t n = s->lines.n;
    const halfcl_vectors memory = {(char *)rows, (ptrdiff_t)n * size, size, n},
                         planes = {(char *)columns, size, COLUMNS * size, n},
                         both[] = {back ? planes : memory, back ? memory : planes};
    const halfcl_isa *isa = s->isa;
    while (!isa->copies)
        isa = isa->base;
    isa->copies[1](both, count, HALFCL_RTE);
}

/* Copies of constant sizes use a vector or two. */
static void copy_row(uint16_t *to, const uint16_t *from, size_t width)
{
    if (width == COLUMNS)
        memcpy(to, from, COLUMNS * sizeof *to);
    else
        memcpy(to, from, width * sizeof *to);
}

static void take(const sorting *s, size_t item, uint16_t (*columns)[COLUMNS])
{
    const halfcl_lines *l = &s->lines;
    size_t first = item * pieces_at_once(l), count = pieces_of(l, item);
    if (l->inner == 1) {
        turn(s, columns, s->values + first * l->n, count, false);
        return;
    }
    for (size_t p = 0; p < count; ++p) {
        piece here = piece_at(l, first + p);
        for (size_t i = 0; i < l->n; ++i)
            copy_row(columns[i] + p * width_of(l), s->values + here.first + i * l->inner,
                     here.width);
    }
}

static void put_back(const sorting *s, size_t item, uint16_t (*columns)[COLUMNS])
{
    const halfcl_lines *l = &s->lines;
    size_t first = item * pieces_at_once(l), count = pieces_of(l, item);
    if (l->inner == 1) {
        turn(s, columns, s->values + first * l->n, count, true);
        return;
    }
    for (size_t p = 0; p < count; ++p) {
        piece here = piece_at(l, first + p);
        for (size_t i = 0; i < l->n; ++i)
            copy_row(s->values + here.first + i * l->inner, columns[i] + p * width_of(l),
                     here.width);
    }
}

static void widen(ptrdiff_t *to, const uint16_t *from, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        to[i] = from[i];
}

static void put_orders(const sorting *s, size_t item, block *b)
{
    const halfcl_lines *l = &s->lines;
    size_t first = item * pieces_at_once(l), count = pieces_of(l, item);
    if (l->inner == 1) {
        turn(s, b->halves, b->others[0], count, true);
        widen(s->orders + first * l->n, b->others[0], count * l->n);
        return;
    }
    for (size_t p = 0; p < count; ++p) {
        piece here = piece_at(l, first + p);
        for (size_t i = 0; i < l->n; ++i)
            widen(s->orders + here.first + i * l->inner, b->halves[i] + p * width_of(l),
                  here.width);
    }
}

/* ---------------------------------------------------------------- sorting */

/* Replaces rows of halves by those of the sorted columns. */
static void order_block(const sorting *s, block *b)
{
    const struct halfcl_order_tools *tools = s->isa->order_tools;
    for (size_t column = 0; column < COLUMNS; column += HALFCL_WORD_COLUMNS) {
        tools->words_of_rows(b->words, (const uint16_t (*)[COLUMNS])b->halves, column,
                             s->lines.n);
        tools->sort_words(b->words, s->lines.n);
        tools->rows_of_words(b->halves, column,
                             (const int32_t (*)[HALFCL_WORD_COLUMNS])b->words, s->lines.n);
    }
}

/* Sorts halves so that equal ones keep their order. */
static void sort_with_equals(const sorting *s, block *b)
{
    const size_t n = s->lines.n;
    memcpy(b->others, b->halves, n * sizeof *b->halves);
    order_block(s, b);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < COLUMNS; ++k)
            b->halves[i][k] = b->others[b->halves[i][k]][k];
}

static void sort_block(const sorting *s, block *b)
{
    const struct halfcl_order_tools *tools = s->isa->order_tools;
    const size_t n = s->lines.n;
    int16_t (*keys)[COLUMNS] = (int16_t (*)[COLUMNS])b->others;
    if (tools->keys_of(keys[0], b->halves[0], n * COLUMNS)) {
        sort_with_equals(s, b);
        return;
    }
    tools->sort_keys(keys, n);
    tools->halves_of_keys(b->halves[0], keys[0], n * COLUMNS);
}

/* The memory is cleared: columns that no line fills are sorted, too. */
static bool make_block(block *b, size_t n)
{
    b->memory = malloc(n * (sizeof *b->halves + sizeof *b->others + sizeof *b->words) + LINE);
    if (!b->memory)
        return false;
    char *start = (char *)b->memory + (-(uintptr_t)b->memory & (LINE - 1));
    b->halves = (uint16_t (*)[COLUMNS])start;
    b->others = b->halves + n;
    b->words = (int32_t (*)[HALFCL_WORD_COLUMNS])(b->others + n);
    memset(b->halves, 0, n * sizeof *b->halves);
    return true;
}

static unsigned sort_some(void *work, size_t first, size_t count, int thread)
{
    const sorting *s = work;
    block b;
    bool has_memory = make_block(&b, s->lines.n);
    (void)thread;
    for (size_t item = first; item < first + count && has_memory; ++item) {
        take(s, item, b.halves);
        if (s->orders) {
            order_block(s, &b);
            put_orders(s, item, &b);
        } else {
            sort_block(s, &b);
            put_back(s, item, b.halves);
        }
    }
    free(b.memory);
    return has_memory ? 0 : NO_MEMORY;
}

static int sort_all(sorting *s)
{
    const halfcl_lines *l = &s->lines;
    halfcl_divisible call = {sort_some, s, count_items(l), l->n * COLUMNS};
    unsigned failed = halfcl_may_split(l->outer * l->n * l->inner)
                          ? halfcl_run_divided(&call, halfcl_get_threads())
                          : sort_some(s, 0, call.items, 0);
    return failed ? -1 : 0;
}

/* A network has more steps per half for longer lines, and takes as long for few lines as for
 * many. */
enum { LONGEST = 512, LONG = 256, FEWEST = 8, FEWEST_LONG = 24 };

bool halfcl_are_many_lines(const halfcl_lines *lines)
{
    return lines->n > 1 && lines->n <= LONGEST &&
           lines->outer * lines->inner >= (lines->n <= LONG ? FEWEST : FEWEST_LONG);
}

int halfcl_sort_lines(const halfcl_isa *isa, uint16_t *values, const halfcl_lines *lines)
{
    sorting s = {isa, values, *lines, NULL};
    return sort_all(&s);
}

int halfcl_argsort_lines(const halfcl_isa *isa, const uint16_t *values,
                         const halfcl_lines *lines, ptrdiff_t *orders)
{
    sorting s = {isa, (uint16_t *)values, *lines, orders};
    return sort_all(&s);
}

bool halfcl_keys_of(const halfcl_isa *isa, int16_t *keys, const uint16_t *values, size_t n)
{
    return isa->order_tools->keys_of(keys, values, n);
}

void halfcl_halves_of(const halfcl_isa *isa, uint16_t *values, const int16_t *keys, size_t n)
{
    isa->order_tools->halves_of_keys(values, keys, n);
}

void halfcl_split_indices(const halfcl_isa *isa, const int16_t *keys, size_t n, int16_t pivot,
                          ptrdiff_t *indices)
{
    isa->order_tools->split_indices(keys, n, pivot, indices);
}
