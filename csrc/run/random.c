/* Stochastic rounding: every result of every element is the exact one rounded down or up, at
 * random. The drivers of the rounding modes compute both, and one is kept. */
#include "format/strided.h"
#include "run/vectors.h"

#include <string.h>

enum { BLOCK = 256, MAX_SIZE = 8 };

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t next_bits(halfcl_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

halfcl_rounding halfcl_toss(halfcl_random *random)
{
    random->decided = true;
    return next_bits(random) >> 63 ? HALFCL_RTP : HALFCL_RTN;
}

/* Sets up[i] = down[i] at random. Of exact zeros, which differ in their sign only, the one that
 * rounding to nearest gives is kept: that is up's. The loop has no branch, which would be
 * mispredicted half of the time. */
static void choose(uint16_t *up, const uint16_t *down, size_t n, halfcl_random *random)
{
    uint64_t bits = 0;
    unsigned different = 0;
    for (size_t i = 0; i < n; i++, bits >>= 1) {
        if (i % 64 == 0)
            bits = next_bits(random);
        unsigned is_nonzero = ((up[i] | down[i]) & 0x7FFF) != 0;
        unsigned change = (unsigned)(up[i] ^ down[i]) & (0u - is_nonzero);
        different |= change;
        up[i] = (uint16_t)(up[i] ^ (change & (0u - ((unsigned)bits & 1))));
    }
    random->decided |= different != 0;
}

uint16_t halfcl_choose(uint16_t down, uint16_t up, halfcl_random *random)
{
    choose(&up, &down, 1, random);
    return up;
}

/* ------------------------------------------------------------ element by element */

/* Returns the bytes that n elements occupy, from *low to before *high. */
static void find_range(const char *start, ptrdiff_t step, size_t size, size_t n, uintptr_t *low,
                       uintptr_t *high)
{
    ptrdiff_t reach = step * (ptrdiff_t)(n - 1);
    *low = (uintptr_t)start + (uintptr_t)(reach < 0 ? reach : 0);
    *high = (uintptr_t)start + (uintptr_t)(reach < 0 ? 0 : reach) + size;
}

/* Returns whether elements can be computed many at a time: no output may overlap another
 * operand, unless each of its elements lies on the one from which it is computed. */
static bool are_independent(const halfcl_signature *signature, char *const *operands,
                            const ptrdiff_t *steps, size_t n)
{
    uintptr_t low[HALFCL_MAX_OPERANDS], high[HALFCL_MAX_OPERANDS];
    size_t size[HALFCL_MAX_OPERANDS];
    for (int i = 0; i < signature->nin + signature->nout; i++) {
        size[i] = halfcl_type_size((halfcl_type)signature->types[i]);
        find_range(operands[i], steps[i], size[i], n, &low[i], &high[i]);
    }
    for (int out = signature->nin; out < signature->nin + signature->nout; out++) {
        for (int other = 0; other < out; other++) {
            ptrdiff_t step = steps[other] < 0 ? -steps[other] : steps[other];
            bool is_same = other < signature->nin && operands[out] == operands[other] &&
                           steps[out] == steps[other] && size[out] == size[other] &&
                           step >= (ptrdiff_t)size[other];
            if (!is_same && low[out] < high[other] && low[other] < high[out])
                return false;
        }
    }
    return true;
}

/* Runs at most BLOCK elements. */
static unsigned run_block(const halfcl_kernel *map, char *const *operands,
                          const ptrdiff_t *steps, size_t n, halfcl_random *random)
{
    _Alignas(64) char buffer[2][HALFCL_MAX_OPERANDS][BLOCK * MAX_SIZE];
    char *args[2][HALFCL_MAX_OPERANDS] = {{NULL}}; /* compilers cannot see that it is set */
    ptrdiff_t arg_steps[HALFCL_MAX_OPERANDS];
    int nin = map->signature.nin, nargs = nin + map->signature.nout;
    for (int i = 0; i < nargs; i++) {
        bool is_input = i < nin;
        args[0][i] = is_input ? operands[i] : buffer[0][i];
        args[1][i] = is_input ? operands[i] : buffer[1][i];
        arg_steps[i] = is_input
                           ? steps[i]
                           : (ptrdiff_t)halfcl_type_size((halfcl_type)map->signature.types[i]);
    }
    unsigned flags = halfcl_run(map, args[0], arg_steps, n, HALFCL_RTN);
    flags |= halfcl_run(map, args[1], arg_steps, n, HALFCL_RTP);
    for (int i = nin; i < nargs && !(flags & HALFCL_MISUSE); i++) {
        if (map->signature.types[i] == HALFCL_HALF)
            choose((uint16_t *)buffer[1][i], (const uint16_t *)buffer[0][i], n, random);
        halfcl_copy_strided(operands[i], steps[i], buffer[1][i], arg_steps[i],
                            (size_t)arg_steps[i], n);
    }
    return flags;
}

unsigned halfcl_run_random(const halfcl_kernel *map, char *const *operands,
                           const ptrdiff_t *steps, size_t n, halfcl_random *random)
{
    if (!map || map->kind != HALFCL_MAP)
        return HALFCL_MISUSE;
    size_t block = n && are_independent(&map->signature, operands, steps, n) ? BLOCK : 1;
    unsigned flags = 0;
    for (size_t done = 0; done < n; done += block) {
        char *here[HALFCL_MAX_OPERANDS];
        for (int i = 0; i < map->signature.nin + map->signature.nout; i++)
            here[i] = operands[i] + steps[i] * (ptrdiff_t)done;
        flags |= run_block(map, here, steps, n - done < block ? n - done : block, random);
    }
    return flags;
}

/* ------------------------------------------------------------ folds */

unsigned halfcl_fold_random(const halfcl_kernel *fold, uint16_t *accumulator, const char *in,
                            ptrdiff_t step, size_t n, halfcl_random *random)
{
    uint16_t down = *accumulator, up = *accumulator;
    unsigned flags = halfcl_fold(fold, &down, in, step, n, HALFCL_RTN);
    flags |= halfcl_fold(fold, &up, in, step, n, HALFCL_RTP);
    if (flags & HALFCL_MISUSE)
        return flags;
    choose(&up, &down, 1, random);
    *accumulator = up;
    return flags;
}

unsigned halfcl_fold_in_order_random(const halfcl_kernel *map, uint16_t *accumulator,
                                     const char *in, ptrdiff_t step, size_t n,
                                     halfcl_random *random)
{
    char *operands[] = {(char *)accumulator, (char *)in, (char *)accumulator};
    const ptrdiff_t steps[] = {0, step, 0};
    if (halfcl_fold_in_order(map, accumulator, in, step, 0, HALFCL_RTE) & HALFCL_MISUSE)
        return HALFCL_MISUSE;
    return halfcl_run_random(map, operands, steps, n, random);
}

unsigned halfcl_matmul_random(const halfcl_kernel *dot, const halfcl_matrix_product *product,
                              halfcl_random *random)
{
    unsigned flags = 0;
    for (size_t i = 0; i < product->m; i++) {
        for (size_t j = 0; j < product->p; j++) {
            uint16_t down, up;
            halfcl_matrix_product one = *product;
            one.m = one.p = 1;
            one.a.start += (ptrdiff_t)i * one.a.row;
            one.b.start += (ptrdiff_t)j * one.b.column;
            one.out = (halfcl_matrix){(char *)&down, 0, 0};
            flags |= halfcl_matmul(dot, &one, HALFCL_RTN);
            one.out.start = (char *)&up;
            flags |= halfcl_matmul(dot, &one, HALFCL_RTP);
            if (flags & HALFCL_MISUSE)
                return flags;
            choose(&up, &down, 1, random);
            memcpy(product->out.start + (ptrdiff_t)i * product->out.row +
                       (ptrdiff_t)j * product->out.column,
                   &up, sizeof up);
        }
    }
    return flags;
}

/* ------------------------------------------------------------ vectors */

/* Runs one vector, whose result has at most BLOCK components. */
static unsigned run_vector(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                           halfcl_random *random)
{
    uint16_t down[BLOCK], up[BLOCK];
    halfcl_vectors here[HALFCL_MAX_OPERANDS];
    int last = kernel->signature.nin;
    const halfcl_vectors *out = &operands[last];
    memcpy(here, operands, (size_t)(last + 1) * sizeof *here);
    here[last] = (halfcl_vectors){(char *)down, 0, sizeof *down, out->width};
    unsigned flags = halfcl_run_vectors(kernel, here, 1, HALFCL_RTN);
    here[last].start = (char *)up;
    flags |= halfcl_run_vectors(kernel, here, 1, HALFCL_RTP);
    choose(up, down, out->width, random);
    halfcl_copy(out->start, out->component, (const char *)up, sizeof *up, out->width);
    return flags;
}

unsigned halfcl_run_vectors_random(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                                   size_t n, halfcl_random *random)
{
    if (!halfcl_takes_halves(kernel, operands))
        return HALFCL_MISUSE;
    unsigned flags = 0;
    halfcl_vectors here[HALFCL_MAX_OPERANDS];
    int last = kernel->signature.nin;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k <= last; k++) {
            here[k] = operands[k];
            here[k].start += (ptrdiff_t)i * operands[k].step;
        }
        flags |= here[last].width <= BLOCK
                     ? run_vector(kernel, here, random)
                     : halfcl_run_vectors(kernel, here, 1, halfcl_toss(random));
    }
    return flags;
}
