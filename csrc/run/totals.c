/* Exact sums of halves, or of products of two, as unevaluated sums of three doubles, with their
 * quotients and multiples as doubles that round to half like the exact ones.
 *
 * A term is a double, a multiple of 2^-48 of at most 2^32, or without weights of 2^-25 and
 * 2^16. The sum of STEPS of these is exact; that of STEPS * LANES products is kept as the
 * rounded sum and the sum of its errors, which has fewer than 53 bits. The three doubles of a
 * total hold more bits than a sum of any number of terms has.
 *
 * A half, or a midpoint of two, has at most 12 bits. So a double whose bits after these are
 * neither about 0 nor about 1 rounds like the exact result. Otherwise the double, shortened to
 * 26 bits, is compared with the exact result, and moved slightly towards it: no number of 12
 * bits is passed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "exact/doubledouble/dd.h"
#include "exact/sum.h"
#include "format/rounding_test.h"

enum {
    LANES = 16,      /* sums of one line that are kept side by side */
    STEPS = 1 << 10, /* terms of each of them before their errors may be rounded */
    TILE = 1 << 10,  /* halves that are converted at once */
    ROWS = 1 << 8,   /* lines that are added side by side */
    SHORT = 32,      /* elements of a line; fewer are added across lines */
    LONG = 128,      /* elements of a line; as many are added to the state of a fold */
    MARGIN = 16, /* the error of a rounded result, in units of its last bit, and some more */
    LARGEST_EXPONENT = 800, /* far beyond half's range, above and below */
};

/* ---------------------------------------------------------------- totals */

typedef struct {
    double part[3];
} total;

/* Replaces two doubles by their rounded sum and its error. */
static inline void renormalize(double *high, double *low)
{
    const dd sum = dd_two_sum(*high, *low);
    *high = sum.hi;
    *low = sum.lo;
}

static void add_to(total *t, double x)
{
    double *part = t->part;
    renormalize(&x, &part[0]); /* x is the sum, and the part its error */
    double rest = part[0];
    part[0] = x;
    if (rest == 0 && part[1] == 0) /* so that -0 stays -0 */
        return;
    renormalize(&part[1], &rest);
    part[2] += rest;
    renormalize(&part[1], &part[2]);
    renormalize(&part[0], &part[1]);
    renormalize(&part[1], &part[2]);
}

static int sign_of(const total *t)
{
    int i = 0;
    while (i < 2 && t->part[i] == 0)
        i++;
    return (t->part[i] > 0) - (t->part[i] < 0);
}

static void add_product(total *t, double x, double y)
{
    const dd a = dd_split(x), b = dd_split(y);
    add_to(t, a.hi * b.hi);
    add_to(t, a.hi * b.lo);
    add_to(t, a.lo * b.hi);
    add_to(t, a.lo * b.lo);
}

static total total_at(const halfcl_totals *totals, ptrdiff_t i)
{
    return (total){{totals->part[0][i], totals->part[1][i], totals->part[2][i]}};
}

/* Adds two doubles to a total. */
static void add_two(const halfcl_totals *totals, ptrdiff_t i, double high, double low)
{
    total t = total_at(totals, i);
    add_to(&t, high);
    if (low != 0)
        add_to(&t, low);
    for (int k = 0; k < 3; k++)
        totals->part[k][i] = t.part[k];
}

/* ---------------------------------------------------------------- sums */

/* A call: the elements of lines, with steps along and across them as in halfcl_elements. */
typedef struct {
    const halfcl_totalling *how;
    ptrdiff_t along[2], across[2];
    size_t n;
    bool weighted;
    float scale; /* of all terms; of the ends in addition to that */
} lines;

/* Converts n halves, step bytes apart. */
static void load(const halfcl_kernel *widen, float *to, const char *from, ptrdiff_t step,
                 size_t n)
{
    char *operands[] = {(char *)from, (char *)to};
    const ptrdiff_t steps[] = {step, sizeof(float)};
    if (step != 0) {
        halfcl_run(widen, operands, steps, n, HALFCL_RTE);
        return;
    }
    const float number = halfcl_to_float(read_half(from));
    for (size_t i = 0; i < n; i++)
        to[i] = number;
}

static void clear(double *high, double *low, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        high[i] = -0.0; /* -0 + x is x, also for -0 */
        low[i] = 0;
    }
}

static void add_numbers(double *restrict high, const float *restrict a, float scale, size_t n)
{
    for (size_t i = 0; i < n; i++)
        high[i] += a[i] * scale;
}

static void add_products(double *restrict high, double *restrict low, const float *restrict a,
                         const float *restrict b, float scale, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const dd sum = dd_two_sum(high[i], (double)(a[i] * scale) * b[i]);
        low[i] += sum.lo;
        high[i] = sum.hi;
    }
}

