/* Many means, variances and roots at once, rounded to half: those of usual sums in double, and
 * the others one by one (exact/statistic.c).
 *
 * Each is N / D * 2^unit, or the square root of that, for integers N and D. A half, or a
 * midpoint of two, is a number m of at most 12 bits. Comparing N with D m, or with D m^2,
 * compares the result with m. Both have up to DIVISOR_BITS + 24 bits, which is fewer than
 * KEPT_BITS, so N rounded to odd with KEPT_BITS compares with them as N does; and unless it is
 * one of them, it differs by at least 2^-KEPT_BITS, relatively, so that the quotient in double,
 * with an error of 2^-52, and its root compare with m^2 and m as the exact ones do. If they are
 * m, they are exact. So it remains to round the double to half. */
#include <math.h>

#include "env/env.h"
#include "exact/doubledouble/dd.h"
#include "exact/sum.h"
#include "format/rounding_test.h"
#include "format/strided.h"
#include "run/splitting.h"

enum { BLOCK = HALFCL_FEW_COLUMNS, KEPT_BITS = 47, DIVISOR_BITS = 22, MOST_NUMBERS = 1 << 10 };

/* Units of sums, and of sums of products. */
#define SUM_UNIT 0x1p-24
#define PRODUCTS_UNIT 0x1p-48

/* Returns |hi + lo| with hi's sign, rounded to odd with KEPT_BITS; lo is hi's error. */
ALWAYS_INLINE double round_to_kept_bits(dd x)
{
    enum { CUT = 53 - KEPT_BITS };
    const uint64_t cut = ((uint64_t)1 << CUT) - 1;
    const bool rest = x.lo != 0, below = rest & ((x.lo < 0) != (x.hi < 0));
    const uint64_t bits = bits_of_double(x.hi) - below;
    return double_of_bits((bits & ~cut) | (uint64_t)(rest | ((bits & cut) != 0)) << CUT);
}

/* Returns a sum below 2^74 in its units, exactly; false if it is larger. */
ALWAYS_INLINE bool double_sum_of(const halfcl_fold_state *state, dd *sum)
{
    const int64_t *limb = state->sum.limb, most = (int64_t)1 << 42;
    const int64_t high = (int64_t)((uint64_t)limb[2] << 32 | (uint64_t)limb[1]);
    const int64_t sign = high < 0 ? -1 : 0;
    *sum = (dd){(double)high * 0x1p32, (double)limb[0]};
    return -most < high && high < most && limb[3] == (sign & LIMB_MASK) && limb[4] == sign &&
           !(state->seen & SEEN_SPECIAL);
}

/* Computes n sum(x^2) - sum(x)^2, exactly, for sums in their units: all numbers are integers,
 * below 2^51 except for the high parts. */
ALWAYS_INLINE bool variation_of(dd total, dd all, double n, dd *difference)
{
    const double whole = total.hi + total.lo;
    if (!(-0x1p50 < whole && whole < 0x1p50))
        return false;
    const dd square = dd_two_prod_in_parts(whole, whole),
             most = dd_two_prod_in_parts(n, all.hi);
    const dd high = dd_two_sum(most.hi, -square.hi);
    const double rest = most.lo - square.lo + n * all.lo;
    *difference = dd_two_sum(high.hi, high.lo + rest);
    return difference->hi >= 0;
}

/* Returns whether results are the folds themselves. */
ALWAYS_INLINE bool is_plain(halfcl_statistic what)
{
    return what == HALFCL_SUM || what == HALFCL_SUM_OF_PRODUCTS || what == HALFCL_PRODUCT;
}

/* Returns whether products alone decide. */
ALWAYS_INLINE bool is_of_products(halfcl_statistic what)
{
    return what == HALFCL_SUM_OF_PRODUCTS || what == HALFCL_NORM;
}

/* Returns whether sums and squares decide. */
ALWAYS_INLINE bool is_of_both(halfcl_statistic what)
{
    return what == HALFCL_VARIANCE || what == HALFCL_DEVIATION;
}

typedef struct {
    halfcl_statistic what;
    uint64_t n, freedom;
    halfcl_rounding mode;
} rounding;

