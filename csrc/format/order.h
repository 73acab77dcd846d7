/* What brings halves into order, compiled for each instruction set. Of lines that stand side by
 * side: the first halves of all of them follow each other in memory, then all second ones. */
#ifndef HALFCL_ORDER_H
#define HALFCL_ORDER_H

#include "halfcl.h"

/* Lines that are sorted at once: as many keys, or words, as the widest vectors have. */
enum { HALFCL_COLUMNS = 32, HALFCL_WORD_COLUMNS = 16 };

struct halfcl_order_tools {
    /* For each of count rows of n halves, one row after the other, the index of the first NaN
     * if there is one, else of the first extreme. n > 0. */
    void (*extremes_of_rows)(const uint16_t *rows, size_t n, size_t count, bool greatest,
                             ptrdiff_t *indices);
    /* The same for each of count lines side by side, of which the next halves are step further.
     * n is no more than 2^15. */
    void (*extremes_of_columns)(const uint16_t *first, size_t step, size_t n, size_t count,
                                bool greatest, ptrdiff_t *indices);

    /* Makes signed integers of n halves, one for each, in the order of halves: NaNs are last,
     * -0 is before +0. They may lie where the halves do. Whether there are halves that may be
     * equal to others, -0 or NaNs. And halves of them again. */
    bool (*keys_of)(int16_t *keys, const uint16_t *halves, size_t n);
    void (*halves_of_keys)(uint16_t *halves, const int16_t *keys, size_t n);

    /* Sorts each column of n rows. n > 0. */
    void (*sort_keys)(int16_t (*rows)[HALFCL_COLUMNS], size_t n);
    void (*sort_words)(int32_t (*rows)[HALFCL_WORD_COLUMNS], size_t n);

    /* Words of some columns, from one on, that are sorted in the order of halves, equal ones in
     * that of their rows; and the rows of these words. n is no more than 2^16. */
    void (*words_of_rows)(int32_t (*words)[HALFCL_WORD_COLUMNS],
                          const uint16_t (*halves)[HALFCL_COLUMNS], size_t column, size_t n);
    void (*rows_of_words)(uint16_t (*rows)[HALFCL_COLUMNS], size_t column,
                          const int32_t (*words)[HALFCL_WORD_COLUMNS], size_t n);

    /* The indices of n keys: of those less than the pivot, of those that are it, of those
     * greater, each in their order. */
    void (*split_indices)(const int16_t *keys, size_t n, int16_t pivot, ptrdiff_t *indices);
};

#endif
