/* Times calls by one thread and by several: bench_threads [threads [name]] prints the best of
 * many of each, alternating. The ratio is the speed-up of several threads; it should never be
 * below 0.98. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/sort.h"

enum { SMALLEST = 12, LARGEST = 24, SECOND = 1000000000 };

static uint16_t *a, *b, *out;
static ptrdiff_t *order;
static const halfcl_kernel *kernel; /* of the call, if it has one */

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_map(size_t n)
{
    char *operands[] = {(char *)a, kernel->signature.nin > 1 ? (char *)b : (char *)out,
                        (char *)out};
    const ptrdiff_t steps[] = {2, 2, 2};
    halfcl_run(kernel, operands, steps, n, HALFCL_RTE);
}

static void run_fold(size_t n)
{
    halfcl_fold_state state = {0};
    char *inputs[] = {(char *)a, (char *)b};
    const ptrdiff_t steps[] = {2, 2};
    halfcl_state_add(kernel, &state, inputs, steps, n);
}

static void run_scan(size_t n)
{
    halfcl_fold_state state = {0};
    halfcl_run_scan(kernel, &state, (char *)a, 2, (char *)out, 2, n, HALFCL_RTE);
}

/* Multiplies matrices of about n elements. */
static void run_matmul(size_t n)
{
    size_t side = 1;
    while (4 * side * side <= n)
        side *= 2;
    ptrdiff_t row = 2 * (ptrdiff_t)side;
    const halfcl_matrix_product product = {
        {(char *)a, row, 2}, {(char *)b, 2, row}, {(char *)out, row, 2}, side, side, side};
    halfcl_matmul(kernel, &product, HALFCL_RTE);
}

static void run_sort(size_t n)
{
    memcpy(out, a, n * sizeof *out);
    halfcl_sort(out, n);
}

static void run_argsort(size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (ptrdiff_t)i;
    halfcl_argsort(a, order, n);
}

/* Copies halves, which shows the bandwidth of memory. */
static void run_copy(size_t n)
{
    memcpy(out, a, n * sizeof *out);
}

static const struct {
    const char *name, *kernel;
    void (*run)(size_t n);
    halfcl_kind kind;
    int nin, largest;
} calls[] = {
    {"memcpy", "", run_copy, HALFCL_MAP, 1, LARGEST},
    {"add", "add", run_map, HALFCL_MAP, 2, LARGEST},
    {"exp", "exp", run_map, HALFCL_MAP, 1, LARGEST},
    {"pow", "pow", run_map, HALFCL_MAP, 2, LARGEST},
    {"sum", "add_reduce", run_fold, HALFCL_FOLD, 1, LARGEST},
    {"dot", "dot", run_fold, HALFCL_FOLD, 2, LARGEST},
    {"cumsum", "add_accumulate", run_scan, HALFCL_SCAN, 1, LARGEST},
    {"sort", "", run_sort, HALFCL_MAP, 1, LARGEST},
    {"argsort", "", run_argsort, HALFCL_MAP, 1, 22},
    {"matmul", "dot", run_matmul, HALFCL_FOLD, 2, 20},
};

static void bench(size_t which, int log_n, int threads)
{
    size_t n = (size_t)1 << log_n, times = ((size_t)1 << 18) / n + 1;
    const halfcl_signature of = {(uint8_t)calls[which].nin, 1, {HALFCL_HALF}};
    double best[2] = {1e30, 1e30}, until = now() + SECOND / 4;
    kernel =
        halfcl_find_kernel(halfcl_find_isa(NULL), calls[which].kernel, calls[which].kind, &of);
    for (int round = 0; round < 4 || now() < until; round++) {
        for (int several = 0; several < 2; several++) {
            halfcl_set_threads(several ? threads : 1);
            double start = now();
            for (size_t k = 0; k < times; k++)
                calls[which].run(n);
            double elapsed = (now() - start) / (double)times;
            best[several] = elapsed < best[several] ? elapsed : best[several];
        }
    }
    printf("%-8s 2^%-2d %10.2f us %10.2f us  %6.3f ns an element  %6.3f\n", calls[which].name,
           log_n, best[0] / 1e3, best[1] / 1e3, best[1] / (double)n, best[0] / best[1]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    size_t n = (size_t)1 << LARGEST;
    a = malloc(n * sizeof *a);
    b = malloc(n * sizeof *b);
    out = calloc(n, sizeof *out);
    order = calloc(n, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint16_t)((rand() >> 4 & 0x8fff) | 0x3000);
        b[i] = (uint16_t)((rand() >> 4 & 0x0fff) | 0x3000);
    }
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        for (int log_n = SMALLEST; log_n <= calls[k].largest; log_n += 2) {
            if (argc < 3 || strcmp(argv[2], calls[k].name) == 0)
                bench(k, log_n, threads);
        }
    }
    return 0;
}
