/* Maps over several axes, along which operands may have different layouts.
 *
 * Axes that are contiguous in every operand are joined, and sorted by the steps of the first
 * output. Then a kernel runs along the last axis, the columns. Operands that it cannot use in
 * place are copied to buffers, and back, by tiles of rows and columns:
 * - Short rows are joined: a tile is one run of the kernel. Repeated data, such as one row for
 *   all tiles, is copied once.
 * - Inputs of another type than the kernel's are converted on the way to their buffers.
 * - If an operand is contiguous along another axis, as a transposed one is, that axis becomes
 *   the tile's rows: as many as a line of the cache has elements, so that each line is read
 *   once. Operands that can be used in place are not copied, and the kernel runs row by row. */
#include "env/env.h"
#include "format/strided.h"
#include "run/splitting.h"

#include <string.h>

enum { OPERANDS = HALFCL_MAX_OPERANDS, AXES = HALFCL_MAX_AXES };
/* The bytes of all buffers, which are on the stack, and stacks may be small; the greatest
 * number of short columns; the rows of a tile. */
enum { ROOM = 49152, SHORT = 64, ROWS = 32, LINE = 64 };

typedef struct {
    halfcl_vector_map *const *copies;
    const halfcl_kernel *map;
    halfcl_rounding mode;
    int nin, nargs;
    int operands;                       /* nargs, and one more for a mask */
    halfcl_map *converts[OPERANDS + 1]; /* an input's elements to the kernel's; or NULL */
    size_t size[OPERANDS + 1];          /* of an element in memory */
    size_t width[OPERANDS + 1];         /* of an element in the buffer */
    bool direct[OPERANDS];              /* the kernel can use its columns in place */
    int across;                         /* the axis of a tile's rows; -1: a row at a time */
    bool together;                      /* rows of a tile are one run of the kernel */
    size_t rows, columns;               /* the most of a tile */
    size_t room;                        /* bytes of each buffer */
} plan;

/* The contents of a buffer: nothing, or the rows and columns from there. */
typedef struct {
    const char *from[OPERANDS];
    size_t rows[OPERANDS], columns[OPERANDS];
    _Alignas(LINE) char data[ROOM];
} buffers;

/* ---------------------------------------------------------------- axes */

static void swap_axes(halfcl_grid *grid, int nargs, int a, int b)
{
    size_t length = grid->shape[a];
    grid->shape[a] = grid->shape[b], grid->shape[b] = length;
    for (int i = 0; i < nargs; i++) {
        ptrdiff_t step = grid->steps[i][a];
        grid->steps[i][a] = grid->steps[i][b], grid->steps[i][b] = step;
    }
}

static ptrdiff_t magnitude(ptrdiff_t step)
{
    return step < 0 ? -step : step;
}

/* Sorts the axes by the first output's steps, the greatest first. */
static void sort_axes(halfcl_grid *grid, int nargs, int out)
{
    for (int end = 1; end < grid->axes; end++) {
        for (int k = end;
             k > 0 && magnitude(grid->steps[out][k - 1]) < magnitude(grid->steps[out][k]); k--)
            swap_axes(grid, nargs, k - 1, k);
    }
}

static bool are_one(const halfcl_grid *grid, int nargs, int a, int b)
{
    for (int i = 0; i < nargs; i++) {
        if (grid->steps[i][a] != grid->steps[i][b] * (ptrdiff_t)grid->shape[b])
            return false;
    }
    return true;
}

static void copy_axis(halfcl_grid *grid, int nargs, int to, int from)
{
    grid->shape[to] = grid->shape[from];
    for (int i = 0; i < nargs; i++)
        grid->steps[i][to] = grid->steps[i][from];
}

static void join_axes(halfcl_grid *grid, int nargs)
{
    int kept = 0;
    for (int k = 0; k < grid->axes; k++) {
        size_t length = grid->shape[k];
        bool joins = kept > 0 && are_one(grid, nargs, kept - 1, k);
        if (joins)
            length *= grid->shape[kept - 1];
        kept -= joins;
        copy_axis(grid, nargs, kept, k);
        grid->shape[kept++] = length;
    }
    grid->axes = kept;
}

