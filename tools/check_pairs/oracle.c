#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "hard_pairs.h"
#include "settle.h"

/* ------------------------------------------------------------------ second operands */

/* Integers: all n with |n| <= a bound beyond which the result depends on n by its sign and
 * whether it is odd only, or, rounded, not at all; and of those beyond it the powers of two
 * with their neighbours, and the extremes.
 *
 * ldexp: the least half times 2^64 overflows, the largest times 2^-64 is tiny.
 * pown: the halves nearest to 1 are 1 - 2^-11 and 1 + 2^-10. The power of the first is below
 *   2^-25, half the least half, from n > 25 log 2 / -log(1 - 2^-11) = 35,480 on, and
 *   overflows from n < -22,707; those of all others do so sooner.
 * rootn: |log x| <= 24 log 2 for any half. So |log x / n| < 2^-12.01 for |n| > 68,800, and
 *   the root is between 1 - 2^-12 and 1 + 2^-11, the midpoints beside 1.
 * compoundn: 1 + x comes as close to 1 as 2^-24, and n matters up to 2^29. Beyond the bound
 * only the two integers on either side of each number where half rounds are tried: between
 * these the power, which is monotonic in n, rounds as it does at them, and lies farther from
 * such a number. */
enum { LDEXP_BOUND = 64, POWN_BOUND = 36000, ROOTN_BOUND = 69000 };

static void append_crossings(uint16_t a, operands *list);

static operands halves, integers_of_ldexp, integers_of_pown, integers_of_rootn,
    integers_of_compoundn = {.add = append_crossings};

static void append(operands *list, int64_t n)
{
    list->at[list->count++] = (int32_t)n;
}

/* Beyond the bound, the powers of two with their neighbours, and the extremes. */
static void append_large(operands *list, int64_t bound)
{
    for (int k = 1; k < 32; ++k) {
        for (int64_t n = ((int64_t)1 << k) - 1; n <= ((int64_t)1 << k) + 1; ++n) {
            if (n > bound && n <= INT32_MAX)
                append(list, n);
            if (n > bound && -n >= INT32_MIN)
                append(list, -n);
        }
    }
}

static void list_integers(operands *list, int64_t bound)
{
    list->at = malloc(MAX_SECOND * sizeof *list->at);
    if (!list->at)
        abort();
    for (int64_t n = -bound; n <= bound; ++n)
        append(list, n);
    append_large(list, bound);
}

/* The integers around n, two on either side, that are beyond both the bound and the last. */
static int64_t append_around(operands *list, double n, int64_t last)
{
    int64_t first = (int64_t)floor(fabs(n)) - 1;
    for (int64_t k = first > last ? first : last + 1; k < first + 4 && k <= INT32_MAX; ++k) {
        append(list, n < 0 ? -k : k);
        last = k;
    }
    return last;
}

/* The places where (1 + x)^n passes the halves, and the midpoints between them: on either side
 * of 1 the exponents grow. */
static void append_crossings(uint16_t a, operands *list)
{
    double log = log1p(values[a]);
    int64_t last_above = POWN_BOUND, last_below = POWN_BOUND;
    if (!isfinite(log) || log == 0)
        return;
    for (unsigned bits = 0x3c00; bits <= LARGEST; ++bits) {
        double half = values[bits], ulp = bits == LARGEST ? 32 : values[bits + 1] - half;
        if (bits != 0x3c00)
            last_above = append_around(list, logl(half) / log, last_above);
        last_above = append_around(list, logl(half + ulp / 2) / log, last_above);
    }
    for (unsigned bits = 0x3c00; bits > 0; --bits) {
        double half = values[bits], below = values[bits - 1];
        if (bits != 0x3c00)
            last_below = append_around(list, logl(half) / log, last_below);
        last_below = append_around(list, logl((half + below) / 2) / log, last_below);
    }
}

static void list_halves(void)
{
    halves.at = malloc(HALVES * sizeof *halves.at);
    if (!halves.at)
        abort();
    for (int32_t bits = 0; bits < HALVES; ++bits)
        append(&halves, bits);
}

void init_oracle(void)
{
    init_values();
    list_halves();
    list_integers(&integers_of_ldexp, LDEXP_BOUND);
    list_integers(&integers_of_pown, POWN_BOUND);
    list_integers(&integers_of_rootn, ROOTN_BOUND);
    list_integers(&integers_of_compoundn, POWN_BOUND);
}

/* ------------------------------------------------------------------ the functions */

