/* Tests that kernels are found by kind and types, and that drivers run kernels of their own
 * kind only; for others the outputs stay unchanged. */
#include "tests/testing.h"

static const halfcl_kernel *find(const halfcl_isa *isa, const char *name, halfcl_kind kind,
                                 uint8_t nin)
{
    const halfcl_signature signature = HALFCL_HALVES(nin, 1);
    return halfcl_find_kernel(isa, name, kind, &signature);
}

static void expect(bool holds, const halfcl_isa *isa, const char *what)
{
    if (!holds && failed("kinds", isa, 0))
        printf("%s\n", what);
}

static void test_finding(const halfcl_isa *isa)
{
    const halfcl_signature to_float = {1, 1, {HALFCL_HALF, HALFCL_FLOAT}};
    const halfcl_signature from_float = {1, 1, {HALFCL_FLOAT, HALFCL_HALF}};
    const halfcl_kernel *there = halfcl_find_kernel(isa, "convert", HALFCL_MAP, &to_float);
    const halfcl_kernel *back = halfcl_find_kernel(isa, "convert", HALFCL_MAP, &from_float);
    expect(there && back && there != back, isa, "conversions found by types");
    expect(find(isa, "add", HALFCL_MAP, 2), isa, "a map not found");
    expect(!find(isa, "add", HALFCL_FOLD, 2), isa, "a map found as a fold");
    expect(!find(isa, "add", HALFCL_MAP, 1), isa, "found with too few inputs");
    expect(!find(isa, "no such", HALFCL_MAP, 1), isa, "found what there is not");
    expect(find(isa, "dot", HALFCL_FOLD, 2), isa, "a fold not found");
    expect(find(isa, "vectors_dot", HALFCL_VECTORS, 2), isa, "vectors not found");
}

/* Calls every driver with a kernel, or none, of the wrong kind. */
static void test_misuse_of(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    enum { UNTOUCHED = 0x1234, N = 4 };
    uint16_t memory[4][N] = {{0x3c00}};
    char *operands[4];
    ptrdiff_t steps[4];
    halfcl_vectors vectors[4];
    halfcl_matrix matrices[3];
    halfcl_fold_state state = {0}, other = {0};
    bool is_map = kernel && kernel->kind == HALFCL_MAP;
    bool is_fold = kernel && kernel->kind == HALFCL_FOLD;
    bool is_binary = is_map && find(isa, kernel->name, HALFCL_MAP, 2) == kernel;
    unsigned nin = kernel ? kernel->signature.nin : 0;
    memset(&memory[1], UNTOUCHED & 0xff, sizeof memory[0] * 3);
    for (int i = 0; i < 4; ++i) {
        operands[i] = (char *)memory[i];
        steps[i] = sizeof memory[i][0];
        vectors[i] = (halfcl_vectors){(char *)memory[i], 2 * N, 2, N};
        if (i < 3)
            matrices[i] = (halfcl_matrix){(char *)memory[i], 2, 2};
    }
    const halfcl_matrix_product product = {matrices[0], matrices[1], matrices[2], 1, N, 1};
    const halfcl_matrix_stack stack = {product, 2, 0, 0, 2};
    uint16_t before[4][N];
    memcpy(before, memory, sizeof memory);
    expect(is_map || halfcl_run(kernel, operands, steps, N, HALFCL_RTE) == HALFCL_MISUSE, isa,
           "run of no map");
    const uint8_t modes[N] = {0};
    expect(is_map ||
               halfcl_run_in_modes(isa, kernel, operands, steps, modes, 1, N) == HALFCL_MISUSE,
           isa, "run in modes of no map");
    expect(is_binary || halfcl_fold_in_order(kernel, memory[1], operands[0], 2, N,
                                             HALFCL_RTE) == HALFCL_MISUSE,
           isa, "fold in order of no binary map");
    expect((is_fold && nin == 1) ||
               halfcl_fold(kernel, memory[1], operands[0], 2, N, HALFCL_RTE) == HALFCL_MISUSE,
           isa, "fold of no fold");
    expect((is_fold && nin == 2) ||
               halfcl_matmul(kernel, &product, HALFCL_RTE) == HALFCL_MISUSE,
           isa, "product of no fold of two");
    expect((is_fold && nin == 2) ||
               halfcl_matmul_stack(kernel, &stack, HALFCL_RTE) == HALFCL_MISUSE,
           isa, "products of no fold of two");
    expect((kernel && kernel->kind == HALFCL_VECTORS) ||
               halfcl_run_vectors(kernel, vectors, 1, HALFCL_RTE) == HALFCL_MISUSE,
           isa, "vectors of no such kernel");
    expect((kernel && kernel->kind == HALFCL_VECTORS) ||
               halfcl_run_vectors_in_modes(isa, kernel, vectors, modes, 1, 1) == HALFCL_MISUSE,
           isa, "vectors in modes of no such kernel");
    if (!is_fold) {
        expect(halfcl_state_add(kernel, &state, operands, steps, N) == HALFCL_MISUSE, isa,
               "added by no fold");
        expect(halfcl_state_merge(kernel, &state, &other) == HALFCL_MISUSE, isa,
               "merged by no fold");
        expect(halfcl_state_finish(kernel, &state, memory[1], HALFCL_RTE) == HALFCL_MISUSE, isa,
               "finished by no fold");
    }
    expect(memcmp(before, memory, sizeof memory) == 0 && state.seen == 0, isa,
           "misuse has written");
}

