/* Rows of n halves each, in sequence. Wide: arrays and mask have the same offset modulo eight.
 */

/* Units that are read before any is added, and units until bins are full. */
#if HCR_PRODUCTS
#define HCR_AHEAD 2
#define HCR_MOST (HCR_WIDE ? HCR_MOST_PRODUCTS / 8 - 2 : HCR_MOST_PRODUCTS)
#else
#define HCR_AHEAD (HCR_LANES == HCR_GROUP ? 4 : HCR_LANES < 32 ? 2 : 1)
#define HCR_MOST (HCR_WIDE ? 124 : 1024)
#endif

#if HCR_WIDE
#define HCR_READ(u, i)                                                                         \
    {                                                                                          \
        u.a = xs[i];                                                                           \
        HCR_READ_Y(u.b = ys[i];)                                                               \
        HCR_READ_M(u.mask = ms[i];)                                                            \
    }
typedef struct {
    hcr_pack a, b;
    hcr_bytes mask;
} hcr_unit;

HCI_FUNCTION void hcr_take_pair(hcr_running *r, unsigned int a, unsigned int b,
                                unsigned int bytes)
{
#if HCR_WHERE
    unsigned int kept = HCR_KEPT(bytes & 255) | HCR_KEPT(bytes & 65280) << 16;
    r->count += (int)(kept & 1) + (int)(kept >> 31);
    hcr_take_word(r, a, b, kept);
#else
    hcr_take_word(r, a, b, 0xffffffff);
    (void)bytes;
#endif
}

HCI_FUNCTION void hcr_take_unit(hcr_running *r, hcr_unit u)
{
    hcr_take_pair(r, u.a.x, HCR_Y(u.b.x), HCR_M(u.mask.x));
    hcr_take_pair(r, u.a.y, HCR_Y(u.b.y), HCR_M(u.mask.x >> 16));
    hcr_take_pair(r, u.a.z, HCR_Y(u.b.z), HCR_M(u.mask.y));
    hcr_take_pair(r, u.a.w, HCR_Y(u.b.w), HCR_M(u.mask.y >> 16));
}
#else
#define HCR_READ(u, i)                                                                         \
    {                                                                                          \
        u.a = x[i];                                                                            \
        HCR_READ_Y(u.b = y[(i) - x_0 + y_0];)                                                  \
        HCR_READ_M(u.mask = m[(i) - x_0 + m_0];)                                               \
    }
typedef struct {
    unsigned int a, b, mask;
} hcr_unit;

HCI_FUNCTION void hcr_take_unit(hcr_running *r, hcr_unit u)
{
    hcr_take_one(r, u.a, HCR_Y(u.b), HCR_M((int)u.mask));
}
#endif

/* Grid: rows, and chunks of `each` units; a unit is eight halves, or one. */
HCR_KERNEL hck(hci_ulong results, hci_ulong n, hci_ulong each, HCR_ARRAY(x) HCR_SECOND HCR_MASK,
               HCR_GLOBAL hcr_out *out, HCR_LAST)
{
    HCR_ROOM
    int item = HCR_ITEM, lane = item % HCR_LANES;
    hci_ulong row = (hci_ulong)HCR_GROUP_X * (HCR_GROUP / HCR_LANES) + item / HCR_LANES;
    hci_ulong chunk = HCR_GROUP_Y, chunks = HCR_GROUPS_Y;
    hcr_running r = hcr_start();
    hcr_total t = hcr_nothing();
    if (row < results) {
        hci_ulong first = x_0 + row * n, end = first + n;
#if HCR_WIDE
        hci_ulong from = (first + 7) / 8, to = end / 8;
        HCR_GLOBAL const hcr_pack *xs = (HCR_GLOBAL const hcr_pack *)x;
#if HCR_PRODUCTS == 1
        HCR_GLOBAL const hcr_pack *ys =
            (HCR_GLOBAL const hcr_pack *)y + ((hci_long)y_0 - (hci_long)x_0) / 8;
#endif
#if HCR_WHERE
        HCR_GLOBAL const hcr_bytes *ms =
            (HCR_GLOBAL const hcr_bytes *)m + ((hci_long)m_0 - (hci_long)x_0) / 8;
#endif
        /* Halves outside of whole units. */
        if (chunk == 0) {
            hci_ulong stop = 8 * from < end ? 8 * from : end;
#pragma unroll 1
            for (hci_ulong i = first + lane; i < stop; i += HCR_LANES)
                hcr_take_one(&r, x[i], HCR_Y(y[i - x_0 + y_0]), HCR_M(m[i - x_0 + m_0]));
        }
        if (chunk == chunks - 1) {
#pragma unroll 1
            for (hci_ulong i = 8 * (to > from ? to : from) + lane; i < end; i += HCR_LANES)
                hcr_take_one(&r, x[i], HCR_Y(y[i - x_0 + y_0]), HCR_M(m[i - x_0 + m_0]));
        }
#else
        hci_ulong from = first, to = end;
#endif
        hci_ulong at = from + chunk * each + lane, stop = from + (chunk + 1) * each;
        to = to < stop ? to : stop;
        do {
            int left = HCR_MOST;
            while (left > 0 && at < to) {
                hcr_unit unit[HCR_AHEAD];
                int whole = at + (HCR_AHEAD - 1) * HCR_LANES < to ? HCR_AHEAD : 1;
                if (whole == HCR_AHEAD) {
#pragma unroll
                    for (int k = 0; k < HCR_AHEAD; ++k)
                        HCR_READ(unit[k], at + k * HCR_LANES)
#pragma unroll
                    for (int k = 0; k < HCR_AHEAD; ++k)
                        hcr_take_unit(&r, unit[k]);
                } else {
                    HCR_READ(unit[0], at)
                    hcr_take_unit(&r, unit[0]);
                }
                at += whole * HCR_LANES;
                left -= whole;
            }
            hcr_flush(&r, &t);
        } while (at < to);
        hcr_end(&r, &t, HCR_WIDE ? 0x80008000 : 0x8000);
    }
    HCR_JOIN(&t, item, lane, 1);
#if HCR_LANES > 1 && HCR_LANES < HCR_GROUP
    hcr_gather(&t, room, item);
    row = (hci_ulong)HCR_GROUP_X * (HCR_GROUP / HCR_LANES) + item;
    lane = item < HCR_GROUP / HCR_LANES ? 0 : 1;
#endif
    if (row < results && lane == 0)
        hcr_store(&t, row, results, chunk, chunks, out, HCR_LAST_ARGUMENTS);
}
