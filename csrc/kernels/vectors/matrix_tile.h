/* Tiles of a product, summed in registers. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_TILE_H
#define HALFCL_KERNELS_VECTORS_MATRIX_TILE_H

#include "kernels/vectors/matrix_pack.h"

/* Tiles at the end have fewer rows. */
enum { SHORT_TILE = TILE_ROWS / 3 };

typedef struct {
    vd low, high;
} row_sums;

ALWAYS_INLINE row_sums load_sums(const double *from)
{
    return (row_sums){vd_load(from), vd_load(from + LANES / 2)};
}

ALWAYS_INLINE void put_sums(double *to, row_sums sums)
{
    vd_store(to, sums.low);
    vd_store(to + LANES / 2, sums.high);
}

/* For loops that must be unrolled, so that their arrays stay in registers. */
#define UNROLLED _Pragma("GCC unroll 12")

/* Adds the products of rows and a panel to the sums, or starts new sums. */
ALWAYS_INLINE void add_tile(double *sums, size_t step, const double *a, const double *b,
                            size_t depth, bool first, int rows)
{
    row_sums tile[TILE_ROWS];
    UNROLLED
    for (int r = 0; r < rows; ++r)
        tile[r] = first ? (row_sums){vd_set(0), vd_set(0)} : load_sums(sums + (size_t)r * step);
    for (size_t k = 0; k < depth; ++k) {
        const row_sums row = load_sums(b + k * LANES);
        UNROLLED
        for (int r = 0; r < rows; ++r) {
            const vd x = vd_set(a[r * PACKED_ROW + (ptrdiff_t)k]);
            tile[r].low = vd_muladd(x, row.low, tile[r].low);
            tile[r].high = vd_muladd(x, row.high, tile[r].high);
        }
    }
    UNROLLED
    for (int r = 0; r < rows; ++r)
        put_sums(sums + (size_t)r * step, tile[r]);
}

typedef void add_products_of_tile(double *sums, size_t step, const double *a, const double *b,
                                  size_t depth, bool first);

#define TILE(name, rows)                                                                       \
    static __attribute__((noinline)) void name(double *sums, size_t step, const double *a,     \
                                               const double *b, size_t depth, bool first)      \
    {                                                                                          \
        add_tile(sums, step, a, b, depth, first, rows);                                        \
    }
TILE(add_whole_tile, TILE_ROWS)
TILE(add_two_thirds, 2 * SHORT_TILE)
TILE(add_short_tile, SHORT_TILE)

/* Returns the function for so many rows, or a few more. */
static add_products_of_tile *tile_of(size_t rows)
{
    return rows > 2 * SHORT_TILE ? add_whole_tile
           : rows > SHORT_TILE   ? add_two_thirds
                                 : add_short_tile;
}

/* With few rows each element of the right factor is needed only once or twice: it is widened
 * when it is read. */

ALWAYS_INLINE row_sums widen_part(const uint16_t *from, size_t columns)
{
    const vf part = load_upto(from, columns);
    return (row_sums){vd_low(part), vd_high(part)};
}

/* Computes two panels at once, which share a line of the cache; or, if there are no more
 * columns, a part of one, with arbitrary sums beyond. */
ALWAYS_INLINE void add_direct_tile(double *sums, size_t step, const double *a,
                                   const halfcl_matrix *b, size_t depth, size_t columns,
                                   bool first, int rows, int panels)
{
    row_sums tile[2 * SHORT_TILE];
    UNROLLED
    for (int t = 0; t < rows * panels; ++t)
        tile[t] = first ? (row_sums){vd_set(0), vd_set(0)}
                        : load_sums(sums + (size_t)(t / panels) * step + t % panels * LANES);
    for (size_t k = 0; k < depth; ++k) {
        const uint16_t *from = (const uint16_t *)element_of(b, k, 0);
        UNROLLED
        for (int q = 0; q < panels; ++q) {
            const row_sums row = widen_part(from + q * LANES, columns);
            UNROLLED
            for (int r = 0; r < rows; ++r) {
                row_sums *sum = &tile[r * panels + q];
                const vd x = vd_set(a[r * PACKED_ROW + (ptrdiff_t)k]);
                sum->low = vd_muladd(x, row.low, sum->low);
                sum->high = vd_muladd(x, row.high, sum->high);
            }
        }
    }
    UNROLLED
    for (int t = 0; t < rows * panels; ++t)
        put_sums(sums + (size_t)(t / panels) * step + t % panels * LANES, tile[t]);
}

ALWAYS_INLINE void add_direct_row_of_tiles(double *sums, size_t step, const double *a,
                                           const halfcl_matrix *b, size_t depth, size_t columns,
                                           bool first, int rows)
{
    size_t j = 0;
    for (; j + PAIR <= columns; j += PAIR) {
        const halfcl_matrix panel = matrix_from(b, 0, j);
        add_direct_tile(sums + j, step, a, &panel, depth, LANES, first, rows, 2);
    }
    for (; j < columns; j += LANES) {
        const halfcl_matrix panel = matrix_from(b, 0, j);
        add_direct_tile(sums + j, step, a, &panel, depth, columns - j, first, rows, 1);
    }
}

/* Adds the products of up to SHORT_TILE packed rows and all columns. */
static __attribute__((noinline)) void add_directly(double *sums, size_t step, const double *a,
                                                   size_t rows, const halfcl_matrix *b,
                                                   size_t depth, size_t columns, bool first)
{
    if (rows == 1)
        add_direct_row_of_tiles(sums, step, a, b, depth, columns, first, 1);
    else if (rows == 2)
        add_direct_row_of_tiles(sums, step, a, b, depth, columns, first, 2);
    else
        add_direct_row_of_tiles(sums, step, a, b, depth, columns, first, SHORT_TILE);
}

#endif
