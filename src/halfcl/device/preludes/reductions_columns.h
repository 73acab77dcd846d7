/* Columns: of n rows one after the other, each of so many columns; and many such blocks. Wide: two
 * columns next to each other, which begin at an even place in all arrays. */

#define HCR_AHEAD 4 /* rows that are read before any is taken */
#define HCR_MOST (HCR_PRODUCTS ? 128 : 1024)
#define HCR_EACH (HCR_WIDE ? 2 : 1)

typedef struct {
    unsigned int a, b, mask;
} hcr_unit;

#if HCR_WIDE
#define HCR_READ(u, i)                                                                         \
    {                                                                                          \
        u.a = ((HCR_GLOBAL const unsigned int *)x)[(i) / 2];                                   \
        HCR_READ_Y(u.b = ((HCR_GLOBAL const unsigned int *)y)[((i) - x_0 + y_0) / 2];)              \
        HCR_READ_M(u.mask = ((HCR_GLOBAL const unsigned short *)m)[((i) - x_0 + m_0) / 2];)         \
    }
#else
#define HCR_READ(u, i)                                                                         \
    {                                                                                          \
        u.a = x[i];                                                                            \
        HCR_READ_Y(u.b = y[(i) - x_0 + y_0];)                                                       \
        HCR_READ_M(u.mask = m[(i) - x_0 + m_0];)                                                    \
    }
#endif

/* Groups: of columns, and of chunks of each rows. */
HCR_KERNEL hck(hci_ulong results, hci_ulong n, hci_ulong each, HCR_ARRAY(x) HCR_SECOND HCR_MASK,
               HCR_GLOBAL hcr_out *out, HCR_LAST, hci_ulong columns)
{
    HCR_ROOM
    const int across = HCR_GROUP / HCR_LANES;
    int item = HCR_ITEM, lane = item / across;
    hci_ulong column = HCR_EACH * ((hci_ulong)HCR_GROUP_X * across + item % across);
    hci_ulong chunk = HCR_GROUP_Y, chunks = HCR_GROUPS_Y;
    hcr_running r[HCR_EACH];
    hcr_total t[HCR_EACH];
#pragma unroll
    for (int k = 0; k < HCR_EACH; ++k) {
        r[k] = hcr_start();
        t[k] = hcr_nothing();
    }
    if (column < results) {
        hci_ulong block = columns == results ? 0 : column / columns;
        hci_ulong row = chunk * each, stop = row + each < n ? row + each : n;
        hci_ulong at = x_0 + block * n * columns + (column - block * columns);
        row += lane;
        at += row * columns;
        while (row < stop) {
            int left = HCR_MOST;
            while (left > 0 && row < stop) {
                hcr_unit unit[HCR_AHEAD];
                int whole = row + (HCR_AHEAD - 1) * HCR_LANES < stop ? HCR_AHEAD : 1;
#pragma unroll
                for (int j = 0; j < HCR_AHEAD; ++j) {
                    if (j < whole)
                        HCR_READ(unit[j], at + j * HCR_LANES * columns)
                }
#pragma unroll
                for (int j = 0; j < HCR_AHEAD; ++j) {
                    if (j < whole) {
#pragma unroll
                        for (int k = 0; k < HCR_EACH; ++k)
                            hcr_take_one(&r[k], unit[j].a >> 16 * k & 0xffff,
                                         HCR_Y(unit[j].b >> 16 * k & 0xffff),
                                         HCR_M(unit[j].mask >> 8 * k & 0xff));
                    }
                }
                row += whole * HCR_LANES;
                at += whole * HCR_LANES * columns;
                left -= whole;
            }
#pragma unroll
            for (int k = 0; k < HCR_EACH; ++k)
                hcr_flush(&r[k], &t[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < HCR_EACH; ++k) {
        hcr_end(&r[k], &t[k], 0x8000);
        HCR_JOIN(&t[k], item, lane, across);
        if (column < results && lane == 0)
            hcr_store(&t[k], column + k, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
    }
}
