/* The engine's kernels against the truth. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <stdatomic.h>

#include "oracle.h"

enum { MAX_SETS = 4 };

extern const halfcl_isa *sets[MAX_SETS];
extern int set_count;
extern const char *const mode_names[MODES];

/* Counts of one function, mode and set. A group is the pairs of one first operand whose
 * exceptions are the same; a single is a pair run by itself. */
typedef struct {
    _Atomic uint64_t pairs, wrong, groups, groups_wrong, singles, singles_wrong;
} tally;

extern tally tallies[FUNCTIONS][MODES][MAX_SETS];
extern _Atomic uint64_t digests[FUNCTIONS][MODES]; /* of the truth; sums over the rows */

/* Finds the sets of this machine and their kernels. Where the portable kernel is slow, it
 * runs on one first operand in portable_step, a power of two. */
void init_comparison(unsigned portable_step);

/* The memory that a thread works in: the truth, and the kernels' operands and results in an
 * order of their own, with room behind for those of close results. */
enum { CROWD = 4, MAX_PLACES = MAX_SECOND + CROWD * MAX_CLOSE };

typedef struct {
    row want;
    uint32_t order[MAX_SECOND];
    uint16_t first[MAX_PLACES], second_halves[MAX_PLACES], got[MAX_PLACES],
        expected[MAX_SECOND];
    int32_t second_integers[MAX_PLACES], got_quotients[MAX_PLACES];
} workspace;

/* Compares all results of function f for a with w->want. */
void compare_row(int f, uint16_t a, workspace *w);

/* True if there is a kernel in every set. */
bool has_kernels(int f);

#endif
