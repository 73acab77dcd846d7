/* Tests stochastic rounding: each result is that rounded down or that rounded up, both occur,
 * the same state gives the same, and operands may lie as for the other drivers. */
#include "tests/testing.h"

enum { N = 1000, WIDTH = 8 };

static const halfcl_isa *set;

static void expect(bool holds, const char *what)
{
    if (!holds && failed("random", set, 0))
        printf("%s\n", what);
}

static const halfcl_kernel *find(const char *name, halfcl_kind kind, uint8_t nin)
{
    const halfcl_signature signature = HALFCL_HALVES(nin, 1);
    return halfcl_find_kernel(set, name, kind, &signature);
}

/* Halves between 1 and 2. */
static void fill(uint16_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(0x3c00 | (random_bits() & 0x3ff));
}

/* Checks that results are down's or up's, and that both occur where these differ. */
static void check_mixture(const uint16_t *got, const uint16_t *down, const uint16_t *up,
                          size_t n, const char *what)
{
    size_t downs = 0, ups = 0, differ = 0;
    for (size_t i = 0; i < n; i++) {
        expect(got[i] == down[i] || got[i] == up[i], what);
        differ += down[i] != up[i];
        downs += down[i] != up[i] && got[i] == down[i];
        ups += down[i] != up[i] && got[i] == up[i];
    }
    expect(differ == 0 || (4 * downs > differ && 4 * ups > differ), what);
}

static void test_maps(void)
{
    uint16_t a[2 * N], b[N], down[N], up[N], got[2 * N], again[N];
    halfcl_random random = {1, false};
    const halfcl_kernel *divide = find("divide", HALFCL_MAP, 2);
    fill(a, 2 * N);
    fill(b, N);
    char *operands[] = {(char *)a, (char *)b, (char *)down};
    const ptrdiff_t steps[] = {4, 2, 2}, apart[] = {4, 2, 4}, in_place[] = {4, 2, 4};
    halfcl_run(divide, operands, steps, N, HALFCL_RTN);
    operands[2] = (char *)up;
    halfcl_run(divide, operands, steps, N, HALFCL_RTP);
    operands[2] = (char *)again;
    halfcl_run_random(divide, operands, steps, N, &random);
    check_mixture(again, down, up, N, "divide");
    random.state = 1;
    operands[2] = (char *)got;
    halfcl_run_random(divide, operands, apart, N, &random);
    for (size_t i = 0; i < N; i++)
        expect(got[2 * i] == again[i], "the same state, another step");
    random.state = 1;
    operands[2] = (char *)a;
    halfcl_run_random(divide, operands, in_place, N, &random);
    for (size_t i = 0; i < N; i++)
        expect(a[2 * i] == again[i], "in place");
}

/* Each output is the next input, as in NumPy's accumulate. */
static void test_overlap_of_random(void)
{
    uint16_t sums[N + 1] = {0x3c00}, b[N], down[N], up[N];
    halfcl_random random = {2, false};
    const halfcl_kernel *multiply = find("multiply", HALFCL_MAP, 2);
    const ptrdiff_t steps[] = {2, 2, 2};
    for (size_t i = 0; i < N; i++)
        b[i] = i % 2 ? 0x3c01 : 0x3bfe;
    char *operands[] = {(char *)sums, (char *)b, (char *)(sums + 1)};
    halfcl_run_random(multiply, operands, steps, N, &random);
    operands[2] = (char *)down;
    halfcl_run(multiply, operands, steps, N, HALFCL_RTN);
    operands[2] = (char *)up;
    halfcl_run(multiply, operands, steps, N, HALFCL_RTP);
    check_mixture(sums + 1, down, up, N, "accumulate");
}

static void test_zeros(void)
{
    uint16_t a[N], zeros[N];
    halfcl_random random = {3, false};
    fill(a, N);
    char *operands[] = {(char *)a, (char *)a, (char *)zeros};
    halfcl_run_random(find("subtract", HALFCL_MAP, 2), operands, (ptrdiff_t[]){2, 2, 2}, N,
                      &random);
    for (size_t i = 0; i < N; i++)
        expect(zeros[i] == 0, "an exact zero is +0");
}