/* Copies the axes of more than one element; returns false if there are no elements. */
static bool take_axes(halfcl_grid *to, const halfcl_grid *from, int nargs)
{
    to->axes = 0;
    to->conversions = from->conversions, to->masked = from->masked;
    for (int k = 0; k < from->axes; k++) {
        if (from->shape[k] == 0)
            return false;
        if (from->shape[k] == 1)
            continue;
        to->shape[to->axes] = from->shape[k];
        for (int i = 0; i < nargs; i++)
            to->steps[i][to->axes] = from->steps[i][k];
        to->axes++;
    }
    return true;
}

static void add_axis_of_one(halfcl_grid *grid, int nargs)
{
    grid->shape[grid->axes] = 1;
    for (int i = 0; i < nargs; i++)
        grid->steps[i][grid->axes] = 0;
    grid->axes++;
}

/* ---------------------------------------------------------------- tiles */

static bool is_direct(const halfcl_grid *grid, const char *operand, int i, size_t size)
{
    for (int k = 0; k < grid->axes; k++) {
        if (grid->steps[i][k] % (ptrdiff_t)size)
            return false;
    }
    return halfcl_is_direct(operand, grid->steps[i][grid->axes - 1], size);
}

/* Returns the axis along which some operand is contiguous that is not so along the last; or -1.
 */
static int find_across(const plan *p, const halfcl_grid *grid)
{
    for (int i = 0; i < p->operands; i++) {
        for (int k = grid->axes - 2; k >= 0 && !p->direct[i]; k--) {
            if (grid->steps[i][k] == (ptrdiff_t)p->size[i])
                return k;
        }
    }
    return -1;
}

/* Sets the conversions and the sizes of elements; returns whether any input is converted. */
static bool choose_conversions(plan *p, const halfcl_grid *grid)
{
    bool any = false;
    p->size[p->nargs] = p->width[p->nargs] = 1; /* of a mask */
    p->converts[p->nargs] = NULL;
    for (int i = 0; i < p->nargs; i++) {
        const halfcl_kernel *conversion =
            grid->conversions && i < p->nin ? grid->conversions[i] : NULL;
        p->width[i] = halfcl_type_size((halfcl_type)p->map->signature.types[i]);
        p->size[i] = conversion ? halfcl_type_size((halfcl_type)conversion->signature.types[0])
                                : p->width[i];
        p->converts[i] = conversion ? conversion->map : NULL;
        any |= conversion != NULL;
    }
    return any;
}

static void choose_tiles(plan *p, const halfcl_grid *grid, char *const *operands, bool converts)
{
    const size_t columns = grid->shape[grid->axes - 1];
    p->room = ROOM / (size_t)(p->operands + converts) / LINE * LINE;
    size_t room = p->room;
    for (int i = 0; i < p->operands; i++) {
        p->direct[i] = !p->converts[i] && is_direct(grid, operands[i], i, p->size[i]);
        room = p->room / p->width[i] < room ? p->room / p->width[i] : room;
    }
    p->together = columns < SHORT;
    p->across = p->together ? grid->axes - 2 : find_across(p, grid);
    p->rows = p->together ? room / columns : p->across < 0 ? 1 : ROWS;
    p->columns = p->together ? columns : room / p->rows / LINE * LINE;
}

/* Copies rows of at least `piece` bytes, a constant; some bytes may be copied twice. */
static inline void copy_pieces(char *to, ptrdiff_t to_row, const char *from, ptrdiff_t from_row,
                               size_t bytes, size_t rows, size_t piece)
{
    for (size_t r = 0; r < rows; r++, to += to_row, from += from_row) {
        for (size_t k = 0; k + piece < bytes; k += piece)
            memcpy(to + k, from + k, piece);
        memcpy(to + bytes - piece, from + bytes - piece, piece);
    }
}

static void copy_rows(char *to, ptrdiff_t to_row, const char *from, ptrdiff_t from_row,
                      size_t bytes, size_t rows)
{
    if (bytes >= 16)
        copy_pieces(to, to_row, from, from_row, bytes, rows, 16);
    else if (bytes >= 8)
        copy_pieces(to, to_row, from, from_row, bytes, rows, 8);
    else
        copy_pieces(to, to_row, from, from_row, bytes, rows, 4);
}

