/* Tests that maps over several axes give what element after element gives, some of them
 * converted, and touch nothing else: operands have memory of their own, exactly as much as they
 * need, which sanitizers check. */
#include "tests/testing.h"

enum { MOST = HALFCL_MAX_OPERANDS, LARGEST = 1 << 16 };

typedef struct {
    const char *name, *types;
} operation;

static const operation operations[] = {
    {"sqrt", "e>e"},    {"divide", "ee>e"}, {"clamp", "eee>e"}, {"isnan", "e>?"},
    {"convert", "e>f"}, {"convert", "d>e"}, {"convert", "b>e"}, {"sincos", "e>ee"},
    {"equal", "ee>?"},  {"ldexp", "ei>e"},  {"frexp", "e>ei"},
};

/* Conversions of an input to half. */
static const operation conversions[] = {
    {"convert", "?>e"}, {"convert", "b>e"}, {"convert", "B>e"}, {"swap_bytes", "e>e"}};

static size_t below(size_t n)
{
    return (size_t)(random_bits() % n);
}

static size_t pick_length(size_t room)
{
    static const size_t lengths[] = {1, 2, 3, 4, 7, 16, 33, 63, 64, 65, 100, 300, 1000};
    size_t length = lengths[below(sizeof lengths / sizeof *lengths)];
    return length <= room ? length : 1;
}

static void pick_shape(halfcl_grid *grid)
{
    size_t n = 1;
    grid->axes = (int)below(5);
    for (int k = 0; k < grid->axes; ++k) {
        grid->shape[k] = pick_length(LARGEST / n);
        n *= grid->shape[k];
    }
}

/* Sets an operand's steps, in random order of the axes and with gaps between elements; returns
 * its size. */
static size_t pick_steps(halfcl_grid *grid, int i, size_t size, bool is_input, size_t *first)
{
    const int axes = grid->axes, start = axes ? (int)below((size_t)axes) : 0;
    const bool backward_order = random_bits() % 2;
    size_t end = size;
    *first = 0;
    for (int turn = 0; turn < axes; ++turn) {
        int k = backward_order ? (start + axes - turn) % axes : (start + turn) % axes;
        size_t step = end * (random_bits() % 4 ? 1 : 1 + below(3));
        bool repeats = is_input && random_bits() % 5 == 0;
        bool backwards = random_bits() % 8 == 0;
        grid->steps[i][k] = repeats ? 0 : backwards ? -(ptrdiff_t)step : (ptrdiff_t)step;
        if (repeats)
            continue;
        *first += backwards ? step * (grid->shape[k] - 1) : 0;
        end = step * (grid->shape[k] - 1) + end;
        end += (size - end % size) % size;
    }
    return end;
}

static unsigned run_elements(const halfcl_kernel *map, char *const *starts,
                             const halfcl_grid *grid, int mode)
{
    const int nargs = map->signature.nin + map->signature.nout;
    const ptrdiff_t none[MOST] = {0};
    size_t n = 1;
    unsigned flags = 0;
    for (int k = 0; k < grid->axes; ++k)
        n *= grid->shape[k];
    for (size_t e = 0; e < n; ++e) {
        char *at[MOST];
        memcpy(at, starts, sizeof at);
        size_t remaining = e;
        for (int k = 0; k < grid->axes; remaining /= grid->shape[k++])
            for (int i = 0; i < nargs + grid->masked; ++i)
                at[i] += (ptrdiff_t)(remaining % grid->shape[k]) * grid->steps[i][k];
        if (grid->masked && !*at[nargs])
            continue;
        uint16_t converted[MOST];
        for (int i = 0; i < map->signature.nin; ++i) {
            char *pair[] = {at[i], (char *)&converted[i]};
            if (!grid->conversions[i])
                continue;
            flags |= halfcl_run(grid->conversions[i], pair, none, 1, (halfcl_rounding)mode);
            at[i] = pair[1];
        }
        flags |= halfcl_run(map, at, none, 1, (halfcl_rounding)mode);
    }
    return flags;
}

static void fill(char *memory, size_t size)
{
    for (size_t k = 0; k + 2 <= size; k += 2) {
        uint16_t half = pick_half();
        memcpy(memory + k, &half, sizeof half);
    }
}

/* Chooses the conversion of an input: none, or one to half. */
static const halfcl_kernel *pick_conversion(const halfcl_isa *isa, int type)
{
    const operation *of = &conversions[below(sizeof conversions / sizeof *conversions)];
    return type == HALFCL_HALF && random_bits() % 3 == 0 ? find_map(isa, of->name, of->types)
                                                         : NULL;
}

/* Returns whether a mask can select elements: of inputs that are halves. */
static bool are_selectable(const halfcl_signature *signature)
{
    bool are_halves = true;
    for (int i = 0; i < signature->nin; ++i)
        are_halves &= signature->types[i] == HALFCL_HALF;
    return are_halves;
}

static void check(const halfcl_isa *isa, const operation *of)
{
    const halfcl_kernel *map = find_map(isa, of->name, of->types);
    const int nin = map->signature.nin, nargs = nin + map->signature.nout;
    const int mode = (int)below(4);
    char *memory[MOST] = {0}, *expected[MOST] = {0}, *at[MOST] = {0}, *expected_at[MOST] = {0};
    size_t sizes[MOST];
    halfcl_grid grid;
    const halfcl_kernel *converted[MOST] = {0};
    grid.conversions = converted;
    grid.masked = are_selectable(&map->signature) && random_bits() % 3 == 0;
    pick_shape(&grid);
    for (int i = 0; i < nargs + grid.masked; ++i) {
        size_t shift = random_bits() % 8 == 0, first;
        int type = i < nargs ? map->signature.types[i] : HALFCL_BOOL;
        if (i < nin)
            converted[i] = pick_conversion(isa, type);
        if (converted[i])
            type = converted[i]->signature.types[0];
        sizes[i] =
            shift + pick_steps(&grid, i, halfcl_type_size(type), i < nin || i == nargs, &first);
        memory[i] = calloc(sizes[i], 1);
        expected[i] = malloc(sizes[i]);
        fill(memory[i], sizes[i]);
        memcpy(expected[i], memory[i], sizes[i]);
        at[i] = memory[i] + shift + first;
        expected_at[i] = expected[i] + shift + first;
    }
    unsigned flags = halfcl_run_grid(isa, map, at, &grid, (halfcl_rounding)mode);
    bool wrong = flags != run_elements(map, expected_at, &grid, mode);
    for (int i = 0; i < nargs + grid.masked; ++i) {
        wrong |= memcmp(memory[i], expected[i], sizes[i]) != 0;
        free(memory[i]);
        free(expected[i]);
    }
    if (wrong && failed("grid", isa, mode))
        printf("%s %s, %d axes\n", of->name, of->types, grid.axes);
}

void test_grid(void)
{
    const halfcl_isa *isa;
    for (size_t k = 0; (isa = halfcl_available(k)); ++k) {
        for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
            for (int turn = 0; turn < 60; turn += one_in)
                check(isa, &operations[i]);
        }
    }
}
