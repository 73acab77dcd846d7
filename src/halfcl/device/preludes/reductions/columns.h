/* Columns: n rows in sequence, each of so many columns; and many such blocks. A work-item has
 * 2^HCR_WIDE adjacent columns, which begin at a multiple of as many in all arrays. */

#define HCR_AHEAD 8 /* rows that are read before any is added */
#define HCR_MOST ((HCR_PRODUCTS ? HCR_MOST_PRODUCTS : 1024) - 1)
#define HCR_EACH (1 << HCR_WIDE)
#define HCR_BOUNDS HCR_RESIDENT(HCR_PRODUCTS ? 5 : 6) /* as many as plans count on */
#define HCR_WORDS ((HCR_EACH + 1) / 2)

/* The data of one read, of halves and of a mask's bytes. */
#if HCR_EACH == 4
typedef hcr_bytes hcr_word;
typedef unsigned int hcr_mask_word;
#define HCR_SPLIT(to, word)                                                                    \
    {                                                                                          \
        hcr_word pair = word;                                                                  \
        to[0] = pair.x;                                                                        \
        to[HCR_WORDS - 1] = pair.y;                                                            \
    }
#else
#define HCR_SPLIT(to, word) to[0] = word;
#if HCR_EACH == 2
typedef unsigned int hcr_word;
typedef unsigned short hcr_mask_word;
#else
typedef unsigned short hcr_word;
typedef unsigned char hcr_mask_word;
#endif
#endif

typedef struct {
    unsigned int a[HCR_WORDS], b[HCR_WORDS], mask;
} hcr_unit;

#define HCR_READ(u, i)                                                                         \
    {                                                                                          \
        HCR_SPLIT(u.a, xs[i])                                                                  \
        HCR_READ_Y(HCR_SPLIT(u.b, ys[i]))                                                      \
        HCR_READ_M(u.mask = ms[i];)                                                            \
    }

/* Add a unit's halves, each to its column. A word's signs are in the state of its first one. */
HCI_FUNCTION void hcr_take_columns(hcr_running *r, hcr_unit u)
{
#pragma unroll
    for (int w = 0; w < HCR_WORDS; ++w) {
        unsigned int a = u.a[w], b = HCR_Y(u.b[w]), kept = HCR_EACH > 1 ? 0xffffffff : 0xffff;
        const int second = HCR_EACH > 1 ? 2 * w + 1 : 0;
#if HCR_WHERE
        unsigned int bytes = u.mask >> 16 * w;
        kept = HCR_KEPT(bytes & 255) | HCR_KEPT(bytes & 65280) << 16;
        r[2 * w].count += (int)(kept & 1);
        r[second].count += HCR_EACH > 1 ? (int)(kept >> 31) : 0;
#endif
        hcr_note(&r[2 * w], a, b, kept);
        a &= kept;
        b &= kept;
        hcr_take(&r[2 * w], a & 0xffff, b & 0xffff);
        if (HCR_EACH > 1)
            hcr_take(&r[second], a >> 16, b >> 16);
    }
}

/* Add one more element to a column. */
HCI_FUNCTION void hcr_take_further(hcr_running *r, int k, unsigned int a, unsigned int b,
                                   int kept)
{
    int shift = 16 * (k & 1);
    unsigned int bits = HCR_KEPT(kept);
    hcr_note(&r[k & ~1], a << shift, b << shift, bits << shift);
    hcr_take(&r[k], a & bits, b & bits);
    r[k].count += kept != 0;
}

/* The first lane of each column has its total. Lanes take one column each, if they can. */
#define HCR_SHARES (HCR_LANES > 1 && HCR_LANES >= HCR_EACH)
#if HCR_SHARES
HCI_FUNCTION void hcr_pass(const hcr_total *t, hcr_total *own, HCR_SHARED_POINTER(hcr_bin) room,
                           int item, int lane, int to)
{
    const int across = HCR_GROUP / HCR_LANES;
    if (lane == 0) {
#pragma unroll
        for (int k = 0; k < HCR_BINS; ++k)
            room[k * HCR_GROUP + item] = t->bin[k];
        room[HCR_BINS * HCR_GROUP + item] = (hcr_bin)t->seen;
    }
    HCR_BARRIER;
    if (lane == to) {
        int first = item - lane * across;
#pragma unroll
        for (int k = 0; k < HCR_BINS; ++k)
            own->bin[k] = room[k * HCR_GROUP + first];
        own->seen = (unsigned int)room[HCR_BINS * HCR_GROUP + first];
    }
    HCR_BARRIER;
}
#endif

/* Grid: columns, and chunks of `each` rows. The first columns, as many as further says, have
 * one row more, which remains where rows have been put side by side. */
HCR_KERNEL HCR_BOUNDS hck(hci_ulong results, hci_ulong n, hci_ulong each,
                          HCR_ARRAY(x) HCR_SECOND HCR_MASK, HCR_GLOBAL hcr_out *out, HCR_LAST,
                          hci_ulong columns, hci_ulong further)
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
        hci_ulong at = block * n * columns + (column - block * columns);
        if (lane == 0 && chunk == chunks - 1 && column < further) {
#pragma unroll
            for (int k = 0; k < HCR_EACH; ++k) {
                hci_ulong place = n * columns + column + k;
                if (column + k < further)
                    hcr_take_further(r, k, x[x_0 + place], HCR_Y(y[y_0 + place]),
                                     HCR_M(m[m_0 + place]));
            }
        }
        row += lane;
        at += row * columns;
        HCR_GLOBAL const hcr_word *xs = (HCR_GLOBAL const hcr_word *)(x + (x_0 + at));
        HCR_READ_Y(HCR_GLOBAL const hcr_word *ys =
                       (HCR_GLOBAL const hcr_word *)(y + (y_0 + at));)
        HCR_READ_M(HCR_GLOBAL const hcr_mask_word *ms =
                       (HCR_GLOBAL const hcr_mask_word *)(m + (m_0 + at));)
        const hci_ulong next = HCR_LANES * columns / HCR_EACH; /* the lane's row */
        hci_ulong left = row < stop ? (stop - row + HCR_LANES - 1) / HCR_LANES : 0;
        do {
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
        } while (left > 0);
    }
#if HCR_SHARES
    hcr_total own = hcr_nothing();
#endif
#pragma unroll
    for (int k = 0; k < HCR_EACH; ++k) {
        r[k].any = r[k & ~1].any;
        r[k].all = r[k & ~1].all;
        hcr_end(&r[k], &t[k], 0x8000u << 16 * (k & 1));
        HCR_JOIN(&t[k], item, lane, across);
#if HCR_SHARES
        hcr_pass(&t[k], &own, room, item, lane, k);
#else
        if (column < results && lane == 0)
            hcr_store(&t[k], column + k, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
#endif
    }
#if HCR_SHARES
    if (column < results && lane < HCR_EACH)
        hcr_store(&own, column + lane, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
#endif
}
