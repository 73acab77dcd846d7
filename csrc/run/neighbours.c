/* Functions of neighbours along lines of halves: differences, gradients, phases, polynomials.
 * Each operation is one of double, as in NumPy's functions, and the results are rounded to half
 * once. A tile of rows across columns is widened, computed and narrowed at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "exact/doubledouble/dd.h"
#include "format/strided.h"
#include "halfcl.h"

enum {
    TILE = 2048,      /* doubles */
    SHORT_LINE = 256, /* shorter lines are columns of a tile, wherever their elements lie */
    REUSE = 6,        /* rows per row that two tiles read */
};

/* A tile has `columns` elements per row. A formula reads rows and the `span` next ones from
 * `in`, and writes as many rows, one after the other, to `out`. */
typedef struct {
    const halfcl_neighbour_maps *maps;
    size_t span, columns;
    size_t filled; /* elements of `part` that are one number, which a formula repeats */
    double in[TILE], out[TILE], part[TILE];
    uint16_t halves[TILE];
} tile;

/* Computes results from row `first` of the lines on. */
typedef void formula(tile *t, const void *how, size_t first, size_t rows);

typedef struct {
    const halfcl_neighbours *lines;
    formula *formula;
    const void *how;
    size_t span;
    halfcl_rounding mode;
    bool to_double; /* results are doubles */
} call;

/* The rows of a tile in memory, for copies: as one if the elements lie at equal distances. */
typedef struct {
    size_t count, n;
    ptrdiff_t step, across;
} pieces;

static pieces pieces_of(size_t rows, size_t columns, ptrdiff_t step, ptrdiff_t across,
                        size_t size)
{
    if (columns == 1)
        return (pieces){1, rows, 0, step};
    if (across == (ptrdiff_t)size && step == (ptrdiff_t)(size * columns))
        return (pieces){1, rows * columns, 0, across};
    return (pieces){rows, columns, step, across};
}

/* Widens rows. Exceptions do not count: a signalling NaN is like any other. */
static void read_rows(tile *t, const call *c, const char *from, size_t rows)
{
    const halfcl_scanned_lines *l = &c->lines->lines;
    const pieces p = pieces_of(rows, t->columns, l->in_step, l->in_across, sizeof *t->halves);
    const bool is_direct =
        halfcl_is_direct(from, p.across, sizeof *t->halves) && p.step % 2 == 0;
    halfcl_map *widen = c->lines->maps->widen->map;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t r = 0; r < p.count; r++) {
        const char *row = from + (ptrdiff_t)r * p.step;
        if (is_direct)
            widen((void *[]){(void *)row, t->in + r * p.n}, p.n, HALFCL_RTE);
        else
            halfcl_copy_strided((char *)(t->halves + r * p.n), sizeof *t->halves, row, p.across,
                                sizeof *t->halves, p.n);
    }
    if (!is_direct)
        widen((void *[]){t->halves, t->in}, rows * t->columns, HALFCL_RTE);
    (void)halfcl_leave(&env);
}

static void write_doubles(const tile *t, const pieces *p, char *to)
{
    for (size_t r = 0; r < p->count; r++)
        halfcl_copy_strided(to + (ptrdiff_t)r * p->step, p->across,
                            (const char *)(t->out + r * p->n), sizeof *t->out, sizeof *t->out,
                            p->n);
}