/* Returns the rounding for a row of which so many elements are NaNs. */
static rounding rounding_of_row(const rounding *how, uint64_t nans)
{
    const uint64_t freedom = how->freedom > nans ? how->freedom - nans : 0;
    return (rounding){how->what, how->n - nans, freedom, how->mode};
}

static bool has_too_few(const rounding *row)
{
    return row->n == 0 || (row->what != HALFCL_MEAN && row->freedom == 0);
}

/* Computes N for one result; returns false if the slow path must do it. The sign of a zero sum
 * is determined separately. */
ALWAYS_INLINE bool numerator_of(const rounding *how, dd total, dd all, double *numerator)
{
    const bool of_both = is_of_both(how->what);
    dd exact = how->what == HALFCL_NORM ? all : total;
    if (of_both && !variation_of(total, all, (double)how->n, &exact))
        return false;
    exact = dd_two_sum(exact.hi, exact.lo);
    *numerator = round_to_kept_bits(exact);
    return *numerator != 0 || how->what != HALFCL_MEAN;
}

ALWAYS_INLINE bool numerator_of_states(const rounding *how, const halfcl_moments *of, size_t k,
                                       double *numerator)
{
    dd total = {0, 0}, all = {0, 0};
    *numerator = 0;
    return (how->what == HALFCL_NORM || double_sum_of(of->sum + k, &total)) &&
           (how->what == HALFCL_MEAN || double_sum_of(of->products + k, &all)) &&
           numerator_of(how, total, all, numerator);
}

/* Returns the divisor; 0: not supported here. */
static double divisor_of(const rounding *how)
{
    const uint64_t most = (uint64_t)1 << DIVISOR_BITS;
    if (how->what == HALFCL_NORM)
        return 1;
    if (!is_of_both(how->what))
        return how->what == HALFCL_MEAN && how->n <= most ? (double)how->n : 0;
    if (how->n > MOST_NUMBERS || how->freedom > most)
        return 0;
    const double product = (double)how->n * (double)how->freedom;
    return product <= (double)most ? product : 0;
}

/* Computes the results from quotients, in RTE. */
static void finish_quotients(const rounding *how, size_t count, double *results)
{
    const double unit = how->what == HALFCL_VARIANCE ? PRODUCTS_UNIT : SUM_UNIT;
    const bool root = how->what == HALFCL_DEVIATION || how->what == HALFCL_NORM;
    for (size_t k = 0; k < count && root; ++k)
        results[k] = sqrt(results[k]);
    for (size_t k = 0; k < count; ++k)
        results[k] *= unit;
}

/* Computes the results from numerators, in RTE. */
static void divide(const rounding *how, double divisor, size_t count, double *results)
{
    for (size_t k = 0; k < count && divisor != 1; ++k)
        results[k] /= divisor;
    finish_quotients(how, count, results);
}

static unsigned narrow_all(const halfcl_kernel *narrow, const double *from, size_t count,
                           halfcl_rounding mode, uint16_t *results)
{
    char *const operands[] = {(char *)from, (char *)results};
    const ptrdiff_t steps[] = {sizeof *from, sizeof *results};
    return halfcl_run(narrow, operands, steps, count, mode);
}

static halfcl_moments moments_from(const halfcl_moments *of, size_t k)
{
    return (halfcl_moments){of->sum ? of->sum + k : NULL,
                            of->products ? of->products + k : NULL};
}

static unsigned round_block(const rounding *how, const halfcl_kernel *narrow, double divisor,
                            const halfcl_moments *of, size_t count, uint16_t *results)
{
    double values[BLOCK];
    size_t undecided[BLOCK + 1], undecided_count = 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t k = 0; k < count; ++k) {
        undecided[undecided_count] = k;
        undecided_count += !numerator_of_states(how, of, k, &values[k]);
    }
    divide(how, divisor, count, values);
    halfcl_leave(&env);
    unsigned flags = narrow_all(narrow, values, count, how->mode, results);
    for (size_t i = 0; i < undecided_count; ++i) {
        const halfcl_moments one = moments_from(of, undecided[i]);
        flags |= halfcl_round_statistic(how->what, &one, how->n, how->freedom, HALFCL_HALF,
                                        how->mode, results + undecided[i]);
    }
    return flags;
}

