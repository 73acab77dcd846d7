/* Scans: of many elements, for each the result of all up to it. */
#include "env/env.h"
#include "format/strided.h"

enum { BLOCK = HALFCL_BLOCK };

unsigned halfcl_run_scan(const halfcl_kernel *scan, halfcl_fold_state *state, const char *in,
                         ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                         halfcl_rounding mode)
{
    if (!scan || scan->kind != HALFCL_SCAN)
        return HALFCL_MISUSE;
    const size_t size = halfcl_type_size((halfcl_type)scan->signature.types[1]);
    bool direct = halfcl_is_direct(in, in_step, sizeof(uint16_t)) &&
                  halfcl_is_direct(out, out_step, size);
    size_t block = direct && n > 0 ? n : BLOCK;
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, mode);
    for (size_t done = 0; done < n; done += block) {
        uint16_t buffer[BLOCK];
        double results[BLOCK];
        size_t count = n - done < block ? n - done : block;
        char *to = out + (ptrdiff_t)done * out_step;
        const char *from = in + (ptrdiff_t)done * in_step;
        if (direct) {
            flags |= scan->scan(state, (const uint16_t *)from, count, to, mode);
        } else {
            flags |= scan->scan(state, halfcl_gather(buffer, from, in_step, count), count,
                                results, mode);
            halfcl_copy_strided(to, out_step, (const char *)results, (ptrdiff_t)size, size,
                                count);
        }
    }
    return flags | halfcl_leave(&env);
}

unsigned halfcl_accumulate(const halfcl_kernel *scan, const char *first, const char *in,
                           ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                           halfcl_rounding mode)
{
    halfcl_fold_state state = {0};
    double unused;
    unsigned flags = halfcl_run_scan(scan, &state, first, 0, (char *)&unused, 0, 1, mode);
    if (flags & HALFCL_MISUSE)
        return flags;
    return halfcl_run_scan(scan, &state, in, in_step, out, out_step, n, mode);
}