static unsigned write_rows(tile *t, const call *c, char *to, size_t rows)
{
    const halfcl_scanned_lines *l = &c->lines->lines;
    const size_t size = c->to_double ? sizeof *t->out : sizeof *t->halves;
    const pieces p = pieces_of(rows, t->columns, l->out_step, l->out_across, size);
    const bool is_direct = halfcl_is_direct(to, p.across, size) && p.step % 2 == 0;
    halfcl_map *narrow = c->lines->maps->narrow->map;
    halfcl_env env;
    unsigned flags = 0;
    if (c->to_double) {
        write_doubles(t, &p, to);
        return 0;
    }
    halfcl_enter(&env, c->mode);
    for (size_t r = 0; r < p.count && is_direct; r++)
        flags |= narrow((void *[]){t->out + r * p.n, to + (ptrdiff_t)r * p.step}, p.n, c->mode);
    if (!is_direct)
        flags = narrow((void *[]){t->out, t->halves}, rows * t->columns, c->mode);
    flags |= halfcl_leave(&env);
    for (size_t r = 0; r < p.count && !is_direct; r++)
        halfcl_copy_strided(to + (ptrdiff_t)r * p.step, p.across,
                            (const char *)(t->halves + r * p.n), sizeof *t->halves,
                            sizeof *t->halves, p.n);
    return flags;
}

/* Returns how many columns a tile has: 1 for long lines whose elements are nearer to each other
 * than to those of the next line. Else there are so many that tiles still have most rows for
 * themselves. */
static size_t columns_of(const halfcl_neighbours *lines, size_t span)
{
    const halfcl_scanned_lines *l = &lines->lines;
    const size_t wanted = REUSE * (span + 1), rows = l->n < wanted ? l->n : wanted;
    const size_t most = rows < TILE ? TILE / rows : 1;
    const bool is_near = llabs(l->in_step) <= llabs(l->in_across);
    if (lines->count == 1 || (is_near && l->n > SHORT_LINE))
        return 1;
    return lines->count < most ? lines->count : most;
}

static unsigned run_formula(const call *c)
{
    const halfcl_scanned_lines *l = &c->lines->lines;
    const size_t columns = columns_of(c->lines, c->span), results = l->n - c->span;
    const size_t rows = TILE / columns - c->span;
    tile t;
    unsigned flags = 0;
    t.span = c->span;
    t.maps = c->lines->maps;
    t.filled = 0;
    for (size_t column = 0; column < c->lines->count; column += columns) {
        const size_t rest = c->lines->count - column;
        t.columns = rest < columns ? rest : columns;
        for (size_t first = 0; first < results; first += rows) {
            const size_t some = results - first < rows ? results - first : rows;
            const ptrdiff_t row = (ptrdiff_t)first, k = (ptrdiff_t)column;
            halfcl_env env;
            read_rows(&t, c, l->in + row * l->in_step + k * l->in_across, some + c->span);
            halfcl_enter(&env, HALFCL_RTE);
            c->formula(&t, c->how, first, some);
            flags |= halfcl_leave(&env);
            flags |= write_rows(&t, c, l->out + row * l->out_step + k * l->out_across, some);
        }
    }
    return flags;
}

/* Runs a formula whose results lie in the rows from `to` on; it reads n rows from `from` on. */
static unsigned run_part(const call *c, size_t from, size_t n, size_t to)
{
    halfcl_neighbours some = *c->lines;
    call part = *c;
    part.lines = &some;
    some.lines.in += (ptrdiff_t)from * some.lines.in_step;
    some.lines.out += (ptrdiff_t)to * some.lines.out_step;
    some.lines.n = n;
    return n > c->span ? run_formula(&part) : 0;
}

/* ---------------------------------------------------------------- differences */

/* Applies a map to rows and their neighbours, so many rows further each. */
static void apply(const halfcl_kernel *map, const double *first, const double *second,
                  const double *third, double *out, size_t n)
{
    void *args[] = {(void *)first, (void *)second, (void *)third, out};
    (void)map->map(args, n, HALFCL_RTE);
}

