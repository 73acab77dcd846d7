/* Functions of one half by their tables (exact/table.h). */
#ifndef HALFCL_KERNELS_FUNCTIONS_BY_TABLE_H
#define HALFCL_KERNELS_FUNCTIONS_BY_TABLE_H

#include "exact/table.h"
#include "kernels/shared/map.h"

/* Returns the exceptions, see table.h, that rounding the first n results does not raise.
 * Widening raises the one for a signalling NaN. */
static __attribute__((noinline, cold, unused)) unsigned flags_of(vf result, vh halves, size_t n)
{
    vf x = vf_widen(halves);
    vm nan = vm_not(vf_equal(result, result)), infinite = vm_xor(vf_special(result), nan);
    vm invalid = vm_and(nan, vf_equal(x, x)), pole = vm_and(infinite, vm_not(vf_special(x)));
    uint64_t lanes = ((uint64_t)1 << (n < LANES ? n : LANES)) - 1;
    return (vm_bits(invalid) & lanes ? HALFCL_INVALID : 0) |
           (vm_bits(pole) & lanes ? HALFCL_DIVBYZERO : 0);
}

ALWAYS_INLINE bool any_missing(vf results)
{
    return vm_any(vi_equal(vf_bits(results), vi_set(HALFCL_MISSING)));
}

/* Returns the results after computing those that were missing. */
static __attribute__((noinline, cold, unused)) vf look_up_again(const halfcl_table *table,
                                                                vh halves, vf results)
{
    uint16_t at[LANES];
    vh_store(at, halves);
    while (any_missing(results)) {
        leave_vectors();
        halfcl_fill_table(table->id, at, LANES);
        results = vf_gather_halves(table->entries, halves);
    }
    return results;
}

ALWAYS_INLINE vf results_for(const halfcl_table *table, vh halves)
{
    vf results = vf_gather_halves(table->entries, halves);
    return vm_any(vf_special(results)) ? look_up_again(table, halves, results) : results;
}

/* Returns the results for a[0..n), with the exceptions; lanes past n have the result for 1,
 * which raises nothing when it is rounded. */
ALWAYS_INLINE vf look_up(const halfcl_table *table, const uint16_t *a, size_t n,
                         unsigned *flags)
{
    vh halves = n < LANES ? vh_load_n(a, n) : vh_load(a);
    vf result = vf_gather_halves(table->entries, halves);
    if (vm_any(vf_special(result))) {
        if (any_missing(result))
            result = look_up_again(table, halves, result);
        *flags |= flags_of(result, halves, n);
        canonical_nans(&result, &result);
    }
    return result;
}

ALWAYS_INLINE unsigned map_table(void *const *args, size_t n, halfcl_rounding mode,
                                 halfcl_function id)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    const halfcl_table table = halfcl_table_of(id);
    unsigned flags = 0;
    acc seen = acc_none();
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR) {
        vf first = look_up(&table, a + i, LANES, &flags);
        vf second = look_up(&table, a + i + LANES, LANES, &flags);
        store_narrowed(out + i, first, second, mode, &seen, MAYBE_TINY);
    }
    for (; i < n; i += LANES) {
        vf result = look_up(&table, a + i, n - i, &flags);
        vh_store_n(out + i, round_to_half(result, mode, &seen, MAYBE_TINY), n - i);
    }
    return flags | acc_flags(seen);
}

/* Defines a function of x that rounds correctly, for kernels made of functions: value, or
 * looked up in the table of that number. */
#define AT(name, number, value)                                                                \
    enum { name##_TABLE = (int)(number) };                                                     \
    ALWAYS_INLINE vf name##_at(vf x, const halfcl_table *table, halfcl_rounding mode)          \
    {                                                                                          \
        (void)table, (void)mode;                                                               \
        return value;                                                                          \
    }
#define NO_TABLE (-1)

/* Defines a kernel without an approximation. */
#define TABLED(name)                                                                           \
    KERNEL(name##_kernel, map_table(args, n, mode, FUNCTION_##name))                           \
    AT(name, FUNCTION_##name, results_for(table, vh_exact(x)))

#endif