/* Rounds statistics of rows of which nans[k] elements are NaNs. */
static unsigned round_counted(const rounding *how, const halfcl_moments *of,
                              const uint32_t *nans, size_t count, uint16_t *results)
{
    unsigned flags = 0;
    for (size_t k = 0; k < count; ++k) {
        const halfcl_moments one = moments_from(of, k);
        const rounding row = rounding_of_row(how, nans[k]);
        results[k] = HALF_NAN;
        flags |= has_too_few(&row)
                     ? HALFCL_TOO_FEW
                     : halfcl_round_statistic(how->what, &one, row.n, row.freedom, HALFCL_HALF,
                                              how->mode, results + k);
    }
    return flags;
}

unsigned halfcl_round_statistics(halfcl_statistic what, const halfcl_moments *of, size_t count,
                                 uint64_t n, uint64_t freedom, const halfcl_kernel *narrow,
                                 halfcl_rounding mode, uint16_t *results)
{
    enum { FEW = 4 };
    const rounding how = {what, n, freedom, mode};
    const double divisor = count > FEW ? divisor_of(&how) : 0;
    unsigned flags = 0;
    for (size_t k = 0, some; k < count; k += some) {
        const halfcl_moments here = moments_from(of, k);
        some = divisor == 0 ? 1 : count - k < BLOCK ? count - k : BLOCK;
        flags |= divisor == 0 ? halfcl_round_statistic(what, &here, n, freedom, HALFCL_HALF,
                                                       mode, results + k)
                              : round_block(&how, narrow, divisor, &here, some, results + k);
    }
    return flags;
}

/* ---------------------------------------------------------------- without states */

/* A block of rows or columns: their elements, as rows; and their sums and results. */
typedef struct {
    uint16_t gathered[2][HALFCL_FEW * BLOCK];
    double sums[BLOCK + HALFCL_ROOM], products[BLOCK + HALFCL_ROOM];
    double results[BLOCK + HALFCL_ROOM], divisors[BLOCK]; /* divisors if NaNs are counted */
    uint32_t nans[BLOCK];
    size_t undecided[BLOCK + 1],
        undecided_count; /* indices of the results that the slow path computes */
} few_block;

static halfcl_elements some_of(const halfcl_elements *all, size_t first, size_t count)
{
    halfcl_elements some = *all;
    for (int i = 0; i < 2; ++i)
        some.inputs[i] += (ptrdiff_t)first * all->across[i];
    some.count = count;
    return some;
}

/* Returns element r of row k of input i. */
static uint16_t element_of_row(const halfcl_elements *elements, int i, size_t k, size_t r)
{
    return read_half(elements->inputs[i] + (ptrdiff_t)k * elements->across[i] +
                     (ptrdiff_t)r * elements->along[i]);
}

/* Row r of the gathered elements has element r of all. */
static void gather_rows(uint16_t *rows, const halfcl_elements *elements, int i)
{
    for (size_t r = 0; r < elements->n; ++r)
        halfcl_copy((char *)(rows + r * BLOCK), sizeof *rows,
                    elements->inputs[i] + (ptrdiff_t)r * elements->along[i],
                    elements->across[i], elements->count);
}

/* Returns whether results depend on how many elements are NaNs. */
static bool are_counted(const rounding *how, const halfcl_elements *elements)
{
    return elements->number_or && how->what >= HALFCL_MEAN && how->what <= HALFCL_DEVIATION;
}

static bool has_nans(const few_block *block, size_t count)
{
    uint32_t any = 0;
    for (size_t k = 0; k < count; ++k)
        any |= block->nans[k];
    return any;
}

static void count_nans(uint32_t *nans, const uint16_t *row, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        nans[k] += (row[k] & HALF_MAGNITUDE) > HALF_INF;
}

/* Gathers rows in place of the elements, counts their NaNs if results depend on these, and
 * replaces them. */