/* Subtracts neighbours `span` times, mostly twice at once, in turns between arrays. */
static void differences(tile *t, const void *how, size_t first, size_t rows)
{
    const size_t columns = t->columns;
    double *from = t->in, *to = t->part;
    (void)how, (void)first;
    for (size_t k = t->span; k > 0;) {
        const size_t at_once = k > 1 ? 2 : 1, n = (rows + k - at_once) * columns;
        double *out = k == at_once ? t->out : to;
        if (at_once == 2)
            apply(t->maps->subtract_twice, from, from + columns, from + 2 * columns, out, n);
        else
            t->maps->subtract->map((void *[]){from + columns, from, out}, n, HALFCL_RTE);
        to = from;
        from = out;
        k -= at_once;
    }
}

unsigned halfcl_differences(const halfcl_neighbours *lines, size_t order, halfcl_rounding mode)
{
    const call c = {lines, differences, NULL, order, mode, false};
    if (order == 0 || order > HALFCL_MOST_DIFFERENCES)
        return HALFCL_MISUSE;
    return run_part(&c, 0, lines->lines.n, 0);
}

/* ---------------------------------------------------------------- gradients */

/* Returns whether a number has so few bits that its quotients can be computed by its inverse:
 * numbers like halves and small integers. */
static bool has_few_bits(double x)
{
    int exponent;
    const double scaled = frexp(x, &exponent) * 0x1p12;
    return isfinite(x) && x != 0 && scaled == rint(scaled) && abs(exponent) < 100;
}

/* Divides the differences of the last and the first row that it reads for each result by their
 * distance, a multiple of that of neighbours. Quotients of differences of halves by numbers of
 * few bits are halves, or halfway between two, or at least 2^-42 of them away from all these:
 * so the product with the inverse, rounded to 45 bits, rounds to half like the quotient. */
static void quotients(tile *t, const void *how, size_t first, size_t rows)
{
    const double divisor = (double)t->span * *(const double *)how;
    const bool is_short = has_few_bits(divisor);
    const size_t n = rows * t->columns;
    (void)first;
    for (; t->filled < n; t->filled++)
        t->part[t->filled] = is_short ? 1 / divisor : divisor;
    apply(is_short ? t->maps->multiply_difference : t->maps->divide_difference, t->in,
          t->in + t->span * t->columns, t->part, t->out, n);
}

/* Adds three rows times weights; weights: of each row, or of all if they are `fixed`. */
typedef struct {
    const double *at[3];
    bool fixed;
} weights;

static void multiply_row(double *out, const double *in, double weight, size_t n, bool adds)
{
    for (size_t i = 0; i < n; i++)
        out[i] = adds ? out[i] + weight * in[i] : weight * in[i];
}

static void weigh(tile *t, const weights *w, size_t from, size_t rows)
{
    const size_t columns = t->columns;
    double *out = t->out + from * columns;
    for (size_t k = 0; k < 3; k++) {
        const double *in = t->in + (from + k) * columns;
        if (w->fixed)
            multiply_row(out, in, w->at[k][0], rows * columns, k > 0);
        else if (columns == 1)
            for (size_t r = 0; r < rows; r++)
                out[r] = k > 0 ? out[r] + w->at[k][r] * in[r] : w->at[k][r] * in[r];
        else
            for (size_t r = 0; r < rows; r++)
                multiply_row(out + r * columns, in + r * columns, w->at[k][r], columns, k > 0);
    }
}

static void weigh_edge(tile *t, const void *how, size_t first, size_t rows)
{
    (void)first;
    weigh(t, how, 0, rows);
}

/* Weighs some rows at a time, so that weights need little memory. */
static void weigh_inner(tile *t, const void *how, size_t first, size_t rows)
{
    enum { SOME = 256 };
    const double *x = (const double *)how + first;
    double a[SOME], b[SOME], c[SOME];
    for (size_t done = 0; done < rows; done += SOME, x += SOME) {
        const size_t some = rows - done < SOME ? rows - done : SOME;
        for (size_t r = 0; r < some; r++) {
            const double left = x[r + 1] - x[r], right = x[r + 2] - x[r + 1];
            a[r] = -right / (left * (left + right));
            b[r] = (right - left) / (left * right);
            c[r] = left / (right * (left + right));
        }
        weigh(t, &(weights){{a, b, c}, false}, done, some);
    }
}

