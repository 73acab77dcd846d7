/* Parts of matrices as doubles in the order in which tiles are multiplied: of the left factor
 * rows, of the right one panels of LANES columns, row by row. Each half is widened once. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_PACK_H
#define HALFCL_KERNELS_VECTORS_MATRIX_PACK_H

#include "format/strided.h"
#include "kernels/shared/map.h"

/* Rows of a tile in registers, with LANES columns; as many rows of the left factor are packed
 * at once, of MOST_DEPTH elements: a panel of these, and the rows, stay in L1. */
enum { TILE_ROWS = LANES > 8 ? 12 : 6, MOST_DEPTH = 192, PACKED_ROW = MOST_DEPTH + 8 };

static char *element_of(const halfcl_matrix *of, size_t row, size_t column)
{
    return of->start + (ptrdiff_t)row * of->row + (ptrdiff_t)column * of->column;
}

static halfcl_matrix transpose(const halfcl_matrix *m)
{
    return (halfcl_matrix){m->start, m->column, m->row};
}

/* Returns the submatrix from an element on. */
static halfcl_matrix matrix_from(const halfcl_matrix *m, size_t row, size_t column)
{
    return (halfcl_matrix){element_of(m, row, column), m->row, m->column};
}

/* Returns whether rows can be read, or written, in place. */
static bool has_direct_rows(const halfcl_matrix *m)
{
    return halfcl_is_direct(m->start, m->column, sizeof(uint16_t)) && m->row % 2 == 0;
}

enum { SQUARE = 8 };

/* Copies contiguous columns to contiguous rows. The last squares overlap those before. */
static void copy_transposed(const halfcl_matrix *to, const halfcl_matrix *from, size_t rows,
                            size_t columns)
{
    if (rows < SQUARE || columns < SQUARE) {
        for (size_t j = 0; j < columns; ++j)
            halfcl_copy(element_of(to, 0, j), to->row, element_of(from, 0, j), from->row, rows);
        return;
    }
    for (size_t i = 0; i < rows; i += SQUARE) {
        const size_t row = i + SQUARE > rows ? rows - SQUARE : i;
        for (size_t j = 0; j < columns; j += SQUARE) {
            const size_t column = j + SQUARE > columns ? columns - SQUARE : j;
            vh_transpose(element_of(to, row, column), to->row, element_of(from, row, column),
                         from->column);
        }
    }
}

/* Copies between any two layouts. */
static void copy_matrix(const halfcl_matrix *to, const halfcl_matrix *from, size_t rows,
                        size_t columns)
{
    const ptrdiff_t size = sizeof(uint16_t);
    if (to->column == size && from->row == size && from->column != size) {
        copy_transposed(to, from, rows, columns);
    } else if (to->row == size && from->column == size && to->column != size) {
        const halfcl_matrix to_transposed = transpose(to), from_transposed = transpose(from);
        copy_transposed(&to_transposed, &from_transposed, columns, rows);
    } else {
        for (size_t i = 0; i < rows; ++i)
            halfcl_copy(element_of(to, i, 0), to->column, element_of(from, i, 0), from->column,
                        columns);
    }
}

/* Returns contiguous rows: in place, or copied to the buffer. */
static halfcl_matrix direct_rows(const halfcl_matrix *m, size_t rows, size_t columns,
                                 uint16_t *buffer)
{
    const ptrdiff_t size = sizeof *buffer;
    const halfcl_matrix copy = {(char *)buffer, (ptrdiff_t)columns * size, size};
    if (has_direct_rows(m))
        return *m;
    copy_matrix(&copy, m, rows, columns);
    return copy;
}

ALWAYS_INLINE void put_doubles(double *to, vf part)
{
    vd_store(to, vd_low(part));
    vd_store(to + LANES / 2, vd_high(part));
}

/* Packs rows by depth elements of the left factor, at most TILE_ROWS rows; pads the depth with
 * zeros to a vector, and the rows with zeros to a tile. */
static void pack_rows(double *to, const halfcl_matrix *a, size_t rows, size_t depth)
{
    uint16_t buffer[TILE_ROWS * MOST_DEPTH];
    const halfcl_matrix from = direct_rows(a, rows, depth, buffer);
    for (size_t i = 0; i < rows; ++i) {
        const uint16_t *row = (const uint16_t *)element_of(&from, i, 0);
        for (size_t k = 0; k < depth; k += LANES)
            put_doubles(to + i * PACKED_ROW + k, load_upto(row + k, depth - k));
        for (size_t k = depth; k % LANES != 0; ++k)
            to[i * PACKED_ROW + k] = 0;
    }
    for (size_t i = rows; i < TILE_ROWS; ++i)
        memset(to + i * PACKED_ROW, 0, depth * sizeof *to);
}

/* Packs a panel of depth rows. */
static void pack_panel(double *to, const halfcl_matrix *b, size_t depth)
{
    uint16_t buffer[MOST_DEPTH * LANES];
    const halfcl_matrix from = direct_rows(b, depth, LANES, buffer);
    for (size_t k = 0; k < depth; ++k)
        put_doubles(to + k * LANES, load((const uint16_t *)element_of(&from, k, 0)));
}

/* Packs a panel of fewer columns, padded with zeros. */
static void pack_narrow_panel(double *to, const halfcl_matrix *b, size_t depth, size_t columns)
{
    const ptrdiff_t size = sizeof(uint16_t);
    uint16_t buffer[MOST_DEPTH * LANES];
    const halfcl_matrix copy = {(char *)buffer, LANES * size, size};
    memset(buffer, 0, depth * LANES * sizeof *buffer);
    copy_matrix(&copy, b, depth, columns);
    pack_panel(to, &copy, depth);
}

static void pack_panels(double *to, const halfcl_matrix *b, size_t depth, size_t columns)
{
    for (size_t j = 0; j < columns; j += LANES) {
        const halfcl_matrix panel = matrix_from(b, 0, j);
        if (columns - j < LANES)
            pack_narrow_panel(to + j * depth, &panel, depth, columns - j);
        else
            pack_panel(to + j * depth, &panel, depth);
    }
}

#endif