static halfcl_elements rows_of_numbers(few_block *block, const rounding *how,
                                       const halfcl_elements *elements)
{
    halfcl_elements rows = *elements;
    uint16_t others[BLOCK];
    for (size_t k = 0; k < elements->count; ++k)
        others[k] = elements->instead;
    const bool counted = are_counted(how, elements);
    gather_rows(block->gathered[0], elements, 0);
    memset(block->nans, 0, elements->count * sizeof *block->nans);
    for (size_t r = 0; r < elements->n; ++r) {
        uint16_t *row = block->gathered[0] + r * BLOCK;
        if (counted)
            count_nans(block->nans, row, elements->count);
        elements->number_or->map((void *[]){row, others, row}, elements->count, HALFCL_RTE);
    }
    rows.number_or = NULL;
    for (int i = 0; i < 2; ++i) {
        rows.inputs[i] = (char *)block->gathered[0];
        rows.across[i] = sizeof *block->gathered[0];
        rows.along[i] = BLOCK * sizeof *block->gathered[0];
    }
    return rows;
}

static void make_rows(few_block *block, const halfcl_elements *elements, int nin,
                      const void **rows, ptrdiff_t *steps)
{
    for (int i = 0; i < nin; ++i) {
        const bool same = i > 0 && elements->inputs[0] == elements->inputs[1] &&
                          elements->across[0] == elements->across[1] &&
                          elements->along[0] == elements->along[1];
        rows[i] = same ? rows[0] : elements->inputs[i];
        steps[i] = same ? steps[0] : elements->along[i];
        if (same || (halfcl_is_direct(elements->inputs[i], elements->across[i], 2) &&
                     elements->along[i] % 2 == 0))
            continue;
        gather_rows(block->gathered[i], elements, i);
        rows[i] = block->gathered[i];
        steps[i] = BLOCK * sizeof *block->gathered[i];
    }
}

/* Sums and products are results themselves; the sign of zero sums is determined separately. */
static bool take_result(const rounding *how, few_block *block, size_t k, bool exact)
{
    const bool of_products = how->what == HALFCL_SUM_OF_PRODUCTS;
    const double values = of_products ? block->products[k] : block->sums[k];
    block->results[k] = values;
    if (how->what == HALFCL_PRODUCT)
        return values == values &&
               (exact || values == 0 || !is_near_short(values, ERROR_OF_FEW_FACTORS));
    return values != 0 && values - values == 0;
}

static bool take_numerator(const rounding *how, few_block *block, size_t k)
{
    const bool sums = how->what != HALFCL_NORM, products = how->what != HALFCL_MEAN;
    const dd total = {sums ? block->sums[k] / SUM_UNIT : 0, 0};
    const dd all = {products ? block->products[k] / PRODUCTS_UNIT : 0, 0};
    block->results[k] = 0;
    return total.hi - total.hi == 0 && all.hi - all.hi == 0 &&
           numerator_of(how, total, all, &block->results[k]);
}

/* Computes the result of a row whose NaNs are counted, and its divisor; returns false if the
 * slow path must do it. */
static bool take_counted(const rounding *how, few_block *block, size_t k)
{
    const rounding row = rounding_of_row(how, block->nans[k]);
    const double divisor = row.freedom > 0 || how->what == HALFCL_MEAN ? divisor_of(&row) : 0;
    const bool decided = divisor > 0 && take_numerator(&row, block, k);
    block->divisors[k] = decided ? divisor : 1;
    return decided;
}

static void divide_counted(const rounding *how, size_t count, few_block *block)
{
    for (size_t k = 0; k < count; ++k)
        block->results[k] /= block->divisors[k];
    finish_quotients(how, count, block->results);
}

/* Takes an infinite total, or one that is NaN, whose terms raised nothing. */
static bool take_special(const rounding *how, few_block *block, size_t k, double total)
{
    const bool is_number = total == total;
    block->results[k] = is_number ? total : (double)NAN;
    return total - total != 0 && !(is_number && is_of_both(how->what));
}