/* Copies a tile to a buffer, or from it, where rows are so many bytes apart. */
static void copy_tile(const plan *p, int i, const halfcl_vectors *there, char *buffer,
                      size_t columns, bool back)
{
    const ptrdiff_t size = (ptrdiff_t)p->size[i];
    const ptrdiff_t row = size * (ptrdiff_t)columns;
    if (there->step == size && row >= 4) {
        if (back)
            copy_rows(there->start, there->component, buffer, row, (size_t)row, there->width);
        else
            copy_rows(buffer, row, there->start, there->component, (size_t)row, there->width);
        return;
    }
    halfcl_vectors here = {buffer, size, row, there->width}, far = *there;
    size_t n = columns;
    if (p->together) { /* rows are vectors of as many components as there are columns */
        n = there->width;
        here = (halfcl_vectors){buffer, here.component, size, columns};
        far = (halfcl_vectors){there->start, there->component, there->step, columns};
    }
    const halfcl_vectors operands[] = {back ? here : far, back ? far : here};
    int log2 = 0;
    while (1 << log2 < size)
        log2++;
    p->copies[log2](operands, n, HALFCL_RTE);
}

/* Converts a tile to a buffer, through a second one unless its elements are in one piece. */
static void convert_tile(const plan *p, int i, const halfcl_vectors *there, char *buffer,
                         size_t columns, char *second)
{
    const ptrdiff_t size = (ptrdiff_t)p->size[i], row = size * (ptrdiff_t)columns;
    void *args[] = {there->start, buffer};
    if (!halfcl_is_direct(there->start, there->step, p->size[i]) ||
        (there->width > 1 && there->component != row)) {
        copy_tile(p, i, there, second, columns, false);
        args[0] = second;
    }
    p->converts[i](args, columns * there->width, p->mode);
}

/* Copies a tile to its buffer unless it is there, as repeated inputs are. (An output, of which
 * no two elements overlap, never is.) */
static void gather(const plan *p, int i, const halfcl_vectors *there, size_t columns,
                   buffers *b)
{
    char *buffer = b->data + (size_t)i * p->room;
    if (b->from[i] == there->start && b->rows[i] >= there->width && b->columns[i] == columns)
        return;
    if (p->converts[i])
        convert_tile(p, i, there, buffer, columns, b->data + (size_t)p->operands * p->room);
    else
        copy_tile(p, i, there, buffer, columns, false);
    b->from[i] = there->start, b->rows[i] = there->width, b->columns[i] = columns;
}

/* Selects without a branch, so that compilers vectorise the loop. */
#define DEFINE_SELECT(T)                                                                       \
    static void select_##T(T *to, const T *chosen, const T *others, const uint8_t *mask,       \
                           size_t n)                                                           \
    {                                                                                          \
        for (size_t k = 0; k < n; k++) {                                                       \
            const T set = (T)(0 - (T)(mask[k] != 0));                                          \
            to[k] = (T)((chosen[k] & set) | (others[k] & ~set));                               \
        }                                                                                      \
    }
DEFINE_SELECT(uint8_t)
DEFINE_SELECT(uint16_t)
DEFINE_SELECT(uint32_t)

/* Writes results of one, two or four bytes each where a mask is set. */
static void write_selected(void *to, const void *results, const uint8_t *mask, size_t size,
                           size_t n)
{
    if (size == 1)
        select_uint8_t(to, results, to, mask, n);
    else if (size == 2)
        select_uint16_t(to, results, to, mask, n);
    else
        select_uint32_t(to, results, to, mask, n);
}

/* Runs the kernel on halves that a mask, the last operand, selects. The others are replaced by
 * 1, which raises no exception. */
