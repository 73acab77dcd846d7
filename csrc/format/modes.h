/* Functions on arrays of modes, a byte each, compiled for each instruction set. */
#ifndef HALFCL_MODES_H
#define HALFCL_MODES_H

#include "halfcl.h"

enum { HALFCL_MODES = 4 };

/* out[k] = of[modes[k]][k], for elements of one size. */
typedef void halfcl_choose_by_mode(void *out, const void *const of[HALFCL_MODES],
                                   const uint8_t *modes, size_t n);

struct halfcl_mode_tools {
    /* Returns whether every code is the number of a mode. */
    bool (*are_modes)(const uint8_t *codes, size_t n);
    /* Copies codes and makes them valid modes. */
    void (*copy)(uint8_t *to, const uint8_t *from, size_t n);
    /* Returns how many of the first n modes, at least 1, are the same. */
    size_t (*run_length)(const uint8_t *modes, size_t n);
    /* Returns how many modes differ from the one before. n is less than 256. */
    unsigned (*changes)(const uint8_t *modes, size_t n);
    /* There is one for each size of elements: 1, 2, 4 or 8. */
    halfcl_choose_by_mode *choose_1, *choose_2, *choose_4, *choose_8;
    /* For halves if there are no results rounded toward zero: it uses those rounded down, or,
     * where these are negative, those rounded up. */
    halfcl_choose_by_mode *choose_directed;
};

#endif
