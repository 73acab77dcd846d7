/* Lines of halves along one of an array's axes: their extremes, as one half after the other has
 * them. */
#include "run/sort.h"
#include "tests/testing.h"

/* Lines as short and long as kernels take differently; side by side, as many as fill vectors.
 */
static const halfcl_lines shapes[] = {
    {1, 1, 1},    {5, 2, 1},   {7, 3, 1},     {100, 8, 1},  {40, 31, 1},    {40, 32, 1},
    {41, 33, 1},  {9, 65, 1},  {3, 511, 1},   {2, 8192, 1}, {2, 20000, 1},  {1, 2, 5},
    {3, 4, 7},    {2, 9, 31},  {1, 33, 32},   {2, 40, 33},  {1, 100, 127},  {3, 5, 128},
    {1, 12, 300}, {9, 1, 129}, {1, 32768, 3}, {70, 3, 2},   {1, 1000, 128},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static size_t size_of(const halfcl_lines *lines)
{
    return lines->outer * lines->n * lines->inner;
}

/* The half i of the line that has that number. */
static uint16_t half_at(const uint16_t *values, const halfcl_lines *lines, size_t line,
                        size_t i)
{
    size_t o = line / lines->inner, k = line % lines->inner;
    return values[(o * lines->n + i) * lines->inner + k];
}

/* By the values; NaNs are equal, and after all others. */
static int compare_values(uint16_t a, uint16_t b)
{
    bool nan = is_nan_half(a), other = is_nan_half(b);
    if (nan || other)
        return nan - other;
    double x = half_value(a), y = half_value(b);
    return (x > y) - (x < y);
}

/* turn: halves of every kind, among them many zeros and NaNs; any bits; zeros; numbers, of
 * which few are the same. */
static uint16_t pick(int turn)
{
    uint16_t bits = (uint16_t)random_bits();
    return turn == 0   ? pick_half()
           : turn == 1 ? bits
           : turn == 2 ? bits & 0x8000
                       : bits & (bits & 0x4000 ? 0xBFFF : 0xFFFF);
}

static size_t first_extreme(const uint16_t *values, const halfcl_lines *lines, size_t line,
                            int sign)
{
    size_t best = 0;
    for (size_t i = 0; i < lines->n; ++i) {
        uint16_t half = half_at(values, lines, line, i);
        if (is_nan_half(half))
            return i;
        if (sign * compare_values(half, half_at(values, lines, line, best)) > 0)
            best = i;
    }
    return best;
}

static void check_extremes(const halfcl_isa *isa, const uint16_t *values,
                           const halfcl_lines *lines)
{
    const halfcl_signature one = HALFCL_HALVES(1, 1);
    const halfcl_kernel *range = halfcl_find_kernel(isa, "maximum_reduce", HALFCL_FOLD, &one);
    size_t count = lines->outer * lines->inner;
    ptrdiff_t *indices = malloc(count * sizeof *indices);
    for (int greatest = 0; greatest < 2; ++greatest) {
        halfcl_extremes_of_lines(isa, range, values, lines, greatest, indices);
        for (size_t line = 0; line < count; ++line) {
            size_t right = first_extreme(values, lines, line, greatest ? 1 : -1);
            if (indices[line] != (ptrdiff_t)right && failed("extremes", isa, 0))
                printf("%zu %zu %zu: line %zu: %td not %zu\n", lines->outer, lines->n,
                       lines->inner, line, indices[line], right);
        }
    }
    free(indices);
}

void test_lines(void)
{
    const halfcl_isa *isa;
    for (int k = 0; k < SHAPES; ++k) {
        size_t n = size_of(&shapes[k]);
        uint16_t *values = malloc(n * sizeof *values);
        for (int turn = 0; turn < 4; ++turn) {
            for (size_t i = 0; i < n; ++i)
                values[i] = pick(turn);
            for (size_t j = 0; (isa = halfcl_available(j)); ++j)
                check_extremes(isa, values, &shapes[k]);
        }
        free(values);
    }
}
