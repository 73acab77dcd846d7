/* Functions that order halves, compiled for each instruction set. Lines side by side are stored
 * interleaved: first the first halves of all lines, then all second ones, and so on. */
#ifndef HALFCL_ORDER_H
#define HALFCL_ORDER_H

#include "halfcl.h"

/* The number of lines sorted at once: as many keys, or words, as the widest vectors have. */
enum { HALFCL_COLUMNS = 32, HALFCL_WORD_COLUMNS = 16 };

struct halfcl_order_tools {
    /* Returns, for each of count consecutive rows of n halves, the index of the first NaN if
     * there is one, otherwise of the first extreme. n > 0. */
    void (*extremes_of_rows)(const uint16_t *rows, size_t n, size_t count, bool greatest,
                             ptrdiff_t *indices);
    /* Returns the same indices for count lines side by side, of which the next halves are
     * `step` further. n is at most 2^15. */
    void (*extremes_of_columns)(const uint16_t *first, size_t step, size_t n, size_t count,
                                bool greatest, ptrdiff_t *indices);

    /* keys_of converts n halves to signed integers in the order of halves: NaNs are last, and
     * -0 is before +0. The output may be the input. It returns whether some halves may be equal
     * to different ones: -0 or NaNs. halves_of_keys converts keys back to halves. */
    bool (*keys_of)(int16_t *keys, const uint16_t *halves, size_t n);
    void (*halves_of_keys)(uint16_t *halves, const int16_t *keys, size_t n);

    /* Sorts each column of n rows. n > 0. */
    void (*sort_keys)(int16_t (*rows)[HALFCL_COLUMNS], size_t n);
    void (*sort_words)(int32_t (*rows)[HALFCL_WORD_COLUMNS], size_t n);

    /* words_of_rows makes words of some columns, from `first` on, that sort in the order of
     * halves and, among equal ones, of their rows; rows_of_words returns the rows of such
     * words. n is at most 2^16. */
    void (*words_of_rows)(int32_t (*words)[HALFCL_WORD_COLUMNS],
                          const uint16_t (*halves)[HALFCL_COLUMNS], size_t column, size_t n);
    void (*rows_of_words)(uint16_t (*rows)[HALFCL_COLUMNS], size_t column,
                          const int32_t (*words)[HALFCL_WORD_COLUMNS], size_t n);

    /* Splits the indices of n keys into those of keys less than the pivot, equal to it, and
     * greater, each in their order. */
    void (*split_indices)(const int16_t *keys, size_t n, int16_t pivot, ptrdiff_t *indices);
};

#endif