/* Returns a sum that is zero, with its sign. */
static double zero_of_row(const halfcl_elements *elements, size_t k, int nin, unsigned seen,
                          halfcl_rounding mode)
{
    const unsigned decisive = mode == HALFCL_RTN ? SEEN_MINUS : SEEN_PLUS;
    for (size_t r = 0; r < elements->n && !(seen & decisive); ++r) {
        uint16_t sign = 0;
        for (int i = 0; i < nin; ++i)
            sign ^= element_of_row(elements, i, k, r) & HALF_SIGN;
        seen |= sign ? SEEN_MINUS : SEEN_PLUS; /* terms that are not zero have both signs */
    }
    return zero_is_negative(seen, mode) ? -0.0 : 0;
}

/* Decides sums and means of zero, which are as common as black pixels. */
static void decide_zeros(const halfcl_reduction *to, const rounding *how, few_block *block,
                         const halfcl_elements *elements)
{
    const bool of_products = how->what == HALFCL_SUM_OF_PRODUCTS;
    const double *totals = of_products ? block->products : block->sums;
    size_t count = 0;
    if (!(of_products || how->what == HALFCL_SUM || how->what == HALFCL_MEAN))
        return;
    for (size_t i = 0; i < block->undecided_count; ++i) {
        const size_t k = block->undecided[i];
        if (totals[k] == 0)
            block->results[k] =
                zero_of_row(elements, k, of_products ? 2 : 1, to->seen, how->mode);
        else
            block->undecided[count++] = k;
    }
    block->undecided_count = count;
}

/* Adds up, or multiplies, each row's numbers; returns whether the results are exact. */
static bool take_sums(const halfcl_reduction *to, few_block *block,
                      const halfcl_elements *numbers)
{
    const void *rows[2];
    ptrdiff_t steps[2];
    const size_t count = numbers->count;
    bool exact = true;
    make_rows(block, numbers, to->products ? 2 : 1, rows, steps);
    if (to->sum)
        exact = to->sum->fold.take_few(block->sums, count, rows, steps, numbers->n);
    if (to->products)
        exact &= to->products->fold.take_few(block->products, count, rows, steps, numbers->n);
    return exact;
}

/* Returns false if sums are not exact. counted: block->nans count elements that are omitted. */
static bool find_few(const halfcl_reduction *to, const rounding *how, double divisor,
                     few_block *block, const halfcl_elements *numbers, bool counted)
{
    const size_t count = numbers->count;
    const bool plain = divisor == 0;
    const bool exact = take_sums(to, block, numbers);
    if (!exact && how->what != HALFCL_PRODUCT)
        return false;
    const bool tells_all = !counted && !halfcl_was_invalid();
    const double *totals = to->sum ? block->sums : block->products;
    block->undecided_count = 0;
    for (size_t k = 0; k < count; ++k) {
        block->undecided[block->undecided_count] = k;
        block->undecided_count += !((tells_all && take_special(how, block, k, totals[k])) ||
                                    (plain     ? take_result(how, block, k, exact)
                                     : counted ? take_counted(how, block, k)
                                               : take_numerator(how, block, k)));
    }
    if (!counted) /* zero numbers have no mean */
        decide_zeros(to, how, block, numbers);
    for (size_t i = 0; i < block->undecided_count; ++i)
        block->results[block->undecided[i]] = 0; /* zero raises nothing */
    if (counted)
        divide_counted(how, count, block);
    else if (!plain)
        divide(how, divisor, count, block->results);
    return true;
}

/* nans: how many elements of each row are NaNs, if these are counted; or NULL. */
static unsigned round_states(const halfcl_reduction *to, const rounding *how,
                             const halfcl_moments *of, const uint32_t *nans, size_t count,
                             uint16_t *results)
{
    const halfcl_kernel *fold = how->what == HALFCL_SUM_OF_PRODUCTS ? to->products : to->sum;
    const halfcl_fold_state *states =
        how->what == HALFCL_SUM_OF_PRODUCTS ? of->products : of->sum;
    if (is_plain(how->what))
        return halfcl_states_finish(fold, (const char *)states, sizeof *states, count, results,
                                    how->mode);
    if (nans)
        return round_counted(how, of, nans, count, results);
    return halfcl_round_statistics(how->what, of, count, how->n, how->freedom, to->narrow,
                                   how->mode, results);
}

