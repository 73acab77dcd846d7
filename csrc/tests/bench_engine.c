/* Times kernels: bench_engine [name [types]], ns an element in every instruction set.
 * Pin it to a core for steady figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../driver.h"
#include "../geometric.h"
#include "../half.h"

enum { MOST = 1 << 20, ROUNDS = 25, WIDTH = 4 };

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Vectors of WIDTH out of n elements. */
static void call_geometric(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    bool gives_vectors = strstr(kernel->name, "cross") || strstr(kernel->name, "normalize");
    halfcl_vectors operands[3] = {{0}};
    int count = 0;
    for (; args[count]; count++)
        operands[count] = (halfcl_vectors){args[count], 2 * WIDTH, 2, WIDTH};
    if (!gives_vectors)
        operands[count - 1] = (halfcl_vectors){args[count - 1], 2, 0, 1};
    halfcl_geometric(kernel, operands, n / WIDTH, HALFCL_RTE);
}

/* One call; of reductions with what it takes to start and end them. */
static void call(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    if (strncmp(kernel->name, "vectors_", 8) == 0) {
        call_geometric(kernel, args, n);
    } else if (strcmp(kernel->name, "dot") == 0) {
        halfcl_dot(kernel, args[0], 2, args[1], 2, args[2], n, HALFCL_RTE);
    } else if (strstr(kernel->name, "_reduce")) {
        halfcl_fold(NULL, kernel, args[1], args[0], 2, n, HALFCL_RTE);
    } else {
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTE);
        kernel->loop(args, n, HALFCL_RTE);
        halfcl_leave(&env);
    }
}

/* The best of some rounds, each of a million elements or a thousand calls. */
static double time_kernel(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    double best = 1e30;
    size_t calls = n < 1024 ? 1024 : MOST / n;
    for (int round = 0; round < ROUNDS; ++round) {
        double start = now();
        for (size_t i = 0; i < calls; ++i)
            call(kernel, args, n);
        double elapsed = (now() - start) / (double)calls;
        best = elapsed < best ? elapsed : best;
    }
    return best;
}

/* Random halves around 1, and as integers and other formats whatever they are. Aligned as
 * large arrays from malloc are: to 16 bytes and no more. */
static void *operand(size_t size)
{
    uint16_t *p = (uint16_t *)((char *)aligned_alloc(64, MOST * size + 64) + 16);
    for (size_t i = 0; i < MOST * size / 2; ++i)
        p[i] = (uint16_t)((rand() >> 4 & 0x8fff) | 0x3000);
    return p;
}

static size_t size_of(char letter)
{
    return strchr("bB?", letter)   ? 1
           : strchr("ehH", letter) ? 2
           : strchr("iIf", letter) ? 4
                                   : 8;
}

int main(int argc, char **argv)
{
    const halfcl_isa *best = halfcl_find_isa(NULL), *isa;
    printf("%-14s %-6s", "ns an element", "");
    for (size_t s = 0; (isa = halfcl_available(s)); ++s)
        printf("  %-9s 2^14   2^20 n=4,ns", isa->name);
    printf("\n");
    for (size_t k = 0; k < best->count; ++k) {
        const halfcl_kernel *row = &best->kernels[k];
        void *args[8] = {NULL};
        int count = 0;
        if ((argc > 1 && strcmp(argv[1], row->name)) ||
            (argc > 2 && strcmp(argv[2], row->types)))
            continue;
        for (const char *t = row->types; *t; ++t) {
            if (*t != '>')
                args[count++] = operand(size_of(*t));
        }
        if (strcmp(row->types, "e>e") == 0 && strcmp(row->name, "sqrt") == 0) {
            for (size_t i = 0; i < MOST; ++i)
                ((uint16_t *)args[0])[i] &= HALF_MAGNITUDE;
        }
        printf("%-14s %-6s", row->name, row->types);
        for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
            const halfcl_kernel *kernel = halfcl_find_kernel(isa, row->name, row->types);
            printf("  %9s %6.3f %6.3f %6.1f", "",
                   time_kernel(kernel, args, 1 << 14) / (1 << 14),
                   time_kernel(kernel, args, MOST) / MOST, time_kernel(kernel, args, 4));
        }
        printf("\n");
        fflush(stdout);
        while (count)
            free((char *)args[--count] - 16);
    }
    return 0;
}