#define ON_NUMBERS(name, definition, ...)                                                      \
    {#name, "ee>e", &halves, .value = definition, __VA_ARGS__}
#define ON_BITS(name, definition, ...)                                                         \
    {#name, "ee>e", &halves, .choice = definition, __VA_ARGS__}

/* From the engine's list. */
#define SECOND_double(name) "ee>e", &halves, .integers = false
#define SECOND_int32_t(name) "ei>e", &integers_of_##name, .integers = true
#define ROUNDED(name, second)                                                                  \
    {#name, SECOND_##second(name), .value = right_##name, .slow_portable = true},

const function functions[FUNCTIONS] = {
    ON_NUMBERS(add, add, .term = 1),
    ON_NUMBERS(subtract, subtract, .term = -1),
    ON_NUMBERS(multiply, multiply),
    ON_NUMBERS(divide, quotient),
    ON_NUMBERS(fdim, positive_difference),
    ON_NUMBERS(fmod, truncated_remainder),
    ON_NUMBERS(remainder, nearest_remainder),
    {"remquo", "ee>ei", &halves, .value = nearest_remainder, .quotient = nearest_quotient},
    {"ldexp", "ei>e", &integers_of_ldexp, .integers = true, .value = scaled},
    ON_BITS(fmax, larger_number),
    ON_BITS(fmin, smaller_number),
    ON_BITS(maxmag, larger_magnitude),
    ON_BITS(minmag, smaller_magnitude),
    ON_BITS(copysign, with_sign, .keeps_nans = true),
    ON_BITS(nextafter, neighbour, .overflows = true),
    HALFCL_FUNCTIONS2(ROUNDED)};

/* ------------------------------------------------------------------ the truth */

static void set_all(rounded *out, uint16_t bits, unsigned flags)
{
    for (int m = 0; m < MODES; ++m) {
        out->bits[m] = bits;
        out->flags[m] = (uint8_t)flags;
    }
}

static void round_choice(const function *f, uint16_t a, uint16_t b, rounded *out)
{
    uint16_t chosen = f->choice(a, b);
    bool overflows = f->overflows && isfinite(values[a]) && isinf(values[chosen]);
    set_all(out, chosen, overflows ? HALFCL_OVERFLOW : 0);
}

/* The exceptions that rounding does not raise. */
static unsigned special_flags(double result, double x, double y, bool signalling)
{
    if (signalling || (isnan(result) && !isnan(x) && !isnan(y)))
        return HALFCL_INVALID;
    return isinf(result) && isfinite(x) && isfinite(y) ? HALFCL_DIVBYZERO : 0;
}

/* True if the result is zero as a sum of terms with opposite signs: then it is -0 in rtn. */
static bool cancels(const function *f, double result, double x, double y)
{
    return f->term && result == 0 && !signbit(x) != !signbit(f->term * y);
}

static void round_value(const function *f, double x, double y, bool signalling, rounded *out)
{
    double result = f->value(x, y);
    round_to_half(result, out);
    unsigned special = special_flags(result, x, y, signalling);
    for (int m = 0; m < MODES && special; ++m)
        out->flags[m] |= (uint8_t)special;
    if (cancels(f, result, x, y))
        out->bits[HALFCL_RTN] = SIGN;
}

/* Remembers pairs that MPFR decided. */
static void note_asked(int f, uint16_t a, uint32_t k, double distance, row *out)
{
    if (out->asked < MAX_ASKED)
        out->asked_at[out->asked] = k;
    out->asked += 1;
    if (distance != 0)
        note_hard_pair(f, a, out->second.at[k], distance);
}

/* Remembers pairs that a float leaves in doubt, or nearly. */
static void note_close(uint32_t k, row *out)
{
    if (out->close < MAX_CLOSE)
        out->close_at[out->close++] = k;
}

static void list_second(const operands *second, uint16_t a, row *out)
{
    out->second = (operands){out->second_at, second->count, NULL};
    memcpy(out->second_at, second->at, second->count * sizeof *second->at);
    if (second->add)
        second->add(a, &out->second);
}

void fill_row(int index, uint16_t a, row *out)
{
    const function *f = &functions[index];
    const operands *second = &out->second;
    list_second(f->second, a, out);
    out->asked = 0;
    out->close = 0;
    for (uint32_t k = 0; k < second->count; ++k) {
        int32_t b = second->at[k];
        double y = f->integers ? b : values[b], distance;
        rounded result;
        if (f->choice) {
            round_choice(f, a, (uint16_t)b, &result);
        } else {
            bool signalling = is_signalling(a) || (!f->integers && is_signalling((uint16_t)b));
            round_value(f, values[a], y, signalling, &result);
            if (mpfr_was_asked(&distance))
                note_asked(index, a, k, distance, out);
            if (was_close())
                note_close(k, out);
        }
        if (f->quotient)
            out->quotients[k] = f->quotient(values[a], y);
        for (int m = 0; m < MODES; ++m) {
            out->bits[m][k] = result.bits[m];
            out->flags[m][k] = result.flags[m];
        }
    }
}