static void test_widths(const halfcl_isa *isa)
{
    uint16_t memory[3][5] = {{0}};
    const halfcl_kernel *cross = find(isa, "vectors_cross", HALFCL_VECTORS, 2);
    const halfcl_kernel *length = find(isa, "vectors_length", HALFCL_VECTORS, 1);
    for (size_t width = 0; width <= 5; ++width) {
        halfcl_vectors operands[3];
        for (int i = 0; i < 3; ++i)
            operands[i] = (halfcl_vectors){(char *)memory[i], 0, 2, width};
        unsigned flags = halfcl_run_vectors(cross, operands, 1, HALFCL_RTE);
        expect(flags == (width == 3 || width == 4 ? 0 : HALFCL_MISUSE), isa, "width of cross");
        flags = halfcl_run_vectors(length, operands, 1, HALFCL_RTE);
        expect(flags == (width == 1 ? 0 : HALFCL_MISUSE), isa, "width of a number");
        operands[1].width = width + 1;
        flags = halfcl_run_vectors(cross, operands, 1, HALFCL_RTE);
        expect(flags == HALFCL_MISUSE, isa, "operands of two widths");
    }
}

/* Modes that change, for vectors of two widths: nothing is gathered, and nothing written. */
static void test_widths_in_modes(const halfcl_isa *isa)
{
    enum { VECTORS = 128, WIDTH = 3, WIDER = 600 };
    static uint16_t memory[3][VECTORS][WIDER], before[sizeof memory / sizeof ***memory];
    const halfcl_kernel *cross = find(isa, "vectors_cross", HALFCL_VECTORS, 2);
    uint8_t modes[VECTORS];
    for (size_t k = 0; k < VECTORS; ++k)
        modes[k] = k & 3;
    memset(memory, 0x3c, sizeof memory);
    memcpy(before, memory, sizeof memory);
    for (int other = 1; other < 3; ++other) {
        halfcl_vectors operands[3];
        for (int i = 0; i < 3; ++i)
            operands[i] = (halfcl_vectors){(char *)memory[i], sizeof memory[i][0], 2,
                                           i == other ? WIDER : WIDTH};
        unsigned flags = halfcl_run_vectors_in_modes(isa, cross, operands, modes, 1, VECTORS);
        expect(flags == HALFCL_MISUSE, isa, "two widths in modes");
        expect(memcmp(before, memory, sizeof memory) == 0, isa, "two widths have been written");
    }
}

/* Vectors of other types than half, in modes that change so often that they would be gathered,
 * and in one. */
static void test_words_in_modes(const halfcl_isa *isa)
{
    enum { COUNT = 100, UNTOUCHED = 0x1234 };
    static uint64_t in[COUNT], out[COUNT];
    const halfcl_signature words = {1, 1, {HALFCL_UINT64, HALFCL_UINT64}};
    const halfcl_kernel *copy = halfcl_find_kernel(isa, "copy", HALFCL_VECTORS, &words);
    const halfcl_vectors operands[] = {{(char *)in, 8, 8, 1}, {(char *)out, 8, 8, 1}};
    uint8_t modes[COUNT];
    for (size_t k = 0; k < COUNT; ++k) {
        modes[k] = k % 4;
        out[k] = UNTOUCHED;
    }
    for (ptrdiff_t step = 0; step < 2; ++step)
        expect(copy && halfcl_run_vectors_in_modes(isa, copy, operands, modes, step, COUNT) ==
                           HALFCL_MISUSE,
               isa, "vectors of words, in modes");
    for (size_t k = 0; k < COUNT; ++k)
        expect(out[k] == UNTOUCHED, isa, "misuse in modes has written");
}

void test_kinds(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        test_finding(isa);
        test_widths(isa);
        test_widths_in_modes(isa);
        test_words_in_modes(isa);
        test_misuse_of(isa, NULL);
        const halfcl_kernel *kernel;
        for (size_t k = 0; (kernel = halfcl_kernel_at(isa, k)); ++k)
            test_misuse_of(isa, kernel);
    }
}
