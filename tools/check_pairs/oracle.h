/* The truth: results and exceptions of a function for one first operand and all second
 * ones. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stddef.h>

#include "halves.h"

/* Second operands: all halves, by their bits, or integers. */
typedef struct {
    int32_t *at;
    size_t count;
    bool integers;
} operands;

enum { FUNCTIONS = 24 };

typedef struct {
    const char *name, *types;
    const operands *second;
    /* One of these, from functions.h: of numbers, or of bits. */
    double (*value)(double x, double y);
    uint16_t (*choice)(uint16_t a, uint16_t b);
    int32_t (*quotient)(double x, double y); /* the second result, if there is one */
    int term;           /* it is the sum of x and this times y: that decides zeros' signs */
    bool overflows;     /* from a finite first operand to infinity, though it only chooses */
    bool keeps_nans;    /* as they are, signalling ones too */
    bool slow_portable; /* the portable kernel is */
} function;

/* Their order counts in the digests. */
extern const function functions[FUNCTIONS];

enum { MAX_SECOND = 1 << 18, MAX_ASKED = 32 };

typedef struct {
    uint16_t bits[MODES][MAX_SECOND];
    uint8_t flags[MODES][MAX_SECOND];
    int32_t quotients[MAX_SECOND];
    uint64_t asked;               /* how often MPFR decided */
    uint32_t asked_at[MAX_ASKED]; /* the first of these, by index */
} row;

void init_oracle(void); /* before all threads */
void fill_row(int f, uint16_t a, row *out);

#endif
