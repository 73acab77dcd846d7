/* The functions, from their definitions. Of two numbers (a half and an integer count as
 * such) they give the exact result, or what round_to_half cannot tell from it; NaN outside
 * the domain; an infinity for finite operands at a pole only. Special cases as C11 has them
 * in annex F.10, and OpenCL C in "Edge Case Behavior". */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdint.h>

#include "exact/functions.h"

/* exact.c */
double add(double x, double y);
double subtract(double x, double y);
double multiply(double x, double y);
double positive_difference(double x, double y); /* fdim */
double truncated_remainder(double x, double y); /* fmod */
double nearest_remainder(double x, double y);   /* remainder, remquo */
int32_t nearest_quotient(double x, double y);   /* remquo's second result */
double scaled(double x, double n);              /* ldexp */

/* The functions that choose between bits. They never raise an exception, save nextafter's
 * overflow, and read signalling NaNs as quiet ones. */
uint16_t larger_number(uint16_t a, uint16_t b);    /* fmax */
uint16_t smaller_number(uint16_t a, uint16_t b);   /* fmin */
uint16_t larger_magnitude(uint16_t a, uint16_t b); /* maxmag */
uint16_t smaller_magnitude(uint16_t a, uint16_t b);
uint16_t with_sign(uint16_t a, uint16_t b); /* copysign */
uint16_t neighbour(uint16_t a, uint16_t b); /* nextafter */

/* inexact.c: the quotient, and those in the engine's list */
double quotient(double x, double y);
#define DECLARE_RIGHT(name, second) double right_##name(double x, double y);
HALFCL_FUNCTIONS2(DECLARE_RIGHT)
#undef DECLARE_RIGHT

#endif
