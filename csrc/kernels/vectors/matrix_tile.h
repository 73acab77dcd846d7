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
#define UNROLLED _Pragma("GCC unroll 16")

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

ALWAYS_INLINE row_sums widen_part(const uint16_t *from, size_t columns)
{
    const vf part = load_upto(from, columns);
    return (row_sums){vd_low(part), vd_high(part)};
}

#endif
