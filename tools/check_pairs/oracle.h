/* The truth: results and exceptions of a function for one first operand and all second
 * ones. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stddef.h>

#include "exact/functions.h"
#include "halves.h"

/* Second operands: all halves, by their bits, or integers. */
typedef struct operands operands;
struct operands {
    int32_t *at;
    size_t count;
    void (*add)(uint16_t a, operands *); /* appends what only the first operand a needs */
};

#define COUNT_ONE(name, second) +1
enum { EXACT_FUNCTIONS = 15, FUNCTIONS = EXACT_FUNCTIONS HALFCL_FUNCTIONS2(COUNT_ONE) };
#undef COUNT_ONE

typedef struct {
    const char *name, *types;
    const operands *second;
    bool integers; /* whether second operands are */
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

enum { MAX_SECOND = 1 << 19, MAX_ASKED = 32, MAX_CLOSE = 1 << 14 };

typedef struct {
    operands second;
    int32_t second_at[MAX_SECOND];
    uint16_t bits[MODES][MAX_SECOND];
    uint8_t flags[MODES][MAX_SECOND];
    int32_t quotients[MAX_SECOND];
    uint64_t asked;               /* how often MPFR decided */
    uint32_t asked_at[MAX_ASKED]; /* the first of these, by index */
    size_t close;                 /* those that a float leaves in doubt, or nearly */
    uint32_t close_at[MAX_CLOSE];
} row;

void init_oracle(void); /* before all threads */
void fill_row(int f, uint16_t a, row *out);

#endif