/* Adds the terms of one line. */
static void add_line(const lines *l, const halfcl_totals *totals, ptrdiff_t at,
                     const char *const *inputs)
{
    float a[TILE], b[TILE];
    double high[LANES], low[LANES];
    const size_t padded = (l->n + LANES - 1) / LANES * LANES;
    clear(high, low, LANES);
    load(l->how->widen, a, inputs[0], l->along[0], l->n);
    if (l->weighted)
        load(l->how->widen, b, inputs[1], l->along[1], l->n);
    if (l->how->halves_ends) {
        a[0] *= 0.5f;
        a[l->n - 1] *= 0.5f;
    }
    for (size_t i = l->n; i < padded; i++) {
        a[i] = copysignf(0, -l->scale); /* makes -0 */
        b[i] = 1;
    }
    for (size_t i = 0; i < padded; i += LANES)
        if (l->weighted)
            add_products(high, low, a + i, b + i, l->scale, LANES);
        else
            add_numbers(high, a + i, l->scale, LANES);
    for (size_t k = LANES / 2; k > 0; k /= 2)
        for (size_t i = 0; i < k; i++) {
            renormalize(&high[i], &high[i + k]);
            low[i] += low[i + k] + high[i + k];
        }
    add_two(totals, at, high[0], low[0]);
}

static double number_at(const char *half)
{
    return halfcl_to_float(read_half(half));
}

/* Returns a sum that is zero, of terms times a scale. */
static double zero_sum(unsigned seen, float scale)
{
    const bool both_signs = seen & SEEN_PLUS && seen & SEEN_MINUS;
    return both_signs ? 0.0 : (seen & SEEN_MINUS ? -0.0 : 0.0) * (double)scale;
}

/* Adds the terms of one line by a fold, which is faster for many. */
static void fold_line(const lines *l, const halfcl_totals *totals, ptrdiff_t at,
                      const char *const *inputs)
{
    const halfcl_kernel *fold = l->weighted ? l->how->products : l->how->sum;
    halfcl_elements elements = {
        .inputs = {(char *)inputs[0], (char *)inputs[l->weighted]}, .count = 1, .n = l->n};
    halfcl_fold_state state = {.seen = 0};
    elements.along[0] = l->along[0];
    elements.along[1] = l->along[l->weighted];
    halfcl_states_add(fold, (char *)&state, sizeof(state), &elements);
    if (state.seen & SEEN_SPECIAL) {
        add_two(totals, at, NAN, 0);
        return;
    }
    double unit = l->scale * (l->weighted ? 0x1p-48 : 0x1p-24);
    const bool is_zero = exact_sum_is_zero(&state.sum);
    if (is_zero)
        add_two(totals, at, zero_sum(state.seen, l->scale), 0);
    for (int k = 0; k < EXACT_LIMBS && !is_zero; k++, unit *= 0x1p32)
        if (state.sum.limb[k] != 0)
            add_two(totals, at, (double)state.sum.limb[k] * unit, 0);
    for (int end = 0; end < 2 && l->how->halves_ends; end++) {
        const double x = number_at(inputs[0] + (end ? (ptrdiff_t)(l->n - 1) * l->along[0] : 0));
        if (x != 0)
            add_two(totals, at, -0.5 * x * (double)l->scale, 0);
    }
}

/* Adds sums side by side to totals, first those that are exact without their other parts. */
static void add_all(const halfcl_totals *totals, ptrdiff_t first, ptrdiff_t step,
                    const double *restrict high, const double *restrict low, size_t count)
{
    double *restrict const to = totals->part[0] + first;
    const double *const rest = totals->part[1] + first;
    double errors = 0;
    if (step == 1) {
        for (size_t i = 0; i < count; i++)
            errors += fabs(dd_two_sum(to[i], high[i]).lo) + fabs(low[i]) + fabs(rest[i]);
        for (size_t i = 0; i < count && errors == 0; i++)
            to[i] += high[i];
    }
    if (step == 1 && errors == 0)
        return;
    for (size_t i = 0; i < count; i++)
        add_two(totals, first + (ptrdiff_t)i * step, high[i], low[i]);
}

/* Adds the terms of up to ROWS lines side by side. */
static void add_lines(const lines *l, const halfcl_totals *totals, ptrdiff_t at, ptrdiff_t step,
                      const char *const *inputs, size_t count)
{
    float a[ROWS], b[ROWS];
    double high[ROWS], low[ROWS];
    for (size_t first = 0; first < l->n; first += STEPS) {
        const size_t end = l->n - first < STEPS ? l->n : first + STEPS;
        clear(high, low, count);
        for (size_t k = first; k < end; k++) {
            const bool is_halved = l->how->halves_ends && (k == 0 || k + 1 == l->n);
            load(l->how->widen, a, inputs[0] + (ptrdiff_t)k * l->along[0], l->across[0], count);
            if (!l->weighted) {
                add_numbers(high, a, is_halved ? 0.5f * l->scale : l->scale, count);
                continue;
            }
            load(l->how->widen, b, inputs[1] + (ptrdiff_t)k * l->along[1], l->across[1], count);
            add_products(high, low, a, b, l->scale, count);
        }
        add_all(totals, at, step, high, low, count);
    }
}

