/* Declarations shared by the test files. */
#ifndef HALFCL_TESTING_H
#define HALFCL_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference.h"

/* Long tests check one in so many values: HALFCL_TEST_ONE_IN, otherwise all, or some under
 * sanitizers, which check memory and are slow. No test may count its kinds by 11. */
extern int one_in;

/* Counts a failure and prints the beginning of its line; returns false if too many were
 * printed. */
bool failed(const char *what, const halfcl_isa *isa, int mode);

uint64_t random_bits(void);

/* Returns a half, often a special or limiting one. */
uint16_t pick_half(void);

/* Returns the map with a name and types written as in the tests' tables: a letter each, inputs
 * ">" outputs; e half, ? bool, b B h H i I q Q integers of 8 to 64 bits, f d float, double. */
const halfcl_kernel *find_map(const halfcl_isa *isa, const char *name, const char *types);

/* Runs a map in its environment and returns all exceptions. */
unsigned run(const halfcl_kernel *kernel, void *const *args, size_t n, int mode);

/* Makes the processor treat tiny numbers as zeros, as programs compiled for speed, or devices,
 * do; off: no longer. On processors without this mode it does nothing. */
void flush_tiny_numbers(bool on);

/* Returns whether the map with that name returns whichever of two NaNs the processor gives. */
bool gives_any_nan(const char *name);

void test_operations(void);
void test_decomposition(void);
void test_conversions(void);
void test_functions(void);
void test_functions_of_several(void);
void test_relational(void);
void test_reductions(void);
void test_totals(void);
void test_double_intervals(void);
void test_neighbours(void);
void test_geometric(void);
void test_kinds(void);
void test_raising(void);
void test_random(void);
void test_modes(void);
void test_overlap(void);
void test_grid(void);
void test_nans(void);
void test_parsing(void);
void test_vocabulary(void);
void test_sort(void);
void test_lines(void);
void test_at(void);
void test_run_copy(void);
void test_images(void);
void test_numbers(void);
void test_environment(void);
void test_threads(void);
void test_device(void);
void test_device_powers(void);
void test_device_exact(void);
void test_device_nans(void);
void test_device_words(void);
void test_device_numbers(void);
void test_device_statistics(void);

#endif