/* Computes up to BLOCK results with states. */
static unsigned reduce_exactly(const halfcl_reduction *to, const rounding *how,
                               const halfcl_elements *elements, uint16_t *results)
{
    halfcl_fold_state states[2][BLOCK];
    uint32_t nans[BLOCK] = {0};
    const halfcl_kernel *folds[] = {to->sum, to->products};
    const bool counted = are_counted(how, elements);
    for (int f = 0; f < 2; ++f) {
        for (size_t k = 0; k < elements->count; ++k)
            states[f][k] = (halfcl_fold_state){.seen = to->seen};
        if (folds[f])
            halfcl_states_add(folds[f], (char *)states[f], sizeof **states, elements);
    }
    for (size_t k = 0; k < elements->count && counted; ++k) {
        for (size_t r = 0; r < elements->n; ++r) {
            const uint16_t half = element_of_row(elements, 0, k, r);
            count_nans(nans + k, &half, 1);
        }
    }
    const halfcl_moments moments = {states[0], states[1]};
    return round_states(to, how, &moments, counted ? nans : NULL, elements->count, results);
}

/* Returns what sums start with: it adds nothing, or is the +0 that they are told to start from.
 */
static float start_of_sums(const halfcl_reduction *to)
{
    return to->seen || to->mode == HALFCL_RTN ? 0.0f : -0.0f;
}

/* A NaN result is the positive one, whatever the elements. NaNs are found by integers, of which
 * compilers make vectors. */
static void make_nans_positive(double *results, size_t count)
{
    const uint64_t sign = (uint64_t)1 << 63, infinity = (uint64_t)0x7ff << 52;
    uint64_t any = 0;
    for (size_t k = 0; k < count; ++k)
        any |= (bits_of_double(results[k]) & ~sign) + (sign - 1 - infinity);
    for (size_t k = 0; k < count && any & sign; ++k)
        results[k] = results[k] == results[k] ? results[k] : (double)NAN;
}

/* Computes up to BLOCK results at once; returns false if they need a closer look. */
static bool round_at_once(const halfcl_reduction *to, const rounding *how, double divisor,
                          few_block *block, const halfcl_elements *elements, uint16_t *results,
                          unsigned *flags)
{
    const halfcl_kernel *fold = is_of_products(how->what) ? to->products : to->sum;
    const bool gives_halves = how->what <= HALFCL_MEAN || how->what == HALFCL_PRODUCT;
    const halfcl_few few = {how->what, elements->n, divisor, start_of_sums(to), how->mode};
    void *to_results = gives_halves ? (void *)results : block->results;
    const void *rows[2];
    ptrdiff_t steps[2];
    unsigned own_flags = 0;
    halfcl_env env;
    make_rows(block, elements, to->products ? 2 : 1, rows, steps);
    halfcl_enter(&env, gives_halves ? how->mode : HALFCL_RTE);
    const bool is_done =
        fold->fold.round_few(to_results, elements->count, rows, steps, &few, &own_flags);
    own_flags |= halfcl_leave(&env);
    if (!is_done)
        return false;
    if (!gives_halves) {
        make_nans_positive(block->results, elements->count);
        own_flags = narrow_all(to->narrow, block->results, elements->count, how->mode, results);
    }
    *flags |= own_flags;
    return true;
}

/* Computes up to BLOCK results without states; returns false, with nothing written, if sums are
 * not exact. */
static bool reduce_quickly(const halfcl_reduction *to, const rounding *how, double divisor,
                           const halfcl_elements *elements, uint16_t *results, unsigned *flags)
{
    few_block block; /* not initialised as a whole: it is large */
    halfcl_env env;
    const halfcl_elements numbers =
        elements->number_or ? rows_of_numbers(&block, how, elements) : *elements;
    const bool counted = are_counted(how, elements) && has_nans(&block, elements->count);
    if (!counted && round_at_once(to, how, divisor, &block, &numbers, results, flags))
        return true;
    halfcl_enter(&env, HALFCL_RTE);
    const bool are_exact = find_few(to, how, divisor, &block, &numbers, counted);
    halfcl_leave(&env);
    if (!are_exact)
        return false;
    *flags |= narrow_all(to->narrow, block.results, elements->count, how->mode, results);
    for (size_t i = 0; i < block.undecided_count; ++i) {
        const halfcl_elements one = some_of(elements, block.undecided[i], 1);
        *flags |= reduce_exactly(to, how, &one, results + block.undecided[i]);
    }
    return true;
}