static unsigned run_selected(const plan *p, void *const *args, size_t n)
{
    enum { PIECE = 512, ONE = 0x3c00 };
    uint32_t pieces[OPERANDS][PIECE];
    uint16_t ones[PIECE];
    unsigned flags = 0;
    for (size_t k = 0; k < PIECE && k < n; k++)
        ones[k] = ONE;
    for (size_t first = 0, count; first < n; first += count) {
        const uint8_t *mask = (const uint8_t *)args[p->nargs] + first;
        void *at[OPERANDS];
        count = n - first < PIECE ? n - first : PIECE;
        for (int i = 0; i < p->nargs; i++) {
            at[i] = pieces[i];
            if (i >= p->nin)
                continue;
            select_uint16_t(at[i], (const uint16_t *)args[i] + first, ones, mask, count);
        }
        flags |= p->map->map(at, count, p->mode);
        for (int i = p->nin; i < p->nargs; i++)
            write_selected((char *)args[i] + first * p->width[i], at[i], mask, p->width[i],
                           count);
    }
    return flags;
}

/* Runs the kernel on a tile whose operands have rows so many bytes apart. */
static unsigned run_rows(const plan *p, char *const *at, const ptrdiff_t *steps, size_t rows,
                         size_t columns)
{
    void *args[OPERANDS];
    unsigned flags = 0;
    for (size_t r = 0; r < rows; r++) {
        for (int i = 0; i < p->operands; i++)
            args[i] = at[i] + (ptrdiff_t)r * steps[i];
        flags |= p->operands > p->nargs ? run_selected(p, args, columns)
                                        : p->map->map(args, columns, p->mode);
    }
    return flags;
}

/* Returns whether an operand is an input, the mask, or an output of which some elements stay.
 */
static bool is_read(const plan *p, int i)
{
    return i < p->nin || p->operands > p->nargs;
}

static unsigned run_tile(const plan *p, const halfcl_grid *grid, char *const *operands,
                         size_t rows, size_t columns, buffers *b)
{
    halfcl_vectors there[OPERANDS];
    bool direct[OPERANDS];
    char *at[OPERANDS];
    ptrdiff_t steps[OPERANDS];
    unsigned flags;
    for (int i = 0; i < p->operands; i++) {
        const ptrdiff_t row = (ptrdiff_t)(p->width[i] * columns);
        there[i] = (halfcl_vectors){operands[i], grid->steps[i][grid->axes - 1],
                                    p->across < 0 ? row : grid->steps[i][p->across], rows};
        direct[i] = p->direct[i] && (!p->together || rows == 1 || there[i].component == row);
        at[i] = direct[i] ? operands[i] : b->data + (size_t)i * p->room;
        steps[i] = direct[i] ? there[i].component : row;
        if (is_read(p, i) && !direct[i])
            gather(p, i, &there[i], columns, b);
    }
    flags = p->together ? run_rows(p, at, steps, 1, rows * columns)
                        : run_rows(p, at, steps, rows, columns);
    for (int i = p->nin; i < p->nargs; i++) {
        if (!direct[i])
            copy_tile(p, i, &there[i], b->data + (size_t)i * p->room, columns, true);
    }
    return flags;
}

/* ---------------------------------------------------------------- iterating */

/* Returns the extent of a tile along an axis. */
static size_t extent(const plan *p, const halfcl_grid *grid, int axis)
{
    if (axis == p->across)
        return p->rows;
    return axis == grid->axes - 1 ? p->columns : 1;
}

/* Advances to the next tile; returns false after the last one. The columns of a few rows come
 * first, and then the axis of rows, so that cache lines that two tiles share are still cached.
 */
static bool next_tile(const plan *p, const halfcl_grid *grid, char **operands, size_t *at)
{
    for (int turn = 0; turn < grid->axes; turn++) {
        int k = grid->axes - 1 - turn;
        size_t by = extent(p, grid, k);
        ptrdiff_t moved = (ptrdiff_t)by;
        at[k] += by;
        bool goes_on = at[k] < grid->shape[k];
        if (!goes_on)
            moved -= (ptrdiff_t)at[k];
        for (int i = 0; i < p->operands; i++)
            operands[i] += moved * grid->steps[i][k];
        if (goes_on)
            return true;
        at[k] = 0;
    }
    return false;
}

