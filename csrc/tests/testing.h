/* What the test files share. */
#ifndef HALFCL_TESTING_H
#define HALFCL_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* Counts a failure and begins its line; false if there were too many to print. */
bool failed(const char *what, const halfcl_isa *isa, int mode);

uint64_t random_bits(void);

/* A half: often one where things happen. */
uint16_t pick_half(void);

/* Runs a kernel in its environment and returns all exceptions. */
unsigned run(const halfcl_kernel *kernel, void *const *args, size_t n, int mode);

void test_operations(void);
void test_decomposition(void);
void test_conversions(void);
void test_functions(void);
void test_relational(void);
void test_reductions(void);
void test_geometric(void);
void test_parsing(void);

#endif
