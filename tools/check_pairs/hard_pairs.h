/* The pairs whose exact result is nearest to a number of 12 bits without being one, for tests
 * to have. */
#ifndef HARD_PAIRS_H
#define HARD_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

/* f: in the table of functions; distance: of the result from that number, relatively. Any
 * thread may call it. */
void note_hard_pair(int f, uint16_t a, int32_t b, double distance);

/* A line each: function, operands, distance. Returns whether it could write them. */
bool write_hard_pairs(const char *path);

#endif