/* ---------------------------------------------------------------- in float and double */

/* Returns a quotient by up to HALFCL_FEW, rounded to odd with KEPT_BITS; the mode is RTZ. */
static double divide_to_odd(double total, double n)
{
    const uint64_t last = (uint64_t)1 << (53 - KEPT_BITS);
    const uint64_t kept = bits_of_double(total / n) & ~(last - 1);
    return double_of_bits(kept | (double_of_bits(kept) * n != total ? last : 0));
}

/* Rounds exact totals, or their quotients by n, once. */
static void round_totals(const double *totals, double n, size_t count, halfcl_type type,
                         halfcl_rounding mode, char *results)
{
    double quotients[BLOCK];
    float floats[BLOCK];
    const bool wide = type == HALFCL_DOUBLE;
    halfcl_env env;
    halfcl_enter(&env, wide ? mode : HALFCL_RTZ);
    for (size_t k = 0; k < count; ++k)
        quotients[k] = wide ? totals[k] / n : divide_to_odd(totals[k], n);
    halfcl_leave(&env);
    if (wide) {
        memcpy(results, quotients, count * sizeof *quotients);
        return;
    }
    halfcl_enter(&env, mode);
    for (size_t k = 0; k < count; ++k)
        floats[k] = (float)quotients[k];
    halfcl_leave(&env);
    memcpy(results, floats, count * sizeof *floats);
}

/* Computes up to BLOCK results with states. */
static unsigned reduce_wide_exactly(const halfcl_reduction *to, const rounding *how,
                                    const halfcl_elements *elements, char *results)
{
    halfcl_fold_state states[BLOCK];
    const halfcl_kernel *fold = to->sum ? to->sum : to->products;
    unsigned flags = 0;
    for (size_t k = 0; k < elements->count; ++k)
        states[k] = (halfcl_fold_state){.seen = to->seen};
    halfcl_states_add(fold, (char *)states, sizeof *states, elements);
    for (size_t k = 0; k < elements->count; ++k) {
        const halfcl_moments one = {states + k, states + k};
        flags |= halfcl_round_statistic(how->what, &one, how->n, how->freedom, to->type,
                                        how->mode, results + k * halfcl_type_size(to->type));
    }
    return flags;
}

/* Computes up to BLOCK results without states; returns false, with nothing written, if sums are
 * not exact. */
static bool reduce_wide_quickly(const halfcl_reduction *to, const rounding *how,
                                const halfcl_elements *elements, char *results, unsigned *flags)
{
    few_block block; /* not initialised as a whole: it is large */
    double *totals = to->sum ? block.sums : block.products;
    const size_t size = halfcl_type_size(to->type);
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    const bool are_exact = take_sums(to, &block, elements);
    halfcl_leave(&env);
    if (!are_exact)
        return false;
    for (size_t k = 0; k < elements->count; ++k) {
        if (totals[k] == 0)
            totals[k] = zero_of_row(elements, k, to->sum ? 1 : 2, to->seen, how->mode);
    }
    round_totals(totals, how->what == HALFCL_MEAN ? (double)how->n : 1, elements->count,
                 to->type, how->mode, results);
    for (size_t k = 0; k < elements->count; ++k) {
        const halfcl_elements one = some_of(elements, k, 1);
        if (totals[k] - totals[k] != 0) /* infinite, or a NaN */
            *flags |= reduce_wide_exactly(to, how, &one, results + k * size);
    }
    return true;
}

/* ---------------------------------------------------------------- block by block */

typedef struct {
    const halfcl_reduction *to;
    const halfcl_elements *elements;
    char *results;
} few_call;

/* A sum that is not exact spoils a whole block, so the next attempt is with half as many
 * results. */