/* How both ends of a line are computed: by their next neighbours, at two distances, or by three
 * weights each. */
typedef struct {
    double distances[2], first[3], last[3];
    bool are_wide;
} ends;

static unsigned run_ends(const halfcl_neighbours *lines, const ends *e, halfcl_rounding mode)
{
    const size_t n = lines->lines.n, span = e->are_wide ? 2 : 1;
    const weights low = {{e->first, e->first + 1, e->first + 2}, true};
    const weights high = {{e->last, e->last + 1, e->last + 2}, true};
    formula *const f = e->are_wide ? weigh_edge : quotients;
    const void *const by_distance[] = {e->distances, e->distances + 1};
    const void *const by_weights[] = {&low, &high};
    const void *const *how = e->are_wide ? by_weights : by_distance;
    return run_part(&(call){lines, f, how[0], span, mode, false}, 0, span + 1, 0) |
           run_part(&(call){lines, f, how[1], span, mode, false}, n - span - 1, span + 1,
                    n - 1);
}

/* The functions that compute ends are calls of their own, so that all of it happens between
 * entering and leaving. */

static __attribute__((noinline)) void find_even_ends(ends *e, double distance)
{
    e->distances[0] = e->distances[1] = distance;
    if (!e->are_wide)
        return;
    e->first[0] = -1.5 / distance, e->first[1] = 2 / distance, e->first[2] = -0.5 / distance;
    for (size_t k = 0; k < 3; k++)
        e->last[k] = -e->first[2 - k];
}

static __attribute__((noinline)) void find_ends(ends *e, const double *x, size_t n)
{
    const double left = x[1] - x[0], right = x[n - 1] - x[n - 2];
    e->distances[0] = left, e->distances[1] = right;
    if (!e->are_wide)
        return;
    const double second = x[2] - x[1], before = x[n - 2] - x[n - 3];
    e->first[0] = -(2 * left + second) / (left * (left + second));
    e->first[1] = (left + second) / (left * second);
    e->first[2] = -left / (second * (left + second));
    e->last[0] = right / (before * (before + right));
    e->last[1] = -(right + before) / (before * right);
    e->last[2] = (2 * right + before) / (right * (before + right));
}

unsigned halfcl_even_gradient(const halfcl_neighbours *lines, double distance, bool wide_ends,
                              halfcl_rounding mode)
{
    const call inner = {lines, quotients, &distance, 2, mode, false};
    ends e = {.are_wide = wide_ends};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    find_even_ends(&e, distance);
    const unsigned flags = halfcl_leave(&env);
    return flags | run_part(&inner, 0, lines->lines.n, 1) | run_ends(lines, &e, mode);
}

unsigned halfcl_gradient(const halfcl_neighbours *lines, const double *x, bool wide_ends,
                         halfcl_rounding mode)
{
    const call inner = {lines, weigh_inner, x, 2, mode, false};
    ends e = {.are_wide = wide_ends};
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    find_ends(&e, x, lines->lines.n);
    const unsigned flags = halfcl_leave(&env);
    return flags | run_part(&inner, 0, lines->lines.n, 1) | run_ends(lines, &e, mode);
}

/* ---------------------------------------------------------------- integrals */

typedef struct {
    double distance;
    bool *are_finite;
} trapezoids;

/* Returns the product, truncated with a sticky last bit. */
static double product_to_odd(double x, double y)
{
    const dd product = dd_two_prod(x, y);
    return product.lo == 0 ? product.hi : halfcl_multiply_add_to_odd(x, y, 0);
}

/* Sums all rows, of which the first and the last one count half. These are at most
 * HALFCL_MOST_SUMMED multiples of 2^-25, so that the sums are exact. */