void halfcl_add_to_totals(const halfcl_totalling *how, const halfcl_totals *totals,
                          ptrdiff_t at, ptrdiff_t step, const halfcl_elements *elements,
                          bool weighted, float scale)
{
    const size_t count = elements->count, n = elements->n;
    lines l = {.how = how, .n = n, .weighted = weighted, .scale = scale};
    memcpy(l.along, elements->along, sizeof(l.along));
    memcpy(l.across, elements->across, sizeof(l.across));
    const bool lie_in_rows = llabs(l.along[0]) <= llabs(l.across[0]) && n >= SHORT;
    const bool by_line = lie_in_rows || count < LANES;
    const size_t rows = by_line ? 1 : ROWS;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t first = 0; first < count; first += rows) {
        const char *inputs[2] = {NULL};
        const ptrdiff_t place = at + (ptrdiff_t)first * step;
        for (int i = 0; i < 1 + weighted; i++)
            inputs[i] = elements->inputs[i] + (ptrdiff_t)first * l.across[i];
        if (!by_line)
            add_lines(&l, totals, place, step, inputs,
                      count - first < ROWS ? count - first : ROWS);
        else
            (n >= LONG ? fold_line : add_line)(&l, totals, place, inputs);
    }
    halfcl_leave(&env);
}

/* ---------------------------------------------------------------- results */

/* Returns a number of 26 bits, moved towards the exact result, which is on that side of it. */
static double move(double near, int sign)
{
    return near + sign * fabs(near) * 0x1p-30;
}

static bool is_finite_total(const total *t)
{
    return isfinite(t->part[0] + t->part[1] + t->part[2]);
}

static int compare(double x, double y)
{
    return (x > y) - (x < y);
}

static double quotient(const total *top, const total *bottom)
{
    const double near = top->part[0] / bottom->part[0];
    if (near == 0 || !is_near_short(near, MARGIN))
        return near;
    const double few = dd_split(near).hi;
    if (top->part[1] == 0 && bottom->part[1] == 0) {
        const dd product = dd_two_prod_in_parts(few, bottom->part[0]);
        return move(few, compare(top->part[0] - product.hi, product.lo) * sign_of(bottom));
    }
    total rest = *top;
    for (int i = 0; i < 3; i++)
        add_product(&rest, -few, bottom->part[i]);
    return move(few, sign_of(&rest) * sign_of(bottom));
}

/* Returns a finite total times fraction * 2^exponent, if that does not pass the test. */
static double multiple(const total *t, double fraction, int exponent)
{
    const dd near = dd_two_prod_in_parts(t->part[0], fraction), parts = dd_split(near.hi);
    const double few = parts.hi;
    if (near.hi == 0)
        return near.hi;
    if (t->part[1] == 0)
        return ldexp(move(few, compare(parts.lo != 0 ? parts.lo : near.lo, 0)), exponent);
    total rest = {{-few}};
    for (int i = 0; i < 3; i++)
        add_product(&rest, fraction, t->part[i]);
    return ldexp(move(few, sign_of(&rest)), exponent);
}

bool halfcl_divide_totals(double *results, const halfcl_totals *tops,
                          const halfcl_totals *bottoms, size_t n)
{
    halfcl_env env;
    bool are_finite = true;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t i = 0; i < n; i++) {
        const total top = total_at(tops, (ptrdiff_t)i),
                    bottom = total_at(bottoms, (ptrdiff_t)i);
        const bool is_finite =
            is_finite_total(&top) && is_finite_total(&bottom) && bottom.part[0] != 0;
        results[i] = is_finite ? quotient(&top, &bottom) : NAN;
        are_finite &= is_finite;
    }
    halfcl_leave(&env);
    return are_finite;
}

bool halfcl_multiply_totals(double *results, const halfcl_totals *totals, double factor,
                            size_t n)
{
    int exponent;
    double fraction = frexp(factor, &exponent);
    bool are_finite = true;
    halfcl_env env;
    if (abs(exponent) > LARGEST_EXPONENT) {
        exponent = exponent > 0 ? LARGEST_EXPONENT : -LARGEST_EXPONENT;
        factor = ldexp(fraction, exponent);
    }
    const bool is_power = fabs(fraction) == 0.5;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t i = 0; i < n; i++) {
        results[i] = totals->part[0][i] * factor;
        if ((is_power && totals->part[1][i] == 0) || !is_near_short(results[i], MARGIN))
            continue;
        const total t = total_at(totals, (ptrdiff_t)i);
        const bool is_finite = is_finite_total(&t);
        results[i] = is_finite ? multiple(&t, fraction, exponent) : NAN;
        are_finite &= is_finite;
    }
    halfcl_leave(&env);
    return are_finite;
}