static void test_folds(void)
{
    uint16_t a[WIDTH * WIDTH], b[WIDTH * WIDTH], down[WIDTH * WIDTH], up[WIDTH * WIDTH],
        got[WIDTH * WIDTH];
    halfcl_random random = {4, false};
    const halfcl_kernel *dot = find("dot", HALFCL_FOLD, 2);
    const halfcl_kernel *sum = find("add_reduce", HALFCL_FOLD, 1);
    const halfcl_kernel *subtract = find("subtract", HALFCL_MAP, 2);
    const ptrdiff_t row = 2 * WIDTH;
    fill(a, WIDTH * WIDTH);
    fill(b, WIDTH * WIDTH);
    halfcl_matrix_product product = {
        {(char *)a, row, 2}, {(char *)b, row, 2}, {(char *)down, row, 2}, WIDTH, WIDTH, WIDTH};
    halfcl_matmul(dot, &product, HALFCL_RTN);
    product.out.start = (char *)up;
    halfcl_matmul(dot, &product, HALFCL_RTP);
    product.out.start = (char *)got;
    halfcl_matmul_random(dot, &product, &random);
    check_mixture(got, down, up, WIDTH * WIDTH, "product");
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        down[i] = up[i] = got[i] = a[i];
        halfcl_fold(sum, &down[i], (char *)b, 2, 5, HALFCL_RTN);
        halfcl_fold(sum, &up[i], (char *)b, 2, 5, HALFCL_RTP);
        halfcl_fold_random(sum, &got[i], (char *)b, 2, 5, &random);
    }
    check_mixture(got, down, up, WIDTH * WIDTH, "sum");
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        down[i] = up[i] = got[i] = 0x6400 | a[i];
        halfcl_fold_in_order(subtract, &down[i], (char *)b, 2, 1, HALFCL_RTN);
        halfcl_fold_in_order(subtract, &up[i], (char *)b, 2, 1, HALFCL_RTP);
        halfcl_fold_in_order_random(subtract, &got[i], (char *)b, 2, 1, &random);
    }
    check_mixture(got, down, up, WIDTH * WIDTH, "fold in order");
}

static void test_vectors(void)
{
    enum { ROWS = 50 };
    uint16_t a[ROWS * WIDTH], down[ROWS * WIDTH], up[ROWS * WIDTH], got[ROWS * WIDTH];
    halfcl_random random = {5, false};
    const char *const names[] = {"vectors_normalize", "vectors_length"};
    fill(a, ROWS * WIDTH);
    for (int k = 0; k < 2; k++) {
        const halfcl_kernel *kernel = find(names[k], HALFCL_VECTORS, 1);
        size_t width = kernel->vectors.gives_vectors ? WIDTH : 1;
        halfcl_vectors operands[] = {{(char *)a, 2 * WIDTH, 2, WIDTH},
                                     {(char *)down, 2 * (ptrdiff_t)width, 2, width}};
        halfcl_run_vectors(kernel, operands, ROWS, HALFCL_RTN);
        operands[1].start = (char *)up;
        halfcl_run_vectors(kernel, operands, ROWS, HALFCL_RTP);
        operands[1].start = (char *)got;
        halfcl_run_vectors_random(kernel, operands, ROWS, &random);
        check_mixture(got, down, up, ROWS * width, names[k]);
    }
}

/* Tests that kernels of another kind are refused, with nothing written. */
static void test_misuse(void)
{
    uint16_t memory[4] = {0x3c00, 0x3c00, 0x1234, 0x1234};
    halfcl_random random = {6, false};
    char *operands[] = {(char *)memory, (char *)memory, (char *)(memory + 2)};
    const ptrdiff_t steps[] = {2, 2, 2};
    const halfcl_kernel *add = find("add", HALFCL_MAP, 2), *dot = find("dot", HALFCL_FOLD, 2);
    const halfcl_kernel *exp = find("exp", HALFCL_MAP, 1);
    const halfcl_matrix out = {operands[2], 2, 2}, in = {operands[0], 2, 2};
    const halfcl_matrix_product product = {in, in, out, 1, 1, 1};
    const halfcl_vectors vectors[] = {
        {operands[0], 2, 2, 1}, {operands[0], 2, 2, 1}, {operands[2], 2, 2, 1}};
    expect(halfcl_run_random(dot, operands, steps, 1, &random) == HALFCL_MISUSE, "no map");
    expect(halfcl_run_random(NULL, operands, steps, 1, &random) == HALFCL_MISUSE, "no kernel");
    expect(halfcl_fold_random(add, memory + 2, operands[0], 2, 1, &random) == HALFCL_MISUSE,
           "no fold");
    expect(halfcl_fold_in_order_random(exp, memory + 2, operands[0], 2, 1, &random) ==
               HALFCL_MISUSE,
           "no binary map");
    expect(halfcl_matmul_random(add, &product, &random) == HALFCL_MISUSE, "no dot product");
    expect(halfcl_run_vectors_random(add, vectors, 1, &random) == HALFCL_MISUSE, "no vectors");
    const halfcl_signature of_words = {1, 1, {HALFCL_UINT32, HALFCL_UINT32}};
    const halfcl_kernel *copy = halfcl_find_kernel(set, "copy", HALFCL_VECTORS, &of_words);
    const halfcl_vectors words[] = {{operands[0], 4, 4, 1}, {operands[2], 4, 4, 1}};
    expect(copy && halfcl_run_vectors_random(copy, words, 1, &random) == HALFCL_MISUSE,
           "vectors of words");
    expect(memory[2] == 0x1234 && memory[3] == 0x1234, "misuse has written");
}

void test_random(void)
{
    for (size_t s = 0; (set = halfcl_available(s)); ++s) {
        test_maps();
        test_overlap_of_random();
        test_zeros();
        test_folds();
        test_vectors();
        test_misuse();
    }
}