static void integrals(tile *t, const void *how, size_t first, size_t rows)
{
    const trapezoids *p = how;
    const size_t columns = t->columns;
    const double *last = t->in + t->span * columns;
    (void)first, (void)rows;
    for (size_t k = 0; k < columns; k++)
        t->out[k] = t->in[k] * 0.5;
    for (const double *row = t->in + columns; row < last; row += columns)
        for (size_t k = 0; k < columns; k++)
            t->out[k] += row[k];
    for (size_t k = 0; k < columns; k++) {
        t->out[k] += last[k] * 0.5;
        *p->are_finite &= isfinite(t->out[k]) != 0;
    }
    for (size_t k = 0; k < columns && p->distance != 1 && *p->are_finite; k++)
        t->out[k] = product_to_odd(t->out[k], p->distance);
}

bool halfcl_trapezoid(const halfcl_neighbours *lines, double distance, halfcl_rounding mode,
                      unsigned *flags)
{
    bool are_finite = true;
    const trapezoids p = {distance, &are_finite};
    const call c = {lines, integrals, &p, lines->lines.n - 1, mode, false};
    *flags = run_part(&c, 0, lines->lines.n, 0);
    return are_finite;
}

/* ---------------------------------------------------------------- phases */

typedef struct {
    double period, discontinuity;
    double *sums; /* of the corrections so far, in each column of a tile */
} phases;

/* Returns NumPy's mod of a number and a positive one. */
static double positive_mod(double x, double y)
{
    const double rest = fmod(x, y);
    if (rest == 0)
        return 0;
    return isless(rest, 0) ? rest + y : rest;
}

static double correction(double difference, const phases *p)
{
    const double high = p->period / 2;
    if (isless(fabs(difference), p->discontinuity))
        return 0;
    double within = positive_mod(difference + high, p->period) - high;
    if (within == -high && isgreater(difference, 0))
        within = high;
    return within - difference;
}

static void add_corrections(tile *t, const void *how, size_t first, size_t rows)
{
    const phases *p = how;
    const size_t columns = t->columns;
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < columns; k++) {
            const double x = t->in[(r + 1) * columns + k];
            const double step = correction(x - t->in[r * columns + k], p);
            p->sums[k] = first + r == 0 ? step : p->sums[k] + step;
            t->out[r * columns + k] = x + p->sums[k];
        }
}

static void keep(tile *t, const void *how, size_t first, size_t rows)
{
    (void)how, (void)first;
    memcpy(t->out, t->in, rows * t->columns * sizeof *t->out);
}

unsigned halfcl_unwrap(const halfcl_neighbours *lines, double period, double discontinuity,
                       halfcl_rounding mode)
{
    double sums[TILE];
    const phases p = {period, discontinuity, sums};
    const call first = {lines, keep, NULL, 0, mode, false},
               rest = {lines, add_corrections, &p, 1, mode, false};
    return run_part(&first, 0, lines->lines.n < 1 ? 0 : 1, 0) |
           run_part(&rest, 0, lines->lines.n, 1);
}

/* ---------------------------------------------------------------- polynomials */

typedef struct {
    const double *coefficients;
    size_t count;
} polynomial;

static void horner(tile *t, const void *how, size_t first, size_t rows)
{
    const polynomial *p = how;
    const size_t n = rows * t->columns;
    (void)first;
    memset(t->out, 0, n * sizeof *t->out);
    for (size_t k = 0; k < p->count; k++) {
        const double coefficient = p->coefficients[k];
        for (size_t i = 0; i < n; i++)
            t->out[i] = t->out[i] * t->in[i] + coefficient;
    }
}

unsigned halfcl_polynomial(const halfcl_neighbours *lines, const double *coefficients,
                           size_t count, bool to_double, halfcl_rounding mode)
{
    const polynomial p = {coefficients, count};
    const call c = {lines, horner, &p, 0, mode, to_double};
    return run_part(&c, 0, lines->lines.n, 0);
}
