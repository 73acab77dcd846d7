/* Columns: n rows in sequence, each of so many columns; and many such blocks. Wide: pairs of
 * adjacent columns, which begin at an even offset in all arrays. */

#define HCR_AHEAD (HCR_PRODUCTS ? 4 : 8) /* rows that are read before any is added */
#define HCR_MOST (HCR_PRODUCTS ? HCR_MOST_PRODUCTS : 1024)
#define HCR_EACH (HCR_WIDE ? 2 : 1)

/* The data of one read: two halves, or one, and their bytes of the mask. */
#if HCR_WIDE
typedef unsigned int hcr_word;
typedef unsigned short hcr_mask_word;
#else
typedef unsigned short hcr_word;
typedef unsigned char hcr_mask_word;
#endif

typedef struct {
    unsigned int a, b, mask;
} hcr_unit;

#define HCR_READ(u, i)                                                                         \
    {                                                                                          \
        u.a = xs[i];                                                                           \
        HCR_READ_Y(u.b = ys[i];)                                                               \
        HCR_READ_M(u.mask = ms[i];)                                                            \
    }

/* Add a unit's halves, each to its column; the first one's state has the signs of both. */
HCI_FUNCTION void hcr_take_columns(hcr_running *r, hcr_unit u)
{
    unsigned int a = u.a, b = HCR_Y(u.b), kept = 0xffffffff;
#if HCR_WHERE
    kept = HCR_KEPT(u.mask & 255) | HCR_KEPT(u.mask & 65280) << 16;
    r[0].count += (int)(kept & 1);
    r[HCR_EACH - 1].count += HCR_EACH > 1 ? (int)(kept >> 31) : 0;
    a &= kept;
    b &= kept;
#endif
    hcr_note(&r[0], u.a, HCR_Y(u.b), kept);
    hcr_take(&r[0], a & 0xffff, b & 0xffff);
#if HCR_WIDE
    hcr_take(&r[1], a >> 16, b >> 16);
#endif
}

/* Grid: columns, and chunks of `each` rows. The first columns, as many as further says, have
 * one row more, which remains where rows have been put side by side. */
HCR_KERNEL hck(hci_ulong results, hci_ulong n, hci_ulong each, HCR_ARRAY(x) HCR_SECOND HCR_MASK,
               HCR_GLOBAL hcr_out *out, HCR_LAST, hci_ulong columns, hci_ulong further)
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
        hci_ulong rows = n + (column < further);
        hci_ulong row = chunk * each, stop = row + each < rows ? row + each : rows;
        hci_ulong at = block * n * columns + (column - block * columns);
        row += lane;
        at += row * columns;
        HCR_GLOBAL const hcr_word *xs = (HCR_GLOBAL const hcr_word *)(x + (x_0 + at));
        HCR_READ_Y(HCR_GLOBAL const hcr_word *ys =
                       (HCR_GLOBAL const hcr_word *)(y + (y_0 + at));)
        HCR_READ_M(HCR_GLOBAL const hcr_mask_word *ms =
                       (HCR_GLOBAL const hcr_mask_word *)(m + (m_0 + at));)
        const hci_ulong next = HCR_LANES * columns / HCR_EACH; /* the lane's row */
        hci_ulong left = row < stop ? (stop - row + HCR_LANES - 1) / HCR_LANES : 0;
        while (left > 0) {
            int now = left < HCR_MOST ? (int)left : HCR_MOST;
            left -= (hci_ulong)now;
            while (now > 0) {
                hcr_unit unit[HCR_AHEAD];
                int whole = now >= HCR_AHEAD ? HCR_AHEAD : 1;
                if (whole == HCR_AHEAD) {
#pragma unroll
                    for (int j = 0; j < HCR_AHEAD; ++j)
                        HCR_READ(unit[j], (hci_ulong)j * next)
#pragma unroll
                    for (int j = 0; j < HCR_AHEAD; ++j)
                        hcr_take_columns(r, unit[j]);
                } else {
                    HCR_READ(unit[0], 0)
                    hcr_take_columns(r, unit[0]);
                }
                xs += (hci_ulong)whole * next;
                HCR_READ_Y(ys += (hci_ulong)whole * next;)
                HCR_READ_M(ms += (hci_ulong)whole * next;)
                now -= whole;
            }
#pragma unroll
            for (int k = 0; k < HCR_EACH; ++k)
                hcr_flush(&r[k], &t[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < HCR_EACH; ++k) {
        r[k].any = r[0].any;
        r[k].all = r[0].all;
        hcr_end(&r[k], &t[k], 0x8000u << 16 * k);
        HCR_JOIN(&t[k], item, lane, across);
        if (column < results && lane == 0)
            hcr_store(&t[k], column + k, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
    }
}
