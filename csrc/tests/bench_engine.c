/* Times kernels: bench_engine [name] prints ns per element for every instruction set. Pin it to
 * a core for stable figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/half.h"

enum { MOST = 1 << 20, ROUNDS = 25, WIDTH = 4 };

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Calls with vectors of WIDTH out of n elements, whatever size the kernel needs. */
static void call_vectors(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    halfcl_vectors operands[HALFCL_MAX_OPERANDS];
    const halfcl_signature *of = &kernel->signature;
    int last = of->nin;
    for (int i = 0; i <= last; i++) {
        ptrdiff_t size = (ptrdiff_t)halfcl_type_size((halfcl_type)of->types[i]);
        bool is_one = i == last && !kernel->vectors.gives_vectors;
        operands[i] = is_one ? (halfcl_vectors){args[i], size, 0, 1}
                             : (halfcl_vectors){args[i], WIDTH * size, size, WIDTH};
    }
    halfcl_run_vectors(kernel, operands, n / WIDTH, HALFCL_RTE);
}

static void call_fold(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    halfcl_fold_state state = {0};
    const ptrdiff_t steps[] = {2, 2};
    halfcl_state_add(kernel, &state, (char *const *)args, steps, n);
    halfcl_state_finish(kernel, &state, args[kernel->signature.nin], HALFCL_RTE);
}

static void call_map(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    kernel->map(args, n, HALFCL_RTE);
    halfcl_leave(&env);
}

static void call(const halfcl_kernel *kernel, void *const *args, size_t n)
{
    switch (kernel->kind) {
    case HALFCL_MAP:
        call_map(kernel, args, n);
        break;
    case HALFCL_FOLD:
        call_fold(kernel, args, n);
        break;
    case HALFCL_VECTORS:
        call_vectors(kernel, args, n);
        break;
    }
}

/* Returns the best of some rounds, each of a million elements or a thousand calls. */
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

/* Allocates random halves around 1; as integers and other formats they are arbitrary. Aligned
 * as large arrays from malloc are: to 16 bytes only. */
static void *operand(size_t size)
{
    uint16_t *p = (uint16_t *)((char *)aligned_alloc(64, MOST * size + 64) + 16);
    for (size_t i = 0; i < MOST * size / 2; ++i)
        p[i] = (uint16_t)((rand() >> 4 & 0x8fff) | 0x3000);
    return p;
}

static void print_names(void)
{
    const halfcl_isa *isa;
    printf("%-14s %-6s", "ns an element", "");
    for (size_t s = 0; (isa = halfcl_available(s)); ++s)
        printf("  %-9s 2^14   2^20 n=4,ns", isa->name);
    printf("\n");
}

static void bench(const halfcl_kernel *row)
{
    static const char letters[] = "e?bBhHiIqQfd"; /* of halfcl_type, as in the tests */
    const halfcl_signature *of = &row->signature;
    const halfcl_isa *isa;
    void *args[HALFCL_MAX_OPERANDS];
    char types[2 * HALFCL_MAX_OPERANDS] = "";
    for (int i = 0; i < of->nin + of->nout; ++i) {
        args[i] = operand(halfcl_type_size((halfcl_type)of->types[i]));
        strcat(types, i == of->nin ? ">" : "");
        strcat(types, (char[]){letters[of->types[i]], '\0'});
    }
    if (strcmp(row->name, "sqrt") == 0) {
        for (size_t i = 0; i < MOST; ++i)
            ((uint16_t *)args[0])[i] &= HALF_MAGNITUDE;
    }
    printf("%-14s %-6s", row->name, types);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *kernel = halfcl_find_kernel(isa, row->name, row->kind, of);
        printf("  %9s %6.3f %6.3f %6.1f", "", time_kernel(kernel, args, 1 << 14) / (1 << 14),
               time_kernel(kernel, args, MOST) / MOST, time_kernel(kernel, args, 4));
    }
    printf("\n");
    fflush(stdout);
    for (int i = 0; i < of->nin + of->nout; ++i)
        free((char *)args[i] - 16);
}

/* Times the kernels of the best set, first its own, then those of its base. */
int main(int argc, char **argv)
{
    const halfcl_isa *best = halfcl_find_isa(NULL);
    print_names();
    for (const halfcl_isa *set = best; set; set = set->base) {
        const halfcl_kernel *row;
        for (size_t k = 0; (row = halfcl_kernel_at(set, k)); ++k) {
            if ((argc == 1 || strcmp(argv[1], row->name) == 0) &&
                halfcl_find_kernel(best, row->name, row->kind, &row->signature) == row)
                bench(row);
        }
    }
    return 0;
}
