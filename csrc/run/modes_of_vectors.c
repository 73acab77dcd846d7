/* Functions of vectors with one rounding mode per vector, as data. Runs of one mode are
 * computed in place; if modes change too often, the vectors of each mode are gathered. */
#include "format/modes.h"
#include "format/strided.h"
#include "run/vectors.h"

enum { MODES = HALFCL_MODES, MANY_VECTORS = 256, ROOM = 4096, LONG_RUN = 64 };

/* Gathers some vectors into contiguous memory. */
static void gather_vectors(uint16_t *to, const halfcl_vectors *from, const uint16_t *which,
                           size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const char *vector = from->start + which[k] * from->step;
        for (size_t c = 0; c < from->width; c++, vector += from->component)
            memcpy(to++, vector, sizeof *to);
    }
}

static void scatter_vectors(const halfcl_vectors *to, const uint16_t *from,
                            const uint16_t *which, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char *vector = to->start + which[k] * to->step;
        for (size_t c = 0; c < to->width; c++, vector += to->component)
            memcpy(vector, from++, sizeof *from);
    }
}

/* Computes the vectors of each mode, gathered: at most MANY_VECTORS, of at most ROOM
 * components. */
static unsigned run_gathered(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                             const uint8_t *modes, size_t n)
{
    static const size_t size = sizeof(uint16_t);
    uint16_t which[MANY_VECTORS], buffer[HALFCL_MAX_OPERANDS][ROOM];
    halfcl_vectors gathered[HALFCL_MAX_OPERANDS];
    int last = kernel->signature.nin;
    unsigned flags = 0;
    for (int mode = 0; mode < MODES; mode++) {
        size_t count = 0;
        for (size_t k = 0; k < n; k++) {
            which[count] = (uint16_t)k;
            count += modes[k] == mode;
        }
        if (count == 0)
            continue;
        for (int i = 0; i <= last; i++) {
            size_t width = operands[i].width;
            gathered[i] = (halfcl_vectors){(char *)buffer[i], (ptrdiff_t)(size * width),
                                           width > 1 ? (ptrdiff_t)size : 0, width};
            if (i < last)
                gather_vectors(buffer[i], &operands[i], which, count);
        }
        flags |= halfcl_run_vectors(kernel, gathered, count, (halfcl_rounding)mode);
        scatter_vectors(&operands[last], buffer[last], which, count);
    }
    return flags;
}

/* Runs in this thread, except for long runs of one mode. */
static unsigned run_whole(const halfcl_isa *isa, const halfcl_kernel *kernel,
                          const halfcl_vectors *operands, const uint8_t *modes,
                          ptrdiff_t mode_step, size_t n)
{
    halfcl_vectors here[HALFCL_MAX_OPERANDS];
    int nargs = kernel->signature.nin + 1;
    size_t width = operands[0].width, most = width > 0 ? ROOM / width : 0;
    unsigned flags = 0;
    memcpy(here, operands, (size_t)nargs * sizeof *here);
    for (size_t done = 0, count; done < n; done += count) {
        uint8_t block[MANY_VECTORS];
        size_t remaining = n - done,
               length = remaining < MANY_VECTORS ? remaining : MANY_VECTORS;
        halfcl_copy_strided((char *)block, 1, (const char *)modes + mode_step * (ptrdiff_t)done,
                            mode_step, 1, length);
        count = isa->mode_tools->run_length(block, length);
        if (count >= LONG_RUN || count == length || most < LONG_RUN) {
            flags |= halfcl_run_vectors(kernel, here, count,
                                        (halfcl_rounding)(block[0] & (MODES - 1)));
        } else {
            count = length < most ? length : most;
            flags |= run_gathered(kernel, here, block, count);
        }
        halfcl_vectors_from(here, here, nargs, count);
    }
    return flags;
}

typedef struct {
    const halfcl_isa *isa;
    const halfcl_kernel *kernel;
    const halfcl_vectors *operands;
    const uint8_t *modes;
    ptrdiff_t mode_step;
} call;

static unsigned run_some(void *work, size_t first, size_t count, int thread)
{
    const call *c = work;
    halfcl_vectors here[HALFCL_MAX_OPERANDS];
    (void)thread;
    halfcl_vectors_from(here, c->operands, c->kernel->signature.nin + 1, first);
    return run_whole(c->isa, c->kernel, here, c->modes + c->mode_step * (ptrdiff_t)first,
                     c->mode_step, count);
}

unsigned halfcl_run_vectors_in_modes(const halfcl_isa *isa, const halfcl_kernel *kernel,
                                     const halfcl_vectors *operands, const uint8_t *modes,
                                     ptrdiff_t mode_step, size_t n)
{
    if (!halfcl_takes_halves(kernel, operands))
        return HALFCL_MISUSE;
    if (mode_step == 0 && n > 0)
        return halfcl_run_vectors(kernel, operands, n, (halfcl_rounding)(*modes & (MODES - 1)));
    call c = {isa, kernel, operands, modes, mode_step};
    if (halfcl_may_split_vectors(kernel, operands, n))
        return halfcl_run_divided(&(halfcl_divisible){run_some, &c, n, operands[0].width},
                                  halfcl_get_threads());
    return run_whole(isa, kernel, operands, modes, mode_step, n);
}