static unsigned run_tiles(const plan *p, const halfcl_grid *grid, char *const *starts)
{
    buffers b;
    char *operands[OPERANDS];
    size_t at[AXES] = {0};
    const int last = grid->axes - 1;
    unsigned flags = 0;
    memset(b.from, 0, sizeof b.from);
    memcpy(operands, starts, (size_t)p->operands * sizeof *operands);
    do {
        size_t columns = grid->shape[last] - at[last], rows = 1;
        if (p->across >= 0)
            rows = grid->shape[p->across] - at[p->across];
        flags |= run_tile(p, grid, operands, rows < p->rows ? rows : p->rows,
                          columns < p->columns ? columns : p->columns, &b);
    } while (next_tile(p, grid, operands, at));
    return flags;
}

/* ---------------------------------------------------------------- by several threads
 *
 * Each thread computes stretches of the outermost axis, multiples of the extent of a tile. */

typedef struct {
    const plan *plan;
    const halfcl_grid *grid;
    char *const *operands;
    size_t together; /* consecutive indices of the outermost axis per item */
} call;

static unsigned run_stretch(void *work, size_t first, size_t count, int thread)
{
    const call *c = work;
    halfcl_grid grid = *c->grid;
    char *operands[OPERANDS];
    size_t start = first * c->together, remaining = grid.shape[0] - start;
    halfcl_env env;
    (void)thread;
    grid.shape[0] = remaining < count * c->together ? remaining : count * c->together;
    for (int i = 0; i < c->plan->operands; i++)
        operands[i] = c->operands[i] + (ptrdiff_t)start * grid.steps[i][0];
    halfcl_enter(&env, c->plan->mode);
    unsigned flags = run_tiles(c->plan, &grid, operands);
    return flags | halfcl_leave(&env);
}

/* Returns whether the outermost step of each output exceeds the extent of the inner axes. */
static bool are_apart(const plan *p, const halfcl_grid *grid)
{
    bool apart = true;
    for (int i = p->nin; i < p->nargs; i++) {
        ptrdiff_t reach = (ptrdiff_t)p->size[i];
        for (int k = 1; k < grid->axes; k++)
            reach += magnitude(grid->steps[i][k]) * (ptrdiff_t)(grid->shape[k] - 1);
        apart &= magnitude(grid->steps[i][0]) >= reach;
    }
    return apart;
}

static unsigned run_stretches(const plan *p, const halfcl_grid *grid, char *const *operands)
{
    call c = {p, grid, operands, p->across == 0 ? p->rows : 1};
    size_t inner = 1, items = (grid->shape[0] + c.together - 1) / c.together;
    for (int k = 1; k < grid->axes; k++)
        inner *= grid->shape[k];
    bool splits = halfcl_may_split(inner * grid->shape[0]) && are_apart(p, grid);
    return halfcl_run_divided(&(halfcl_divisible){run_stretch, &c, items, inner * c.together},
                              splits ? halfcl_get_threads() : 1);
}

/* ---------------------------------------------------------------- the driver */

unsigned halfcl_run_grid(const halfcl_isa *isa, const halfcl_kernel *map, char *const *operands,
                         const halfcl_grid *original, halfcl_rounding mode)
{
    if (!map || map->kind != HALFCL_MAP)
        return HALFCL_MISUSE;
    halfcl_grid grid;
    plan p = {.map = map, .mode = mode};
    p.nin = map->signature.nin, p.nargs = p.nin + map->signature.nout;
    p.operands = p.nargs + original->masked;
    if (p.operands > OPERANDS)
        return HALFCL_MISUSE;
    if (!take_axes(&grid, original, p.operands))
        return 0;
    sort_axes(&grid, p.operands, p.nin);
    join_axes(&grid, p.operands);
    const bool converts = choose_conversions(&p, &grid), is_plain = !converts && !grid.masked;
    if (!is_plain && grid.axes == 0)
        add_axis_of_one(&grid, p.operands);
    if (grid.axes <= 1 && is_plain) {
        ptrdiff_t steps[OPERANDS] = {0};
        for (int i = 0; i < p.nargs && grid.axes; i++)
            steps[i] = grid.steps[i][0];
        return halfcl_run(map, operands, steps, grid.axes ? grid.shape[0] : 1, mode);
    }
    for (const halfcl_isa *set = isa; !p.copies; set = set->base)
        p.copies = set->copies;
    choose_tiles(&p, &grid, operands, converts);
    unsigned flags = run_stretches(&p, &grid, operands);
    return map->quiet ? 0 : flags;
}
