/* Prints every function of one half, of all halves in every mode, for tools/test_arm.py: a line
 * "name types mode", the results of each output, and the exceptions of each GROUP of
 * neighbouring halves, a byte for each.
 *
 * all_halves portable */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halfcl.h"

enum { HALVES = 1 << 16, GROUP = 16, WIDEST = 8 };

static uint16_t halves[HALVES];
static char results[2][HALVES * WIDEST];

static unsigned run(const halfcl_kernel *kernel, size_t first, size_t n, halfcl_rounding mode)
{
    const halfcl_signature *of = &kernel->signature;
    char *operands[HALFCL_MAX_OPERANDS] = {(char *)(halves + first)};
    ptrdiff_t steps[HALFCL_MAX_OPERANDS] = {sizeof *halves};
    for (int k = 0; k < of->nout; ++k) {
        steps[1 + k] = (ptrdiff_t)halfcl_type_size((halfcl_type)of->types[1 + k]);
        operands[1 + k] = results[k] + steps[1 + k] * (ptrdiff_t)first;
    }
    return halfcl_run(kernel, operands, steps, n, mode);
}

static void write_all(const halfcl_kernel *kernel, halfcl_rounding mode)
{
    static const char letters[] = "e?bBhHiIqQfd"; /* in the order of halfcl_type */
    static const char *const modes[] = {"rte", "rtz", "rtp", "rtn"};
    static uint8_t flags[HALVES / GROUP];
    const halfcl_signature *of = &kernel->signature;
    for (size_t k = 0; k < HALVES / GROUP; ++k)
        flags[k] = (uint8_t)run(kernel, GROUP * k, GROUP, mode);
    run(kernel, 0, HALVES, mode);
    printf("%s e>", kernel->name);
    for (int k = 0; k < of->nout; ++k)
        putchar(letters[of->types[1 + k]]);
    printf(" %s\n", modes[mode]);
    for (int k = 0; k < of->nout; ++k)
        fwrite(results[k], halfcl_type_size((halfcl_type)of->types[1 + k]), HALVES, stdout);
    fwrite(flags, 1, sizeof flags, stdout);
}

static void write_in_all_modes(const halfcl_kernel *kernel)
{
    for (int mode = 0; mode < 4; ++mode)
        write_all(kernel, (halfcl_rounding)mode);
}

static bool is_of_one_half(const halfcl_kernel *kernel)
{
    return kernel->kind == HALFCL_MAP && kernel->signature.nin == 1 &&
           kernel->signature.types[0] == HALFCL_HALF;
}

/* Returns the set's kernel with that name and types: its own, or its base's. */
static const halfcl_kernel *find_in(const halfcl_isa *isa, const halfcl_kernel *like)
{
    return halfcl_find_kernel(isa, like->name, like->kind, &like->signature);
}

int main(int argc, char **argv)
{
    const halfcl_isa *isa = argc == 2 ? halfcl_find_isa(argv[1]) : NULL;
    if (!isa) {
        fprintf(stderr, "usage: all_halves <a set that this processor has>\n");
        return 2;
    }
    for (size_t half = 0; half < HALVES; ++half)
        halves[half] = (uint16_t)half;
    for (const halfcl_isa *set = isa; set; set = set->base) {
        const halfcl_kernel *kernel;
        for (size_t i = 0; (kernel = halfcl_kernel_at(set, i)); ++i) {
            if (is_of_one_half(kernel) && find_in(isa, kernel) == kernel)
                write_in_all_modes(kernel);
        }
    }
    return fflush(stdout) != 0;
}