static unsigned reduce_blocks(void *work, size_t first, size_t blocks, int thread)
{
    enum { NARROW = 16, PATIENCE = 16 };
    const few_call *call = work;
    const halfcl_reduction *to = call->to;
    const rounding how = {to->what, call->elements->n, to->freedom, to->mode};
    const bool plain = is_plain(how.what);
    const double divisor = plain ? 0 : divisor_of(&how);
    const size_t all = call->elements->count, end = (first + blocks) * BLOCK;
    const size_t stop = end < all ? end : all;
    unsigned flags = 0;
    size_t width = BLOCK;
    int wait = 0,
        patience = 1; /* narrow blocks without an attempt, after a failure and another */
    (void)thread;
    for (size_t k = first * BLOCK, count; k < stop; k += count) {
        count = stop - k < width ? stop - k : width;
        const halfcl_elements some = some_of(call->elements, k, count);
        const bool tried = wait == 0 && how.n > 0 && (plain || divisor != 0);
        char *results = call->results + k * halfcl_type_size(to->type);
        const bool wide = to->type != HALFCL_HALF;
        uint16_t *halves = (uint16_t *)results;
        if (tried && (wide ? reduce_wide_quickly(to, &how, &some, results, &flags)
                           : reduce_quickly(to, &how, divisor, &some, halves, &flags))) {
            width = width < BLOCK ? 2 * width : BLOCK;
            patience = 1;
        } else if (tried && count > NARROW) {
            width = count / 2;
            count = 0;
        } else {
            flags |= wide ? reduce_wide_exactly(to, &how, &some, results)
                          : reduce_exactly(to, &how, &some, halves);
            wait = tried ? patience : wait - (wait > 0);
            patience *= tried && patience < PATIENCE ? 2 : 1;
        }
    }
    return flags;
}

static bool takes_few(const halfcl_kernel *fold, int nin)
{
    return fold && fold->kind == HALFCL_FOLD && fold->signature.nin == nin &&
           fold->fold.take_few && fold->fold.round_few;
}

static bool narrows(const halfcl_kernel *map)
{
    return map && map->kind == HALFCL_MAP && map->signature.nin == 1 &&
           map->signature.nout == 1 && map->signature.types[0] == HALFCL_DOUBLE &&
           map->signature.types[1] == HALFCL_HALF;
}

/* Returns whether the kernels of the statistic are given, and all kernels given have the right
 * types. */
static bool kernels_fit(const halfcl_reduction *to)
{
    const bool of_products = is_of_products(to->what);
    return (takes_few(to->sum, 1) || (!to->sum && of_products)) &&
           (takes_few(to->products, 2) ||
            (!to->products && !of_products && !is_of_both(to->what))) &&
           narrows(to->narrow);
}

/* Returns whether the statistic has results of that type here. */
static bool type_fits(const halfcl_reduction *to, const halfcl_elements *elements)
{
    const bool is_sum = to->what == HALFCL_SUM || to->what == HALFCL_MEAN;
    if (to->type == HALFCL_HALF)
        return true;
    return (to->type == HALFCL_FLOAT || to->type == HALFCL_DOUBLE) && !elements->number_or &&
           (is_sum ? to->sum && !to->products
                   : to->what == HALFCL_SUM_OF_PRODUCTS && to->products && !to->sum);
}

unsigned halfcl_reduce_few(const halfcl_reduction *to, const halfcl_elements *elements,
                           void *results)
{
    enum { SPLIT_FROM = 1 << 16 };
    few_call call = {to, elements, results};
    const size_t blocks = (elements->count + BLOCK - 1) / BLOCK;
    if (elements->n > HALFCL_FEW || elements->where || !kernels_fit(to) ||
        !type_fits(to, elements))
        return HALFCL_MISUSE;
    if (!halfcl_may_split_from(elements->count * elements->n, SPLIT_FROM))
        return reduce_blocks(&call, 0, blocks, 0);
    return halfcl_run_divided(
        &(halfcl_divisible){reduce_blocks, &call, blocks, BLOCK * elements->n},
        halfcl_get_threads());
}
